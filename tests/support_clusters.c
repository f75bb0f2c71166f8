/* SPDX-License-Identifier: MIT
 *
 * See support_clusters.h.
 */
#include "tests/support_clusters.h"

#include <math.h>

kit_surface kit_sphere(uint32_t rings, uint32_t columns, float radius)
{
    const double pi = 3.14159265358979323846;
    kit_surface mesh = {.n = 2 + (rings - 1) * columns, .n_triangles = 2 * (rings - 1) * columns};
    mesh.x = calloc(mesh.n, sizeof *mesh.x);
    mesh.w = calloc(mesh.n, sizeof *mesh.w);
    mesh.triangle = calloc(mesh.n_triangles, sizeof *mesh.triangle);
    assert_true(mesh.x && mesh.w && mesh.triangle);
    mesh.x[0][2] = radius;
    mesh.x[mesh.n - 1][2] = -radius;
    for (uint32_t i = 0; i < mesh.n; i++) {
        mesh.w[i] = 1.0f;
    }
    for (uint32_t r = 1; r < rings; r++) {
        for (uint32_t c = 0; c < columns; c++) {
            const double theta = pi * r / rings, phi = 2.0 * pi * c / columns;
            float *x = mesh.x[1 + (r - 1) * columns + c];
            x[0] = (float)((double)radius * sin(theta) * cos(phi));
            x[1] = (float)((double)radius * sin(theta) * sin(phi));
            x[2] = (float)((double)radius * cos(theta));
        }
    }
    uint32_t n = 0;
    for (uint32_t r = 0; r < rings; r++) {
        for (uint32_t c = 0; c < columns; c++) {
            const uint32_t next = (c + 1) % columns;
            const uint32_t a = r == 0 ? 0 : 1 + (r - 1) * columns + c;
            const uint32_t b = r == rings - 1 ? mesh.n - 1 : 1 + r * columns + c;
            const uint32_t a1 = r == 0 ? 0 : 1 + (r - 1) * columns + next;
            const uint32_t b1 = r == rings - 1 ? mesh.n - 1 : 1 + r * columns + next;
            if (r < rings - 1) {
                const uint32_t t[3] = {a, b, b1};
                memcpy(mesh.triangle[n++], t, sizeof t);
            }
            if (r > 0) {
                const uint32_t t[3] = {a, b1, a1};
                memcpy(mesh.triangle[n++], t, sizeof t);
            }
        }
    }
    assert_int_equal(mesh.n_triangles, n);
    return mesh;
}

void kit_surface_free(kit_surface *mesh)
{
    free(mesh->x);
    free(mesh->w);
    free(mesh->triangle);
    *mesh = (kit_surface){0};
}

double kit_surface_volume(const kit_surface *mesh, const float (*x)[3])
{
    double sum = 0.0;
    for (uint32_t e = 0; e < mesh->n_triangles; e++) {
        const float *a = x[mesh->triangle[e][0]], *b = x[mesh->triangle[e][1]];
        const float *c = x[mesh->triangle[e][2]];
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            sum += (double)a[k] * ((double)b[l] * (double)c[m] - (double)b[m] * (double)c[l]);
        }
    }
    return sum / 6.0;
}

void kit_add_volume(xpbd_world *world, const kit_surface *mesh, const xpbd_constraints *c)
{
    xpbd_constraints in = *c;
    in.particles = mesh->triangle[0];
    in.sizes = &mesh->n_triangles;
    assert_ok(xpbd_world_add_constraints(world, XPBD_MESH_VOLUME, 1, &in, NULL));
}

void kit_add_cluster(xpbd_world *world, uint32_t n, const uint32_t *members, float stretch,
                     const xpbd_constraints *c)
{
    xpbd_constraints in = *c;
    uint32_t *all = calloc(n, sizeof *all);
    for (uint32_t i = 0; i < n; i++) {
        all[i] = i;
    }
    in.particles = members ? members : all;
    in.sizes = &n;
    in.rest = &stretch;
    assert_ok(xpbd_world_add_constraints(world, XPBD_SHAPE_MATCH, 1, &in, NULL));
    free(all);
}
