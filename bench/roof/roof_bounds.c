/* SPDX-License-Identifier: MIT */
#include "bench/roof/roof.h"

#include <math.h>
#include <string.h>

/* The level that a scene lies in when so many threads share it: each has its own caches. */
static roof_level level_of(const roof_limits *limits, double bytes, uint32_t threads)
{
    int level = ROOF_L1;
    while (level < ROOF_MEMORY && bytes > limits->cache_bytes[level] * threads)
        level++;
    return (roof_level)level;
}

/* The rate of the measured thread count, or of the nearest below it. */
static double rate_of(const roof_limits *limits, const double rates[ROOF_COUNTS], uint32_t threads)
{
    double rate = 0;
    for (size_t i = 0; i < limits->n_threads; i++)
        if (rates[i] > 0 && (limits->threads[i] <= threads || rate <= 0))
            rate = rates[i];
    return rate;
}

static double time_of(double amount, double rate)
{
    return amount <= 0 ? 0 : rate > 0 ? 1e9 * amount / rate : NAN;
}

static void bound_row(const roof_limits *limits, const roof_need *need, bench_row *row)
{
    const uint32_t threads = row->what.threads;
    bench_needs *to = &row->needs;
    *to = (bench_needs){.operations = need->operations,
                        .divisions = need->roots + need->quotients,
                        .accesses = need->loaded + need->stored,
                        .moved = need->moved,
                        .scene = need->scene};
    const roof_level level = level_of(limits, need->scene, threads);
    to->level = (int)level;
    const double read = rate_of(limits, limits->read[ROOF_L1], threads);
    const double stored = 0.5 * rate_of(limits, limits->update[ROOF_L1], threads);
    to->bound_ns[BENCH_BOUND_CACHE] =
        fmax(time_of(need->loaded, read), time_of(need->stored, stored));
    to->bound_ns[BENCH_BOUND_MEMORY] =
        time_of(need->moved, fmax(rate_of(limits, limits->update[level], threads),
                                  rate_of(limits, limits->read[level], threads)));
    for (size_t i = 0; i < limits->n_lanes; i++) {
        if (strcmp(limits->lanes[i].isa, row->what.isa) != 0)
            continue;
        to->bound_ns[BENCH_BOUND_ARITHMETIC] =
            time_of(need->operations, limits->lanes[i].arithmetic * threads);
        to->bound_ns[BENCH_BOUND_DIVIDE] =
            time_of(need->roots, limits->lanes[i].root * threads) +
            time_of(need->quotients, limits->lanes[i].quotient * threads);
    }
    double most = 0;
    for (int i = 0; i < BENCH_BOUNDS; i++)
        most = fmax(most, to->bound_ns[i]);
    to->reached = row->ns_min > 0 ? most / row->ns_min : NAN;
    to->known = true;
}

void roof_bound(const roof_limits *limits, const roof_need *need, bench_result *result)
{
    for (size_t i = 0; i < result->n_rows; i++)
        if (result->rows[i].n_samples > 0)
            bound_row(limits, need, &result->rows[i]);
}
