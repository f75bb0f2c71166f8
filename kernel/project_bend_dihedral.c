/* SPDX-License-Identifier: MIT
 *
 * bend_dihedral: C = theta - theta0 wrapped to (-pi, pi]; theta is the angle between the normals of
 * two triangles with a common edge: 0 flat, pi folded onto itself. Particles 0 and 1 are the wing
 * tips, 2 and 3 the hinge. Compliance in rad/(N m): 1/k of a hinge of k N m/rad. [XPBD16] eq. 18,
 * with damping eq. 26; Bridson, Marino, Fedkiw 2003 sec. 4 for the gradient. Not by acos ([PBD07]
 * sec. 4.1), whose derivative is infinite at 0 and pi and which rounding drives out of [-1, 1].
 *
 * With the hinge e = x3 - x2 of direction t, p = x0 - x2, q = x1 - x2, and all per hinge length:
 *
 *     m = t x p, n = q x t        normals; their lengths are the heights of the wings
 *     theta = atan2(t . (q x p), m . n)
 *     u = m / m^2, v = n / n^2    a, b: where along the hinge the wings are, p . e / e^2, q . e /
 * e^2 grad_0 = -u        grad_2 = (1 - a) u + (1 - b) v grad_1 = -v        grad_3 = a u + b v
 *
 * The sine is -n . p, exactly 0 where p and q have no coordinates along some axis: flat and folded
 * meshes are. Both tips may be pinned: the hinge still moves.
 *
 * Degenerate: no hinge, or a wing lower than 1e-6 of the lengths in it, has no direction to turn
 * to: nothing is divided, nothing moves, diagnostics count it. So it is with a tip 1e6 hinges away.
 * A sliver above that has a large gradient 1 / height, which moves it by C height: no more than it
 * should. All pinned at alpha 0: the denominator is 0 and nothing moves. Where only the hinge can
 * move, its gradient may vanish (folded onto itself, u = -v) and Newton's step grows without bound:
 * HINGE_FLOOR keeps it below 4 C heights. Free hinges of equal masses never come there.
 */
#include "kernel/project.h"

#include "base/simd_math.h"

#include <float.h>

/* Squared: heights below this part of the lengths are none. */
#define HINGE_FLAT 1e-12f
/* What part of the weight that one wing would have with all masses in its tip is the least. */
#define HINGE_FLOOR 0x1p-4f

typedef struct vf3 {
    vf x, y, z;
} vf3;

XPBD_INLINE vf3 minus(vf4 a, vf4 b)
{
    return (vf3){v_sub(a.x, b.x), v_sub(a.y, b.y), v_sub(a.z, b.z)};
}
XPBD_INLINE vf3 cross(vf3 a, vf3 b)
{
    return (vf3){v_sub(v_mul(a.y, b.z), v_mul(a.z, b.y)), v_sub(v_mul(a.z, b.x), v_mul(a.x, b.z)),
                 v_sub(v_mul(a.x, b.y), v_mul(a.y, b.x))};
}
XPBD_INLINE vf dot(vf3 a, vf3 b)
{
    return v_add(v_add(v_mul(a.x, b.x), v_mul(a.y, b.y)), v_mul(a.z, b.z));
}
XPBD_INLINE vf3 scaled(vf3 a, vf s)
{
    return (vf3){v_mul(a.x, s), v_mul(a.y, s), v_mul(a.z, s)};
}
XPBD_INLINE vf3 plus(vf3 a, vf3 b)
{
    return (vf3){v_add(a.x, b.x), v_add(a.y, b.y), v_add(a.z, b.z)};
}

typedef struct hinge {
    vf theta;
    vf3 u, v;
    vf a, b;
    vm good; /* has a gradient; u, v, a, b are 0 elsewhere */
} hinge;

XPBD_INLINE hinge hinge_of(vf4 x0, vf4 x1, vf4 x2, vf4 x3)
{
    hinge h;
    const vf3 e = minus(x3, x2), p = minus(x0, x2), q = minus(x1, x2);
    const vf ee = dot(e, e), pp = dot(p, p), qq = dot(q, q);
    const vf none = v_set(FLT_MIN), part = v_set(HINGE_FLAT);
    const vf inverse = v_div_where(v_gt(ee, none), v_set(1.0f), v_sqrt(ee));
    const vf3 t = scaled(e, inverse);
    const vf3 m = cross(t, p), n = cross(q, t);
    const vf mm = dot(m, m), nn = dot(n, n);
    h.theta = v_atan2(v_neg(dot(n, p)), dot(m, n));
    const vf product = v_mul(mm, nn);
    h.good =
        m_and(m_and(v_gt(product, none), v_gt(ee, v_mul(part, v_add(pp, qq)))),
              m_and(v_gt(mm, v_mul(part, v_add(ee, pp))), v_gt(nn, v_mul(part, v_add(ee, qq)))));
    const vf reciprocal = v_div_where(h.good, v_set(1.0f), product);
    h.u = scaled(m, v_mul(nn, reciprocal));
    h.v = scaled(n, v_mul(mm, reciprocal));
    h.a = v_mul(dot(p, t), inverse);
    h.b = v_mul(dot(q, t), inverse);
    return h;
}

/* Into (-pi, pi], exactly: -pi - pi + 2 pi is 0 in float too. */
XPBD_INLINE vf wrapped(vf C)
{
    const vf pi = v_set(0x1.921fb6p+1f), turn = v_set(0x1.921fb6p+2f);
    C = v_select(v_gt(C, pi), v_sub(C, turn), C);
    return v_select(v_gt(C, v_neg(pi)), C, v_add(C, turn));
}

