/* SPDX-License-Identifier: MIT
 *
 * tet_neo_hookean: the stable neo-Hookean solid of [NEO21],
 *
 *     Psi = mu/2 (tr F^T F - 3) + lambda'/2 (J - 1 - mu/lambda')^2, J = det F,
 *
 * as one block of two rows that are both 0 at rest:
 *
 *     C_D = sqrt(tr F^T F + J^2 - 4 J)    dC_D/dF = (F + (J - 2) cof F) / C_D    1 / (mu V0)
 *     C_H = J - 1                         dC_H/dF = cof F                        1 / (lambda V0)
 *
 * mu V0/2 C_D^2 + lambda V0/2 C_H^2 is V0 Psi but for a constant, with lambda = lambda' - mu. So
 * mu and lambda are the Lame constants of linear elasticity as they are:
 * mu = E / (2 (1 + nu)), lambda = E nu / ((1 + nu) (1 - 2 nu)), nu >= 0. The compliance is 1 / mu
 * in m^2/N (1/Pa), the last number of the rest data lambda / mu = 2 nu / (1 - 2 nu).
 *
 * Why not the paper's rows, sqrt(tr F^T F) and J - 1 - mu/lambda': at rest neither is 0, their
 * multipliers mu and -mu only balance, their gradients are parallel, and a block solve of them is
 * singular for a stiff material: the shear forces left over are the difference of two large
 * multipliers of the last sweep, an explicit step. Solved one after the other they pull an element
 * at rest out of its pose in every substep. Here the rest pose stays bit for bit, and compliance 0
 * is a rigid element. C_D is like the length of a spring of rest length 0 (it is sqrt(2) |strain|
 * for small strains): C_D grad C_D is smooth, grad C_D is not at rest, where it is taken as 0.
 *
 * C_D^2 is computed as 2 j^2 - 4 i2 - 8 i3 with j = J - 1 and the invariants of the Green strain,
 * which is the same number without the cancellation of 3 + 1 - 4. With d_lambda_D = C_D z nothing
 * is divided by C_D:
 *
 *     [ DD + alpha_D C_D^2    DH           ] [ z          ]     [ C_D^2 + alpha_D C_D lambda_D ]
 *     [ DH                    HH + alpha_H ] [ d_lambda_H ] = - [ C_H + alpha_H lambda_H       ]
 *
 * with D = F + (J - 2) cof F and H = cof F; DD, DH, HH are products weighted as in element.h.
 *
 * DD and HH count for no less than a thousandth of what they are near rest, where HH = tr W and DD
 * is about C_D^2 tr W: gradients vanish towards a line (H), and in a cube crushed to 0.544 of its
 * edge (D), and steps may not get long there.
 *
 * Inverted elements (J < 0) have gradients and come back; flat ones too. On a line cof F vanishes,
 * and C_D alone pulls; on a point all does, nothing moves, and diagnostics count it. C_D is 0 in a
 * point as well as at rest, so that it is C_H that resists being crushed: Psi of a point is
 * lambda/2, little for nu below 0.2. That is the material, not the method.
 *
 * Products of D grow with the tenth power of a stretch, and are beyond float from some 10^4 on.
 * There C_H pulls alone: an element that went off comes back, where infinities would spread.
 */
#include "kernel/element.h"

/* C_D^2 up to which D itself is a number, whatever shape F has. */
#define LARGEST_DISTORTION 1e24f

/* E as 00, 11, 22, 12, 20, 01 to tr F^T F + J^2 - 4 J. */
XPBD_INLINE vf distortion(const vf4 *f, vf j)
{
    const vf half = v_set(0.5f), one = v_set(1.0f);
    const vf E00 = v_mul(half, v_sub(dot(f[0], f[0]), one));
    const vf E11 = v_mul(half, v_sub(dot(f[1], f[1]), one));
    const vf E22 = v_mul(half, v_sub(dot(f[2], f[2]), one));
    const vf E12 = v_mul(half, dot(f[1], f[2])), E20 = v_mul(half, dot(f[2], f[0]));
    const vf E01 = v_mul(half, dot(f[0], f[1]));
    const vf m0 = v_sub(v_mul(E11, E22), v_mul(E12, E12));
    const vf m1 = v_sub(v_mul(E22, E00), v_mul(E20, E20));
    const vf m2 = v_sub(v_mul(E00, E11), v_mul(E01, E01));
    const vf i2 = v_add(v_add(m0, m1), m2);
    const vf c1 = v_sub(v_mul(E20, E12), v_mul(E01, E22));
    const vf c2 = v_sub(v_mul(E01, E12), v_mul(E20, E11));
    const vf i3 = v_add(v_add(v_mul(E00, m0), v_mul(E01, c1)), v_mul(E20, c2));
    const vf strains = v_add(v_mul(v_set(4.0f), i2), v_mul(v_set(8.0f), i3));
    return v_sub(v_mul(v_set(2.0f), v_mul(j, j)), strains);
}

