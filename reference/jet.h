/* SPDX-License-Identifier: MIT
 *
 * Numbers that carry their first and second derivatives: forward differentiation in up to 12
 * variables, the coordinates of four particles. A formula written in them has an exact gradient and
 * Hessian that nobody derived by hand, which is what makes it fit to judge those that were.
 */
#ifndef XPBD_REFERENCE_JET_H
#define XPBD_REFERENCE_JET_H

#include <math.h>
#include <stdbool.h>

enum { REF_JET_VARIABLES = 12, REF_JET_PAIRS = 78 };

/** n variables; d and h are 0 beyond them. h[i (i + 1) / 2 + j], j <= i, is d2v / di dj; all 0
 *  unless it is curved. */
typedef struct ref_jet {
    int n;
    bool curved;
    double v, d[REF_JET_VARIABLES], h[REF_JET_PAIRS];
} ref_jet;

static inline ref_jet jet_constant(double v)
{
    return (ref_jet){.n = 0, .v = v};
}
/** Variable `index` of n. */
static inline ref_jet jet_variable(double v, int index, int n)
{
    ref_jet a = {.n = n, .v = v};
    a.d[index] = 1.0;
    return a;
}
/** f(a), of which first and second are the derivatives at a. */
static inline ref_jet jet_chain(ref_jet a, double value, double first, double second)
{
    a.curved = a.curved || second != 0.0;
    for (int i = 0, k = 0; i < a.n && a.curved; i++) {
        for (int j = 0; j <= i; j++, k++) {
            a.h[k] = first * a.h[k] + second * a.d[i] * a.d[j];
        }
    }
    for (int i = 0; i < a.n; i++) {
        a.d[i] *= first;
    }
    a.v = value;
    return a;
}
/** s a + t b */
static inline ref_jet jet_combine(double s, ref_jet a, double t, ref_jet b)
{
    const int n = a.n > b.n ? a.n : b.n;
    a.n = n;
    a.v = s * a.v + t * b.v;
    for (int i = 0; i < n; i++) {
        a.d[i] = s * a.d[i] + t * b.d[i];
    }
    a.curved = a.curved || b.curved;
    for (int k = 0; k < n * (n + 1) / 2 && a.curved; k++) {
        a.h[k] = s * a.h[k] + t * b.h[k];
    }
    return a;
}
static inline ref_jet jet_add(ref_jet a, ref_jet b)
{
    return jet_combine(1.0, a, 1.0, b);
}
static inline ref_jet jet_sub(ref_jet a, ref_jet b)
{
    return jet_combine(1.0, a, -1.0, b);
}
static inline ref_jet jet_scale(ref_jet a, double s)
{
    return jet_chain(a, s * a.v, s, 0.0);
}
static inline ref_jet jet_shift(ref_jet a, double s)
{
    a.v += s;
    return a;
}
static inline ref_jet jet_mul(ref_jet a, ref_jet b)
{
    ref_jet c = jet_combine(b.v, a, a.v, b);
    c.v = a.v * b.v;
    c.curved = true;
    for (int i = 0, k = 0; i < c.n; i++) {
        for (int j = 0; j <= i; j++, k++) {
            c.h[k] += a.d[i] * b.d[j] + a.d[j] * b.d[i];
        }
    }
    return c;
}
static inline ref_jet jet_sqrt(ref_jet a)
{
    const double root = sqrt(a.v);
    return jet_chain(a, root, 0.5 / root, -0.25 / (root * a.v));
}
static inline ref_jet jet_div(ref_jet a, ref_jet b)
{
    const double r = 1.0 / b.v;
    return jet_mul(a, jet_chain(b, r, -r * r, 2.0 * r * r * r));
}
/** The angle of (x, y). In axes turned by it, its tangent is 0, where the arc tangent has the
 *  derivatives 1 and 0. */
static inline ref_jet jet_atan2(ref_jet y, ref_jet x)
{
    const double angle = atan2(y.v, x.v), c = cos(angle), s = sin(angle);
    ref_jet across = jet_combine(c, y, -s, x);
    across.v = 0.0;
    return jet_shift(jet_div(across, jet_combine(c, x, s, y)), angle);
}

/** Three of them. */
typedef struct ref_jet3 {
    ref_jet c[3];
} ref_jet3;

static inline ref_jet3 jet3_combine(double s, const ref_jet3 *a, double t, const ref_jet3 *b)
{
    ref_jet3 r;
    for (int k = 0; k < 3; k++) {
        r.c[k] = jet_combine(s, a->c[k], t, b->c[k]);
    }
    return r;
}
static inline ref_jet3 jet3_sub(const ref_jet3 *a, const ref_jet3 *b)
{
    return jet3_combine(1.0, a, -1.0, b);
}
static inline ref_jet jet3_dot(const ref_jet3 *a, const ref_jet3 *b)
{
    return jet_add(jet_add(jet_mul(a->c[0], b->c[0]), jet_mul(a->c[1], b->c[1])),
                   jet_mul(a->c[2], b->c[2]));
}
static inline ref_jet3 jet3_cross(const ref_jet3 *a, const ref_jet3 *b)
{
    ref_jet3 r;
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        r.c[k] = jet_sub(jet_mul(a->c[l], b->c[m]), jet_mul(a->c[m], b->c[l]));
    }
    return r;
}

#endif
