/* SPDX-License-Identifier: MIT
 *
 * Proves that every function refuses null handles, null arrays and ranges past the end (also such
 * as wrap around in 32 bits), that reading keeps to the elements it was asked for, and that a step
 * refuses times that it can not simulate without touching the state.
 */
#include "support.h"

#include <math.h>

static void test_null_worlds_are_refused_by_every_function(void **state)
{
    static const float zeros[3] = {0};
    static const uint32_t pair[2] = {0, 1};
    float out[6];
    uint32_t first;
    xpbd_particles p = {.position = zeros};
    xpbd_constraints c = {.particles = pair};
    xpbd_world_summary summary;
    xpbd_diagnostics diagnostics;
    (void)state;
    assert_status(xpbd_world_add_particles(NULL, 1, &p, &first), XPBD_ERROR_NULL);
    assert_status(xpbd_world_add_constraints(NULL, XPBD_DISTANCE, 1, &c, &first), XPBD_ERROR_NULL);
    assert_status(xpbd_world_set_constraints(NULL, XPBD_DISTANCE, 0, 1, &c), XPBD_ERROR_NULL);
    assert_status(xpbd_world_enable_constraints(NULL, XPBD_DISTANCE, 0, 1, false), XPBD_ERROR_NULL);
    assert_status(xpbd_world_set_positions(NULL, 0, 1, zeros, 0), XPBD_ERROR_NULL);
    assert_status(xpbd_world_set_velocities(NULL, 0, 1, zeros, 0), XPBD_ERROR_NULL);
    assert_status(xpbd_world_set_inverse_masses(NULL, 0, 1, zeros, 0), XPBD_ERROR_NULL);
    assert_status(xpbd_world_set_forces(NULL, 0, 1, zeros, 0), XPBD_ERROR_NULL);
    assert_status(xpbd_world_move_particles(NULL, 0, 1, zeros, 0), XPBD_ERROR_NULL);
    assert_status(xpbd_world_set_solver(NULL, 1, 1), XPBD_ERROR_NULL);
    assert_status(xpbd_world_set_acceleration(NULL, zeros), XPBD_ERROR_NULL);
    assert_status(xpbd_world_set_threads(NULL, 1), XPBD_ERROR_NULL);
    assert_status(xpbd_world_prepare(NULL), XPBD_ERROR_NULL);
    assert_status(xpbd_world_step(NULL, 0.01), XPBD_ERROR_NULL);
    assert_status(xpbd_world_read_positions(NULL, 0, 1, out, 0), XPBD_ERROR_NULL);
    assert_status(xpbd_world_read_velocities(NULL, 0, 1, out, 0), XPBD_ERROR_NULL);
    assert_status(xpbd_world_read_lambdas(NULL, XPBD_DISTANCE, 0, 1, out, 0), XPBD_ERROR_NULL);
    assert_status(xpbd_world_read_forces(NULL, XPBD_DISTANCE, 0, 1, out, 0), XPBD_ERROR_NULL);
    assert_status(xpbd_world_read_broken(NULL, 0, NULL, &first), XPBD_ERROR_NULL);
    assert_status(xpbd_world_summarize(NULL, &summary), XPBD_ERROR_NULL);
    assert_status(xpbd_world_diagnose(NULL, &diagnostics), XPBD_ERROR_NULL);
    assert_int_equal(xpbd_world_hash(NULL), 0);
    assert_non_null(xpbd_world_error(NULL));
}

/* The call must be refused, and the error must be about it and not about an earlier call. */
static void refused_for_null(xpbd_world *w, xpbd_status got, int line)
{
    if (got != XPBD_ERROR_NULL || xpbd_world_error(w)->status != XPBD_ERROR_NULL ||
        strlen(xpbd_world_error(w)->text) == 0) {
        print_error("expected XPBD_ERROR_NULL and an error that says so, got %s and %s\n",
                    xpbd_status_name(got), xpbd_status_name(xpbd_world_error(w)->status));
        _fail(__FILE__, line);
    }
    assert_status(xpbd_world_set_threads(w, -1), XPBD_ERROR_THREADS); /* another error, for next */
}
#define REFUSED(call) refused_for_null(w, call, __LINE__)