/* sum of W_ij a_i . b_j from s_j = sum of W_ij a_i */
XPBD_INLINE vf product(const vf4 *s, const vf4 *b)
{
    return v_add(v_add(dot(s[0], b[0]), dot(s[1], b[1])), dot(s[2], b[2]));
}
XPBD_INLINE void weighted(const vf *W, const vf4 *a, vf4 *s)
{
    s[0] = combine(a[0], W[0], a[1], W[5], a[2], W[4]);
    s[1] = combine(a[0], W[5], a[1], W[1], a[2], W[3]);
    s[2] = combine(a[0], W[4], a[1], W[3], a[2], W[2]);
}

XPBD_INLINE void lanes(const xpbd_lanes *at, unsigned variant)
{
    const xpbd_tet tet = tet_load(at);
    const vf4 *f = tet.f;
    const vf4 H[3] = {cross(f[1], f[2]), cross(f[2], f[0]), cross(f[0], f[1])};
    const vf one = v_set(1.0f), noise = lanes_rest(at, 10);
    const vf j = over_noise(v_sub(dot(f[0], H[0]), one), noise);
    const vf square = distortion(f, j);
    const vm near = v_lt(square, v_set(LARGEST_DISTORTION));
    const vm distorted = m_and(near, v_gt(square, v_mul(noise, noise)));
    const vf q = v_keep(distorted, square), C_D = v_sqrt(q), h = v_keep(near, v_sub(j, one));
    const vf4 D[3] = {plus(f[0], times(H[0], h)), plus(f[1], times(H[1], h)),
                      plus(f[2], times(H[2], h))};
    vf W[6];
    vf4 s[3];
    tet_weights(&tet, W);
    weighted(W, D, s);
    vf DD = product(s, D), DH = product(s, H);
    weighted(W, H, s);
    vf HH = product(s, H);
    const vf least = v_mul(v_add(v_add(W[0], W[1]), W[2]), v_set(ELEMENT_FLOOR));
    const vm H_is_number = v_lt(HH, v_set(FLT_MAX));
    DD = v_max(DD, v_mul(least, q));
    HH = v_max(HH, least);
    const vf alpha_D = element_alpha(at, lanes_rest(at, 9));
    const vf alpha_H = v_mul(alpha_D, lanes_rest(at, 11));
    const vf lambda_D = lanes_lambda(at, 0, variant), lambda_H = lanes_lambda(at, 1, variant);
    const vf zero = v_set(0.0f);
    vf r_D = v_sub(zero, v_add(q, v_mul(v_mul(alpha_D, C_D), lambda_D)));
    vf r_H = v_sub(zero, v_add(j, v_mul(alpha_H, lambda_H)));
    if (variant & XPBD_VARIANT_DAMPED) {
        vf4 moved[3];
        tet_moved(at, &tet, moved);
        const vf gamma = element_gamma(at), more = v_add(one, gamma);
        r_D = v_sub(r_D, v_mul(gamma, product(D, moved)));
        r_H = v_sub(r_H, v_mul(gamma, product(H, moved)));
        DD = v_mul(more, DD);
        DH = v_mul(more, DH);
        HH = v_mul(more, HH);
    }
    /* H first: it is there at rest. */
    const vf ridge = v_set(ELEMENT_RIDGE);
    const vf pivot_H = v_add(v_mul(ridge, HH), alpha_H);
    const vm has_H = m_and(H_is_number, v_gt(pivot_H, v_set(FLT_MIN)));
    const vf inverse_H = v_div_where(has_H, one, pivot_H);
    const vf l = v_mul(DH, inverse_H);
    const vf pivot_D = v_sub(v_add(v_mul(ridge, DD), v_mul(alpha_D, q)), v_mul(l, DH));
    const vm is_number = m_and(v_gt(pivot_D, v_set(FLT_MIN)), v_lt(pivot_D, v_set(FLT_MAX)));
    const vm has_D = m_and(distorted, is_number);
    const vf z = v_div_where(has_D, v_sub(r_D, v_mul(l, r_H)), pivot_D);
    const vf y = v_mul(inverse_H, v_sub(r_H, v_mul(v_keep(has_D, DH), z)));
    const vf d_D = lanes_soften(at, z, variant), d_H = lanes_soften(at, y, variant);
    lanes_add_lambda(at, 0, lambda_D, v_mul(C_D, d_D), variant);
    lanes_add_lambda(at, 1, lambda_H, d_H, variant);
    const vf4 P[3] = {plus(times(D[0], d_D), times(H[0], d_H)),
                      plus(times(D[1], d_D), times(H[1], d_H)),
                      plus(times(D[2], d_D), times(H[2], d_H))};
    tet_move(at, &tet, P, variant);
}

