/* SPDX-License-Identifier: MIT
 *
 * Result files that are merged, refused and compared, and the page that is made of them.
 */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "bench/report/compare.h"
#include "bench/report/report.h"
#include "bench/report/report_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- files */

static char folder[512];
static char *paths[16];
static size_t n_paths;

static const char *put(const char *name, const char *text)
{
    paths[n_paths] = bench_print("%s/%s", folder, name);
    FILE *file = fopen(paths[n_paths], "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return paths[n_paths++];
}

static int make_folder(void **state)
{
    const char *place = getenv("TEST_TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/report_XXXXXX", place != NULL ? place : "/tmp");
    return mkdtemp(folder) == NULL;
}

static int empty_folder(void **state)
{
    (void)state;
    while (n_paths > 0) {
        unlink(paths[--n_paths]);
        free(paths[n_paths]);
    }
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

typedef struct file_row {
    const char *name, *hash;
    double ns; /* per step */
    int samples;
} file_row;

/* A result file of a machine: times rise by a thousandth from sample to sample. */
static char *result_file(const char *cpu, const char *began, const file_row *rows, size_t n)
{
    bench_text t = {0};
    bench_text_add(&t,
                   "{\"context\": {\"libxpbd_version\": \"0.1.0\", \"cpu_model\": \"%s\", "
                   "\"usable_processors\": \"2\", \"began_utc\": \"%s\", \"pinning\": \"compact\", "
                   "\"pinning_effect\": \"bound\", \"plans\": \"cloth-8/slab-gs=100:4,90:3\", "
                   "\"topology\": \"L2Cache:1(size=1048576)\"}, \"benchmarks\": [",
                   cpu, began);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < rows[i].samples; k++)
            bench_text_add(&t,
                           "%s{\"name\": \"%s\", \"run_type\": \"iteration\", \"real_time\": %.6f, "
                           "\"cpu_time\": 1, \"time_unit\": \"ns\", \"label\": \"%s\", "
                           "\"constraints\": 100, \"iterations_per_substep\": 10, \"substeps\": 1, "
                           "\"residual_rms\": 0.5, \"frame_error\": 0.005, \"roof_percent\": 40, "
                           "\"bytes_per_second\": 1e10}",
                           i + (size_t)k > 0 ? ", " : "", rows[i].name,
                           rows[i].ns * (1 + 0.001 * k), rows[i].hash);
    bench_text_add(&t, "]}");
    return t.data;
}

static const char *put_result(const char *name, const char *cpu, const char *began,
                              const file_row *rows, size_t n)
{
    char *text = result_file(cpu, began, rows, n);
    const char *path = put(name, text);
    free(text);
    return path;
}

static char *page_of(const report *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    report_write(r, out);
    fclose(out);
    return text;
}

static const file_row ROWS[] = {
    {"solve/cloth-8/slab-gs/aos4/avx2/threads:1", "aa", 2000, 7},
    {"solve/cloth-8/slab-gs/aos4/avx2/threads:2", "aa", 1100, 7},
    {"solve/cloth-8/serial-gs/aos4/scalar/threads:1", "bb", 9000, 7},
    {"roof/update/memory/threads:1", "", 1000, 3},
    {"converge/cloth-8/slab-gs/iterations:1", "", 800, 3},
    {"kernel/distance/aos4/avx2", "cc", 500, 3},
    {"accuracy/cloth-8/slab-gs/substeps:2/iterations:5/omega:1.5", "", 70000, 1},
};

/* ---- tests */

static void test_rows_are_read(void **state)
{
    report r;
    (void)state;
    const char *path = put_result("a.json", "cpu", "2026", ROWS, COUNT_OF(ROWS));
    report_load(&r, &path, 1);
    assert_int_equal(r.n_files, 1);
    assert_int_equal(r.n_rows, COUNT_OF(ROWS));
    assert_int_equal(r.refused.n, 0);
    const report_row *row = &r.rows[1];
    assert_int_equal(row->kind, REPORT_SOLVE);
    assert_string_equal(row->scene, "cloth-8");
    assert_string_equal(row->scheduler, "slab-gs");
    assert_string_equal(row->layout, "aos4");
    assert_string_equal(row->isa, "avx2");
    assert_int_equal(row->threads, 2);
    assert_int_equal(row->n, 7);
    assert_true(fabs(row->min - 1100) < 1e-6 && fabs(row->median - 1103.3) < 1e-6);
    assert_true(fabs(report_ns(row) - 1.1) < 1e-9); /* 100 constraints, 10 iterations */
    assert_int_equal(r.rows[3].kind, REPORT_ROOF);
    assert_int_equal(r.rows[4].kind, REPORT_CONVERGE);
    assert_int_equal(r.rows[4].iterations, 1);
    assert_int_equal(r.rows[5].kind, REPORT_KERNEL);
    assert_int_equal(r.rows[6].kind, REPORT_ACCURACY);
    assert_int_equal(r.rows[6].substeps, 2);
    assert_int_equal(r.rows[6].iterations, 5);
    report_free(&r);
}

static void test_what_is_wrong_with_a_file_is_said(void **state)
{
    static const struct {
        const char *name, *text, *says;
    } WRONG[] = {
        {"empty.json", "", "is not JSON: line 1"},
        {"cut.json", "{\"context\": {", "is not JSON: line 1"},
        {"list.json", "[1, 2]", "not a result file"},
        {"other.json", "{\"context\": {\"date\": \"x\"}, \"benchmarks\": [{\"name\": \"a\"}]}",
         "of another program"},
        {"none.json", "{\"context\": {\"libxpbd_version\": \"1\"}, \"benchmarks\": []}",
         "nothing was measured"},
        {"old.json",
         "{\"context\": {\"libxpbd_version\": \"1\"}, \"benchmarks\": [{\"name\": \"old/a\", "
         "\"real_time\": 1}]}",
         "no row that this version knows"},
        {"time.json",
         "{\"context\": {\"libxpbd_version\": \"1\"}, \"benchmarks\": [{\"name\": "
         "\"solve/a/b/c/d/threads:1\", \"real_time\": -1}]}",
         "row 0 of \"benchmarks\" has no name or no time"},
    };
    const char *all[COUNT_OF(WRONG) + 2];
    report r;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(WRONG); i++)
        all[i] = put(WRONG[i].name, WRONG[i].text);
    all[COUNT_OF(WRONG)] = put_result("good.json", "cpu", "2026", ROWS, COUNT_OF(ROWS));
    all[COUNT_OF(WRONG) + 1] = "/nowhere/at/all.json";
    report_load(&r, all, COUNT_OF(all));
    assert_int_equal(r.refused.n, COUNT_OF(WRONG) + 1);
    for (size_t i = 0; i < COUNT_OF(WRONG); i++) {
        if (strstr(r.refused.items[i], WRONG[i].says) == NULL ||
            strstr(r.refused.items[i], WRONG[i].name) == NULL)
            fail_msg("'%s' and '%s' expected in '%s'", WRONG[i].name, WRONG[i].says,
                     r.refused.items[i]);
        assert_null(strchr(r.refused.items[i], '\n'));
    }
    assert_non_null(strstr(r.refused.items[COUNT_OF(WRONG)], "/nowhere/at/all.json"));
    assert_int_equal(r.n_files, 1); /* the good one is there all the same */
    assert_int_equal(r.n_rows, COUNT_OF(ROWS));
    char *page = page_of(&r);
    assert_non_null(strstr(page, "left out: "));
    free(page);
    report_free(&r);
}

