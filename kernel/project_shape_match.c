/* SPDX-License-Identifier: MIT
 *
 * shape_match: C_i = x_i - g_i for every member of a cluster, three rows each, where the goals
 * g_i = c + T (r_i - r) are the rest shape r_i moved onto the members. T is a rotation R, or with
 * the stretch beta the blend (1 - beta) R + beta A / det(A)^(1/3) with the best linear map A.
 * Compliance in m/N, of every row. [SHAPE05]; rotations see rotation.h.
 *
 * The energy of a cluster is the least 1/2 sum |C_i|^2 / alpha over all c and R, so one projection
 * has to find x, c and R together. Without the constraint's own lambda member i would be at
 * z_i = x_i - w_i lambda_i; for given goals the best lambda_i is u_i (g_i - z_i) with
 * u_i = 1 / (w_i + alpha~), and putting that in, the goals are those that fit z with weights u_i.
 * At alpha 0 these are the masses, as in [SHAPE05]. Because the fit makes sum u (z - g) and
 * sum u (T r) x (z - g) vanish, linear and angular momentum are kept whatever masses, compliance
 * and iteration, which goals from x with weights m keep at alpha 0 only.
 *
 * Damping (eq. 26) would slow a turning cluster down if it looked at x - x^n. It looks at the shape
 * instead: the goals are those of the rest shape drawn by kappa = gamma / (1 + gamma) towards the
 * shape at the start of the substep, turned back by its own rotation, and alpha~ is divided by
 * 1 + gamma. In one dimension that is eq. 26; rigid motion is not damped at all.
 *
 * Pinned members at alpha 0 weigh 10000 times as much as the lightest one (and none weighs more):
 * goals meet one or two of them all but exactly, and lambda of a pinned member is what holds it.
 *
 * Steps: z, w (scratch 0: z; its w becomes u) | centres | moments A = sum u a b^T | T | move.
 * Everything is relative to the first member. At rest A is symmetric to the bit, so that T is the
 * identity and nothing moves.
 *
 * Speed: per member, on one core and aos4, in clusters of 256: scalar 13.9 ns, sse2 5.6, avx2 3.9,
 * avx512 3.0, which is 3.6 and 4.7 times; with 64 members 2.7 and 3.1 times, with 16 1.5 times.
 * Every instruction set pays 0.2 us per cluster for folding 16 sums and for the rotation.
 *
 * Degenerate: members on a line or in one place have many best rotations, see rotation.h. A flat
 * rest shape has no linear map, and an inverted one no root: both fall back on the rotation. With
 * all members pinned at alpha 0 nothing happens.
 */
#include "kernel/rotation.h"
#include "kernel/units.h"

#include <float.h>
#include <string.h>

#define HEAVIEST 1e-4f /* over the lightest */

typedef struct cluster {
    const xpbd_unit *at;
    vf origin[3], rest_origin[3]; /* of the first member */
    float center[3], rest[3];     /* relative to these */
    float moment[9];              /* sum u a_i b_j, a in x, b in the rest shape */
    float kappa;                  /* 0: not damped */
} cluster;

/* Numbers of XPBD_WIDTH members: 0 in pad lanes. */
XPBD_INLINE vf present(const xpbd_unit *at, size_t i, vf value)
{
    static const _Alignas(64) float index[XPBD_GROUP] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                         8, 9, 10, 11, 12, 13, 14, 15};
    const size_t left = at->point + at->n_points - (i - i % XPBD_GROUP);
    const float n = left < XPBD_GROUP ? (float)left : (float)XPBD_GROUP;
    return v_keep(v_gt(v_set(n), v_load(index + i % XPBD_GROUP)), value);
}

/* The shape to fit at lane i, relative to the first member; or to its centre where it is blended.
 */
XPBD_INLINE vf4 shape_at(const cluster *c, size_t i, unsigned variant)
{
    if (variant & XPBD_VARIANT_DAMPED) {
        return p_load(c->at->units->point_scratch[1] + 4 * i);
    }
    float *const *rest = c->at->units->element_rest;
    return (vf4){v_sub(v_load(rest[0] + i), c->rest_origin[0]),
                 v_sub(v_load(rest[1] + i), c->rest_origin[1]),
                 v_sub(v_load(rest[2] + i), c->rest_origin[2]), v_set(0.0f)};
}

