/* SPDX-License-Identifier: MIT
 *
 * Checks of values that come from the caller, shared by adding and changing. Each returns XPBD_OK
 * or leaves an error that names the element.
 */
#ifndef XPBD_SOLVER_CHECK_H
#define XPBD_SOLVER_CHECK_H

#include "solver/world.h"

/** Triples that have to be finite; a null array is fine. */
xpbd_status xpbd_check_vectors(const xpbd_world *world, xpbd_status status, const float *array,
                               size_t stride, uint32_t count, const char *what);
/** Numbers that have to be finite and not negative; a null array is fine. */
xpbd_status xpbd_check_positive(const xpbd_world *world, xpbd_status status, int32_t type,
                                const float *array, size_t stride, uint32_t count,
                                const char *what);
/** Strides of the arrays but `particles`, made real, and the values of compliance and damping. */
xpbd_status xpbd_check_parameters(const xpbd_world *world, xpbd_constraint_type type,
                                  uint32_t count, xpbd_constraints *in);
/** Rest data of constraint i of a batch. */
xpbd_status xpbd_check_rest(const xpbd_world *world, xpbd_constraint_type type, uint32_t i,
                            const float *rest);
/** Write compliance and damping, where given, of constraints [first, first + count). */
void xpbd_set_parameters(xpbd_set *set, uint32_t first, uint32_t count, const xpbd_constraints *in);

#endif
