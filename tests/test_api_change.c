/* SPDX-License-Identifier: MIT
 *
 * Proves what adding to and changing a world in the middle of a simulation does, by numbers that
 * can be worked out by hand (times are powers of two, so that they are exact in float) and by bit
 * comparison with a world that was made that way from the beginning.
 */
#include "support.h"

static const double tick = 1.0 / 64;

static void test_adding_keeps_indices_and_state(void **state)
{
    static const float more[2][3] = {{0, 50, 0}, {0, 52, 0}};
    static const uint32_t link[2] = {6, 7};
    const float rest = 1.0f;
    kit_scene rope = kit_rope(6, 1.0f);
    xpbd_world_def def = kit_def("serial-gs"); /* in the caller's order: independent of additions */
    def.acceleration[1] = -10.0f;
    xpbd_world *w = kit_build(&def, &rope, 1e-4f), *twin = kit_build(&def, &rope, 1e-4f);
    uint32_t first = 99;
    (void)state;
    kit_steps(w, 5, tick);
    kit_steps(twin, 5, tick);
    xpbd_particles p = {.position = more[0]};
    assert_ok(xpbd_world_add_particles(w, 2, &p, &first));
    assert_int_equal(first, 6);
    xpbd_constraints c = {.particles = link, .rest = &rest};
    assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, 1, &c, &first));
    assert_int_equal(first, 5);
    assert_ok(xpbd_world_add_constraints(w, XPBD_ATTACH, 1,
                                         &(xpbd_constraints){.particles = &link[1]}, &first));
    assert_int_equal(first, 0); /* counted per type */
    for (uint32_t round = 0; round < 2; round++) {
        float(*got)[3] = kit_positions(w), (*want)[3] = kit_positions(twin);
        assert_same_floats(got[0], want[0], 18);
        free(got);
        got = kit_velocities(w);
        free(want);
        want = kit_velocities(twin);
        assert_same_floats(got[0], want[0], 18);
        free(got);
        free(want);
        kit_steps(w, 5, tick);
        kit_steps(twin, 5, tick);
    }
    kit_scene_free(&rope);
    xpbd_world_destroy(w);
    xpbd_world_destroy(twin);
}

static void test_strides_mean_the_same_as_packed_arrays(void **state)
{
    enum { N = 5 };
    struct {
        uint32_t pair[2];
        float x[3], w, v[3], rest, compliance, damping;
    } e[N];
    float x[N][3], mass[N], rest[N], same_v[3] = {1, 2, 3};
    uint32_t pair[N][2];
    uint64_t seed = 5;
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++) {
            x[i][k] = e[i].x[k] = kit_uniform(&seed, -1, 1);
            e[i].v[k] = same_v[k];
        }
        mass[i] = e[i].w = kit_uniform(&seed, 0.5f, 2);
        rest[i] = e[i].rest = kit_uniform(&seed, 0.5f, 2);
        pair[i][0] = e[i].pair[0] = i;
        pair[i][1] = e[i].pair[1] = (i + 1) % N;
        e[i].compliance = 1e-3f;
        e[i].damping = 2.0f;
    }
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *strided = kit_create(&def), *packed = kit_create(&def);
    const size_t stride = sizeof e[0];
    xpbd_particles p = {e[0].x, stride, e[0].v, stride, &e[0].w, stride};
    assert_ok(xpbd_world_add_particles(strided, N, &p, NULL));
    xpbd_constraints c = {.particles = e[0].pair,
                          .particles_stride = stride,
                          .rest = &e[0].rest,
                          .rest_stride = stride,
                          .compliance = &e[0].compliance,
                          .compliance_stride = stride,
                          .damping = &e[0].damping,
                          .damping_stride = stride};
    assert_ok(xpbd_world_add_constraints(strided, XPBD_DISTANCE, N, &c, NULL));

    p = (xpbd_particles){x[0], 12, same_v, XPBD_SAME, mass, 0};
    assert_ok(xpbd_world_add_particles(packed, N, &p, NULL));
    c = (xpbd_constraints){.particles = pair[0],
                           .rest = rest,
                           .rest_stride = 4,
                           .compliance = &e[0].compliance,
                           .compliance_stride = XPBD_SAME,
                           .damping = &e[0].damping,
                           .damping_stride = XPBD_SAME};
    assert_ok(xpbd_world_add_constraints(packed, XPBD_DISTANCE, N, &c, NULL));
    kit_steps(strided, 4, tick);
    kit_steps(packed, 4, tick);
    assert_same_hash(xpbd_world_hash(strided), xpbd_world_hash(packed), "strides");
    xpbd_world_destroy(strided);
    xpbd_world_destroy(packed);
}

