/* SPDX-License-Identifier: MIT
 *
 * tree-direct: ropes, chains and trees of links are solved at once, whatever their length and the
 * ratio of their masses; everything else by Gauss-Seidel in colours before them. Trees run side by
 * side. [DEUL18].
 */
#include "schedulers/schedulers.h"

extern const xpbd_scheduler xpbd_scheduler_tree_direct;
const xpbd_scheduler xpbd_scheduler_tree_direct = {
    XPBD_SCHEDULER_COOKIE,
    "tree-direct",
    "chains and trees solved at once, the rest by Gauss-Seidel in colours",
    XPBD_PARTITION_TREES,
    XPBD_UPDATE_IN_PLACE,
    xpbd_sched_run_staged,
};
