/* SPDX-License-Identifier: MIT
 *
 * Random numbering: what meshes look like when nobody has put them in order, and the case that
 * orderings and gathers are judged by. Shuffles are Fisher and Yates's; the remainder of 64 random
 * bits is uniform enough for counts of 32.
 */
#include <stdlib.h>
#include <string.h>

#include "scenes/scene_parts.h"

static uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(xpbd_scene_random(state) % n);
}

static bool renumber(xpbd_scene *scene, const uint32_t *place)
{
    uint32_t n = scene->n_particles;
    float *positions = malloc(n * 3 * sizeof(float));
    float *inverse_masses = malloc(n * sizeof(float));
    if (!positions || !inverse_masses) {
        free(positions);
        free(inverse_masses);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        memcpy(positions + 3 * (size_t)place[i], scene->positions + 3 * (size_t)i,
               3 * sizeof(float));
        inverse_masses[place[i]] = scene->inverse_masses[i];
    }
    free(scene->positions);
    free(scene->inverse_masses);
    scene->positions = positions;
    scene->inverse_masses = inverse_masses;
    return true;
}

/* Elements are of 4 bytes, indices as well as rest values. */
static void exchange(void *array, size_t i, size_t j, uint32_t width)
{
    unsigned char *a = (unsigned char *)array + 4 * i * width;
    unsigned char *b = (unsigned char *)array + 4 * j * width;
    for (size_t k = 0; k < 4 * (size_t)width; k++) {
        unsigned char byte = a[k];
        a[k] = b[k];
        b[k] = byte;
    }
}

/* Of a batch that is one constraint the elements, which have no rest data, are put in any order. */
static void shuffle(xpbd_scene_batch *batch, const uint32_t *place, uint64_t *state)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(batch->type);
    for (size_t k = 0; k < (size_t)batch->n_elements * info->n_particles; k++)
        batch->particles[k] = place[batch->particles[k]];
    for (uint32_t k = batch->n_elements; k > 1; k--) {
        uint32_t other = below(state, k);
        exchange(batch->particles, k - 1, other, info->n_particles);
        if (batch->rest && !batch->sizes)
            exchange(batch->rest, k - 1, other, info->n_rest);
    }
}

bool xpbd_scene_scramble(xpbd_scene *scene, uint64_t seed)
{
    uint64_t state = seed;
    uint32_t n = scene->n_particles;
    uint32_t *place = malloc(n * sizeof *place);
    if (!place)
        return false;
    for (uint32_t i = 0; i < n; i++)
        place[i] = i;
    for (uint32_t i = n; i > 1; i--)
        exchange(place, i - 1, below(&state, i), 1);
    bool renumbered = renumber(scene, place);
    for (uint32_t b = 0; renumbered && b < scene->n_batches; b++)
        shuffle(&scene->batches[b], place, &state);
    free(place);
    return renumbered;
}
