/* SPDX-License-Identifier: MIT
 *
 * tet_stvk: the St. Venant-Kirchhoff solid, isotropic, the Green strain E = (F^T F - 1)/2 of a
 * tetrahedron as a block of six rows:
 *
 *     C = (E00, E11, E22, 2 E12, 2 E20, 2 E01)      dC/dF = f_i in column i, and for shears
 *                                                   f_j in column i, f_i in column j
 *
 * [XPBD16] eq. 27 and 28 in three dimensions, with engineering shears, so that their modulus is mu
 * (not the 2 mu that is printed), and compliance per rest volume:
 *
 *     alpha = 1 / (E V0) [ 1 -nu -nu; -nu 1 -nu; -nu -nu 1 ] and 2 (1 + nu) / (E V0) for shears.
 *
 * The compliance is 1 / E in m^2/N (1/Pa), the last number of the rest data Poisson's ratio, -1 <
 * nu < 1/2. With M_ij = f_i . f_j the system is (W as in element.h)
 *
 *     A_ii,kk = W_ik M_ik,  A_ii,kl = W_ik M_il + W_il M_ik,
 *     A_ij,kl = W_ik M_jl + W_il M_jk + W_jk M_il + W_jl M_ik.
 *
 * The energy has no idea of orientation: a mirrored element is at rest, and pressure has a maximum
 * at a stretch of 1/sqrt(3), below which an element gives way and turns inside out. For strong
 * compression there is tet_neo_hookean.
 *
 * Degenerate: on a plane, line or point some rows have no gradient. What others can do is done, see
 * ELEMENT_RIDGE and ELEMENT_FLOOR; with a column of F that is null diagnostics count it.
 */
#include "kernel/element.h"

#include <string.h>

