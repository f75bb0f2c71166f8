/* SPDX-License-Identifier: MIT */
#include "bench/report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_LEAST = 5 };

const char *compare_text(compare_verdict verdict)
{
    static const char *const TEXTS[COMPARE_N] = {
        "no change", "faster", "SLOWER", "too few samples", "other hash, not compared",
        "FAILS now"};
    return TEXTS[verdict];
}

/* Half of the distance between the quartiles, as a part of the median. */
static double spread_of(const report_row *row)
{
    return 0.5 * (fit_quantile(row->ns, row->n, 0.75) - fit_quantile(row->ns, row->n, 0.25)) /
           row->median;
}

compare_row compare_pair(const report_row *before, const report_row *after, double least)
{
    compare_row row = {.before = before, .after = after, .ratio = {NAN, NAN, NAN}};
    row.verdict = COMPARE_UNSURE;
    if (before->n > 0 && after->n == 0) {
        row.verdict = COMPARE_BROKEN;
        return row;
    }
    if (before->n == 0)
        return row;
    if (strcmp(before->hash, after->hash) != 0) {
        row.verdict = COMPARE_OTHER;
        return row;
    }
    row.ratio = fit_ratio(before->ns, before->n, after->ns, after->n);
    row.spread = fmax(least, fmax(spread_of(before), spread_of(after)));
    if (before->n < SAMPLES_LEAST || after->n < SAMPLES_LEAST)
        return row;
    const bool beyond = fabs(row.ratio.value - 1) > row.spread;
    row.verdict = beyond && row.ratio.low > 1    ? COMPARE_SLOWER
                  : beyond && row.ratio.high < 1 ? COMPARE_FASTER
                                                 : COMPARE_SAME;
    return row;
}

static const report_row *find(const report *r, size_t file, const char *name)
{
    for (size_t i = 0; i < r->n_rows; i++)
        if (r->rows[i].file == file && strcmp(r->rows[i].name, name) == 0)
            return &r->rows[i];
    return NULL;
}

void compare_files(const report *r, double least, compare_result *result)
{
    *result = (compare_result){.rows = bench_alloc(r->n_rows, sizeof *result->rows)};
    for (size_t i = 0; i < r->n_rows; i++) {
        const report_row *row = &r->rows[i];
        const report_row *other = find(r, 1 - row->file, row->name);
        if (row->kind == REPORT_OTHER)
            continue;
        result->only_before += row->file == 0 && other == NULL;
        result->only_after += row->file == 1 && other == NULL;
        if (row->file != 0 || other == NULL)
            continue;
        result->rows[result->n] = compare_pair(row, other, least);
        result->count[result->rows[result->n++].verdict]++;
    }
}

void compare_free(compare_result *result)
{
    free(result->rows);
    *result = (compare_result){0};
}
