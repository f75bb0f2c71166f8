/* SPDX-License-Identifier: MIT
 *
 * weight-N: a rope of N particles, straight, at 45 degrees below the fixed one, with distances to
 * the next particle only and a weight at its end: what has to travel along the whole rope in each
 * step decides how it hangs. The case of few iterations and of many substeps.
 */
#include "scenes/scene_parts.h"

#define ROPE   0.1   /* kg, over N particles */
#define WEIGHT 1.0   /* kg */
#define STIFF  1e-6f /* m/N */

bool xpbd_scene_fill_weight(uint32_t n, xpbd_scene *scene)
{
    const double along = 0.70710678118654752; /* sin and cos of 45 degrees */
    if (!xpbd_scene_allocate(scene, n, (float)((double)n / ROPE)))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const double t = (double)i / (n - 1);
        scene->positions[3 * (size_t)i] = (float)(t * along);
        scene->positions[3 * (size_t)i + 1] = (float)(0.0 - t * along); /* not -0 */
    }
    scene->inverse_masses[0] = 0.0f;
    scene->inverse_masses[n - 1] = (float)(1.0 / WEIGHT);
    if (!xpbd_scene_open_distances(scene, n - 1, STIFF))
        return false;
    for (uint32_t i = 0; i + 1 < n; i++)
        xpbd_scene_join(scene, i, i + 1);
    return true;
}
