/* SPDX-License-Identifier: MIT
 *
 * Proves that the number of threads is chosen by what steps take: the fastest, soon, also when that
 * changes, at little cost; and that xpbd_world_explain() says what was chosen.
 */
#include "solver/tune.h"
#include "support.h"

/* Steps of a machine where `fast` threads take 1 and others 2, with n of them in all; returns the
 * seconds spent, and leaves the size used last. */
static double spend(xpbd_tune *tune, uint32_t fast, uint32_t n, uint32_t *last)
{
    double all = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        *last = xpbd_tune_next(tune);
        const double seconds = *last == fast ? 1.0 : 2.0;
        xpbd_tune_learn(tune, seconds);
        all += seconds;
    }
    return all;
}

static void test_sizes_are_all_and_halves_as_far_as_there_is_work(void **state)
{
    static const struct {
        uint32_t threads, useful, n, size[4];
    } rows[] = {
        {1, 9, 1, {1}},       {8, 1, 1, {1}},        {2, 9, 2, {2, 1}},
        {6, 9, 3, {6, 3, 1}}, {64, 5, 3, {5, 2, 1}}, {8, 100, 4, {8, 4, 2, 1}},
    };
    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(rows); k++) {
        xpbd_tune tune;
        xpbd_tune_begin(&tune, rows[k].threads, rows[k].useful);
        assert_int_equal(tune.n, rows[k].n);
        for (uint32_t i = 0; i < tune.n; i++)
            assert_int_equal(tune.threads[i], rows[k].size[i]);
    }
    xpbd_tune most;
    xpbd_tune_begin(&most, XPBD_THREADS_MAX, XPBD_THREADS_MAX);
    assert_int_equal(most.threads[most.n - 1], 1);
    assert_true(most.n <= XPBD_TUNE_MOST);
}

static void test_the_fastest_size_is_found_and_kept(void **state)
{
    static const uint32_t sizes[] = {8, 4, 2, 1};
    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(sizes); k++) {
        xpbd_tune tune;
        uint32_t last;
        xpbd_tune_begin(&tune, 8, 100);
        spend(&tune, sizes[k], 40, &last);
        assert_int_equal(last, sizes[k]);
        /* Looking for others costs a hundredth in the long run. */
        assert_below(spend(&tune, sizes[k], 10000, &last), 10000 * 1.01);
    }
}

static void test_a_change_of_the_machine_is_noticed(void **state)
{
    xpbd_tune tune;
    uint32_t last;
    (void)state;
    xpbd_tune_begin(&tune, 4, 100);
    spend(&tune, 4, 300, &last);
    assert_int_equal(last, 4);
    spend(&tune, 1, 40, &last); /* the one that goes on got slower: at once */
    assert_int_equal(last, 1);
    spend(&tune, 1, 20000, &last);                                /* trials have become rare */
    for (uint32_t i = 0; i < 3 * 4096 && tune.chosen != 1; i++) { /* another one got faster */
        last = xpbd_tune_next(&tune);
        xpbd_tune_learn(&tune, last == 2 ? 0.5 : 1.0);
    }
    assert_int_equal(tune.threads[tune.chosen], 2);
}

/* Of two that are as good nearly, the one that is in use stays. */
static void test_sizes_that_are_alike_do_not_change_places(void **state)
{
    xpbd_tune tune;
    uint64_t seed = 5;
    uint32_t changes = 0, chosen = 0;
    (void)state;
    xpbd_tune_begin(&tune, 2, 100);
    for (uint32_t i = 0; i < 5000; i++) {
        xpbd_tune_next(&tune);
        xpbd_tune_learn(&tune, 1.0 + 0.01 * (double)kit_uniform(&seed, -1, 1));
        changes += tune.chosen != chosen;
        chosen = tune.chosen;
    }
    assert_int_equal(changes, 0);
}

static void test_other_steps_are_measured_anew(void **state)
{
    xpbd_tune tune;
    uint32_t last;
    (void)state;
    xpbd_tune_begin(&tune, 4, 100);
    spend(&tune, 1, 100, &last);
    assert_int_equal(last, 1);
    xpbd_tune_forget(&tune);
    assert_int_equal(xpbd_tune_next(&tune), 4);
    xpbd_tune_learn(&tune, 1.0);
    spend(&tune, 2, 40, &last);
    assert_int_equal(last, 2);
}

