/* SPDX-License-Identifier: MIT
 *
 * What the generators of scenes share: memory, batches of distances, random numbers that are the
 * same on every machine.
 */
#ifndef XPBD_SCENES_SCENE_PARTS_H
#define XPBD_SCENES_SCENE_PARTS_H

#include "scenes/scene.h"

/** Make room for particles. Positions are zero and inverse masses `inverse_mass`. */
bool xpbd_scene_allocate(xpbd_scene *scene, uint32_t n_particles, float inverse_mass);
/** Begin a batch of `count` distances; without any there is no batch. */
bool xpbd_scene_open_distances(xpbd_scene *scene, uint32_t count, float compliance);
/** Put the next pair into the batch that was begun last. */
void xpbd_scene_join(xpbd_scene *scene, uint32_t i, uint32_t j);
/** Take all distances as they are: computed in double from the float positions and rounded once,
 *  so that the scene begins at rest. False if one does not fit a float. */
bool xpbd_scene_measure(xpbd_scene *scene);
/** Renumber the particles and reorder the constraints of each batch at random. */
bool xpbd_scene_scramble(xpbd_scene *scene, uint64_t seed);

/** Next 64 random bits (splitmix64). */
uint64_t xpbd_scene_random(uint64_t *state);
/** Next random number in [-1, 1). */
double xpbd_scene_random_signed(uint64_t *state);

/* The generators: fill an empty scene of size n. False for want of memory. */
#define XPBD_SCENE(name, smallest, largest, text)                                                  \
    bool xpbd_scene_fill_##name(uint32_t n, xpbd_scene *scene);
#include "scenes/scenes.def"
#undef XPBD_SCENE

#endif
