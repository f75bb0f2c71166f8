/* SPDX-License-Identifier: MIT
 *
 * tetblock-N: a 1 m cube of N^3 vertices, each cell cut into Kuhn's six tetrahedra, which all share
 * the cell's main diagonal and match those of the next cell. Vertex number (y N + z) N + x; the
 * uppermost layer is fixed. Vertices are moved at random by up to 15 % of
 * the spacing in each direction, so that no two lengths are alike; every tetrahedron keeps its
 * orientation.
 */
#include "scenes/scene_parts.h"

#define DENSITY    1000.0 /* kg/m^3, water and flesh */
#define COMPLIANCE 1e-6f  /* m/N: a block of 16 layers sags by a third of a millimetre */

bool xpbd_scene_fill_tetblock(uint32_t n, xpbd_scene *scene)
{
    const uint32_t n_vertices = n * n * n;
    if (!xpbd_scene_allocate(scene, n_vertices, (float)((double)n_vertices / DENSITY)) ||
        !xpbd_scene_open_distances(scene, xpbd_scene_count_block_edges(n), COMPLIANCE))
        return false;
    xpbd_scene_place_block(n, scene);
    xpbd_scene_join_block(n, scene);
    return true;
}
