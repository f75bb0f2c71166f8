/* SPDX-License-Identifier: MIT
 *
 * What builders refuse: the status, the words, and that the world stays as it
 * was.
 */
#include "support_build.h"

#include <float.h>
#include <math.h>

typedef enum kind { TRIANGLES, TETRAHEDRA, POLYLINE, KINDS } kind;

static const float points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const uint32_t ids[4] = {0, 1, 2, 3};

typedef struct defs {
    xpbd_triangles_def triangles;
    xpbd_tetrahedra_def tetrahedra;
    xpbd_polyline_def polyline;
} defs;

static defs default_defs(void)
{
    return (defs){xpbd_default_triangles_def(), xpbd_default_tetrahedra_def(),
                  xpbd_default_polyline_def()};
}

static xpbd_build_options *options_of(defs *d, kind k)
{
    return k == TRIANGLES    ? &d->triangles.options
           : k == TETRAHEDRA ? &d->tetrahedra.options
                             : &d->polyline.options;
}

static xpbd_status build(xpbd_world *w, const xpbd_build_mesh *mesh, const defs *d, kind k,
                         xpbd_built *built)
{
    if (k == TRIANGLES)
        return xpbd_build_triangles(w, mesh, &d->triangles, built);
    if (k == TETRAHEDRA)
        return xpbd_build_tetrahedra(w, mesh, &d->tetrahedra, built);
    return xpbd_build_polyline(w, mesh, &d->polyline, built);
}

static xpbd_build_mesh good(void)
{
    return (xpbd_build_mesh){
        .n_vertices = 4, .position = points[0], .n_elements = 1, .elements = ids};
}

static xpbd_error refused(const xpbd_build_mesh *mesh, const defs *d, kind k, xpbd_status want)
{
    const xpbd_world_def world_def = kit_def(NULL);
    xpbd_world *w = kit_create(&world_def);
    kit_add_particles(w, 1, points, NULL);
    xpbd_built built;
    memset(&built, 0xff, sizeof built);
    assert_status(build(w, mesh, d, k, &built), want);
    assert_int_equal(built.error.status, want);
    assert_int_equal(built.n_particles + built.stretch.count + built.bend.count, 0);
    assert_true(built.error.text[0] != 0);
    assert_int_equal(kit_n_particles(w), 1);
    assert_int_equal(kit_n_constraints(w), 0);
    xpbd_world_destroy(w);
    return built.error;
}

static void test_meshes_that_can_not_be_read_are_refused(void **state)
{
    (void)state;
    const defs d = default_defs();
    for (kind k = 0; k < KINDS; k++) {
        xpbd_build_mesh mesh = good();
        static const uint32_t past[8] = {0, 1, 2, 3, 0, 4, 4, 4};
        mesh.elements = past;
        mesh.n_elements = k == POLYLINE ? 3 : 2;
        if (k == TRIANGLES)
            mesh.elements = past + 2; /* 2 3 0, 4 4 4 */
        xpbd_error error = refused(&mesh, &d, k, XPBD_ERROR_VERTEX_INDEX);
        assert_int_equal(error.element, k == POLYLINE ? 2 : 1);
        assert_near(error.value, 4, 0);
        kit_check_contains(error.text, "vertex 4, but there are 4");

        mesh = good();
        float bad[4][3];
        memcpy(bad, points, sizeof bad);
        bad[2][1] = NAN;
        mesh.position = bad[0];
        error = refused(&mesh, &d, k, XPBD_ERROR_POSITION);
        assert_int_equal(error.element, 2);
        mesh = good();
        mesh.position = NULL;
        refused(&mesh, &d, k, XPBD_ERROR_NULL);
        mesh = good();
        if (k != POLYLINE) {
            mesh.elements = NULL;
            refused(&mesh, &d, k, XPBD_ERROR_NULL);
        }
        mesh = good();
        mesh.position_stride = 8;
        refused(&mesh, &d, k, XPBD_ERROR_STRIDE);
        mesh = good();
        mesh.elements_stride = 4;
        refused(&mesh, &d, k, XPBD_ERROR_STRIDE);
        mesh = good();
        mesh.n_elements = UINT32_MAX / 2;
        refused(&mesh, &d, k, XPBD_ERROR_COUNT);
        mesh = good();
        static const uint32_t pins[2] = {1, 4};
        mesh.n_pinned = 2;
        refused(&mesh, &d, k, XPBD_ERROR_NULL);
        mesh.pinned = pins;
        error = refused(&mesh, &d, k, XPBD_ERROR_VERTEX_INDEX);
        assert_int_equal(error.element, 1);
        refused(NULL, &d, k, XPBD_ERROR_NULL);
    }
}

