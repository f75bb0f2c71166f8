/* SPDX-License-Identifier: MIT
 *
 * The rows of //bench:kernels in its result file: kernel/TYPE/LAYOUT/ISA, and after that the
 * variant where it is not plain.
 */
#ifndef BENCH_KERNELS_RESULTS_H
#define BENCH_KERNELS_RESULTS_H

#include "bench/context.h"
#include "bench/kernels_measure.h"

/** Write the results to the path that bench_result_file_path() gave.
 *  Returns  false after a message on stderr */
bool bench_kernels_results_write(const char *path, const bench_context *context,
                                 const bench_kernel_result *results, size_t n);

#endif
