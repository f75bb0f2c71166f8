/* SPDX-License-Identifier: MIT
 *
 * Proves what removing particles and constraints means to a caller: what reads how, what is refused
 * and what it says, what goes with it, which numbers compacting gives, and that without memory
 * nothing happens.
 */
#include "support_heap.h"
#include "support_zoo.h"

#include "solver/world.h"

static xpbd_world *make_cloth(const xpbd_world_def *def)
{
    kit_scene cloth = kit_grid(6, 6, 1.0f, KIT_STRUCTURAL);
    cloth.w[0] = 0;
    xpbd_world *w = kit_build(def, &cloth, 1e-3f);
    for (uint32_t i = 1; i < 36; i++) { /* so that everything pulls */
        const float v[3] = {(float)(i * 7 % 5) - 2, (float)(i % 3), (float)(i * 3 % 7) - 3};
        assert_ok(xpbd_world_set_velocities(w, i, 1, v, 0));
    }
    kit_scene_free(&cloth);
    return w;
}

static void check_error(const xpbd_world *w, int32_t type, uint64_t element, const char *text)
{
    const xpbd_error *e = xpbd_world_error(w);
    assert_int_equal(e->type, type);
    assert_int_equal(e->element, element);
    if (!strstr(e->text, text))
        fail_msg("expected \"%s\" in \"%s\"", text, e->text);
}

static void test_removed_constraints_read_as_nothing(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    def.acceleration[1] = -9.81f;
    xpbd_world *w = make_cloth(&def);
    float lambda[3], force[3][6];
    bool gone[4];
    xpbd_world_summary s;
    xpbd_diagnostics d;
    (void)state;
    kit_steps(w, 3, 0.01);
    assert_ok(xpbd_world_remove_constraints(w, XPBD_DISTANCE, 4, 2));
    assert_ok(xpbd_world_remove_constraints(w, XPBD_DISTANCE, 5, 1)); /* again: nothing */
    assert_ok(xpbd_world_remove_constraints(w, XPBD_DISTANCE, 60, 0));
    for (int k = 0; k < 2; k++) {
        assert_ok(xpbd_world_read_lambdas(w, XPBD_DISTANCE, 3, 3, lambda, 0));
        assert_ok(xpbd_world_read_forces(w, XPBD_DISTANCE, 3, 3, force[0], 0));
        assert_true(lambda[0] < 0 || lambda[0] > 0);
        for (int i = 0; i < 12; i++)
            assert_near(force[1 + i / 6][i % 6], 0, 0);
        assert_near(lambda[1], 0, 0);
        assert_near(lambda[2], 0, 0);
        kit_steps(w, 1, 0.01);
    }
    assert_ok(xpbd_world_read_removed(w, XPBD_DISTANCE, 3, 4, gone));
    assert_true(!gone[0] && gone[1] && gone[2] && !gone[3]);
    assert_ok(xpbd_world_summarize(w, &s));
    assert_int_equal(s.n_constraints[XPBD_DISTANCE], 60);
    assert_int_equal(s.n_removed_constraints[XPBD_DISTANCE], 2);
    assert_int_equal(s.n_padding, 16 * s.n_groups - 58);
    /* Of all constraints the removed one is far from its rest length, and nobody minds. */
    assert_ok(xpbd_world_remove_constraints(w, XPBD_DISTANCE, 0, 60));
    assert_ok(xpbd_world_set_positions(w, 35, 1, (const float[3]){99, 0, 0}, 0));
    assert_ok(xpbd_world_diagnose(w, &d));
    assert_near(d.residual_max, 0, 0);
    assert_near(d.constraint_energy, 0, 0);
    assert_int_equal(d.worst_type, -1);
    xpbd_world_destroy(w);
}