static void test_null_and_foreign_structs_are_refused(void **state)
{
    (void)state;
    const xpbd_build_mesh mesh = good();
    for (kind k = 0; k < KINDS; k++) {
        defs d = default_defs();
        xpbd_built built;
        assert_status(build(NULL, &mesh, &d, k, &built), XPBD_ERROR_NULL);
        assert_int_equal(built.error.status, XPBD_ERROR_NULL);
        const xpbd_world_def world_def = kit_def(NULL);
        xpbd_world *w = kit_create(&world_def);
        assert_status(build(w, &mesh, &d, k, NULL), XPBD_ERROR_NULL);
        assert_int_equal(kit_n_particles(w), 0);
        xpbd_world_destroy(w);
        memset(&d, 0, sizeof d);
        refused(&mesh, &d, k, XPBD_ERROR_COOKIE);
    }
}

static void test_options_out_of_range_are_named(void **state)
{
    (void)state;
    const xpbd_build_mesh mesh = good();
    const xpbd_status status = XPBD_ERROR_BUILD_OPTION;
    for (kind k = 0; k < KINDS; k++) {
        defs d = default_defs();
        options_of(&d, k)->weld_distance = -1;
        kit_check_contains(refused(&mesh, &d, k, status).text, "weld_distance is -1");
        d = default_defs();
        options_of(&d, k)->weld_distance = NAN;
        refused(&mesh, &d, k, status);
        d = default_defs();
        options_of(&d, k)->tether_factor = 0.5f;
        kit_check_contains(refused(&mesh, &d, k, status).text, "tether_factor is 0.5");
        d = default_defs();
        options_of(&d, k)->damping_ratio = -0.1f;
        kit_check_contains(refused(&mesh, &d, k, status).text, "damping_ratio");
        d = default_defs();
        options_of(&d, k)->damping_frequency = 0;
        kit_check_contains(refused(&mesh, &d, k, status).text, "damping_frequency is 0");
        d = default_defs();
        options_of(&d, k)->policy[3] = XPBD_FAULT_POLICY_COUNT;
        kit_check_contains(refused(&mesh, &d, k, status).text, "policy is 2");
    }
    defs d = default_defs();
    d.triangles.stretch = (xpbd_sheet_stretch)3;
    refused(&mesh, &d, TRIANGLES, status);
    d = default_defs();
    d.triangles.bend = (xpbd_sheet_bend)4;
    refused(&mesh, &d, TRIANGLES, status);
    d = default_defs();
    d.tetrahedra.model = (xpbd_solid_model)4;
    refused(&mesh, &d, TETRAHEDRA, status);
}

static void refuse_material(defs *d, kind k, float *value, float bad, const char *name)
{
    const xpbd_build_mesh mesh = good();
    *value = bad;
    kit_check_contains(refused(&mesh, d, k, XPBD_ERROR_MATERIAL).text, name);
    *d = default_defs();
}

static void test_materials_out_of_range_are_named(void **state)
{
    (void)state;
    static const float bad[] = {0, -1, NAN, INFINITY};
    defs d = default_defs();
    xpbd_triangles_def *sheet = &d.triangles;
    xpbd_tetrahedra_def *solid = &d.tetrahedra;
    xpbd_polyline_def *rod = &d.polyline;
    for (uint32_t i = 0; i < COUNT_OF(bad); i++) {
        refuse_material(&d, TRIANGLES, &sheet->young_modulus, bad[i], "young_modulus");
        refuse_material(&d, TRIANGLES, &sheet->thickness, bad[i], "thickness");
        refuse_material(&d, TRIANGLES, &sheet->area_density, bad[i], "area_density");
        refuse_material(&d, TRIANGLES, &sheet->bend_factor, bad[i], "bend_factor");
        refuse_material(&d, TRIANGLES, &sheet->weft_ratio, bad[i], "weft_ratio");
        refuse_material(&d, TRIANGLES, &sheet->shear_ratio, bad[i], "shear_ratio");
        refuse_material(&d, TETRAHEDRA, &solid->young_modulus, bad[i], "young_modulus");
        refuse_material(&d, TETRAHEDRA, &solid->density, bad[i], "density");
        refuse_material(&d, POLYLINE, &rod->young_modulus, bad[i], "young_modulus");
        refuse_material(&d, POLYLINE, &rod->radius, bad[i], "radius");
        refuse_material(&d, POLYLINE, &rod->line_density, bad[i], "line_density");
        refuse_material(&d, POLYLINE, &rod->bend_factor, bad[i], "bend_factor");
    }
    refuse_material(&d, TRIANGLES, &sheet->poisson_ratio, 0.5f, "poisson_ratio is 0.5");
    refuse_material(&d, TETRAHEDRA, &solid->poisson_ratio, 0.5f, "poisson_ratio is 0.5");
    refuse_material(&d, TRIANGLES, &sheet->warp[0], 0, "warp");
    refuse_material(&d, TRIANGLES, &sheet->warp[1], NAN, "warp");
    refuse_material(&d, TRIANGLES, &sheet->weft_ratio, 2, "XPBD_SHEET_FEM"); /* of edges */
    sheet->stretch = XPBD_SHEET_FEM;
    sheet->poisson_ratio = 0.4f;
    refuse_material(&d, TRIANGLES, &sheet->weft_ratio, 7, "weft_ratio is 7");
    refuse_material(&d, TETRAHEDRA, &solid->poisson_ratio, 0, "neo-Hookean");
    solid->model = XPBD_SOLID_EDGES_AND_VOLUMES;
    refuse_material(&d, TETRAHEDRA, &solid->poisson_ratio, 0.25f, "Poisson");
    /* Numbers that are fine each, but not as masses or compliances. */
    refuse_material(&d, TRIANGLES, &sheet->area_density, 1.2e-38f, "mass of vertex 0");
    rod->radius = 1e-18f;
    refuse_material(&d, POLYLINE, &rod->young_modulus, 1e-10f, "exceed the range");
}