/* The lower triangle of sum of w grad C grad C. W and M are 00, 11, 22, 12, 20, 01. */
XPBD_INLINE void system_of(const vf *W, const vf *M, vf (*A)[XPBD_ROWS_MAX])
{
    static const int at[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
    XPBD_UNROLL
    for (int i = 0; i < 3; i++) {
        XPBD_UNROLL
        for (int k = 0; k <= i; k++) {
            A[i][k] = v_mul(W[at[i][k]], M[at[i][k]]);
        }
        XPBD_UNROLL
        for (int row = 3; row < 6; row++) {
            const int k = (row + 1) % 3, l = (row + 2) % 3;
            A[row][i] = v_add(v_mul(W[at[i][k]], M[at[i][l]]), v_mul(W[at[i][l]], M[at[i][k]]));
        }
    }
    XPBD_UNROLL
    for (int row = 3; row < 6; row++) {
        const int i = (row + 1) % 3, j = (row + 2) % 3;
        XPBD_UNROLL
        for (int column = 3; column <= row; column++) {
            const int k = (column + 1) % 3, l = (column + 2) % 3;
            A[row][column] =
                v_add(v_add(v_mul(W[at[i][k]], M[at[j][l]]), v_mul(W[at[i][l]], M[at[j][k]])),
                      v_add(v_mul(W[at[j][k]], M[at[i][l]]), v_mul(W[at[j][l]], M[at[i][k]])));
        }
    }
}

/* Turn A and r into those of eq. 26. */
XPBD_INLINE void damp(const xpbd_lanes *at, const xpbd_tet *tet, vf (*A)[XPBD_ROWS_MAX], vf *r)
{
    const vf gamma = element_gamma(at), more = v_add(v_set(1.0f), gamma);
    vf4 moved[3];
    tet_moved(at, tet, moved);
    XPBD_UNROLL
    for (int row = 0; row < 3; row++) {
        const int i = (row + 1) % 3, j = (row + 2) % 3;
        const vf shear = v_add(dot(tet->f[i], moved[j]), dot(tet->f[j], moved[i]));
        r[row] = v_sub(r[row], v_mul(gamma, dot(tet->f[row], moved[row])));
        r[row + 3] = v_sub(r[row + 3], v_mul(gamma, shear));
    }
    XPBD_UNROLL
    for (int row = 0; row < 6; row++) {
        XPBD_UNROLL
        for (int column = 0; column <= row; column++) {
            A[row][column] = v_mul(more, A[row][column]);
        }
    }
}

XPBD_INLINE void lanes(const xpbd_lanes *at, unsigned variant)
{
    const xpbd_tet tet = tet_load(at);
    const vf4 *f = tet.f;
    const vf M[6] = {dot(f[0], f[0]), dot(f[1], f[1]), dot(f[2], f[2]),
                     dot(f[1], f[2]), dot(f[2], f[0]), dot(f[0], f[1])};
    const vf zero = v_set(0.0f), half = v_set(0.5f), one = v_set(1.0f), noise = lanes_rest(at, 10);
    const vf nu = lanes_rest(at, 11), alpha = element_alpha(at, lanes_rest(at, 9));
    const vf across = v_mul(alpha, nu), shear = v_mul(v_set(2.0f), v_add(alpha, across));
    vf W[6], A[6][XPBD_ROWS_MAX], r[6], lambda[6];
    tet_weights(&tet, W);
    system_of(W, M, A);
    XPBD_UNROLL
    for (int row = 0; row < 6; row++) {
        lambda[row] = lanes_lambda(at, row, variant);
    }
    XPBD_UNROLL
    for (int i = 0; i < 3; i++) {
        const vf others = v_add(lambda[(i + 1) % 3], lambda[(i + 2) % 3]);
        const vf strain = over_noise(v_mul(half, v_sub(M[i], one)), noise);
        r[i] = v_sub(v_sub(v_mul(across, others), v_mul(alpha, lambda[i])), strain);
        r[i + 3] = v_sub(zero, v_add(over_noise(M[i + 3], noise), v_mul(shear, lambda[i + 3])));
    }
    if (variant & XPBD_VARIANT_DAMPED) {
        damp(at, &tet, A, r);
    }
    const vf ridge = v_set(ELEMENT_RIDGE), part = v_set(ELEMENT_FLOOR);
    const vf least[6] = {v_mul(part, W[0]),
                         v_mul(part, W[1]),
                         v_mul(part, W[2]),
                         v_mul(part, v_add(W[1], W[2])),
                         v_mul(part, v_add(W[2], W[0])),
                         v_mul(part, v_add(W[0], W[1]))};
    XPBD_UNROLL
    for (int i = 0; i < 3; i++) {
        const int k = i + 3;
        A[i][i] = v_add(v_mul(ridge, v_max(A[i][i], least[i])), alpha);
        A[k][k] = v_add(v_mul(ridge, v_max(A[k][k], least[k])), shear);
    }
    A[1][0] = v_sub(A[1][0], across);
    A[2][0] = v_sub(A[2][0], across);
    A[2][1] = v_sub(A[2][1], across);
    block_solve(6, A, r);
    XPBD_UNROLL
    for (int row = 0; row < 6; row++) {
        r[row] = lanes_soften(at, r[row], variant);
        lanes_add_lambda(at, row, lambda[row], r[row], variant);
    }
    const vf4 P[3] = {combine(f[0], r[0], f[1], r[5], f[2], r[4]),
                      combine(f[0], r[5], f[1], r[1], f[2], r[3]),
                      combine(f[0], r[4], f[1], r[3], f[2], r[2])};
    tet_move(at, &tet, P, variant);
}

XPBD_PROJECT_LONG_LANES(tet_stvk);

#if XPBD_DESCRIBE

static bool measure(const double (*x)[3], const float *rest, double *C, double (*gradient)[3])
{
    double b[9], F[3][3], P[3][3];
    bool columns = true;
    tet_inverse(rest, b);
    tet_gradient(x, b, F);
    for (int row = 0; row < 6; row++) {
        const int i = row < 3 ? row : (row + 1) % 3, j = row < 3 ? row : (row + 2) % 3;
        const double product = F[i][0] * F[j][0] + F[i][1] * F[j][1] + F[i][2] * F[j][2];
        C[row] = row < 3 ? 0.5 * (product - 1.0) : product;
        columns = columns && (row >= 3 || product > 0.0);
        memset(P, 0, sizeof P);
        memcpy(P[i], F[j], sizeof P[i]);
        memcpy(P[j], F[i], sizeof P[j]);
        tet_corners((const double(*)[3])P, b, gradient + (size_t)row * 4);
    }
    return columns;
}

/* Poisson's ratio 0.3 where nobody says. */
static void rest_of(const float (*x)[3], float *rest)
{
    tet_edges(x, rest);
    rest[9] = 0.3f;
}

static uint32_t rest_fault(const float *rest)
{
    return !tet_is_element(rest) ? 0 : rest[9] > -1.0f && rest[9] < 0.5f ? 10 : 9;
}

static void pack(const float *rest, float *packed)
{
    tet_pack(rest, packed);
    packed[11] = rest[9];
}

static void compliance(const float *rest, double *matrix)
{
    double b[9];
    const double volume = tet_inverse(rest, b), nu = (double)rest[9];
    memset(matrix, 0, 36 * sizeof *matrix);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            matrix[6 * i + j] = (i == j ? 1.0 : -nu) / volume;
        }
        matrix[7 * (i + 3)] = 2.0 * (1.0 + nu) / volume;
    }
}

extern const xpbd_constraint_ops xpbd_ops_tet_stvk;
const xpbd_constraint_ops xpbd_ops_tet_stvk = {.measure = measure,
                                               .rest_of = rest_of,
                                               .rest_fault = rest_fault,
                                               .pack = pack,
                                               .n_packed = 12,
                                               .compliance = compliance};

#endif
