/* SPDX-License-Identifier: MIT
 *
 * tet_volume: C = V - V0 with V = (x1 - x0) . ((x2 - x0) x (x3 - x0)) / 6, signed.
 * grad_1 = (x2 - x0) x (x3 - x0) / 6, grad_2 and grad_3 by turning 1 2 3, grad_0 = -(their sum).
 * Compliance in m^5/N; of a material V0 / kappa with the bulk modulus kappa.
 * [PBD07] sec. 4.3, there with six times V; [XPBD16] eq. 18, with damping eq. 26.
 *
 *     paper    alpha~ = alpha / dt^2    gamma    d_lambda
 *     here     alpha                    gamma    6 s
 *
 * V is signed, so an inverted element is one whose volume is too small, and comes back: with |V|
 * instead -V0 would be at rest. A tetrahedron listed with the other winding has a negative V0 and
 * is as good. All is taken relative to corner 0: products of world coordinates would cancel.
 *
 * Flat elements have a gradient. Towards a line it vanishes, and a Newton step there is as long as
 * the gradient is short. So sum w |grad C|^2 counts for no less than at a thousandth of what it is
 * in a compact element at rest (the floor): steps are shorter than some 30 edges then, along
 * the same direction. On a line or a point there is no direction, and nothing moves; diagnostics
 * count it. The floor is a power of V0, not a length: scenes in millimetres are as good as in
 * metres.
 *
 * Speed, in colour order: 5 times the scalar kernel with 16 lanes on aos4, 3.7 times with 8. On soa
 * it is 1.9 and 1.6 times, for 16 gathers and 12 scatters of single floats per lane take longer
 * than all the arithmetic. Two pipeline stages would keep 28 registers from one to the other; they
 * were a tenth slower. Loops over the corners are written out: compilers keep such loops, and
 * arrays in memory.
 */
#include "kernel/element.h"

#define SIXTH (1.0f / 6.0f)

/* 6 grad C (x - x^n), but for the sixth. */
XPBD_INLINE vf rate(const xpbd_lanes *at, const vf4 e[4], const vf4 g[4])
{
    const vf4 before = corner(at, at->store->previous, 0);
    vf sum = v_set(0.0f);
    for (int k = 1; k < 4; k++) {
        const vf4 p = corner(at, at->store->previous, k);
        sum = v_add(sum, dot(g[k], minus(e[k], minus(p, before))));
    }
    return sum;
}

XPBD_INLINE void move(const xpbd_lanes *at, int k, vf4 p, vf4 g, vf s, unsigned variant)
{
    const vf t = v_mul(p.w, s);
    lanes_move(at, 4, k, p, v_mul(t, g.x), v_mul(t, g.y), v_mul(t, g.z), variant);
}

XPBD_INLINE void lanes(const xpbd_lanes *at, unsigned variant)
{
    const vf4 p[4] = {corner(at, at->store->position, 0), corner(at, at->store->position, 1),
                      corner(at, at->store->position, 2), corner(at, at->store->position, 3)};
    const vf4 e[4] = {p[0], minus(p[1], p[0]), minus(p[2], p[0]), minus(p[3], p[0])};
    vf4 g[4];
    g[1] = cross(e[2], e[3]);
    g[2] = cross(e[3], e[1]);
    g[3] = cross(e[1], e[2]);
    const vf zero = v_set(0.0f), sixth = v_set(SIXTH);
    g[0] = (vf4){v_sub(zero, v_add(v_add(g[1].x, g[2].x), g[3].x)),
                 v_sub(zero, v_add(v_add(g[1].y, g[2].y), g[3].y)),
                 v_sub(zero, v_add(v_add(g[1].z, g[2].z), g[3].z)), zero};
    const vf alpha = lanes_alpha(at);
    const vf lambda = lanes_lambda(at, 0, variant);
    const vf volume = v_mul(dot(e[1], g[1]), sixth);
    vf numerator = v_sub(v_sub(lanes_rest(at, 0), volume), v_mul(alpha, lambda));
    const vf masses = v_add(v_add(p[0].w, p[1].w), v_add(p[2].w, p[3].w));
    vf weight = v_add(v_add(v_mul(p[0].w, dot(g[0], g[0])), v_mul(p[1].w, dot(g[1], g[1]))),
                      v_add(v_mul(p[2].w, dot(g[2], g[2])), v_mul(p[3].w, dot(g[3], g[3]))));
    weight = v_mul(weight, v_set(SIXTH * SIXTH));
    const vm movable = v_gt(v_add(weight, alpha), v_set(FLT_MIN));
    weight = v_max(weight, v_mul(masses, lanes_rest(at, 1)));
    if (variant & XPBD_VARIANT_DAMPED) {
        const vf gamma = element_gamma(at);
        numerator = v_sub(numerator, v_mul(gamma, v_mul(rate(at, e, g), sixth)));
        weight = v_mul(v_add(v_set(1.0f), gamma), weight);
    }
    const vf ratio = v_div_where(movable, numerator, v_add(weight, alpha));
    const vf d_lambda = lanes_soften(at, ratio, variant);
    lanes_add_lambda(at, 0, lambda, d_lambda, variant);
    const vf s = v_mul(d_lambda, sixth);
    move(at, 0, p[0], g[0], s, variant);
    move(at, 1, p[1], g[1], s, variant);
    move(at, 2, p[2], g[2], s, variant);
    move(at, 3, p[3], g[3], s, variant);
}

