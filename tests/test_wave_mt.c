/* SPDX-License-Identifier: MIT
 *
 * Slabs that are not in step, on a plan that only writes down when what was run: every strip once
 * per iteration, and behind all that it depends on. Plain memory on purpose, so that the thread
 * sanitizer judges the order too.
 */
#include "schedulers/schedulers.h"
#include "schedulers/team.h"
#include "tests/support.h"

enum { MOST_SLABS = 12, MOST_STRIPS = 2 * MOST_SLABS };

typedef struct notes {
    uint32_t n_slabs;
    uint32_t place[MOST_STRIPS];  /* [strip] where it is in slab_strips */
    uint32_t n_done[MOST_STRIPS]; /* [place] iterations */
    bool absent[MOST_STRIPS];     /* [place] */
    uint32_t n_wrong[MOST_STRIPS];
    uint64_t delay; /* one bit per place and iteration: a strip that takes long */
} notes;

static void linger(const notes *n, uint32_t place, uint32_t iteration)
{
    const uint32_t turns = (n->delay >> ((place + 5 * iteration) % 64)) & 1 ? 3000 : 10;
    for (uint32_t k = 0; k < turns; k++)
        xpbd_topology_pause();
}

static bool has_done(const notes *n, uint32_t place, uint32_t iterations)
{
    return n->absent[place] || n->n_done[place] == iterations;
}

/* Neighbours between slabs are done with the iteration before and have not begun this one; slabs
 * at both sides are done with this one and have not begun the next. */
static void run(void *solver, const xpbd_block *block, uint32_t begin, uint32_t end,
                uint32_t iteration)
{
    notes *n = solver;
    const uint32_t place = n->place[block->task], s = place % n->n_slabs;
    bool right = begin == 0 && end == 1 && n->n_done[place] == iteration;
    if (place >= n->n_slabs) {
        right = right && has_done(n, s, iteration + 1) && has_done(n, s + 1, iteration + 1);
    } else {
        right = right && (s == 0 || has_done(n, n->n_slabs + s - 1, iteration)) &&
                (s + 1 == n->n_slabs || has_done(n, n->n_slabs + s, iteration));
    }
    linger(n, place, iteration);
    n->n_wrong[place] += !right;
    n->n_done[place]++;
}

typedef struct fake {
    notes notes;
    xpbd_plan plan;
    xpbd_block blocks[MOST_STRIPS];
    xpbd_strip strips[MOST_STRIPS];
    xpbd_stage stages[2];
    uint32_t slab_strips[MOST_STRIPS];
    xpbd_reached reached[MOST_STRIPS];
    uint32_t iterations, repeats;
} fake;

/* Of n slabs and what joins them; some are absent, as where meshes do not hang together. */
static void make(fake *f, uint32_t n_slabs, uint32_t iterations, uint64_t *random)
{
    *f = (fake){.iterations = iterations, .repeats = 3};
    f->notes.n_slabs = n_slabs;
    f->notes.delay = kit_random(random) & kit_random(random);
    /* Of more than a cache holds, several iterations are under way at once. */
    const uint32_t work = kit_random(random) % 2 ? 40000 : 1000;
    for (uint32_t place = 0; place < 2 * n_slabs; place++) {
        const uint32_t strip = f->plan.n_strips;
        f->notes.absent[place] = place == 2 * n_slabs - 1 || kit_random(random) % 8 == 0;
        f->slab_strips[place] = f->notes.absent[place] ? UINT32_MAX : strip;
        if (f->notes.absent[place])
            continue;
        f->notes.place[strip] = place;
        f->blocks[strip] = (xpbd_block){0, 1, strip, 1};
        f->strips[strip] = (xpbd_strip){strip, strip + 1, 1};
        xpbd_stage *stage = &f->stages[place >= n_slabs];
        stage->begin = stage->n_units == 0 ? strip : stage->begin;
        stage->strip_begin = stage->begin;
        stage->end = stage->strip_end = strip + 1;
        stage->n_units++;
        stage->work += work;
        f->plan.n_strips++;
    }
    f->plan.stages = f->stages;
    f->plan.blocks = f->blocks;
    f->plan.strips = f->strips;
    f->plan.n_stages = 2;
    f->plan.n_blocks = f->plan.n_strips;
    f->plan.slab_strips = f->slab_strips;
    f->plan.n_slabs = n_slabs;
    f->plan.run = run;
    f->plan.solver = &f->notes;
    f->plan.progress = f->reached;
}

