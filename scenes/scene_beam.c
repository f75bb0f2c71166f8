/* SPDX-License-Identifier: MIT
 *
 * beam-N: a cantilever of 1 m along x, of cubic cells: N along it, N / 8 high and wide. In each are
 * six tetrahedra of the St. Venant-Kirchhoff material. Bending is what iterations from element to
 * element are slow at.
 */
#include "scenes/scene_parts.h"

#define DENSITY    1000.0 /* kg/m^3 */
#define COMPLIANCE 1e-7f  /* m^2/N, 1 / E: hard rubber, sags by a tenth of its length */
#define POISSON    0.3f

bool xpbd_scene_fill_beam(uint32_t n, xpbd_scene *scene)
{
    const uint32_t m = n / 8 > 0 ? n / 8 : 1, line = m + 1, slice = line * line;
    const uint32_t n_vertices = (n + 1) * slice, n_tets = 6 * n * m * m;
    const uint32_t strides[3] = {slice, line, 1};
    const double cell = 1.0 / n, mass = DENSITY * m * cell * m * cell;
    if (!xpbd_scene_allocate(scene, n_vertices, (float)(n_vertices / mass)) ||
        !xpbd_scene_open(scene, XPBD_TET_STVK, n_tets, COMPLIANCE) ||
        !xpbd_scene_make_rest(scene, n_tets))
        return false;
    for (uint32_t i = 0; i < n_vertices; i++) {
        const uint32_t grid[3] = {i / slice, i / line % line, i % line};
        for (size_t k = 0; k < 3; k++)
            scene->positions[3 * (size_t)i + k] = (float)(grid[k] * cell);
        if (grid[0] == 0)
            scene->inverse_masses[i] = 0.0f;
    }
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t y = 0; y < m; y++)
            for (uint32_t z = 0; z < m; z++)
                xpbd_scene_add_cell(x * slice + y * line + z, strides, scene);
    xpbd_scene_measure_tets(POISSON, scene);
    return true;
}