static void test_nothing_from_a_file_becomes_markup(void **state)
{
    static const file_row EVIL[] = {
        {"solve/<script>alert(1)</script>/a'b/<b>/\\\"x\\\"/threads:1", "<i>", 10, 5},
        {"solve/<script>alert(1)</script>/a'b/<b>/\\\"x\\\"/threads:2", "<i>", 9, 5},
    };
    report r;
    (void)state;
    const char *path =
        put_result("<img src=x>.json", "<script>alert(1)</script>' onload='x", "2026", EVIL, 2);
    report_load(&r, &path, 1);
    assert_int_equal(r.n_files, 1);
    char *page = page_of(&r);
    assert_null(strstr(page, "<script>alert"));
    assert_null(strstr(page, "<img"));
    assert_null(strstr(page, "<b>&lt;b"));
    assert_null(strstr(page, "' onload='"));
    assert_non_null(strstr(page, "&lt;script&gt;alert(1)"));
    free(page);
    report_free(&r);
}

static void test_page_needs_nothing_and_has_no_bad_number(void **state)
{
    report r;
    (void)state;
    const char *path = put_result("a.json", "cpu", "2026", ROWS, COUNT_OF(ROWS));
    report_load(&r, &path, 1);
    char *page = page_of(&r);
    static const char *const NEVER[] = {"http", "src=", "nan", "inf<", "(null)", "@import"};
    static const char *const NEEDED[] = {"<section id=summary",
                                         "<section id=scaling",
                                         "<section id=multiples",
                                         "<section id=roofline",
                                         "<section id=machines",
                                         "<section id=prediction",
                                         "<section id=context",
                                         "data-k='slab-gs'",
                                         "class=chart",
                                         "cloth-8",
                                         "prefers-color-scheme",
                                         "not reached",
                                         "<td class=n>70.0 µs, 2 × 5<td class=n>not reached"};
    for (size_t i = 0; i < COUNT_OF(NEVER); i++)
        if (strstr(page, NEVER[i]) != NULL)
            fail_msg("'%s' is in the page", NEVER[i]);
    for (size_t i = 0; i < COUNT_OF(NEEDED); i++)
        if (strstr(page, NEEDED[i]) == NULL)
            fail_msg("'%s' is not in the page", NEEDED[i]);
    assert_non_null(strstr(page, "<b>slab-gs</b>")); /* the winner, 8.18 times serial-gs */
    assert_non_null(strstr(page, "<td class=n>8.18<td class=n>1.82"));
    free(page);
    report_free(&r);
}