/* What only the world can refuse, it refuses before anything of the build is in it. */
static void test_a_pose_beyond_float_leaves_the_world_alone(void **state)
{
    static const uint32_t chain[4] = {0, 1, 1, 2};
    (void)state;
    for (uint32_t k = 0; k < KINDS; k++) {
        float far[4][3];
        defs d = default_defs();
        xpbd_build_mesh mesh = good();
        for (uint32_t i = 0; i < 12; i++)
            far[i / 3][i % 3] = points[i / 3][i % 3] * 1e20f;
        mesh.position = far[0];
        if (k == POLYLINE)
            mesh.n_elements = 2, mesh.elements = chain;
        d.triangles.area_density = 1e-30f;
        d.tetrahedra.model = XPBD_SOLID_EDGES;
        d.tetrahedra.density = 1e-30f;
        const xpbd_error error = refused(&mesh, &d, (kind)k, XPBD_ERROR_REST);
        kit_check_contains(error.text, "rest value");
    }
    defs d = default_defs();
    d.triangles.options.damping_ratio = FLT_MAX;
    d.triangles.options.damping_frequency = FLT_MIN;
    const xpbd_build_mesh mesh = good();
    refused(&mesh, &d, TRIANGLES, XPBD_ERROR_DAMPING);
}

static void test_each_kind_of_fault_can_be_refused(void **state)
{
    (void)state;
    static const uint32_t tets[5][4] = {
        {0, 1, 2, 3}, {0, 1, 3, 2}, {4, 1, 1, 2}, {0, 1, 2, 5}, {0, 1, 2, 4}};
    float x[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                     {1, 1, 1}, {1, 1, 0}, {7, 7, 7}, {8, 8, 8}};
    const xpbd_build_mesh mesh = {
        .n_vertices = 8, .position = x[0], .n_elements = 5, .elements = tets[0]};
    static const struct {
        xpbd_fault fault;
        uint32_t count, first;
    } want[] = {{XPBD_FAULT_REPEATED, 1, 2},
                {XPBD_FAULT_ZERO, 1, 3},
                {XPBD_FAULT_INVERTED, 1, 1},
                {XPBD_FAULT_DUPLICATE, 1, 1},
                {XPBD_FAULT_UNUSED, 3, 5}};
    for (uint32_t i = 0; i < COUNT_OF(want); i++) {
        defs d = default_defs();
        d.tetrahedra.options.policy[want[i].fault] = XPBD_FAULT_REFUSE;
        const xpbd_error error = refused(&mesh, &d, TETRAHEDRA, XPBD_ERROR_MESH_FAULT);
        assert_int_equal(error.element, want[i].first);
        kit_check_contains(error.text, xpbd_fault_text(want[i].fault));
        assert_non_null(xpbd_fault_repair(want[i].fault));
    }
    assert_null(xpbd_fault_text(XPBD_FAULT_COUNT));
    assert_null(xpbd_fault_repair(XPBD_FAULT_COUNT));
    const xpbd_world_def world_def = kit_def(NULL);
    xpbd_world *w = kit_create(&world_def);
    xpbd_built built;
    assert_ok(xpbd_build_tetrahedra(w, &mesh, NULL, &built));
    for (uint32_t i = 0; i < COUNT_OF(want); i++) {
        assert_int_equal(built.report.count[want[i].fault], want[i].count);
        assert_int_equal(built.report.first[want[i].fault], want[i].first);
    }
    assert_int_equal(built.stretch.count, 2);
    xpbd_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meshes_that_can_not_be_read_are_refused),
        cmocka_unit_test(test_null_and_foreign_structs_are_refused),
        cmocka_unit_test(test_options_out_of_range_are_named),
        cmocka_unit_test(test_materials_out_of_range_are_named),
        cmocka_unit_test(test_a_pose_beyond_float_leaves_the_world_alone),
        cmocka_unit_test(test_each_kind_of_fault_can_be_refused),
    };
    return RUN_GROUP("build_refusals", tests);
}
