/* SPDX-License-Identifier: MIT
 *
 * Golden scenes of solids, clusters and closed meshes.
 */
#include "tests/golden/golden_bed.h"

#include <stdlib.h>

#include "xpbd/build.h"

/* ---- solid */

/* n^3 vertices, jittered, n a side; each cell in six tetrahedra along its diagonal. */
static void add_block(golden_bed *bed, const xpbd_tetrahedra_def *def)
{
    static const uint8_t orders[6][2] = {{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 1}, {0, 2}};
    const uint32_t n = bed->n, cells = n - 1, stride[3] = {1, n, n * n};
    const uint32_t pinned[2] = {0, n - 1};
    uint64_t seed = 23;
    float(*x)[3] = calloc((size_t)n * n * n, sizeof *x);
    uint32_t(*tet)[4] = calloc((size_t)6 * cells * cells * cells, sizeof *tet);
    if (golden_have(bed, x) && golden_have(bed, tet)) {
        uint32_t n_tets = 0;
        for (uint32_t i = 0; i < n * n * n; i++) {
            for (uint32_t k = 0; k < 3; k++) {
                const float at = (float)(i / stride[k] % n);
                x[i][k] = (at + golden_random(&seed, -0.125f, 0.125f)) * 0x1p-4f;
            }
        }
        for (uint32_t i = 0; i < n * n * n; i++) {
            const bool inside = i % n < cells && i / n % n < cells && i / n / n < cells;
            for (uint32_t k = 0; k < 6 && inside; k++) {
                const uint32_t a = i + stride[orders[k][0]], b = a + stride[orders[k][1]];
                const uint32_t corners[4] = {i, k < 3 ? a : b, k < 3 ? b : a, i + 1 + n + n * n};
                for (uint32_t c = 0; c < 4; c++) {
                    tet[n_tets][c] = corners[c];
                }
                n_tets++;
            }
        }
        xpbd_built built;
        golden_try(bed, xpbd_build_tetrahedra(bed->world,
                                              &(xpbd_build_mesh){.n_vertices = n * n * n,
                                                                 .position = x[0],
                                                                 .n_elements = n_tets,
                                                                 .elements = tet[0],
                                                                 .n_pinned = 2,
                                                                 .pinned = pinned},
                                              def, &built));
    }
    free(x);
    free(tet);
}

void golden_fill_solid(golden_bed *bed)
{
    xpbd_tetrahedra_def def = xpbd_default_tetrahedra_def();
    def.model = XPBD_SOLID_EDGES_AND_VOLUMES;
    def.young_modulus = 3e4f * bed->mass;
    def.density = 1000.0f * bed->mass;
    def.options.damping_ratio = 0.125f;
    add_block(bed, &def);
    golden_add_scene(bed, "softbody", bed->n, true, 0.0f);
    golden_add_scene(bed, "beam", 4 * bed->n, false, 0.0f);
}

void golden_act_solid(golden_bed *bed, uint32_t step)
{
    if (step == 2) {
        const float push[3] = {0.5f, 0.25f, -0.5f};
        for (uint32_t i = 2; i < golden_n_particles(bed); i += 5) {
            golden_try(bed, xpbd_world_set_velocities(bed->world, i, 1, push, 0));
        }
    }
}

/* ---- bodies */

/* Clusters of two by two by two cells of a block, each a cell further along x: they overlap. */
static void add_clusters(golden_bed *bed, uint32_t first, uint32_t n)
{
    enum { MEMBERS = 27 };
    for (uint32_t corner = 0; corner < n * n * n; corner++) {
        uint32_t member[MEMBERS], n_members = MEMBERS;
        const uint32_t at[3] = {corner % n, corner / n % n, corner / n / n};
        const float stretch = corner % 2 ? 0.25f : 0.0f, compliance = 1e-5f;
        if (at[0] + 2 >= n || at[1] + 2 >= n || at[2] + 2 >= n || at[1] % 2 || at[2] % 2) {
            continue;
        }
        for (uint32_t k = 0; k < MEMBERS; k++) {
            member[k] = first + corner + k % 3 + n * (k / 3 % 3 + n * (k / 9));
        }
        golden_add(bed, XPBD_SHAPE_MATCH, 1,
                   &(xpbd_constraints){.particles = member,
                                       .sizes = &n_members,
                                       .rest = &stretch,
                                       .compliance = &compliance});
    }
}

void golden_fill_bodies(golden_bed *bed)
{
    for (uint32_t i = 0; i < 5; i++) {
        golden_add_scene(bed, "balloon", bed->n + i % 2, i % 2, 0.0f);
    }
    const uint32_t first = golden_add_scene(bed, "tetblock", bed->n, false, 0.5f);
    add_clusters(bed, first, bed->n);
    golden_pull(bed, 3, 0.01f);
}

void golden_act_bodies(golden_bed *bed, uint32_t step)
{
    if (step == 1 || step == 2) {
        const float volume[2] = {0.5f, 1.0f + 0.125f * (float)step};
        golden_try(bed, xpbd_world_set_constraints(
                            bed->world, XPBD_MESH_VOLUME, step, 2,
                            &(xpbd_constraints){.rest = volume, .rest_stride = XPBD_SAME}));
    }
}
