/* SPDX-License-Identifier: MIT
 *
 * How long things are measured: shared by the measuring and by the guess of the time left.
 */
#ifndef BENCH_SCHEDULE_H
#define BENCH_SCHEDULE_H

#include "bench/harness.h"

/** Fewer repetitions than this say nothing about the spread. */
#define BENCH_ROUNDS_LEAST 5

typedef struct bench_schedule {
    double sample_s; /* a sample has as many steps as this takes */
    double scene_s;  /* after this no further round is begun, 0: no limit */
    uint32_t rounds;
} bench_schedule;

bench_schedule bench_schedule_of(const bench_options *options);

/** Seconds of one configuration. */
typedef struct bench_guess {
    double before_s;  /* building the world and the fixed run */
    double samples_s; /* all rounds together */
} bench_guess;

bench_guess bench_guess_case(const bench_options *options, const bench_cases *cases,
                             uint64_t n_constraints);

/** Describe the world of a configuration. */
void bench_world_def(const bench_options *options, const bench_case *what, xpbd_world_def *def);

#endif
