/* SPDX-License-Identifier: MIT
 *
 * jacobi-mass-splitting: Jacobi with the mass of a particle divided among its n constraints, so
 * that each correction can be applied in full. Keeps momentum and converges. [MASS12].
 */
#include "schedulers/schedulers.h"

extern const xpbd_scheduler xpbd_scheduler_jacobi_mass_splitting;
const xpbd_scheduler xpbd_scheduler_jacobi_mass_splitting = {
    XPBD_SCHEDULER_COOKIE,
    "jacobi-mass-splitting",
    "Jacobi on masses split among constraints: keeps momentum",
    XPBD_PARTITION_FREE,
    XPBD_UPDATE_MASS_SPLIT,
    xpbd_sched_run_staged,
};
