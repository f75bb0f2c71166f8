/* SPDX-License-Identifier: MIT
 *
 * softbody-N: the block of tetblock-N, with a neo-Hookean constraint in each of its 6 (N - 1)^3
 * tetrahedra. Of Kuhn's six in a cell three are wound the other way round; in these two corners
 * change places, so that all volumes are positive.
 */
#include "scenes/scene_parts.h"

#define DENSITY    1000.0  /* kg/m^3, water and flesh */
#define COMPLIANCE 2.6e-5f /* m^2/N, 1 / mu: E = 1e5 Pa, so that the block sags by some 5 % */
#define RATIO      1.5f    /* lambda / mu = 2 nu / (1 - 2 nu), nu = 0.3 */

/* Along three edges of the cell, in each order, from the end of its diagonal that is `i`. */
static void fill_cell(uint32_t n, uint32_t i, xpbd_scene *scene)
{
    static const uint8_t orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                         {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const uint32_t strides[3] = {1, n * n, n}; /* x, y, z */
    for (size_t k = 0; k < 6; k++) {
        uint32_t a = i + strides[orders[k][0]];
        uint32_t b = a + strides[orders[k][1]];
        uint32_t end = b + strides[orders[k][2]];
        xpbd_scene_add(scene, k < 3 ? (uint32_t[]){i, a, b, end} : (uint32_t[]){i, b, a, end});
    }
}

static void measure(xpbd_scene *scene)
{
    const xpbd_scene_batch *batch = &scene->batches[scene->n_batches - 1];
    float *rest = batch->rest;
    for (size_t t = 0; t < batch->count; t++) {
        const uint32_t *corners = batch->particles + 4 * t;
        for (size_t k = 0; k < 9; k++)
            *rest++ = scene->positions[3 * (size_t)corners[1 + k / 3] + k % 3] -
                      scene->positions[3 * (size_t)corners[0] + k % 3];
        *rest++ = RATIO;
    }
}

bool xpbd_scene_fill_softbody(uint32_t n, xpbd_scene *scene)
{
    uint32_t n_vertices = n * n * n, m = n - 1, n_tets = 6 * m * m * m;
    if (!xpbd_scene_allocate(scene, n_vertices, (float)((double)n_vertices / DENSITY)) ||
        !xpbd_scene_open(scene, XPBD_TET_NEO_HOOKEAN, n_tets, COMPLIANCE) ||
        !xpbd_scene_make_rest(scene, n_tets))
        return false;
    xpbd_scene_place_block(n, scene);
    for (uint32_t y = 0; y < m; y++)
        for (uint32_t z = 0; z < m; z++)
            for (uint32_t x = 0; x < m; x++)
                fill_cell(n, (y * n + z) * n + x, scene);
    measure(scene);
    return true;
}
