/* SPDX-License-Identifier: MIT
 *
 * Constraints of variable size on their way into a model. Types of one element pass through all of
 * this untouched.
 */
#ifndef XPBD_SOLVER_VARIABLE_H
#define XPBD_SOLVER_VARIABLE_H

#include "solver/world.h"

/** Tell how many elements constraint i of a batch has. */
static inline uint32_t xpbd_elements_of(const xpbd_constraints *in, uint32_t i)
{
    return in->sizes ? in->sizes[i] : 1;
}
/** Check sizes and strides of a batch whose set has `used` elements. Sets *total to its elements.
 */
xpbd_status xpbd_elements_check(const xpbd_world *world, xpbd_constraint_type type, uint32_t count,
                                uint32_t used, xpbd_constraints *in, uint32_t *total);
/** Check how the elements of every constraint fit together: no particle twice where an element is a
 *  particle, closed surfaces where the type wants them. The indices are in range already. */
xpbd_status xpbd_elements_check_shapes(xpbd_world *world, xpbd_constraint_type type, uint32_t count,
                                       const xpbd_constraints *in);
/** Make room for what the check above needs for constraints of `total` elements together. False
 *  without memory. */
bool xpbd_elements_reserve_check(xpbd_world *world, xpbd_constraint_type type, uint32_t total);
/** Check the element rest data of constraints of the set, or of a batch. */
xpbd_status xpbd_elements_check_rest(const xpbd_world *world, xpbd_constraint_type type,
                                     uint32_t total, xpbd_constraints *in);
/** Check that the pose gives finite element rest data where a batch has none. */
xpbd_status xpbd_elements_check_pose(const xpbd_world *world, xpbd_constraint_type type,
                                     uint32_t total, const xpbd_constraints *in);
/** Find the rest data of a constraint of a batch, whose first element is given, for the pose as it
 *  is now. */
void xpbd_elements_rest(const xpbd_world *world, xpbd_constraint_type type, uint32_t first,
                        uint32_t n, const xpbd_constraints *in, float *rest);
/** Make room for `count` constraints more with `total` elements. False without memory. */
bool xpbd_elements_reserve(xpbd_world *world, xpbd_constraint_type type, uint32_t count,
                           uint32_t total);
/** Write offsets and element rest data behind those of the set. */
void xpbd_elements_append(xpbd_world *world, xpbd_constraint_type type, uint32_t count,
                          const xpbd_constraints *in);
/** Write the element rest data of `total` elements from `first` on. */
void xpbd_elements_write_rest(xpbd_world *world, xpbd_constraint_type type, uint32_t first,
                              uint32_t total, const xpbd_constraints *in);

#endif
