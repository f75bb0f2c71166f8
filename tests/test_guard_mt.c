/* SPDX-License-Identifier: MIT
 *
 * Proves that the guard finds what is too fast, pulled too hard or no number, names who did it,
 * and puts back no more than that; with the same bits on every scheduler's layouts, instruction
 * sets and threads, and without changing a scene that keeps within its limits.
 */
#define _POSIX_C_SOURCE 200809L /* alarm */
#include "support_zoo.h"

#include <math.h>
#include <unistd.h>

enum { SIDE = 12, BAD = 100 };

static xpbd_step_report report_of(const xpbd_world *w)
{
    xpbd_step_report report;
    assert_ok(xpbd_world_read_report(w, &report));
    return report;
}

static double speed_of(const float v[3])
{
    return sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
}

/* A cloth in which somebody has written a length of 1 km instead of 5 cm. */
static xpbd_world *make_bad(const xpbd_world_def *def)
{
    kit_scene cloth = kit_grid(SIDE, SIDE, 0.05f, KIT_STRUCTURAL | KIT_SHEAR);
    cloth.w[0] = cloth.w[SIDE - 1] = 0;
    xpbd_world *w = kit_build(def, &cloth, 1e-6f);
    const float rest = 1000;
    assert_ok(
        xpbd_world_set_constraints(w, XPBD_DISTANCE, BAD, 1, &(xpbd_constraints){.rest = &rest}));
    kit_scene_free(&cloth);
    return w;
}

static void check_report(const xpbd_step_report *got, const xpbd_step_report *want, const char *run)
{
    if (got->n_guarded != want->n_guarded || got->guard_substep != want->guard_substep ||
        got->guard_particle != want->guard_particle || got->guard_type != want->guard_type ||
        got->guard_index != want->guard_index)
        fail_msg("%s: %llu times, particle %u, constraint %d %u; expected %llu, %u, %d %u", run,
                 (unsigned long long)got->n_guarded, got->guard_particle, got->guard_type,
                 got->guard_index, (unsigned long long)want->n_guarded, want->guard_particle,
                 want->guard_type, want->guard_index);
    assert_memory_equal(&got->guard_speed, &want->guard_speed, sizeof got->guard_speed);
    assert_memory_equal(&got->guard_force, &want->guard_force, sizeof got->guard_force);
    assert_memory_equal(&got->guard_pull, &want->guard_pull, sizeof got->guard_pull);
}

static void test_the_culprit_is_named_and_all_runs_agree(void **state)
{
    static const struct {
        xpbd_guard guard;
        float max_speed, max_force;
    } limits[] = {{XPBD_GUARD_CLAMP, 20, INFINITY},
                  {XPBD_GUARD_CLAMP, 20, 1e4f},
                  {XPBD_GUARD_REPORT, INFINITY, 1e4f}};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        for (uint32_t l = 0; l < COUNT_OF(limits); l++) {
            xpbd_step_report want[3];
            uint64_t hash = 0;
            for (uint32_t run = 0; run < 6; run++) {
                xpbd_world_def def = kit_def(name);
                def.substeps = 2, def.iterations = 3;
                def.guard = limits[l].guard;
                def.max_speed = limits[l].max_speed, def.max_force = limits[l].max_force;
                def.layout = xpbd_layout_name(run % 2);
                def.isa = run < 4 && xpbd_isa_available(run) ? xpbd_isa_name(run) : NULL;
                def.threads = run ? 1 + (int32_t)run % 3 : 1;
                xpbd_world *w = make_bad(&def);
                for (uint32_t k = 0; k < 3; k++) {
                    kit_steps(w, 1, 1.0 / 60);
                    const xpbd_step_report got = report_of(w);
                    assert_true(got.n_guarded > 0);
                    want[k] = run ? want[k] : got;
                    check_report(&got, &want[k], name);
                }
                assert_int_equal(want[0].guard_type, XPBD_DISTANCE);
                assert_int_equal(want[0].guard_index, BAD);
                assert_int_equal(want[0].guard_substep, 0);
                assert_true(want[0].guard_pull > 1e4);
                float(*v)[3] = kit_velocities(w);
                for (uint32_t i = 0; limits[l].max_speed < 1e3f && i < SIDE * SIDE; i++)
                    assert_true(speed_of(v[i]) <= (double)limits[l].max_speed);
                free(v);
                hash = run ? hash : xpbd_world_hash(w);
                assert_same_hash(xpbd_world_hash(w), hash, name);
                xpbd_world_destroy(w);
            }
        }
    }
}

