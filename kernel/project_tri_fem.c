/* SPDX-License-Identifier: MIT
 *
 * tri_fem: an orthotropic St. Venant-Kirchhoff membrane, the Green strain of a triangle in its
 * material frame (u warp, v weft) as a block of three rows:
 *
 *     C = (eps_uu, eps_vv, gamma_uv) = ((f_u.f_u - 1)/2, (f_v.f_v - 1)/2, f_u.f_v)
 *     grad_k C = (b_ku f_u, b_kv f_v, b_kv f_u + b_ku f_v), [f_u f_v] = [x1 - x0, x2 - x0] B,
 *     B = [rest e1, rest e2]^-1 in the frame, b_k row k of B, grad_0 = -(grad_1 + grad_2).
 *
 * [XPBD16] eq. 27 and 28 with two corrections: eq. 28 has K33 = 2 mu, which belongs to no row
 * eps_uv (with the engineering shear gamma = 2 eps_uv it is mu), and the compliance is per area:
 *
 *                                    [  1  -nu        ]
 *     alpha = 1 / (E_u thickness A)  [ -nu  E_u / E_v ]           A: of the rest triangle
 *                                    [        E_u / G ]
 *
 * The compliance is 1 / (E_u thickness) in m/N; nu = nu_uv is how much v shrinks when u is pulled,
 * nu_vu = nu E_v / E_u follows. Edges of 2D rest data are in the frame, (u, v) in m.
 *
 * Degenerate: a triangle that is folded to a line or a point has rows without gradient. What other
 * rows can do is done, see ELEMENT_RIDGE and ELEMENT_FLOOR; diagnostics count it. There is no
 * inversion in space.
 */
#include "kernel/element.h"

#include <string.h>

typedef struct xpbd_triangle {
    vf4 p[3], u, v;
    vf b[4]; /* b_1u, b_1v, b_2u, b_2v */
} xpbd_triangle;

XPBD_INLINE void columns(const xpbd_lanes *at, const float *array, xpbd_triangle *t)
{
    t->p[0] = corner(at, array, 0);
    t->p[1] = corner(at, array, 1);
    t->p[2] = corner(at, array, 2);
    const vf4 e1 = minus(t->p[1], t->p[0]), e2 = minus(t->p[2], t->p[0]);
    t->u = plus(times(e1, t->b[0]), times(e2, t->b[2]));
    t->v = plus(times(e1, t->b[1]), times(e2, t->b[3]));
}

/* The lower triangle of sum of w grad C grad C, with W_uu, W_uv, W_vv. */
XPBD_INLINE void system_of(const xpbd_triangle *t, vf uu, vf vv, vf uv, vf (*A)[XPBD_ROWS_MAX])
{
    const vf *b = t->b, w0 = t->p[0].w, w1 = t->p[1].w, w2 = t->p[2].w;
    const vf b0u = v_add(b[0], b[2]), b0v = v_add(b[1], b[3]);
    const vf W_uu = v_add(v_add(v_mul(w1, v_mul(b[0], b[0])), v_mul(w2, v_mul(b[2], b[2]))),
                          v_mul(w0, v_mul(b0u, b0u)));
    const vf W_uv = v_add(v_add(v_mul(w1, v_mul(b[0], b[1])), v_mul(w2, v_mul(b[2], b[3]))),
                          v_mul(w0, v_mul(b0u, b0v)));
    const vf W_vv = v_add(v_add(v_mul(w1, v_mul(b[1], b[1])), v_mul(w2, v_mul(b[3], b[3]))),
                          v_mul(w0, v_mul(b0v, b0v)));
    const vf twice = v_mul(v_set(2.0f), v_mul(W_uv, uv));
    const vf part = v_set(ELEMENT_FLOOR);
    A[0][0] = v_mul(W_uu, v_max(uu, part));
    A[1][0] = v_mul(W_uv, uv);
    A[1][1] = v_mul(W_vv, v_max(vv, part));
    A[2][0] = v_add(v_mul(W_uu, uv), v_mul(W_uv, uu));
    A[2][1] = v_add(v_mul(W_uv, vv), v_mul(W_vv, uv));
    A[2][2] = v_max(v_add(v_add(v_mul(W_uu, vv), v_mul(W_vv, uu)), twice),
                    v_mul(v_add(W_uu, W_vv), part));
}

