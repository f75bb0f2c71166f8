/* SPDX-License-Identifier: MIT
 *
 * See golden_bed.h.
 */
#include "tests/golden/golden_bed.h"

#include <stdio.h>
#include <stdlib.h>

#include "scenes/scene.h"

void golden_try(golden_bed *bed, xpbd_status status)
{
    if (bed->status == XPBD_OK) {
        bed->status = status;
    }
}

bool golden_have(golden_bed *bed, const void *memory)
{
    golden_try(bed, memory ? XPBD_OK : XPBD_ERROR_MEMORY);
    return memory != NULL;
}

float golden_random(uint64_t *state, float low, float high)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return low + (high - low) * (float)((z ^ z >> 31) >> 40) * 0x1p-24f;
}

uint32_t golden_n_particles(const golden_bed *bed)
{
    xpbd_world_summary summary;
    return xpbd_world_summarize(bed->world, &summary) == XPBD_OK ? summary.n_particles : 0;
}

uint32_t golden_n_constraints(const golden_bed *bed, xpbd_constraint_type type)
{
    xpbd_world_summary summary;
    return xpbd_world_summarize(bed->world, &summary) == XPBD_OK ? summary.n_constraints[type] : 0;
}

uint32_t golden_add_scene(golden_bed *bed, const char *family, uint32_t n, bool scrambled,
                          float damping)
{
    char name[64];
    xpbd_scene scene;
    const uint32_t first = golden_n_particles(bed);
    (void)snprintf(name, sizeof name, "%s-%u%s", family, n, scrambled ? "-scrambled" : "");
    if (!xpbd_scene_make(name, &scene, NULL, 0)) {
        golden_try(bed, XPBD_ERROR_MEMORY);
        return first;
    }
    for (uint32_t i = 0; i < scene.n_particles; i++) {
        scene.inverse_masses[i] /= bed->mass;
    }
    for (uint32_t b = 0; b < scene.n_batches; b++) {
        scene.batches[b].compliance /= bed->mass;
        scene.batches[b].damping = damping * bed->mass;
    }
    golden_try(bed, xpbd_scene_build(&scene, bed->world));
    xpbd_scene_free(&scene);
    return first;
}

uint32_t golden_add_particles(golden_bed *bed, uint32_t n, const float (*x)[3], float kg)
{
    const float w = kg > 0 ? 1.0f / (kg * bed->mass) : 0.0f;
    uint32_t first = 0;
    golden_try(bed, xpbd_world_add_particles(bed->world, n,
                                             &(xpbd_particles){.position = x[0],
                                                               .inverse_mass = &w,
                                                               .inverse_mass_stride = XPBD_SAME},
                                             &first));
    return first;
}

void golden_add(golden_bed *bed, xpbd_constraint_type type, uint32_t n,
                const xpbd_constraints *constraints)
{
    xpbd_constraints c = *constraints;
    float *scaled = malloc((n + 1) * sizeof *scaled);
    if (!golden_have(bed, scaled)) {
        return;
    }
    for (uint32_t i = 0; i < n && c.compliance; i++) {
        scaled[i] = c.compliance[i] / bed->mass;
    }
    c.compliance = c.compliance ? scaled : NULL;
    golden_try(bed, xpbd_world_add_constraints(bed->world, type, n, &c, NULL));
    free(scaled);
}

void golden_set(golden_bed *bed, xpbd_constraint_type type, uint32_t first, uint32_t n,
                golden_values values)
{
    const float compliance = values.compliance / bed->mass;
    const float damping = values.damping * bed->mass;
    const float break_force = values.break_force * bed->mass;
    const xpbd_constraints c = {.compliance = values.compliance >= 0 ? &compliance : NULL,
                                .compliance_stride = XPBD_SAME,
                                .damping = values.damping >= 0 ? &damping : NULL,
                                .damping_stride = XPBD_SAME,
                                .stiffness = values.stiffness >= 0 ? &values.stiffness : NULL,
                                .stiffness_stride = XPBD_SAME,
                                .break_force = values.break_force >= 0 ? &break_force : NULL,
                                .break_force_stride = XPBD_SAME};
    golden_try(bed, xpbd_world_set_constraints(bed->world, type, first, n, &c));
}

void golden_pull(golden_bed *bed, uint32_t step, float newton)
{
    const uint32_t n = golden_n_particles(bed);
    for (uint32_t i = 0; i < n; i += step) {
        const float force[3] = {newton * bed->mass, 0.0f, -0.5f * newton * bed->mass};
        golden_try(bed, xpbd_world_set_forces(bed->world, i, 1, force, 0));
    }
}

void golden_move(golden_bed *bed, uint32_t particle, float dx, float dy)
{
    float x[3];
    golden_try(bed, xpbd_world_read_positions(bed->world, particle, 1, x, 0));
    x[0] += dx;
    x[1] += dy;
    golden_try(bed, xpbd_world_move_particles(bed->world, particle, 1, x, 0));
}
