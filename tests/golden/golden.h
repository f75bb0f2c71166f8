/* SPDX-License-Identifier: MIT
 *
 * Golden hashes: what scenes come to after some steps, committed in golden.def. They are the same
 * on every scheduler's layouts, instruction sets, threads and pinnings, on every processor family,
 * compiler and optimisation; a change of one is a change of the library's results and has a reason.
 * Knows the public API and scenes/ only, so that it can be built for any processor.
 */
#ifndef XPBD_TESTS_GOLDEN_H
#define XPBD_TESTS_GOLDEN_H

#include "xpbd/xpbd.h"

/** A row of golden_scenes.def in one of its two sizes. Small ones are for all that is slow; in
 *  large ones stages have work for many threads. */
typedef struct golden_scene {
    char name[32]; /* "cloth-20" */
    bool large;
    uint32_t row, n;
} golden_scene;

/** What a run came to. */
typedef struct golden_result {
    uint64_t hash; /* of positions, velocities, multipliers, forces and what broke; 0: it failed */
    uint64_t motion;                           /* of positions, velocities and what broke */
    uint32_t threads;                          /* of the team */
    const char *isa;                           /* that was taken */
    bool has_type[XPBD_CONSTRAINT_TYPE_COUNT]; /* the scene had constraints of the type */
    char text[192];                            /* why it failed, else empty */
} golden_result;

/** Name scene `index`: first all small ones, then the large ones. False past the last. */
bool golden_scene_at(uint32_t index, golden_scene *out);
/** Settings of a scene, with the library's choice of all else: for the caller to change. */
xpbd_world_def golden_def(const golden_scene *scene);
/** Run a scene.
 *  def    in   from golden_def()
 *  mass   in   the unit of mass, a power of two: masses are as many times as large, compliances as
 *              many times smaller, and so on for all that has kg in its unit. `motion` does not
 *              depend on it */
golden_result golden_run(const golden_scene *scene, const xpbd_world_def *def, float mass);

/** Run a scene in the unit of mass 1 and record all of it.
 *  record  out  [size] for the caller to free; null on failure */
golden_result golden_record(const golden_scene *scene, const xpbd_world_def *def, void **record,
                            size_t *size);

/** A row of golden.def. */
typedef struct golden_row {
    const char *scene, *scheduler;
    uint64_t hash;
    const char *reason; /* why it is not what it was before */
} golden_row;

/** List golden.def. Null past the last. */
const golden_row *golden_row_at(uint32_t index);
/** Find a row. Null where there is none. */
const golden_row *golden_find(const char *scene, const char *scheduler);
#endif