/* Turn A and r into those of eq. 26. */
XPBD_INLINE void damp(const xpbd_lanes *at, const xpbd_triangle *t, vf (*A)[XPBD_ROWS_MAX], vf *r)
{
    xpbd_triangle before = *t;
    columns(at, at->store->previous, &before);
    const vf gamma = element_gamma(at), more = v_add(v_set(1.0f), gamma);
    const vf4 u = minus(t->u, before.u), v = minus(t->v, before.v);
    r[0] = v_sub(r[0], v_mul(gamma, dot(t->u, u)));
    r[1] = v_sub(r[1], v_mul(gamma, dot(t->v, v)));
    r[2] = v_sub(r[2], v_mul(gamma, v_add(dot(t->u, v), dot(t->v, u))));
    XPBD_UNROLL
    for (int i = 0; i < 3; i++) {
        XPBD_UNROLL
        for (int j = 0; j <= i; j++) {
            A[i][j] = v_mul(more, A[i][j]);
        }
    }
}

XPBD_INLINE void lanes(const xpbd_lanes *at, unsigned variant)
{
    xpbd_triangle t;
    XPBD_UNROLL
    for (int k = 0; k < 4; k++) {
        t.b[k] = lanes_rest(at, k);
    }
    columns(at, at->store->position, &t);
    const vf uu = dot(t.u, t.u), vv = dot(t.v, t.v), uv = dot(t.u, t.v);
    const vf half = v_set(0.5f), one = v_set(1.0f), zero = v_set(0.0f), noise = lanes_rest(at, 8);
    const vf a_uu = element_alpha(at, lanes_rest(at, 4)), a_uv = v_mul(a_uu, lanes_rest(at, 5));
    const vf a_vv = v_mul(a_uu, lanes_rest(at, 6)), a_g = v_mul(a_uu, lanes_rest(at, 7));
    const vf lambda[3] = {lanes_lambda(at, 0, variant), lanes_lambda(at, 1, variant),
                          lanes_lambda(at, 2, variant)};
    vf A[3][XPBD_ROWS_MAX],
        r[3] = {over_noise(v_mul(half, v_sub(uu, one)), noise),
                over_noise(v_mul(half, v_sub(vv, one)), noise), over_noise(uv, noise)};
    r[0] = v_sub(zero, v_add(r[0], v_add(v_mul(a_uu, lambda[0]), v_mul(a_uv, lambda[1]))));
    r[1] = v_sub(zero, v_add(r[1], v_add(v_mul(a_uv, lambda[0]), v_mul(a_vv, lambda[1]))));
    r[2] = v_sub(zero, v_add(r[2], v_mul(a_g, lambda[2])));
    system_of(&t, uu, vv, uv, A);
    if (variant & XPBD_VARIANT_DAMPED) {
        damp(at, &t, A, r);
    }
    const vf ridge = v_set(ELEMENT_RIDGE);
    A[0][0] = v_add(v_mul(ridge, A[0][0]), a_uu);
    A[1][0] = v_add(A[1][0], a_uv);
    A[1][1] = v_add(v_mul(ridge, A[1][1]), a_vv);
    A[2][2] = v_add(v_mul(ridge, A[2][2]), a_g);
    block_solve(3, A, r);
    XPBD_UNROLL
    for (int row = 0; row < 3; row++) {
        r[row] = lanes_soften(at, r[row], variant);
        lanes_add_lambda(at, row, lambda[row], r[row], variant);
    }
    const vf4 P_u = plus(times(t.u, r[0]), times(t.v, r[2]));
    const vf4 P_v = plus(times(t.u, r[2]), times(t.v, r[1]));
    const vf4 g1 = plus(times(P_u, t.b[0]), times(P_v, t.b[1]));
    const vf4 g2 = plus(times(P_u, t.b[2]), times(P_v, t.b[3]));
    const vf4 d0 = times(plus(g1, g2), v_sub(zero, t.p[0].w));
    const vf4 d1 = times(g1, t.p[1].w), d2 = times(g2, t.p[2].w);
    lanes_move(at, 3, 0, t.p[0], d0.x, d0.y, d0.z, variant);
    lanes_move(at, 3, 1, t.p[1], d1.x, d1.y, d1.z, variant);
    lanes_move(at, 3, 2, t.p[2], d2.x, d2.y, d2.z, variant);
}

XPBD_PROJECT_LONG_LANES(tri_fem);

#if XPBD_DESCRIBE

enum { RATIO = 4, NU = 5, SHEAR = 6 };

/* B and the area of rest edges. */
static double inverse_of(const float *rest, double *b)
{
    const double e1u = (double)rest[0], e1v = (double)rest[1];
    const double e2u = (double)rest[2], e2v = (double)rest[3];
    const double determinant = e1u * e2v - e1v * e2u;
    b[0] = e2v / determinant;
    b[1] = -e2u / determinant;
    b[2] = -e1v / determinant;
    b[3] = e1u / determinant;
    return 0.5 * determinant;
}

