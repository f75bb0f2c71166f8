/* SPDX-License-Identifier: MIT
 *
 * jacobi-chebyshev: Jacobi on split masses, extrapolated from iteration to iteration. Converges in
 * about the square root of the iterations that Jacobi needs, for one more pass over particles and
 * multipliers in each. [CHEB15].
 */
#include "schedulers/schedulers.h"

extern const xpbd_scheduler xpbd_scheduler_jacobi_chebyshev;
const xpbd_scheduler xpbd_scheduler_jacobi_chebyshev = {
    XPBD_SCHEDULER_COOKIE,
    "jacobi-chebyshev",
    "Jacobi on split masses with Chebyshev's extrapolation: far fewer iterations",
    XPBD_PARTITION_FREE,
    XPBD_UPDATE_CHEBYSHEV,
    xpbd_sched_run_staged,
};
