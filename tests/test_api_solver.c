/* SPDX-License-Identifier: MIT
 *
 * Proves what substeps, iterations and changes of constraint data mean: mostly by bit comparison
 * with a world that gets to the same place in another way.
 */
#include "support.h"

static const double tick = 1.0 / 64;

/* A rope that swings down, with damping and a force in it. */
static xpbd_world *make_rope(const char *scheduler, uint32_t substeps, uint32_t iterations)
{
    static const float wind[3] = {0, 0, 0.5f}, soft = 1e-3f, damped = 0.5f;
    kit_scene rope = kit_rope(12, 0.3f);
    xpbd_world_def def = kit_def(scheduler);
    def.acceleration[1] = -9.81f;
    def.substeps = substeps;
    def.iterations = iterations;
    xpbd_world *w = kit_create(&def);
    kit_add_particles(w, 12, (const float(*)[3])rope.x, rope.w);
    xpbd_constraints c = {.particles = rope.pair[0],
                          .compliance = &soft,
                          .compliance_stride = XPBD_SAME,
                          .damping = &damped,
                          .damping_stride = XPBD_SAME};
    assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, 11, &c, NULL));
    assert_ok(xpbd_world_set_forces(w, 0, 12, wind, XPBD_SAME));
    kit_scene_free(&rope);
    return w;
}

/* The state is positions and velocities and nothing else, and dt / 4 is exact. */
static void test_substeps_are_shorter_steps(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t i = 0; (name = xpbd_scheduler_name(i)); i++) {
        xpbd_world *sub = make_rope(name, 4, 3), *steps = make_rope(name, 1, 3);
        kit_steps(sub, 10, tick);
        kit_steps(steps, 40, tick / 4);
        assert_same_hash(xpbd_world_hash(sub), xpbd_world_hash(steps), name);
        xpbd_world_destroy(sub);
        xpbd_world_destroy(steps);
    }
}

static void test_solver_settings_can_be_changed(void **state)
{
    xpbd_world *a = make_rope(NULL, 1, 10), *b = make_rope(NULL, 3, 2);
    (void)state;
    assert_ok(xpbd_world_set_solver(a, 3, 2));
    kit_steps(a, 5, tick);
    kit_steps(b, 5, tick);
    assert_same_hash(xpbd_world_hash(a), xpbd_world_hash(b), "set_solver before the first step");
    assert_ok(xpbd_world_set_solver(a, 1, 7));
    xpbd_world *c = make_rope(NULL, 1, 7);
    float(*x)[3] = kit_positions(a), (*v)[3] = kit_velocities(a);
    assert_ok(xpbd_world_set_positions(c, 0, 12, x[0], 0));
    assert_ok(xpbd_world_set_velocities(c, 0, 12, v[0], 0));
    assert_same_hash(xpbd_world_hash(a), xpbd_world_hash(c), "state carried to another world");
    kit_steps(a, 5, tick);
    kit_steps(c, 5, tick);
    assert_same_hash(xpbd_world_hash(a), xpbd_world_hash(c), "set_solver between steps");
    free(x);
    free(v);
    xpbd_world_destroy(a);
    xpbd_world_destroy(b);
    xpbd_world_destroy(c);
}

static void test_A10_no_iterations_is_prediction_only(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t i = 0; (name = xpbd_scheduler_name(i)); i++) {
        xpbd_world_def def = kit_def(name);
        def.iterations = 0;
        def.acceleration[0] = 8.0f;
        xpbd_world *w = kit_spring(&def, 1.5f, 0.0f, 0.0f);
        kit_steps(w, 4, tick); /* a dt^2 (1 + 2 + 3 + 4) = 10 / 512, all exact */
        float x[3], v[3];
        kit_position(w, 1, x);
        kit_velocity(w, 1, v);
        assert_near(x[0], 1.5 + 10.0 / 512, 0.0);
        assert_near(v[0], 4 * 8.0 / 64, 0.0);
        assert_near(kit_lambda(w, 0), 0.0, 0.0);
        /* After a solve the multipliers are of a substep that had none. */
        assert_ok(xpbd_world_set_solver(w, 1, 1));
        kit_steps(w, 1, tick);
        assert_true(kit_lambda(w, 0) < 0);
        assert_ok(xpbd_world_set_solver(w, 1, 0));
        kit_steps(w, 1, tick);
        assert_near(kit_lambda(w, 0), 0.0, 0.0);
        xpbd_world_destroy(w);
    }
}

/* Old and changed world have the same pose and rest at the time of the change, so that a world
 * made with the changed values must go on alike. */