static bool measure(const double (*x)[3], const float *rest, double *C, double (*gradient)[3])
{
    double b[4], u[3], v[3], uu = 0.0, vv = 0.0, uv = 0.0;
    inverse_of(rest, b);
    for (int c = 0; c < 3; c++) {
        const double e1 = x[1][c] - x[0][c], e2 = x[2][c] - x[0][c];
        u[c] = e1 * b[0] + e2 * b[2];
        v[c] = e1 * b[1] + e2 * b[3];
        uu += u[c] * u[c];
        vv += v[c] * v[c];
        uv += u[c] * v[c];
    }
    C[0] = 0.5 * (uu - 1.0);
    C[1] = 0.5 * (vv - 1.0);
    C[2] = uv;
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 2; k++) {
            gradient[k + 1][c] = b[2 * k] * u[c];
            gradient[k + 4][c] = b[2 * k + 1] * v[c];
            gradient[k + 7][c] = b[2 * k] * v[c] + b[2 * k + 1] * u[c];
        }
        for (int row = 0; row < 9; row += 3) {
            gradient[row][c] = -gradient[row + 1][c] - gradient[row + 2][c];
        }
    }
    return uu > 0.0 && vv > 0.0;
}

/* The triangle laid into its plane, warp along edge 1. Isotropic where nobody says, with Poisson's
 * ratio 0.3. */
static void rest_of(const float (*x)[3], float *rest)
{
    double e1[3], e2[3], square = 0.0, along = 0.0, area = 0.0;
    for (int c = 0; c < 3; c++) {
        e1[c] = (double)(x[1][c] - x[0][c]);
        e2[c] = (double)(x[2][c] - x[0][c]);
        square += e1[c] * e1[c];
        along += e1[c] * e2[c];
    }
    for (int c = 0; c < 3; c++) {
        const int m = (c + 1) % 3, n = (c + 2) % 3;
        const double normal = e1[m] * e2[n] - e1[n] * e2[m];
        area += normal * normal;
    }
    const double length = sqrt(square);
    rest[0] = (float)length;
    rest[1] = 0.0f;
    rest[2] = length > 0.0 ? (float)(along / length) : 0.0f;
    rest[3] = length > 0.0 ? (float)(sqrt(area) / length) : 0.0f;
    rest[RATIO] = 1.0f;
    rest[NU] = 0.3f;
    rest[SHEAR] = 1.0f / 2.6f;
}

static uint32_t rest_fault(const float *rest)
{
    const double e1u = (double)rest[0], e1v = (double)rest[1];
    const double e2u = (double)rest[2], e2v = (double)rest[3];
    const double edges = sqrt((e1u * e1u + e1v * e1v) * (e2u * e2u + e2v * e2v));
    /* An area that floats do not tell from none, or on the wrong side. */
    if (!(e1u * e2v - e1v * e2u > 1e-6 * edges && edges > (double)FLT_MIN)) {
        return 0;
    }
    if (!(rest[RATIO] > 0.0f)) {
        return RATIO;
    }
    /* nu_uv nu_vu < 1 */
    if (!((double)rest[NU] * (double)rest[NU] * (double)rest[RATIO] < 1.0)) {
        return NU;
    }
    return rest[SHEAR] > 0.0f ? SHEAR + 1 : SHEAR;
}

static void compliance(const float *rest, double *matrix)
{
    double b[4];
    const double area = inverse_of(rest, b);
    memset(matrix, 0, 9 * sizeof *matrix);
    matrix[0] = 1.0 / area;
    matrix[1] = matrix[3] = -(double)rest[NU] / area;
    matrix[4] = 1.0 / ((double)rest[RATIO] * area);
    matrix[8] = 1.0 / ((double)rest[SHEAR] * area);
}

static void pack(const float *rest, float *packed)
{
    double b[4];
    const double area = inverse_of(rest, b);
    for (int k = 0; k < 4; k++) {
        packed[k] = (float)b[k];
    }
    packed[4] = (float)(1.0 / area);
    packed[5] = -rest[NU];
    packed[6] = 1.0f / rest[RATIO];
    packed[7] = 1.0f / rest[SHEAR];
    packed[8] = element_noise(rest, b, 2);
}

extern const xpbd_constraint_ops xpbd_ops_tri_fem;
const xpbd_constraint_ops xpbd_ops_tri_fem = {.measure = measure,
                                              .rest_of = rest_of,
                                              .rest_fault = rest_fault,
                                              .pack = pack,
                                              .n_packed = 9,
                                              .compliance = compliance};

#endif
