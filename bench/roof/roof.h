/* SPDX-License-Identifier: MIT
 *
 * The machine's limits, measured, and what constraints need of them, counted. A bound is the time
 * that a need would take at the measured rate if nothing else took any: no kernel can be faster.
 */
#ifndef BENCH_ROOF_ROOF_H
#define BENCH_ROOF_ROOF_H

#include "bench/extra.h"
#include "bench/harness.h"

/** Where a working set lies. */
typedef enum roof_level { ROOF_L1, ROOF_L2, ROOF_L3, ROOF_MEMORY, ROOF_LEVELS } roof_level;

enum { ROOF_ISAS = 8, ROOF_COUNTS = 16 };

/** Per second and thread, but for memory and caches, where all threads count together. */
typedef struct roof_limits {
    struct {
        const char *isa;
        double arithmetic, root, quotient, record; /* of floats; of stored records of four */
    } lanes[ROOF_ISAS];
    size_t n_lanes;
    uint32_t threads[ROOF_COUNTS];
    size_t n_threads;
    double read[ROOF_LEVELS][ROOF_COUNTS], update[ROOF_LEVELS][ROOF_COUNTS]; /* bytes */
    double barrier_ns[ROOF_COUNTS];
    double cache_bytes[ROOF_MEMORY]; /* of each level, of one thread's share */
    char note[160];                  /* what could not be measured; mostly empty */
} roof_limits;

/** Measure. Rows for the result file are added to `rows`.
 *  threads  in  ascending; more than ROOF_COUNTS are left out
 *  quick    in  half a second instead of two */
void roof_measure(const uint32_t *threads, size_t n_threads, const char *pinning, bool quick,
                  roof_limits *limits, bench_extras *rows);
/** Print the limits as a table. */
void roof_print(const roof_limits *limits);

/** What one constraint needs in an iteration after the first; of those that consist of elements,
 *  one element. */
typedef struct roof_need {
    double operations; /* sums, differences, products */
    double roots, quotients;
    double loaded, stored; /* bytes into and out of registers */
    double moved;          /* bytes in and out of where the scene lies: all of it once */
    double scene;          /* bytes that the solve works on, all constraints together */
} roof_need;

/** Count what the constraints of a scene need, by running kernels that count. False where the scene
 *  can not be built. */
bool roof_count(const bench_scene *scene, roof_need *need);
/** Give the rows of a scene their needs and bounds. */
void roof_bound(const roof_limits *limits, const roof_need *need, bench_result *result);

#endif
