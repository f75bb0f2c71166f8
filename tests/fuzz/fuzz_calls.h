/* SPDX-License-Identifier: MIT
 *
 * Bytes as a sequence of calls on one world: what a call has at hand, and the tables of calls.
 */
#ifndef XPBD_TESTS_FUZZ_CALLS_H
#define XPBD_TESTS_FUZZ_CALLS_H

#include "fuzz.h"

enum { CALLS_MOST_PARTICLES = 24, CALLS_ROOM = 1 << 17 };

typedef struct calls_saved {
    size_t size; /* 0: nothing */
    uint8_t bytes[CALLS_ROOM];
} calls_saved;

/** Memory of the world, of which a request may be refused. */
typedef struct calls_heap {
    uint64_t fail_in; /* requests until one is refused; 0: none */
    int64_t n_live;
    bool refused; /* one was, in this call */
} calls_heap;

typedef struct calls_game {
    fuzz_bytes in;
    calls_heap heap;
    xpbd_world_def def;
    xpbd_world *world;
    xpbd_world_summary has; /* before the call */
    double shortest;        /* step so far, s; 0: none */
    bool inside;            /* a substep callback runs */
    bool lost;              /* the state was not finite once */
    bool recorded;          /* a record was begun */
    calls_saved *kept;      /* a snapshot, for later */
} calls_game;

/** Make one call. */
typedef xpbd_status calls_fn(calls_game *game);

typedef enum calls_kind {
    CALLS_CHANGE,
    CALLS_KEEP, /* leaves the state as it is, also when it succeeds */
    CALLS_BUILD /* has an error of its own */
} calls_kind;

typedef struct calls_row {
    calls_fn *call;
    calls_kind kind;
} calls_row;

/** All kinds of calls. */
extern const calls_row calls_rows[];
extern const uint32_t calls_n_rows;

calls_fn calls_add_particles, calls_add_constraints, calls_set_constraints, calls_build,
    calls_reserve;
calls_fn calls_enable, calls_set_particles, calls_set_solver, calls_set_tolerance, calls_set_limits;
calls_fn calls_set_acceleration, calls_set_threads, calls_remove_constraints,
    calls_remove_particles, calls_compact, calls_prepare, calls_step, calls_set_callback,
    calls_add_port, calls_clear_ports, calls_read, calls_save, calls_load, calls_record, calls_twin,
    calls_run_out;

/** Take any type; rarely one that is none. */
xpbd_constraint_type calls_type(calls_game *game);
/** Take a range of n elements, which may reach past the end. */
void calls_range(calls_game *game, uint32_t n, uint32_t *first, uint32_t *count);
/** Count the constraints of a type; none of what is no type. */
uint32_t calls_count(const calls_game *game, xpbd_constraint_type type);
/** Make one call, and check what it left. */
void calls_make_one(calls_game *game);
/** Save a world that is not inside a step. */
void calls_save_to(const xpbd_world *world, calls_saved *to);
/** Check that what was recorded happens again, on another layout with other workers. */
void calls_check_record(const calls_game *game);

#endif