static void test_removed_things_are_refused(void **state)
{
    static const float v[2][3], one[2] = {1, 1}, soft = 1;
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = make_cloth(&def);
    uint32_t n = 0;
    (void)state;
    kit_steps(w, 1, 0.01);
    assert_ok(xpbd_world_remove_particles(w, 7, 1, &n));
    assert_int_equal(n, 4);
    assert_ok(xpbd_world_remove_particles(w, 7, 1, &n));
    assert_int_equal(n, 0);
    const uint64_t hash = xpbd_world_hash(w);
    const xpbd_status want = XPBD_ERROR_REMOVED;
    assert_status(xpbd_world_set_positions(w, 6, 2, v[0], 0), want);
    check_error(w, -1, 7, "particle 7 was removed");
    assert_status(xpbd_world_set_velocities(w, 6, 2, v[0], 0), want);
    assert_status(xpbd_world_set_inverse_masses(w, 7, 2, one, 0), want);
    assert_status(xpbd_world_set_forces(w, 7, 1, v[0], 0), want);
    assert_status(xpbd_world_move_particles(w, 7, 1, v[0], 0), want);
    const uint32_t pairs[4] = {1, 2, 8, 7};
    assert_status(xpbd_world_add_constraints(w, XPBD_DISTANCE, 2,
                                             &(xpbd_constraints){.particles = pairs}, NULL),
                  want);
    check_error(w, XPBD_DISTANCE, 1, "names particle 7, which was removed");
    bool gone[60];
    uint32_t dead = 0;
    assert_ok(xpbd_world_read_removed(w, XPBD_DISTANCE, 0, 60, gone));
    while (!gone[dead])
        dead++;
    assert_status(xpbd_world_enable_constraints(w, XPBD_DISTANCE, dead, 1, true), want);
    check_error(w, XPBD_DISTANCE, dead, "was removed");
    assert_status(xpbd_world_enable_constraints(w, XPBD_DISTANCE, 0, 60, false), want);
    assert_status(xpbd_world_set_constraints(w, XPBD_DISTANCE, dead, 1,
                                             &(xpbd_constraints){.compliance = &soft}),
                  want);
    assert_same_hash(xpbd_world_hash(w), hash, "refused calls");
    /* Others are not. */
    assert_ok(xpbd_world_set_velocities(w, 5, 2, v[0], 0));
    assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, dead + 1, 0,
                                         &(xpbd_constraints){.compliance = &soft}));
    xpbd_world_destroy(w);
}

static void test_bad_input(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = make_cloth(&def);
    bool gone[2];
    uint32_t n = 9;
    (void)state;
    assert_status(xpbd_world_remove_constraints(NULL, XPBD_DISTANCE, 0, 1), XPBD_ERROR_NULL);
    assert_status(xpbd_world_remove_particles(NULL, 0, 1, &n), XPBD_ERROR_NULL);
    assert_status(xpbd_world_compact(NULL, NULL, NULL), XPBD_ERROR_NULL);
    assert_status(xpbd_world_read_removed(NULL, 0, 0, 1, gone), XPBD_ERROR_NULL);
    assert_status(xpbd_world_remove_constraints(w, XPBD_CONSTRAINT_TYPE_COUNT, 0, 1),
                  XPBD_ERROR_TYPE);
    assert_status(xpbd_world_remove_constraints(w, XPBD_DISTANCE, 59, 2), XPBD_ERROR_RANGE);
    assert_status(xpbd_world_remove_constraints(w, XPBD_DISTANCE, 1, UINT32_MAX), XPBD_ERROR_RANGE);
    assert_status(xpbd_world_remove_particles(w, 36, 1, &n), XPBD_ERROR_RANGE);
    assert_int_equal(n, 9);
    assert_status(xpbd_world_read_removed(w, -2, 0, 1, gone), XPBD_ERROR_TYPE);
    assert_status(xpbd_world_read_removed(w, XPBD_CONSTRAINT_TYPE_COUNT, 0, 1, gone),
                  XPBD_ERROR_TYPE);
    assert_status(xpbd_world_read_removed(w, -1, 35, 2, gone), XPBD_ERROR_RANGE);
    assert_status(xpbd_world_read_removed(w, -1, 0, 1, NULL), XPBD_ERROR_NULL);
    assert_ok(xpbd_world_remove_particles(w, 36, 0, NULL));
    xpbd_world_destroy(w);
}

static void test_a_removed_particle_stays_where_it_is(void **state)
{
    static const float target[3] = {5, 5, 5}, v[3] = {1, 2, 3};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        xpbd_world_def def = kit_def(name);
        def.acceleration[1] = -9.81f;
        xpbd_world *w = make_cloth(&def);
        float before[3], after[3], rest[3];
        assert_ok(xpbd_world_set_velocities(w, 14, 1, v, 0));
        kit_steps(w, 2, 0.01);
        assert_ok(xpbd_world_move_particles(w, 0, 1, target, 0));
        kit_position(w, 14, before);
        assert_ok(xpbd_world_remove_particles(w, 14, 1, NULL));
        assert_ok(xpbd_world_remove_particles(w, 0, 1, NULL)); /* and its move */
        kit_velocity(w, 14, rest);
        assert_same_floats(rest, (const float[3]){0}, 3);
        kit_steps(w, 3, 0.01);
        kit_position(w, 14, after);
        assert_same_floats(after, before, 3);
        kit_position(w, 0, after);
        assert_same_floats(after, (const float[3]){0}, 3);
        xpbd_world_destroy(w);
    }
}