static char *explain(const xpbd_world *w)
{
    size_t needed;
    assert_ok(xpbd_world_explain(w, NULL, 0, &needed));
    char *text = malloc(needed);
    assert_non_null(text);
    memset(text, 'x', needed);
    assert_ok(xpbd_world_explain(w, text, needed, NULL));
    assert_int_equal(strlen(text), needed - 1);
    return text;
}

static void assert_says(const xpbd_world *w, const char *what)
{
    char *text = explain(w);
    if (!strstr(text, what)) {
        print_error("expected \"%s\" in:\n%s", what, text);
        fail();
    }
    free(text);
}

static void test_a_world_explains_itself(void **state)
{
    (void)state;
    xpbd_world_def def = kit_def("slab-gs");
    def.threads = 1;
    kit_scene cloth = kit_grid(80, 80, 0.1f, KIT_STRUCTURAL | KIT_SHEAR);
    xpbd_world *w = kit_build(&def, &cloth, 0.0f);
    assert_says(w, "not prepared");
    kit_steps(w, 1, 0.01);
    assert_says(w, "6400 particles");
    assert_says(w, "scheduler: slab-gs (as asked for)");
    assert_says(w, "slabs have ");
    assert_says(w, "ordering: natural (automatic");
    assert_says(w, "layout: aos4 (automatic");
    assert_says(w, "threads: 1 of 1 (as asked for)");
    /* What does not fit is cut, and ended. */
    char cut[8];
    size_t needed;
    assert_ok(xpbd_world_explain(w, cut, sizeof cut, &needed));
    assert_string_equal(cut, "6400 pa");
    assert_true(needed > sizeof cut);
    assert_status(xpbd_world_explain(w, NULL, 5, NULL), XPBD_ERROR_NULL);
    assert_status(xpbd_world_explain(NULL, cut, sizeof cut, NULL), XPBD_ERROR_NULL);
    xpbd_world_destroy(w);
    kit_scene_free(&cloth);
    def = xpbd_default_world_def();
    def.layout = "soa";
    def.isa = "scalar";
    def.ordering = "rcm";
    def.scheduler = "serial-gs";
    cloth = kit_grid(3, 3, 0.1f, KIT_STRUCTURAL);
    w = kit_build(&def, &cloth, 0.0f);
    kit_steps(w, 1, 0.01);
    assert_says(w, "layout: soa (as asked for)");
    assert_says(w, "have no use for lanes");
    assert_says(w, "ordering: rcm (as asked for)");
    xpbd_world_destroy(w);
    kit_scene_free(&cloth);
}

/* A scene without work for two threads uses one, whatever the machine; asked for, it has them. */
static void test_a_small_scene_has_one_thread(void **state)
{
    xpbd_world_summary summary;
    (void)state;
    for (int32_t asked = 0; asked <= 2; asked += 2) {
        xpbd_world_def def = xpbd_default_world_def();
        def.threads = asked;
        kit_scene cloth = kit_grid(8, 8, 0.1f, KIT_STRUCTURAL);
        xpbd_world *w = kit_build(&def, &cloth, 0.0f);
        kit_steps(w, 2, 0.01);
        assert_ok(xpbd_world_summarize(w, &summary));
        assert_int_equal(summary.threads_active, asked == 0 ? 1 : 2);
        xpbd_world_destroy(w);
        kit_scene_free(&cloth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_are_all_and_halves_as_far_as_there_is_work),
        cmocka_unit_test(test_the_fastest_size_is_found_and_kept),
        cmocka_unit_test(test_a_change_of_the_machine_is_noticed),
        cmocka_unit_test(test_sizes_that_are_alike_do_not_change_places),
        cmocka_unit_test(test_other_steps_are_measured_anew),
        cmocka_unit_test(test_a_world_explains_itself),
        cmocka_unit_test(test_a_small_scene_has_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
