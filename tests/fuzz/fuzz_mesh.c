/* SPDX-License-Identifier: MIT */
#include "fuzz_mesh.h"

#include <math.h>

static void check_indices(const uint32_t *indices, size_t n, uint32_t n_points)
{
    for (size_t k = 0; k < n; k++)
        FUZZ_CHECK(indices[k] < n_points);
}

static void check_mesh(const xpbd_mesh *mesh)
{
    for (size_t k = 0; k < 3 * (size_t)mesh->n_points; k++)
        FUZZ_CHECK(isfinite(mesh->points[k]));
    check_indices(mesh->triangles, 3 * (size_t)mesh->n_triangles, mesh->n_points);
    check_indices(mesh->tets, 4 * (size_t)mesh->n_tets, mesh->n_points);
    check_indices(mesh->edges, 2 * (size_t)mesh->n_edges, mesh->n_points);
    FUZZ_CHECK(mesh->n_edges > 0 && mesh->n_unused < mesh->n_points);
    for (size_t k = 0; k < mesh->n_edges; k++) {
        const uint32_t *e = mesh->edges + 2 * k;
        FUZZ_CHECK(e[0] < e[1]);
        FUZZ_CHECK(k == 0 || e[-2] < e[0] || (e[-2] == e[0] && e[-1] < e[1]));
    }
}

static bool names_a_file(const char *error, const xpbd_mesh_file *files, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const size_t length = strlen(files[k].path);
        if (!strncmp(error, files[k].path, length) && error[length] == ':')
            return true;
    }
    return false;
}

void fuzz_read_mesh(const xpbd_mesh_file *files, size_t n, const char *path)
{
    static const xpbd_mesh zero;
    xpbd_mesh mesh;
    char error[256];
    if (xpbd_mesh_read_files(files, n, path, &mesh, error, sizeof error)) {
        FUZZ_CHECK(!error[0]);
        check_mesh(&mesh);
        fuzz_taken++;
    } else {
        FUZZ_CHECK(names_a_file(error, files, n));
        FUZZ_CHECK(memchr(error, 0, sizeof error) && !strchr(error, '\n'));
        FUZZ_CHECK(!memcmp(&mesh, &zero, sizeof mesh));
    }
    xpbd_mesh_free(&mesh);
}
