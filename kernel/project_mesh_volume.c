/* SPDX-License-Identifier: MIT
 *
 * mesh_volume: C = V - k V0 for a closed mesh, a balloon, with one lambda. V = 1/6 sum a . (b x c)
 * over its triangles, V0 the rest volume, k the pressure factor. Compliance V0 / kappa in m^5/N,
 * kappa being the bulk modulus of what is inside; lambda / dt^2 is the pressure in N/m^2. [PBD07]
 * (cloth balloons, there without the 1/6), [XPBD16] sec. 6.5.
 *
 * All positions are taken relative to the first vertex: products of coordinates far from the origin
 * would cancel. With the normal N = (b - a) x (c - a) of a triangle, V is 1/6 sum a . N, and on a
 * closed surface the gradient at a vertex is 1/6 of the sum of N over its triangles (the edges of
 * its ring drop out). So a triangle leaves one vector, not three.
 *
 *     points      x relative to the first                              -> point_scratch[0]
 *     triangles   N, sum of a . N                                      -> element_scratch
 *     points      sum of N over the triangles of a vertex, in rising order -> point_scratch[1]
 *     points      sum of w g^2, of g (x - x^n); then d_lambda, and x += w g d_lambda
 *
 * Speed: per triangle, on one core and aos4, scalar 6.0 ns, sse2 3.7, avx2 3.0, avx512 2.8: 2.0 and
 * 2.2 times. A good 40 % of the last is the sum over a vertex's triangles, one 16-byte addition per
 * corner whatever the width, and most of the rest is gathering corners 16 bytes at a time.
 *
 * Degenerate: a mesh fallen onto a point or a line has no gradient, one without a movable vertex at
 * alpha 0 no denominator; nothing moves then. A flat mesh has a gradient; an inverted one comes
 * back, as V is signed.
 */
#include "kernel/units.h"

#include <float.h>

static const float sixth = 1.0f / 6.0f;

/* N of a triangle with edges d and e from its first corner. */
XPBD_INLINE vf4 normal(vf4 d, vf4 e)
{
    return (vf4){v_sub(v_mul(d.y, e.z), v_mul(d.z, e.y)), v_sub(v_mul(d.z, e.x), v_mul(d.x, e.z)),
                 v_sub(v_mul(d.x, e.y), v_mul(d.y, e.x)), v_set(0.0f)};
}

static void read_points(const xpbd_unit *at)
{
    const xpbd_store *store = at->store;
    const uint32_t *id = at->units->point;
    const float *first = store->position + id[at->point];
    vf o[3];
    for (uint32_t c = 0; c < 3; c++) {
        o[c] = v_set(first[c * store->plane]);
    }
    for (size_t i = at->point; i < at->point_end; i += XPBD_WIDTH) {
        const vf4 p = point_load(store, store->position, id + i);
        const vf4 x = {v_sub(p.x, o[0]), v_sub(p.y, o[1]), v_sub(p.z, o[2]), p.w};
        p_store(at->units->point_scratch[0] + 4 * i, x);
    }
}

/* Leaves N of all triangles and returns 6 V. */
static float measure_triangles(const xpbd_unit *at)
{
    const float *x = at->units->point_scratch[0] + 4 * at->point;
    uint32_t *const *corner = at->units->corner;
    xpbd_sum volume = sum_zero();
    for (size_t group = at->lane; group < at->end; group += XPBD_GROUP) {
        for (size_t part = 0; part < XPBD_PARTS; part++) {
            const size_t i = group + part * XPBD_WIDTH;
            const vp p = p_gather(x, corner[0] + i, 4);
            const vf4 a = p_components(p);
            const vf4 d = p_components(p_difference(p_gather(x, corner[1] + i, 4), p));
            const vf4 e = p_components(p_difference(p_gather(x, corner[2] + i, 4), p));
            const vf4 n = normal(d, e);
            p_store(at->units->element_scratch + 4 * i, n);
            volume.part[part] = v_add(volume.part[part], v_dot(a, n));
        }
    }
    return sum_fold(&volume);
}

static void gather_normals(const xpbd_unit *at)
{
    const float *n = at->units->element_scratch + 4 * at->lane;
    const uint32_t *first = at->units->first_use, *use = at->units->use;
    for (size_t i = at->point; i < at->point_end; i++) {
        q4 sum = q_zero();
        for (uint32_t k = first[i]; k < first[i + 1]; k++) {
            sum = q_add(sum, q_load(n + 4 * (size_t)use[k]));
        }
        q_store(at->units->point_scratch[1] + 4 * i, sum);
    }
}

/* 36 sum w |grad C|^2, and 6 grad C (x - x^n) in *rate. */
static float weigh_points(const xpbd_unit *at, float *rate, unsigned variant)
{
    xpbd_sum weight = sum_zero(), along = sum_zero();
    for (size_t group = at->point; group < at->point_end; group += XPBD_GROUP) {
        for (size_t part = 0; part < XPBD_PARTS; part++) {
            const size_t i = group + part * XPBD_WIDTH;
            const uint32_t *id = at->units->point + i;
            const vf4 g = p_load(at->units->point_scratch[1] + 4 * i);
            const vf4 x = p_load(at->units->point_scratch[0] + 4 * i);
            weight.part[part] = v_add(weight.part[part], v_mul(x.w, v_dot(g, g)));
            if (variant & XPBD_VARIANT_DAMPED) {
                const vf4 now = point_load(at->store, at->store->position, id);
                const vf4 before = point_load(at->store, at->store->previous, id);
                const vf4 d = {v_sub(now.x, before.x), v_sub(now.y, before.y),
                               v_sub(now.z, before.z), x.w};
                along.part[part] = v_add(along.part[part], v_dot(g, d));
            }
        }
    }
    *rate = sum_fold(&along);
    return sum_fold(&weight);
}