/* grad C (x - x^n) */
XPBD_INLINE vf rate_of(const xpbd_lanes *at, const hinge *h, const vf4 *x)
{
    vf4 before[4];
    for (int i = 0; i < 4; i++) {
        before[i] = point_load(at->store, at->store->previous, lanes_id(at, i));
    }
    const vf one = v_set(1.0f), back = v_neg(one);
    const vf3 e = plus(minus(x[3], x[2]), scaled(minus(before[3], before[2]), back));
    const vf3 p = plus(minus(x[0], x[2]), scaled(minus(before[0], before[2]), back));
    const vf3 q = plus(minus(x[1], x[2]), scaled(minus(before[1], before[2]), back));
    return v_sub(dot(h->u, plus(scaled(e, h->a), scaled(p, back))),
                 dot(h->v, plus(q, scaled(e, v_neg(h->b)))));
}

XPBD_INLINE void lanes(const xpbd_lanes *at, unsigned variant)
{
    vf4 x[4];
    for (int i = 0; i < 4; i++) {
        x[i] = point_load(at->store, at->store->position, lanes_id(at, i));
    }
    const hinge h = hinge_of(x[0], x[1], x[2], x[3]);
    const vf one = v_set(1.0f);
    const vf3 g2 = plus(scaled(h.u, v_sub(one, h.a)), scaled(h.v, v_sub(one, h.b)));
    const vf3 g3 = plus(scaled(h.u, h.a), scaled(h.v, h.b));
    const vf uu = dot(h.u, h.u), vv = dot(h.v, h.v);
    vf weight = v_add(v_mul(x[0].w, uu), v_mul(x[1].w, vv));
    weight = v_add(weight, v_add(v_mul(x[2].w, dot(g2, g2)), v_mul(x[3].w, dot(g3, g3))));
    const vf all = v_add(v_add(x[0].w, x[1].w), v_add(x[2].w, x[3].w));
    weight = v_max(weight, v_mul(v_mul(v_set(HINGE_FLOOR), all), v_min(uu, vv)));

    const vf alpha = lanes_alpha(at), lambda = lanes_lambda(at, 0, variant);
    const vf C = wrapped(v_sub(h.theta, lanes_rest(at, 0)));
    vf numerator = v_sub(v_neg(C), v_mul(alpha, lambda));
    if (variant & XPBD_VARIANT_DAMPED) {
        const vf gamma = lanes_gamma(at);
        numerator = v_sub(numerator, v_mul(gamma, rate_of(at, &h, x)));
        weight = v_mul(v_add(one, gamma), weight);
    }
    const vf denominator = v_add(weight, alpha);
    const vm movable = m_and(h.good, v_gt(denominator, v_set(FLT_MIN)));
    const vf ratio = v_div_where(movable, numerator, denominator);
    const vf s = lanes_soften(at, ratio, variant);
    lanes_add_lambda(at, 0, lambda, s, variant);

    const vf3 g[4] = {scaled(h.u, v_set(-1.0f)), scaled(h.v, v_set(-1.0f)), g2, g3};
    for (int i = 0; i < 4; i++) {
        const vf3 d = scaled(g[i], v_mul(x[i].w, s));
        lanes_move(at, 4, i, x[i], d.x, d.y, d.z, variant);
    }
}

XPBD_PROJECT_LONG_LANES(bend_dihedral);

#if XPBD_DESCRIBE

#include <math.h>
#include <string.h>

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static void cross3(const double *a, const double *b, double *out)
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

static bool measure(const double (*x)[3], const float *rest, double *C, double (*gradient)[3])
{
    const double pi = 3.14159265358979323846;
    double e[3], p[3], q[3], m[3], n[3];
    for (int k = 0; k < 3; k++) {
        e[k] = x[3][k] - x[2][k];
        p[k] = x[0][k] - x[2][k];
        q[k] = x[1][k] - x[2][k];
    }
    cross3(e, p, m);
    cross3(q, e, n);
    const double ee = dot3(e, e), mm = dot3(m, m), nn = dot3(n, n);
    const double theta = atan2(-sqrt(ee) * dot3(n, p), dot3(m, n));
    *C = theta - (double)rest[0];
    *C = *C > pi ? *C - 2.0 * pi : *C;
    *C = *C > -pi ? *C : *C + 2.0 * pi;
    const double pp = dot3(p, p), qq = dot3(q, q), part = (double)HINGE_FLAT;
    const bool good =
        ee > part * (pp + qq) && mm > part * ee * (ee + pp) && nn > part * ee * (ee + qq);
    memset(gradient, 0, 4 * sizeof *gradient);
    for (int k = 0; k < 3 && good; k++) {
        const double u = sqrt(ee) * m[k] / mm, v = sqrt(ee) * n[k] / nn;
        const double a = dot3(p, e) / ee, b = dot3(q, e) / ee;
        gradient[0][k] = -u;
        gradient[1][k] = -v;
        gradient[2][k] = (1.0 - a) * u + (1.0 - b) * v;
        gradient[3][k] = a * u + b * v;
    }
    return good;
}

/* With the kernel's own functions, which are plain C in this build: a pose is at rest bit for bit
 * at the angle taken of it. */
static void rest_of(const float (*x)[3], float *rest)
{
    vf4 p[4];
    for (int i = 0; i < 4; i++) {
        p[i] = (vf4){x[i][0], x[i][1], x[i][2], 0.0f};
    }
    rest[0] = hinge_of(p[0], p[1], p[2], p[3]).theta;
}

static uint32_t rest_fault(const float *rest)
{
    return fabsf(rest[0]) <= 0x1.921fb6p+1f ? 1 : 0;
}

extern const xpbd_constraint_ops xpbd_ops_bend_dihedral;
const xpbd_constraint_ops xpbd_ops_bend_dihedral = {
    .measure = measure, .rest_of = rest_of, .rest_fault = rest_fault};

#endif
