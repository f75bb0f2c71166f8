/* SPDX-License-Identifier: MIT
 *
 * tie_triangle: C = x0 - (b1 x1 + b2 x2 + b3 x3), three rows: particle 0 is tied to a point of the
 * triangle of the other three. grad_0 = 1, grad_i = -b_i. Rest data are the three barycentric
 * weights. Compliance in m/N. [XPBD16] eq. 18 and 26. Arithmetic and degenerate cases: tie.h. The
 * rest data of a pose are those of the closest point of the triangle; in a triangle without area
 * that is the closest point of its edges.
 */
#include "kernel/tie.h"

XPBD_INLINE void lanes(const xpbd_lanes *at, unsigned variant)
{
    tie_lanes(at, 3, variant);
}

XPBD_PROJECT_LANES(tie_triangle);

#if XPBD_DESCRIBE

static bool measure(const double (*x)[3], const float *rest, double *C, double (*gradient)[3])
{
    return tie_measure(x, rest, 3, C, gradient);
}

/* Weights of corners 2 and 3 where the plane of the triangle comes closest; false where that is
 * outside, or nowhere. */
static bool closest_inside(const float (*x)[3], double *v, double *w)
{
    double uu = 0.0, uv = 0.0, vv = 0.0, ud = 0.0, td = 0.0;
    for (int k = 0; k < 3; k++) {
        const double u = (double)x[2][k] - (double)x[1][k], t = (double)x[3][k] - (double)x[1][k];
        const double p = (double)x[0][k] - (double)x[1][k];
        uu += u * u;
        uv += u * t;
        vv += t * t;
        ud += u * p;
        td += t * p;
    }
    const double det = uu * vv - uv * uv;
    *v = (vv * ud - uv * td) / det;
    *w = (uu * td - uv * ud) / det;
    return det > 1e-12 * uu * vv && *v >= 0.0 && *w >= 0.0 && *v + *w <= 1.0;
}

static void closest_on_edges(const float (*x)[3], float *rest)
{
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        const int a = i, b = (i + 1) % 3;
        const double t = tie_closest(x[0], x[1 + a], x[1 + b]);
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            const double d =
                (double)x[0][k] - (1.0 - t) * (double)x[1 + a][k] - t * (double)x[1 + b][k];
            square += d * d;
        }
        if (square < least) {
            least = square;
            rest[b] = (float)t;
            rest[a] = 1.0f - rest[b];
            rest[(i + 2) % 3] = 0.0f;
        }
    }
}

static void rest_of(const float (*x)[3], float *rest)
{
    double v, w;
    if (closest_inside(x, &v, &w)) {
        rest[0] = (float)(1.0 - v - w);
        rest[1] = (float)v;
        rest[2] = (float)w;
    } else {
        rest[0] = rest[1] = rest[2] = 0.0f;
        closest_on_edges(x, rest);
    }
}

static uint32_t rest_fault(const float *rest)
{
    return tie_rest_fault(rest, 3);
}

static void settle(float (*x)[3])
{
    for (int k = 0; k < 3; k++) {
        x[0][k] = 0.25f * x[1][k] + 0.25f * x[2][k] + 0.5f * x[3][k];
    }
}

extern const xpbd_constraint_ops xpbd_ops_tie_triangle;
const xpbd_constraint_ops xpbd_ops_tie_triangle = {
    .measure = measure, .rest_of = rest_of, .settle = settle, .rest_fault = rest_fault};

#endif
