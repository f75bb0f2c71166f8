/* SPDX-License-Identifier: MIT
 *
 * Engineering values to compliances: the formulas of build.h by hand on single
 * elements, and the damping ratio by its effect. That they add up to a material
 * is in test_build_refinement*.c.
 */
#include "support_build.h"

#include <fenv.h>
#include <math.h>

static const float quad[4][3] = {{0, 0, 0}, {2, 0, 0}, {0, 0, 2}, {2, 0, 2}};
static const uint32_t halves[2][3] = {{0, 1, 2}, {1, 3, 2}}; /* hinge 1-2, area 2 each */

static void check_compliance(const xpbd_world *w, const xpbd_built_range *range, uint32_t i,
                             double want)
{
    assert_true(i < range->count);
    const double got = (double)kit_constraint_compliance(w, range->type, range->first + i);
    assert_near(got / want, 1.0, 1e-6);
}

static xpbd_world *make_sheet(xpbd_triangles_def *def, xpbd_built *built)
{
    const xpbd_build_mesh mesh = {
        .n_vertices = 4, .position = quad[0], .n_elements = 2, .elements = halves[0]};
    const xpbd_world_def world_def = kit_def(NULL);
    xpbd_world *w = kit_create(&world_def);
    def->young_modulus = 2e6f;
    def->thickness = 0.01f;
    def->poisson_ratio = 0.25f;
    def->bend_factor = 0.5f;
    assert_ok(xpbd_build_triangles(w, &mesh, def, built));
    return w;
}

static void test_compliances_of_a_sheet(void **state)
{
    (void)state;
    xpbd_triangles_def def = xpbd_default_triangles_def();
    xpbd_built built;
    xpbd_world *w = make_sheet(&def, &built);
    const double Eh = 2e4, D = 0.5 * 2e6 * 1e-6 / (12 * (1 - 0.0625));
    /* Edges 01, 02, 12, 13, 23: L^2 / (E h A). */
    check_compliance(w, &built.stretch, 0, 4 / (Eh * 2));
    check_compliance(w, &built.stretch, 2, 8 / (Eh * 4));
    check_compliance(w, &built.stretch, 4, 4 / (Eh * 2));
    check_compliance(w, &built.bend, 0, 4 / (D * 8));
    xpbd_world_destroy(w);
    def.stretch = XPBD_SHEET_FEM;
    def.bend = XPBD_SHEET_ISOMETRIC;
    w = make_sheet(&def, &built);
    check_compliance(w, &built.stretch, 0, 1 / Eh);
    check_compliance(w, &built.bend, 0, 3 / D);
    xpbd_world_destroy(w);
    def.stretch = XPBD_SHEET_NO_STRETCH;
    def.bend = XPBD_SHEET_BEND_DISTANCE;
    w = make_sheet(&def, &built);
    assert_int_equal(built.stretch.count, 0);
    /* Heights sqrt(2) above the middle of the hinge: the wings are 2 sqrt(2)
     * cos(1/2) apart at a fold of 1 rad. */
    const double change = 2 * sqrt(2.0) * (1 - cos(0.5)), k = D * 8 / 4;
    check_compliance(w, &built.bend, 0, change * change / k);
    xpbd_world_destroy(w);
    def.bend = XPBD_SHEET_NO_BEND;
    w = make_sheet(&def, &built);
    assert_int_equal(kit_n_constraints(w), 0);
    xpbd_world_destroy(w);
}

