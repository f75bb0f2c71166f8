/* SPDX-License-Identifier: MIT
 *
 * Rods: distances along segments, and angles where two of them meet.
 */
#include "builders/builder.h"

#include <float.h>

static const double pi = 3.14159265358979323846;

xpbd_polyline_def xpbd_default_polyline_def(void)
{
    return (xpbd_polyline_def){.options = xpbd_builder_options(),
                               .bend = true,
                               .young_modulus = 1e7f,
                               .radius = 5e-3f,
                               .line_density = 0.1f,
                               .bend_factor = 1.0f};
}

static xpbd_status check(xpbd_builder *builder, const xpbd_polyline_def *def)
{
    const xpbd_status status = XPBD_ERROR_MATERIAL;
    XPBD_TRY(xpbd_builder_check(builder, status, "young_modulus", (double)def->young_modulus,
                                FLT_MIN, FLT_MAX));
    XPBD_TRY(xpbd_builder_check(builder, status, "radius", (double)def->radius, FLT_MIN, FLT_MAX));
    XPBD_TRY(xpbd_builder_check(builder, status, "line_density", (double)def->line_density, FLT_MIN,
                                FLT_MAX));
    return xpbd_builder_check(builder, status, "bend_factor", (double)def->bend_factor, FLT_MIN,
                              FLT_MAX);
}

static double area(const xpbd_polyline_def *def)
{
    return pi * (double)def->radius * (double)def->radius;
}

/* alpha = L / (E A) is |e|^2 / (E A L), the form of all edges. */
static xpbd_status stretch(xpbd_builder *builder, const xpbd_polyline_def *def)
{
    xpbd_builder_edges edges;
    XPBD_TRY(xpbd_builder_edges_of(builder, &edges));
    if (builder->options->tethers)
        XPBD_TRY(xpbd_builder_tether(builder, &edges));
    return xpbd_builder_springs(builder, &edges, (double)def->young_modulus * area(def));
}

/* The ends of all segments sorted by particle: end k belongs to segment k / 2. */
static xpbd_status bend(xpbd_builder *builder, const xpbd_polyline_def *def)
{
    const uint32_t n = 2 * builder->n_elements, *ends = builder->elements;
    const double stiffness = (double)def->young_modulus * (double)def->bend_factor * area(def) *
                             (double)def->radius * (double)def->radius / 4.0;
    uint32_t *order = xpbd_arena_alloc(&builder->arena, n, sizeof *order);
    xpbd_builder_batch *batch =
        xpbd_builder_batch_of(builder, &builder->built->bend, XPBD_BEND_ANGLE, builder->n_elements);
    if (!batch || !order ||
        !xpbd_builder_sort(&builder->arena, ends, n, 1, builder->n_particles, order))
        return xpbd_builder_no_memory(builder);
    batch->rest = NULL;
    uint32_t n_bends = 0;
    for (uint32_t k = 0; k < n;) {
        const uint32_t begin = k, centre = ends[order[k]];
        while (k < n && ends[order[k]] == centre)
            k++;
        if (k - begin > 2)
            xpbd_builder_fault(builder, XPBD_FAULT_NON_MANIFOLD,
                               builder->source[order[begin + 2] / 2]);
        if (k - begin != 2)
            continue;
        const uint32_t a = order[begin], b = order[begin + 1];
        batch->particles[3 * (size_t)n_bends] = ends[a ^ 1];
        batch->particles[3 * (size_t)n_bends + 1] = centre;
        batch->particles[3 * (size_t)n_bends + 2] = ends[b ^ 1];
        batch->compliance[n_bends++] =
            (float)((builder->measure[a / 2] + builder->measure[b / 2]) / (2.0 * stiffness));
    }
    builder->built->bend.count = n_bends;
    return XPBD_OK;
}

static xpbd_status build(xpbd_builder *builder, const xpbd_polyline_def *def)
{
    XPBD_TRY(check(builder, def));
    XPBD_TRY(xpbd_builder_read(builder, 2));
    XPBD_TRY(stretch(builder, def));
    if (def->bend)
        XPBD_TRY(bend(builder, def));
    XPBD_TRY(xpbd_builder_judge(builder));
    XPBD_TRY(xpbd_builder_finish(builder, (double)def->line_density));
    return xpbd_builder_commit(builder);
}

xpbd_status xpbd_build_polyline(xpbd_world *world, const xpbd_build_mesh *mesh,
                                const xpbd_polyline_def *def, xpbd_built *built)
{
    if (!built)
        return XPBD_ERROR_NULL;
    const xpbd_polyline_def defaults = xpbd_default_polyline_def();
    def = def ? def : &defaults;
    xpbd_builder builder = {.world = world, .mesh = mesh, .built = built};
    xpbd_status status = xpbd_builder_open(&builder, &def->options);
    if (status == XPBD_OK)
        status = build(&builder, def);
    return xpbd_builder_close(&builder, status);
}
