/* SPDX-License-Identifier: MIT
 *
 * What the finite elements share: deformation gradients of tetrahedra, small symmetric block
 * solves, and the rest data of a tetrahedron in double precision.
 *
 *     F = [e1 e2 e3] B, B = [rest e1, rest e2, rest e3]^-1, e_k = x_k - x_0
 *
 * Columns of F are f0, f1, f2; b[3 (k - 1) + j] is B of edge k and column j. A row of constraints
 * with P = dC/dF has grad_k C = sum over j of b_kj (column j of P), grad_0 = -(their sum); hence
 * sum over k of w_k grad_k C . grad_k C' = sum over i, j of W_ij p_i . p'_j, with W_ij = sum over k
 * of w_k b_ki b_kj.
 *
 * Rest data are rounded, and so is B: a pose at rest has strains of some 1e-7 instead of 0. What
 * is below the noise of an element (a bound of that rounding, element_noise()) counts as 0, which
 * keeps rest poses bit for bit. Positions near 1 that are floats do not resolve smaller strains in
 * an element of size 1 anyway.
 */
#ifndef XPBD_KERNEL_ELEMENT_H
#define XPBD_KERNEL_ELEMENT_H

#include "kernel/project.h"

#include <float.h>

/** For loops of constant bounds over arrays that should be registers. */
#if defined(__clang__)
#define XPBD_UNROLL _Pragma("clang loop unroll(full)")
#else
#define XPBD_UNROLL _Pragma("GCC unroll 8")
#endif

/** What diagonals of sum of w grad C grad C are enlarged by, some 6e-5. A system without
 *  compliance can be singular, with rows that contradict each other (three pinned corners, corners
 *  on a line). So it is positive definite to the precision of a float, and a step is at most some
 *  64 edges long. What is at rest stays so, as the right-hand side is exact; what is nearly
 * singular gets there more slowly. */
#define ELEMENT_RIDGE (1.0f + 0x1p-14f)
/** What part of its value at rest the diagonal of a row is at least: as its gradient vanishes the
 *  step of a Newton method grows without bound. */
#define ELEMENT_FLOOR 0x1p-10f

XPBD_INLINE vf dot(vf4 a, vf4 b)
{
    return v_add(v_add(v_mul(a.x, b.x), v_mul(a.y, b.y)), v_mul(a.z, b.z));
}
/* w of a stays in what follows. */
XPBD_INLINE vf4 minus(vf4 a, vf4 b)
{
    return (vf4){v_sub(a.x, b.x), v_sub(a.y, b.y), v_sub(a.z, b.z), a.w};
}
XPBD_INLINE vf4 plus(vf4 a, vf4 b)
{
    return (vf4){v_add(a.x, b.x), v_add(a.y, b.y), v_add(a.z, b.z), a.w};
}
XPBD_INLINE vf4 times(vf4 a, vf s)
{
    return (vf4){v_mul(a.x, s), v_mul(a.y, s), v_mul(a.z, s), a.w};
}
XPBD_INLINE vf4 cross(vf4 a, vf4 b)
{
    return (vf4){v_sub(v_mul(a.y, b.z), v_mul(a.z, b.y)), v_sub(v_mul(a.z, b.x), v_mul(a.x, b.z)),
                 v_sub(v_mul(a.x, b.y), v_mul(a.y, b.x)), a.w};
}
/** a r + b s + c t */
XPBD_INLINE vf4 combine(vf4 a, vf r, vf4 b, vf s, vf4 c, vf t)
{
    return plus(plus(times(a, r), times(b, s)), times(c, t));
}

XPBD_INLINE vf4 corner(const xpbd_lanes *at, const float *array, int k)
{
    return point_load(at->store, array, lanes_id(at, k));
}

/** alpha~ and gamma times what an element makes of them: far beyond any material, but finite, where
 *  infinity times 0 would be no number. */
XPBD_INLINE vf element_alpha(const xpbd_lanes *at, vf part)
{
    return v_min(v_mul(lanes_alpha(at), part), v_set(1e28f));
}
XPBD_INLINE vf element_gamma(const xpbd_lanes *at)
{
    return v_min(lanes_gamma(at), v_set(1e18f));
}

/** Strain rows below the noise are none. */
XPBD_INLINE vf over_noise(vf strain, vf noise)
{
    return v_keep(v_gt(v_abs(strain), noise), strain);
}

/** Solve A x = b in place for a symmetric positive definite A[n][n], of which the lower triangle is
 *  read: L D L^T. Unknowns without a pivot are 0. */
