/* SPDX-License-Identifier: MIT
 *
 * What people read of //bench:kernels: a table per type as soon as it is measured, and at the end
 * the same in short.
 */
#ifndef BENCH_KERNELS_TABLE_H
#define BENCH_KERNELS_TABLE_H

#include "bench/context.h"
#include "bench/kernels_measure.h"

void bench_kernels_table_begin(const bench_context *context);
void bench_kernels_table_type(const bench_kernel_result *result);
/** All types in short, what was wrong, and where the file is (null: nowhere). */
void bench_kernels_table_end(const bench_kernels_options *options, const bench_context *context,
                             const bench_kernel_result *results, size_t n, const char *path);

#endif
