/* SPDX-License-Identifier: MIT
 *
 * Chebyshev semi-iteration ([CHEB15], and [GV61] for the method) on Jacobi with split masses. Where
 * Jacobi would add s to a position x_k,
 *
 *     d_(k+1) = (omega - 1) d_k + omega gamma s,    x_(k+1) = x_k + d_(k+1)
 *     omega   = 1, then 2 / (2 - rho^2), then 4 / (4 - rho^2 omega)
 *
 * and the same for lambda. Both are the same linear combination, so x = x~ + W grad C^T lambda goes
 * on to hold as far as it did: to first order, as gradients turn. [CHEB15] has no multipliers, and
 * writes x_(k+1) = omega (gamma s + x_k - x_(k-1)) + x_(k-1); in float that feeds the rounding of
 * x, which lambda does not share, back into x, 1 / (2 - omega) times.
 *
 * Split masses make the diagonal larger than the matrix: the eigenvalues of Jacobi's iteration
 * matrix are in [0, rho'], none is negative. With gamma = 1 + rho they are in [-rho, rho] for
 * rho' = 2 rho / (1 + rho), which is the interval that the polynomials are best on: a gamma of 1
 * would need sqrt(2) times the iterations. [CHEB15] has a gamma below 1 for stability instead,
 * since the sum of unsplit corrections may not converge at all.
 *
 * How large rho may be follows from the number of iterations n: rho <= m^2 / (m^2 + 4.5) with m =
 * n - 2. So m iterations leave a tenth of all that Jacobi shrinks by rho' per iteration or faster;
 * what is slower could not be reached with n iterations anyway, and with a larger rho they end on
 * the way up. Where nobody says what rho is it is that, but m is at most 21: the iteration carries
 * on what it has, 1 / (2 - omega) times, and also what is no part of the problem. Links turn
 * sideways while they shrink, and ropes curl up above a rho of 0.99 or so.
 *
 * The first iteration is plain: one that goes nearly twice as far would turn a link around that is
 * more than twice as long as it should be. So is the last one: polynomials that are small
 * everywhere are no smaller where Jacobi is exact, as for a constraint that meets no other.
 *
 * Safeguard: sides that come to hold, contacts and turning gradients are no linear problem. If the
 * largest |h| that the constraints find is ever more than twice the smallest one so far, or no
 * number, the rest of the substep is plain Jacobi, which converges.
 */
#include "solver/chebyshev.h"
#include "solver/track.h"

#include <math.h>
#include <string.h>

/* rho up to 0.99, see above. */
enum { LONGEST_CYCLE = 21 };

#define GROWTH 2.0f

static const xpbd_constraint_info *rows_of(uint32_t type)
{
    return xpbd_constraint_type_info((xpbd_constraint_type)type);
}

static float radius_for(const xpbd_world *world)
{
    const uint32_t n = world->iterations > 2 ? world->iterations - 2 : 0;
    const float wanted = world->spectral_radius;
    const float m = (float)(n < LONGEST_CYCLE || wanted > 0.0f ? n : LONGEST_CYCLE);
    const float most = m * m / (m * m + 4.5f);
    return wanted > 0.0f && wanted < most ? wanted : most;
}

bool xpbd_chebyshev_init(xpbd_world *world)
{
    xpbd_build *build = &world->build;
    xpbd_chebyshev *c = &build->chebyshev;
    c->d = xpbd_arena_zero(&build->arena, world->model.n_particles, sizeof *c->d);
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const size_t n = xpbd_track_records(&build->streams[type], type);
        for (uint32_t row = 0; row < rows_of(type)->n_rows; row++) {
            c->lambda[type][row] = xpbd_arena_zero(&build->arena, n, sizeof(float));
            c->d_lambda[type][row] = xpbd_arena_zero(&build->arena, n, sizeof(float));
        }
    }
    return !build->arena.failed;
}

/* A stiffness is a part of what is wrong, per iteration: nothing that extrapolation helps. */
static bool is_stiff(const xpbd_world *world)
{
    bool stiff = false;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        stiff = stiff || world->model.sets[type].used[XPBD_COLUMN_stiffness];
    }
    return stiff;
}

void xpbd_chebyshev_begin_step(xpbd_world *world)
{
    world->build.chebyshev.rho = radius_for(world);
    world->build.chebyshev.last =
        world->iterations > 0 && !is_stiff(world) ? world->iterations - 1 : 0;
}

