/* SPDX-License-Identifier: MIT
 *
 * The kernels of one instruction set and layout, gathered from the rows of constraints.def. A row
 * without its file does not link.
 */
#include "kernel/project.h"

extern const xpbd_kernels XPBD_KERNEL_NAME(table);
extern xpbd_integrate_fn XPBD_KERNEL_NAME(predict), XPBD_KERNEL_NAME(finish);
extern xpbd_gather_fn XPBD_KERNEL_NAME(gather);
extern xpbd_change_fn XPBD_KERNEL_NAME(change);

#define XPBD_CONSTRAINT(ID, name, particles, rest, rows, ...)                                      \
    extern xpbd_project_fn *const XPBD_PROJECT_NAME(name)[XPBD_PROJECT_COUNT];                     \
    _Static_assert((particles) <= XPBD_CORNERS_MAX && (rest) <= XPBD_REST_MAX &&                   \
                       (rows) <= XPBD_ROWS_MAX,                                                    \
                   "a stream has no room for " #name);
#include "xpbd/constraints.def"
#undef XPBD_CONSTRAINT

const xpbd_kernels XPBD_KERNEL_NAME(table) = {
    .project =
        {
#define XPBD_CONSTRAINT(ID, name, ...) XPBD_PROJECT_NAME(name),
#include "xpbd/constraints.def"
#undef XPBD_CONSTRAINT
        },
    .predict = XPBD_KERNEL_NAME(predict),
    .finish = XPBD_KERNEL_NAME(finish),
    .gather = XPBD_KERNEL_NAME(gather),
    .change = XPBD_KERNEL_NAME(change),
};
