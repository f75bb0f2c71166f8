/* SPDX-License-Identifier: MIT
 *
 * What the generators of scenes share: memory, batches of constraints, grids, random numbers that
 * are the same on every machine.
 */
#ifndef XPBD_SCENES_SCENE_PARTS_H
#define XPBD_SCENES_SCENE_PARTS_H

#include "scenes/scene.h"

/** Make room for particles. Positions are zero and inverse masses `inverse_mass`. */
bool xpbd_scene_allocate(xpbd_scene *scene, uint32_t n_particles, float inverse_mass);
/** Begin a batch with room for n elements. Of a type of variable size they are one constraint. Its
 *  rest data are null, the positions at the beginning. Without any elements there is no batch. */
bool xpbd_scene_open(xpbd_scene *scene, xpbd_constraint_type type, uint32_t n, float compliance);
/** Give the batch that was begun last rest data of its own, for n constraints. The caller fills
 *  them in. */
bool xpbd_scene_make_rest(xpbd_scene *scene, uint32_t n);
/** Put the next element into the batch that was begun last. */
void xpbd_scene_add(xpbd_scene *scene, const uint32_t *particles);

/** Begin a batch of n distances, whose rest data xpbd_scene_measure() fills in. */
bool xpbd_scene_open_distances(xpbd_scene *scene, uint32_t n, float compliance);
/** Put the next pair into the batch that was begun last. */
void xpbd_scene_join(xpbd_scene *scene, uint32_t i, uint32_t j);
/** Take all distances as they are: computed in double from the float positions and rounded once,
 *  so that the scene begins at rest. False if one does not fit a float. */
bool xpbd_scene_measure(xpbd_scene *scene);

/** Place n x n particles 1 / (n - 1) m apart in the x-z plane at y = 0, number z n + x, and fix the
 *  two corners of the row z = 0. */
void xpbd_scene_place_sheet(uint32_t n, xpbd_scene *scene);
/** Join each particle of a sheet to the one (dx, dz) away, or with `back` (-dx, dz). */
void xpbd_scene_join_sheet(uint32_t n, uint32_t dx, bool back, uint32_t dz, xpbd_scene *scene);
/** Place n^3 particles in a cube of 1 m, number (y n + z) n + x, each moved at random by up to 15 %
 *  of the spacing in each direction, and fix the uppermost layer. */
void xpbd_scene_place_block(uint32_t n, xpbd_scene *scene);
/** Join the vertices of such a block along the edges of its tetrahedra, each vertex to its seven
 *  neighbours on the far side, and count these edges. */
void xpbd_scene_join_block(uint32_t n, xpbd_scene *scene);
uint32_t xpbd_scene_count_block_edges(uint32_t n);
/** Fill all cells of such a block. */
void xpbd_scene_add_cells(uint32_t n, xpbd_scene *scene);
/** Fill a cell of a grid with six tetrahedra of positive volume. strides: from `corner` to the next
 *  particle along x, y and z, a right-handed system. */
void xpbd_scene_add_cell(uint32_t corner, const uint32_t strides[3], xpbd_scene *scene);
/** Take the tetrahedra of the last batch, a finite element type, as they are: three edges each, and
 *  the ratio of the material that follows them. */
void xpbd_scene_measure_tets(float ratio, xpbd_scene *scene);

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
