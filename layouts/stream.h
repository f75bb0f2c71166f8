/* SPDX-License-Identifier: MIT
 *
 * The constraints of one type, packed: one array per quantity, cut into groups of XPBD_GROUP
 * lanes. Lanes of a group share no particle (but in an ordered plan, where they run one by one).
 *
 *     group        0                 1
 *     id[0]        a0 a1 ... a15     a16 ... a20 s s s s s      s: sink, a pad lane
 *     rest[0]      L0 L1 ... L15     L16 ... L20 0 0 0 0 0
 *     lambda[0]    ...
 */
#ifndef XPBD_LAYOUTS_STREAM_H
#define XPBD_LAYOUTS_STREAM_H

#include "layouts/store.h"

/* The most that a row of constraints.def may have; checked where the table is expanded. */
#define XPBD_CORNERS_MAX 4
#define XPBD_REST_MAX    16
#define XPBD_ROWS_MAX    6

typedef struct xpbd_stream {
    uint32_t *id[XPBD_CORNERS_MAX]; /* particle slots */
    float *rest[XPBD_REST_MAX];
    float *compliance;
    float *damping;     /* s: alpha beta + tau. Null where no constraint of the type has any */
    float *stiffness;   /* factor of a correction: k of [PBD07], 0 off, 1 for XPBD; or null */
    float *break_force; /* greatest |lambda| / dt^2; or null */
    uint8_t *broken;    /* set to 1 by what breaks; with break_force */
    float *lambda[XPBD_ROWS_MAX];
    float *share;      /* Jacobi: what part of a correction lambda keeps */
    float *correction; /* Jacobi: this stream's part of the store's, [groups][corners][16][4] */
    uint32_t n_groups;
} xpbd_stream;

#endif