/* What does not fit into floats becomes infinite and then no number, in constraints of every type
 * and in pinned particles too: 0 times infinity. */
static void test_no_number_survives(void **state)
{
    static const float far[3] = {3e38f, -3e38f, 3e38f}, still[3] = {0};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        xpbd_world_def def = kit_def(name);
        def.substeps = 2, def.iterations = 4;
        def.guard = XPBD_GUARD_CLAMP, def.max_speed = 50;
        xpbd_world *w = kit_zoo(&def, true, NULL);
        float before[3], after[3], pinned[3];
        kit_steps(w, 3, 0.01);
        kit_position(w, 19, pinned); /* of inverse mass 0 */
        kit_position(w, 20, before);
        assert_ok(xpbd_world_set_positions(w, 20, 1, far, 0));
        kit_steps(w, 3, 0.01);
        xpbd_step_report report = report_of(w);
        assert_true(report.n_guarded > 0);
        assert_true(isinf(report.guard_speed) && isinf(report.guard_pull));
        assert_true(report.guard_type >= 0);
        xpbd_diagnostics d;
        assert_ok(xpbd_world_diagnose(w, &d));
        if (d.n_nonfinite != 0)
            fail_msg("%s: particle %u of %llu is no number", name, d.first_nonfinite,
                     (unsigned long long)d.n_nonfinite);
        kit_position(w, 19, after);
        for (uint32_t c = 0; c < 3; c++)
            assert_near(after[c], pinned[c], 0.0);
        /* Once it is where it was, all goes on. */
        assert_ok(xpbd_world_set_positions(w, 20, 1, before, 0));
        for (uint32_t i = 0; i < ZOO_PARTICLES; i++)
            assert_ok(xpbd_world_set_velocities(w, i, 1, still, 0));
        kit_steps(w, 20, 0.01);
        report = report_of(w);
        assert_true(!isinf(report.guard_speed));
        assert_ok(xpbd_world_diagnose(w, &d));
        assert_int_equal(d.n_nonfinite, 0);
        assert_true(isfinite(d.residual_max));
        xpbd_world_destroy(w);
    }
}

static void test_a_scene_within_its_limits_is_left_alone(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        uint64_t hash = 0;
        for (xpbd_guard guard = XPBD_GUARD_OFF; guard <= XPBD_GUARD_CLAMP; guard++) {
            xpbd_world_def def = kit_def(name);
            def.iterations = 3, def.guard = guard;
            def.max_speed = 1000, def.max_force = 1e7f;
            def.acceleration[1] = -9.81f;
            xpbd_world *w = kit_zoo(&def, true, NULL);
            kit_steps(w, 10, 0.01);
            const xpbd_step_report report = report_of(w);
            assert_int_equal(report.n_guarded, 0);
            assert_int_equal(report.guard_type, -1);
            hash = guard == XPBD_GUARD_OFF ? xpbd_world_hash(w) : hash;
            assert_same_hash(xpbd_world_hash(w), hash, name);
            xpbd_world_destroy(w);
        }
    }
}

static void test_a_report_changes_nothing(void **state)
{
    uint64_t hash = 0;
    (void)state;
    for (xpbd_guard guard = XPBD_GUARD_OFF; guard <= XPBD_GUARD_REPORT; guard++) {
        xpbd_world_def def = kit_def(NULL);
        def.guard = guard, def.max_speed = 1, def.max_force = 1;
        xpbd_world *w = make_bad(&def);
        kit_steps(w, 5, 0.01);
        assert_int_equal(report_of(w).n_guarded > 0, guard == XPBD_GUARD_REPORT);
        hash = guard == XPBD_GUARD_OFF ? xpbd_world_hash(w) : hash;
        assert_same_hash(xpbd_world_hash(w), hash, "reported");
        xpbd_world_destroy(w);
    }
}

