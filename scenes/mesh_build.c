/* SPDX-License-Identifier: MIT
 *
 * Adding points, segments, faces and tetrahedra to a mesh. Degenerate ones are counted and left
 * out; whether one is degenerate is judged by ratios, in double, from the float coordinates that
 * the simulation will see.
 */
#include "scenes/mesh_build.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Four roundings of a float coordinate of the element's own size. */
#define FLATNESS (4.0 * FLT_EPSILON)

bool xpbd_mesh_reserve(xpbd_mesh_array *array, size_t count, size_t element)
{
    if (count <= array->capacity)
        return true;
    size_t capacity = array->capacity ? array->capacity : 64;
    while (capacity < count)
        capacity *= 2;
    if (capacity > SIZE_MAX / element)
        return false;
    void *data = realloc(array->data, capacity * element);
    if (!data)
        return false;
    *array = (xpbd_mesh_array){data, capacity};
    return true;
}

static void difference(const float *points, uint32_t from, uint32_t to, double out[3])
{
    for (size_t k = 0; k < 3; k++)
        out[k] = (double)points[3 * (size_t)to + k] - (double)points[3 * (size_t)from + k];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

bool xpbd_mesh_has_area(const float *points, const uint32_t corners[3])
{
    double a[3], b[3], c[3], normal[3];
    difference(points, corners[0], corners[1], a);
    difference(points, corners[0], corners[2], b);
    difference(points, corners[1], corners[2], c);
    cross(a, b, normal);
    double longest = fmax(dot(a, a), fmax(dot(b, b), dot(c, c)));
    return sqrt(dot(normal, normal)) > FLATNESS * longest;
}

/* 6 V, and the length of the longest edge. */
static double tet_volume(const float *points, const uint32_t corners[4], double *longest)
{
    double edge[3][3], normal[3];
    double square = 0.0;
    for (size_t k = 0; k < 3; k++)
        difference(points, corners[0], corners[k + 1], edge[k]);
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = i + 1; j < 4; j++) {
            double d[3];
            difference(points, corners[i], corners[j], d);
            square = fmax(square, dot(d, d));
        }
    }
    *longest = sqrt(square);
    cross(edge[0], edge[1], normal);
    return dot(normal, edge[2]);
}

static bool out_of_memory(const xpbd_mesh_text *text)
{
    return xpbd_mesh_text_fail(text, "out of memory");
}

bool xpbd_mesh_add_point(xpbd_mesh_builder *builder, const xpbd_mesh_text *text,
                         const float position[3])
{
    xpbd_mesh *mesh = builder->mesh;
    if (!xpbd_mesh_reserve(&builder->points, (size_t)mesh->n_points + 1, 3 * sizeof(float)))
        return out_of_memory(text);
    mesh->points = builder->points.data;
    memcpy(mesh->points + 3 * (size_t)mesh->n_points++, position, 3 * sizeof(float));
    return true;
}

bool xpbd_mesh_add_segment(xpbd_mesh_builder *builder, const xpbd_mesh_text *text, uint32_t i,
                           uint32_t j)
{
    if (i == j) {
        builder->mesh->n_repeated++;
        return true;
    }
    double d[3];
    difference(builder->mesh->points, i, j, d);
    if (dot(d, d) <= 0.0) {
        builder->mesh->n_zero_length++;
        return true;
    }
    if (!xpbd_mesh_reserve(&builder->segments, (size_t)builder->n_segments + 1,
                           2 * sizeof(uint32_t)))
        return out_of_memory(text);
    uint32_t *segments = builder->segments.data;
    segments[2 * (size_t)builder->n_segments] = i;
    segments[2 * (size_t)builder->n_segments + 1] = j;
    builder->n_segments++;
    return true;
}

static bool add_triangle(xpbd_mesh_builder *builder, const xpbd_mesh_text *text,
                         const uint32_t corners[3])
{
    xpbd_mesh *mesh = builder->mesh;
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) {
        mesh->n_repeated++;
        return true;
    }
    if (!xpbd_mesh_has_area(mesh->points, corners)) {
        mesh->n_zero_area++;
        return true;
    }
    if (!xpbd_mesh_reserve(&builder->triangles, (size_t)mesh->n_triangles + 1,
                           3 * sizeof(uint32_t)))
        return out_of_memory(text);
    mesh->triangles = builder->triangles.data;
    memcpy(mesh->triangles + 3 * (size_t)mesh->n_triangles++, corners, 3 * sizeof(uint32_t));
    return true;
}

