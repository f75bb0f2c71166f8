/* SPDX-License-Identifier: MIT
 *
 * The same body from coarser and finer meshes: it answers alike, and as
 * engineers' formulas say, within the errors that build.h states.
 */
#include "support_build.h"

#include <math.h>

/* Let it swing out: many steps that are short for the stiffest element. */
static void settle(xpbd_world *w, double seconds, double dt)
{
    kit_steps(w, (uint32_t)(seconds / dt), dt);
}

static void print_figure(const char *what, uint32_t n, double ratio)
{
    print_message("    %s, %u elements long: %.4f of the formula\n", what, n, ratio);
}

/* ------------------------------------------------------------------ a strip that is pulled -- */

/* A strip 1 m x about 1/4 m x 1 cm of E = 10 kPa, fixed at one end, pulled to a
 * strain of 1e-3 at the other. Returns its elongation as a fraction of F L / (E
 * h W). */
static double pull_strip(uint32_t n, kit_diagonals diagonals, xpbd_triangles_def def)
{
    const uint32_t rows = n / 4;
    kit_mesh mesh = kit_sheet(n, rows, 1.0f / (float)n, diagonals);
    uint32_t pins[8];
    for (uint32_t j = 0; j <= rows; j++)
        pins[j] = j * (n + 1);
    xpbd_build_mesh input = kit_mesh_input(&mesh);
    input.n_pinned = rows + 1;
    input.pinned = pins;
    def.bend = XPBD_SHEET_NO_BEND;
    def.young_modulus = 1e4f;
    def.thickness = 0.01f;
    def.area_density = 1;
    def.options.damping_ratio = 0.1f;
    def.options.damping_frequency = 2.5f;
    xpbd_world_def world_def = kit_def(NULL);
    world_def.iterations = 40;
    xpbd_world *w = kit_create(&world_def);
    xpbd_built built;
    assert_ok(xpbd_build_triangles(w, &input, &def, &built));
    const double width = (double)mesh.x[mesh.n_vertices - 1][2];
    const float force = (float)(1e-3 * 100 * width / rows);
    for (uint32_t j = 0; j <= rows; j++) {
        const float f[3] = {j == 0 || j == rows ? force / 2 : force, 0, 0};
        assert_ok(xpbd_world_set_forces(w, pins[j] + n, 1, f, 0));
    }
    settle(w, 4.0, 0.16 / n);
    double mean = 0;
    for (uint32_t j = 0; j <= rows; j++) {
        float end[3];
        kit_position(w, pins[j] + n, end);
        mean += (double)end[0] - (double)mesh.x[pins[j] + n][0];
    }
    xpbd_world_destroy(w);
    kit_mesh_free(&mesh);
    return mean / (rows + 1) / 1e-3;
}

static const uint32_t finer[3] = {4, 8, 16};

static void test_a_pulled_strip_of_elements(void **state)
{
    (void)state;
    for (int c = 0; c < 3; c++) {
        xpbd_triangles_def def = xpbd_default_triangles_def();
        def.stretch = XPBD_SHEET_FEM;
        def.poisson_ratio = 0;
        double ratio = pull_strip(finer[c], KIT_PARALLEL, def);
        print_figure("tri_fem, nu 0", finer[c], ratio);
        assert_near(ratio, 1.0, 0.005);
        def.poisson_ratio = 0.3f; /* the fixed end does not get narrower */
        ratio = pull_strip(finer[c], KIT_ALTERNATING, def);
        print_figure("tri_fem, nu 0.3", finer[c], ratio);
        assert_near(ratio, 0.98, 0.02);
    }
}

static void test_a_pulled_strip_of_edges(void **state)
{
    (void)state;
    for (int c = 0; c < 3; c++) {
        const xpbd_triangles_def def = xpbd_default_triangles_def();
        double ratio = pull_strip(finer[c], KIT_EQUILATERAL, def);
        print_figure("edges, equilateral", finer[c], ratio);
        assert_near(ratio, 1.0, 0.05);
        ratio = pull_strip(finer[c], KIT_PARALLEL, def);
        print_figure("edges, parallel diagonals", finer[c], ratio);
        assert_near(ratio, 1 / 1.1, 0.1); /* stiffer by 0 to 20 % */
        ratio = pull_strip(finer[c], KIT_ALTERNATING, def);
        print_figure("edges, alternating diagonals", finer[c], ratio);
        assert_near(ratio, 1 / 1.1, 0.1);
    }
}

/* -------------------------------------------------------------------- a strip that is bent -- */

/* A cantilever 1 m long, loaded at its end to bend by a hundredth of that. The
 * hinges of column 1 stand for half a quad to each side, so it is held in the
 * middle of the first one. Returns the deflection as a fraction of F L^3 / (3 E
 * I). */