static void test_null_arrays_are_refused(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_spring(&def, 1.5f, 0.0f, 0.0f);
    uint64_t hash = xpbd_world_hash(w);
    (void)state;
    REFUSED(xpbd_world_add_particles(w, 1, NULL, NULL));
    REFUSED(xpbd_world_add_constraints(w, XPBD_DISTANCE, 1, NULL, NULL));
    REFUSED(xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, 1, NULL));
    REFUSED(xpbd_world_set_positions(w, 0, 1, NULL, 0));
    REFUSED(xpbd_world_set_velocities(w, 0, 1, NULL, 0));
    REFUSED(xpbd_world_set_inverse_masses(w, 0, 1, NULL, 0));
    REFUSED(xpbd_world_set_forces(w, 0, 1, NULL, 0));
    REFUSED(xpbd_world_move_particles(w, 0, 1, NULL, 0));
    REFUSED(xpbd_world_set_acceleration(w, NULL));
    REFUSED(xpbd_world_read_positions(w, 0, 1, NULL, 0));
    REFUSED(xpbd_world_read_velocities(w, 0, 1, NULL, 0));
    REFUSED(xpbd_world_read_lambdas(w, XPBD_DISTANCE, 0, 1, NULL, 0));
    REFUSED(xpbd_world_read_forces(w, XPBD_DISTANCE, 0, 1, NULL, 0));
    uint32_t n;
    REFUSED(xpbd_world_read_broken(w, 0, NULL, NULL));
    REFUSED(xpbd_world_read_broken(w, 1, NULL, &n));
    REFUSED(xpbd_world_summarize(w, NULL));
    REFUSED(xpbd_world_diagnose(w, NULL));
    assert_same_hash(xpbd_world_hash(w), hash, "null arrays");
    xpbd_world_destroy(w);
}

/* Of 2 particles or constraints; the last one overflows 32 bits when added up. */
static const uint32_t past_end[][2] = {{0, 3}, {2, 1}, {1, 2},          {UINT32_MAX, 1},
                                       {3, 1}, {5, 5}, {1, UINT32_MAX}, {UINT32_MAX, 2}};

static void test_ranges_past_the_end_are_refused(void **state)
{
    static const float zeros[12] = {0};
    static const uint32_t pair[2][2] = {{0, 1}, {0, 1}};
    static const float two[2][3] = {{0, 0, 0}, {1, 0, 0}}, pinned[2] = {0, 0};
    float out[12];
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_create(&def);
    (void)state;
    kit_add_particles(w, 2, two, pinned);
    kit_add_distances(w, 2, pair, NULL, 0.0f);
    xpbd_constraints c = {.compliance = zeros, .compliance_stride = XPBD_SAME};
    uint64_t hash = xpbd_world_hash(w);
    for (uint32_t i = 0; i < COUNT_OF(past_end); i++) {
        const uint32_t f = past_end[i][0], n = past_end[i][1];
        assert_status(xpbd_world_set_constraints(w, XPBD_DISTANCE, f, n, &c), XPBD_ERROR_RANGE);
        assert_status(xpbd_world_enable_constraints(w, XPBD_DISTANCE, f, n, false),
                      XPBD_ERROR_RANGE);
        assert_status(xpbd_world_set_positions(w, f, n, zeros, XPBD_SAME), XPBD_ERROR_RANGE);
        assert_status(xpbd_world_set_velocities(w, f, n, zeros, XPBD_SAME), XPBD_ERROR_RANGE);
        assert_status(xpbd_world_set_inverse_masses(w, f, n, zeros, XPBD_SAME), XPBD_ERROR_RANGE);
        assert_status(xpbd_world_set_forces(w, f, n, zeros, XPBD_SAME), XPBD_ERROR_RANGE);
        assert_status(xpbd_world_move_particles(w, f, n, zeros, XPBD_SAME), XPBD_ERROR_RANGE);
        assert_status(xpbd_world_read_positions(w, f, n, out, 0), XPBD_ERROR_RANGE);
        assert_status(xpbd_world_read_velocities(w, f, n, out, 0), XPBD_ERROR_RANGE);
        assert_status(xpbd_world_read_lambdas(w, XPBD_DISTANCE, f, n, out, 0), XPBD_ERROR_RANGE);
        assert_status(xpbd_world_read_forces(w, XPBD_DISTANCE, f, n, out, 0), XPBD_ERROR_RANGE);
        assert_status(xpbd_world_read_lambdas(w, XPBD_ATTACH, f, n, out, 0), XPBD_ERROR_RANGE);
    }
    const int no_types[] = {-1, XPBD_CONSTRAINT_TYPE_COUNT, 1000};
    for (uint32_t i = 0; i < COUNT_OF(no_types); i++) {
        xpbd_constraint_type type = (xpbd_constraint_type)no_types[i];
        assert_status(xpbd_world_enable_constraints(w, type, 0, 1, true), XPBD_ERROR_TYPE);
        assert_status(xpbd_world_read_lambdas(w, type, 0, 1, out, 0), XPBD_ERROR_TYPE);
        assert_status(xpbd_world_read_forces(w, type, 0, 1, out, 0), XPBD_ERROR_TYPE);
    }
    assert_same_hash(xpbd_world_hash(w), hash, "ranges past the end");
    xpbd_world_destroy(w);
}