/* z and u of all members. Returns false where no weight is a number to divide by. */
static bool read_members(const cluster *c, float alpha, unsigned variant)
{
    const xpbd_unit *at = c->at;
    const xpbd_store *store = at->store;
    float *const *lambda = at->stream->lambda;
    float *z = at->units->point_scratch[0];
    vf most = v_set(0.0f);
    for (size_t i = at->point; i < at->point_end; i += XPBD_WIDTH) {
        const vf4 p = point_load(store, store->position, at->units->point + i);
        vf4 r = {v_sub(p.x, c->origin[0]), v_sub(p.y, c->origin[1]), v_sub(p.z, c->origin[2]), p.w};
        if (!(variant & XPBD_VARIANT_FIRST)) {
            r.x = v_sub(r.x, v_mul(p.w, v_load(lambda[0] + i)));
            r.y = v_sub(r.y, v_mul(p.w, v_load(lambda[1] + i)));
            r.z = v_sub(r.z, v_mul(p.w, v_load(lambda[2] + i)));
        }
        most = v_max(most, p.w);
        p_store(z + 4 * i, r);
    }
    _Alignas(64) float w[XPBD_WIDTH];
    v_store(w, most);
    float lightest = w[0];
    for (int k = 1; k < XPBD_WIDTH; k++) {
        lightest = w[k] > lightest ? w[k] : lightest;
    }
    lightest = lightest + alpha;
    for (size_t i = at->point; i < at->point_end; i += XPBD_WIDTH) {
        vf4 r = p_load(z + 4 * i);
        const vf weight = v_max(v_add(r.w, v_set(alpha)), v_set(HEAVIEST * lightest));
        const vf u = v_div_where(v_gt(weight, v_set(FLT_MIN)), v_set(1.0f), weight);
        r.w = present(at, i, u);
        p_store(z + 4 * i, r);
    }
    return HEAVIEST * lightest > FLT_MIN;
}

/* Where a member is: z, or at the start of the substep; with u. */
XPBD_INLINE vf4 member_at(const cluster *c, size_t i, bool before)
{
    const xpbd_unit *at = c->at;
    const vf4 z = p_load(at->units->point_scratch[0] + 4 * i);
    if (!before) {
        return z;
    }
    const vf4 p = point_load(at->store, at->store->previous, at->units->point + i);
    return (vf4){v_sub(p.x, c->origin[0]), v_sub(p.y, c->origin[1]), v_sub(p.z, c->origin[2]), z.w};
}

XPBD_INLINE void add_weighted(xpbd_sum sum[3], size_t part, vf4 p, vf u)
{
    sum[0].part[part] = v_add(sum[0].part[part], v_mul(u, p.x));
    sum[1].part[part] = v_add(sum[1].part[part], v_mul(u, p.y));
    sum[2].part[part] = v_add(sum[2].part[part], v_mul(u, p.z));
}

/* Centres. A blended shape has the one of its rest shape at 0 and keeps it there. */
static void find_centers(cluster *c, bool before, unsigned variant)
{
    const xpbd_unit *at = c->at;
    xpbd_sum total = sum_zero(), x[3] = {total, total, total}, r[3] = {total, total, total};
    for (size_t group = at->point; group < at->point_end; group += XPBD_GROUP) {
        for (size_t part = 0; part < XPBD_PARTS; part++) {
            const size_t i = group + part * XPBD_WIDTH;
            const vf4 p = member_at(c, i, before);
            total.part[part] = v_add(total.part[part], p.w);
            add_weighted(x, part, p, p.w);
            if (!(variant & XPBD_VARIANT_DAMPED)) {
                add_weighted(r, part, shape_at(c, i, variant), p.w);
            }
        }
    }
    const float sum = sum_fold(&total);
    for (int k = 0; k < 3; k++) {
        c->center[k] = sum_fold(&x[k]) / sum;
        c->rest[k] = sum_fold(&r[k]) / sum;
    }
}

XPBD_INLINE vf4 relative(vf4 p, const float center[3])
{
    return (vf4){v_sub(p.x, v_set(center[0])), v_sub(p.y, v_set(center[1])),
                 v_sub(p.z, v_set(center[2])), p.w};
}

/* sum u (a_i b_j): symmetric to the bit where a = b. */
XPBD_INLINE void add_moment(xpbd_sum m[9], size_t part, vf4 a, vf4 b)
{
    const vf x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
    for (int k = 0; k < 9; k++) {
        m[k].part[part] = v_add(m[k].part[part], v_mul(a.w, v_mul(x[k / 3], y[k % 3])));
    }
}

static void find_moments(cluster *c, bool before, bool of_rest, unsigned variant)
{
    const xpbd_unit *at = c->at;
    xpbd_sum m[9];
    for (int k = 0; k < 9; k++) {
        m[k] = sum_zero();
    }
    for (size_t group = at->point; group < at->point_end; group += XPBD_GROUP) {
        for (size_t part = 0; part < XPBD_PARTS; part++) {
            const size_t i = group + part * XPBD_WIDTH;
            const vf4 p = member_at(c, i, before);
            const vf4 b = relative(shape_at(c, i, variant), c->rest);
            const vf4 a = of_rest ? (vf4){b.x, b.y, b.z, p.w} : relative(p, c->center);
            add_moment(m, part, a, b);
        }
    }
    for (int k = 0; k < 9; k++) {
        c->moment[k] = sum_fold(&m[k]);
    }
}