static double bend_strip(uint32_t n, kit_diagonals diagonals, xpbd_triangles_def def)
{
    const uint32_t rows = n / 4;
    kit_mesh mesh = kit_sheet(n, rows, 1.0f / ((float)n - 0.5f), diagonals);
    uint32_t pins[16];
    for (uint32_t j = 0; j <= rows; j++) {
        pins[2 * j] = j * (n + 1);
        pins[2 * j + 1] = j * (n + 1) + 1;
    }
    xpbd_build_mesh input = kit_mesh_input(&mesh);
    input.n_pinned = 2 * (rows + 1);
    input.pinned = pins;
    def.young_modulus = 1e4f;
    def.thickness = 0.05f;
    def.bend_factor = 10; /* a soft membrane: fewer iterations do */
    def.area_density = 1;
    def.options.damping_ratio = 0.2f;
    def.options.damping_frequency = 0.5f;
    xpbd_world_def world_def = kit_def(NULL);
    world_def.iterations = 30;
    xpbd_world *w = kit_create(&world_def);
    xpbd_built built;
    assert_ok(xpbd_build_triangles(w, &input, &def, &built));
    const double width = (double)mesh.x[mesh.n_vertices - 1][2];
    const double EI = 10 * 1e4 * 1.25e-4 / 12 * width;
    const float force = (float)(0.01 * 3 * EI / rows);
    for (uint32_t j = 0; j <= rows; j++) {
        const float f[3] = {0, j == 0 || j == rows ? force / 2 : force, 0};
        assert_ok(xpbd_world_set_forces(w, pins[2 * j] + n, 1, f, 0));
    }
    settle(w, 6.0, 0.12 / (n * n));
    double mean = 0;
    for (uint32_t j = 0; j <= rows; j++) {
        float end[3];
        kit_position(w, pins[2 * j] + n, end);
        mean += (double)end[1];
    }
    xpbd_world_destroy(w);
    kit_mesh_free(&mesh);
    return mean / (rows + 1) / 0.01;
}

static const uint32_t bent[3] = {4, 6, 8};

/* A cylinder would be as stiff as the formula: test_build_energy.c. A strip
 * that is free to twist does so along its diagonals and gives way by some 15 %
 * more, at every resolution. */
static void test_a_bent_strip(void **state)
{
    (void)state;
    static const char *const names[] = {"", "dihedral", "isometric"};
    for (int bend = XPBD_SHEET_DIHEDRAL; bend <= XPBD_SHEET_ISOMETRIC; bend++) {
        for (int c = 0; c < 3; c++) {
            xpbd_triangles_def def = xpbd_default_triangles_def();
            def.bend = (xpbd_sheet_bend)bend;
            def.poisson_ratio = 0;
            const double ratio = bend_strip(bent[c], KIT_ALTERNATING, def);
            print_figure(names[bend], bent[c], ratio);
            assert_near(ratio, 1.15, 0.1);
        }
    }
}

static void test_a_bent_rod(void **state)
{
    (void)state;
    for (int c = 0; c < 3; c++) {
        const uint32_t n = bent[c];
        float x[17][3] = {{0}};
        for (uint32_t v = 0; v <= n; v++)
            x[v][0] = (float)v / ((float)n - 0.5f);
        static const uint32_t pins[2] = {0, 1};
        const xpbd_build_mesh mesh = {
            .n_vertices = n + 1, .position = x[0], .n_pinned = 2, .pinned = pins};
        xpbd_polyline_def def = xpbd_default_polyline_def();
        def.young_modulus = 1e4f;
        def.bend_factor = 20;
        def.radius = 0.05f;
        def.line_density = 1;
        def.options.damping_ratio = 0.2f;
        def.options.damping_frequency = 0.5f;
        xpbd_world_def world_def = kit_def(NULL);
        world_def.iterations = 30;
        xpbd_world *w = kit_create(&world_def);
        xpbd_built built;
        assert_ok(xpbd_build_polyline(w, &mesh, &def, &built));
        const double EI = 20 * 1e4 * acos(-1.0) * 6.25e-6 / 4;
        const float force[3] = {0, (float)(0.01 * 3 * EI), 0};
        assert_ok(xpbd_world_set_forces(w, n, 1, force, 0));
        settle(w, 8.0, 0.12 / (n * n));
        float end[3];
        kit_position(w, n, end);
        print_figure("rod", n, (double)end[1] / 0.01);
        assert_near((double)end[1] / 0.01, 1.0, 0.03);
        xpbd_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_pulled_strip_of_elements),
        cmocka_unit_test(test_a_pulled_strip_of_edges),
        cmocka_unit_test(test_a_bent_strip),
        cmocka_unit_test(test_a_bent_rod),
    };
    return RUN_GROUP("build_refinement", tests);
}
