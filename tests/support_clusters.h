/* SPDX-License-Identifier: MIT
 *
 * Closed meshes and clusters for the tests of types of variable size.
 */
#ifndef XPBD_TESTS_SUPPORT_CLUSTERS_H
#define XPBD_TESTS_SUPPORT_CLUSTERS_H

#include "tests/support.h"

/** A closed mesh of triangles, outside anticlockwise. Free with kit_surface_free(). */
typedef struct kit_surface {
    uint32_t n, n_triangles;
    float (*x)[3];
    float *w; /* 1 each */
    uint32_t (*triangle)[3];
} kit_surface;

/** A sphere about the origin: two poles and rings - 1 circles of `columns` vertices. */
kit_surface kit_sphere(uint32_t rings, uint32_t columns, float radius);
void kit_surface_free(kit_surface *mesh);
/** Its volume in double, from positions x. */
double kit_surface_volume(const kit_surface *mesh, const float (*x)[3]);
/** Add its volume as a constraint with the values of `c`. */
void kit_add_volume(xpbd_world *world, const kit_surface *mesh, const xpbd_constraints *c);
/** Add a cluster of n members (null: particles 0 ... n - 1), at rest now, with the values of c. */
void kit_add_cluster(xpbd_world *world, uint32_t n, const uint32_t *members, float stretch,
                     const xpbd_constraints *c);

#endif
