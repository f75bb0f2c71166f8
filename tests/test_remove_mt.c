/* SPDX-License-Identifier: MIT
 *
 * Proves that removing constraints does what never having switched them on does, bit for bit, with
 * every type and scheduler; that it does not matter whether that was before or after preparing; and
 * that lanes which lost their constraint race with none.
 */
#include "support_zoo.h"

#include "solver/world.h"

static const char *const gauss_seidel[] = {"serial-gs", "slab-gs", "colored-gs"};

/* Mesh and mask: every third pair at random. */
typedef struct cloth {
    kit_scene scene;
    bool *marked;
} cloth;

static cloth make_cloth(void)
{
    cloth c = {.scene = kit_grid(40, 36, 0.1f, KIT_STRUCTURAL | KIT_SHEAR | KIT_BEND)};
    uint64_t seed = 3;
    c.scene.w[0] = c.scene.w[39] = 0;
    c.marked = calloc(c.scene.n_pairs, sizeof *c.marked);
    for (uint32_t k = 0; k < c.scene.n_pairs; k++)
        c.marked[k] = kit_random(&seed) % 3 == 0;
    return c;
}

static void free_cloth(cloth *c)
{
    kit_scene_free(&c->scene);
    free(c->marked);
}

typedef enum way { REMOVE, SWITCH_OFF, REMOVE_AND_REBUILD } way;

static void take_out(xpbd_world *w, const cloth *c, way how)
{
    static const float none[3];
    for (uint32_t k = 0; k < c->scene.n_pairs; k++) {
        if (c->marked[k] && how == SWITCH_OFF)
            assert_ok(xpbd_world_enable_constraints(w, XPBD_DISTANCE, k, 1, false));
        else if (c->marked[k])
            assert_ok(xpbd_world_remove_constraints(w, XPBD_DISTANCE, k, 1));
    }
    if (how == REMOVE_AND_REBUILD) /* adding drops the build, also nothing */
        assert_ok(xpbd_world_add_particles(w, 0, &(xpbd_particles){.position = none}, NULL));
}

static uint64_t run_cloth(const cloth *c, const char *scheduler, const char *layout,
                          int32_t threads, way how)
{
    xpbd_world_def def = kit_def(scheduler);
    def.layout = layout;
    def.threads = threads;
    def.acceleration[1] = -9.81f;
    def.iterations = 3;
    xpbd_world *w = kit_build(&def, &c->scene, 1e-6f);
    kit_steps(w, 2, 1.0 / 60);
    take_out(w, c, how);
    kit_steps(w, 4, 1.0 / 60);
    const uint64_t hash = xpbd_world_hash(w);
    xpbd_world_destroy(w);
    return hash;
}

static void test_a_removed_constraint_is_one_that_is_off(void **state)
{
    static const char *const layouts[] = {"aos4", "soa"};
    cloth c = make_cloth();
    (void)state;
    for (uint32_t s = 0; s < COUNT_OF(gauss_seidel); s++) {
        const uint64_t want = run_cloth(&c, gauss_seidel[s], NULL, 1, SWITCH_OFF);
        for (uint32_t k = 0; k < 4; k++) {
            const way how = k % 2 ? REMOVE_AND_REBUILD : REMOVE;
            const int32_t threads = 1 + (int32_t)(k == 0);
            assert_same_hash(run_cloth(&c, gauss_seidel[s], layouts[k / 2], threads, how), want,
                             gauss_seidel[s]);
        }
    }
    free_cloth(&c);
}

