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

bool xpbd_scene_fill_cloth(uint32_t n, xpbd_scene *scene)
{
    if (!xpbd_scene_allocate(scene, n * n, (float)((double)n * n / AREA_DENSITY)))
        return false;
    xpbd_scene_place_sheet(n, scene);
    if (!xpbd_scene_open_distances(scene, 2 * n * (n - 1), STIFF))
        return false;
    xpbd_scene_join_sheet(n, 1, false, 0, scene);
    xpbd_scene_join_sheet(n, 0, false, 1, scene);
    if (!xpbd_scene_open_distances(scene, 2 * (n - 1) * (n - 1), STIFF))
        return false;
    xpbd_scene_join_sheet(n, 1, false, 1, scene);
    xpbd_scene_join_sheet(n, 1, true, 1, scene);
    if (!xpbd_scene_open_distances(scene, 2 * n * (n - 2), SOFT))
        return false;
    xpbd_scene_join_sheet(n, 2, false, 0, scene);
    xpbd_scene_join_sheet(n, 0, false, 2, scene);
    return true;
}
