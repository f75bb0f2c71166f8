/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "bench/samples.h"

#include <stdlib.h>
#include <time.h>

#include "bench/text.h"

double bench_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_samples_add(bench_sample **samples, uint32_t *n, const bench_sample *sample)
{
    *samples = bench_realloc(*samples, *n + 1, sizeof **samples);
    (*samples)[(*n)++] = *sample;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_sort(double *values, uint32_t n)
{
    qsort(values, n, sizeof *values, by_size);
}

uint32_t bench_samples_judge(const bench_sample *samples, uint32_t n, double work, double *ns_min,
                             double *ns_median)
{
    double *ns = bench_alloc(n, sizeof *ns);
    uint32_t best = 0;
    for (uint32_t i = 0; i < n; i++) {
        ns[i] = 1e9 * samples[i].wall_s / (samples[i].steps * work);
        best = ns[i] < ns[best] ? i : best;
    }
    bench_sort(ns, n);
    *ns_min = ns[0];
    *ns_median = 0.5 * (ns[(n - 1) / 2] + ns[n / 2]);
    free(ns);
    return best;
}

bool bench_sample_disturbed(const bench_sample *sample)
{
    return sample->cpu_s < 0.95 * sample->wall_s;
}