/* Groups of runs are found, and are torn: otherwise the test above says little about them. */
static void test_runs_are_torn(void **state)
{
    cloth c = make_cloth();
    xpbd_world_def def = kit_def("colored-gs");
    xpbd_world *w = kit_build(&def, &c.scene, 0);
    (void)state;
    assert_ok(xpbd_world_prepare(w));
    const uint32_t stages = w->build.plan.n_stages;
    uint32_t n_run_blocks = 0;
    for (uint32_t b = 0; b < w->build.plan.n_blocks; b++)
        n_run_blocks += w->build.plan.blocks[b].task >= XPBD_CONSTRAINT_TYPE_COUNT;
    assert_true(n_run_blocks > 0);
    take_out(w, &c, REMOVE);
    assert_true(w->built && w->build.any_torn[XPBD_DISTANCE]);
    assert_null(w->build.streams[XPBD_DISTANCE].stiffness); /* no other kernels run */
    take_out(w, &c, REMOVE_AND_REBUILD);
    assert_ok(xpbd_world_prepare(w));
    assert_int_equal(w->build.plan.n_stages, stages);
    xpbd_world_destroy(w);
    free_cloth(&c);
}

/* Lanes without a constraint write what they read, so no two groups of a stage, which two threads
 * may run, have the same place for it. */
static void test_no_two_groups_of_a_stage_share_a_spare_slot(void **state)
{
    cloth c = make_cloth();
    xpbd_world_def def = kit_def("colored-gs");
    xpbd_world *w = kit_build(&def, &c.scene, 0);
    (void)state;
    assert_ok(xpbd_world_prepare(w));
    take_out(w, &c, REMOVE);
    const xpbd_build *build = &w->build;
    const uint32_t n_slots = build->packing.first_spare + build->packing.n_spares;
    uint32_t *stage_of = calloc(n_slots, sizeof *stage_of), *group_of = calloc(n_slots, 4), n = 0;
    for (uint32_t s = 0; s < build->plan.n_stages; s++) {
        for (uint32_t b = build->plan.stages[s].begin; b < build->plan.stages[s].end; b++) {
            const xpbd_block *block = &build->plan.blocks[b];
            for (uint32_t lane = block->begin * XPBD_GROUP; lane < block->end * XPBD_GROUP;
                 lane++) {
                const uint32_t id =
                    build->streams[XPBD_DISTANCE].id[0][lane] / (uint32_t)build->store.step;
                if (id < build->store.n)
                    continue;
                assert_true(id < n_slots);
                assert_false(stage_of[id] == s + 1 && group_of[id] != lane / XPBD_GROUP);
                stage_of[id] = s + 1;
                group_of[id] = lane / XPBD_GROUP;
                n++;
            }
        }
    }
    assert_true(n > 1000);
    free(stage_of);
    free(group_of);
    xpbd_world_destroy(w);
    free_cloth(&c);
}

/* Units of variable size write the points that they have, and a removed one has none. */
static void test_removed_units_have_no_points(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    bool *marked = kit_zoo_third(8);
    xpbd_world *w = kit_zoo(&def, false, NULL);
    uint32_t n = 0;
    (void)state;
    assert_ok(xpbd_world_prepare(w));
    kit_zoo_remove(w, marked);
    const xpbd_tuples tuples = xpbd_world_tuples(w);
    for (uint32_t k = 0; k < XPBD_CONSTRAINT_TYPE_COUNT * ZOO_BODIES; k++) {
        const uint32_t type = k / ZOO_BODIES;
        const xpbd_units *units = w->build.streams[type].units;
        const uint32_t slot = w->build.packing.slot[tuples.first[type] + k % ZOO_BODIES];
        if (units) {
            assert_int_equal(units->n_points[slot] == 0, marked[k]);
            n += marked[k];
        }
    }
    assert_true(n > 10);
    free(marked);
    xpbd_world_destroy(w);
}

/* Every type. Jacobi's particles count the constraints that they have, so there they must not be
 * among those at all. */
