/* SPDX-License-Identifier: MIT
 *
 * softbody-N: the block of tetblock-N, with a neo-Hookean constraint in each of its 6 (N - 1)^3
 * tetrahedra.
 */
#include "scenes/scene_parts.h"

#define DENSITY    1000.0  /* kg/m^3, water and flesh */
#define COMPLIANCE 2.6e-5f /* m^2/N, 1 / mu: E = 1e5 Pa, so that the block sags by some 5 % */
#define RATIO      1.5f    /* lambda / mu = 2 nu / (1 - 2 nu), nu = 0.3 */

bool xpbd_scene_fill_softbody(uint32_t n, xpbd_scene *scene)
{
    uint32_t n_vertices = n * n * n, m = n - 1, n_tets = 6 * m * m * m;
    if (!xpbd_scene_allocate(scene, n_vertices, (float)((double)n_vertices / DENSITY)) ||
        !xpbd_scene_open(scene, XPBD_TET_NEO_HOOKEAN, n_tets, COMPLIANCE) ||
        !xpbd_scene_make_rest(scene, n_tets))
        return false;
    xpbd_scene_place_block(n, scene);
    xpbd_scene_add_cells(n, scene);
    xpbd_scene_measure_tets(RATIO, scene);
    return true;
}
