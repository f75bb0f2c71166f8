/* SPDX-License-Identifier: MIT
 *
 * Regression tests of faults in result files known from other suites: figures that are no JSON,
 * differences found where there are none, debug builds among the results. A test is named after its
 * entry in the log of known trouble.
 */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "bench/gbench.h"
#include "bench/report/compare.h"
#include "bench/report/report.h"

#include <math.h>
#include <unistd.h>

/* Write a file of two rows with figures of a diverged scene and of one without constraints. */
static char *odd_file(void)
{
    const gbench_counter odd[] = {{"residual_rms", (double)NAN},
                                  {"speed_up", (double)INFINITY},
                                  {"items_per_second", 0.0 / 1.0},
                                  {"padding", -(double)INFINITY},
                                  {"constraints", 0}};
    gbench_context("libxpbd_version", "0.1.0");
    gbench *file = gbench_open();
    assert_non_null(file);
    const gbench_run run = {.name = "solve/empty/a/b/c/threads:1",
                            .repetitions = 1,
                            .threads = 1,
                            .iterations = 1,
                            .real_s = 1e-3,
                            .cpu_s = 1e-3,
                            .counters = odd,
                            .n_counters = COUNT_OF(odd)};
    assert_int_equal(gbench_row(file, &run), 0);
    gbench_run failed = run;
    failed.name = "solve/diverged/a/b/c/threads:1";
    failed.family = 1;
    failed.error = "the state is not finite after the fixed run: \"nan\"";
    assert_int_equal(gbench_row(file, &failed), 0);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(gbench_close(file, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* The next value of a key, as text. */
static void check_value(const char *text, const char *key, const char *want)
{
    const char *at = strstr(text, key);
    assert_non_null(at);
    at = strchr(at + strlen(key), ':');
    assert_non_null(at);
    at += 1 + strspn(at + 1, " ");
    assert_memory_equal(at, want, strlen(want));
}

/* What is no number is left out, what failed says so; no word of the text is outside of JSON. */
static void test_R06_figures_that_are_no_numbers(void **state)
{
    (void)state;
    char *text = odd_file();
    static const char *const absent[] = {"residual_rms", "speed_up", "padding", ": nan",
                                         ": -nan",       ": inf",    ": -inf",  ",,"};
    for (uint32_t i = 0; i < COUNT_OF(absent); i++)
        assert_null(strstr(text, absent[i]));
    check_value(text, "\"items_per_second\"", "0.0");
    check_value(text, "\"constraints\"", "0.0");
    check_value(text, "\"error_occurred\"", "true");
    char path[512];
    const char *folder = getenv("TEST_TMPDIR");
    snprintf(path, sizeof path, "%s/odd_XXXXXX", folder ? folder : "/tmp");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (int)strlen(text));
    close(file);
    report r;
    const char *const paths[] = {path};
    report_load(&r, paths, 1); /* by a strict parser */
    assert_int_equal(r.refused.n, 0);
    assert_int_equal(r.n_rows, 2);
    assert_int_equal(r.rows[1].n, 0); /* no figure of what failed */
    report_free(&r);
    unlink(path);
    free(text);
}

enum { SAMPLES = 9 };

/* Times of a busy machine: 1 % of noise, and every fourth sample a third slower. */
static void fill(report_row *row, uint64_t *seed)
{
    for (int i = 0; i < SAMPLES; i++) {
        const bool disturbed = kit_uniform(seed, 0, 1) < 0.25f;
        row->ns[i] = 1000 * (1 + 0.01 * (double)kit_uniform(seed, -1, 1)) * (disturbed ? 1.3 : 1);
    }
    for (int i = 1; i < SAMPLES; i++) /* ascending, as they are when read */
        for (int k = i; k > 0 && row->ns[k] < row->ns[k - 1]; k--) {
            const double t = row->ns[k];
            row->ns[k] = row->ns[k - 1];
            row->ns[k - 1] = t;
        }
    row->median = row->ns[SAMPLES / 2];
}

/* The same program against itself, 20 times ten times over: at most one in 20 differs. What is a
 * tenth slower is found in nearly all of them. */
static void test_R07_the_same_program_twice_is_no_change(void **state)
{
    (void)state;
    uint64_t seed = 7;
    double before[SAMPLES], after[SAMPLES];
    char name[] = "row", hash[] = "aa";
    report_row a = {.name = name, .hash = hash, .n = SAMPLES, .ns = before};
    report_row b = {.name = name, .hash = hash, .n = SAMPLES, .ns = after};
    uint32_t n_same = 0, n_slower = 0;
    for (uint32_t run = 0; run < 200; run++) {
        fill(&a, &seed);
        fill(&b, &seed);
        n_same += compare_pair(&a, &b, 0.02).verdict == COMPARE_SAME;
        for (int i = 0; i < SAMPLES; i++)
            after[i] *= 1.5;
        b.median *= 1.5;
        n_slower += compare_pair(&a, &b, 0.02).verdict == COMPARE_SLOWER;
    }
    assert_in_range(n_same, 190, 200);
    assert_in_range(n_slower, 100, 200);
    a.n = 4; /* fewer than five say nothing */
    assert_int_equal(compare_pair(&a, &b, 0.02).verdict, COMPARE_UNSURE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R06_figures_that_are_no_numbers),
        cmocka_unit_test(test_R07_the_same_program_twice_is_no_change),
    };
    return RUN_GROUP("report_trouble", tests);
}
