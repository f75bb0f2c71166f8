/* SPDX-License-Identifier: MIT
 *
 * What people read: one table per scene as soon as it is measured, and a summary.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "bench/context.h"
#include "bench/harness.h"

void bench_table_begin(const bench_options *options, const bench_context *context);
void bench_table_scene(const bench_result *result);
/** The fastest of every scene, what was wrong, and where the file is (null: nowhere). */
void bench_table_end(const bench_context *context, const bench_result *results, size_t n,
                     size_t n_scenes, const char *path);

#endif
