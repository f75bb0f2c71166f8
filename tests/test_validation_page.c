/* SPDX-License-Identifier: MIT
 *
 * Proves the page and the judgement of claims: what fails is said to fail, a plot is drawn whatever
 * the numbers, and the file needs nothing from elsewhere.
 */
#include "support.h"

#include "bench/validation/validation.h"

#include <math.h>

static bool judge(val_kind kind, double claimed, double measured, double tolerance)
{
    return val_holds(&(val_claim){NULL, NULL, kind, claimed, measured, tolerance});
}

static void test_claims_are_judged(void **state)
{
    (void)state;
    assert_true(judge(VAL_NEAR, 1, 1.1, 0.11) && !judge(VAL_NEAR, 1, 1.1, 0.09));
    assert_true(judge(VAL_AT_MOST, 1, 1, 0) && !judge(VAL_AT_MOST, 1, 1.1, 0));
    assert_true(judge(VAL_AT_LEAST, 1, 1, 0) && !judge(VAL_AT_LEAST, 1, 0.9, 0));
    for (int kind = VAL_NEAR; kind <= VAL_AT_LEAST; kind++) {
        assert_false(judge((val_kind)kind, 1, NAN, 10));
    }
    assert_false(judge(VAL_NEAR, INFINITY, 1, 10));
}

/* All that is written by `write`, as text; the caller frees. */
static char *written(val_report *reports, const val_plot *plot)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    if (plot) {
        val_write_plot(file, plot);
    } else {
        val_write_page(file, reports);
    }
    const long size = ftell(file);
    assert_true(size > 0);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

static void test_page_tells_what_fails_and_stands_alone(void **state)
{
    val_report reports[64] = {{0}};
    (void)state;
    for (uint32_t i = 0; val_experiment_at(i); i++) {
        assert_true(i < COUNT_OF(reports));
        val_about(&reports[i], "a = b", "setting", i ? NULL : "a number");
        val_near(&reports[i], "good", 1, 1, 0, "why");
    }
    val_near(&reports[1], "bad", 1, 2, 0.5, "why");
    char *page = written(reports, NULL);
    assert_non_null(strstr(page, "FAILS"));
    assert_non_null(strstr(page, "Not in the paper: a number"));
    for (uint32_t i = 0; val_experiment_at(i); i++) {
        assert_non_null(strstr(page, val_experiment_at(i)->title));
    }
    assert_null(strstr(page, "http"));
    assert_null(strstr(page, "src="));
    assert_null(strstr(page, "nan"));
    free(page);
    for (uint32_t i = 0; val_experiment_at(i); i++) {
        val_clear(&reports[i]);
    }
}

static void test_plots_survive_odd_numbers(void **state)
{
    static const double y[] = {0, -1, NAN, INFINITY, 1e-300, 1e300, 1};
    val_report report = {0};
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        val_plot *p = val_add_plot(&report, "plot", "x", "y", kind == 1, kind >= 1);
        val_curve *c = val_add_curve(p, "curve");
        for (uint32_t i = 0; i < COUNT_OF(y) && kind < 2; i++) {
            val_point(c, y[i], y[COUNT_OF(y) - 1 - i]);
        }
        char *svg = written(NULL, p);
        assert_null(strstr(svg, "nan"));
        assert_null(strstr(svg, "inf"));
        free(svg);
    }
    val_clear(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims_are_judged),
        cmocka_unit_test(test_page_tells_what_fails_and_stands_alone),
        cmocka_unit_test(test_plots_survive_odd_numbers),
    };
    return RUN_GROUP("validation_page", tests);
}
