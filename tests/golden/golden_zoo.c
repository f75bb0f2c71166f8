/* SPDX-License-Identifier: MIT
 *
 * The golden scene of all types: constraint i of each of them is on particles i ... i + 3 of a row,
 * or the first of them, with and without compliance, damping, stiffness and breaking; some are
 * switched off. A new type is in it by its row in constraints.def.
 */
#include "tests/golden/golden_bed.h"

#include <stdlib.h>

enum { ROW = 60 }; /* constraints of a type in a row */

typedef struct zoo {
    uint32_t n; /* constraints of each type: whole rows */
    float (*x)[3];
    uint32_t *ids, *sizes;
    float *compliance, *damping_time;
} zoo;

/* A tetrahedron has to be the right way round. */
static bool is_inverted(const float (*x)[3])
{
    float d[3][3];
    for (int k = 0; k < 9; k++) {
        d[k / 3][k % 3] = x[k / 3 + 1][k % 3] - x[0][k % 3];
    }
    return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) +
               d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
               d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]) <
           0.0f;
}

static uint32_t corner(const zoo *z, uint32_t type, uint32_t i, uint32_t k)
{
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    const uint32_t at = type == XPBD_MESH_VOLUME ? faces[k] : k;
    const uint32_t first = i / ROW * (ROW + 3) + i % ROW;
    const bool turn = at > 1 && (info->variable || info->n_particles == 4) &&
                      is_inverted((const float(*)[3])z->x + first);
    return first + (turn ? 5 - at : at);
}

static void add_type(golden_bed *bed, zoo *z, uint32_t type)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    const uint32_t width = type == XPBD_MESH_VOLUME ? 12 : info->variable ? 4 : info->n_particles;
    for (uint32_t i = 0; i < z->n; i++) {
        for (uint32_t k = 0; k < width; k++) {
            z->ids[i * width + k] = corner(z, type, i, k);
        }
        const bool soft = i % 3 || type >= XPBD_TIE_EDGE; /* not all hard, or it blows up */
        z->sizes[i] = 4;
        z->compliance[i] = soft ? 0x1p-7f * (float)(1 + i % 5) : 0.0f;
        z->damping_time[i] = i % 4 == 1 ? 0x1p-10f : 0.0f;
    }
    golden_add(bed, (xpbd_constraint_type)type, z->n,
               &(xpbd_constraints){.particles = z->ids,
                                   .sizes = info->variable ? z->sizes : NULL,
                                   .compliance = z->compliance,
                                   .damping_time = z->damping_time});
    golden_values values = {-1.0f, 0.125f, -1.0f, 300.0f};
    golden_set(bed, (xpbd_constraint_type)type, z->n / 2, z->n / 4, values);
    values = (golden_values){-1.0f, -1.0f, 0.25f, -1.0f};
    golden_set(bed, (xpbd_constraint_type)type, z->n / 8, z->n / 8, values);
}

/* Rows in a zigzag, side by side and joined at their ends, as floats are coarse far from the
 * origin. All of 1 kg but every 19th, which is pinned. */
static void place(golden_bed *bed, zoo *z)
{
    static const float zero = 0.0f;
    const uint32_t n = z->n / ROW * (ROW + 3);
    uint64_t seed = 11;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t row = i / (ROW + 3), along = i % (ROW + 3);
        seed = along ? seed : 11;
        z->x[i][0] = 0.3125f * (float)along + golden_random(&seed, -0.0625f, 0.0625f);
        z->x[i][1] = (float)(along % 2) + golden_random(&seed, -0.125f, 0.125f);
        z->x[i][2] = (float)(along / 2 % 2 + 2 * row) + golden_random(&seed, -0.125f, 0.125f);
    }
    golden_add_particles(bed, n, (const float(*)[3])z->x, 1.0f);
    for (uint32_t i = 0; i < n; i += 19) {
        golden_try(bed, xpbd_world_set_inverse_masses(bed->world, i, 1, &zero, 0));
    }
    for (uint32_t i = ROW + 2; i + 1 < n; i += ROW + 3) {
        const uint32_t pair[2] = {i, i + 1};
        const float compliance = 0x1p-7f;
        golden_add(bed, XPBD_DISTANCE, 1,
                   &(xpbd_constraints){.particles = pair, .compliance = &compliance});
    }
}

/* Tethers of a pinned particle to more than it takes to make a hub of it. */
static void add_hub(golden_bed *bed)
{
    static const float compliance = 0x1p-7f;
    for (uint32_t i = 1; i < 60; i++) {
        const uint32_t pair[2] = {i, 0};
        golden_add(bed, XPBD_TETHER, 1,
                   &(xpbd_constraints){.particles = pair, .compliance = &compliance});
    }
}

void golden_fill_zoo(golden_bed *bed)
{
    zoo z = {.n = bed->n};
    z.x = calloc(z.n / ROW * (ROW + 3), sizeof *z.x);
    z.ids = calloc(12 * (size_t)z.n, sizeof *z.ids);
    z.sizes = calloc(z.n, sizeof *z.sizes);
    z.compliance = calloc(z.n, sizeof *z.compliance);
    z.damping_time = calloc(z.n, sizeof *z.damping_time);
    if (golden_have(bed, z.x) && golden_have(bed, z.ids) && golden_have(bed, z.sizes) &&
        golden_have(bed, z.compliance) && golden_have(bed, z.damping_time)) {
        place(bed, &z);
        for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
            add_type(bed, &z, type);
        }
        add_hub(bed);
    }
    free(z.x);
    free(z.ids);
    free(z.sizes);
    free(z.compliance);
    free(z.damping_time);
}

void golden_act_zoo(golden_bed *bed, uint32_t step)
{
    static const float push[3] = {0.5f, 1.0f, -0.25f};
    for (uint32_t i = step; i < golden_n_particles(bed) && step < 2; i += 7) {
        golden_try(bed, xpbd_world_set_velocities(bed->world, i, 1, push, 0));
    }
    for (uint32_t t = 0; t < XPBD_CONSTRAINT_TYPE_COUNT; t++) {
        const xpbd_constraint_type type = (xpbd_constraint_type)t;
        if (step == 1 && t % 2) {
            golden_try(bed, xpbd_world_enable_constraints(bed->world, type, 9, 5, false));
        }
        if (step == 3) {
            golden_try(bed, xpbd_world_remove_constraints(bed->world, type, 3 + t, 9));
        }
    }
}