XPBD_INLINE void block_solve(int n, vf (*A)[XPBD_ROWS_MAX], vf *b)
{
    vf inverse[XPBD_ROWS_MAX];
    XPBD_UNROLL
    for (int k = 0; k < n; k++) {
        inverse[k] = v_div_where(v_gt(A[k][k], v_set(FLT_MIN)), v_set(1.0f), A[k][k]);
        XPBD_UNROLL
        for (int i = k + 1; i < n; i++) {
            const vf l = v_mul(A[i][k], inverse[k]);
            b[i] = v_sub(b[i], v_mul(l, b[k]));
            XPBD_UNROLL
            for (int j = k + 1; j <= i; j++) {
                A[i][j] = v_sub(A[i][j], v_mul(l, A[j][k]));
            }
        }
    }
    XPBD_UNROLL
    for (int k = n - 1; k >= 0; k--) {
        vf sum = b[k];
        XPBD_UNROLL
        for (int i = k + 1; i < n; i++) {
            sum = v_sub(sum, v_mul(A[i][k], b[i]));
        }
        b[k] = v_mul(sum, inverse[k]);
    }
}

/** A tetrahedron as its kernels see it. */
typedef struct xpbd_tet {
    vf4 p[4], f[3];
    vf b[9];
} xpbd_tet;

XPBD_INLINE void tet_columns(const xpbd_lanes *at, const float *array, const vf *b, vf4 *p, vf4 *f)
{
    p[0] = corner(at, array, 0);
    p[1] = corner(at, array, 1);
    p[2] = corner(at, array, 2);
    p[3] = corner(at, array, 3);
    const vf4 e1 = minus(p[1], p[0]), e2 = minus(p[2], p[0]), e3 = minus(p[3], p[0]);
    f[0] = combine(e1, b[0], e2, b[3], e3, b[6]);
    f[1] = combine(e1, b[1], e2, b[4], e3, b[7]);
    f[2] = combine(e1, b[2], e2, b[5], e3, b[8]);
}
/** Load corners and B, which are the first nine packed floats. */
XPBD_INLINE xpbd_tet tet_load(const xpbd_lanes *at)
{
    xpbd_tet tet;
    XPBD_UNROLL
    for (int k = 0; k < 9; k++) {
        tet.b[k] = lanes_rest(at, k);
    }
    tet_columns(at, at->store->position, tet.b, tet.p, tet.f);
    return tet;
}
/** F - F^n: what the substep has done to it so far. */
XPBD_INLINE void tet_moved(const xpbd_lanes *at, const xpbd_tet *tet, vf4 *moved)
{
    vf4 p[4], f[3];
    tet_columns(at, at->store->previous, tet->b, p, f);
    moved[0] = minus(tet->f[0], f[0]);
    moved[1] = minus(tet->f[1], f[1]);
    moved[2] = minus(tet->f[2], f[2]);
}
/** W as 00, 11, 22, 12, 20, 01. */
XPBD_INLINE void tet_weights(const xpbd_tet *tet, vf *W)
{
    static const int first[6] = {0, 1, 2, 1, 2, 0}, second[6] = {0, 1, 2, 2, 0, 1};
    const vf *b = tet->b;
    const vf zero = v_set(0.0f);
    const vf b0[3] = {v_sub(zero, v_add(v_add(b[0], b[3]), b[6])),
                      v_sub(zero, v_add(v_add(b[1], b[4]), b[7])),
                      v_sub(zero, v_add(v_add(b[2], b[5]), b[8]))};
    XPBD_UNROLL
    for (int k = 0; k < 6; k++) {
        const int i = first[k], j = second[k];
        W[k] = v_add(
            v_add(v_mul(tet->p[0].w, v_mul(b0[i], b0[j])), v_mul(tet->p[1].w, v_mul(b[i], b[j]))),
            v_add(v_mul(tet->p[2].w, v_mul(b[3 + i], b[3 + j])),
                  v_mul(tet->p[3].w, v_mul(b[6 + i], b[6 + j]))));
    }
}
/** Move corners by w_k sum over j of b_kj P_j, where P is dC/dF times d_lambda. */
XPBD_INLINE void tet_move(const xpbd_lanes *at, const xpbd_tet *tet, const vf4 *P, unsigned variant)
{
    const vf *b = tet->b;
    const vf4 g1 = combine(P[0], b[0], P[1], b[1], P[2], b[2]);
    const vf4 g2 = combine(P[0], b[3], P[1], b[4], P[2], b[5]);
    const vf4 g3 = combine(P[0], b[6], P[1], b[7], P[2], b[8]);
    const vf4 sum = plus(plus(g1, g2), g3);
    const vf4 d0 = times(sum, v_sub(v_set(0.0f), tet->p[0].w)), d1 = times(g1, tet->p[1].w);
    const vf4 d2 = times(g2, tet->p[2].w), d3 = times(g3, tet->p[3].w);
    lanes_move(at, 4, 0, tet->p[0], d0.x, d0.y, d0.z, variant);
    lanes_move(at, 4, 1, tet->p[1], d1.x, d1.y, d1.z, variant);
    lanes_move(at, 4, 2, tet->p[2], d2.x, d2.y, d2.z, variant);
    lanes_move(at, 4, 3, tet->p[3], d3.x, d3.y, d3.z, variant);
}

