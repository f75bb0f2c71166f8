/* SPDX-License-Identifier: MIT
 *
 * A snapshot: what writing and reading it agree on.
 *
 *     world        names of scheduler and ordering, settings.def, whether lambda means something
 *     particles    positions, velocities, inverse masses; forces and removals where there are any
 *     constraints  of one type, by name; a section each of those that are used
 *     batches      in which order they were added
 *     events       moves that took place and that are to, and what broke
 */
#ifndef XPBD_SOLVER_SNAPSHOT_H
#define XPBD_SOLVER_SNAPSHOT_H

#include "solver/codec.h"

#define XPBD_SNAPSHOT_MAGIC   "XPBDsnap"
#define XPBD_SNAPSHOT_VERSION 1

/** Bits of what a section of particles or constraints has in addition. */
enum { XPBD_HAS_FORCES = 1, XPBD_HAS_REMOVED = 2, XPBD_HAS_RESULTS = 4, XPBD_HAS_MOBILITY = 8 };

/** What a stepped world has besides its scene. */
typedef enum xpbd_snapshot_state {
    XPBD_SNAPSHOT_FRESH,   /* nothing */
    XPBD_SNAPSHOT_STEPPED, /* multipliers */
    XPBD_SNAPSHOT_TRACKED  /* and the mobilities by which iterations end (track.c): they are of a
                              pose that has passed */
} xpbd_snapshot_state;

/** One type's section, taken apart. */
typedef struct xpbd_section_set {
    uint32_t type, count, n_elements, flags;
    uint32_t *particles, *sizes;
    float *rest, *element_rest;
    float *columns[XPBD_COLUMN_COUNT]; /* null: not in use */
    uint8_t *removed;
    float *lambda; /* [records][n_per_record]: rows, and mobility where it is known */
    uint32_t n_per_record;
    double *state;                    /* [count][4], variable size */
    uint32_t n_added, elements_added; /* by batches so far */
} xpbd_section_set;

/** Write a snapshot. */
void xpbd_snapshot_write(const xpbd_world *world, xpbd_writer *writer);
/** Read everything behind the first section into `fresh`, an empty world. Errors are left in the
 *  reader's world. */
xpbd_status xpbd_snapshot_read(xpbd_reader *reader, xpbd_world *fresh, xpbd_snapshot_state state,
                               xpbd_arena *scratch);
/** Check counts of a section that was taken apart so far, and take the rest of it. */
xpbd_status xpbd_snapshot_take_set(xpbd_reader *reader, const xpbd_world *fresh,
                                   xpbd_snapshot_state state, xpbd_section_set *section,
                                   xpbd_arena *scratch);
/** Say that something of a snapshot was refused, by `fresh` or for want of memory. */
xpbd_status xpbd_snapshot_refused(const xpbd_reader *reader, const xpbd_world *fresh,
                                  xpbd_status status);

/** Count the records of multipliers of a set. */
static inline uint32_t xpbd_snapshot_records(const xpbd_constraint_info *info, uint32_t count,
                                             uint32_t n_elements)
{
    return info->rows_per_element ? n_elements : count;
}

/** Find the lane of the first record of multipliers of a constraint, whose slot is given. */
static inline size_t xpbd_snapshot_lane(const xpbd_stream *stream, bool each, uint32_t slot)
{
    return each ? (size_t)stream->units->first_group[slot] * XPBD_GROUP : slot;
}

#endif
