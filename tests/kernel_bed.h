/* SPDX-License-Identifier: MIT
 *
 * A bed for single kernels: any type of constraints.def that has one element per constraint, in one
 * stream where every constraint has particles of its own, in any layout. What the generic kernel
 * tests share; a new row needs nothing here.
 */
#ifndef XPBD_TESTS_KERNEL_BED_H
#define XPBD_TESTS_KERNEL_BED_H

#include "kernel/kernel.h"
#include "xpbd/xpbd.h"

enum { BED_GROUPS = 3, BED_LANES = BED_GROUPS * XPBD_GROUP };

/** The types of one element; those of variable size have a test of their own. */
#define BED_EACH_TYPE(type)                                                                        \
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++)                             \
        if (!xpbd_constraint_type_info((xpbd_constraint_type)type)->variable)

/** One constraint as plain numbers. */
typedef struct bed_constraint {
    float x[XPBD_CORNERS_MAX][3], previous[XPBD_CORNERS_MAX][3];
    float inverse_mass[XPBD_CORNERS_MAX];
    float rest[XPBD_REST_MAX];
    float compliance, damping, stiffness, lambda[XPBD_ROWS_MAX], share;
} bed_constraint;

/** What a kernel makes of it. */
typedef struct bed_result {
    float x[XPBD_CORNERS_MAX][3];          /* after the kernel */
    float correction[XPBD_CORNERS_MAX][3]; /* ACCUMULATE */
    float lambda[XPBD_ROWS_MAX];
} bed_result;

/** xorshift64*: the same numbers everywhere. */
double bed_random(uint64_t *state, double low, double high);
/** A pose with edges between 0.5 and 2 or so and no two corners close together, and rest data of
 *  another such pose mixed in by `strain` (0: at rest; types whose rest data can not make every
 *  pose one at rest change it for that). */
bed_constraint bed_make(uint32_t type, double strain, uint64_t *state);
/** What a row of a type counts as its error: C + alpha~ lambda, and of one that has but one side
 * and does not hold (lambda is 0), C where that is on the forbidden side. */
double bed_residual(uint32_t type, double C, double alpha, double lambda);
/** Run one kernel over BED_LANES constraints. variant: XPBD_VARIANT_ bits. */
void bed_run(uint32_t type, xpbd_isa isa, xpbd_layout layout, unsigned variant,
             const xpbd_pass *pass, const bed_constraint in[BED_LANES], bed_result out[BED_LANES]);
/** Measure a pose given in float. */
bool bed_measure(uint32_t type, const float (*x)[3], const float *rest, double *C,
                 double (*gradient)[3]);
/** A substep of 1/100 s. */
xpbd_pass bed_pass(void);
/** Name a case in messages: "distance avx2 aos4 variant 3". Static buffer. */
const char *bed_name(uint32_t type, xpbd_isa isa, xpbd_layout layout, unsigned variant);

#endif