static void find_rotation(const cluster *c, double q[4], double R[3][3])
{
    double A[3][3];
    for (int k = 0; k < 9; k++) {
        A[k / 3][k % 3] = (double)c->moment[k];
    }
    xpbd_rotation_fit((const double(*)[3])A, q);
    xpbd_rotation_matrix(q, R);
}

XPBD_INLINE vf4 map(const float T[9], vf4 b)
{
    vf y[3];
    for (int k = 0; k < 3; k++) {
        y[k] = v_add(v_add(v_mul(v_set(T[3 * k]), b.x), v_mul(v_set(T[3 * k + 1]), b.y)),
                     v_mul(v_set(T[3 * k + 2]), b.z));
    }
    return (vf4){y[0], y[1], y[2], b.w};
}

/* The shape that damping wants, around its centre, to scratch 1. */
static void blend_shapes(cluster *c)
{
    const xpbd_unit *at = c->at;
    double R[3][3], q[4];
    float T[9]; /* R^T */
    find_centers(c, true, 0);
    find_moments(c, true, false, 0);
    for (int k = 0; k < 4; k++) {
        q[k] = at->units->state[4 * (size_t)at->slot + (size_t)k];
    }
    find_rotation(c, q, R);
    for (int k = 0; k < 9; k++) {
        T[k] = (float)R[k % 3][k / 3];
    }
    const vf kappa = v_set(c->kappa);
    for (size_t i = at->point; i < at->point_end; i += XPBD_WIDTH) {
        const vf4 b = relative(shape_at(c, i, 0), c->rest);
        const vf4 s = map(T, relative(member_at(c, i, true), c->center));
        const vf4 r = {v_add(b.x, v_mul(kappa, v_sub(s.x, b.x))),
                       v_add(b.y, v_mul(kappa, v_sub(s.y, b.y))),
                       v_add(b.z, v_mul(kappa, v_sub(s.z, b.z))), b.w};
        p_store(at->units->point_scratch[1] + 4 * i, r);
    }
}

static void find_map(cluster *c, float T[9], unsigned variant)
{
    const xpbd_unit *at = c->at;
    const float beta = at->stream->rest[0][at->slot];
    double R[3][3];
    find_rotation(c, at->units->state + 4 * (size_t)at->slot, R);
    if (beta > 0.0f) {
        double M[3][3], Q[3][3];
        for (int k = 0; k < 9; k++) {
            M[k / 3][k % 3] = (double)c->moment[k];
        }
        find_moments(c, false, true, variant);
        for (int k = 0; k < 9; k++) {
            Q[k / 3][k % 3] = (double)c->moment[k];
        }
        xpbd_rotation_blend((const double(*)[3])M, (const double(*)[3])Q, (double)beta, R);
    }
    for (int k = 0; k < 9; k++) {
        T[k] = (float)R[k / 3][k % 3];
    }
}

static void move_members(const cluster *c, const float T[9], unsigned variant)
{
    const xpbd_unit *at = c->at;
    const xpbd_stream *stream = at->stream;
    const vf zero = v_set(0.0f);
    const vf k = variant & XPBD_VARIANT_STIFF ? v_set(stream->stiffness[at->slot]) : v_set(1.0f);
    for (size_t i = at->point; i < at->point_end; i += XPBD_WIDTH) {
        const vf4 z = member_at(c, i, false), a = relative(z, c->center);
        const vf4 g = map(T, relative(shape_at(c, i, variant), c->rest));
        const vf4 p = point_load(at->store, at->store->position, at->units->point + i);
        const vf d[3] = {v_sub(g.x, a.x), v_sub(g.y, a.y), v_sub(g.z, a.z)};
        vf move[3];
        for (int row = 0; row < 3; row++) {
            float *place = stream->lambda[row] + i;
            const vf lambda = variant & XPBD_VARIANT_FIRST ? zero : v_load(place);
            const vf d_lambda = v_mul(k, v_sub(v_mul(z.w, d[row]), lambda));
            const vf share =
                variant & XPBD_VARIANT_ACCUMULATE ? v_load(stream->share + i) : v_set(1.0f);
            v_store(place, v_add(lambda, v_mul(share, d_lambda)));
            move[row] = v_mul(p.w, d_lambda);
        }
        unit_move(at, i, p, (vf4){move[0], move[1], move[2], zero}, variant);
    }
}

