/* SPDX-License-Identifier: MIT
 *
 * The golden scene of ropes: trees of links with a weight at each end, one-sided links between
 * them, rods of the builders.
 */
#include "tests/golden/golden_bed.h"

#include "xpbd/build.h"

enum { LINKS = 24 }; /* of a rope; its second half hangs in two strands */

/* Rope `k` of particles first ... first + LINKS - 1, the uppermost pinned. */
static void add_rope(golden_bed *bed, uint32_t k, uint64_t *seed)
{
    static const float zero = 0.0f;
    float x[LINKS][3], compliance[LINKS - 1];
    uint32_t link[LINKS - 1][2];
    for (uint32_t i = 0; i < LINKS; i++) {
        x[i][0] = (float)(k % 32) * 0.5f + golden_random(seed, -0.03125f, 0.03125f);
        x[i][1] = (float)(k / 32) * 4.0f - (float)i * 0.125f;
        x[i][2] = (i % 2 && i > LINKS / 2 ? 0.125f : 0.0f) + golden_random(seed, 0.0f, 0.0625f);
    }
    const uint32_t first =
        golden_add_particles(bed, LINKS, (const float(*)[3])x, k % 3 ? 0.125f : 0.5f);
    for (uint32_t i = 1; i < LINKS; i++) {
        link[i - 1][0] = first + i - (i > LINKS / 2 + 1 ? 2 : 1);
        link[i - 1][1] = first + i;
        compliance[i - 1] = k % 2 ? 0.0f : 1e-5f * (float)(1 + i % 4);
    }
    golden_add(bed, XPBD_DISTANCE, LINKS - 1,
               &(xpbd_constraints){.particles = link[0], .compliance = compliance});
    golden_try(bed, xpbd_world_set_inverse_masses(bed->world, first, 1, &zero, 0));
    for (uint32_t i = LINKS - 2; i < LINKS; i++) {
        const float w = 1.0f / (8.0f * bed->mass);
        golden_try(bed, xpbd_world_set_inverse_masses(bed->world, first + i, 1, &w, 0));
    }
}

/* What joins a rope to the next one, of each one-sided type. */
static void join_ropes(golden_bed *bed, uint32_t n)
{
    static const xpbd_constraint_type types[3] = {XPBD_ROPE, XPBD_STRUT, XPBD_TETHER};
    for (uint32_t k = 0; k + 1 < n; k++) {
        const float rest = k % 2 ? 0.375f : 0.625f, compliance = 1e-4f;
        const uint32_t pair[2] = {k * LINKS + 5 + k % 7, (k + 1) * LINKS + 6};
        golden_add(
            bed, types[k % 3], 1,
            &(xpbd_constraints){.particles = pair, .rest = &rest, .compliance = &compliance});
    }
}

static void add_rod(golden_bed *bed, uint64_t *seed)
{
    float x[LINKS][3];
    const uint32_t pinned = 0;
    for (uint32_t i = 0; i < LINKS; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            x[i][k] = (k == 0 ? (float)i * 0.0625f : -1.0f) + golden_random(seed, 0.0f, 0.03125f);
        }
    }
    xpbd_polyline_def def = xpbd_default_polyline_def();
    def.young_modulus = 1e7f * bed->mass;
    def.line_density = 0.125f * bed->mass;
    xpbd_built built;
    golden_try(bed, xpbd_build_polyline(bed->world,
                                        &(xpbd_build_mesh){.n_vertices = LINKS,
                                                           .position = x[0],
                                                           .n_pinned = 1,
                                                           .pinned = &pinned},
                                        &def, &built));
}

void golden_fill_ropes(golden_bed *bed)
{
    uint64_t seed = 5;
    for (uint32_t k = 0; k < bed->n; k++) {
        add_rope(bed, k, &seed);
    }
    join_ropes(bed, bed->n);
    for (uint32_t k = 0; k < bed->n / 2; k++) {
        add_rod(bed, &seed);
    }
}

/* A pin moves, another comes and goes. */
void golden_act_ropes(golden_bed *bed, uint32_t step)
{
    const float w = step == 2 ? 0.0f : 4.0f / bed->mass;
    if (step < 3) {
        golden_move(bed, 0, 0.02f, 0.01f);
    }
    if (step == 2 || step == 4) {
        golden_try(bed, xpbd_world_set_inverse_masses(bed->world, LINKS + 9, 1, &w, 0));
    }
}
