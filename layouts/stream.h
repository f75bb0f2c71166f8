/* SPDX-License-Identifier: MIT
 *
 * The constraints of one type, packed: one array per quantity, cut into groups of XPBD_GROUP
 * lanes. Lanes of a group share no particle (but in an ordered plan, where they run one by one).
 *
 *     group        0                 1
 *     id[0]        a0 a1 ... a15     a16 ... a20 s s s s s      s: sink, a pad lane
 *     rest[0]      L0 L1 ... L15     L16 ... L20 0 0 0 0 0
 *     lambda[0]    ...
 *
 * Of some types, groups that touch neighbouring particles are kept apart as runs. Register k of
 * base/simd.h has lanes k, k + 4, k + 8 and k + 12 of a group: four constraints that followed each
 * other in one of the ways of xpbd_run_kind, so that their particles are loaded as a whole.
 *
 * A type of variable size has a whole constraint as the unit of work, done by one thread. Its
 * elements fill groups of their own, so that a unit may sum over its lanes in a fixed order:
 *
 *     unit         0                                    1
 *     id[0]        e0 ... e15 | e16 ... e20 s ... s     e0 ... e6 s ... s
 *     rest[0]      r0                                   r1
 */
#ifndef XPBD_LAYOUTS_STREAM_H
#define XPBD_LAYOUTS_STREAM_H

#include "layouts/store.h"

/* The most that a row of constraints.def may have; checked where the table is expanded. */
#define XPBD_CORNERS_MAX 4
#define XPBD_REST_MAX    16
#define XPBD_ROWS_MAX    6

#define XPBD_ELEMENT_REST_MAX 3

/** How the particles a, b of four constraints i = 0 ... 3 in a register follow each other. */
typedef enum xpbd_run_kind {
    XPBD_RUN_NONE,
    XPBD_RUN_ROWS,   /* each corner by itself: a + i, b + i, and of more corners all */
    XPBD_RUN_ZIPPED, /* alternating: a0 b0 a1 b1 a2 b2 a3 b3 */
    XPBD_RUN_HALVED, /* two and two: a0 a1 b0 b1 a2 a3 b2 b3 */
    XPBD_RUN_KINDS
} xpbd_run_kind;

/** The units of a type of variable size. Its points are the particles of a constraint, each once,
 *  in the order in which its elements name them; where an element is a particle they are the same.
 *  Pad lanes hold the sink of the bin, which units share: it may be read, but not written. */
typedef struct xpbd_units {
    uint32_t *first_group, *n;              /* [units + 1], [units]: groups, elements of a unit */
    uint32_t *first_point_group, *n_points; /* the same for its points */
    uint32_t *point;                        /* [point lane] place of the particle */
    uint32_t *corner[XPBD_CORNERS_MAX];     /* [lane] point of the unit that a corner is */
    uint32_t *first_use;                    /* [point lane + 1] elements with a corner there ... */
    uint32_t *use;                          /* ... as elements of the unit, rising */
    float *element_rest[XPBD_ELEMENT_REST_MAX]; /* [lane] */
    float *element_scratch;                     /* [lane][4] a kernel's own, not kept */
    float *point_scratch[2];                    /* [point lane][4] */
    double *state;                              /* [units][4] kept; 0 at first */
} xpbd_units;

typedef struct xpbd_stream {
    uint32_t *id[XPBD_CORNERS_MAX]; /* places of particles, see xpbd_pack_scale */
    float *rest[XPBD_REST_MAX];     /* these and the following per constraint: by lane or unit */
    float *compliance;
    float *damping;     /* s: alpha beta + tau. Null where no constraint of the type has any */
    float *stiffness;   /* factor of a correction: k of [PBD07], 0 off, 1 for XPBD; or null */
    float *break_force; /* greatest |lambda| / dt^2; or null */
    uint8_t *broken;    /* set to 1 by what breaks; with break_force */
    float *lambda[XPBD_ROWS_MAX]; /* per constraint, or by lane where every element has rows */
    float *share;      /* Jacobi: what part of a correction lambda keeps; as long as lambda */
    float *correction; /* Jacobi: this stream's part of the store's, [groups][corners][16][4], or
                          [point lane][4] */
    uint32_t n_groups; /* units: groups of constraints, or constraints of variable size */
    const xpbd_units *units; /* null: constraints of one element */
} xpbd_stream;

/** Count the places of values that are per constraint. */
static inline size_t xpbd_stream_slots(const xpbd_stream *stream)
{
    return (size_t)stream->n_groups * (stream->units ? 1 : XPBD_GROUP);
}
/** Count the lanes of id[]. */
static inline size_t xpbd_stream_lanes(const xpbd_stream *stream)
{
    const uint32_t n = stream->n_groups;
    return (size_t)(stream->units ? stream->units->first_group[n] : n) * XPBD_GROUP;
}

#endif
