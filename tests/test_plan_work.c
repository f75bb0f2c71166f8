/* SPDX-License-Identifier: MIT
 *
 * Work of a stage by weight: units that are large count for more, so that a few clusters are
 * divided among the team as many lane groups are; any cut runs every unit once.
 */
#include "schedulers/schedulers.h"
#include "schedulers/team.h"
#include "support.h"

enum { MOST = 512 };

/* How often each unit of each block ran, and how many of one call. */
typedef struct record {
    uint32_t times[4][MOST];
    uint32_t n;
} record;

static void note(void *solver, const xpbd_block *block, uint32_t begin, uint32_t end,
                 uint32_t iteration)
{
    record *r = solver;
    (void)iteration;
    assert_true(begin < end && begin >= block->begin && end <= block->end);
    for (uint32_t u = begin; u < end; u++) {
        r->times[block->task][u - block->begin]++;
        r->n++;
    }
}

static xpbd_stage stage_of(xpbd_block *blocks, uint32_t n)
{
    xpbd_stage stage = {.end = n};
    for (uint32_t b = 0; b < n; b++) {
        stage.n_units += blocks[b].end - blocks[b].begin;
        stage.work += (blocks[b].end - blocks[b].begin) * blocks[b].weight;
        blocks[b].task = b;
    }
    return stage;
}

static xpbd_plan plan_of(const xpbd_stage *stage, const xpbd_block *blocks, uint32_t n, record *r)
{
    return (xpbd_plan){
        .stages = stage, .blocks = blocks, .n_stages = 1, .n_blocks = n, .run = note, .solver = r};
}

static void test_any_cut_runs_every_unit_once(void **state)
{
    uint64_t seed = 61;
    (void)state;
    for (int round = 0; round < 2000; round++) {
        const uint32_t n_blocks = 1 + (uint32_t)(kit_random(&seed) % 4);
        xpbd_block blocks[4];
        for (uint32_t b = 0; b < n_blocks; b++) {
            blocks[b].begin = (uint32_t)(kit_random(&seed) % 9);
            blocks[b].end = blocks[b].begin + 1 + (uint32_t)(kit_random(&seed) % 20);
            blocks[b].weight = 1 + (uint32_t)(kit_random(&seed) % (round % 2 ? 2 : 100));
        }
        record r = {.n = 0};
        const xpbd_stage stage = stage_of(blocks, n_blocks);
        const xpbd_plan plan = plan_of(&stage, blocks, n_blocks, &r);
        uint32_t at = 0;
        while (at < stage.work) {
            const uint32_t step = 1 + (uint32_t)(kit_random(&seed) % 60);
            const uint32_t next = at + step < stage.work ? at + step : stage.work;
            xpbd_plan_run_work(&plan, &stage, at, next, 0);
            at = next;
        }
        assert_int_equal(r.n, stage.n_units);
        for (uint32_t b = 0; b < n_blocks; b++)
            for (uint32_t u = 0; u < blocks[b].end - blocks[b].begin; u++)
                assert_int_equal(r.times[b][u], 1);
    }
}

/* Of weight 1 it is a range of units. */
static void test_light_units_are_cut_where_they_are_counted(void **state)
{
    xpbd_block blocks[2] = {{3, 10, 0, 1}, {0, 5, 0, 1}};
    record r = {.n = 0};
    const xpbd_stage stage = stage_of(blocks, 2);
    const xpbd_plan plan = plan_of(&stage, blocks, 2, &r);
    (void)state;
    xpbd_plan_run_work(&plan, &stage, 2, 9, 0);
    for (uint32_t u = 0; u < 7; u++)
        assert_int_equal(r.times[0][u], u >= 2);
    for (uint32_t u = 0; u < 5; u++)
        assert_int_equal(r.times[1][u], u < 2);
}

