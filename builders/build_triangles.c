/* SPDX-License-Identifier: MIT
 *
 * Sheets: stretch along edges or in triangles, bends across inner edges. The formulas and their
 * limits are with the choices in xpbd/build.h.
 */
#include "builders/builder.h"

#include <float.h>
#include <math.h>

xpbd_triangles_def xpbd_default_triangles_def(void)
{
    return (xpbd_triangles_def){.options = xpbd_builder_options(),
                                .stretch = XPBD_SHEET_EDGES,
                                .bend = XPBD_SHEET_DIHEDRAL,
                                .young_modulus = 1e6f,
                                .poisson_ratio = 0.3f,
                                .thickness = 1e-3f,
                                .area_density = 0.3f,
                                .bend_factor = 1.0f,
                                .weft_ratio = 1.0f,
                                .shear_ratio = 1.0f,
                                .warp = {1.0f, 0.0f, 0.0f}};
}

static xpbd_status check(xpbd_builder *builder, const xpbd_triangles_def *def)
{
    const double warp = (double)def->warp[0] * (double)def->warp[0] +
                        (double)def->warp[1] * (double)def->warp[1] +
                        (double)def->warp[2] * (double)def->warp[2];
    const struct {
        const char *name;
        double value, low, high;
    } values[] = {{"young_modulus", (double)def->young_modulus, FLT_MIN, FLT_MAX},
                  {"poisson_ratio", (double)def->poisson_ratio, 0.0, (double)0.49f},
                  {"thickness", (double)def->thickness, FLT_MIN, FLT_MAX},
                  {"area_density", (double)def->area_density, FLT_MIN, FLT_MAX},
                  {"bend_factor", (double)def->bend_factor, FLT_MIN, FLT_MAX},
                  {"weft_ratio", (double)def->weft_ratio, FLT_MIN, FLT_MAX},
                  {"shear_ratio", (double)def->shear_ratio, FLT_MIN, FLT_MAX},
                  {"the square of warp", warp, DBL_MIN, FLT_MAX}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        XPBD_TRY(xpbd_builder_check(builder, XPBD_ERROR_MATERIAL, values[i].name, values[i].value,
                                    values[i].low, values[i].high));
    XPBD_TRY(xpbd_builder_check(builder, XPBD_ERROR_BUILD_OPTION, "stretch", def->stretch, 0,
                                XPBD_SHEET_FEM));
    XPBD_TRY(xpbd_builder_check(builder, XPBD_ERROR_BUILD_OPTION, "bend", def->bend, 0,
                                XPBD_SHEET_BEND_DISTANCE));
    const bool woven = def->weft_ratio < 1.0f || def->weft_ratio > 1.0f ||
                       def->shear_ratio < 1.0f || def->shear_ratio > 1.0f;
    if (woven && def->stretch != XPBD_SHEET_FEM)
        return xpbd_builder_fail(builder, XPBD_ERROR_MATERIAL, 0, (double)def->weft_ratio,
                                 "weft_ratio and shear_ratio need XPBD_SHEET_FEM");
    const double product = (double)def->poisson_ratio * (double)def->poisson_ratio;
    if (!(product * (double)def->weft_ratio < 0.99))
        return xpbd_builder_fail(builder, XPBD_ERROR_MATERIAL, 0, (double)def->weft_ratio,
                                 "weft_ratio is %g: poisson_ratio^2 weft_ratio is to be below 1",
                                 (double)def->weft_ratio);
    return XPBD_OK;
}

/* Bending stiffness of a plate, N m. */
static double plate_stiffness(const xpbd_triangles_def *def)
{
    const double h = (double)def->thickness, nu = (double)def->poisson_ratio;
    return (double)def->bend_factor * (double)def->young_modulus * h * h * h /
           (12.0 * (1.0 - nu * nu));
}

/* The part of `a` that is across `b`. */
static void make_normal_to(double a[3], const double b[3])
{
    const double along = xpbd_builder_dot(a, b) / xpbd_builder_dot(b, b);
    for (int k = 0; k < 3; k++)
        a[k] -= along * b[k];
}

/* An orthonormal frame u, v in the plane of e1 and e2, u along the warp. Where that stands on the
 * plane, u is along e1. */
static void lay_warp(const float warp[3], const double e1[3], const double e2[3], double u[3],
                     double v[3])
{
    static const float origin[3] = {0.0f, 0.0f, 0.0f};
    double n[3] = {e1[1] * e2[2] - e1[2] * e2[1], e1[2] * e2[0] - e1[0] * e2[2],
                   e1[0] * e2[1] - e1[1] * e2[0]};
    const double length = sqrt(xpbd_builder_dot(n, n));
    xpbd_builder_difference(warp, origin, u);
    const double before = xpbd_builder_dot(u, u);
    make_normal_to(u, n);
    double size = sqrt(xpbd_builder_dot(u, u));
    if (!(size > 1e-6 * sqrt(before))) {
        for (int k = 0; k < 3; k++)
            u[k] = e1[k];
        size = sqrt(xpbd_builder_dot(u, u));
    }
    for (int k = 0; k < 3; k++) {
        u[k] /= size;
        n[k] /= length;
    }
    v[0] = n[1] * u[2] - n[2] * u[1];
    v[1] = n[2] * u[0] - n[0] * u[2];
    v[2] = n[0] * u[1] - n[1] * u[0];
}

static xpbd_status stretch_elements(xpbd_builder *builder, const xpbd_triangles_def *def)
{
    const uint32_t n = builder->n_elements;
    xpbd_builder_batch *batch =
        xpbd_builder_batch_of(builder, &builder->built->stretch, XPBD_TRI_FEM, n);
    if (!batch)
        return xpbd_builder_no_memory(builder);
    const double stiffness = (double)def->young_modulus * (double)def->thickness;
    const double shear = (double)def->shear_ratio / (2.0 * (1.0 + (double)def->poisson_ratio));
    for (uint32_t e = 0; e < n; e++) {
        const uint32_t *corner = builder->elements + 3 * (size_t)e;
        double e1[3], e2[3], u[3], v[3];
        xpbd_builder_difference(builder->x[corner[1]], builder->x[corner[0]], e1);
        xpbd_builder_difference(builder->x[corner[2]], builder->x[corner[0]], e2);
        lay_warp(def->warp, e1, e2, u, v);
        const float rest[7] = {(float)xpbd_builder_dot(e1, u),
                               (float)xpbd_builder_dot(e1, v),
                               (float)xpbd_builder_dot(e2, u),
                               (float)xpbd_builder_dot(e2, v),
                               def->weft_ratio,
                               def->poisson_ratio,
                               (float)shear};
        for (uint32_t k = 0; k < 3; k++)
            batch->particles[3 * (size_t)e + k] = corner[k];
        for (uint32_t k = 0; k < 7; k++)
            batch->rest[7 * (size_t)e + k] = rest[k];
        batch->compliance[e] = (float)(1.0 / stiffness);
    }
    return XPBD_OK;
}

/* Compliance of the distance between the corners off an edge, unfolded: energy k / 2 at a fold of
 * 1 rad. With heights h, g and feet s apart, d^2 = h^2 + g^2 + 2 h g cos(fold) + s^2. */
static double fold_distance(const xpbd_builder *builder, const uint32_t *hinge, double stiffness)
{
    static const double cos_1 = 0.54030230586813972;
    double edge[3], from[2][3], foot[2], height[2];
    xpbd_builder_difference(builder->x[hinge[3]], builder->x[hinge[2]], edge);
    const double length = sqrt(xpbd_builder_dot(edge, edge));
    for (int w = 0; w < 2; w++) {
        xpbd_builder_difference(builder->x[hinge[w]], builder->x[hinge[2]], from[w]);
        foot[w] = xpbd_builder_dot(from[w], edge) / length;
        make_normal_to(from[w], edge);
        height[w] = sqrt(xpbd_builder_dot(from[w], from[w]));
    }
    const double s = foot[0] - foot[1];
    const double flat = height[0] * height[0] + height[1] * height[1] + s * s;
    const double both = 2.0 * height[0] * height[1];
    const double change = sqrt(flat + both) - sqrt(flat + both * cos_1);
    return change * change / stiffness;
}

static xpbd_status bend(xpbd_builder *builder, const xpbd_triangles_def *def,
                        const xpbd_builder_edges *edges)
{
    static const xpbd_constraint_type types[] = {[XPBD_SHEET_DIHEDRAL] = XPBD_BEND_DIHEDRAL,
                                                 [XPBD_SHEET_ISOMETRIC] = XPBD_BEND_ISOMETRIC,
                                                 [XPBD_SHEET_BEND_DISTANCE] = XPBD_DISTANCE};
    const double plate = plate_stiffness(def);
    xpbd_builder_batch *batch =
        xpbd_builder_batch_of(builder, &builder->built->bend, types[def->bend], edges->n_hinges);
    if (!batch)
        return xpbd_builder_no_memory(builder);
    batch->rest = NULL;
    for (uint32_t i = 0; i < edges->n_hinges; i++) {
        const uint32_t *hinge = edges->hinges[i];
        const double length = xpbd_builder_distance(builder->x[hinge[2]], builder->x[hinge[3]]);
        const double stiffness = plate * length * length / edges->hinge_area[i];
        double compliance = 1.0 / stiffness;
        if (def->bend == XPBD_SHEET_ISOMETRIC)
            compliance = 3.0 / plate;
        if (def->bend == XPBD_SHEET_BEND_DISTANCE)
            compliance = fold_distance(builder, hinge, stiffness);
        batch->compliance[i] = (float)compliance;
        for (uint32_t k = 0; k < batch->width; k++)
            batch->particles[(size_t)i * batch->width + k] = hinge[k];
    }
    return XPBD_OK;
}

static xpbd_status build(xpbd_builder *builder, const xpbd_triangles_def *def)
{
    XPBD_TRY(check(builder, def));
    XPBD_TRY(xpbd_builder_read(builder, 3));
    xpbd_builder_edges edges;
    XPBD_TRY(xpbd_builder_edges_of(builder, &edges));
    XPBD_TRY(xpbd_builder_judge(builder));
    if (def->stretch == XPBD_SHEET_EDGES)
        XPBD_TRY(xpbd_builder_springs(builder, &edges,
                                      (double)def->young_modulus * (double)def->thickness));
    if (def->stretch == XPBD_SHEET_FEM)
        XPBD_TRY(stretch_elements(builder, def));
    if (def->bend != XPBD_SHEET_NO_BEND)
        XPBD_TRY(bend(builder, def, &edges));
    if (builder->options->tethers)
        XPBD_TRY(xpbd_builder_tether(builder, &edges));
    XPBD_TRY(xpbd_builder_finish(builder, (double)def->area_density));
    return xpbd_builder_commit(builder);
}

xpbd_status xpbd_build_triangles(xpbd_world *world, const xpbd_build_mesh *mesh,
                                 const xpbd_triangles_def *def, xpbd_built *built)
{
    if (!built)
        return XPBD_ERROR_NULL;
    const xpbd_triangles_def defaults = xpbd_default_triangles_def();
    def = def ? def : &defaults;
    xpbd_builder builder = {.world = world, .mesh = mesh, .built = built};
    xpbd_status status = xpbd_builder_open(&builder, &def->options);
    if (status == XPBD_OK)
        status = build(&builder, def);
    return xpbd_builder_close(&builder, status);
}
