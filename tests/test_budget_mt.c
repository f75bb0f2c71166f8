/* SPDX-License-Identifier: MIT
 *
 * Proves that a step ends when its time is over: with one iteration per substep where there is none
 * at all, with all of them and the same bits where there is plenty, on any number of threads; and
 * what the report says of it.
 */
#define _POSIX_C_SOURCE 200809L /* alarm */

#include "support.h"

#include <unistd.h>

static xpbd_world *make_world(const char *scheduler, int32_t threads)
{
    kit_scene cloth = kit_grid(64, 64, 0.05f, KIT_STRUCTURAL | KIT_SHEAR);
    cloth.w[0] = 0;
    xpbd_world_def def = kit_def(scheduler);
    def.acceleration[1] = -9.81f;
    def.iterations = 20;
    def.substeps = 3;
    def.threads = threads;
    xpbd_world *w = kit_build(&def, &cloth, 1e-6f);
    kit_scene_free(&cloth);
    return w;
}

static xpbd_step_report report_of(const xpbd_world *w)
{
    xpbd_step_report report;
    assert_ok(xpbd_world_read_report(w, &report));
    return report;
}

/* No iteration over 16,000 constraints takes less than a microsecond. */
static void test_without_time_each_substep_has_one_iteration(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        xpbd_world *one = make_world(name, 1);
        assert_ok(xpbd_world_set_solver(one, 3, 1));
        kit_steps(one, 4, 1.0 / 60);
        for (int32_t threads = 1; threads <= 3; threads++) {
            xpbd_world *w = make_world(name, threads);
            assert_ok(xpbd_world_set_budget(w, 1));
            kit_steps(w, 4, 1.0 / 60);
            const xpbd_step_report report = report_of(w);
            assert_int_equal(report.iterations, 3);
            assert_int_equal(report.n_late, 3);
            assert_int_equal(report.substeps, 3);
            assert_true(report.seconds > 0.0 && report.threads >= 1);
            /* Chebyshev's factors depend on how many iterations were to come. */
            if (strcmp(name, "jacobi-chebyshev") != 0) {
                assert_same_hash(xpbd_world_hash(w), xpbd_world_hash(one), name);
            }
            xpbd_world_destroy(w);
        }
        xpbd_world_destroy(one);
    }
}

static void test_with_time_enough_nothing_changes(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        xpbd_world *plain = make_world(name, 1);
        kit_steps(plain, 3, 1.0 / 60);
        for (int32_t threads = 1; threads <= 2; threads++) {
            xpbd_world *w = make_world(name, threads);
            assert_ok(xpbd_world_set_budget(w, UINT32_MAX)); /* 71 minutes */
            kit_steps(w, 3, 1.0 / 60);
            const xpbd_step_report report = report_of(w);
            assert_int_equal(report.iterations, 60);
            assert_int_equal(report.n_late, 0);
            assert_same_hash(xpbd_world_hash(w), xpbd_world_hash(plain), name);
            assert_ok(xpbd_world_set_budget(w, 0));
            kit_steps(w, 1, 1.0 / 60);
            assert_int_equal(report_of(w).iterations, 60);
            xpbd_world_destroy(w);
        }
        xpbd_world_destroy(plain);
    }
}

/* A tolerance that is never met: one looks at the clock when one looks at the residual. */
static void test_a_budget_and_a_tolerance(void **state)
{
    (void)state;
    xpbd_world *w = make_world("slab-gs", 2);
    assert_ok(xpbd_world_set_tolerance(w, 1e-30f, 5));
    assert_ok(xpbd_world_set_budget(w, 1));
    kit_steps(w, 1, 1.0 / 60);
    xpbd_step_report report = report_of(w);
    assert_int_equal(report.iterations, 3 * 5);
    assert_int_equal(report.n_late, 3);
    assert_int_equal(report.n_unfinished, 3);
    assert_true(report.sweep_residual > 0.0);
    assert_ok(xpbd_world_set_budget(w, 0));
    kit_steps(w, 1, 1.0 / 60);
    report = report_of(w);
    assert_int_equal(report.iterations, 3 * 20);
    assert_int_equal(report.n_late, 0);
    xpbd_world_destroy(w);
}

static bool end_after_two(void *user, xpbd_world *world, uint32_t substep)
{
    (void)user, (void)world;
    return substep < 1;
}

static void test_what_is_refused_and_what_is_reported(void **state)
{
    (void)state;
    xpbd_world *w = make_world(NULL, 1);
    xpbd_step_report report = report_of(w);
    assert_true(report.iterations == 0 && report.substeps == 0 && report.threads == 0);
    assert_near(report.seconds, 0.0, 0.0);
    assert_status(xpbd_world_read_report(NULL, &report), XPBD_ERROR_NULL);
    assert_status(xpbd_world_read_report(w, NULL), XPBD_ERROR_NULL);
    assert_status(xpbd_world_set_budget(NULL, 1), XPBD_ERROR_NULL);
    /* What depends on the time can not be repeated. */
    assert_ok(xpbd_world_set_budget(w, 1));
    assert_status(xpbd_world_record_start(w), XPBD_ERROR_BUDGET);
    assert_ok(xpbd_world_set_budget(w, 0));
    assert_ok(xpbd_world_record_start(w));
    assert_status(xpbd_world_set_budget(w, 7), XPBD_ERROR_BUDGET);
    assert_non_null(strstr(xpbd_world_error(w)->text, "7 us"));
    assert_ok(xpbd_world_set_budget(w, 0));
    kit_steps(w, 1, 1.0 / 60);
    assert_int_equal(report_of(w).iterations, 60);
    assert_ok(xpbd_world_record_stop(w));
    assert_ok(xpbd_world_set_budget(w, 7));
    assert_ok(xpbd_world_set_substep_callback(w, end_after_two, NULL));
    kit_steps(w, 1, 1.0 / 60);
    assert_int_equal(report_of(w).substeps, 2);
    xpbd_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_time_each_substep_has_one_iteration),
        cmocka_unit_test(test_with_time_enough_nothing_changes),
        cmocka_unit_test(test_a_budget_and_a_tolerance),
        cmocka_unit_test(test_what_is_refused_and_what_is_reported),
    };
    alarm(300);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