/* What two members get of one stage: units of the first. One stage needs no barrier. */
static uint32_t share_of_first(uint32_t n_units, uint32_t weight, uint32_t more)
{
    static xpbd_team openmp; /* without a host: members divide among themselves */
    xpbd_block blocks[2] = {{0, n_units, 0, weight}, {0, more, 0, 1}};
    const uint32_t n_blocks = more ? 2 : 1;
    const xpbd_stage stage = stage_of(blocks, n_blocks);
    uint32_t n[2];
    for (uint32_t index = 0; index < 2; index++) {
        record r = {.n = 0};
        const xpbd_plan plan = plan_of(&stage, blocks, n_blocks, &r);
        xpbd_member member = {.index = index, .count = 2, .team = &openmp};
        xpbd_sched_run_staged(&plan, &member, 1);
        n[index] = r.n;
    }
    assert_int_equal(n[0] + n[1], stage.n_units);
    return n[0];
}

/* 4 clusters of 250 lane groups are 2 and 2; by number they are fewer than is worth a second
 * member. 64 lane groups are 32 and 32, as ever, and 63 are done by one. With 1000 lane groups
 * beside the clusters, one member does these, and the other the clusters. */
static void test_few_large_units_are_divided(void **state)
{
    (void)state;
    assert_int_equal(share_of_first(4, 250, 0), 2);
    assert_int_equal(share_of_first(2, 100, 0), 1);
    assert_int_equal(share_of_first(64, 1, 0), 32);
    assert_int_equal(share_of_first(63, 1, 0), 63);
    assert_int_equal(share_of_first(3, 20, 0), 3);
    const uint32_t n = share_of_first(4, 250, 400); /* up to 704 of 1400: three clusters */
    assert_int_equal(n, 3);
}

/* Weights are in the plan of a world: clusters of 100 and of 500 members, one stage of 2 * 7 and
 * one of 2 * 32 lane groups, and lane groups of a distance. */
static xpbd_plan seen;
static xpbd_block seen_blocks[8];
static xpbd_stage seen_stages[8];

static void look(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    (void)member;
    (void)iterations;
    seen = *plan;
    assert_true(plan->n_blocks <= 8 && plan->n_stages <= 8);
    memcpy(seen_blocks, plan->blocks, plan->n_blocks * sizeof *plan->blocks);
    memcpy(seen_stages, plan->stages, plan->n_stages * sizeof *plan->stages);
}

static void test_a_world_weighs_its_units(void **state)
{
    static const xpbd_scheduler looker = {
        XPBD_SCHEDULER_COOKIE, "looker", NULL, XPBD_PARTITION_COLORS, XPBD_UPDATE_IN_PLACE, look};
    enum { SMALL = 100, LARGE = 500, N = 2 * (SMALL + LARGE) };
    static float x[N][3];
    static uint32_t ids[N];
    static const uint32_t sizes[4] = {SMALL, LARGE, SMALL, LARGE}, pair[2] = {0, 1};
    uint64_t seed = 71;
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        ids[i] = i;
        for (int c = 0; c < 3; c++)
            x[i][c] = kit_uniform(&seed, -1, 1);
    }
    xpbd_world_def def = kit_def(NULL);
    def.custom_scheduler = &looker;
    xpbd_world *w = kit_create(&def);
    kit_add_particles(w, N, (const float(*)[3])x, NULL);
    const xpbd_constraints clusters = {.particles = ids, .sizes = sizes};
    assert_ok(xpbd_world_add_constraints(w, XPBD_SHAPE_MATCH, 4, &clusters, NULL));
    kit_add_distances(w, 1, (const uint32_t(*)[2])pair, NULL, 0);
    kit_steps(w, 1, 0.01);
    assert_int_equal(seen.n_stages, 2); /* the distance is inside the first cluster */
    assert_int_equal(seen_blocks[0].end - seen_blocks[0].begin, 4);
    assert_int_equal(seen_blocks[0].weight, (2 * 7 + 2 * 32 + 3) / 4);
    assert_int_equal(seen_stages[0].n_units, 4);
    assert_int_equal(seen_stages[0].work, 4 * 20);
    assert_int_equal(seen_blocks[1].weight, 1);
    assert_int_equal(seen_stages[1].work, 1);
    xpbd_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_cut_runs_every_unit_once),
        cmocka_unit_test(test_light_units_are_cut_where_they_are_counted),
        cmocka_unit_test(test_few_large_units_are_divided),
        cmocka_unit_test(test_a_world_weighs_its_units),
    };
    return RUN_GROUP("plan_work", tests);
}
