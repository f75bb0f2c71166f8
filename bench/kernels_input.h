/* SPDX-License-Identifier: MIT
 *
 * Constraints of any one type on a mesh of about a given size, for measuring its kernels. Meshes,
 * because what a kernel reads and writes is scattered over memory as the particles of a mesh are.
 */
#ifndef BENCH_KERNELS_INPUT_H
#define BENCH_KERNELS_INPUT_H

#include "xpbd/xpbd.h"

typedef struct bench_input {
    const char *text; /* what mesh it is */
    uint32_t n_particles;
    float *rest;     /* [n_particles][3] m, about 1 m apart */
    float *strained; /* [n_particles][3] m, each a little away from its place at rest */
    uint32_t n_elements;
    uint32_t *particles; /* [n_elements][particles of the type] */
    uint32_t n_constraints;
    uint32_t *sizes; /* [n_constraints] elements of each; null: one */
} bench_input;

/** Make at least n elements of a type, and as few more as the mesh allows. The same for the same
 *  arguments, everywhere. */
void bench_input_make(xpbd_constraint_type type, uint32_t n, bench_input *input);
void bench_input_free(bench_input *input);

#endif
