/* SPDX-License-Identifier: MIT
 *
 * cloth-N: N x N particles 1 / (N - 1) m apart in the x-z plane at y = 0, particle number z N + x,
 * the two corners of the row z = 0 fixed. Distances to the neighbours (structural), along both
 * diagonals of a cell (shear) and over two cells (bend): 2 N (N - 1) + 2 (N - 1)^2 + 2 N (N - 2).
 *
 * They are added direction by direction, not particle by particle, so that neighbours in the list
 * join neighbours in memory.
 */
#include "scenes/scene_parts.h"

#define AREA_DENSITY 0.15  /* kg/m^2, a light cotton */
#define STIFF        1e-7f /* m/N, along threads and diagonals */
#define SOFT         1e-5f /* m/N, over two cells: cloth bends more easily than it stretches */

/* Join each particle to the one (dx, dz) away; dx may be negative. */
static void join_all(xpbd_scene *scene, uint32_t n, uint32_t dx, bool backward, uint32_t dz)
{
    for (uint32_t z = 0; z + dz < n; z++) {
        for (uint32_t x = 0; x + dx < n; x++) {
            uint32_t row = z * n + x, other = (z + dz) * n + x;
            xpbd_scene_join(scene, backward ? row + dx : row, backward ? other : other + dx);
        }
    }
}

bool xpbd_scene_fill_cloth(uint32_t n, xpbd_scene *scene)
{
    if (!xpbd_scene_allocate(scene, n * n, (float)((double)n * n / AREA_DENSITY)))
        return false;
    for (uint32_t i = 0; i < n * n; i++) {
        scene->positions[3 * (size_t)i] = (float)((double)(i % n) / (n - 1));
        scene->positions[3 * (size_t)i + 2] = (float)((double)(i / n) / (n - 1));
    }
    scene->inverse_masses[0] = scene->inverse_masses[n - 1] = 0.0f;
    if (!xpbd_scene_open_distances(scene, 2 * n * (n - 1), STIFF))
        return false;
    join_all(scene, n, 1, false, 0);
    join_all(scene, n, 0, false, 1);
    if (!xpbd_scene_open_distances(scene, 2 * (n - 1) * (n - 1), STIFF))
        return false;
    join_all(scene, n, 1, false, 1);
    join_all(scene, n, 1, true, 1);
    if (!xpbd_scene_open_distances(scene, 2 * n * (n - 2), SOFT))
        return false;
    join_all(scene, n, 2, false, 0);
    join_all(scene, n, 0, false, 2);
    return true;
}