XPBD_PROJECT_LONG_LANES(tet_neo_hookean);

#if XPBD_DESCRIBE

static bool measure(const double (*x)[3], const float *rest, double *C, double (*gradient)[3])
{
    double b[9], F[3][3], H[3][3], D[3][3], J = 0.0, E[3][3];
    tet_inverse(rest, b);
    const bool some = tet_gradient(x, b, F);
    for (int i = 0; i < 3; i++) {
        const double *f = F[(i + 1) % 3], *g = F[(i + 2) % 3];
        for (int c = 0; c < 3; c++) {
            H[i][c] = f[(c + 1) % 3] * g[(c + 2) % 3] - f[(c + 2) % 3] * g[(c + 1) % 3];
        }
        for (int k = 0; k < 3; k++) {
            E[i][k] = 0.5 * (F[i][0] * F[k][0] + F[i][1] * F[k][1] + F[i][2] * F[k][2]);
        }
        E[i][i] -= 0.5;
    }
    for (int c = 0; c < 3; c++) {
        J += F[0][c] * H[0][c];
    }
    double i2 = 0.0, i3 = 0.0;
    for (int i = 0; i < 3; i++) {
        const int m = (i + 1) % 3, n = (i + 2) % 3;
        i2 += E[m][m] * E[n][n] - E[m][n] * E[m][n];
        i3 += E[0][i] * (E[1][m] * E[2][n] - E[1][n] * E[2][m]);
    }
    const double square = 2.0 * (J - 1.0) * (J - 1.0) - 4.0 * i2 - 8.0 * i3;
    C[0] = sqrt(fmax(square, 0.0));
    C[1] = J - 1.0;
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < 3; c++) {
            D[i][c] = C[0] > 0.0 ? (F[i][c] + (J - 2.0) * H[i][c]) / C[0] : 0.0;
        }
    }
    tet_corners((const double(*)[3])D, b, gradient);
    tet_corners((const double(*)[3])H, b, gradient + 4);
    return some;
}

/* Poisson's ratio 0.4 where nobody says. */
static void rest_of(const float (*x)[3], float *rest)
{
    tet_edges(x, rest);
    rest[9] = 4.0f;
}

static uint32_t rest_fault(const float *rest)
{
    return !tet_is_element(rest) ? 0 : rest[9] >= 0.0f ? 10 : 9;
}

/* Not 0, so that the compliance of C_H is finite. */
static double ratio_of(const float *rest)
{
    return fmax((double)rest[9], 1e-6);
}

static void pack(const float *rest, float *packed)
{
    tet_pack(rest, packed);
    packed[11] = (float)(1.0 / ratio_of(rest));
}

static void compliance(const float *rest, double *matrix)
{
    double b[9];
    const double volume = tet_inverse(rest, b);
    matrix[0] = 1.0 / volume;
    matrix[1] = matrix[2] = 0.0;
    matrix[3] = 1.0 / (volume * ratio_of(rest));
}

extern const xpbd_constraint_ops xpbd_ops_tet_neo_hookean;
const xpbd_constraint_ops xpbd_ops_tet_neo_hookean = {.measure = measure,
                                                      .rest_of = rest_of,
                                                      .rest_fault = rest_fault,
                                                      .pack = pack,
                                                      .n_packed = 12,
                                                      .compliance = compliance};

#endif