/* What is left comes in the same order; what was going to happen to it still does. */
static void test_compacting_numbers_what_is_left(void **state)
{
    static const float target[3] = {9, 8, 7}, zero, force[3] = {9000, 0, 0};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = make_cloth(&def);
    uint32_t particle[36], distance[60], next = 0;
    uint32_t *maps[XPBD_CONSTRAINT_TYPE_COUNT] = {[XPBD_DISTANCE] = distance};
    xpbd_world_summary before, after;
    (void)state;
    assert_ok(xpbd_world_compact(w, particle, (uint32_t *const *)maps)); /* nothing to do */
    for (uint32_t i = 0; i < 36; i++)
        assert_int_equal(particle[i], i);
    assert_ok(xpbd_world_set_inverse_masses(w, 20, 1, &zero, 0));
    assert_ok(xpbd_world_move_particles(w, 20, 1, target, 0));
    assert_ok(xpbd_world_set_forces(w, 30, 1, force, 0));
    assert_ok(xpbd_world_remove_particles(w, 3, 12, NULL));
    kit_steps(w, 1, 0.01);
    assert_ok(xpbd_world_move_particles(w, 20, 1, target, 0));
    float(*x)[3] = kit_positions(w);
    bool gone[60];
    assert_ok(xpbd_world_read_removed(w, XPBD_DISTANCE, 0, 60, gone));
    assert_ok(xpbd_world_summarize(w, &before));
    assert_ok(xpbd_world_compact(w, particle, (uint32_t *const *)maps));
    for (uint32_t i = 0; i < 36; i++)
        assert_int_equal(particle[i], i < 3 ? i : i < 15 ? UINT32_MAX : i - 12);
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal(distance[i], gone[i] ? UINT32_MAX : next++);
    assert_ok(xpbd_world_summarize(w, &after));
    assert_int_equal(after.n_particles, 24);
    assert_int_equal(after.n_constraints[XPBD_DISTANCE], next);
    assert_int_equal(after.n_removed_particles + after.n_removed_constraints[XPBD_DISTANCE], 0);
    assert_true(after.bytes < before.bytes);
    for (uint32_t i = 0; i < 24; i++) {
        float at[3];
        kit_position(w, i, at);
        assert_same_floats(at, x[i < 3 ? i : i + 12], 3);
    }
    kit_steps(w, 1, 0.01);
    float at[3];
    kit_position(w, 8, at);
    assert_same_floats(at, target, 3);
    kit_velocity(w, 18, at);
    assert_true(at[0] > 0);
    free(x);
    /* Everything, and something again. */
    assert_ok(xpbd_world_remove_particles(w, 0, 24, NULL));
    assert_ok(xpbd_world_compact(w, NULL, NULL));
    kit_steps(w, 1, 0.01);
    kit_add_particles(w, 1, &target, NULL);
    kit_steps(w, 1, 0.01);
    xpbd_world_destroy(w);
}

/* Between removing and compacting a world grows, breaks, is pinned and changed as any other. */
static void test_other_edits_go_on(void **state)
{
    static const float weak = 1e-6f, zero, one = 1, alpha = 1e-4f;
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        xpbd_world_def def = kit_def(name);
        def.acceleration[1] = -9.81f;
        xpbd_world *w = make_cloth(&def);
        uint32_t n, first;
        kit_steps(w, 1, 0.01);
        assert_ok(xpbd_world_remove_constraints(w, XPBD_DISTANCE, 10, 5));
        assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, 15, 1,
                                             &(xpbd_constraints){.break_force = &weak}));
        assert_ok(xpbd_world_remove_constraints(w, XPBD_DISTANCE, 30, 5));
        kit_steps(w, 1, 0.01);
        xpbd_broken broken[60];
        assert_ok(xpbd_world_read_broken(w, 60, broken, &n));
        assert_int_equal(n, 1);
        assert_int_equal(broken[0].index, 15);
        assert_ok(xpbd_world_remove_constraints(w, XPBD_DISTANCE, 15, 1));
        const uint32_t more[4] = {0, 12, 1, 13};
        assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, 2,
                                             &(xpbd_constraints){.particles = more}, &first));
        assert_int_equal(first, 60);
        const float place[3] = {9, 9, 9};
        kit_add_particles(w, 1, &place, NULL);
        assert_ok(xpbd_world_set_inverse_masses(w, 8, 1, &zero, 0));
        kit_steps(w, 1, 0.01);
        assert_ok(xpbd_world_set_inverse_masses(w, 8, 1, &one, 0));
        assert_ok(xpbd_world_enable_constraints(w, XPBD_DISTANCE, 50, 3, false));
        assert_ok(xpbd_world_set_solver(w, 2, 2));
        assert_ok(xpbd_world_set_constraints(
            w, XPBD_DISTANCE, 60, 2,
            &(xpbd_constraints){.compliance = &alpha, .compliance_stride = XPBD_SAME}));
        kit_steps(w, 2, 0.01);
        float lambda[62];
        assert_ok(xpbd_world_read_lambdas(w, XPBD_DISTANCE, 0, 62, lambda, 0));
        for (uint32_t i = 0; i < 62; i++)
            if ((i >= 10 && i < 16) || (i >= 30 && i < 35) || (i >= 50 && i < 53))
                assert_near(lambda[i], 0, 0);
        xpbd_diagnostics d;
        assert_ok(xpbd_world_diagnose(w, &d));
        assert_int_equal(d.n_nonfinite, 0);
        xpbd_world_destroy(w);
    }
}

