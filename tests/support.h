/* SPDX-License-Identifier: MIT
 *
 * What the tests of the public API share: cmocka with its prerequisites, assertions that print
 * what they expected, small scenes that need no file, and shorthand for building worlds. The
 * scenes are made here and not in scenes/, so that a fault there can not hide one in the library.
 */
#ifndef XPBD_TESTS_SUPPORT_H
#define XPBD_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "xpbd/xpbd.h"

/* gcc says it with macros, clang with features. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if __has_feature(thread_sanitizer) || defined(__SANITIZE_THREAD__)
#define KIT_RACE_CHECKED 1
#else
#define KIT_RACE_CHECKED 0
#endif
#if KIT_RACE_CHECKED || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||     \
    defined(__SANITIZE_ADDRESS__)
#define KIT_SANITIZED 1
#else
#define KIT_SANITIZED 0
#endif

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* Not cmocka's XML, even under Bazel: it would swallow the messages of what failed. */
#define RUN_GROUP(name, tests) cmocka_run_group_tests_name(name, tests, NULL, NULL)

#define assert_status(call, want) kit_check_status(#call, call, want, __FILE__, __LINE__)
#define assert_ok(call)           assert_status(call, XPBD_OK)
#define assert_near(got, want, tolerance)                                                          \
    kit_check_near(#got, got, want, tolerance, __FILE__, __LINE__)
#define assert_below(got, limit) kit_check_below(#got, got, limit, __FILE__, __LINE__)
/* Bit for bit, and says which float differs. */
#define assert_same_floats(got, want, count)                                                       \
    kit_check_floats(#got, got, want, count, __FILE__, __LINE__)
/* Names the run that differed, which a bare comparison of two hashes can not. */
#define assert_same_hash(got, want, run) kit_check_hash(run, got, want, __FILE__, __LINE__)

void kit_check_status(const char *call, xpbd_status got, xpbd_status want, const char *file,
                      int line);
void kit_check_near(const char *what, double got, double want, double tolerance, const char *file,
                    int line);
void kit_check_below(const char *what, double got, double limit, const char *file, int line);
void kit_check_floats(const char *what, const float *got, const float *want, size_t count,
                      const char *file, int line);
void kit_check_hash(const char *run, uint64_t got, uint64_t want, const char *file, int line);

/** Next pseudo-random 64 bits (splitmix64). */
uint64_t kit_random(uint64_t *state);
/** Next pseudo-random float in [low, high). */
float kit_uniform(uint64_t *state, float low, float high);

/** Particles and the pairs that distance constraints join. Free with kit_scene_free(). */
typedef struct kit_scene {
    uint32_t n_particles, n_pairs;
    float (*x)[3];
    float *w;
    uint32_t (*pair)[2];
} kit_scene;

enum { KIT_STRUCTURAL = 1, KIT_SHEAR = 2, KIT_ONE_DIAGONAL = 4, KIT_BEND = 8 };

/** columns x rows particles in the x-z plane, number = row * columns + column. */
kit_scene kit_grid(uint32_t columns, uint32_t rows, float spacing, unsigned kinds);
/** side^3 jittered particles joined along edges, face diagonals and one body diagonal. */
kit_scene kit_block(uint32_t side, float spacing);
/** n particles along x, each joined to the next; the first is pinned. */
kit_scene kit_rope(uint32_t n, float spacing);
/** Particle 0 joined to particles 1 ... spokes, pair k = (0, k + 1). */
kit_scene kit_star(uint32_t spokes);
/** n separate pairs (2 k, 2 k + 1) of random size, about 1.5 long, far from each other. */
kit_scene kit_pairs(uint32_t n, uint64_t seed);
/** The same scene in another numbering and another order of its pairs. */
void kit_scramble(kit_scene *scene, uint64_t seed);
void kit_scene_free(kit_scene *scene);

/** A definition with the named scheduler (null: the default) on one thread and no gravity. */
xpbd_world_def kit_def(const char *scheduler);
xpbd_world *kit_create(const xpbd_world_def *def);
void kit_add_particles(xpbd_world *world, uint32_t n, const float (*x)[3], const float *w);
/** rest: null for the lengths in the current pose. compliance: of all of them. */
void kit_add_distances(xpbd_world *world, uint32_t n, const uint32_t (*pair)[2], const float *rest,
                       float compliance);
/** A world with all of a scene in it, at rest length. */
xpbd_world *kit_build(const xpbd_world_def *def, const kit_scene *scene, float compliance);
/** Particle 0 pinned at the origin, particle 1 of mass 1 at (x, 0, 0), rest length 1. */
xpbd_world *kit_spring(const xpbd_world_def *def, float x, float compliance, float damping);
void kit_steps(xpbd_world *world, uint32_t n, double dt);

/** Read all of them; the caller frees. */
float (*kit_positions(const xpbd_world *world))[3];
float (*kit_velocities(const xpbd_world *world))[3];
/** Read one. */
void kit_position(const xpbd_world *world, uint32_t particle, float out[3]);
void kit_velocity(const xpbd_world *world, uint32_t particle, float out[3]);
float kit_lambda(const xpbd_world *world, uint32_t distance);

#endif
