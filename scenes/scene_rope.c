/* SPDX-License-Identifier: MIT
 *
 * rope-N: N particles 1 / (N - 1) m apart along x, the first one fixed. Distances to the next
 * particle, N - 1, and to the next but one, N - 2, which resist bending. A long thin graph: two or
 * four colours are enough, and solutions take longest to travel along it.
 */
#include "scenes/scene_parts.h"

#define LINE_DENSITY 0.1   /* kg/m */
#define STIFF        1e-6f /* m/N */
#define SOFT         1e-4f /* m/N */

bool xpbd_scene_fill_rope(uint32_t n, xpbd_scene *scene)
{
    if (!xpbd_scene_allocate(scene, n, (float)((double)n / LINE_DENSITY)))
        return false;
    for (uint32_t i = 0; i < n; i++)
        scene->positions[3 * (size_t)i] = (float)((double)i / (n - 1));
    scene->inverse_masses[0] = 0.0f;
    if (!xpbd_scene_open_distances(scene, n - 1, STIFF))
        return false;
    for (uint32_t i = 0; i + 1 < n; i++)
        xpbd_scene_join(scene, i, i + 1);
    if (!xpbd_scene_open_distances(scene, n - 2, SOFT))
        return false;
    for (uint32_t i = 0; i + 2 < n; i++)
        xpbd_scene_join(scene, i, i + 2);
    return true;
}