static void move_points(const xpbd_unit *at, float s, unsigned variant)
{
    const vf scale = v_set(s);
    for (size_t i = at->point; i < at->point_end; i += XPBD_WIDTH) {
        const vf4 g = p_load(at->units->point_scratch[1] + 4 * i);
        const vf4 p = point_load(at->store, at->store->position, at->units->point + i);
        const vf w = v_mul(p.w, scale);
        unit_move(at, i, p, (vf4){v_mul(w, g.x), v_mul(w, g.y), v_mul(w, g.z), v_set(0.0f)},
                  variant);
    }
}

static void unit(const xpbd_unit *at, unsigned variant)
{
    const xpbd_stream *stream = at->stream;
    const uint32_t slot = at->slot;
    const float alpha = stream->compliance[slot] * at->pass->inverse_dt2;
    const float lambda = variant & XPBD_VARIANT_FIRST ? 0.0f : stream->lambda[0][slot];
    float rate, gamma = 0.0f;
    if (variant & XPBD_VARIANT_DAMPED) {
        gamma = stream->damping[slot] * at->pass->inverse_dt;
    }
    read_points(at);
    const float volume = measure_triangles(at) * sixth;
    gather_normals(at);
    const float weight = weigh_points(at, &rate, variant) * (sixth * sixth);
    float numerator = (stream->rest[1][slot] * stream->rest[0][slot] - volume) - alpha * lambda;
    if (variant & XPBD_VARIANT_DAMPED) {
        numerator = numerator - gamma * (rate * sixth);
    }
    const float denominator = (1.0f + gamma) * weight + alpha;
    float d_lambda = denominator > FLT_MIN ? numerator / denominator : 0.0f;
    if (variant & XPBD_VARIANT_STIFF) {
        d_lambda = stream->stiffness[slot] * d_lambda;
    }
    const float share = variant & XPBD_VARIANT_ACCUMULATE ? stream->share[slot] : 1.0f;
    stream->lambda[0][slot] = lambda + share * d_lambda;
    move_points(at, sixth * d_lambda, variant);
}

XPBD_PROJECT_UNITS(mesh_volume);

#if XPBD_DESCRIBE

#include <math.h>
#include <string.h>

/* fit[0]: C. */
static bool fit(const xpbd_elements *elements, const float *rest, double fit[XPBD_FIT_MAX])
{
    double o[3] = {0}, volume = 0.0, area = 0.0;
    for (uint32_t e = 0; e < elements->n; e++) {
        double x[3][3];
        elements->read(elements, e, x, NULL);
        if (e == 0) {
            memcpy(o, x[0], sizeof o);
        }
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            const double n = (x[1][l] - x[0][l]) * (x[2][m] - x[0][m]) -
                             (x[1][m] - x[0][m]) * (x[2][l] - x[0][l]);
            volume += (x[0][k] - o[k]) * n;
            area += fabs(n);
        }
    }
    fit[0] = volume / 6.0 - (double)rest[1] * (double)rest[0];
    return area > 0.0;
}

static void element(const double fit[XPBD_FIT_MAX], const double (*x)[3], const float *element_rest,
                    double *C, double (*gradient)[3])
{
    (void)element_rest;
    C[0] = fit[0];
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        const double n =
            (x[1][l] - x[0][l]) * (x[2][m] - x[0][m]) - (x[1][m] - x[0][m]) * (x[2][l] - x[0][l]);
        gradient[0][k] = gradient[1][k] = gradient[2][k] = n / 6.0;
    }
}

/* As the kernel rounds it, so that the pose of which it is taken is at rest bit for bit. */
static void rest_of_elements(const xpbd_elements *elements, float *rest)
{
    xpbd_sum volume = sum_zero();
    float parts[XPBD_GROUP] = {0}, o[3] = {0};
    for (uint32_t e = 0; e < elements->n; e++) {
        double x[3][3];
        float r[3][3];
        elements->read(elements, e, x, NULL);
        for (int k = 0; k < 9; k++) {
            o[k % 3] = e == 0 && k < 3 ? (float)x[0][k] : o[k % 3];
            r[k / 3][k % 3] = (float)x[k / 3][k % 3] - o[k % 3];
        }
        const vf4 a = {r[0][0], r[0][1], r[0][2], 0.0f};
        const vf4 d = {r[1][0] - a.x, r[1][1] - a.y, r[1][2] - a.z, 0.0f};
        const vf4 s = {r[2][0] - a.x, r[2][1] - a.y, r[2][2] - a.z, 0.0f};
        parts[e % XPBD_GROUP] = parts[e % XPBD_GROUP] + v_dot(a, normal(d, s));
    }
    memcpy(volume.part, parts, sizeof parts);
    rest[0] = sum_fold(&volume) * sixth;
    rest[1] = 1.0f;
}

static uint32_t rest_fault(const float *rest)
{
    return rest[1] < 0.0f ? 1 : 2;
}

extern const xpbd_constraint_ops xpbd_ops_mesh_volume;
const xpbd_constraint_ops xpbd_ops_mesh_volume = {.fit = fit,
                                                  .element = element,
                                                  .rest_of_elements = rest_of_elements,
                                                  .closed = true,
                                                  .rest_fault = rest_fault};

#endif
