/* SPDX-License-Identifier: MIT
 *
 * Constraints in double precision where their particles are now, element by element: those of one
 * element and those of many alike.
 */
#ifndef XPBD_SOLVER_MEASURE_H
#define XPBD_SOLVER_MEASURE_H

#include "solver/world.h"

typedef struct xpbd_measure {
    xpbd_elements elements; /* first: its readers find the rest behind it */
    const xpbd_world *world;
    uint32_t type, index;
    uint32_t first;     /* element in the arrays of the set */
    uint32_t n_records; /* elements that have rows of their own; 1 where the constraint has them */
    bool regular;       /* C has a gradient; of constraints of one element see
                           xpbd_measure_element() */
    double fit[XPBD_FIT_MAX];
} xpbd_measure;

/** Begin with a constraint. */
xpbd_measure xpbd_measure_begin(const xpbd_world *world, uint32_t type, uint32_t index);
/** Measure an element: C[row], gradient[row * n_particles + k]. False where C has no gradient. */
bool xpbd_measure_element(const xpbd_measure *measure, uint32_t element, double *C,
                          double (*gradient)[3]);
/** Tell whether a record is of one side and does not hold: C is allowed and lambda is 0. Nothing is
 *  wanted of it then, so that it does not matter whether it has a gradient. */
bool xpbd_measure_is_slack(const xpbd_measure *measure, const float *lambda, const double *C);
/** Turn C of a record into what is left of it, C + alpha~ lambda, alpha~ = alpha_dt times the
 *  type's compliance matrix; returns C^T C for a unit matrix, C^T matrix^-1 C for others. A
 * one-sided constraint that does not hold has nothing left. */
double xpbd_measure_residual(const xpbd_measure *measure, const float *lambda, double alpha_dt,
                             double *C);
/** Read the multipliers of a record: 0 where no step has set them. */
void xpbd_measure_lambda(const xpbd_measure *measure, uint32_t record, float *lambda);

/** Measure the forces of an element on its particles, lambda grad C / dt^2. */
void xpbd_measure_force(const xpbd_measure *measure, uint32_t element, double inverse_dt2,
                        double (*force)[3]);

#endif
