/* SPDX-License-Identifier: MIT
 *
 * Proves that a world runs on the host's threads with the bits of its own: every scheduler, on a
 * pool of threads, one task after the other, backwards, with more workers than there is work.
 */
#define _POSIX_C_SOURCE 200809L /* alarm */

#include "examples/host_pool/pool.h"
#include "support.h"

#include <fenv.h>
#include <unistd.h>

/* Counts what is asked for, and does it in the manner of the test. */
typedef struct host {
    pool *threads; /* null: one after the other */
    bool backwards;
    uint32_t most, n_calls;
} host;

static void parallel_for(void *user, uint32_t count, void (*task)(void *context, uint32_t worker),
                         void *context)
{
    host *h = user;
    h->most = count > h->most ? count : h->most;
    h->n_calls++;
    if (h->threads) {
        pool_for(h->threads, count, task, context);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        task(context, h->backwards ? count - 1 - i : i);
    }
}

static xpbd_world *make_world(const char *scheduler, host *h, uint32_t workers)
{
    const xpbd_task_system tasks = {parallel_for, h, workers};
    kit_scene cloth = kit_grid(80, 80, 0.05f, KIT_STRUCTURAL | KIT_SHEAR);
    cloth.w[0] = 0;
    xpbd_world_def def = kit_def(scheduler);
    def.acceleration[1] = -9.81f;
    def.iterations = 4;
    def.threads = h ? 0 : 1;
    def.task_system = h ? &tasks : NULL;
    xpbd_world *w = kit_build(&def, &cloth, 1e-6f);
    /* Some break, which is a loop over threads of its own. */
    const float force = 0.2f;
    const xpbd_constraints weak = {.break_force = &force, .break_force_stride = XPBD_SAME};
    assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, cloth.n_pairs, &weak));
    kit_scene_free(&cloth);
    return w;
}

static uint64_t run(const char *scheduler, host *h, uint32_t workers)
{
    xpbd_world *w = make_world(scheduler, h, workers);
    kit_steps(w, 3, 1.0 / 60);
    const uint64_t hash = xpbd_world_hash(w);
    xpbd_world_destroy(w);
    return hash;
}

static void test_every_scheduler_runs_on_the_threads_of_the_host(void **state)
{
    static const uint32_t workers[] = {1, 2, 3, 200};
    const char *name;
    (void)state;
    host pooled = {.threads = pool_start(2)};
    assert_non_null(pooled.threads);
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        const uint64_t want = run(name, NULL, 0);
        for (uint32_t k = 0; k < COUNT_OF(workers); k++) {
            host forwards = {0}, backwards = {.backwards = true};
            assert_same_hash(run(name, &forwards, workers[k]), want, name);
            assert_same_hash(run(name, &backwards, workers[k]), want, name);
            pooled.most = pooled.n_calls = 0;
            assert_same_hash(run(name, &pooled, workers[k]), want, name);
            /* Never more than there are workers; all of them where there is work for them. */
            assert_true(pooled.most <= workers[k]);
            if (s > 0) { /* the first row is serial */
                assert_true(workers[k] == 1 ? pooled.n_calls == 0 : pooled.n_calls > 12);
                assert_true(workers[k] > 3 || workers[k] == 1 || pooled.most == workers[k]);
            }
        }
    }
    pool_stop(pooled.threads);
}

/* Threads asked for are a part of the host's; nothing is bound. */
static void test_threads_are_counted_among_the_workers(void **state)
{
    static const struct {
        int32_t asked;
        uint32_t got;
    } rows[] = {{0, 4}, {1, 1}, {3, 3}, {9, 4}};
    host h = {0};
    xpbd_world_summary summary;
    (void)state;
    xpbd_world *w = make_world(NULL, &h, 4);
    for (uint32_t k = 0; k < COUNT_OF(rows); k++) {
        assert_ok(xpbd_world_set_threads(w, rows[k].asked));
        assert_ok(xpbd_world_summarize(w, &summary));
        assert_int_equal(summary.threads, rows[k].got);
        assert_false(summary.oversubscribed);
        assert_string_equal(summary.binding, "left to the host");
        h.most = 0;
        kit_steps(w, 1, 1.0 / 60);
        assert_int_equal(h.most, rows[k].got == 1 ? 0 : rows[k].got);
    }
    xpbd_world_destroy(w);
}

/* The rounding mode of the host's threads is not that of the library. */
static void round_up(void *user, uint32_t count, void (*task)(void *context, uint32_t worker),
                     void *context)
{
    (void)user;
    fesetround(FE_UPWARD);
    for (uint32_t i = 0; i < count; i++) {
        task(context, i);
    }
    fesetround(FE_TONEAREST);
}

static void test_the_rounding_of_the_hosts_threads_reaches_no_number(void **state)
{
    host h = {0};
    xpbd_task_system tasks = {round_up, NULL, 3};
    (void)state;
    const uint64_t want = run("slab-gs", &h, 3);
    kit_scene cloth = kit_grid(80, 80, 0.05f, KIT_STRUCTURAL | KIT_SHEAR);
    cloth.w[0] = 0;
    xpbd_world_def def = kit_def("slab-gs");
    def.acceleration[1] = -9.81f;
    def.iterations = 4;
    def.task_system = &tasks;
    xpbd_world *w = kit_build(&def, &cloth, 1e-6f);
    const float force = 0.2f;
    const xpbd_constraints weak = {.break_force = &force, .break_force_stride = XPBD_SAME};
    assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, cloth.n_pairs, &weak));
    kit_steps(w, 3, 1.0 / 60);
    assert_same_hash(xpbd_world_hash(w), want, "upward");
    xpbd_world_destroy(w);
    kit_scene_free(&cloth);
}

static void test_a_task_system_that_is_none_is_refused(void **state)
{
    const xpbd_task_system bad[] = {{NULL, NULL, 2}, {parallel_for, NULL, 0}};
    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(bad); k++) {
        xpbd_world_def def = xpbd_default_world_def();
        xpbd_world *w;
        xpbd_error error;
        def.task_system = &bad[k];
        assert_status(xpbd_world_create(&def, &w, &error), XPBD_ERROR_TASK_SYSTEM);
        assert_null(w);
        assert_non_null(strstr(error.text, k ? "no workers" : "no parallel_for"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_scheduler_runs_on_the_threads_of_the_host),
        cmocka_unit_test(test_threads_are_counted_among_the_workers),
        cmocka_unit_test(test_the_rounding_of_the_hosts_threads_reaches_no_number),
        cmocka_unit_test(test_a_task_system_that_is_none_is_refused),
    };
    alarm(300);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
