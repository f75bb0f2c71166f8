/* SPDX-License-Identifier: MIT
 *
 * Samples of a row, and the figures that are made of them.
 */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bench_sample {
    double wall_s;  /* steady clock */
    double cpu_s;   /* all threads of the process */
    uint32_t steps; /* or passes: what was done in this time */
} bench_sample;

/** Seconds of all threads of this process. */
double bench_cpu_seconds(void);
void bench_samples_add(bench_sample **samples, uint32_t *n, const bench_sample *sample);
/** Put the smallest first. */
void bench_sort(double *values, uint32_t n);
/** Find the least and the median time per unit of work, in ns.
 *  work     in   units that one step has
 *  Returns       the sample of the least time; n must not be 0 */
uint32_t bench_samples_judge(const bench_sample *samples, uint32_t n, double work, double *ns_min,
                             double *ns_median);
/** Tell whether others used the processor while one thread took the sample. */
bool bench_sample_disturbed(const bench_sample *sample);

#endif