static void test_files_of_one_machine_are_one(void **state)
{
    file_row later = ROWS[0], other = ROWS[0], shape = ROWS[2];
    report r;
    (void)state;
    later.ns = 1500;
    other.hash = "dd";
    shape.hash = "ee"; /* in one file with ROWS[2]: differs */
    const file_row mixed[] = {ROWS[2], shape};
    file_row moved[] = {mixed[0], mixed[1]};
    moved[1].name = "solve/cloth-8/serial-gs/soa/scalar/threads:1";
    const char *all[] = {put_result("1.json", "cpu", "2026-02", ROWS, 2),
                         put_result("2.json", "cpu", "2026-03", &later, 1),
                         put_result("3.json", "else", "2026-01", &other, 1),
                         put_result("4.json", "cpu", "2026-04", moved, 2)};
    report_load(&r, all, 4);
    assert_int_equal(r.n_files, 4);
    assert_int_equal(r.n_machines, 2);
    assert_true(r.rows[0].stale);  /* measured again in 2.json */
    assert_false(r.rows[1].stale); /* two threads were not */
    assert_false(r.rows[2].stale);
    assert_false(r.rows[0].foreign || r.rows[2].foreign);
    assert_true(r.rows[3].foreign && !r.rows[3].differs);
    assert_true(r.rows[5].differs && !report_usable(&r.rows[5], REPORT_SOLVE));
    char *page = page_of(&r);
    assert_non_null(strstr(page, "A: cpu, 2 processors"));
    assert_non_null(strstr(page, "B: else, 2 processors"));
    assert_non_null(strstr(page, "differs within the run"));
    free(page);
    report_free(&r);
}

/* ---- comparing */

static compare_verdict verdict_of(double before, double after, int samples, const char *hash)
{
    report r;
    compare_result result;
    const file_row a = {"solve/s/k/l/i/threads:1", "aa", before, 9};
    const file_row b = {"solve/s/k/l/i/threads:1", hash, after, samples};
    const char *both[] = {put_result("before.json", "cpu", "1", &a, 1),
                          put_result("after.json", "cpu", "2", &b, 1)};
    report_load(&r, both, 2);
    assert_int_equal(r.n_files, 2);
    compare_files(&r, 0.02, &result);
    assert_int_equal(result.n, 1);
    const compare_verdict verdict = result.rows[0].verdict;
    assert_int_equal(result.count[verdict], 1);
    compare_free(&result);
    report_free(&r);
    (void)empty_folder(NULL);
    return verdict;
}

static void test_verdicts(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(1000, 1000, 9, "aa"), COMPARE_SAME);
    assert_int_equal(verdict_of(1000, 1015, 9, "aa"), COMPARE_SAME); /* below 2 % */
    assert_int_equal(verdict_of(1000, 1100, 9, "aa"), COMPARE_SLOWER);
    assert_int_equal(verdict_of(1000, 900, 9, "aa"), COMPARE_FASTER);
    assert_int_equal(verdict_of(1000, 1100, 4, "aa"), COMPARE_UNSURE);
    assert_int_equal(verdict_of(1000, 1100, 9, "bb"), COMPARE_OTHER);
}

static void test_spread_hides_a_change(void **state)
{
    double a[] = {100, 110, 120, 130, 140, 150, 160}, b[COUNT_OF(a)];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(a); i++)
        b[i] = a[i] * 1.08;
    const report_row before = {.name = "x", .hash = "", .ns = a, .n = COUNT_OF(a), .median = 130};
    report_row after = {.name = "x", .hash = "", .ns = b, .n = COUNT_OF(b), .median = 140.4};
    assert_int_equal(compare_pair(&before, &after, 0.02).verdict, COMPARE_SAME);
    for (size_t i = 0; i < COUNT_OF(a); i++)
        b[i] = a[i] * 1.8;
    after.median = 234;
    assert_int_equal(compare_pair(&before, &after, 0.02).verdict, COMPARE_SLOWER);
    after.n = 0;
    assert_int_equal(compare_pair(&before, &after, 0.02).verdict, COMPARE_BROKEN);
}

static void test_numbers_are_short(void **state)
{
    char text[32];
    (void)state;
    assert_string_equal(html_number(text, 23938), "23.9 k");
    assert_string_equal(html_number(text, 1.5e9), "1.50 G");
    assert_string_equal(html_number(text, NAN), "–");
    assert_string_equal(html_bytes(text, 49152), "48 KiB");
    assert_string_equal(html_time(text, 1234567), "1.23 ms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_rows_are_read, empty_folder),
        cmocka_unit_test_teardown(test_what_is_wrong_with_a_file_is_said, empty_folder),
        cmocka_unit_test_teardown(test_nothing_from_a_file_becomes_markup, empty_folder),
        cmocka_unit_test_teardown(test_page_needs_nothing_and_has_no_bad_number, empty_folder),
        cmocka_unit_test_teardown(test_files_of_one_machine_are_one, empty_folder),
        cmocka_unit_test_teardown(test_verdicts, empty_folder),
        cmocka_unit_test(test_spread_hides_a_change),
        cmocka_unit_test(test_numbers_are_short),
    };
    return cmocka_run_group_tests_name("report_page", tests, make_folder, remove_folder);
}
