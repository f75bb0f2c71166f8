/* SPDX-License-Identifier: MIT
 *
 * Checks of values that come from the caller, shared by adding and changing. Each returns XPBD_OK
 * or leaves an error that names the element, counted from `first`: 0 for additions.
 */
#ifndef XPBD_SOLVER_CHECK_H
#define XPBD_SOLVER_CHECK_H

#include "solver/world.h"

/** Triples that have to be finite; a null array is fine. */
xpbd_status xpbd_check_vectors(const xpbd_world *world, xpbd_status status, const float *array,
                               size_t stride, uint32_t first, uint32_t count, const char *what);
/** Numbers in [low, high], NaN never being one; a null array is fine. */
xpbd_status xpbd_check_numbers(const xpbd_world *world, xpbd_status status, int32_t type,
                               const float *array, size_t stride, uint32_t first, uint32_t count,
                               float low, float high, const char *what);
/** Strides of the arrays but `particles`, made real, and the values of columns. */
xpbd_status xpbd_check_parameters(const xpbd_world *world, xpbd_constraint_type type,
                                  uint32_t first, uint32_t count, xpbd_constraints *in);
/** Rest data of constraint i of a batch. */
xpbd_status xpbd_check_rest(const xpbd_world *world, xpbd_constraint_type type, uint32_t i,
                            const float *rest);
/** Name a column as its array in xpbd_constraints. */
const char *xpbd_column_name(xpbd_column column);
/** Find the caller's array for a column, null where he has given none, and its stride; `enabled`
 *  never has one. */
const float *xpbd_column_array(const xpbd_constraints *in, xpbd_column column, size_t *stride);
/** Give a tightly packed array for a column, which is not `enabled`. */
void xpbd_column_give(xpbd_constraints *in, xpbd_column column, const float *array);
/** Tell whether a column of a set may hold a value. */
bool xpbd_column_allows(xpbd_column column, float value);
/** Read a number of a constraint. */
float xpbd_column_at(const xpbd_set *set, xpbd_column column, uint32_t i);
/** Tell whether a column comes into use by what is given, as below. */
bool xpbd_column_grows(const xpbd_set *set, const xpbd_constraints *in, bool enabled,
                       uint32_t count);
/** Make room for `total` constraints in the columns that are in use or given in `in`, of `count`
 *  constraints, by values that say something (or, for `enabled`, wanted). False without memory;
 *  nothing that is kept changes. */
bool xpbd_column_reserve(xpbd_world *world, xpbd_set *set, const xpbd_constraints *in, bool enabled,
                         uint32_t count, size_t total);
/** Take columns into use that have room: those given as above. All constraints of the set have
 *  `fill` in them. */
void xpbd_column_use(xpbd_set *set, const xpbd_constraints *in, bool enabled, uint32_t count);
/** Write the columns given of constraints [first, first + count), and `fill` into the others where
 *  they are in use and `fresh` is set. */
void xpbd_column_write(xpbd_set *set, uint32_t first, uint32_t count, const xpbd_constraints *in,
                       bool fresh);

#endif
