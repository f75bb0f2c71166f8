/* SPDX-License-Identifier: MIT
 *
 * The types of constraints, a row of constraints.def each. Apart from xpbd.h, which includes it, so
 * that kernels depend on nothing else of the API.
 */
#ifndef XPBD_CONSTRAINT_TYPE_H
#define XPBD_CONSTRAINT_TYPE_H

typedef enum xpbd_constraint_type {
#define XPBD_CONSTRAINT(ID, ...) XPBD_##ID,
#include "xpbd/constraints.def"
#undef XPBD_CONSTRAINT
    XPBD_CONSTRAINT_TYPE_COUNT
} xpbd_constraint_type;

#endif
