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
