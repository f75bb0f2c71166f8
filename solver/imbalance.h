/* SPDX-License-Identifier: MIT
 *
 * The residual of the equation of motion.
 */
#ifndef XPBD_SOLVER_IMBALANCE_H
#define XPBD_SOLVER_IMBALANCE_H

#include "solver/world.h"

/** Fill the fields of the imbalance, which are 0 before, if the world keeps its prediction. */
void xpbd_imbalance(const xpbd_world *world, xpbd_diagnostics *out);

#endif
