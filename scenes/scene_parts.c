/* SPDX-License-Identifier: MIT
 *
 * Memory, batches, rest lengths and random numbers of scenes. Only +, -, *, / and sqrt are used,
 * which round alike everywhere.
 */
#include "scenes/scene_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

bool xpbd_scene_open(xpbd_scene *scene, xpbd_constraint_type type, uint32_t n, float compliance)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    if (n == 0)
        return true;
    if (scene->n_batches == XPBD_SCENE_BATCHES_MAX)
        return false;
    xpbd_scene_batch *batch = &scene->batches[scene->n_batches++];
    batch->type = type;
    batch->compliance = compliance;
    batch->particles = allocate(n, info->n_particles * sizeof(uint32_t));
    if (info->variable) {
        batch->count = 1;
        batch->sizes = allocate(1, sizeof(uint32_t));
        if (batch->sizes)
            batch->sizes[0] = 0;
    }
    return batch->particles && (batch->sizes || !info->variable);
}

bool xpbd_scene_make_rest(xpbd_scene *scene, uint32_t n)
{
    xpbd_scene_batch *batch = &scene->batches[scene->n_batches - 1];
    batch->rest = allocate(n, xpbd_constraint_type_info(batch->type)->n_rest * sizeof(float));
    return batch->rest != NULL;
}

void xpbd_scene_add(xpbd_scene *scene, const uint32_t *particles)
{
    xpbd_scene_batch *batch = &scene->batches[scene->n_batches - 1];
    const uint32_t n = xpbd_constraint_type_info(batch->type)->n_particles;
    memcpy(batch->particles + (size_t)batch->n_elements * n, particles, n * sizeof *particles);
    batch->n_elements++;
    if (batch->sizes)
        batch->sizes[0]++;
    else
        batch->count++;
}

bool xpbd_scene_open_distances(xpbd_scene *scene, uint32_t n, float compliance)
{
    return n == 0 ||
           (xpbd_scene_open(scene, XPBD_DISTANCE, n, compliance) && xpbd_scene_make_rest(scene, n));
}

void xpbd_scene_join(xpbd_scene *scene, uint32_t i, uint32_t j)
{
    xpbd_scene_add(scene, (uint32_t[]){i, j});
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
        for (size_t k = 0; k < batch->count && batch->type == XPBD_DISTANCE; k++) {
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
        free(scene->batches[b].sizes);
        free(scene->batches[b].rest);
    }
    *scene = (xpbd_scene){0};
}
