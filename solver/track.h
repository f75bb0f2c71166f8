/* SPDX-License-Identifier: MIT
 *
 * How far the iterations of a substep have come: the largest |C + alpha~ lambda| that the
 * constraints had when the last sweep came to them, and the end of the iterations where that is
 * small enough. What it is exactly: xpbd_world_set_tolerance().
 */
#ifndef XPBD_SOLVER_TRACK_H
#define XPBD_SOLVER_TRACK_H

#include "solver/world.h"

/** Tell whether the solve of a world needs to know |h|. A build may have room for it from before.
 */
static inline bool xpbd_track_is_wanted(const xpbd_world *world)
{
    return world->tolerance > 0.0f || world->scheduler->update == XPBD_UPDATE_CHEBYSHEV;
}

/** Count the records of lambda of a stream. */
size_t xpbd_track_records(const xpbd_stream *stream, uint32_t type);
/** Make room in a build that has its streams. False without memory. */
bool xpbd_track_init(xpbd_world *world);
/** Take over changed values of constraints [first, first + count), where there is anything yet. */
void xpbd_track_refresh(xpbd_world *world, uint32_t type, uint32_t first, uint32_t count);
/** Get ready for a step with such substeps, on one thread. */
void xpbd_track_begin(xpbd_world *world);
/** Solve a substep on all members: iterations until the tolerance is met, and a barrier. `look`
 *  counts how often one has looked in this step, the same on all members. */
void xpbd_track_solve(xpbd_world *world, xpbd_member *member, uint32_t substep, uint32_t *look);

/** Find the largest |now - before| scale of records [begin, end) of a type, `begin` the first of a
 *  lane group, as its bits, which are ordered as the numbers are, NaN above all. */
uint32_t xpbd_track_largest(const xpbd_build *build, uint32_t type, const float *now,
                            const float *before, size_t begin, size_t end);
/** Raise a shared maximum of such bits. The order in which members come does not matter. */
void xpbd_track_raise(atomic_uint *shared, uint32_t bits);

#endif