static void clear(const xpbd_unit *at, unsigned variant)
{
    const vf zero = v_set(0.0f);
    for (size_t i = at->point; i < at->point_end; i += XPBD_WIDTH) {
        for (int row = 0; row < 3 && variant & XPBD_VARIANT_FIRST; row++) {
            v_store(at->stream->lambda[row] + i, zero);
        }
        if (variant & XPBD_VARIANT_ACCUMULATE) {
            p_store(at->stream->correction + 4 * i, (vf4){zero, zero, zero, zero});
        }
    }
}

static void unit(const xpbd_unit *at, unsigned variant)
{
    const xpbd_store *store = at->store;
    cluster c = {.at = at};
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t place = at->units->point[at->point];
        c.origin[k] = v_set(store->position[place + k * store->plane]);
        c.rest_origin[k] = v_set(at->units->element_rest[k][at->point]);
    }
    float alpha = at->stream->compliance[at->slot] * at->pass->inverse_dt2;
    if (variant & XPBD_VARIANT_DAMPED) {
        const float gamma = at->stream->damping[at->slot] * at->pass->inverse_dt;
        c.kappa = gamma / (1.0f + gamma);
        alpha = alpha / (1.0f + gamma);
    }
    if (!read_members(&c, alpha, variant)) {
        clear(at, variant);
        return;
    }
    if (variant & XPBD_VARIANT_DAMPED) {
        blend_shapes(&c);
    }
    float T[9];
    find_centers(&c, false, variant);
    find_moments(&c, false, false, variant);
    find_map(&c, T, variant);
    move_members(&c, T, variant);
}

XPBD_PROJECT_UNITS(shape_match);

#if XPBD_DESCRIBE

/* fit[0 ... 2]: c, [3 ... 5]: centre of the rest shape, [6 ... 14]: T. All members weigh the same:
 * that is the pose of least energy, and where a solve ends. (With stretch and compliance both, the
 * solve ends where the goals fit z.) */
static bool fit(const xpbd_elements *elements, const float *rest, double fit[XPBD_FIT_MAX])
{
    double x[1][3], M[3][3] = {{0}}, Q[3][3] = {{0}}, T[3][3];
    double q[4] = {1.0, 0.0, 0.0, 0.0};
    float r[3];
    memset(fit, 0, XPBD_FIT_MAX * sizeof *fit);
    for (uint32_t e = 0; e < elements->n; e++) {
        elements->read(elements, e, x, r);
        for (int k = 0; k < 3; k++) {
            fit[k] += x[0][k] / elements->n;
            fit[3 + k] += (double)r[k] / elements->n;
        }
    }
    for (uint32_t e = 0; e < elements->n; e++) {
        elements->read(elements, e, x, r);
        for (int k = 0; k < 9; k++) {
            const double b = (double)r[k % 3] - fit[3 + k % 3];
            M[k / 3][k % 3] += (x[0][k / 3] - fit[k / 3]) * b;
            Q[k / 3][k % 3] += ((double)r[k / 3] - fit[3 + k / 3]) * b;
        }
    }
    xpbd_rotation_search((const double(*)[3])M, q);
    xpbd_rotation_matrix(q, T);
    if (rest[0] > 0.0f) {
        xpbd_rotation_blend((const double(*)[3])M, (const double(*)[3])Q, (double)rest[0], T);
    }
    for (int k = 0; k < 9; k++) {
        fit[6 + k] = T[k / 3][k % 3];
    }
    return true;
}

/* The gradient is that of goals that stand still: of 1/2 |C|^2 over all members it is the right one
 * even though they do not, as they are where that sum is least. */
static void element(const double fit[XPBD_FIT_MAX], const double (*x)[3], const float *element_rest,
                    double *C, double (*gradient)[3])
{
    for (int row = 0; row < 3; row++) {
        C[row] = x[0][row] - fit[row];
        for (int k = 0; k < 3; k++) {
            C[row] -= fit[6 + 3 * row + k] * ((double)element_rest[k] - fit[3 + k]);
            gradient[row][k] = row == k ? 1.0 : 0.0;
        }
    }
}

static void rest_of_elements(const xpbd_elements *elements, float *rest)
{
    (void)elements;
    rest[0] = 0.0f;
}

static uint32_t rest_fault(const float *rest)
{
    return rest[0] >= 0.0f && rest[0] <= 1.0f ? 1 : 0;
}

extern const xpbd_constraint_ops xpbd_ops_shape_match;
const xpbd_constraint_ops xpbd_ops_shape_match = {
    .fit = fit, .element = element, .rest_of_elements = rest_of_elements, .rest_fault = rest_fault};

#endif