static void test_the_direction_is_kept(void **state)
{
    static const float x[3][3] = {{1, 2, 3}, {10, 0, 0}, {20, 0, 0}}, w[3] = {1, 0, 1};
    static const float v[3][3] = {{3000, 4000, 0}, {600, 0, 0}, {30, 40, 0}};
    float end[3], now[3];
    (void)state;
    xpbd_world_def def = kit_def(NULL);
    def.guard = XPBD_GUARD_CLAMP, def.max_speed = 50;
    xpbd_world *world = kit_create(&def);
    kit_add_particles(world, 3, x, w);
    assert_ok(xpbd_world_set_velocities(world, 0, 3, v[0], 0));
    kit_steps(world, 1, 0.125);
    xpbd_step_report report = report_of(world);
    assert_int_equal(report.n_guarded, 1);
    assert_int_equal(report.guard_particle, 0);
    assert_int_equal(report.guard_type, -1); /* nobody pulled */
    assert_near(report.guard_speed, 5000, 0.0);
    kit_velocity(world, 0, now);
    kit_position(world, 0, end);
    assert_near(now[0], 30, 1e-5);
    assert_near(now[1], 40, 1e-5);
    assert_near(end[0], 1 + 0.125 * 30, 1e-5);
    assert_near(end[1], 2 + 0.125 * 40, 1e-5);
    kit_position(world, 1, end); /* a pinned one goes as fast as the caller says */
    assert_near(end[0], 10 + 0.125 * 600, 0.0);
    kit_velocity(world, 2, now); /* at the limit is within it */
    assert_same_floats(now, v[2], 3);
    kit_steps(world, 1, 0.125); /* what was put back is not found again */
    report = report_of(world);
    assert_int_equal(report.n_guarded, 0);
    xpbd_world_destroy(world);
}

/* A spring stretched by 1 m: 1 kg, 1 / (0.01 m/N + dt^2), so 1 m / 0.02 = 50 N at dt = 0.1 s. */
static void test_forces_are_limited(void **state)
{
    float x[3];
    (void)state;
    for (xpbd_guard guard = XPBD_GUARD_REPORT; guard <= XPBD_GUARD_CLAMP; guard++) {
        xpbd_world_def def = kit_def(NULL);
        def.iterations = 1, def.guard = guard, def.max_force = 10;
        xpbd_world *w = kit_spring(&def, 2, 0.01f, 0);
        kit_steps(w, 1, 0.1);
        const xpbd_step_report report = report_of(w);
        assert_int_equal(report.n_guarded, 1);
        assert_int_equal(report.guard_particle, 1);
        assert_int_equal(report.guard_type, XPBD_DISTANCE);
        assert_int_equal(report.guard_index, 0);
        assert_near(report.guard_force, 50, 1e-3);
        assert_near(report.guard_pull, 50, 1e-3);
        kit_position(w, 1, x); /* w F dt^2 away */
        assert_near(x[0], guard == XPBD_GUARD_CLAMP ? 2 - 0.1 : 2 - 0.5, 1e-5);
        kit_velocity(w, 1, x);
        assert_near(x[0], guard == XPBD_GUARD_CLAMP ? -1 : -5, 1e-4);
        xpbd_world_destroy(w);
    }
}

/* Of several too fast ones the one that is farthest over the limit, in the first substep. */
static bool push(void *user, xpbd_world *world, uint32_t substep)
{
    static const float v[3] = {0, 0, 70};
    (void)user;
    if (substep == 1)
        assert_ok(xpbd_world_set_velocities(world, 2, 1, v, 0));
    if (substep == 2)
        assert_ok(xpbd_world_set_velocities(world, 0, 1, (float[]){0, 900, 0}, 0));
    return true;
}

static void test_the_first_substep_counts(void **state)
{
    static const float x[3][3] = {{0}};
    (void)state;
    xpbd_world_def def = kit_def(NULL);
    def.substeps = 5, def.guard = XPBD_GUARD_REPORT, def.max_speed = 10;
    xpbd_world *world = kit_create(&def);
    kit_add_particles(world, 3, x, NULL);
    assert_ok(xpbd_world_set_substep_callback(world, push, NULL));
    kit_steps(world, 1, 0.1);
    xpbd_step_report report = report_of(world);
    assert_int_equal(report.guard_substep, 2);
    assert_int_equal(report.guard_particle, 2);
    assert_near(report.guard_speed, 70, 0.0);
    assert_int_equal(report.n_guarded, 3 + 2);
    /* What came later in that step is no part of the next. */
    const float slow[3][3] = {{0}, {20, 0, 0}, {0}};
    assert_ok(xpbd_world_set_substep_callback(world, NULL, NULL));
    assert_ok(xpbd_world_set_velocities(world, 0, 3, slow[0], 0));
    kit_steps(world, 1, 0.1);
    report = report_of(world);
    assert_int_equal(report.guard_substep, 0);
    assert_int_equal(report.guard_particle, 1);
    assert_near(report.guard_speed, 20, 0.0);
    xpbd_world_destroy(world);
}

static void count_warnings(void *user, xpbd_log_level level, const char *text)
{
    if (level == XPBD_LOG_WARNING && strstr(text, "guard: ")) {
        assert_non_null(strstr(text, "particle"));
        ++*(uint32_t *)user;
    }
}