/* Its values are gone from the build, and no other change brings them back. */
static void test_removed_constraints_do_not_break(void **state)
{
    static const float weak = 1e-6f, alpha = 1e-3f;
    static const uint32_t ids[2] = {3, 4};
    (void)state;
    for (int anew = 0; anew < 3; anew++) {
        xpbd_world_def def = kit_def(NULL);
        xpbd_world *w = make_cloth(&def);
        uint32_t n = 9;
        const xpbd_constraints c = {.particles = ids,
                                    .compliance = &alpha,
                                    .compliance_stride = XPBD_SAME,
                                    .break_force = &weak,
                                    .break_force_stride = XPBD_SAME};
        assert_ok(xpbd_world_add_constraints(w, XPBD_ATTACH, 2, &c, NULL));
        if (anew < 2)
            assert_ok(xpbd_world_prepare(w));
        assert_ok(xpbd_world_remove_constraints(w, XPBD_ATTACH, 0, 1));
        if (anew == 1)
            assert_ok(xpbd_world_set_solver(w, 1, 3)); /* all stiffness is computed again */
        kit_steps(w, 1, 0.01);
        xpbd_broken broken[2];
        assert_ok(xpbd_world_read_broken(w, 2, broken, &n));
        assert_int_equal(n, 1);
        assert_int_equal(broken[0].index, 1);
        xpbd_world_destroy(w);
    }
}

static void test_without_memory_nothing_is_removed(void **state)
{
    (void)state;
    for (int call = 0; call < 3; call++) {
        heap h = {0};
        const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
        xpbd_world_def def = kit_def(NULL);
        def.allocator = &allocator;
        xpbd_world *w = kit_zoo(&def, true, NULL), *twin = kit_zoo(&def, true, NULL);
        uint32_t n = 7, map[ZOO_PARTICLES] = {7}, failed = 0;
        kit_steps(w, 1, 0.01);
        kit_steps(twin, 1, 0.01);
        if (call == 2) {
            assert_ok(xpbd_world_remove_particles(w, 20, 9, NULL));
            assert_ok(xpbd_world_remove_particles(twin, 20, 9, NULL));
        }
        xpbd_status status;
        do {
            h.fail_at = h.n_requests + ++failed;
            const int64_t live = h.n_live;
            status = call == 0   ? xpbd_world_remove_constraints(w, XPBD_ROPE, 3, 2)
                     : call == 1 ? xpbd_world_remove_particles(w, 20, 2, &n)
                                 : xpbd_world_compact(w, map, NULL);
            if (status != XPBD_OK) {
                assert_status(status, XPBD_ERROR_MEMORY);
                assert_true(call == 1 || h.n_live == live); /* room may be there for some */
                assert_int_equal(n, 7);
                assert_int_equal(map[0], 7);
                h.fail_at = 0;
                kit_same_worlds(w, twin, "a failed removal");
            }
        } while (status != XPBD_OK);
        assert_true(failed > 1);
        h.fail_at = 0;
        xpbd_world_destroy(w);
        xpbd_world_destroy(twin);
        assert_int_equal(h.n_live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_removed_constraints_read_as_nothing),
        cmocka_unit_test(test_removed_things_are_refused),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_a_removed_particle_stays_where_it_is),
        cmocka_unit_test(test_compacting_numbers_what_is_left),
        cmocka_unit_test(test_other_edits_go_on),
        cmocka_unit_test(test_removed_constraints_do_not_break),
        cmocka_unit_test(test_without_memory_nothing_is_removed),
    };
    return RUN_GROUP("remove", tests);
}
