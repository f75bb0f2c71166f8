/* SPDX-License-Identifier: MIT
 *
 * The measuring of kernels. A type has one world per layout, and every instruction set works on
 * its memory: what differs between rows is the code alone. A pass is one iteration over all
 * constraints, color by color; before each, outside the clock, positions and multipliers are put
 * back, so that all rows and all passes do the same. Samples of all rows of a type are taken in
 * turn, as in harness.h.
 */
#ifndef BENCH_KERNELS_MEASURE_H
#define BENCH_KERNELS_MEASURE_H

#include "bench/kernels_options.h"
#include "bench/samples.h"

/** One kernel. */
typedef struct bench_kernel_row {
    const char *layout, *isa, *variant; /* texts of the options */
    uint64_t hash;                      /* of the state after two passes from the beginning */
    bool has_hash;
    bool differs;    /* from the first row of the same variant */
    char error[256]; /* why there is no figure; empty if there is one */
    uint32_t passes; /* per sample, as planned */
    bench_sample *samples;
    uint32_t n_samples;
    double ns_min, ns_median; /* per element; 0 without samples */
    double ns_scalar;         /* ns_min of the scalar kernel of the same layout; 0: not measured */
} bench_kernel_row;

/** All kernels of a type. */
typedef struct bench_kernel_result {
    const char *type; /* text of the options */
    const char *mesh; /* what the input is */
    uint32_t n_particles, n_constraints;
    uint32_t n_elements; /* of all constraints; of one each as many as constraints */
    uint32_t n_stages, n_groups, n_padding;
    bench_kernel_row *rows;
    size_t n_rows;
    bool complete; /* false: interrupted */
} bench_kernel_result;

/** Guess the seconds that a type takes. */
double bench_kernels_guess(const bench_kernels_options *options);
/** Measure a type. Rows that fail say why; what was measured before an interrupt is kept. */
void bench_kernels_measure(const bench_kernels_options *options, const char *type,
                           bench_kernel_result *result);
void bench_kernels_result_free(bench_kernel_result *result);

#endif