/* A stride that carries the second element out of the address space is a mistake of the caller's
 * (often -1 or a negative difference); following it would crash. */
/* An undefined sum with a null pointer is seen by ubsan only. */
static void test_nothing_can_be_done_to_nothing(void **state)
{
    const xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_create(&def);
    const xpbd_particles none = {0};
    (void)state;
    assert_ok(xpbd_world_move_particles(w, 0, 0, NULL, 0));
    assert_ok(xpbd_world_set_forces(w, 0, 0, NULL, 0));
    assert_ok(xpbd_world_add_particles(w, 0, &none, NULL));
    assert_ok(xpbd_world_remove_particles(w, 0, 0, NULL));
    assert_ok(xpbd_world_compact(w, NULL, NULL));
    assert_ok(xpbd_world_step(w, 0.01));
    xpbd_world_destroy(w);
}

static void test_strides_that_overflow_are_refused(void **state)
{
    static const float zeros[12] = {0};
    const size_t huge = SIZE_MAX - 3; /* XPBD_SAME is SIZE_MAX */
    float out[12] = {0};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_spring(&def, 1.5f, 0.0f, 0.0f);
    xpbd_particles p = {.position = zeros, .position_stride = huge};
    (void)state;
    assert_int_not_equal(xpbd_world_add_particles(w, 3, &p, NULL), XPBD_OK);
    assert_int_not_equal(xpbd_world_set_positions(w, 0, 2, zeros, huge), XPBD_OK);
    assert_int_not_equal(xpbd_world_read_positions(w, 0, 2, out, huge), XPBD_OK);
    /* One element can not stand for all where elements are written. */
    assert_status(xpbd_world_read_positions(w, 0, 2, out, XPBD_SAME), XPBD_ERROR_STRIDE);
    xpbd_world_destroy(w);
}

static void test_reads_write_only_what_was_asked_for(void **state)
{
    kit_scene rope = kit_rope(6, 1.0f);
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_build(&def, &rope, 1e-3f);
    struct {
        float before, value[3], after;
    } out[8], untouched;
    (void)state;
    memset(out, 0x5a, sizeof out);
    memset(&untouched, 0x5a, sizeof untouched);
    assert_ok(xpbd_world_read_positions(w, 2, 3, out[1].value, sizeof out[0]));
    for (uint32_t i = 0; i < COUNT_OF(out); i++) {
        const bool written = i >= 1 && i < 4;
        assert_same_floats(&out[i].before, &untouched.before, 1);
        assert_same_floats(out[i].value, written ? rope.x[i + 1] : untouched.value, 3);
        assert_same_floats(&out[i].after, &untouched.after, 1);
    }
    kit_scene_free(&rope);
    xpbd_world_destroy(w);
}

static void test_N21_steps_of_no_length_are_refused(void **state)
{
    static const double bad[] = {0.0,   -0.0,   -1.0 / 60, NAN,  INFINITY, -INFINITY,
                                 1e-30, 0.9e-9, 1000.1,    1e30, 1e300,    -1e-300};
    xpbd_world_def def = kit_def(NULL);
    def.acceleration[0] = 10.0f;
    xpbd_world *w = kit_spring(&def, 1.0f, 1e-3f, 0.0f);
    xpbd_world *twin = kit_spring(&def, 1.0f, 1e-3f, 0.0f);
    (void)state;
    kit_steps(w, 5, 1.0 / 60);
    kit_steps(twin, 5, 1.0 / 60);
    const uint64_t hash = xpbd_world_hash(w);
    for (uint32_t i = 0; i < COUNT_OF(bad); i++) {
        assert_status(xpbd_world_step(w, bad[i]), XPBD_ERROR_TIME_STEP);
        assert_int_equal(xpbd_world_error(w)->status, XPBD_ERROR_TIME_STEP);
        assert_same_hash(xpbd_world_hash(w), hash, "refused time step");
    }
    kit_steps(w, 5, 1.0 / 60);
    kit_steps(twin, 5, 1.0 / 60);
    assert_same_hash(xpbd_world_hash(w), xpbd_world_hash(twin), "steps after refused ones");
    xpbd_world_destroy(w);
    xpbd_world_destroy(twin);
}