static void test_null_arrays_mean_the_documented_defaults(void **state)
{
    static const float x[2][3] = {{0, 0, 0}, {3, 4, 0}}, zero[3] = {0}, one = 1, nought = 0;
    static const uint32_t pair[2] = {0, 1}, lone = 1;
    const float five = 5.0f;
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *brief = kit_create(&def), *full = kit_create(&def);
    (void)state;
    assert_ok(xpbd_world_add_particles(brief, 2, &(xpbd_particles){.position = x[0]}, NULL));
    xpbd_particles p = {x[0], 0, zero, XPBD_SAME, &one, XPBD_SAME};
    assert_ok(xpbd_world_add_particles(full, 2, &p, NULL));
    xpbd_constraints c = {.particles = pair};
    assert_ok(xpbd_world_add_constraints(brief, XPBD_DISTANCE, 1, &c, NULL));
    c = (xpbd_constraints){
        .particles = pair, .rest = &five, .compliance = &nought, .damping = &nought};
    assert_ok(xpbd_world_add_constraints(full, XPBD_DISTANCE, 1, &c, NULL));
    c = (xpbd_constraints){.particles = &lone};
    assert_ok(xpbd_world_add_constraints(brief, XPBD_ATTACH, 1, &c, NULL));
    c = (xpbd_constraints){
        .particles = &lone, .rest = x[1], .compliance = &nought, .damping = &nought};
    assert_ok(xpbd_world_add_constraints(full, XPBD_ATTACH, 1, &c, NULL));
    static const float push[2][3] = {{1, 2, 3}, {-2, 1, 0}};
    assert_ok(xpbd_world_set_velocities(brief, 0, 2, push[0], 0));
    assert_ok(xpbd_world_set_velocities(full, 0, 2, push[0], 0));
    kit_steps(brief, 8, tick);
    kit_steps(full, 8, tick);
    assert_same_hash(xpbd_world_hash(brief), xpbd_world_hash(full), "defaults");

    /* Null rest data is the pose at the call, not at creation: nothing pulls afterwards. */
    static const float away[2][3] = {{7, 0, 0}, {7, 0, 2}}, rest[2][3] = {{0}};
    assert_ok(xpbd_world_set_positions(brief, 0, 2, away[0], 0));
    assert_ok(xpbd_world_set_velocities(brief, 0, 2, rest[0], 0));
    xpbd_world *late = kit_create(&def);
    assert_ok(xpbd_world_add_particles(late, 2, &(xpbd_particles){.position = x[0]}, NULL));
    assert_ok(xpbd_world_set_positions(late, 0, 2, away[0], 0));
    kit_add_distances(late, 1, &pair, NULL, 0.0f);
    assert_ok(xpbd_world_add_constraints(late, XPBD_ATTACH, 1,
                                         &(xpbd_constraints){.particles = &lone}, NULL));
    kit_steps(late, 3, tick);
    float(*got)[3] = kit_positions(late);
    assert_same_floats(got[0], away[0], 6);
    free(got);
    xpbd_world_destroy(brief);
    xpbd_world_destroy(full);
    xpbd_world_destroy(late);
}

/* One particle, alone. */
static xpbd_world *make_one(float w, const float v[3], float gravity)
{
    static const float origin[3] = {0};
    xpbd_world_def def = kit_def(NULL);
    def.acceleration[1] = gravity;
    xpbd_world *world = kit_create(&def);
    xpbd_particles p = {.position = origin, .velocity = v, .inverse_mass = &w};
    assert_ok(xpbd_world_add_particles(world, 1, &p, NULL));
    return world;
}

static void check_one(const xpbd_world *w, float x, float y, float vx, float vy)
{
    float at[3], v[3];
    const float want_at[3] = {x, y, 0}, want_v[3] = {vx, vy, 0};
    kit_position(w, 0, at);
    kit_velocity(w, 0, v);
    assert_same_floats(at, want_at, 3);
    assert_same_floats(v, want_v, 3);
}

/* g dt = -1/8 and g dt^2 = -1/512 per step: all sums are exact. */
static void test_pinning_stops_and_releasing_frees(void **state)
{
    static const float v[3] = {1, 0, 0}, zero = 0, one = 1;
    xpbd_world *w = make_one(1, v, -8);
    (void)state;
    kit_steps(w, 2, tick);
    check_one(w, 0x1p-5f, -3 * 0x1p-9f, 1, -0.25f);
    assert_ok(xpbd_world_set_inverse_masses(w, 0, 1, &zero, 0));
    check_one(w, 0x1p-5f, -3 * 0x1p-9f, 0, 0);
    kit_steps(w, 3, tick);
    check_one(w, 0x1p-5f, -3 * 0x1p-9f, 0, 0);
    assert_ok(xpbd_world_set_inverse_masses(w, 0, 1, &one, 0));
    kit_steps(w, 1, tick);
    check_one(w, 0x1p-5f, -4 * 0x1p-9f, 0, -0.125f);
    xpbd_world_destroy(w);
}

static void test_a_pinned_particle_moves_with_its_velocity(void **state)
{
    static const float v[3] = {1, 0, 0}, zero[3] = {0};
    xpbd_world *w = make_one(0, v, -8);
    (void)state;
    kit_steps(w, 4, tick);
    check_one(w, 4 * 0x1p-6f, 0, 1, 0);
    assert_ok(xpbd_world_set_velocities(w, 0, 1, zero, 0));
    kit_steps(w, 4, tick);
    check_one(w, 4 * 0x1p-6f, 0, 0, 0);
    xpbd_world_destroy(w);
}

