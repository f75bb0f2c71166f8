/* SPDX-License-Identifier: MIT
 *
 * Reading a mesh: what can not be read is refused, what can not be simulated is repaired and
 * noted. Order of the checks: a corner twice before no area, as the first is the better word for
 * it; repetitions last, among the elements that are left.
 */
#include "builders/builder.h"

#include <math.h>
#include <string.h>

static size_t stride_of(size_t stride, size_t tight)
{
    return stride ? stride : tight;
}

void xpbd_builder_position(const xpbd_build_mesh *mesh, uint32_t vertex, float x[3])
{
    const size_t stride = stride_of(mesh->position_stride, 3 * sizeof(float));
    memcpy(x, (const char *)mesh->position + vertex * stride, 3 * sizeof(float));
}

static uint32_t element_count(const xpbd_builder *builder)
{
    const xpbd_build_mesh *mesh = builder->mesh;
    if (mesh->elements || builder->corners > 2)
        return mesh->n_elements;
    return mesh->n_vertices > 0 ? mesh->n_vertices - 1 : 0;
}

xpbd_status xpbd_builder_vertices(xpbd_builder *builder, uint32_t e, uint32_t *vertices)
{
    const xpbd_build_mesh *mesh = builder->mesh;
    const size_t size = builder->corners * sizeof *vertices;
    if (!mesh->elements) {
        vertices[0] = e;
        vertices[1] = e + 1;
        return XPBD_OK;
    }
    memcpy(vertices, (const char *)mesh->elements + e * stride_of(mesh->elements_stride, size),
           size);
    for (uint32_t k = 0; k < builder->corners; k++) {
        if (vertices[k] >= mesh->n_vertices)
            return xpbd_builder_fail(builder, XPBD_ERROR_VERTEX_INDEX, e, vertices[k],
                                     "element %u names vertex %u, but there are %u", e, vertices[k],
                                     mesh->n_vertices);
    }
    return XPBD_OK;
}

static xpbd_status check_array(xpbd_builder *builder, const void *array, uint32_t n, size_t stride,
                               size_t size, const char *what)
{
    if (n > 0 && !array)
        return xpbd_builder_fail(builder, XPBD_ERROR_NULL, 0, 0.0, "%s is null", what);
    if (stride != 0 && (stride < size || stride > SIZE_MAX / 2 / (n ? n : 1)))
        return xpbd_builder_fail(builder, XPBD_ERROR_STRIDE, 0, (double)stride,
                                 "the stride of %s is %zu bytes, an element has %zu", what, stride,
                                 size);
    return XPBD_OK;
}

xpbd_status xpbd_builder_check_mesh(xpbd_builder *builder)
{
    const xpbd_build_mesh *mesh = builder->mesh;
    const uint32_t n_elements = element_count(builder);
    /* The six edges of all tetrahedra are counted in 32 bits. */
    if (n_elements > UINT32_MAX / 6 || mesh->n_vertices == UINT32_MAX)
        return xpbd_builder_fail(builder, XPBD_ERROR_COUNT, n_elements, mesh->n_vertices,
                                 "%u elements with %u vertices are too many", n_elements,
                                 mesh->n_vertices);
    XPBD_TRY(check_array(builder, mesh->position, mesh->n_vertices, mesh->position_stride,
                         3 * sizeof(float), "position"));
    if (mesh->elements || builder->corners > 2)
        XPBD_TRY(check_array(builder, mesh->elements, n_elements, mesh->elements_stride,
                             builder->corners * sizeof(uint32_t), "elements"));
    XPBD_TRY(check_array(builder, mesh->pinned, mesh->n_pinned, 0, sizeof(uint32_t), "pinned"));
    for (uint32_t v = 0; v < mesh->n_vertices; v++) {
        float x[3];
        xpbd_builder_position(mesh, v, x);
        for (int k = 0; k < 3; k++) {
            if (!isfinite(x[k]))
                return xpbd_builder_fail(builder, XPBD_ERROR_POSITION, v, (double)x[k],
                                         "vertex %u: component %d of its position is %g", v, k,
                                         (double)x[k]);
        }
    }
    return XPBD_OK;
}

static bool repeats(const uint32_t *corners, uint32_t n)
{
    for (uint32_t k = 1; k < n; k++) {
        for (uint32_t l = 0; l < k; l++) {
            if (corners[k] == corners[l])
                return true;
        }
    }
    return false;
}