static void test_the_warp_is_laid_into_each_triangle(void **state)
{
    (void)state;
    static const float warps[3][3] = {{1, 0, 0}, {0, 5, 3}, {0, 1, 0}};
    /* e1 = (2, 0, 0) and e2 = (0, 0, 2) of triangle 0: along the warp, across it.
     * Of the last warp nothing is in the plane, and the first edge stands in. */
    static const double want[3][2] = {{2, 0}, {0, 2}, {2, 0}};
    for (uint32_t c = 0; c < 3; c++) {
        xpbd_triangles_def def = xpbd_default_triangles_def();
        def.stretch = XPBD_SHEET_FEM;
        memcpy(def.warp, warps[c], sizeof def.warp);
        def.weft_ratio = 0.5f;
        def.shear_ratio = 0.25f;
        xpbd_built built;
        xpbd_world *w = make_sheet(&def, &built);
        assert_near(kit_constraint_rest(w, XPBD_TRI_FEM, 0, 0), want[c][0], 1e-6);
        assert_near(kit_constraint_rest(w, XPBD_TRI_FEM, 0, 2), want[c][1], 1e-6);
        const double e1_v = (double)kit_constraint_rest(w, XPBD_TRI_FEM, 0, 1);
        const double e2_v = (double)kit_constraint_rest(w, XPBD_TRI_FEM, 0, 3);
        assert_near(fabs(e1_v), want[c][1], 1e-6);
        assert_near(fabs(e2_v), want[c][0], 1e-6);
        assert_near(kit_constraint_rest(w, XPBD_TRI_FEM, 0, 4), 0.5, 0);
        assert_near(kit_constraint_rest(w, XPBD_TRI_FEM, 0, 5), 0.25, 0); /* nu */
        assert_near(kit_constraint_rest(w, XPBD_TRI_FEM, 0, 6), 0.25 / 2.5, 1e-7);
        xpbd_world_destroy(w);
    }
}

static void test_compliances_of_a_solid(void **state)
{
    (void)state;
    static const float x[4][3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
    static const uint32_t tet[4] = {0, 1, 2, 3};
    const xpbd_build_mesh mesh = {
        .n_vertices = 4, .position = x[0], .n_elements = 1, .elements = tet};
    const xpbd_world_def world_def = kit_def(NULL);
    const double E = 3e5, nu = (double)0.4f, V = 8.0 / 6, mu = E / (2 * (1 + nu));
    const double lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    for (int m = 0; m < 4; m++) {
        xpbd_tetrahedra_def def = xpbd_default_tetrahedra_def();
        def.model = (xpbd_solid_model)m;
        def.young_modulus = 3e5f;
        def.poisson_ratio = 0.4f;
        xpbd_world *w = kit_create(&world_def);
        xpbd_built built;
        assert_ok(xpbd_build_tetrahedra(w, &mesh, &def, &built));
        if (m == XPBD_SOLID_EDGES) {
            check_compliance(w, &built.stretch, 0, 4 / (E * V));
            check_compliance(w, &built.stretch, 5, 8 / (E * V));
        } else if (m == XPBD_SOLID_EDGES_AND_VOLUMES) {
            check_compliance(w, &built.stretch, 0, 4 / (2.5 * mu * V));
            check_compliance(w, &built.volume, 0, V / (lambda - mu));
        } else if (m == XPBD_SOLID_NEO_HOOKEAN) {
            check_compliance(w, &built.stretch, 0, 1 / mu);
            assert_near(kit_constraint_rest(w, built.stretch.type, 0, 9), lambda / mu, 1e-5);
        } else {
            check_compliance(w, &built.stretch, 0, 1 / E);
            assert_near(kit_constraint_rest(w, built.stretch.type, 0, 9), nu, 0);
        }
        xpbd_world_destroy(w);
    }
}

static void test_compliances_of_a_rod(void **state)
{
    (void)state;
    static const float x[3][3] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}};
    const xpbd_build_mesh mesh = {.n_vertices = 3, .position = x[0]};
    const xpbd_world_def world_def = kit_def(NULL);
    xpbd_polyline_def def = xpbd_default_polyline_def();
    def.young_modulus = 4e6f;
    def.radius = 0.125f;
    def.line_density = 3;
    def.bend_factor = 0.5f;
    xpbd_world *w = kit_create(&world_def);
    xpbd_built built;
    assert_ok(xpbd_build_polyline(w, &mesh, &def, &built));
    const double A = acos(-1.0) / 64, I = acos(-1.0) / 4 / 4096;
    check_compliance(w, &built.stretch, 0, 2 / (4e6 * A));
    check_compliance(w, &built.stretch, 1, 1 / (4e6 * A));
    check_compliance(w, &built.bend, 0, 3 / (2 * 4e6 * I * 0.5));
    static const double mass[3] = {3, 4.5, 1.5};
    for (uint32_t p = 0; p < 3; p++)
        assert_near(1 / (double)kit_inverse_mass(w, p), mass[p], 1e-6);
    def.bend = false;
    assert_ok(xpbd_build_polyline(w, &mesh, &def, &built));
    assert_int_equal(built.bend.count, 0);
    xpbd_world_destroy(w);
}

