/* SPDX-License-Identifier: MIT
 *
 * The measuring. For one scene, every configuration has a world of its own; after a fixed run
 * that gives the state hash and the residual, rounds follow, and in each round every configuration
 * takes one sample: A B C ... A B C ... A machine whose clock or neighbours change then changes
 * all of them alike, so that ratios hold where absolute times do not.
 *
 * Where the worlds together would need too much memory they run in batches. Each batch has the
 * references (serial-gs on one thread, in each layout) in it, and thread counts of one
 * configuration are never torn apart: a ratio is always of figures that were taken side by side.
 */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/options.h"
#include "bench/samples.h"
#include "bench/scenelist.h"

/** A configuration that gives one row of the table: not the same as another under two names. */
typedef struct bench_case {
    const char *scheduler, *layout, *isa, *pinning; /* static text */
    uint32_t threads;
} bench_case;

/** What can bound the time of a constraint. */
typedef enum bench_bound {
    BENCH_BOUND_ARITHMETIC,
    BENCH_BOUND_DIVIDE, /* square roots and quotients, which one unit does */
    BENCH_BOUND_CACHE,  /* bytes into and out of registers */
    BENCH_BOUND_MEMORY, /* bytes from and to where the scene lies */
    BENCH_BOUNDS
} bench_bound;

/** What a constraint needs in one iteration, and what the machine's limits make of it; see
 *  bench/roof/. Filled in after the measuring, where the limits are known. */
typedef struct bench_needs {
    bool known;
    double operations, divisions; /* per constraint */
    double accesses, moved;       /* bytes: of registers, of where the scene lies */
    double scene;                 /* bytes of the whole scene */
    int level;                    /* where it lies: 0 L1 ... 3 memory */
    double bound_ns[BENCH_BOUNDS];
    double reached; /* part of the greatest bound */
} bench_needs;

/** One configuration on one scene. */
typedef struct bench_row {
    bench_case what;
    char binding[48];  /* what pinning really did */
    char ordering[24]; /* of particles and constraints */
    bool oversubscribed;
    uint32_t n_stages, n_groups, n_padding;
    uint64_t bytes;
    double
        lines;  /* cache lines of particles that a lane group touches, per constraint; 0: unknown */
    char *plan; /* stages as "work:strips*count,..."; null: unknown */
    bench_needs needs;

    uint64_t hash; /* state after the fixed run */
    double residual_rms;
    bool has_hash;
    bool differs;    /* from the first row of the same scheduler */
    char error[256]; /* why there is no figure; empty if there is one */

    uint32_t steps; /* per sample, as planned */
    bench_sample *samples;
    uint32_t n_samples;
    double ns_min, ns_median; /* per constraint; 0 without samples */
    bool disturbed;      /* one thread, and even the best sample shared its processor with others */
    double ns_reference; /* ns_min of the fastest reference side by side; 0: none */
    double ns_one_thread; /* ns_min of the same on one thread; 0: there was none */
} bench_row;

/** All configurations on one scene. */
typedef struct bench_result {
    char *name;
    char note[192]; /* what is odd about a mesh; mostly empty */
    uint32_t n_particles;
    uint64_t n_constraints; /* as of bench_scene */
    uint32_t fixed_steps;
    bench_row *rows;
    size_t n_rows;
    bool complete; /* false: interrupted */
} bench_result;

typedef struct bench_cases {
    bench_case *items;
    size_t n;
    size_t n_references; /* the first ones: serial-gs on one thread */
} bench_cases;

/** Simulated seconds per step. */
#define BENCH_TIME_STEP (1.0 / 60.0)

/** List the configurations that the options ask for, each once, as the library would really run
 *  them (serial-gs has one instruction set and one thread). False after a message on stderr. */
bool bench_cases_make(const bench_options *options, bench_cases *cases);
void bench_cases_free(bench_cases *cases);

/** Tell how many steps the fixed run has. It depends on the scene only: hashes of two machines can
 *  be compared whatever the mode. */
uint32_t bench_fixed_steps(uint64_t n_constraints);
/** Guess the seconds that a scene will take, for the time left. */
double bench_scene_guess(const bench_options *options, const bench_cases *cases,
                         uint64_t n_constraints);

/** Measure a scene. Rows that fail say why; what was measured before an interrupt is kept. */
void bench_measure(const bench_options *options, const bench_cases *cases, bench_scene *scene,
                   bench_result *result);
void bench_result_free(bench_result *result);

/** Constraint projections that one step has. */
double bench_projections(const bench_options *options, const bench_result *result);
/** Mark rows whose hash is not that of the first row of their scheduler; returns how many. */
size_t bench_compare_hashes(bench_result *result);

#endif