/* Keep the element at the end of those kept, or note why not. */
static void take(xpbd_builder *builder, uint32_t e, uint32_t *corners)
{
    const uint32_t n = builder->corners;
    if (repeats(corners, n)) {
        xpbd_builder_fault(builder, XPBD_FAULT_REPEATED, e);
        return;
    }
    const float(*x)[3] = (const float(*)[3])builder->x;
    double measure = xpbd_builder_measure(x, corners, n);
    if (xpbd_builder_is_flat(x, corners, n, measure)) {
        xpbd_builder_fault(builder, XPBD_FAULT_ZERO, e);
        return;
    }
    if (measure < 0.0) {
        xpbd_builder_fault(builder, XPBD_FAULT_INVERTED, e);
        const uint32_t last = corners[3];
        corners[3] = corners[2];
        corners[2] = last;
        measure = -measure;
    }
    const uint32_t kept = builder->n_elements++;
    memcpy(builder->elements + (size_t)kept * n, corners, n * sizeof *corners);
    builder->source[kept] = e;
    builder->measure[kept] = measure;
}

static xpbd_status take_all(xpbd_builder *builder)
{
    const uint32_t n = element_count(builder), corners = builder->corners;
    xpbd_arena *arena = &builder->arena;
    builder->elements = xpbd_arena_alloc(arena, n, corners * sizeof *builder->elements);
    builder->source = xpbd_arena_alloc(arena, n, sizeof *builder->source);
    builder->measure = xpbd_arena_alloc(arena, n, sizeof *builder->measure);
    if (arena->failed)
        return xpbd_builder_no_memory(builder);
    for (uint32_t e = 0; e < n; e++) {
        uint32_t vertices[XPBD_BUILDER_CORNERS];
        XPBD_TRY(xpbd_builder_vertices(builder, e, vertices));
        for (uint32_t k = 0; k < corners; k++)
            vertices[k] = builder->particle_of[vertices[k]];
        take(builder, e, vertices);
    }
    return XPBD_OK;
}

/* Of elements with the same corners in any order the first stays. Faces back to back are such. */
static xpbd_status drop_duplicates(xpbd_builder *builder)
{
    const uint32_t n = builder->n_elements, corners = builder->corners;
    xpbd_arena *arena = &builder->arena;
    uint32_t *tuples = xpbd_builder_corner_tuples(arena, builder->elements, n, corners);
    uint32_t *order = xpbd_arena_alloc(arena, n, sizeof *order);
    bool *drop = xpbd_arena_zero(arena, n, sizeof *drop);
    if (arena->failed || !xpbd_builder_sort(arena, tuples, n, corners, builder->n_particles, order))
        return xpbd_builder_no_memory(builder);
    for (uint32_t k = 1; k < n; k++) {
        const uint32_t *a = tuples + (size_t)order[k - 1] * corners;
        drop[order[k]] = memcmp(a, tuples + (size_t)order[k] * corners, corners * sizeof *a) == 0;
    }
    uint32_t kept = 0;
    for (uint32_t e = 0; e < n; e++) {
        if (drop[e]) {
            xpbd_builder_fault(builder, XPBD_FAULT_DUPLICATE, builder->source[e]);
            continue;
        }
        memmove(builder->elements + (size_t)kept * corners, builder->elements + (size_t)e * corners,
                corners * sizeof *builder->elements);
        builder->source[kept] = builder->source[e];
        builder->measure[kept] = builder->measure[e];
        kept++;
    }
    builder->n_elements = kept;
    return XPBD_OK;
}

/* A particle of no element has no mass: it can only be pinned. */
static xpbd_status pin(xpbd_builder *builder)
{
    const xpbd_build_mesh *mesh = builder->mesh;
    const uint32_t n = builder->n_particles;
    bool *used = xpbd_arena_zero(&builder->arena, n, sizeof *used);
    builder->pinned = xpbd_arena_zero(&builder->arena, n, sizeof *builder->pinned);
    if (builder->arena.failed)
        return xpbd_builder_no_memory(builder);
    for (size_t k = 0; k < (size_t)builder->n_elements * builder->corners; k++)
        used[builder->elements[k]] = true;
    for (uint32_t p = 0; p < n; p++) {
        if (!used[p])
            xpbd_builder_fault(builder, XPBD_FAULT_UNUSED, builder->vertex_of[p]);
        builder->pinned[p] = !used[p];
    }
    for (uint32_t i = 0; i < mesh->n_pinned; i++) {
        if (mesh->pinned[i] >= mesh->n_vertices)
            return xpbd_builder_fail(builder, XPBD_ERROR_VERTEX_INDEX, i, mesh->pinned[i],
                                     "pinned[%u] is vertex %u, but there are %u", i,
                                     mesh->pinned[i], mesh->n_vertices);
        builder->pinned[builder->particle_of[mesh->pinned[i]]] = true;
    }
    return XPBD_OK;
}

xpbd_status xpbd_builder_read(xpbd_builder *builder, uint32_t corners)
{
    builder->corners = corners;
    if (!builder->world)
        return xpbd_builder_fail(builder, XPBD_ERROR_NULL, 0, 0.0, "the world is null");
    XPBD_TRY(xpbd_builder_check_mesh(builder));
    XPBD_TRY(xpbd_builder_weld(builder));
    XPBD_TRY(take_all(builder));
    XPBD_TRY(drop_duplicates(builder));
    return pin(builder);
}