static void test_changed_constraints_act_like_added_ones(void **state)
{
    static const float rest[2] = {0.2f, 0.4f}, soft[2] = {1e-2f, 0.0f}, damped[2] = {3.0f, 1.0f};
    const char *name;
    (void)state;
    for (uint32_t i = 0; (name = xpbd_scheduler_name(i)); i++) {
        kit_scene rope = kit_rope(12, 0.3f);
        xpbd_world_def def = kit_def(name);
        xpbd_world *changed = kit_build(&def, &rope, 1e-3f);
        kit_steps(changed, 2, tick); /* at rest: nothing moves, but everything is prepared */
        xpbd_constraints c = {.rest = rest};
        assert_ok(xpbd_world_set_constraints(changed, XPBD_DISTANCE, 4, 2, &c));
        c = (xpbd_constraints){.compliance = soft, .damping = damped};
        assert_ok(xpbd_world_set_constraints(changed, XPBD_DISTANCE, 5, 2, &c));

        float all_rest[11], all_soft[11], all_damped[11] = {0};
        for (uint32_t k = 0; k < 11; k++)
            all_rest[k] = 0.3f, all_soft[k] = 1e-3f;
        float(*x)[3] = kit_positions(changed);
        for (uint32_t k = 0; k < 11; k++) /* what null rest data must have meant */
            all_rest[k] = x[k + 1][0] - x[k][0];
        memcpy(all_rest + 4, rest, sizeof rest);
        memcpy(all_soft + 5, soft, sizeof soft);
        memcpy(all_damped + 5, damped, sizeof damped);
        xpbd_world *made = kit_create(&def);
        kit_add_particles(made, 12, (const float(*)[3])rope.x, rope.w);
        c = (xpbd_constraints){.particles = rope.pair[0],
                               .rest = all_rest,
                               .compliance = all_soft,
                               .damping = all_damped};
        assert_ok(xpbd_world_add_constraints(made, XPBD_DISTANCE, 11, &c, NULL));
        kit_steps(changed, 6, tick);
        kit_steps(made, 6, tick);
        assert_same_hash(xpbd_world_hash(changed), xpbd_world_hash(made), name);
        free(x);
        kit_scene_free(&rope);
        xpbd_world_destroy(changed);
        xpbd_world_destroy(made);
    }
}

/* The particle hangs rigidly on its target: it is where the target is, up to rounding of one
 * projection, which is 1 ulp of a coordinate below 4. */
static void test_an_attach_target_can_be_moved(void **state)
{
    static const float start[3] = {0.1f, 0.2f, 0.3f};
    static const uint32_t lone = 0;
    xpbd_world_def def = kit_def(NULL);
    def.acceleration[1] = -9.81f;
    xpbd_world *w = kit_create(&def);
    (void)state;
    kit_add_particles(w, 1, &start, NULL);
    assert_ok(xpbd_world_add_constraints(w, XPBD_ATTACH, 1, &(xpbd_constraints){.particles = &lone},
                                         NULL));
    for (uint32_t i = 0; i < 20; i++) {
        const float step = 0.1f * (float)i;
        const float target[3] = {0.1f + step, 0.2f - step, 0.3f + 0.5f * step};
        assert_ok(
            xpbd_world_set_constraints(w, XPBD_ATTACH, 0, 1, &(xpbd_constraints){.rest = target}));
        kit_steps(w, 1, 1.0 / 60);
        float at[3];
        kit_position(w, 0, at);
        for (int k = 0; k < 3; k++)
            assert_near(at[k], target[k], 0x1p-22);
    }
    xpbd_world_destroy(w);
}

/* A pinned particle that moves drags its neighbour through the substeps, so the path shows: on a
 * straight line the velocity is the same in each substep, and a neighbour that already moves with
 * it at rest length feels no force. A jump at the first or last substep would pull by the whole
 * way, 1/4 m; rounding moves by some 2^-23. */
static void test_a_moved_particle_goes_straight_through_the_substeps(void **state)
{
    static const float x[2][3] = {{0, 0, 0}, {1, 0, 0}}, masses[2] = {0, 1};
    static const float along[3] = {16, 0, 0}, target[3] = {0.25f, 0, 0};
    static const uint32_t pair[1][2] = {{0, 1}};
    xpbd_world_def def = kit_def(NULL);
    def.substeps = 8;
    xpbd_world *w = kit_create(&def);
    (void)state;
    kit_add_particles(w, 2, x, masses);
    kit_add_distances(w, 1, pair, NULL, 0.0f);
    assert_ok(xpbd_world_set_velocities(w, 1, 1, along, 0));
    assert_ok(xpbd_world_move_particles(w, 0, 1, target, 0));
    kit_steps(w, 1, tick);
    float at[3], v[3];
    kit_position(w, 1, at);
    kit_velocity(w, 1, v);
    assert_near(at[0], 1.25, 8 * 0x1p-23);
    assert_near(v[0], 16.0, 8 * 0x1p-23 * 8 * 64); /* a position's rounding over dt / 8 */
    assert_near(kit_lambda(w, 0), 0.0, 8 * 0x1p-23);
    xpbd_world_destroy(w);
}

static void test_threads_can_be_changed_between_steps(void **state)
{
    static const int32_t threads[] = {2, 1, 3, 0};
    kit_scene grid = kit_grid(24, 24, 0.1f, KIT_STRUCTURAL | KIT_SHEAR | KIT_BEND);
    grid.w[0] = 0.0f;
    xpbd_world_def def = kit_def(NULL);
    def.acceleration[1] = -9.81f;
    xpbd_world *a = kit_build(&def, &grid, 1e-6f), *b = kit_build(&def, &grid, 1e-6f);
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(threads); i++) {
        assert_ok(xpbd_world_set_threads(a, threads[i]));
        kit_steps(a, 2, tick);
        kit_steps(b, 2, tick);
        assert_same_hash(xpbd_world_hash(a), xpbd_world_hash(b), "set_threads");
    }
    kit_scene_free(&grid);
    xpbd_world_destroy(a);
    xpbd_world_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_substeps_are_shorter_steps),
        cmocka_unit_test(test_solver_settings_can_be_changed),
        cmocka_unit_test(test_A10_no_iterations_is_prediction_only),
        cmocka_unit_test(test_changed_constraints_act_like_added_ones),
        cmocka_unit_test(test_an_attach_target_can_be_moved),
        cmocka_unit_test(test_a_moved_particle_goes_straight_through_the_substeps),
        cmocka_unit_test(test_threads_can_be_changed_between_steps),
    };
    return RUN_GROUP("api_solver", tests);
}