void xpbd_chebyshev_decide(xpbd_build *build, bool first)
{
    xpbd_chebyshev *c = &build->chebyshev;
    const uint32_t bits = atomic_load_explicit(&c->most, memory_order_relaxed);
    float h;
    memcpy(&h, &bits, sizeof h);
    atomic_store_explicit(&c->most, 0, memory_order_relaxed);
    if (first) {
        c->least = INFINITY;
        c->plain = false;
        c->n = 0;
    } else {
        c->plain = c->plain || !(h <= GROWTH * c->least);
        c->least = h < c->least ? h : c->least;
        c->n++;
        const float square = c->rho * c->rho;
        c->omega = c->n == 1   ? 1.0f
                   : c->n == 2 ? 2.0f / (2.0f - square)
                               : 4.0f / (4.0f - square * c->omega);
    }
    const bool plain = c->plain || c->n == 0 || c->n >= c->last;
    c->keep = plain || c->n == 1 ? 0.0f : c->omega - 1.0f;
    c->take = plain ? 1.0f : c->omega * (1.0f + c->rho);
}

void xpbd_chebyshev_gather(const xpbd_build *build, uint32_t begin, uint32_t end, bool first)
{
    const xpbd_store *store = &build->store;
    const xpbd_chebyshev *c = &build->chebyshev;
    const uint32_t last = end * XPBD_GROUP < store->n ? end * XPBD_GROUP : store->n;
    for (uint32_t i = begin * XPBD_GROUP; i < last; i++) {
        const uint32_t from = build->first_correction[i], to = build->first_correction[i + 1];
        float sum[3] = {0.0f, 0.0f, 0.0f};
        for (uint32_t k = from; k < to; k++) {
            const float *correction = store->correction + 4 * (size_t)build->correction_slot[k];
            for (uint32_t axis = 0; axis < 3; axis++) {
                sum[axis] += correction[axis];
            }
        }
        const float part = to > from ? build->pass.relaxation / (float)(to - from) : 0.0f;
        for (uint32_t axis = 0; axis < 3 && to > from; axis++) {
            float *x = xpbd_store_at(store, store->position, i, axis);
            const float kept = first ? 0.0f : c->keep * c->d[i][axis];
            c->d[i][axis] = kept + c->take * (part * sum[axis]);
            *x = *x + c->d[i][axis];
        }
    }
}

/* Records of one row: now is what Jacobi made of last. */
static void blend(const xpbd_chebyshev *c, size_t n, float *now, float *last, float *d)
{
    const float keep = c->keep, take = c->take;
    for (size_t i = 0; i < n; i++) {
        d[i] = keep * d[i] + take * (now[i] - last[i]);
        now[i] = last[i] = last[i] + d[i];
    }
}

void xpbd_chebyshev_blend(xpbd_build *build, uint32_t type, uint32_t begin, uint32_t end,
                          bool first)
{
    xpbd_chebyshev *c = &build->chebyshev;
    const xpbd_stream *stream = &build->streams[type];
    const size_t n_records = xpbd_track_records(stream, type);
    const size_t from = (size_t)begin * XPBD_GROUP;
    const size_t to = (size_t)end * XPBD_GROUP < n_records ? (size_t)end * XPBD_GROUP : n_records;
    const int side = xpbd_constraint_ops_of((xpbd_constraint_type)type)->side;
    uint32_t most = 0;
    for (uint32_t row = 0; row < rows_of(type)->n_rows; row++) {
        float *now = stream->lambda[row];
        float *last = c->lambda[type][row], *d = c->d_lambda[type][row];
        if (first) {
            memset(last + from, 0, (to - from) * sizeof *last);
            memset(d + from, 0, (to - from) * sizeof *d);
        }
        const uint32_t bits = xpbd_track_largest(build, type, now, last, from, to);
        most = bits > most ? bits : most;
        blend(c, to - from, now + from, last + from, d + from);
        for (size_t i = from; side != 0 && i < to; i++) {
            /* Extrapolation may carry it past 0. The positions keep what it was: the next
             * projection corrects them. */
            if (side < 0 ? now[i] > 0.0f : now[i] < 0.0f) {
                now[i] = last[i] = 0.0f;
            }
        }
    }
    xpbd_track_raise(&c->most, most);
}
