/* SPDX-License-Identifier: MIT
 *
 * Solids: distances along edges, volumes, or elements. The formulas are in xpbd/build.h.
 */
#include "builders/builder.h"

#include <float.h>

xpbd_tetrahedra_def xpbd_default_tetrahedra_def(void)
{
    return (xpbd_tetrahedra_def){.options = xpbd_builder_options(),
                                 .model = XPBD_SOLID_NEO_HOOKEAN,
                                 .young_modulus = 1e5f,
                                 .poisson_ratio = 0.3f,
                                 .density = 1000.0f};
}

static xpbd_status check(xpbd_builder *builder, const xpbd_tetrahedra_def *def)
{
    const xpbd_status status = XPBD_ERROR_MATERIAL;
    XPBD_TRY(xpbd_builder_check(builder, status, "young_modulus", (double)def->young_modulus,
                                FLT_MIN, FLT_MAX));
    XPBD_TRY(
        xpbd_builder_check(builder, status, "density", (double)def->density, FLT_MIN, FLT_MAX));
    XPBD_TRY(xpbd_builder_check(builder, status, "poisson_ratio", (double)def->poisson_ratio, 0.0,
                                (double)0.49f));
    if (def->model == XPBD_SOLID_EDGES_AND_VOLUMES && !(def->poisson_ratio > 0.25f))
        return xpbd_builder_fail(builder, status, 0, (double)def->poisson_ratio,
                                 "edges alone have a Poisson's ratio of 1/4; with volumes it can "
                                 "only be more, and %g is not",
                                 (double)def->poisson_ratio);
    if (def->model == XPBD_SOLID_NEO_HOOKEAN && !(def->poisson_ratio >= 1e-3f))
        return xpbd_builder_fail(builder, status, 0, (double)def->poisson_ratio,
                                 "a neo-Hookean solid needs a poisson_ratio of 0.001 or more");
    return xpbd_builder_check(builder, XPBD_ERROR_BUILD_OPTION, "model", def->model, 0,
                              XPBD_SOLID_STVK);
}

/* The Lame parameters of Hooke's law. */
static double shear_modulus(const xpbd_tetrahedra_def *def)
{
    return (double)def->young_modulus / (2.0 * (1.0 + (double)def->poisson_ratio));
}
static double lame_lambda(const xpbd_tetrahedra_def *def)
{
    const double nu = (double)def->poisson_ratio;
    return 2.0 * shear_modulus(def) * nu / (1.0 - 2.0 * nu);
}

static xpbd_builder_batch *elements(xpbd_builder *builder, xpbd_built_range *range,
                                    xpbd_constraint_type type)
{
    const uint32_t n = builder->n_elements;
    xpbd_builder_batch *batch = xpbd_builder_batch_of(builder, range, type, n);
    for (size_t k = 0; batch && k < 4 * (size_t)n; k++)
        batch->particles[k] = builder->elements[k];
    return batch;
}

static xpbd_status add_volumes(xpbd_builder *builder, const xpbd_tetrahedra_def *def)
{
    xpbd_builder_batch *batch = elements(builder, &builder->built->volume, XPBD_TET_VOLUME);
    if (!batch)
        return xpbd_builder_no_memory(builder);
    batch->rest = NULL;
    const double kappa = lame_lambda(def) - shear_modulus(def);
    for (uint32_t e = 0; e < builder->n_elements; e++)
        batch->compliance[e] = (float)(builder->measure[e] / kappa);
    return XPBD_OK;
}

/* Rest data: the edges from the first corner, then what the type wants of the material. */
static xpbd_status add_elements(xpbd_builder *builder, const xpbd_tetrahedra_def *def)
{
    const bool hooke = def->model == XPBD_SOLID_STVK;
    xpbd_builder_batch *batch =
        elements(builder, &builder->built->stretch, hooke ? XPBD_TET_STVK : XPBD_TET_NEO_HOOKEAN);
    if (!batch)
        return xpbd_builder_no_memory(builder);
    const double mu = shear_modulus(def);
    const double modulus = hooke ? (double)def->young_modulus : mu;
    const float last = hooke ? def->poisson_ratio : (float)(lame_lambda(def) / mu);
    for (uint32_t e = 0; e < builder->n_elements; e++) {
        const uint32_t *corner = builder->elements + 4 * (size_t)e;
        float *rest = batch->rest + 10 * (size_t)e;
        for (uint32_t k = 0; k < 9; k++)
            rest[k] = builder->x[corner[1 + k / 3]][k % 3] - builder->x[corner[0]][k % 3];
        rest[9] = last;
        batch->compliance[e] = (float)(1.0 / modulus);
    }
    return XPBD_OK;
}

static xpbd_status build(xpbd_builder *builder, const xpbd_tetrahedra_def *def)
{
    XPBD_TRY(check(builder, def));
    XPBD_TRY(xpbd_builder_read(builder, 4));
    XPBD_TRY(xpbd_builder_judge(builder));
    xpbd_builder_edges edges;
    XPBD_TRY(xpbd_builder_edges_of(builder, &edges));
    if (def->model == XPBD_SOLID_EDGES)
        XPBD_TRY(xpbd_builder_springs(builder, &edges, (double)def->young_modulus));
    else if (def->model == XPBD_SOLID_EDGES_AND_VOLUMES)
        XPBD_TRY(xpbd_builder_springs(builder, &edges, 2.5 * shear_modulus(def)));
    else
        XPBD_TRY(add_elements(builder, def));
    if (def->model == XPBD_SOLID_EDGES_AND_VOLUMES)
        XPBD_TRY(add_volumes(builder, def));
    if (builder->options->tethers)
        XPBD_TRY(xpbd_builder_tether(builder, &edges));
    XPBD_TRY(xpbd_builder_finish(builder, (double)def->density));
    return xpbd_builder_commit(builder);
}

xpbd_status xpbd_build_tetrahedra(xpbd_world *world, const xpbd_build_mesh *mesh,
                                  const xpbd_tetrahedra_def *def, xpbd_built *built)
{
    if (!built)
        return XPBD_ERROR_NULL;
    const xpbd_tetrahedra_def defaults = xpbd_default_tetrahedra_def();
    def = def ? def : &defaults;
    xpbd_builder builder = {.world = world, .mesh = mesh, .built = built};
    xpbd_status status = xpbd_builder_open(&builder, &def->options);
    if (status == XPBD_OK)
        status = build(&builder, def);
    return xpbd_builder_close(&builder, status);
}
