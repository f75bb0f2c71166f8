/* SPDX-License-Identifier: MIT
 *
 * jelly-N: the block of tetblock-N with all its edges, and the volume of each of its 6 (N - 1)^3
 * tetrahedra. What other engines make of a soft body; jelly-27 has 105,456 tetrahedra.
 */
#include "scenes/scene_parts.h"

#define DENSITY    1000.0 /* kg/m^3, water and flesh */
#define COMPLIANCE 1e-6f  /* m/N */
#define BULK       2e6    /* Pa: hardly compressible beside these edges */

bool xpbd_scene_fill_jelly(uint32_t n, xpbd_scene *scene)
{
    const uint32_t n_vertices = n * n * n, m = n - 1, n_tets = 6 * m * m * m;
    if (!xpbd_scene_allocate(scene, n_vertices, (float)((double)n_vertices / DENSITY)) ||
        !xpbd_scene_open_distances(scene, xpbd_scene_count_block_edges(n), COMPLIANCE))
        return false;
    xpbd_scene_place_block(n, scene);
    xpbd_scene_join_block(n, scene);
    if (!xpbd_scene_open(scene, XPBD_TET_VOLUME, n_tets, (float)(1.0 / n_tets / BULK)))
        return false;
    xpbd_scene_add_cells(n, scene);
    return true;
}
