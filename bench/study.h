/* SPDX-License-Identifier: MIT
 *
 * Studies: what is varied and what is held, with defaults that follow from the machine. And the
 * plan of one for a machine that is not there.
 */
#ifndef BENCH_STUDY_H
#define BENCH_STUDY_H

#include "bench/options.h"

struct hwloc_topology;

enum { BENCH_LADDER_MOST = 64 };

/** Thread counts that are worth measuring, ascending: powers of two, and where something of the
 *  machine is full. */
typedef struct bench_ladder {
    uint32_t threads[BENCH_LADDER_MOST];
    const char *why[BENCH_LADDER_MOST]; /* static text; "" for a power of two */
    size_t n;
    uint32_t usable; /* processors: of the machine, the mask and the quota */
    uint32_t quota;  /* processors' worth of time that a container has; 0: no limit */
} bench_ladder;

/** Make the ladder of a topology for a process that may use n_cpus of it (0: all of them) and has a
 *  quota (0: none). Null stands for no topology. */
void bench_ladder_make(struct hwloc_topology *topology, uint32_t n_cpus, uint32_t quota,
                       bench_ladder *ladder);
/** Make that of this machine and process. */
void bench_ladder_here(bench_ladder *ladder);

/** Name the studies; null past the last. And say what one is. */
const char *bench_study_name(uint32_t index);
const char *bench_study_text(uint32_t index);
/** Fill in what a study asks for and the command line has not said.
 *  Returns  false after a message on stderr */
bool bench_study_fill(bench_options *options);
/** Tell how many threads scene i of the weak study has; 0 where all have all. */
uint32_t bench_study_threads(const bench_options *options, size_t scene);

/** Print what the options would measure on an hwloc synthetic topology, and where threads would
 *  go. False after a message on stderr. */
bool bench_study_print(const bench_options *options);

#endif
