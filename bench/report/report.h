/* SPDX-License-Identifier: MIT
 *
 * One page out of any number of result files.
 */
#ifndef BENCH_REPORT_REPORT_H
#define BENCH_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bench/report/report_model.h"

/** Write the page of what was loaded. */
void report_write(const report *r, FILE *out);
/** Read files and write their page. Files that can not be used are named on stderr, one line
 *  each, and the page says so too.
 *  n_used  out  how many could be used, or null
 *  Returns      false after a message on stderr: no file could be used, or the page not written */
bool report_make(const char *const *paths, size_t n, const char *out, size_t *n_used);

#endif
