/* SPDX-License-Identifier: MIT
 *
 * The surface of a tetrahedral mesh: all faces are sorted by their corners, and those that occur
 * once are written out in the order of the elements.
 */
#include "builders/builder.h"

#include <string.h>

/* The faces of a tetrahedron of positive volume, anticlockwise from outside. */
static const uint8_t faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

static bool repeats(const uint32_t *sorted)
{
    return sorted[0] == sorted[1] || sorted[1] == sorted[2] || sorted[2] == sorted[3];
}

/* Read the elements; those of negative volume are turned. A flat one stays, for dropping it would
 * open a hole. */
static xpbd_status read_elements(xpbd_builder *builder, uint32_t n)
{
    builder->elements = xpbd_arena_alloc(&builder->arena, n, 4 * sizeof *builder->elements);
    if (!builder->elements)
        return xpbd_builder_no_memory(builder);
    for (uint32_t e = 0; e < n; e++) {
        uint32_t *corner = builder->elements + 4 * (size_t)e, sorted[4];
        XPBD_TRY(xpbd_builder_vertices(builder, e, corner));
        memcpy(sorted, corner, sizeof sorted);
        xpbd_builder_sort_few(sorted, 4);
        float x[4][3];
        static const uint32_t all[4] = {0, 1, 2, 3};
        for (uint32_t k = 0; k < 4; k++)
            xpbd_builder_position(builder->mesh, corner[k], x[k]);
        if (xpbd_builder_measure((const float(*)[3])x, all, 4) < 0.0) {
            const uint32_t last = corner[3];
            corner[3] = corner[2];
            corner[2] = last;
        }
        builder->n_elements += !repeats(sorted);
        if (repeats(sorted))
            corner[0] = UINT32_MAX; /* not an element */
    }
    return XPBD_OK;
}

/* Close the gaps, and leave out an element that an earlier one repeats. */
static xpbd_status keep_elements(xpbd_builder *builder, uint32_t n)
{
    uint32_t *elements = builder->elements, kept = 0;
    for (uint32_t e = 0; e < n; e++) {
        if (elements[4 * (size_t)e] != UINT32_MAX)
            memmove(elements + 4 * (size_t)kept++, elements + 4 * (size_t)e, 4 * sizeof *elements);
    }
    xpbd_arena *arena = &builder->arena;
    uint32_t *tuples = xpbd_builder_corner_tuples(arena, elements, kept, 4);
    uint32_t *order = xpbd_arena_alloc(arena, kept, sizeof *order);
    if (arena->failed ||
        !xpbd_builder_sort(arena, tuples, kept, 4, builder->mesh->n_vertices, order))
        return xpbd_builder_no_memory(builder);
    for (uint32_t k = 1; k < kept; k++) {
        if (memcmp(tuples + 4 * (size_t)order[k - 1], tuples + 4 * (size_t)order[k],
                   4 * sizeof *tuples) == 0)
            elements[4 * (size_t)order[k]] = UINT32_MAX;
    }
    uint32_t last = 0;
    for (uint32_t e = 0; e < kept; e++) {
        if (elements[4 * (size_t)e] != UINT32_MAX)
            memmove(elements + 4 * (size_t)last++, elements + 4 * (size_t)e, 4 * sizeof *elements);
    }
    builder->n_elements = last;
    return XPBD_OK;
}

/* inner[f] is set for each face that occurs again. */
static xpbd_status find_inner(xpbd_builder *builder, const uint32_t *all, bool *inner)
{
    const uint32_t n = 4 * builder->n_elements;
    xpbd_arena *arena = &builder->arena;
    uint32_t *tuples = xpbd_builder_corner_tuples(arena, all, n, 3);
    uint32_t *order = xpbd_arena_alloc(arena, n, sizeof *order);
    if (arena->failed || !xpbd_builder_sort(arena, tuples, n, 3, builder->mesh->n_vertices, order))
        return xpbd_builder_no_memory(builder);
    for (uint32_t k = 1; k < n; k++) {
        const uint32_t a = order[k - 1], b = order[k];
        if (memcmp(tuples + 3 * (size_t)a, tuples + 3 * (size_t)b, 3 * sizeof *tuples) == 0)
            inner[a] = inner[b] = true;
    }
    return XPBD_OK;
}

static xpbd_status find_surface(xpbd_builder *builder, uint32_t capacity, uint32_t *triangles,
                                uint32_t *n)
{
    const uint32_t n_given = builder->mesh->n_elements;
    builder->corners = 4;
    XPBD_TRY(xpbd_builder_check_mesh(builder));
    XPBD_TRY(read_elements(builder, n_given));
    XPBD_TRY(keep_elements(builder, n_given));
    const uint32_t n_faces = 4 * builder->n_elements;
    uint32_t *all = xpbd_arena_alloc(&builder->arena, n_faces, 3 * sizeof *all);
    bool *inner = xpbd_arena_zero(&builder->arena, n_faces, sizeof *inner);
    if (builder->arena.failed)
        return xpbd_builder_no_memory(builder);
    for (uint32_t f = 0; f < n_faces; f++) {
        for (uint32_t k = 0; k < 3; k++)
            all[3 * (size_t)f + k] = builder->elements[(size_t)(f / 4) * 4 + faces[f % 4][k]];
    }
    XPBD_TRY(find_inner(builder, all, inner));
    for (uint32_t f = 0; f < n_faces; f++) {
        if (inner[f])
            continue;
        if (*n < capacity)
            memcpy(triangles + 3 * (size_t)*n, all + 3 * (size_t)f, 3 * sizeof *all);
        ++*n;
    }
    return XPBD_OK;
}

xpbd_status xpbd_build_surface(const xpbd_build_mesh *mesh, const xpbd_allocator *allocator,
                               uint32_t capacity, uint32_t *triangles, uint32_t *n)
{
    if (!n || (capacity > 0 && !triangles))
        return XPBD_ERROR_NULL;
    *n = 0;
    xpbd_built unused;
    xpbd_build_options options = xpbd_builder_options();
    options.allocator = allocator;
    xpbd_builder builder = {.mesh = mesh, .built = &unused};
    xpbd_status status = xpbd_builder_open(&builder, &options);
    if (status == XPBD_OK)
        status = find_surface(&builder, capacity, triangles, n);
    return xpbd_builder_close(&builder, status);
}