static void test_every_type_and_scheduler(void **state)
{
    const char *name;
    bool *marked = kit_zoo_third(5);
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        xpbd_world_def def = kit_def(name);
        def.iterations = 2;
        def.ordering = "natural"; /* of a world with others missing it might be another */
        def.threads = 1 + (int32_t)s % 2;
        const bool colored = strcmp(name, "slab-gs") == 0 || strcmp(name, "colored-gs") == 0;
        const bool trees = strcmp(name, "tree-direct") == 0; /* two trees where one was cut */
        xpbd_world *w = kit_zoo(&def, false, NULL),
                   *want = kit_zoo(&def, false, colored || trees ? NULL : marked);
        assert_ok(xpbd_world_prepare(w));
        if (trees)
            kit_zoo_remove(want, marked);
        kit_zoo_remove(w, marked);
        for (uint32_t k = 0; k < XPBD_CONSTRAINT_TYPE_COUNT * ZOO_BODIES && colored; k++)
            if (marked[k])
                assert_ok(xpbd_world_enable_constraints(
                    want, (xpbd_constraint_type)(k / ZOO_BODIES), k % ZOO_BODIES, 1, false));
        kit_steps(w, 4, 1.0 / 60);
        kit_steps(want, 4, 1.0 / 60);
        assert_same_hash(xpbd_world_hash(w), xpbd_world_hash(want), name);
        xpbd_world_destroy(w);
        xpbd_world_destroy(want);
    }
    free(marked);
}

static void test_compacting_leaves_a_world_that_never_had_them(void **state)
{
    const char *name;
    bool *marked = kit_zoo_third(6);
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        xpbd_world_def def = kit_def(name);
        def.iterations = 2;
        xpbd_world *w = kit_zoo(&def, true, NULL), *want = kit_zoo(&def, true, marked);
        /* Those that are off are the same constraints, not the same numbers. */
        for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type += 2) {
            assert_ok(xpbd_world_enable_constraints(w, (xpbd_constraint_type)type, 9, 3, true));
            assert_ok(xpbd_world_enable_constraints(want, (xpbd_constraint_type)type, 9, 3, true));
        }
        kit_zoo_remove(w, marked);
        assert_ok(xpbd_world_compact(w, NULL, NULL));
        kit_steps(w, 4, 1.0 / 60);
        kit_steps(want, 4, 1.0 / 60);
        kit_same_worlds(w, want, name);
        xpbd_world_destroy(w);
        xpbd_world_destroy(want);
    }
    free(marked);
}

/* An anchor of tethers and a free particle of as many: what they are in colours they stay. */
static void test_crowded_particles_can_be_removed(void **state)
{
    enum { SPOKES = 100 };
    (void)state;
    for (int k = 0; k < 8; k++) {
        kit_scene star = kit_star(SPOKES);
        xpbd_world_def def = kit_def(k & 1 ? "colored-gs" : "slab-gs");
        static const float none[3];
        uint64_t hash[2];
        uint32_t gone = 0, stages = 0;
        star.w[0] = k & 2 ? 0.0f : 1.0f;
        def.acceleration[0] = 3;
        def.threads = 2;
        for (int anew = 0; anew < 2; anew++) {
            xpbd_world *w = kit_build(&def, &star, 0);
            kit_steps(w, 2, 0.01);
            assert_ok(xpbd_world_summarize(w, &(xpbd_world_summary){0}));
            stages = w->build.plan.n_stages;
            assert_ok(xpbd_world_remove_particles(w, k & 4 ? 7 : 0, 1, &gone));
            assert_int_equal(gone, k & 4 ? 1 : SPOKES);
            if (anew)
                assert_ok(
                    xpbd_world_add_particles(w, 0, &(xpbd_particles){.position = none}, NULL));
            kit_steps(w, 3, 0.01);
            assert_int_equal(w->build.plan.n_stages, stages);
            hash[anew] = xpbd_world_hash(w);
            xpbd_world_destroy(w);
        }
        assert_same_hash(hash[1], hash[0], def.scheduler);
        kit_scene_free(&star);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_removed_constraint_is_one_that_is_off),
        cmocka_unit_test(test_runs_are_torn),
        cmocka_unit_test(test_no_two_groups_of_a_stage_share_a_spare_slot),
        cmocka_unit_test(test_removed_units_have_no_points),
        cmocka_unit_test(test_every_type_and_scheduler),
        cmocka_unit_test(test_compacting_leaves_a_world_that_never_had_them),
        cmocka_unit_test(test_crowded_particles_can_be_removed),
    };
    return RUN_GROUP("remove", tests);
}