XPBD_PROJECT_LANES(tet_volume);

#if XPBD_DESCRIBE

#include <math.h>

static bool measure(const double (*x)[3], const float *rest, double *C, double (*gradient)[3])
{
    double e[4][3], square_gradient = 0.0, square_edge = 0.0, volume = 0.0;
    for (int k = 0; k < 3; k++) {
        for (int j = 1; j < 4; j++) {
            e[j][k] = x[j][k] - x[0][k];
            square_edge += e[j][k] * e[j][k];
        }
    }
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        gradient[0][k] = 0.0;
        for (int j = 1; j < 4; j++) {
            const double *f = e[j % 3 + 1], *g = e[(j + 1) % 3 + 1];
            gradient[j][k] = (f[a] * g[b] - f[b] * g[a]) / 6.0;
            gradient[0][k] -= gradient[j][k];
            square_gradient += gradient[j][k] * gradient[j][k];
        }
        volume += e[1][k] * gradient[1][k];
    }
    *C = volume - (double)rest[0];
    /* On one line, to the precision of a float. */
    return square_gradient > 1e-14 * square_edge * square_edge;
}

/* Rounded as the kernel rounds a volume, so that the pose of which it is taken is at rest bit for
 * bit. */
static void rest_of(const float (*x)[3], float *rest)
{
    float e[4][3], g[3];
    for (int j = 1; j < 4; j++) {
        for (int k = 0; k < 3; k++) {
            e[j][k] = x[j][k] - x[0][k];
        }
    }
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        g[k] = e[2][a] * e[3][b] - e[2][b] * e[3][a];
    }
    rest[0] = (e[1][0] * g[0] + e[1][1] * g[1] + e[1][2] * g[2]) * SIXTH;
}

/* A volume of 0 is no element, and no unit of the floor. */
static uint32_t rest_fault(const float *rest)
{
    return rest[0] > 0.0f || rest[0] < 0.0f ? 1 : 0;
}

/* |V0|^(4/3) / 1024, with a cube root by Newton's method: the bits of the library's own would
 * depend on the library. In a regular tetrahedron |grad C|^2 of a corner is 0.36 V^(4/3). */
static void pack(const float *rest, float *packed)
{
    const double volume = fabs((double)rest[0]);
    double root = 1.0;
    while (root * root * root > 8.0 * volume) {
        root *= 0.5;
    }
    while (8.0 * root * root * root < volume) {
        root *= 2.0;
    }
    for (int k = 0; k < 8; k++) {
        root = (2.0 * root + volume / (root * root)) / 3.0;
    }
    packed[0] = rest[0];
    packed[1] = (float)(volume * root / 1024.0);
}

extern const xpbd_constraint_ops xpbd_ops_tet_volume;
const xpbd_constraint_ops xpbd_ops_tet_volume = {
    .measure = measure, .rest_of = rest_of, .rest_fault = rest_fault, .pack = pack, .n_packed = 2};

#endif
