/* SPDX-License-Identifier: MIT
 *
 * The table of schedulers.
 */
#include "schedulers/schedulers.h"

#define XPBD_SCHEDULER(file) extern const xpbd_scheduler xpbd_scheduler_##file;
#include "schedulers/schedulers.def"
#undef XPBD_SCHEDULER

const xpbd_scheduler *xpbd_sched_row(uint32_t index)
{
    static const xpbd_scheduler *const rows[] = {
#define XPBD_SCHEDULER(file) &xpbd_scheduler_##file,
#include "schedulers/schedulers.def"
#undef XPBD_SCHEDULER
    };
    return index < sizeof rows / sizeof rows[0] ? rows[index] : NULL;
}

const char *xpbd_scheduler_name(uint32_t index)
{
    const xpbd_scheduler *row = xpbd_sched_row(index);
    return row ? row->name : NULL;
}

const char *xpbd_scheduler_summary(uint32_t index)
{
    const xpbd_scheduler *row = xpbd_sched_row(index);
    return row ? row->summary : NULL;
}
