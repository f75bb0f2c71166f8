/* SPDX-License-Identifier: MIT
 *
 * Golden scenes of sheets.
 */
#include "tests/golden/golden_bed.h"

#include <stdlib.h>

#include "xpbd/build.h"

static const golden_values keep = {-1.0f, -1.0f, -1.0f, -1.0f};

/* ---- cloth: damped distances; every 20th particle is attached to where it was */

void golden_fill_cloth(golden_bed *bed)
{
    golden_add_scene(bed, "cloth", bed->n, false, 20.0f);
    const uint32_t n = golden_n_particles(bed) / 20;
    uint32_t *attached = malloc((n + 1) * sizeof *attached);
    float *compliance = malloc((n + 1) * sizeof *compliance);
    if (golden_have(bed, attached) && golden_have(bed, compliance)) {
        for (uint32_t i = 0; i < n; i++) {
            attached[i] = 20 * i + 7;
            compliance[i] = (float)(i % 7) * 0x1p-7f;
        }
        golden_add(bed, XPBD_ATTACH, n,
                   &(xpbd_constraints){.particles = attached, .compliance = compliance});
    }
    free(attached);
    free(compliance);
    golden_pull(bed, 9, 0.001f);
}

void golden_act_cloth(golden_bed *bed, uint32_t step)
{
    if (step == 2 || step == 3) {
        golden_move(bed, 0, 0.01f, 0.005f);
    }
    if (step == 4) {
        const float thin[3] = {0.0f, -1.0f, 0.5f};
        golden_try(bed, xpbd_world_set_acceleration(bed->world, thin));
    }
}

/* ---- cut: what is done to a mesh while it runs */

void golden_fill_cut(golden_bed *bed)
{
    golden_add_scene(bed, "cloth", bed->n, true, 0.0f);
    golden_pull(bed, 5, 0.01f);
}

static void cut(golden_bed *bed)
{
    const uint32_t n = golden_n_constraints(bed, XPBD_DISTANCE);
    for (uint32_t i = 3; i + 2 < n; i += 41) {
        golden_try(bed, xpbd_world_remove_constraints(bed->world, XPBD_DISTANCE, i, 2));
    }
    golden_try(bed, xpbd_world_remove_particles(bed->world, golden_n_particles(bed) / 3, 4, NULL));
}

/* Threads through what is there. */
static void sew(golden_bed *bed)
{
    const uint32_t n = golden_n_particles(bed);
    for (uint32_t i = 0; i + n / 2 < n; i += n / 8) {
        const uint32_t pair[2] = {i, i + n / 2};
        const float compliance = 1e-3f;
        golden_add(bed, XPBD_DISTANCE, 1,
                   &(xpbd_constraints){.particles = pair, .compliance = &compliance});
    }
}

void golden_act_cut(golden_bed *bed, uint32_t step)
{
    const uint32_t n = golden_n_constraints(bed, XPBD_DISTANCE);
    switch (step) {
    case 1:
        golden_try(bed, xpbd_world_enable_constraints(bed->world, XPBD_DISTANCE, 5, n / 9, false));
        break;
    case 2:
        cut(bed);
        break;
    case 3:
        golden_try(bed, xpbd_world_enable_constraints(bed->world, XPBD_DISTANCE, 5, 2, true));
        break;
    case 4:
        golden_try(bed, xpbd_world_compact(bed->world, NULL, NULL));
        break;
    case 5:
        sew(bed);
        break;
    case 6:
        golden_try(bed, xpbd_world_set_solver(bed->world, 1, 4));
        break;
    default:
        break;
    }
}

/* ---- drape: distances with a stiffness, or that break; isometric bends */

void golden_fill_drape(golden_bed *bed)
{
    golden_add_scene(bed, "drape", bed->n, false, 0.0f);
    const uint32_t n = golden_n_constraints(bed, XPBD_DISTANCE);
    golden_values values = keep;
    values.stiffness = 0.75f;
    golden_set(bed, XPBD_DISTANCE, 0, n / 4, values);
    values = keep;
    values.break_force = 0.004f;
    golden_set(bed, XPBD_DISTANCE, n / 2, n - n / 2, values);
    golden_pull(bed, 13, 0.002f);
}

void golden_act_drape(golden_bed *bed, uint32_t step)
{
    if (step == 3) {
        golden_values values = keep;
        values.compliance = 1e-3f, values.damping = 30.0f;
        golden_set(bed, XPBD_BEND_ISOMETRIC, 7, golden_n_constraints(bed, XPBD_BEND_ISOMETRIC) / 2,
                   values);
    }
}

/* ---- dress: two sheets of the builders */

/* n x n vertices, jittered; two triangles a cell. Pinned are its first vertex and its last. */
static void add_sheet(golden_bed *bed, float height, const xpbd_triangles_def *def)
{
    const uint32_t n = bed->n, cells = n - 1;
    uint64_t seed = 17 + (uint64_t)(8.0f * height);
    const uint32_t pinned[2] = {0, n * n - 1};
    float(*x)[3] = calloc((size_t)n * n, sizeof *x);
    uint32_t(*triangle)[3] = calloc((size_t)2 * cells * cells, sizeof *triangle);
    if (golden_have(bed, x) && golden_have(bed, triangle)) {
        for (uint32_t i = 0; i < n * n; i++) {
            x[i][0] = ((float)(i % n) + golden_random(&seed, -0.25f, 0.25f)) * 0x1p-5f;
            x[i][1] = height + golden_random(&seed, -0.25f, 0.25f) * 0x1p-6f;
            x[i][2] = ((float)(i / n) + golden_random(&seed, -0.25f, 0.25f)) * 0x1p-5f;
        }
        for (uint32_t c = 0; c < cells * cells; c++) {
            const uint32_t a = c / cells * n + c % cells, b = a + 1, d = a + n, e = d + 1;
            const uint32_t two[6] = {a, d, b, b, d, e};
            for (uint32_t k = 0; k < 6; k++) {
                triangle[2 * c + k / 3][k % 3] = two[k];
            }
        }
        xpbd_built built;
        golden_try(bed, xpbd_build_triangles(bed->world,
                                             &(xpbd_build_mesh){.n_vertices = n * n,
                                                                .position = x[0],
                                                                .n_elements = 2 * cells * cells,
                                                                .elements = triangle[0],
                                                                .n_pinned = 2,
                                                                .pinned = pinned},
                                             def, &built));
    }
    free(x);
    free(triangle);
}

void golden_fill_dress(golden_bed *bed)
{
    xpbd_triangles_def def = xpbd_default_triangles_def();
    def.young_modulus = 1e6f * bed->mass;
    def.area_density = 0.25f * bed->mass;
    def.options.tethers = true;
    def.options.damping_ratio = 0.25f;
    def.options.damping_frequency = 8.0f;
    add_sheet(bed, 1.0f, &def);
    def.stretch = XPBD_SHEET_FEM;
    def.bend = XPBD_SHEET_NO_BEND;
    def.weft_ratio = 0.5f;
    def.options.tethers = false;
    add_sheet(bed, 0.5f, &def);
}

void golden_act_dress(golden_bed *bed, uint32_t step)
{
    if (step < 3) {
        golden_move(bed, 0, 0.01f, 0.02f);
    }
}
