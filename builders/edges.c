/* SPDX-License-Identifier: MIT
 *
 * The distinct edges of triangles, tetrahedra or segments, and the hinges of triangles. All sides
 * of all elements are sorted; equal ones are then side by side, in the order of the elements.
 */
#include "builders/builder.h"

/* A side of an element: its two ends by place. The six of a tetrahedron begin with the three of a
 * triangle, whose third corner is 3 - a - b. */
static const uint8_t sides[6][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};

static uint32_t sides_of(uint32_t corners)
{
    return corners * (corners - 1) / 2;
}

static uint32_t *side_tuples(xpbd_builder *builder, uint32_t n_sides)
{
    const uint32_t n = builder->n_elements;
    uint32_t *tuples = xpbd_arena_alloc(&builder->arena, (size_t)n * n_sides, 2 * sizeof *tuples);
    if (!tuples)
        return NULL;
    uint32_t *tuple = tuples;
    for (uint32_t e = 0; e < n; e++) {
        const uint32_t *corner = builder->elements + (size_t)e * builder->corners;
        for (uint32_t s = 0; s < n_sides; s++, tuple += 2) {
            tuple[0] = corner[sides[s][0]];
            tuple[1] = corner[sides[s][1]];
            xpbd_builder_sort_few(tuple, 2);
        }
    }
    return tuples;
}

static bool make_room(xpbd_builder *builder, uint32_t n_all, xpbd_builder_edges *edges)
{
    /* As many as there could be: pages that are not written cost nothing. */
    xpbd_arena *arena = &builder->arena;
    edges->ends = xpbd_arena_alloc(arena, n_all, sizeof *edges->ends);
    edges->measure = xpbd_arena_alloc(arena, n_all, sizeof *edges->measure);
    if (builder->corners == 3) {
        edges->hinges = xpbd_arena_alloc(arena, n_all / 2, sizeof *edges->hinges);
        edges->hinge_area = xpbd_arena_alloc(arena, n_all / 2, sizeof *edges->hinge_area);
    }
    return !arena->failed;
}

/* The corner of a triangle off its side. */
static uint32_t corner_off(const xpbd_builder *builder, uint32_t side)
{
    const uint8_t *s = sides[side % 3];
    return builder->elements[(size_t)(side / 3) * 3 + 3u - s[0] - s[1]];
}

/* An edge of triangles, at which `sides` meet. */
static void add_hinge(xpbd_builder *builder, xpbd_builder_edges *edges, const uint32_t *met,
                      uint32_t n_met)
{
    xpbd_build_report *report = &builder->built->report;
    if (n_met == 1) {
        report->n_boundary_edges++;
    } else if (n_met == 2) {
        report->n_inner_edges++;
        uint32_t *hinge = edges->hinges[edges->n_hinges];
        hinge[0] = corner_off(builder, met[0]);
        hinge[1] = corner_off(builder, met[1]);
        hinge[2] = edges->ends[edges->n][0];
        hinge[3] = edges->ends[edges->n][1];
        edges->hinge_area[edges->n_hinges++] = edges->measure[edges->n];
    } else {
        xpbd_builder_fault(builder, XPBD_FAULT_NON_MANIFOLD, builder->source[met[2] / 3]);
    }
}

xpbd_status xpbd_builder_edges_of(xpbd_builder *builder, xpbd_builder_edges *edges)
{
    const uint32_t n_sides = sides_of(builder->corners), n = builder->n_elements * n_sides;
    *edges = (xpbd_builder_edges){0};
    uint32_t *tuples = side_tuples(builder, n_sides);
    uint32_t *order = xpbd_arena_alloc(&builder->arena, n, sizeof *order);
    if (!make_room(builder, n, edges) ||
        !xpbd_builder_sort(&builder->arena, tuples, n, 2, builder->n_particles, order))
        return xpbd_builder_no_memory(builder);
    for (uint32_t k = 0; k < n;) {
        const uint32_t *first = tuples + 2 * (size_t)order[k];
        const uint32_t begin = k;
        double measure = 0.0;
        for (; k < n; k++) {
            const uint32_t *other = tuples + 2 * (size_t)order[k];
            if (other[0] != first[0] || other[1] != first[1])
                break;
            measure += builder->measure[order[k] / n_sides];
        }
        edges->ends[edges->n][0] = first[0];
        edges->ends[edges->n][1] = first[1];
        edges->measure[edges->n] = measure;
        if (builder->corners == 3)
            add_hinge(builder, edges, order + begin, k - begin);
        edges->n++;
    }
    builder->built->report.n_edges = edges->n;
    return XPBD_OK;
}

xpbd_status xpbd_builder_springs(xpbd_builder *builder, const xpbd_builder_edges *edges,
                                 double modulus)
{
    xpbd_builder_batch *batch =
        xpbd_builder_batch_of(builder, &builder->built->stretch, XPBD_DISTANCE, edges->n);
    if (!batch)
        return xpbd_builder_no_memory(builder);
    batch->rest = NULL; /* as long as they are: at rest to the last bit */
    for (uint32_t k = 0; k < edges->n; k++) {
        const uint32_t *ends = edges->ends[k];
        const double length = xpbd_builder_distance(builder->x[ends[0]], builder->x[ends[1]]);
        batch->particles[2 * (size_t)k] = ends[0];
        batch->particles[2 * (size_t)k + 1] = ends[1];
        batch->compliance[k] = (float)(length * length / (modulus * edges->measure[k]));
    }
    return XPBD_OK;
}
