/* SPDX-License-Identifier: MIT
 *
 * Runs the experiments that are named on the command line, in the short form, and fails where a
 * claim does. With --table, the names have to be those of experiments.def, all of them.
 */
#include "support.h"

#include "bench/validation/validation.h"

static int n_names;
static char **names;

static const val_experiment *find(const char *name)
{
    for (uint32_t i = 0; val_experiment_at(i); i++) {
        if (!strcmp(val_experiment_at(i)->name, name)) {
            return val_experiment_at(i);
        }
    }
    return NULL;
}

static void test_table_has_the_names_that_are_run(void **state)
{
    int n = 0;
    (void)state;
    while (val_experiment_at((uint32_t)n)) {
        n++;
    }
    assert_int_equal(n, n_names);
    for (int i = 0; i < n_names; i++) {
        assert_non_null(find(names[i]));
    }
}

static void test_claims_hold(void **state)
{
    (void)state;
    for (int i = 0; i < n_names; i++) {
        val_report report = {.full = false};
        uint32_t claimed = 0, failed = 0;
        assert_non_null(find(names[i]));
        find(names[i])->run(&report);
        for (uint32_t k = 0; k < report.n_claims; k++) {
            const val_claim *c = &report.claim[k];
            claimed += c->kind != VAL_SHOWN;
            if (!val_holds(c)) {
                print_error("%s: measured %.9g, claimed %.9g (+- %.2g): %s\n", c->what, c->measured,
                            c->claimed, c->tolerance, c->why);
                failed++;
            }
        }
        val_clear(&report);
        assert_true(claimed > 0);
        assert_int_equal(failed, 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest claims[] = {cmocka_unit_test(test_claims_hold)};
    const struct CMUnitTest table[] = {cmocka_unit_test(test_table_has_the_names_that_are_run)};
    const bool is_table = argc > 1 && !strcmp(argv[1], "--table");
    n_names = argc - 1 - is_table;
    names = argv + 1 + is_table;
    if (n_names < 1) {
        return 1;
    }
    return is_table ? RUN_GROUP("validation_table", table) : RUN_GROUP("validation", claims);
}