#if XPBD_DESCRIBE

#include <math.h>

/** B and the volume of rest edges. */
static inline double tet_inverse(const float *rest, double *b)
{
    double determinant = 0.0;
    for (int k = 0; k < 3; k++) {
        /* Row k of B is normal to the other two edges. */
        const float *f = rest + (k + 1) % 3 * 3, *g = rest + (k + 2) % 3 * 3;
        for (int j = 0; j < 3; j++) {
            const int m = (j + 1) % 3, n = (j + 2) % 3;
            b[3 * k + j] = (double)f[m] * (double)g[n] - (double)f[n] * (double)g[m];
        }
    }
    for (int j = 0; j < 3; j++) {
        determinant += (double)rest[j] * b[j];
    }
    for (int k = 0; k < 9; k++) {
        b[k] /= determinant;
    }
    return determinant / 6.0;
}
/** F[column][component]. False where all corners are one. */
static inline bool tet_gradient(const double (*x)[3], const double *b, double (*F)[3])
{
    bool some = false;
    for (int j = 0; j < 3; j++) {
        for (int c = 0; c < 3; c++) {
            F[j][c] = 0.0;
            for (int k = 0; k < 3; k++) {
                F[j][c] += (x[k + 1][c] - x[0][c]) * b[3 * k + j];
            }
            some = some || F[j][c] < 0.0 || F[j][c] > 0.0;
        }
    }
    return some;
}
/** Gradient of a row with dC/dF = P[column][component]. */
static inline void tet_corners(const double (*P)[3], const double *b, double (*gradient)[3])
{
    for (int c = 0; c < 3; c++) {
        gradient[0][c] = 0.0;
        for (int k = 0; k < 3; k++) {
            gradient[k + 1][c] =
                P[0][c] * b[3 * k] + P[1][c] * b[3 * k + 1] + P[2][c] * b[3 * k + 2];
            gradient[0][c] -= gradient[k + 1][c];
        }
    }
}
/** The strain that rounding makes of none: n edges and B of n columns. Products of both are a sum
 *  of 1; where the sum of their sizes is larger, so is its error. */
static inline float element_noise(const float *rest, const double *b, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double size = 0.0;
            for (int k = 0; k < n; k++) {
                size += fabs((double)rest[n * k + i] * b[n * k + j]);
            }
            most = fmax(most, size);
        }
    }
    return (float)(most * 0x1p-20);
}
/** Rest edges as the kernel rounds them. */
static inline void tet_edges(const float (*x)[3], float *rest)
{
    for (int k = 0; k < 9; k++) {
        rest[k] = x[k / 3 + 1][k % 3] - x[0][k % 3];
    }
}
/** Tell whether rest edges have a volume that floats tell from none, and a positive one. */
static inline bool tet_is_element(const float *rest)
{
    double b[9], edges = 1.0;
    for (int k = 0; k < 3; k++) {
        double square = 0.0;
        for (int c = 0; c < 3; c++) {
            square += (double)rest[3 * k + c] * (double)rest[3 * k + c];
        }
        edges *= sqrt(square);
    }
    return 6.0 * tet_inverse(rest, b) > 1e-6 * edges && edges > (double)FLT_MIN;
}
/** B and 1 / V, the packed floats 0 to 9, and the noise, packed float 10. */
static inline void tet_pack(const float *rest, float *packed)
{
    double b[9];
    const double volume = tet_inverse(rest, b);
    for (int k = 0; k < 9; k++) {
        packed[k] = (float)b[k];
    }
    packed[9] = (float)(1.0 / volume);
    packed[10] = element_noise(rest, b, 3);
}

#endif
#endif
