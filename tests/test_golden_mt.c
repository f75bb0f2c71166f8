/* SPDX-License-Identifier: MIT
 *
 * Proves the promise of equal bits: all scenes of tests/golden come to the hashes that are
 * committed there, on every instruction set and layout, on one thread and on more than there are
 * processors, and in any other legal order of what a scheduler runs side by side. The whole product
 * with all thread counts and pinnings is //tests/golden:every_way_large; other compilers and
 * processors are in tests/cross.
 */
#define _POSIX_C_SOURCE 200809L /* alarm */

#include "support.h"

#include <unistd.h>

#include "tests/golden/golden.h"
#include "xpbd/scheduler.h"

/* Sanitizers make everything slow and need to see each kind of run once: they see one in so many.
 */
#if KIT_SANITIZED
enum { ONE_IN = 5 };
#else
enum { ONE_IN = 1 };
#endif

/* Fails with the way that differed. `like`: the scheduler whose row it is. */
static void expect(const golden_scene *scene, const xpbd_world_def *def, const char *like)
{
    char way[320];
    const golden_row *row = golden_find(scene->name, like);
    const golden_result result = golden_run(scene, def, 1.0f);
    snprintf(way, sizeof way, "%s, %s%s, %s, %s, %d threads, pinning %s %s", scene->name,
             def->custom_scheduler ? "like " : "", like, def->layout ? def->layout : "auto",
             def->isa ? def->isa : "auto", def->threads, def->pinning ? def->pinning : "auto",
             result.text);
    if (!row)
        fail_msg("golden.def has no row for %s, %s", scene->name, like);
    assert_same_hash(result.hash, row->hash, way);
}

static void test_every_row_is_of_a_scene_and_a_scheduler(void **state)
{
    const golden_row *row;
    golden_scene scene;
    const char *scheduler;
    uint32_t n = 0;
    (void)state;
    for (uint32_t i = 0; golden_scene_at(i, &scene); i++)
        for (uint32_t s = 0; (scheduler = xpbd_scheduler_name(s)); s++)
            n += golden_find(scene.name, scheduler) != NULL;
    for (uint32_t i = 0; (row = golden_row_at(i)); i++) {
        assert_true(row->reason[0] != '\0');
        n--;
    }
    assert_int_equal(n, 0);
}

static void test_every_type_of_constraint_is_in_a_scene(void **state)
{
    uint32_t n_scenes[XPBD_CONSTRAINT_TYPE_COUNT] = {0};
    golden_scene scene;
    (void)state;
    for (uint32_t i = 0; golden_scene_at(i, &scene) && !scene.large; i++) {
        const xpbd_world_def def = golden_def(&scene);
        const golden_result result = golden_run(&scene, &def, 1.0f);
        for (uint32_t t = 0; t < XPBD_CONSTRAINT_TYPE_COUNT; t++)
            n_scenes[t] += result.has_type[t];
    }
    for (uint32_t t = 0; t < XPBD_CONSTRAINT_TYPE_COUNT; t++)
        if (n_scenes[t] == 0)
            fail_msg("no scene has a %s", xpbd_constraint_type_info((xpbd_constraint_type)t)->name);
}

static void test_small_scenes_on_every_isa_and_layout(void **state)
{
    golden_scene scene;
    const char *scheduler;
    (void)state;
    for (uint32_t k = 0; golden_scene_at(k, &scene) && !scene.large; k++) {
        xpbd_world_def def = golden_def(&scene);
        for (uint32_t s = 0; (scheduler = def.scheduler = xpbd_scheduler_name(s)); s++) {
            for (uint32_t i = 0; (def.isa = xpbd_isa_name(i)); i++) {
                for (uint32_t l = 0; (def.layout = xpbd_layout_name(l)); l++) {
                    def.threads = 1 + (int32_t)(i + l + s) % 2;
                    if (xpbd_isa_available(i) && (k + s + 3 * i + l) % ONE_IN == 0)
                        expect(&scene, &def, scheduler);
                }
            }
        }
    }
}

/* Layouts, instruction sets and pinnings take turns, so that all of them meet few and many threads
 * somewhere. */
