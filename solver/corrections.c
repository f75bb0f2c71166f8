/* SPDX-License-Identifier: MIT
 *
 * Corrections of a Jacobi stage, and what part of them lambda keeps.
 */
#include "solver/corrections.h"

/* Corrections of a type: how many records it has, and the particle of each; past the last particle
 * are those of pad lanes. */
static size_t count_slots(const xpbd_stream *stream, uint32_t corners)
{
    const xpbd_units *units = stream->units;
    return units ? (size_t)units->first_point_group[stream->n_groups] * XPBD_GROUP
                 : (size_t)stream->n_groups * XPBD_GROUP * corners;
}

static uint32_t particle_at(const xpbd_stream *stream, uint32_t corners, size_t k, size_t *slot)
{
    if (stream->units) {
        *slot = k;
        return stream->units->point[k];
    }
    const size_t lane = k / corners, corner = k % corners;
    *slot = (lane / XPBD_GROUP * corners + corner) * XPBD_GROUP + lane % XPBD_GROUP;
    return stream->id[corner][lane];
}

bool xpbd_corrections_list(xpbd_build *build, const xpbd_tuples *tuples, xpbd_arena *scratch)
{
    const uint32_t n = tuples->n_particles;
    size_t n_slots = 0;
    uint32_t *first = xpbd_arena_zero(&build->arena, (size_t)n + 1, sizeof *first);
    uint32_t *place = xpbd_arena_alloc(scratch, n, sizeof *place);
    size_t base[XPBD_CONSTRAINT_TYPE_COUNT];
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        base[type] = n_slots;
        n_slots += count_slots(&build->streams[type], tuples->n_corners[type]);
    }
    uint32_t *slots = xpbd_arena_alloc(&build->arena, n_slots, sizeof *slots);
    float *corrections = xpbd_arena_zero(&build->arena, 4 * n_slots, sizeof(float));
    if (!first || !place || !slots || !corrections || n_slots > UINT32_MAX) {
        return false;
    }
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
            const xpbd_stream *stream = &build->streams[type];
            const uint32_t corners = tuples->n_corners[type];
            for (size_t k = 0; k < count_slots(stream, corners); k++) {
                size_t slot;
                const uint32_t particle = particle_at(stream, corners, k, &slot);
                if (particle < n && fill) {
                    slots[place[particle]++] = (uint32_t)(base[type] + slot);
                } else if (particle < n) {
                    first[particle + 1]++;
                }
            }
        }
        for (uint32_t i = 0; i < n && !fill; i++) {
            first[i + 1] += first[i];
            place[i] = first[i];
        }
    }
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        build->streams[type].correction = corrections + 4 * base[type];
    }
    build->store.correction = corrections;
    build->first_correction = first;
    build->correction_slot = slots;
    return true;
}

/* The mean of 1 / n over those of some particles that can move; 1 where none can. */
static float mean_share(const xpbd_world *world, const uint32_t *p, uint32_t n_corners)
{
    const xpbd_build *build = &world->build;
    const float *inverse_mass = world->model.inverse_mass.data;
    float sum = 0.0f, n = 0.0f;
    for (uint32_t c = 0; c < n_corners; c++) {
        if (inverse_mass[p[c]] > 0.0f) {
            const uint32_t slot = build->rank[p[c]];
            sum +=
                1.0f / (float)(build->first_correction[slot + 1] - build->first_correction[slot]);
            n += 1.0f;
        }
    }
    return n > 0.0f ? sum / n : 1.0f;
}

/* What part of a correction lambda keeps: all of it, times omega, where masses are split. A mean
 * moves each particle by omega / n; lambda takes the mean of that over those that can move. */
void xpbd_corrections_share(xpbd_world *world, const xpbd_tuples *tuples)
{
    xpbd_build *build = &world->build;
    const bool mean = world->scheduler->update == XPBD_UPDATE_AVERAGED;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
        xpbd_stream *stream = &build->streams[type];
        const uint32_t corners = tuples->n_corners[type];
        for (uint32_t i = 0; i < xpbd_tuples_of(tuples, type); i++) {
            if (xpbd_set_lacks(&world->model.sets[type], i)) {
                continue; /* nothing is corrected, and nobody may be left to gather it */
            }
            uint32_t n;
            const uint32_t *p = xpbd_tuples_at(tuples, type, i, &n);
            const uint32_t slot = build->packing.slot[tuples->first[type] + i];
            if (!info->rows_per_element) {
                stream->share[slot] = world->relaxation * (mean ? mean_share(world, p, n) : 1.0f);
                continue;
            }
            float *share = stream->share + stream->units->first_group[slot] * XPBD_GROUP;
            for (uint32_t e = 0; e < n / corners; e++) {
                share[e] =
                    world->relaxation * (mean ? mean_share(world, p + e * corners, corners) : 1.0f);
            }
        }
    }
}
