/* SPDX-License-Identifier: MIT
 *
 * What iterations bring: the residual after one step of more and more iterations, and their time.
 */
#ifndef BENCH_CONVERGE_H
#define BENCH_CONVERGE_H

#include "bench/extra.h"
#include "bench/harness.h"

/** Measure a scene with every scheduler of the options on the greatest of their thread counts, with
 *  the library's own choice of layout and instruction set, and add rows
 *  converge/SCENE/SCHEDULER/iterations:N. A row that fails is left out. */
void bench_converge(const bench_options *options, const bench_scene *scene, bench_extras *rows);

#endif