static bool add_polygon(xpbd_mesh_builder *builder, const xpbd_mesh_text *text,
                        const uint32_t *corners, uint32_t n)
{
    xpbd_mesh *mesh = builder->mesh;
    if (!xpbd_mesh_reserve(&builder->ring, n, sizeof(xpbd_mesh_corner)) ||
        !xpbd_mesh_reserve(&builder->cut, n - 2, 3 * sizeof(uint32_t)))
        return out_of_memory(text);
    const uint32_t *cut = builder->cut.data;
    if (!xpbd_mesh_cut_polygon(mesh->points, corners, n, builder->ring.data, builder->cut.data)) {
        mesh->n_zero_area++;
        return true;
    }
    uint32_t before = mesh->n_triangles;
    for (size_t k = 0; k < n - 2; k++) {
        if (!add_triangle(builder, text, cut + 3 * k))
            return false;
    }
    if (mesh->n_triangles - before == n - 2)
        return true;
    /* A triangle was left out: the polygon's own sides must not go with it. */
    for (uint32_t k = 0; k < n; k++) {
        if (!xpbd_mesh_add_segment(builder, text, corners[k], corners[k + 1 < n ? k + 1 : 0]))
            return false;
    }
    return true;
}

bool xpbd_mesh_add_face(xpbd_mesh_builder *builder, const xpbd_mesh_text *text, uint32_t *corners,
                        uint32_t n)
{
    if (n == 3)
        return add_triangle(builder, text, corners);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (kept == 0 || corners[k] != corners[kept - 1])
            corners[kept++] = corners[k];
    }
    while (kept > 1 && corners[kept - 1] == corners[0])
        kept--;
    if (kept < 3) {
        builder->mesh->n_repeated++;
        return true;
    }
    return kept == 3 ? add_triangle(builder, text, corners)
                     : add_polygon(builder, text, corners, kept);
}

bool xpbd_mesh_add_tet(xpbd_mesh_builder *builder, const xpbd_mesh_text *text,
                       const uint32_t corners[4])
{
    xpbd_mesh *mesh = builder->mesh;
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = i + 1; j < 4; j++) {
            if (corners[i] == corners[j])
                return xpbd_mesh_text_fail(text,
                                           "corners %zu and %zu of a tetrahedron are the "
                                           "same node",
                                           i + 1, j + 1);
        }
    }
    double longest = 0.0;
    double volume = tet_volume(mesh->points, corners, &longest);
    if (fabs(volume) <= FLATNESS * longest * longest * longest) {
        mesh->n_zero_volume++;
        return true;
    }
    mesh->n_inverted += volume < 0.0;
    if (!xpbd_mesh_reserve(&builder->tets, (size_t)mesh->n_tets + 1, 4 * sizeof(uint32_t)))
        return out_of_memory(text);
    mesh->tets = builder->tets.data;
    memcpy(mesh->tets + 4 * (size_t)mesh->n_tets++, corners, 4 * sizeof(uint32_t));
    return true;
}

bool xpbd_mesh_finish(xpbd_mesh_builder *builder, const char *path, const xpbd_mesh_fault *fault)
{
    const xpbd_mesh_text text = {.path = path, .fault = fault};
    const xpbd_mesh *mesh = builder->mesh;
    if (!xpbd_mesh_find_edges(builder))
        return out_of_memory(&text);
    if (mesh->n_edges)
        return true;
    if (mesh->n_repeated || mesh->n_zero_length || mesh->n_zero_area || mesh->n_zero_volume)
        return xpbd_mesh_text_fail(&text,
                                   "holds no edge that could be used: %u elements repeat a point, "
                                   "%u are without length, %u without area, %u without volume",
                                   mesh->n_repeated, mesh->n_zero_length, mesh->n_zero_area,
                                   mesh->n_zero_volume);
    return xpbd_mesh_text_fail(&text, "holds no edge: %u points, no faces, segments or tetrahedra",
                               mesh->n_points);
}

void xpbd_mesh_builder_close(xpbd_mesh_builder *builder)
{
    free(builder->segments.data);
    free(builder->ring.data);
    free(builder->cut.data);
    *builder = (xpbd_mesh_builder){0};
}