static void test_forces_last_until_changed_and_spare_the_pinned(void **state)
{
    static const float force[3] = {4, 0, 0}, zero[3] = {0}, half = 0.5f;
    xpbd_world *w = make_one(0.5f, zero, 0);
    (void)state;
    assert_ok(xpbd_world_set_forces(w, 0, 1, force, 0));
    kit_steps(w, 1, tick); /* a = 2: v = 2 / 64, x = 2 / 64^2 */
    check_one(w, 0x1p-11f, 0, 0x1p-5f, 0);
    kit_steps(w, 1, tick);
    check_one(w, 3 * 0x1p-11f, 0, 0x1p-4f, 0);
    assert_ok(xpbd_world_set_forces(w, 0, 1, zero, 0));
    kit_steps(w, 1, tick);
    check_one(w, 5 * 0x1p-11f, 0, 0x1p-4f, 0);
    assert_ok(xpbd_world_set_inverse_masses(w, 0, 1, &zero[0], 0));
    assert_ok(xpbd_world_set_forces(w, 0, 1, force, 0));
    kit_steps(w, 2, tick);
    check_one(w, 5 * 0x1p-11f, 0, 0, 0);
    assert_ok(xpbd_world_set_inverse_masses(w, 0, 1, &half, 0));
    kit_steps(w, 1, tick);
    check_one(w, 6 * 0x1p-11f, 0, 0x1p-5f, 0);
    xpbd_world_destroy(w);
}

static void test_acceleration_can_be_changed(void **state)
{
    static const float zero[3] = {0}, up[3] = {0, 8, 0};
    xpbd_world *w = make_one(0.25f, zero, -8); /* the mass does not matter */
    (void)state;
    kit_steps(w, 1, tick);
    check_one(w, 0, -0x1p-9f, 0, -0.125f);
    assert_ok(xpbd_world_set_acceleration(w, up));
    kit_steps(w, 1, tick);
    check_one(w, 0, -0x1p-9f, 0, 0);
    xpbd_world_destroy(w);
}

static void test_a_teleport_keeps_the_velocity(void **state)
{
    static const float v[3] = {1, -2, 0}, there[3] = {512, 256, 0}, other[3] = {0, 4, 0};
    xpbd_world *w = make_one(1, v, 0);
    (void)state;
    kit_steps(w, 1, tick);
    assert_ok(xpbd_world_set_positions(w, 0, 1, there, 0));
    check_one(w, 512, 256, 1, -2);
    kit_steps(w, 1, tick);
    check_one(w, 512 + 0x1p-6f, 256 - 0x1p-5f, 1, -2);
    assert_ok(xpbd_world_set_velocities(w, 0, 1, other, 0));
    kit_steps(w, 1, tick);
    check_one(w, 512 + 0x1p-6f, 256 + 0x1p-5f, 0, 4);
    xpbd_world_destroy(w);
}

/* Start and target are no round numbers and no substep divides the way evenly: still the end is
 * the target bit for bit. The velocity is a quotient of floats: off by a few ulp, 4 * 2^-23. */
static void test_move_ends_exactly_at_the_target_then_rests(void **state)
{
    static const float zero[3] = {0};
    static const uint32_t substeps[] = {1, 2, 3, 7, 20};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(substeps); i++) {
        xpbd_world *w = make_one(0, zero, -8);
        float start[3] = {0.1f, -0.3f, 5.7f}, at[3], v[3];
        const float target[3] = {0.7f, 123.4f, -0.123f};
        assert_ok(xpbd_world_set_positions(w, 0, 1, start, 0));
        assert_ok(xpbd_world_set_solver(w, substeps[i], 1));
        assert_ok(xpbd_world_move_particles(w, 0, 1, target, 0));
        kit_position(w, 0, at);
        assert_same_floats(at, start, 3);
        kit_steps(w, 1, 1.0 / 60);
        kit_position(w, 0, at);
        assert_same_floats(at, target, 3);
        kit_velocity(w, 0, v);
        for (int k = 0; k < 3; k++) {
            double want = ((double)target[k] - (double)start[k]) * 60;
            assert_near(v[k], want, 4 * 0x1p-23 * (want < 0 ? -want : want));
        }
        kit_steps(w, 2, 1.0 / 60);
        kit_position(w, 0, at);
        assert_same_floats(at, target, 3);
        kit_velocity(w, 0, v);
        assert_same_floats(v, zero, 3);
        xpbd_world_destroy(w);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adding_keeps_indices_and_state),
        cmocka_unit_test(test_strides_mean_the_same_as_packed_arrays),
        cmocka_unit_test(test_null_arrays_mean_the_documented_defaults),
        cmocka_unit_test(test_pinning_stops_and_releasing_frees),
        cmocka_unit_test(test_a_pinned_particle_moves_with_its_velocity),
        cmocka_unit_test(test_forces_last_until_changed_and_spare_the_pinned),
        cmocka_unit_test(test_acceleration_can_be_changed),
        cmocka_unit_test(test_a_teleport_keeps_the_velocity),
        cmocka_unit_test(test_move_ends_exactly_at_the_target_then_rests),
    };
    return RUN_GROUP("api_change", tests);
}
