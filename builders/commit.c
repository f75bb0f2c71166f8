/* SPDX-License-Identifier: MIT
 *
 * The last stages: masses, a look at every number, where they are extreme a rehearsal in a world of
 * its own, room for all of it, and only then the calls that change the world. Nothing is left to
 * fail in them: a build is added as a whole or not at all.
 */
#include "builders/builder.h"

#include <float.h>
#include <math.h>
#include <string.h>

static xpbd_status lump_masses(xpbd_builder *builder, double density)
{
    const uint32_t n = builder->n_particles, corners = builder->corners;
    double *mass = xpbd_arena_zero(&builder->arena, n, sizeof *mass);
    builder->inverse_mass = xpbd_arena_alloc(&builder->arena, n, sizeof *builder->inverse_mass);
    if (builder->arena.failed)
        return xpbd_builder_no_memory(builder);
    for (uint32_t e = 0; e < builder->n_elements; e++) {
        for (uint32_t k = 0; k < corners; k++)
            mass[builder->elements[(size_t)e * corners + k]] +=
                density * builder->measure[e] / corners;
    }
    for (uint32_t p = 0; p < n; p++) {
        const double w = builder->pinned[p] ? 0.0 : 1.0 / mass[p];
        if (!(w <= (double)FLT_MAX && (builder->pinned[p] || w >= (double)FLT_MIN)))
            return xpbd_builder_fail(builder, XPBD_ERROR_MATERIAL, builder->vertex_of[p], mass[p],
                                     "the mass of vertex %u is %g kg", builder->vertex_of[p],
                                     mass[p]);
        builder->inverse_mass[p] = (float)w;
    }
    return XPBD_OK;
}

xpbd_status xpbd_builder_finish(xpbd_builder *builder, double density)
{
    XPBD_TRY(lump_masses(builder, density));
    for (uint32_t b = 0; b < builder->n_batches; b++) {
        const xpbd_builder_batch *batch = &builder->batches[b];
        const xpbd_constraint_info *info = xpbd_constraint_type_info(batch->range->type);
        for (uint32_t i = 0; i < batch->range->count; i++) {
            bool finite = isfinite(batch->compliance[i]);
            for (uint32_t k = 0; batch->rest && k < info->n_rest; k++)
                finite = finite && isfinite(batch->rest[(size_t)i * info->n_rest + k]);
            if (!finite)
                return xpbd_builder_fail(
                    builder, XPBD_ERROR_MATERIAL, i, (double)batch->compliance[i],
                    "%s %u: compliance or rest data exceed the range of float", info->name, i);
        }
    }
    return XPBD_OK;
}

/* tau = zeta / (pi f): of c = tau k and omega = 2 pi f, zeta = c / (2 sqrt(k m)) is tau omega / 2.
 */
static float damping_time_of(const xpbd_build_options *options)
{
    return (float)((double)options->damping_ratio /
                   (3.14159265358979323846 * (double)options->damping_frequency));
}

static xpbd_status reserve(xpbd_builder *builder)
{
    xpbd_reservation all = {.particles = builder->n_particles, .batches = builder->n_batches};
    for (uint32_t b = 0; b < builder->n_batches; b++) {
        const xpbd_built_range *range = builder->batches[b].range;
        all.of[range->type].count += range->count;
        all.of[range->type].compliance = true;
        all.of[range->type].damping_time = damping_time_of(builder->options) > 0.0f;
    }
    return xpbd_world_reserve(builder->world, &all);
}

static xpbd_status add_batch(xpbd_builder *builder, xpbd_world *world,
                             const xpbd_builder_batch *batch)
{
    const float damping_time = damping_time_of(builder->options);
    const xpbd_constraints constraints = {.particles = batch->particles,
                                          .rest = batch->rest,
                                          .compliance = batch->compliance,
                                          .damping_time =
                                              damping_time > 0.0f ? &damping_time : NULL,
                                          .damping_time_stride = XPBD_SAME};
    return xpbd_world_add_constraints(world, batch->range->type, batch->range->count, &constraints,
                                      &batch->range->first);
}

static xpbd_status add_particles(xpbd_builder *builder, xpbd_world *world, uint32_t *first)
{
    const xpbd_particles particles = {.position = &builder->x[0][0],
                                      .inverse_mass = builder->inverse_mass};
    return xpbd_world_add_particles(world, builder->n_particles, &particles, first);
}

/* Whether lengths, and products of six of them, stay within float: elements are not flatter than
 * their rounding, so no edge is shorter than 1e-15 where their measures are in this range. Then the
 * world has no reason to refuse what it makes of the pose. */
static bool is_ordinary(const xpbd_builder *builder)
{
    bool ordinary = isfinite(damping_time_of(builder->options));
    for (uint32_t p = 0; p < builder->n_particles; p++)
        for (uint32_t k = 0; k < 3; k++)
            ordinary = ordinary && fabsf(builder->x[p][k]) <= 1e6f;
    for (uint32_t e = 0; e < builder->n_elements; e++)
        ordinary = ordinary && builder->measure[e] >= 1e-18 && builder->measure[e] <= 1e18;
    return ordinary;
}

/* What the world makes of a pose can be refused: lengths whose square exceeds float, or vanishes.
 * Only it knows for which type, and it would know too late. */
static xpbd_status rehearse(xpbd_builder *builder)
{
    xpbd_world_def def = xpbd_default_world_def();
    xpbd_world *world = NULL;
    xpbd_error *error = &builder->built->error;
    uint32_t first;
    def.threads = 1;
    def.isa = "scalar"; /* not what the environment says */
    def.allocator = builder->options->allocator;
    xpbd_status status = xpbd_world_create(&def, &world, error);
    if (status != XPBD_OK)
        return status;
    status = add_particles(builder, world, &first);
    for (uint32_t b = 0; b < builder->n_batches && status == XPBD_OK; b++)
        status = add_batch(builder, world, &builder->batches[b]);
    *error = *xpbd_world_error(world);
    xpbd_world_destroy(world);
    return status;
}

static xpbd_status add_all(xpbd_builder *builder)
{
    xpbd_built *built = builder->built;
    XPBD_TRY(reserve(builder));
    XPBD_TRY(add_particles(builder, builder->world, &built->first_particle));
    built->n_particles = builder->n_particles;
    for (uint32_t b = 0; b < builder->n_batches; b++) {
        const xpbd_builder_batch *batch = &builder->batches[b];
        for (size_t k = 0; k < (size_t)batch->range->count * batch->width; k++)
            batch->particles[k] += built->first_particle;
        XPBD_TRY(add_batch(builder, builder->world, batch));
    }
    return XPBD_OK;
}

xpbd_status xpbd_builder_commit(xpbd_builder *builder)
{
    xpbd_built *built = builder->built;
    const xpbd_build_mesh *mesh = builder->mesh;
    if (!is_ordinary(builder))
        XPBD_TRY(rehearse(builder));
    const xpbd_status status = add_all(builder);
    if (status != XPBD_OK) {
        built->error = *xpbd_world_error(builder->world);
        return status;
    }
    for (uint32_t v = 0; mesh->particle_of && v < mesh->n_vertices; v++)
        mesh->particle_of[v] = built->first_particle + builder->particle_of[v];
    return XPBD_OK;
}