static void test_the_host_is_told_once(void **state)
{
    uint32_t n = 0;
    (void)state;
    xpbd_world_def def = kit_def(NULL);
    def.guard = XPBD_GUARD_REPORT, def.max_speed = 1;
    def.log = (xpbd_log){count_warnings, &n};
    xpbd_world *w = kit_create(&def);
    kit_add_particles(w, 1, (const float[1][3]){{0}}, NULL);
    const float fast[3] = {2, 0, 0}, slow[3] = {0};
    for (int round = 1; round < 3; round++) {
        assert_ok(xpbd_world_set_velocities(w, 0, 1, fast, 0));
        kit_steps(w, 3, 0.01);
        assert_int_equal(n, round);
        assert_ok(xpbd_world_set_velocities(w, 0, 1, slow, 0));
        kit_steps(w, 1, 0.01);
    }
    xpbd_world_destroy(w);
}

static bool try_inside(void *user, xpbd_world *world, uint32_t substep)
{
    (void)user, (void)substep;
    assert_status(xpbd_world_set_guard(world, XPBD_GUARD_OFF, 1, 1), XPBD_ERROR_INSIDE_STEP);
    return true;
}

static void test_refusals(void **state)
{
    static const float bad[] = {0, -1, NAN, -INFINITY};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_spring(&def, 2, 0, 0), *none;
    xpbd_error error;
    (void)state;
    assert_status(xpbd_world_set_guard(NULL, XPBD_GUARD_OFF, 1, 1), XPBD_ERROR_NULL);
    for (uint32_t i = 0; i < COUNT_OF(bad); i++) {
        assert_status(xpbd_world_set_guard(w, XPBD_GUARD_CLAMP, bad[i], 1), XPBD_ERROR_GUARD);
        assert_non_null(strstr(xpbd_world_error(w)->text, "max_speed"));
        assert_status(xpbd_world_set_guard(w, XPBD_GUARD_CLAMP, 1, bad[i]), XPBD_ERROR_GUARD);
        assert_non_null(strstr(xpbd_world_error(w)->text, "max_force"));
        def.max_speed = bad[i];
        assert_status(xpbd_world_create(&def, &none, &error), XPBD_ERROR_GUARD);
        def.max_speed = INFINITY;
    }
    assert_status(xpbd_world_set_guard(w, (xpbd_guard)3, 1, 1), XPBD_ERROR_GUARD);
    def.guard = 77;
    assert_status(xpbd_world_create(&def, &none, &error), XPBD_ERROR_GUARD);
    assert_ok(xpbd_world_set_substep_callback(w, try_inside, NULL));
    kit_steps(w, 1, 0.01);
    xpbd_world_destroy(w);
}

/* On and off while it runs, and through a snapshot. */
static void test_it_can_be_changed_and_is_saved(void **state)
{
    (void)state;
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = make_bad(&def);
    assert_ok(xpbd_world_prepare(w));
    assert_ok(xpbd_world_set_guard(w, XPBD_GUARD_CLAMP, 5, 1e5f));
    kit_steps(w, 2, 0.01);
    assert_true(report_of(w).n_guarded > 0);
    size_t size;
    assert_ok(xpbd_world_save(w, 0, NULL, &size));
    void *bytes = malloc(size);
    assert_ok(xpbd_world_save(w, size, bytes, &size));
    xpbd_world *other = kit_create(&def);
    assert_ok(xpbd_world_load(other, size, bytes));
    free(bytes);
    kit_steps(w, 3, 0.01);
    kit_steps(other, 3, 0.01);
    assert_true(report_of(other).n_guarded > 0);
    assert_same_hash(xpbd_world_hash(other), xpbd_world_hash(w), "loaded");
    assert_ok(xpbd_world_set_guard(w, XPBD_GUARD_OFF, 5, 1e5f));
    kit_steps(w, 1, 0.01);
    assert_int_equal(report_of(w).n_guarded, 0);
    xpbd_world_destroy(w);
    xpbd_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_culprit_is_named_and_all_runs_agree),
        cmocka_unit_test(test_no_number_survives),
        cmocka_unit_test(test_a_scene_within_its_limits_is_left_alone),
        cmocka_unit_test(test_a_report_changes_nothing),
        cmocka_unit_test(test_the_direction_is_kept),
        cmocka_unit_test(test_forces_are_limited),
        cmocka_unit_test(test_the_first_substep_counts),
        cmocka_unit_test(test_the_host_is_told_once),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_it_can_be_changed_and_is_saved),
    };
    alarm(280); /* a barrier that never opens ends as a failure, not as a hung build */
    return RUN_GROUP("guard_mt", tests);
}
