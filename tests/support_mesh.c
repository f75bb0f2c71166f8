/* SPDX-License-Identifier: MIT
 *
 * Files and assertions for the tests of the mesh readers: see support_mesh.h.
 */
#include "support_mesh.h"

#include <math.h>

const char *kit_temporary(const char *name)
{
    static char paths[8][512];
    static unsigned turn;
    char *path = paths[turn++ % 8];
    const char *folder = getenv("TEST_TMPDIR");
    int n = snprintf(path, sizeof paths[0], "%s/%s", folder ? folder : "/tmp", name);
    assert_true(n > 0 && (size_t)n < sizeof paths[0]);
    return path;
}

void kit_write(const char *path, const void *bytes, size_t n)
{
    /* A new file each time: some file systems write one that was cut to nothing back at once. */
    (void)remove(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

char *kit_load(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s can not be opened", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), (size_t)size);
    bytes[size] = 0;
    (void)fclose(file);
    *n = (size_t)size;
    return bytes;
}

xpbd_mesh kit_mesh_read(const char *path)
{
    xpbd_mesh mesh;
    char error[512] = "left as it was";
    if (!xpbd_mesh_read(path, &mesh, error, sizeof error))
        fail_msg("expected a mesh, got: %s", error);
    assert_string_equal(error, "");
    kit_check_mesh(&mesh);
    return mesh;
}

xpbd_mesh kit_mesh(const char *name, const char *text)
{
    const char *path = kit_temporary(name);
    kit_write(path, text, strlen(text));
    return kit_mesh_read(path);
}

void kit_refused_file(const char *path, const char *blamed, uint32_t line, const char *part)
{
    static const xpbd_mesh zero;
    xpbd_mesh mesh;
    char error[1024] = "left as it was", want[768];
    memset(&mesh, 0xff, sizeof mesh);
    if (xpbd_mesh_read(path, &mesh, error, sizeof error))
        fail_msg("%s was read; expected it to be refused for '%s'", path, part);
    int n = line ? snprintf(want, sizeof want, "%s:%u: ", blamed, line)
                 : snprintf(want, sizeof want, "%s: ", blamed);
    assert_true(n > 0 && (size_t)n < sizeof want);
    if (strncmp(error, want, (size_t)n) || !strstr(error + n, part) || strchr(error, '\n'))
        fail_msg("expected '%s...%s...', got '%s'", want, part, error);
    assert_memory_equal(&mesh, &zero, sizeof mesh);
}

void kit_refused(const char *name, const char *text, uint32_t line, const char *part)
{
    const char *path = kit_temporary(name);
    kit_write(path, text, strlen(text));
    kit_refused_file(path, path, line, part);
}

static void check_indices(const uint32_t *indices, size_t n, uint32_t n_points)
{
    for (size_t k = 0; k < n; k++) {
        if (indices[k] >= n_points)
            fail_msg("index %u is not one of %u points", indices[k], n_points);
    }
}

void kit_check_mesh(const xpbd_mesh *mesh)
{
    for (size_t k = 0; k < 3 * (size_t)mesh->n_points; k++)
        assert_true(isfinite(mesh->points[k]));
    check_indices(mesh->triangles, 3 * (size_t)mesh->n_triangles, mesh->n_points);
    check_indices(mesh->tets, 4 * (size_t)mesh->n_tets, mesh->n_points);
    check_indices(mesh->edges, 2 * (size_t)mesh->n_edges, mesh->n_points);
    assert_true(mesh->n_edges > 0);
    for (size_t k = 0; k < mesh->n_edges; k++) {
        const uint32_t *e = mesh->edges + 2 * k;
        assert_true(e[0] < e[1]);
        assert_true(k == 0 || e[-2] < e[0] || (e[-2] == e[0] && e[-1] < e[1]));
    }
}

void kit_same_indices(const uint32_t *got, const uint32_t *want, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (got[k] != want[k])
            fail_msg("index %zu is %u, expected %u", k, got[k], want[k]);
    }
}

void kit_same_mesh(const xpbd_mesh *got, const xpbd_mesh *want)
{
    assert_int_equal(got->n_points, want->n_points);
    assert_int_equal(got->n_triangles, want->n_triangles);
    assert_int_equal(got->n_tets, want->n_tets);
    assert_int_equal(got->n_edges, want->n_edges);
    assert_same_floats(got->points, want->points, 3 * (size_t)want->n_points);
    kit_same_indices(got->triangles, want->triangles, 3 * (size_t)want->n_triangles);
    kit_same_indices(got->tets, want->tets, 4 * (size_t)want->n_tets);
    kit_same_indices(got->edges, want->edges, 2 * (size_t)want->n_edges);
}