/* The limits hold for the substep, and for compliance / dt^2: 1e35 / 0.01^2 is no float. */
static void test_time_step_limits_are_those_of_the_substep(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_spring(&def, 1.5f, 1e-6f, 0.0f);
    float x[3];
    (void)state;
    assert_ok(xpbd_world_step(w, 1.1e-9));
    assert_ok(xpbd_world_step(w, 999.0));
    assert_ok(xpbd_world_set_solver(w, 10, 1));
    assert_status(xpbd_world_step(w, 5e-9), XPBD_ERROR_TIME_STEP);
    assert_ok(xpbd_world_step(w, 5000.0));
    assert_status(xpbd_world_step(w, 20000.0), XPBD_ERROR_TIME_STEP);
    kit_position(w, 1, x);
    assert_true(isfinite(x[0]));
    xpbd_world_destroy(w);

    w = kit_spring(&def, 1.5f, 1e35f, 0.0f);
    assert_ok(xpbd_world_step(w, 1.0));
    const uint64_t hash = xpbd_world_hash(w);
    assert_status(xpbd_world_step(w, 0.01), XPBD_ERROR_TIME_STEP);
    assert_same_hash(xpbd_world_hash(w), hash, "compliance / dt^2 overflows");
    const float soft = 1.0f; /* the limit follows the compliance */
    xpbd_constraints c = {.compliance = &soft};
    assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, 1, &c));
    assert_ok(xpbd_world_step(w, 0.01));
    xpbd_world_destroy(w);
}

/* alpha~ and gamma = alpha beta / dt may be huge, but what comes out are numbers: an infinity of
 * either would be infinity times 0 for a constraint at rest. Refused or solved, never NaN. */
static void test_extreme_compliance_and_damping_give_numbers(void **state)
{
    static const float huge[][2] = {{1e30f, 0},      {1e34f, 0},     {1e30f, 1e30f},
                                    {1e-3f, 3e38f},  {3e38f, 3e38f}, {1e-38f, 3e38f},
                                    {1e-45f, 1e-45f}};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        for (uint32_t i = 0; i < COUNT_OF(huge); i++) {
            for (float x = 1.0f; x < 2; x += 0.5f) {
                xpbd_world_def def = kit_def(name);
                xpbd_world *w = kit_spring(&def, x, huge[i][0], huge[i][1]);
                xpbd_diagnostics d;
                for (int k = 0; k < 3; k++) {
                    xpbd_status status = xpbd_world_step(w, 1.0 / 60);
                    assert_true(status == XPBD_OK || (i > 0 && status == XPBD_ERROR_TIME_STEP));
                }
                assert_ok(xpbd_world_diagnose(w, &d));
                assert_int_equal(d.n_nonfinite, 0);
                assert_true(isfinite(kit_lambda(w, 0)));
                xpbd_world_destroy(w);
            }
        }
    }
}

/* Nothing but the numbers is at fault here: the step must come back, and the count must say it. */
static void test_a_state_that_overflows_is_counted_not_fatal(void **state)
{
    static const float x[3][3] = {{0, 0, 0}, {3e38f, 0, 0}, {1, 0, 0}};
    static const float v[3][3] = {{1, 0, 0}, {3e38f, 0, 0}, {0, 0, 0}};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_create(&def);
    xpbd_particles p = {.position = x[0], .velocity = v[0]};
    xpbd_diagnostics d;
    float at[3];
    (void)state;
    assert_ok(xpbd_world_add_particles(w, 3, &p, NULL));
    assert_ok(xpbd_world_diagnose(w, &d));
    assert_int_equal(d.n_nonfinite, 0);
    assert_ok(xpbd_world_step(w, 2.0));
    assert_ok(xpbd_world_diagnose(w, &d));
    assert_int_equal(d.n_nonfinite, 1);
    assert_int_equal(d.first_nonfinite, 1);
    kit_position(w, 0, at);
    assert_near(at[0], 2.0, 0.0);
    assert_ok(xpbd_world_set_positions(w, 1, 1, x[2], 0));
    assert_ok(xpbd_world_set_velocities(w, 1, 1, v[2], 0));
    assert_ok(xpbd_world_step(w, 2.0));
    assert_ok(xpbd_world_diagnose(w, &d));
    assert_int_equal(d.n_nonfinite, 0);
    xpbd_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_worlds_are_refused_by_every_function),
        cmocka_unit_test(test_null_arrays_are_refused),
        cmocka_unit_test(test_ranges_past_the_end_are_refused),
        cmocka_unit_test(test_nothing_can_be_done_to_nothing),
        cmocka_unit_test(test_strides_that_overflow_are_refused),
        cmocka_unit_test(test_reads_write_only_what_was_asked_for),
        cmocka_unit_test(test_N21_steps_of_no_length_are_refused),
        cmocka_unit_test(test_time_step_limits_are_those_of_the_substep),
        cmocka_unit_test(test_extreme_compliance_and_damping_give_numbers),
        cmocka_unit_test(test_a_state_that_overflows_is_counted_not_fatal),
    };
    return RUN_GROUP("api_ranges", tests);
}
