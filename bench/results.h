/* SPDX-License-Identifier: MIT
 *
 * The result file: whole or not at all.
 */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include "bench/context.h"
#include "bench/harness.h"

/** Name the file, and make sure that it can be written before anything is measured: the folder is
 *  made, and a trial file in it written and removed.
 *  folder   in   or null: results/ in the source tree
 *  Returns       the path, which the caller frees; null after a message on stderr */
char *bench_results_path(const char *folder, const bench_context *context);

/** Write the results: to a temporary file beside it, to the disk, then to its name.
 *  Returns  false after a message on stderr */
bool bench_results_write(const char *path, const bench_options *options,
                         const bench_context *context, const bench_result *results, size_t n);

#endif
