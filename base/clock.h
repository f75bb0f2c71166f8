/* SPDX-License-Identifier: MIT
 *
 * A clock that never goes back, for decisions that no result depends on.
 */
#ifndef XPBD_BASE_CLOCK_H
#define XPBD_BASE_CLOCK_H

/** Read seconds since some time in the past. Costs some 25 ns. */
double xpbd_clock_seconds(void);

#endif
