/* SPDX-License-Identifier: MIT
 *
 * The result file: whole or not at all.
 */
#ifndef BENCH_RESULT_FILE_H
#define BENCH_RESULT_FILE_H

#include "bench/context.h"
#include "bench/gbench.h"
#include "bench/samples.h"

/** Name the file, and make sure that it can be written before anything is measured: the folder is
 *  made, and a trial file in it written and removed.
 *  folder   in   or null: results/ in the source tree
 *  Returns       the path, which the caller frees; null after a message on stderr */
char *bench_result_file_path(const char *folder, const bench_context *context);

/** Begin a file in memory with the facts of the context. Null when memory is out. */
gbench *bench_result_file_open(const bench_context *context);
/** Add sample i of n of a row: `common` with the sample's times and counters. As gbench_row(). */
int bench_result_file_sample(gbench *file, const gbench_run *common, const bench_sample *samples,
                             uint32_t n, uint32_t i, const gbench_counter *counters,
                             size_t n_counters);
/** Write the file: to a temporary one beside it, to the disk, then to its name; and free it.
 *  Returns  false after a message on stderr */
bool bench_result_file_put(const char *path, gbench *file);

#endif
