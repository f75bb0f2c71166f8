/* SPDX-License-Identifier: MIT
 *
 * tetblock-N: a 1 m cube of N^3 vertices, each cell cut into Kuhn's six tetrahedra, which all share
 * the cell's main diagonal and match those of the next cell. Vertex number (y N + z) N + x; the
 * uppermost layer is fixed. The unique edges lead from a vertex to its seven neighbours on the far
 * side: 3 N^2 (N - 1) + 3 N (N - 1)^2 + (N - 1)^3. Vertices are moved at random by up to 15 % of
 * the spacing in each direction, so that no two lengths are alike; every tetrahedron keeps its
 * orientation.
 */
#include "scenes/scene_parts.h"

#define DENSITY    1000.0 /* kg/m^3, water and flesh */
#define COMPLIANCE 1e-6f  /* m/N: a block of 16 layers sags by a third of a millimetre */

/* In ascending order of both ends, as the mesh readers give the edges. */
static void join_vertex(uint32_t n, uint32_t x, uint32_t y, uint32_t z, xpbd_scene *scene)
{
    uint32_t here = (y * n + z) * n + x;
    for (uint32_t way = 1; way < 8; way++) {
        uint32_t dx = way & 1, dz = way >> 1 & 1, dy = way >> 2;
        if (x + dx < n && y + dy < n && z + dz < n)
            xpbd_scene_join(scene, here, here + (dy * n + dz) * n + dx);
    }
}

bool xpbd_scene_fill_tetblock(uint32_t n, xpbd_scene *scene)
{
    uint32_t n_vertices = n * n * n, m = n - 1;
    if (!xpbd_scene_allocate(scene, n_vertices, (float)((double)n_vertices / DENSITY)) ||
        !xpbd_scene_open_distances(scene, 3 * n * n * m + 3 * n * m * m + m * m * m, COMPLIANCE))
        return false;
    xpbd_scene_place_block(n, scene);
    for (uint32_t i = 0; i < n_vertices; i++)
        join_vertex(n, i % n, i / (n * n), i / n % n, scene);
    return true;
}
