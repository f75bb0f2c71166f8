/* SPDX-License-Identifier: MIT
 *
 * The unique edges of a mesh. Edges are put in one bucket per lower end and each bucket is sorted:
 * the order depends on the mesh alone, and buckets are so short that the whole is linear.
 */
#include <stdlib.h>

#include "scenes/mesh_build.h"

typedef struct edge {
    uint32_t low, high;
} edge;

static size_t n_pairs(const xpbd_mesh_builder *builder)
{
    const xpbd_mesh *mesh = builder->mesh;
    return mesh->n_tets ? 6 * (size_t)mesh->n_tets
                        : 3 * (size_t)mesh->n_triangles + builder->n_segments;
}

/* The edges of all elements one after the other, repeated where elements share them. */
static edge pair_at(const xpbd_mesh_builder *builder, size_t k)
{
    static const uint8_t sides[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    const xpbd_mesh *mesh = builder->mesh;
    size_t n_sides = 3 * (size_t)mesh->n_triangles;
    uint32_t i, j;
    if (mesh->n_tets) {
        i = mesh->tets[4 * (k / 6) + sides[k % 6][0]];
        j = mesh->tets[4 * (k / 6) + sides[k % 6][1]];
    } else if (k < n_sides) {
        i = mesh->triangles[k];
        j = mesh->triangles[k % 3 < 2 ? k + 1 : k - 2];
    } else {
        const uint32_t *segments = builder->segments.data;
        i = segments[2 * (k - n_sides)];
        j = segments[2 * (k - n_sides) + 1];
    }
    return i < j ? (edge){i, j} : (edge){j, i};
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sort and drop repetitions; returns how many are left. */
static size_t make_unique(uint32_t *values, size_t n)
{
    if (n > 32) {
        qsort(values, n, sizeof *values, compare);
    } else {
        for (size_t i = 1; i < n; i++) {
            uint32_t value = values[i];
            size_t j = i;
            for (; j > 0 && values[j - 1] > value; j--)
                values[j] = values[j - 1];
            values[j] = value;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || values[i] != values[kept - 1])
            values[kept++] = values[i];
    }
    return kept;
}

/* ends[i] is where the bucket of point i ends; on entry where it begins. */
static size_t fill_buckets(const xpbd_mesh_builder *builder, size_t *ends, uint32_t *high)
{
    size_t n = n_pairs(builder), n_points = builder->mesh->n_points;
    for (size_t k = 0; k < n; k++)
        ends[pair_at(builder, k).low + 1]++;
    for (size_t i = 0; i < n_points; i++)
        ends[i + 1] += ends[i];
    for (size_t k = 0; k < n; k++) {
        edge e = pair_at(builder, k);
        high[ends[e.low]++] = e.high;
    }
    size_t n_edges = 0, begin = 0;
    for (size_t i = 0; i < n_points; i++) {
        size_t end = ends[i];
        size_t kept = make_unique(high + begin, end - begin);
        for (size_t k = 0; k < kept; k++)
            high[n_edges + k] = high[begin + k];
        n_edges += kept;
        begin = end;
        ends[i] = n_edges;
    }
    return n_edges;
}

static uint32_t count_unused(const xpbd_mesh *mesh, size_t *marks)
{
    for (size_t i = 0; i < mesh->n_points; i++)
        marks[i] = 1;
    for (size_t k = 0; k < 2 * (size_t)mesh->n_edges; k++)
        marks[mesh->edges[k]] = 0;
    uint32_t n = 0;
    for (size_t i = 0; i < mesh->n_points; i++)
        n += marks[i] != 0;
    return n;
}

bool xpbd_mesh_find_edges(xpbd_mesh_builder *builder)
{
    xpbd_mesh *mesh = builder->mesh;
    size_t n = n_pairs(builder), n_points = mesh->n_points;
    if (n == 0)
        return true;
    size_t *ends = calloc(n_points + 1, sizeof *ends);
    uint32_t *high = malloc(n * sizeof *high);
    size_t n_edges = 0;
    if (ends && high) {
        n_edges = fill_buckets(builder, ends, high);
        if (n_edges <= UINT32_MAX)
            mesh->edges = malloc(n_edges * 2 * sizeof *mesh->edges);
    }
    if (mesh->edges) {
        size_t k = 0;
        for (uint32_t i = 0; i < n_points; i++) {
            for (; k < ends[i]; k++) {
                mesh->edges[2 * k] = i;
                mesh->edges[2 * k + 1] = high[k];
            }
        }
        mesh->n_edges = (uint32_t)n_edges;
        mesh->n_unused = count_unused(mesh, ends);
    }
    free(ends);
    free(high);
    return mesh->edges != NULL;
}
