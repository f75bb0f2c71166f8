/* SPDX-License-Identifier: MIT
 *
 * Proves that a scheduler of the user's own, written against xpbd/scheduler.h alone, works and
 * that every legal split of a stage over the team gives the bits of the library's scheduler:
 * backwards, dealt out unit by unit, dealt out block by block, all on the last member.
 */
#define _POSIX_C_SOURCE 200809L /* alarm */

#include "support.h"

#include <stdatomic.h>
#include <unistd.h>

#include "xpbd/scheduler.h"

/* The team's slices in reverse, each walked from its end. */
static void solve_backwards(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    const uint32_t place = member->count - 1 - member->index;
    for (uint32_t i = 0; i < iterations; i++) {
        for (uint32_t s = 0; s < plan->n_stages; s++) {
            const xpbd_stage *stage = &plan->stages[s];
            const uint64_t n = stage->n_units;
            uint32_t begin = (uint32_t)(n * place / member->count);
            uint32_t end = (uint32_t)(n * (place + 1) / member->count);
            while (end > begin) {
                uint32_t from = end - begin > 3 ? end - 3 : begin;
                xpbd_plan_run_stage(plan, stage, from, end, i);
                end = from;
            }
            xpbd_member_barrier(member);
        }
    }
}

/* Unit k belongs to member k modulo count. */
static void solve_dealt(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    for (uint32_t i = 0; i < iterations; i++) {
        for (uint32_t s = 0; s < plan->n_stages; s++) {
            const xpbd_stage *stage = &plan->stages[s];
            for (uint32_t u = member->index; u < stage->n_units; u += member->count)
                xpbd_plan_run_stage(plan, stage, u, u + 1, i);
            xpbd_member_barrier(member);
        }
    }
}

/* Blocks from the last to the first, dealt out whole, each in two halves. */
static void solve_blocks(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    for (uint32_t i = 0; i < iterations; i++) {
        for (uint32_t s = 0; s < plan->n_stages; s++) {
            const xpbd_stage *stage = &plan->stages[s];
            for (uint32_t b = stage->end; b-- > stage->begin;) {
                const xpbd_block *block = &plan->blocks[b];
                const uint32_t middle = block->begin + (block->end - block->begin) / 2;
                if (b % member->count != member->index)
                    continue;
                xpbd_plan_run(plan, block, middle, block->end, i);
                xpbd_plan_run(plan, block, block->begin, middle, i);
            }
            xpbd_member_barrier(member);
        }
    }
}

/* Forwards and in one go on a single member: the only legal way for an ordered plan. */
static void solve_alone(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    if (member->index + 1 != member->count)
        return;
    for (uint32_t i = 0; i < iterations; i++)
        for (uint32_t s = 0; s < plan->n_stages; s++)
            xpbd_plan_run_stage(plan, &plan->stages[s], 0, plan->stages[s].n_units, i);
}

static uint64_t run(const char *name, const xpbd_scheduler *custom, int32_t threads)
{
    static const uint32_t attached[] = {3, 77, 150, 151};
    kit_scene cloth = kit_grid(20, 20, 0.1f, KIT_STRUCTURAL | KIT_SHEAR | KIT_BEND);
    cloth.w[0] = 0;
    kit_scramble(&cloth, 2);
    xpbd_world_def def = kit_def(name);
    def.custom_scheduler = custom;
    def.threads = threads;
    def.iterations = 4;
    def.substeps = 2;
    def.acceleration[1] = -9.81f;
    xpbd_world *w = kit_build(&def, &cloth, 1e-6f);
    assert_ok(xpbd_world_add_constraints(w, XPBD_ATTACH, 4,
                                         &(xpbd_constraints){.particles = attached}, NULL));
    kit_steps(w, 8, 1.0 / 60);
    const uint64_t hash = xpbd_world_hash(w);
    kit_scene_free(&cloth);
    xpbd_world_destroy(w);
    return hash;
}

