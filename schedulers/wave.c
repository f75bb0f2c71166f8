/* SPDX-License-Identifier: MIT
 *
 * Slabs not in step. A strip needs nothing but its neighbours: a slab may begin an iteration when
 * the strips that join it to both neighbours are done with the one before. So a member goes along
 * its slabs with several iterations at once, each a slab behind the one before,
 *
 *     slab            a    a+1  a+2  a+3
 *     iteration 0     1    2    4    7        the order of one member's strips; that which joins a
 *     iteration 1     3    5    8    .        slab to the one before follows each
 *     iteration 2     6    9    .    .
 *
 * and a slab is in the cache yet when its next iteration comes, in meshes that no cache holds
 * (temporal blocking). Members wait for each other's strips at the two ends of their
 * slabs, and there is no barrier. Every other member goes backwards, so that two who meet come to
 * their common end at the same time. Whoever waits does so for a strip that comes before its own in
 * every order of stages, so nobody waits for ever; and the bits are those of stage after stage.
 */
#include "schedulers/schedulers.h"
#include "schedulers/team.h"

/* Iterations that are under way at once, where a plan has more lane groups than a cache holds: as
 * many slabs of some two megabytes have to stay there. In a cache one at a time is faster. */
enum { MOST_AT_ONCE = 6, LARGE_PLAN = 32768 };

/* The slabs of one member. */
typedef struct wave {
    const xpbd_plan *plan;
    xpbd_member *member;
    xpbd_reached *inside, *between; /* iterations done, since the plan was made: of a slab, of what
                                       joins it to the next */
    uint32_t before;                /* of them, before this substep: of all the same */
    xpbd_range own;                 /* slabs, and what joins each to the next */
    bool backward;
} wave;

static void run_strip(const xpbd_plan *plan, uint32_t place, uint32_t iteration)
{
    const uint32_t strip = plan->slab_strips[place];
    if (strip != UINT32_MAX) {
        xpbd_plan_run_strip(plan, &plan->strips[strip], iteration);
    }
}

/* What joins slab s to the next. */
static void run_between(const wave *w, uint32_t s, uint32_t iteration)
{
    if (s + 1 == w->own.end) {
        xpbd_member_await(w->member, &w->inside[s + 1], w->before + iteration + 1);
    }
    run_strip(w->plan, w->plan->n_slabs + s, iteration);
    xpbd_member_advance(&w->between[s], w->before + iteration + 1);
}

static void run_slab(const wave *w, uint32_t s, uint32_t iteration)
{
    const bool first = s == w->own.begin, last = s + 1 == w->own.end;
    if (first && s > 0) {
        xpbd_member_await(w->member, &w->between[s - 1], w->before + iteration);
    }
    run_strip(w->plan, s, iteration);
    xpbd_member_advance(&w->inside[s], w->before + iteration + 1);
    if (!w->backward && !first) {
        run_between(w, s - 1, iteration);
    }
    if ((w->backward || last) && s + 1 < w->plan->n_slabs) {
        run_between(w, s, iteration);
    }
}

/* Iterations [begin, end), each a slab behind the one before. */
static void run_together(const wave *w, uint32_t begin, uint32_t end)
{
    const uint32_t n = w->own.end - w->own.begin, n_iterations = end - begin;
    for (uint32_t front = 0; front < n + n_iterations - 1; front++) {
        const uint32_t from = front < n ? 0 : front - n + 1;
        for (uint32_t k = from; k <= front && k < n_iterations; k++) {
            const uint32_t way = front - k;
            run_slab(w, w->backward ? w->own.end - 1 - way : w->own.begin + way, begin + k);
        }
    }
}

void xpbd_sched_run_wave(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    const xpbd_team *team = member->team;
    /* Tasks of a host may run one after the other, and must not wait for each other. */
    if (!plan->slab_strips || (team->host.parallel_for && team->n_active > 1)) {
        xpbd_sched_run_staged(plan, member, iterations);
        return;
    }
    xpbd_reached *reached = plan->progress;
    const xpbd_range own = xpbd_member_slice(member, plan->n_slabs, 1);
    if (own.begin == own.end) {
        return;
    }
    const wave w = {.plan = plan,
                    .member = member,
                    .inside = reached,
                    .between = reached + plan->n_slabs,
                    .before = xpbd_member_reached(&reached[own.begin]),
                    .own = own,
                    .backward = member->index % 2 == 1};
    const bool large = plan->stages[0].work + plan->stages[1].work > LARGE_PLAN;
    const uint32_t at_once = large ? MOST_AT_ONCE : 1;
    const uint32_t n_waves = (iterations + at_once - 1) / at_once;
    for (uint32_t k = 0; k < n_waves; k++) {
        run_together(&w, (uint32_t)((uint64_t)iterations * k / n_waves),
                     (uint32_t)((uint64_t)iterations * (k + 1) / n_waves));
    }
}
