/* SPDX-License-Identifier: MIT
 *
 * Sheets and blocks of particles, which several scenes are made of.
 */
#include "scenes/scene_parts.h"

#define JITTER 0.15
#define SEED   0x7e7b10c5u

void xpbd_scene_place_sheet(uint32_t n, xpbd_scene *scene)
{
    for (uint32_t i = 0; i < n * n; i++) {
        scene->positions[3 * (size_t)i] = (float)((double)(i % n) / (n - 1));
        scene->positions[3 * (size_t)i + 2] = (float)((double)(i / n) / (n - 1));
    }
    scene->inverse_masses[0] = scene->inverse_masses[n - 1] = 0.0f;
}

void xpbd_scene_join_sheet(uint32_t n, uint32_t dx, bool back, uint32_t dz, xpbd_scene *scene)
{
    for (uint32_t z = 0; z + dz < n; z++) {
        for (uint32_t x = 0; x + dx < n; x++) {
            uint32_t row = z * n + x, other = (z + dz) * n + x;
            xpbd_scene_join(scene, back ? row + dx : row, back ? other : other + dx);
        }
    }
}

void xpbd_scene_place_block(uint32_t n, xpbd_scene *scene)
{
    uint64_t state = SEED;
    float *position = scene->positions;
    double spacing = 1.0 / (n - 1);
    for (uint32_t y = 0; y < n; y++) {
        for (uint32_t z = 0; z < n; z++) {
            for (uint32_t x = 0; x < n; x++) {
                const uint32_t grid[3] = {x, y, z};
                for (size_t k = 0; k < 3; k++) {
                    double offset = JITTER * xpbd_scene_random_signed(&state);
                    *position++ = (float)(((double)grid[k] + offset) * spacing);
                }
            }
        }
    }
    for (uint32_t i = n * n * (n - 1); i < n * n * n; i++)
        scene->inverse_masses[i] = 0.0f;
}

uint32_t xpbd_scene_count_block_edges(uint32_t n)
{
    const uint32_t m = n - 1;
    return 3 * n * n * m + 3 * n * m * m + m * m * m;
}

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

void xpbd_scene_join_block(uint32_t n, xpbd_scene *scene)
{
    for (uint32_t i = 0; i < n * n * n; i++)
        join_vertex(n, i % n, i / (n * n), i / n % n, scene);
}

void xpbd_scene_add_cells(uint32_t n, xpbd_scene *scene)
{
    const uint32_t strides[3] = {1, n * n, n};
    for (uint32_t y = 0; y + 1 < n; y++)
        for (uint32_t z = 0; z + 1 < n; z++)
            for (uint32_t x = 0; x + 1 < n; x++)
                xpbd_scene_add_cell((y * n + z) * n + x, strides, scene);
}

/* Along three edges of the cell, in each order, from the end of its diagonal that is `corner`. Of
 * these six (Kuhn's) three are wound the other way round; in them two corners change places. */
void xpbd_scene_add_cell(uint32_t corner, const uint32_t strides[3], xpbd_scene *scene)
{
    static const uint8_t orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                         {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (size_t k = 0; k < 6; k++) {
        uint32_t a = corner + strides[orders[k][0]];
        uint32_t b = a + strides[orders[k][1]];
        uint32_t end = b + strides[orders[k][2]];
        xpbd_scene_add(scene,
                       k < 3 ? (uint32_t[]){corner, a, b, end} : (uint32_t[]){corner, b, a, end});
    }
}

void xpbd_scene_measure_tets(float ratio, xpbd_scene *scene)
{
    const xpbd_scene_batch *batch = &scene->batches[scene->n_batches - 1];
    float *rest = batch->rest;
    for (size_t t = 0; t < batch->count; t++) {
        const uint32_t *corners = batch->particles + 4 * t;
        for (size_t k = 0; k < 9; k++)
            *rest++ = scene->positions[3 * (size_t)corners[1 + k / 3] + k % 3] -
                      scene->positions[3 * (size_t)corners[0] + k % 3];
        *rest++ = ratio;
    }
}
