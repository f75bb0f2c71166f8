/* SPDX-License-Identifier: MIT
 *
 * Loops that do one thing as fast as an instruction set can, in the vocabulary of the kernels.
 */
#ifndef BENCH_ROOF_ROOF_LANES_H
#define BENCH_ROOF_ROOF_LANES_H

#include <stddef.h>
#include <stdint.h>

/** All arrays are aligned to 64, and n counts floats: a multiple of ROOF_STRIDE. What a loop
 *  returns depends on all of it, so that none of it can be left out. */
enum { ROOF_STRIDE = 128 };

/** What loops of arithmetic do in one turn, for each lane. */
enum { ROOF_CHAINS = 7 };

typedef struct roof_lanes {
    uint32_t width;
    float (*arithmetic)(uint64_t turns, float one); /* ROOF_CHAINS products, as many sums */
    float (*root)(uint64_t turns, float one);       /* ROOF_CHAINS square roots */
    float (*divide)(uint64_t turns, float one);     /* ROOF_CHAINS quotients */
    float (*read)(const float *p, size_t n);
    void (*update)(float *p, size_t n, float add);  /* read and write */
    void (*store)(float *p, size_t n, float value); /* records of four floats, one by one */
} roof_lanes;

/** The loops of a row of isas.def by its name; null where that is not built. */
const roof_lanes *roof_lanes_find(const char *isa);

#endif
