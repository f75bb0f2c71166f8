/* SPDX-License-Identifier: MIT
 *
 * Rows of a result file that are not a configuration on a scene: limits of the machine, what
 * iterations bring.
 */
#ifndef BENCH_EXTRA_H
#define BENCH_EXTRA_H

#include "bench/gbench.h"
#include "bench/samples.h"

enum { BENCH_EXTRA_COUNTERS = 8 };

typedef struct bench_extra {
    char name[128];
    uint32_t threads;
    bench_sample *samples; /* of the time of one step, pass or item */
    uint32_t n_samples;
    gbench_counter counters[BENCH_EXTRA_COUNTERS]; /* names are static text */
    size_t n_counters;
} bench_extra;

/** A list that grows. Zero it before use. */
typedef struct bench_extras {
    bench_extra *items;
    size_t n;
} bench_extras;

/** Add a row; the name is printed. The pointer holds until the next one is added. */
bench_extra *bench_extras_add(bench_extras *extras, uint32_t threads, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** Add a counter; more than there is room for are left out. */
void bench_extra_count(bench_extra *extra, const char *name, double value);
void bench_extras_free(bench_extras *extras);

#endif