/* Several solves of one run, as of the substeps of a step. */
static void run_member(void *context, xpbd_member *member)
{
    fake *f = context;
    for (uint32_t k = 0; k < f->repeats; k++) {
        xpbd_member_barrier(member);
        if (member->index == 0)
            memset(f->notes.n_done, 0, sizeof f->notes.n_done);
        xpbd_member_barrier(member);
        xpbd_sched_run_wave(&f->plan, member, f->iterations);
        xpbd_member_barrier(member);
        for (uint32_t place = 0; member->index == 0 && place < 2 * f->notes.n_slabs; place++)
            f->notes.n_wrong[place] +=
                !f->notes.absent[place] && f->notes.n_done[place] != f->iterations;
    }
}

static void check(const fake *f, int32_t threads)
{
    for (uint32_t place = 0; place < 2 * f->notes.n_slabs; place++) {
        if (f->notes.n_wrong[place] > 0)
            fail_msg("%d threads, %u slabs, %u iterations: %s %u ran %u times when it must not",
                     threads, f->notes.n_slabs, f->iterations,
                     place < f->notes.n_slabs ? "slab" : "what joins slab",
                     place % f->notes.n_slabs, f->notes.n_wrong[place]);
    }
}

static void test_strips_wait_for_their_neighbors(void **state)
{
    (void)state;
    static const int32_t threads[] = {1, 2, 3, 4, 7};
    uint64_t random = 11;
    fake *f = aligned_alloc(64, (sizeof *f + 63) / 64 * 64);
    assert_non_null(f);
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        xpbd_topology_plan plan;
        xpbd_team team;
        xpbd_team_plan(threads[t], XPBD_PINNING_none, &plan);
        xpbd_team_init(&team, &plan);
        for (uint32_t n_slabs = 2; n_slabs <= MOST_SLABS; n_slabs++) {
            for (uint32_t iterations = 0; iterations <= 14; iterations += 1 + iterations / 3) {
                make(f, n_slabs, iterations, &random);
                xpbd_team_run(&team, run_member, f);
                check(f, threads[t]);
            }
        }
    }
    free(f);
}

/* Tasks of a host may run one after the other, and never wait: stage after stage. */
static void run_in_turn(void *user, uint32_t count, void (*fn)(void *context, uint32_t worker),
                        void *context)
{
    ++*(uint32_t *)user;
    for (uint32_t worker = count; worker-- > 0;)
        fn(context, worker);
}

static void test_hosts_tasks_run_stages(void **state)
{
    (void)state;
    uint32_t n_shared = 0;
    const xpbd_task_system host = {.parallel_for = run_in_turn, .user = &n_shared, .workers = 3};
    uint64_t random = 5;
    fake *f = aligned_alloc(64, (sizeof *f + 63) / 64 * 64);
    assert_non_null(f);
    xpbd_topology_plan plan;
    xpbd_team team;
    xpbd_team_plan_hosted(&host, 0, &plan);
    xpbd_team_init_hosted(&team, &plan, &host);
    make(f, 9, 5, &random);
    xpbd_team_run(&team, run_member, f);
    check(f, 3);
    assert_int_equal(n_shared, 2 * f->iterations * f->repeats);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strips_wait_for_their_neighbors),
        cmocka_unit_test(test_hosts_tasks_run_stages),
    };
    return RUN_GROUP("wave", tests);
}