static void test_any_split_of_a_stage_gives_the_same_bits(void **state)
{
    static const struct {
        const char *like;
        xpbd_partition partition;
        xpbd_update update;
    } kinds[] = {{"colored-gs", XPBD_PARTITION_COLORS, XPBD_UPDATE_IN_PLACE},
                 {"jacobi", XPBD_PARTITION_FREE, XPBD_UPDATE_AVERAGED},
                 {"jacobi-mass-splitting", XPBD_PARTITION_FREE, XPBD_UPDATE_MASS_SPLIT}};
    static const struct {
        const char *name;
        void (*solve)(const xpbd_plan *, xpbd_member *, uint32_t);
    } ways[] = {{"backwards", solve_backwards},
                {"dealt", solve_dealt},
                {"blocks", solve_blocks},
                {"alone", solve_alone}};
    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(kinds); k++) {
        const uint64_t want = run(kinds[k].like, NULL, 1);
        for (uint32_t i = 0; i < COUNT_OF(ways); i++) {
            const xpbd_scheduler mine = {.cookie = XPBD_SCHEDULER_COOKIE,
                                         .name = ways[i].name,
                                         .summary = "a test",
                                         .partition = kinds[k].partition,
                                         .update = kinds[k].update,
                                         .solve = ways[i].solve};
            for (int32_t threads = 1; threads <= 4; threads++)
                assert_same_hash(run(NULL, &mine, threads), want, ways[i].name);
        }
    }
}

static void test_an_ordered_plan_is_the_serial_reference(void **state)
{
    const xpbd_scheduler mine = {.cookie = XPBD_SCHEDULER_COOKIE,
                                 .name = "mine",
                                 .summary = "a test",
                                 .partition = XPBD_PARTITION_SEQUENCE,
                                 .update = XPBD_UPDATE_IN_PLACE,
                                 .solve = solve_alone};
    const uint64_t want = run("serial-gs", NULL, 1);
    (void)state;
    for (int32_t threads = 1; threads <= 3; threads++)
        assert_same_hash(run(NULL, &mine, threads), want, "sequence");
}

/* What solve() is promised: called on each member of the team, once per substep, with a plan whose
 * stages and blocks cover their ranges. */
static atomic_uint n_calls, n_faults;
static atomic_uint members_seen[8];

static void solve_observed(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    n_calls++;
    n_faults += iterations != 4;
    n_faults += member->index >= member->count || member->count != 3;
    if (member->index < COUNT_OF(members_seen))
        members_seen[member->index]++;
    uint32_t blocks = 0;
    for (uint32_t s = 0; s < plan->n_stages; s++) {
        uint32_t units = 0;
        n_faults += plan->stages[s].begin != blocks;
        for (uint32_t b = plan->stages[s].begin; b < plan->stages[s].end; b++) {
            n_faults += plan->blocks[b].end <= plan->blocks[b].begin;
            units += plan->blocks[b].end - plan->blocks[b].begin;
        }
        n_faults += units != plan->stages[s].n_units || units == 0;
        blocks = plan->stages[s].end;
    }
    n_faults += blocks != plan->n_blocks;
    solve_dealt(plan, member, iterations);
}

static void test_solve_is_called_on_each_member_once_per_substep(void **state)
{
    const xpbd_scheduler mine = {.cookie = XPBD_SCHEDULER_COOKIE,
                                 .name = "observed",
                                 .summary = "a test",
                                 .partition = XPBD_PARTITION_COLORS,
                                 .update = XPBD_UPDATE_IN_PLACE,
                                 .solve = solve_observed};
    (void)state;
    n_calls = n_faults = 0;
    run(NULL, &mine, 3);
    assert_int_equal(n_faults, 0);
    assert_int_equal(n_calls, 3 * 8 * 2); /* members, steps, substeps */
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(members_seen[i], 8 * 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_split_of_a_stage_gives_the_same_bits),
        cmocka_unit_test(test_an_ordered_plan_is_the_serial_reference),
        cmocka_unit_test(test_solve_is_called_on_each_member_once_per_substep),
    };
    alarm(280); /* a barrier that never opens ends as a failure, not as a hung build */
    return RUN_GROUP("custom_scheduler_mt", tests);
}
