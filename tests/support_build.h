/* SPDX-License-Identifier: MIT
 *
 * What the tests of the builders share: small meshes made here, a look at what a world was given,
 * and coming to rest under a load.
 */
#ifndef XPBD_TESTS_SUPPORT_BUILD_H
#define XPBD_TESTS_SUPPORT_BUILD_H

#include "support.h"

#include "xpbd/build.h"

/** A mesh that owns its arrays. Free with kit_mesh_free(). */
typedef struct kit_mesh {
    uint32_t n_vertices, n_elements;
    float (*x)[3];
    uint32_t *elements;
} kit_mesh;

typedef enum kit_diagonals {
    KIT_PARALLEL,    /* from (i + 1, j) to (i, j + 1) in each quad */
    KIT_ALTERNATING, /* in turns, so that neither direction is preferred */
    KIT_EQUILATERAL  /* every second row is shifted by half a quad and the rows are closer */
} kit_diagonals;

/** columns x rows quads of this size, two triangles each, in the x-z plane. Vertex j (columns + 1)
 *  + i is in column i of row j. */
kit_mesh kit_sheet(uint32_t columns, uint32_t rows, float size, kit_diagonals diagonals);
/** nx x ny x nz cubes of this size, six tetrahedra each; vertex (k (ny + 1) + j) (nx + 1) + i. */
kit_mesh kit_solid(uint32_t nx, uint32_t ny, uint32_t nz, float size);
void kit_mesh_free(kit_mesh *mesh);
/** The same mesh as an argument of a builder. */
xpbd_build_mesh kit_mesh_input(const kit_mesh *mesh);

/** Particles of a constraint that the world has. */
const uint32_t *kit_constraint_particles(const xpbd_world *world, xpbd_constraint_type type,
                                         uint32_t index);
float kit_constraint_rest(const xpbd_world *world, xpbd_constraint_type type, uint32_t index,
                          uint32_t k);
float kit_constraint_compliance(const xpbd_world *world, xpbd_constraint_type type, uint32_t index);
/** Inverse masses as the world has them. */
float kit_inverse_mass(const xpbd_world *world, uint32_t particle);
uint32_t kit_n_particles(const xpbd_world *world);
/** All constraints of all types. */
uint32_t kit_n_constraints(const xpbd_world *world);
/** Fail unless the text occurs in what was said. */
void kit_check_contains(const char *said, const char *text);

#endif
