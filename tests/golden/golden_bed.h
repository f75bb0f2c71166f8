/* SPDX-License-Identifier: MIT
 *
 * What the golden scenes are made with. Their numbers come from +, -, *, / and whole numbers only:
 * a sine of the C library would make another scene of it on another machine.
 */
#ifndef XPBD_TESTS_GOLDEN_BED_H
#define XPBD_TESTS_GOLDEN_BED_H

#include "tests/golden/golden.h"

/** A world in the making. After a failure the rest is of no interest, and changes nothing. */
typedef struct golden_bed {
    xpbd_world *world;
    uint32_t n;         /* the scene's size */
    float mass;         /* the unit of mass, a power of two: see golden_run() */
    xpbd_status status; /* the first that was not XPBD_OK */
} golden_bed;

/** Keep the first failure. */
void golden_try(golden_bed *bed, xpbd_status status);
/** Next random number in [low, high) (splitmix64); the limits are whole multiples of 2^-10. */
float golden_random(uint64_t *state, float low, float high);

/** Add a scene of scenes/ by its name, all of it damped by `damping` (N s/m). Returns the index of
 *  its first particle. */
uint32_t golden_add_scene(golden_bed *bed, const char *family, uint32_t n, bool scrambled,
                          float damping);
/** Add particles of `kg`, or pinned ones, and return the index of the first one. */
uint32_t golden_add_particles(golden_bed *bed, uint32_t n, const float (*x)[3], float kg);
/** Add constraints, in the unit of mass 1; compliances are one per constraint or null. */
void golden_add(golden_bed *bed, xpbd_constraint_type type, uint32_t n,
                const xpbd_constraints *constraints);
/** Change constraints [first, first + n): all get the same compliance, damping, stiffness and
 *  breaking force, in the unit of mass 1, of those that are not negative. */
typedef struct golden_values {
    float compliance, damping, stiffness, break_force;
} golden_values;
void golden_set(golden_bed *bed, xpbd_constraint_type type, uint32_t first, uint32_t n,
                golden_values values);
/** Pull at every `step`-th particle of the world. */
void golden_pull(golden_bed *bed, uint32_t step, float newton);
/** Move a pinned particle by (dx, dy, 0) in the next step. */
void golden_move(golden_bed *bed, uint32_t particle, float dx, float dy);
/** How many there are. */
uint32_t golden_n_particles(const golden_bed *bed);
uint32_t golden_n_constraints(const golden_bed *bed, xpbd_constraint_type type);
/** Fail for want of memory unless `memory` is some. Returns whether it is. */
bool golden_have(golden_bed *bed, const void *memory);

/* Make a scene, and change it before step `step`. */
#define GOLDEN_SCENE(name, ...)                                                                    \
    void golden_fill_##name(golden_bed *bed);                                                      \
    void golden_act_##name(golden_bed *bed, uint32_t step);
#include "tests/golden/golden_scenes.def"
#undef GOLDEN_SCENE

#endif
