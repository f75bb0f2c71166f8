/* SPDX-License-Identifier: MIT
 *
 * The rows of the main job in its result file.
 */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include "bench/context.h"
#include "bench/extra.h"
#include "bench/harness.h"

/** Write the results, and rows of other kinds, to the path that bench_result_file_path() gave.
 *  Returns  false after a message on stderr */
bool bench_results_write(const char *path, const bench_options *options,
                         const bench_context *context, const bench_result *results, size_t n,
                         const bench_extras *extras);

#endif
