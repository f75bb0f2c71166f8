/* SPDX-License-Identifier: MIT
 *
 * drape-N: N x N particles 1 / (N - 1) m apart, as in cloth-N, but a sheet of triangles: each cell
 * is cut along the diagonal from (x + 1, z) to (x, z + 1). Distances on all edges, 2 N (N - 1)
 * along the threads and (N - 1)^2 across, and an isometric bend over each edge between two
 * triangles, (N - 1)^2 + 2 (N - 1)(N - 2).
 *
 * The compliances are those of xpbd_build_triangles() inside such a sheet, where they are the same
 * everywhere: |e|^2 / (E h A) with A the area of both triangles of an edge, and 3 / D.
 */
#include "scenes/scene_parts.h"

#define AREA_DENSITY 0.15   /* kg/m^2, a light cotton */
#define STRETCH      2e-4f  /* m/N, 1 / (E h) with E = 1e7 Pa and h = 0.5 mm */
#define BEND         2.6e4f /* 1/(N m), 3 / D with D = E h^3 / (12 (1 - 0.3^2)) */

/* Wing tips first, then the hinge: over diagonals, over edges along x, over edges along z. */
static void bend_all(uint32_t n, xpbd_scene *scene)
{
    for (uint32_t z = 0; z + 1 < n; z++) {
        for (uint32_t x = 0; x + 1 < n; x++) {
            uint32_t i = z * n + x;
            xpbd_scene_add(scene, (uint32_t[]){i, i + n + 1, i + 1, i + n});
        }
    }
    for (uint32_t z = 1; z + 1 < n; z++) {
        for (uint32_t x = 0; x + 1 < n; x++) {
            uint32_t i = z * n + x;
            xpbd_scene_add(scene, (uint32_t[]){i + n, i + 1 - n, i, i + 1});
        }
    }
    for (uint32_t z = 0; z + 1 < n; z++) {
        for (uint32_t x = 1; x + 1 < n; x++) {
            uint32_t i = z * n + x;
            xpbd_scene_add(scene, (uint32_t[]){i + 1, i + n - 1, i, i + n});
        }
    }
}

bool xpbd_scene_fill_drape(uint32_t n, xpbd_scene *scene)
{
    uint32_t m = n - 1;
    if (!xpbd_scene_allocate(scene, n * n, (float)((double)n * n / AREA_DENSITY)))
        return false;
    xpbd_scene_place_sheet(n, scene);
    if (!xpbd_scene_open_distances(scene, 2 * n * m, STRETCH))
        return false;
    xpbd_scene_join_sheet(n, 1, false, 0, scene);
    xpbd_scene_join_sheet(n, 0, false, 1, scene);
    if (!xpbd_scene_open_distances(scene, m * m, 2.0f * STRETCH))
        return false;
    xpbd_scene_join_sheet(n, 1, true, 1, scene);
    if (!xpbd_scene_open(scene, XPBD_BEND_ISOMETRIC, m * m + 2 * m * (m - 1), BEND))
        return false;
    bend_all(n, scene);
    return true;
}
