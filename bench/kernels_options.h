/* SPDX-License-Identifier: MIT
 *
 * The command line of //bench:kernels.
 */
#ifndef BENCH_KERNELS_OPTIONS_H
#define BENCH_KERNELS_OPTIONS_H

#include "bench/choices.h"

typedef struct bench_kernels_options {
    bool quick;
    bench_list types, layouts, isas, variants;
    uint32_t size;    /* elements per type, at least */
    uint32_t repeats; /* 0: as many as the mode has */
    char *out;        /* folder of the result file */
    bool list, help;
} bench_kernels_options;

/** Kinds of iteration. */
extern const bench_axis bench_axis_variant;
/** The XPBD_VARIANT_ bits of one, by name. */
unsigned bench_variant_bits(const char *name);

/** Read the command line and fill in the defaults.
 *  Returns  true, or false after one line on stderr that says what is wrong and what is valid */
bool bench_kernels_options_parse(bench_kernels_options *options, int argc, char **argv);
void bench_kernels_options_free(bench_kernels_options *options);
/** Print the manual (--help), and everything that can be chosen (--list). */
void bench_kernels_options_help(void);
void bench_kernels_options_list(void);

#endif
