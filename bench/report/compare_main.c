/* SPDX-License-Identifier: MIT
 *
 * //bench:compare: a result file before a change against one after it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/arguments.h"
#include "bench/ink.h"
#include "bench/report/compare.h"

typedef struct options {
    double least;
    bool all, help;
} options;

static bool set_least(void *to, const char *option, const char *value)
{
    options *o = to;
    char *end = NULL;
    o->least = 0.01 * strtod(value, &end);
    if (end != value && *end == '\0' && o->least >= 0 && o->least <= 1)
        return true;
    fprintf(stderr, "bench: %s: '%s' is not a number from 0 to 100\n", option, value);
    return false;
}

static bool set_all(void *to, const char *option, const char *value)
{
    (void)option, (void)value;
    ((options *)to)->all = true;
    return true;
}

static bool set_help(void *to, const char *option, const char *value)
{
    (void)option, (void)value;
    ((options *)to)->help = true;
    return true;
}

static const bench_argument ROWS[] = {
    {"--least", "PERCENT", "smaller changes are none; default 2", set_least},
    {"--all", NULL, "print rows without a change, too", set_all},
    {"--help", NULL, "print this, and stop", set_help},
};
enum { N_ROWS = sizeof ROWS / sizeof ROWS[0] };

static void print_help(void)
{
    puts("Compare a result file from before a change with one from after it.\n"
         "\n"
         "usage: bazel run //bench:compare -- BEFORE.json AFTER.json [options]\n");
    bench_arguments_print(ROWS, N_ROWS);
    puts("\n"
         "A row has become slower or faster where the ratio of the medians is beyond the spread of "
         "the\n"
         "samples (half of the distance between their quartiles) and its interval of 99 %, by\n"
         "resampling, does not have 1 in it.\n"
         "Exit code: 0 nothing is slower, 1 something is slower or fails now, 2 refused or nothing "
         "in common.");
}

static void print_row(const compare_row *row)
{
    const bool bad = row->verdict == COMPARE_SLOWER || row->verdict == COMPARE_BROKEN;
    printf("%s%-64s", bad ? bench_red() : "", row->before->name);
    if (isfinite(row->ratio.value)) {
        printf(" %10.4g %10.4g %7.3f", row->before->median / row->before->unit,
               row->after->median / row->after->unit, row->ratio.value);
        if (isfinite(row->ratio.low))
            printf(" [%5.3f, %5.3f]", row->ratio.low, row->ratio.high);
        printf(" %6.1f %%", 100 * row->spread);
    }
    printf("  %s%s\n", compare_text(row->verdict), bad ? bench_plain() : "");
}

/* What must be the same on both sides for ratios to mean the change. */
static void print_doubts(const report *r)
{
    static const char *const KEYS[] = {"cpu_model",     "topology",           "compiler_version",
                                       "compile_flags", "libxpbd_build_type", "pinning_effect"};
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        const char *before = report_fact_of(&r->files[0], KEYS[i]);
        const char *after = report_fact_of(&r->files[1], KEYS[i]);
        if (strcmp(before, after) != 0)
            printf("%sWarning: %s differs: '%s' before, '%s' after.%s\n", bench_yellow(), KEYS[i],
                   before, after, bench_plain());
    }
}

static int compare(const report *r, const options *o)
{
    compare_result result;
    compare_files(r, o->least, &result);
    print_doubts(r);
    printf("%-64s %10s %10s %7s %16s %8s\n", "row", "before ns", "after ns", "ratio", "99 %",
           "spread");
    for (size_t i = 0; i < result.n; i++)
        if (o->all || result.rows[i].verdict != COMPARE_SAME)
            print_row(&result.rows[i]);
    printf("%zu rows in common:", result.n);
    for (int v = 0; v < COMPARE_N; v++)
        if (result.count[v] > 0)
            printf(" %zu %s;", result.count[v], compare_text((compare_verdict)v));
    printf(" %zu only before, %zu only after\n", result.only_before, result.only_after);
    int code = BENCH_EXIT_OK;
    if (result.count[COMPARE_SLOWER] + result.count[COMPARE_BROKEN] > 0)
        code = BENCH_EXIT_WRONG;
    else if (result.n == result.count[COMPARE_OTHER] + result.count[COMPARE_UNSURE]) {
        fprintf(stderr, "bench: there is nothing in these two files that can be compared\n");
        code = BENCH_EXIT_USAGE;
    }
    compare_free(&result);
    return code;
}

static int run(const options *o, const bench_list *files)
{
    report r;
    report_load(&r, (const char *const *)files->items, files->n);
    for (size_t i = 0; i < r.refused.n; i++)
        fprintf(stderr, "bench: %s\n", r.refused.items[i]);
    const int code = r.n_files == 2 ? compare(&r, o) : BENCH_EXIT_USAGE;
    report_free(&r);
    return code;
}

int main(int argc, char **argv)
{
    options o = {.least = 0.02};
    bench_list files = {0};
    int code = BENCH_EXIT_USAGE;
    const bool parsed = bench_arguments_parse_files(ROWS, N_ROWS, &o, &files, argc, argv);
    if (parsed && o.help) {
        print_help();
        code = BENCH_EXIT_OK;
    } else if (parsed && files.n != 2) {
        fprintf(stderr,
                "bench: two result files are needed, %zu named\n"
                "usage: bazel run //bench:compare -- BEFORE.json AFTER.json\n",
                files.n);
    } else if (parsed) {
        code = run(&o, &files);
    }
    bench_list_free(&files);
    return code;
}