static void test_large_scenes_on_few_and_many_threads(void **state)
{
    static const char *const isas[] = {NULL, "scalar", NULL};
    golden_scene scene;
    uint32_t turn = 0, n_layouts = 0, n_pinnings = 0;
    (void)state;
    while (xpbd_layout_name(n_layouts))
        n_layouts++;
    while (xpbd_pinning_name(n_pinnings))
        n_pinnings++;
    for (uint32_t k = 0; golden_scene_at(k, &scene); k++) {
        xpbd_world_def def = golden_def(&scene);
        for (uint32_t s = 0; scene.large && (def.scheduler = xpbd_scheduler_name(s)); s++) {
            for (uint32_t many = 0; many < 2; many++, turn++) {
                def.threads = many ? 16 : 2 + (int32_t)(k + s) % 2;
                def.layout = xpbd_layout_name((turn + s) % n_layouts);
                def.isa = isas[(turn + s) % COUNT_OF(isas)];
                def.pinning = xpbd_pinning_name((turn + k) % n_pinnings);
                if ((k + s + many) % ONE_IN == 0)
                    expect(&scene, &def, def.scheduler);
            }
        }
    }
}

/* ---- the plan, in sequence */

static uint32_t most_strips, most_work; /* of a stage */

static void run_stage_in_sequence(const xpbd_plan *plan, const xpbd_stage *stage, uint32_t i)
{
    most_work = stage->work > most_work ? stage->work : most_work;
    const uint32_t n_strips = stage->strip_end - stage->strip_begin;
    most_strips = n_strips > most_strips ? n_strips : most_strips;
    for (uint32_t s = stage->strip_end; s-- > stage->strip_begin;)
        xpbd_plan_run_strip(plan, &plan->strips[s], i);
    for (uint32_t u = stage->n_units; n_strips == 0 && u-- > 0;)
        xpbd_plan_run_stage(plan, stage, u, u + 1, i);
}

/* On one thread, one unit or strip after the other, from the last to the first. */
static void solve_in_sequence(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    if (member->index > 0)
        return;
    for (uint32_t i = 0; i < iterations; i++)
        for (uint32_t s = 0; s < plan->n_stages; s++)
            run_stage_in_sequence(plan, &plan->stages[s], i);
}

static void test_schedulers_equal_the_serial_execution_of_their_plan(void **state)
{
    static const struct {
        const char *like;
        xpbd_partition partition;
        xpbd_update update;
    } kinds[] = {{"colored-gs", XPBD_PARTITION_COLORS, XPBD_UPDATE_IN_PLACE},
                 {"slab-gs", XPBD_PARTITION_SLABS, XPBD_UPDATE_IN_PLACE},
                 {"tree-direct", XPBD_PARTITION_TREES, XPBD_UPDATE_IN_PLACE},
                 {"jacobi", XPBD_PARTITION_FREE, XPBD_UPDATE_AVERAGED},
                 {"jacobi-mass-splitting", XPBD_PARTITION_FREE, XPBD_UPDATE_MASS_SPLIT},
                 {"jacobi-chebyshev", XPBD_PARTITION_FREE, XPBD_UPDATE_CHEBYSHEV}};
    golden_scene scene;
    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(kinds); k++) {
        const xpbd_scheduler serial = {.cookie = XPBD_SCHEDULER_COOKIE,
                                       .name = "in-sequence",
                                       .summary = "a test",
                                       .partition = kinds[k].partition,
                                       .update = kinds[k].update,
                                       .solve = solve_in_sequence};
        for (uint32_t i = 0; golden_scene_at(i, &scene); i++) {
            xpbd_world_def def = golden_def(&scene);
            def.custom_scheduler = &serial;
            most_strips = most_work = 0;
            /* The first of the large ones is the largest. */
            if (scene.large && (scene.row != 0 || kinds[k].update != XPBD_UPDATE_IN_PLACE))
                continue;
            if ((scene.large && KIT_SANITIZED) || (i + k) % ONE_IN != 0)
                continue;
            expect(&scene, &def, kinds[k].like);
            /* Equal bits of 16 threads would prove little if all but one of them had nothing to do.
             */
            if (scene.large)
                assert_true(most_strips >= 16 || (most_strips == 0 && most_work >= 16 * 32));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_is_of_a_scene_and_a_scheduler),
        cmocka_unit_test(test_every_type_of_constraint_is_in_a_scene),
        cmocka_unit_test(test_small_scenes_on_every_isa_and_layout),
        cmocka_unit_test(test_large_scenes_on_few_and_many_threads),
        cmocka_unit_test(test_schedulers_equal_the_serial_execution_of_their_plan),
    };
    alarm(280); /* a barrier that never opens ends as a failure, not as a hung build */
    return RUN_GROUP("golden_mt", tests);
}
