/* SPDX-License-Identifier: MIT
 *
 * Two result files, before and after a change: which rows became slower, which faster, and of
 * which nothing can be said.
 */
#ifndef BENCH_REPORT_COMPARE_H
#define BENCH_REPORT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/report/report_fit.h"
#include "bench/report/report_model.h"

typedef enum compare_verdict {
    COMPARE_SAME, /* no change: the interval has 1 in it, or the change is below the spread */
    COMPARE_FASTER,
    COMPARE_SLOWER,
    COMPARE_UNSURE, /* too few samples */
    COMPARE_OTHER,  /* hashes differ: another computation */
    COMPARE_BROKEN, /* there was a figure, and now the row fails */
    COMPARE_N
} compare_verdict;

typedef struct compare_row {
    const report_row *before, *after;
    fit_interval ratio; /* medians, after over before, 99 % */
    double spread;      /* part of the median; a smaller change is none */
    compare_verdict verdict;
} compare_row;

typedef struct compare_result {
    compare_row *rows;
    size_t n;
    size_t count[COMPARE_N];
    size_t only_before, only_after;
} compare_result;

/** Judge one pair.  least  in  changes below this part are none, however small the spread */
compare_row compare_pair(const report_row *before, const report_row *after, double least);
/** Judge all rows that two files have in common; the files are 0 and 1 of the report. */
void compare_files(const report *r, double least, compare_result *result);
void compare_free(compare_result *result);
const char *compare_text(compare_verdict verdict);

#endif