/* One segment of 1000 N/m with 1 kg at its end swings with 5.03 Hz: at that
 * frequency it has the damping ratio asked for, at half of it twice as much. */
static void test_the_damping_ratio_is_that_of_the_frequency(void **state)
{
    (void)state;
    static const float rest[2][3] = {{0, 0, 0}, {1, 0, 0}};
    static const uint32_t pin = 0;
    const double omega = sqrt(1000.0), f = omega / (2 * acos(-1.0)), dt = 1e-3;
    for (int half = 0; half < 2; half++) {
        const xpbd_build_mesh mesh = {
            .n_vertices = 2, .position = rest[0], .n_pinned = 1, .pinned = &pin};
        const xpbd_world_def world_def = kit_def(NULL);
        xpbd_world *w = kit_create(&world_def);
        xpbd_polyline_def def = xpbd_default_polyline_def();
        def.young_modulus = (float)(1000 / (acos(-1.0) * 1e-4));
        def.radius = 0.01f;
        def.line_density = 2;
        def.options.damping_ratio = 0.1f;
        def.options.damping_frequency = (float)(half ? f / 2 : f);
        xpbd_built built;
        assert_ok(xpbd_build_polyline(w, &mesh, &def, &built));
        static const float stretched[3] = {1.25f, 0, 0};
        assert_ok(xpbd_world_set_positions(w, 1, 1, stretched, 0));
        /* x'' = -omega^2 x - 2 zeta omega x' by implicit Euler. */
        double x = 0.25, v = 0;
        const double c = 2 * (half ? 0.2 : 0.1) * omega;
        for (int i = 0; i < 200; i++) {
            v = (v - dt * 1000 * x) / (1 + dt * c + dt * dt * 1000);
            x += dt * v;
            kit_steps(w, 1, dt);
            float p[3];
            kit_position(w, 1, p);
            assert_near((double)p[0] - 1, x, 1e-4);
        }
        assert_below(x, half ? 0.08 : 0.14); /* it did lose most of its 1/4 m in one period */
        xpbd_world_destroy(w);
    }
}

/* The caller's rounding mode is his own: it changes no number, and it is still his after the call.
 */
static void test_the_rounding_mode_of_the_caller_has_no_influence(void **state)
{
    (void)state;
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const xpbd_world_def world_def = kit_def(NULL);
    kit_mesh mesh = kit_sheet(5, 4, 0.3f, KIT_EQUILATERAL);
    const xpbd_build_mesh input = kit_mesh_input(&mesh);
    float want[256];
    for (uint32_t m = 0; m < COUNT_OF(modes); m++) {
        xpbd_world *w = kit_create(&world_def);
        xpbd_built built;
        fesetround(modes[m]);
        const xpbd_status status = xpbd_build_triangles(w, &input, NULL, &built);
        const int after = fegetround();
        fesetround(FE_TONEAREST);
        assert_ok(status);
        assert_int_equal(after, modes[m]);
        float got[256];
        uint32_t n = 0;
        for (uint32_t p = 0; p < built.n_particles; p++)
            got[n++] = kit_inverse_mass(w, p);
        for (uint32_t k = 0; k < built.stretch.count; k++)
            got[n++] = kit_constraint_compliance(w, XPBD_DISTANCE, k);
        for (uint32_t k = 0; k < built.bend.count; k++)
            got[n++] = kit_constraint_compliance(w, XPBD_BEND_DIHEDRAL, k);
        assert_true(n <= COUNT_OF(got) && n > 100);
        if (m == 0)
            memcpy(want, got, sizeof got);
        assert_same_floats(got, want, n);
        xpbd_world_destroy(w);
    }
    kit_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compliances_of_a_sheet),
        cmocka_unit_test(test_the_warp_is_laid_into_each_triangle),
        cmocka_unit_test(test_compliances_of_a_solid),
        cmocka_unit_test(test_compliances_of_a_rod),
        cmocka_unit_test(test_the_damping_ratio_is_that_of_the_frequency),
        cmocka_unit_test(test_the_rounding_mode_of_the_caller_has_no_influence),
    };
    return RUN_GROUP("build_materials", tests);
}
