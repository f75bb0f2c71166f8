/* SPDX-License-Identifier: MIT
 *
 * Records: what each call that changes a world notes at its end, where a record is going on. They
 * do nothing else, and never fail a call: without memory the record ends.
 */
#ifndef XPBD_SOLVER_RECORD_H
#define XPBD_SOLVER_RECORD_H

#include "solver/codec.h"

#define XPBD_RECORD_MAGIC   "XPBDcall"
#define XPBD_RECORD_VERSION 1
#define XPBD_RECORD_START   "start" /* the first section: a snapshot */
#define XPBD_RECORD_INSIDE                                                                         \
    "inside" /* the next call was made after this substep of the next step                         \
              */

#define XPBD_CALL(name) XPBD_CALL_##name,
#define XPBD_CALL_FREE(name)
typedef enum xpbd_call {
#include "solver/calls.def"
    XPBD_CALL_COUNT
} xpbd_call;
#undef XPBD_CALL
#undef XPBD_CALL_FREE

typedef struct xpbd_recorder {
    bool on, lost; /* lost: it had to end early */
    xpbd_buffer bytes;
    xpbd_writer to;
    /* Up to the last call from outside a step: what comes behind it is worth nothing before the
       section of its step is there. */
    size_t whole;              /* bytes */
    uint32_t n_sections;       /* in them, of to.n_sections */
    uint64_t n_calls, n_whole; /* calls, and those in them */
} xpbd_recorder;

/** Tell whether a record is being made. */
bool xpbd_record_is_on(const xpbd_world *world);
/** Free what a world has of a record. */
void xpbd_record_free(xpbd_world *world);

/** n words that say it all, and with type >= 0 a constraint type before them. */
void xpbd_record_words(xpbd_world *world, xpbd_call call, int32_t type, const void *words,
                       uint32_t n);
/** n floats of each of elements [first, first + count). */
void xpbd_record_floats(xpbd_world *world, xpbd_call call, uint32_t first, uint32_t count,
                        uint32_t n, const float *array, size_t stride);
/** Strides are real ones here and below. */
void xpbd_record_particles(xpbd_world *world, uint32_t count, const xpbd_particles *in);
/** `elements` of all constraints together; `particles` and `sizes` where they are given. */
void xpbd_record_constraints(xpbd_world *world, xpbd_call call, xpbd_constraint_type type,
                             uint32_t first, uint32_t count, uint32_t elements,
                             const xpbd_constraints *in);
/** The state is hashed here. */
void xpbd_record_step(xpbd_world *world, double dt);
void xpbd_record_load(xpbd_world *world, size_t size, const void *data);

#endif
