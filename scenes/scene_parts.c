/* SPDX-License-Identifier: MIT
 *
 * Memory, batches, rest lengths and random numbers of scenes. Only +, -, *, / and sqrt are used,
 * which round alike everywhere.
 */
#include "scenes/scene_parts.h"

#include <math.h>
#include <stdlib.h>

static void *allocate(size_t count, size_t size)
{
    return count > SIZE_MAX / size ? NULL : malloc(count * size);
}

bool xpbd_scene_allocate(xpbd_scene *scene, uint32_t n_particles, float inverse_mass)
{
    scene->positions = allocate(n_particles, 3 * sizeof(float));
    scene->inverse_masses = allocate(n_particles, sizeof(float));
    if (!scene->positions || !scene->inverse_masses)
        return false;
    scene->n_particles = n_particles;
    for (size_t i = 0; i < n_particles; i++)
        scene->inverse_masses[i] = inverse_mass;
    for (size_t i = 0; i < 3 * (size_t)n_particles; i++)
        scene->positions[i] = 0.0f;
    return true;
}

bool xpbd_scene_open_distances(xpbd_scene *scene, uint32_t count, float compliance)
{
    if (count == 0)
        return true;
    if (scene->n_batches == XPBD_SCENE_BATCHES_MAX)
        return false;
    xpbd_scene_batch *batch = &scene->batches[scene->n_batches++];
    batch->type = XPBD_DISTANCE;
    batch->compliance = compliance;
    batch->particles = allocate(count, 2 * sizeof(uint32_t));
    batch->rest = allocate(count, sizeof(float));
    return batch->particles && batch->rest;
}

void xpbd_scene_join(xpbd_scene *scene, uint32_t i, uint32_t j)
{
    xpbd_scene_batch *batch = &scene->batches[scene->n_batches - 1];
    batch->particles[2 * (size_t)batch->count] = i;
    batch->particles[2 * (size_t)batch->count + 1] = j;
    batch->count++;
}

static float distance(const xpbd_scene *scene, uint32_t i, uint32_t j)
{
    const float *a = scene->positions + 3 * (size_t)i, *b = scene->positions + 3 * (size_t)j;
    double x = (double)b[0] - (double)a[0];
    double y = (double)b[1] - (double)a[1];
    double z = (double)b[2] - (double)a[2];
    return (float)sqrt(x * x + y * y + z * z);
}

bool xpbd_scene_measure(xpbd_scene *scene)
{
    for (uint32_t b = 0; b < scene->n_batches; b++) {
        xpbd_scene_batch *batch = &scene->batches[b];
        for (size_t k = 0; k < batch->count; k++) {
            batch->rest[k] = distance(scene, batch->particles[2 * k], batch->particles[2 * k + 1]);
            if (!isfinite(batch->rest[k]))
                return false;
        }
    }
    return true;
}

uint64_t xpbd_scene_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double xpbd_scene_random_signed(uint64_t *state)
{
    return (double)(xpbd_scene_random(state) >> 11) * 0x1p-52 - 1.0;
}

void xpbd_scene_free(xpbd_scene *scene)
{
    free(scene->positions);
    free(scene->inverse_masses);
    for (uint32_t b = 0; b < scene->n_batches; b++) {
        free(scene->batches[b].particles);
        free(scene->batches[b].rest);
    }
    *scene = (xpbd_scene){0};
}
