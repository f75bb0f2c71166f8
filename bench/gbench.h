/* SPDX-License-Identifier: MIT
 *
 * Google Benchmark's JSON from C. The measuring is the harness's own, because it interleaves its
 * configurations; what is taken over is the file format, through the library's own JSONReporter,
 * so that its compare.py and everything else that reads such files works.
 */
#ifndef BENCH_GBENCH_H
#define BENCH_GBENCH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gbench gbench;

typedef struct gbench_counter {
    const char *name;
    double value; /* left out of the file where it is not finite: JSON has no such number */
} gbench_counter;

/** One repetition of one benchmark. */
typedef struct gbench_run {
    const char *name;
    const char *label; /* or null */
    const char *error; /* or null: why there is no figure; times and counters are then ignored */
    int64_t family;    /* the same for all repetitions of a name */
    int64_t repetition;
    int64_t repetitions;
    int64_t threads;
    int64_t iterations; /* times are divided by this */
    double real_s;      /* of all iterations together, by the clock on the wall */
    double cpu_s;       /* of all threads of the process together */
    const gbench_counter *counters;
    size_t n_counters;
} gbench_run;

/** Add a fact to the context of the files opened after this. Repeated keys are ignored. */
void gbench_context(const char *key, const char *value);
/** Begin a file in memory. Null when memory is out. */
gbench *gbench_open(void);
/** Add a row. 0, or -1 when memory is out. */
int gbench_row(gbench *file, const gbench_run *run);
/** Write the file to `out` without the name of the host and free it; without `out` only
 *  free it. 0, or -1 with errno. */
int gbench_close(gbench *file, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
