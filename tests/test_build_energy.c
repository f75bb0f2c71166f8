/* SPDX-License-Identifier: MIT
 *
 * Whether compliances add up to a material: meshes of several resolutions are
 * put into poses of known strain and curvature, and the energy that the
 * constraints have then is that of the continuum, within the errors that
 * build.h states.
 */
#include "support_build.h"

#include <math.h>

static double energy_of(xpbd_world *w, uint32_t n, float (*x)[3])
{
    assert_ok(xpbd_world_set_positions(w, 0, n, x[0], 0));
    xpbd_diagnostics now;
    assert_ok(xpbd_world_diagnose(w, &now));
    return now.constraint_energy;
}

/* Of small strains: half the work that the forces would do on the way back. In a step as short as
 * this one the particles stay where they are put. */
static double work_of(xpbd_world *w, const xpbd_built_range *range, uint32_t n, float (*x)[3],
                      const float (*rest)[3])
{
    assert_ok(xpbd_world_set_positions(w, 0, n, x[0], 0));
    assert_ok(xpbd_world_set_solver(w, 1, 1));
    kit_steps(w, 1, 1e-6);
    double work = 0;
    for (uint32_t k = 0; k < range->count; k++) {
        float f[4][3];
        const uint32_t *p = kit_constraint_particles(w, range->type, range->first + k);
        assert_ok(xpbd_world_read_forces(w, range->type, range->first + k, 1, f[0], 0));
        for (uint32_t i = 0; i < xpbd_constraint_type_info(range->type)->n_particles; i++) {
            for (int c = 0; c < 3; c++)
                work -= (double)f[i][c] * ((double)x[p[i]][c] - (double)rest[p[i]][c]) / 2;
        }
    }
    return work;
}

static double area_of(const kit_mesh *mesh)
{
    double area = 0;
    for (uint32_t e = 0; e < mesh->n_elements; e++) {
        const float *a = mesh->x[mesh->elements[3 * e]];
        const float *b = mesh->x[mesh->elements[3 * e + 1]];
        const float *c = mesh->x[mesh->elements[3 * e + 2]];
        area += fabs((double)((b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0]))) / 2;
    }
    return area;
}

/* ------------------------------------------------------------------------------- bending -- */

/* Roll a sheet of n x n quads up about an axis at this angle to z. Returns its
 * energy as a fraction of D curvature^2 / 2 per area. */
static double roll(uint32_t n, kit_diagonals diagonals, xpbd_sheet_bend bend, double degrees)
{
    const double curvature = 0.25, E = 1e6, h = 0.01, nu = (double)0.3f;
    kit_mesh mesh = kit_sheet(n, n, 1.0f / (float)n, diagonals);
    const xpbd_build_mesh input = kit_mesh_input(&mesh);
    const xpbd_world_def world_def = kit_def(NULL);
    xpbd_world *w = kit_create(&world_def);
    xpbd_triangles_def def = xpbd_default_triangles_def();
    def.stretch = XPBD_SHEET_NO_STRETCH;
    def.bend = bend;
    def.young_modulus = 1e6f;
    def.thickness = 0.01f;
    xpbd_built built;
    assert_ok(xpbd_build_triangles(w, &input, &def, &built));
    const double area = area_of(&mesh);
    const double c = cos(degrees * acos(-1.0) / 180), s = sin(degrees * acos(-1.0) / 180);
    for (uint32_t v = 0; v < mesh.n_vertices; v++) {
        const double x = (double)mesh.x[v][0] - 0.5, z = (double)mesh.x[v][2] - 0.5;
        const double across = c * x + s * z, along = -s * x + c * z;
        const double rolled = sin(curvature * across) / curvature;
        mesh.x[v][0] = (float)(c * rolled - s * along);
        mesh.x[v][1] = (float)((1 - cos(curvature * across)) / curvature);
        mesh.x[v][2] = (float)(s * rolled + c * along);
    }
    const double energy = energy_of(w, mesh.n_vertices, mesh.x);
    const double plate = E * h * h * h / (12 * (1 - nu * nu));
    xpbd_world_destroy(w);
    kit_mesh_free(&mesh);
    return energy / (plate * curvature * curvature / 2 * area);
}

static void check_roll(kit_diagonals diagonals, double degrees, double want)
{
    for (int bend = XPBD_SHEET_DIHEDRAL; bend <= XPBD_SHEET_ISOMETRIC; bend++) {
        for (uint32_t n = 8; n <= 32; n *= 2) {
            const double ratio = roll(n, diagonals, (xpbd_sheet_bend)bend, degrees) / want;
            /* The outer edges do not bend: a fraction of 1 / n in each direction may be missing. */
            assert_true(ratio > 1.0 - 2.2 / n && ratio < 1.001);
        }
    }
}

static void test_a_rolled_sheet_has_the_energy_of_a_plate(void **state)
{
    (void)state;
    for (int degrees = 0; degrees < 180; degrees += 15)
        check_roll(KIT_EQUILATERAL, degrees, 1.0);
    check_roll(KIT_ALTERNATING, 0, 1.0);
    check_roll(KIT_ALTERNATING, 90, 1.0);
    check_roll(KIT_PARALLEL, 0, 1.0);
    check_roll(KIT_PARALLEL, 90, 1.0);
    check_roll(KIT_PARALLEL, 45, 1.0);
    check_roll(KIT_PARALLEL, 135, 3.0); /* the axis is across the diagonals: the worst there is */
}

/* A distance has the energy of the angle at a fold of 1 rad, and nearly none in
 * a flat sheet. */
static void test_a_distance_bends_as_the_angle_at_a_radian(void **state)
{
    static const uint32_t faces[2][3] = {{0, 1, 2}, {1, 3, 2}};
    (void)state;
    const xpbd_world_def world_def = kit_def(NULL);
    for (int fold = 0; fold < 2; fold++) {
        double energy[2];
        for (int c = 0; c < 2; c++) {
            float x[4][3] = {{0, 0, 0.3f}, {0, -1, 0}, {0, 1, 0}, {0, 0.5f, -0.7f}};
            const xpbd_build_mesh mesh = {
                .n_vertices = 4, .position = x[0], .n_elements = 2, .elements = faces[0]};
            xpbd_world *w = kit_create(&world_def);
            xpbd_triangles_def def = xpbd_default_triangles_def();
            def.stretch = XPBD_SHEET_NO_STRETCH;
            def.bend = c == 0 ? XPBD_SHEET_DIHEDRAL : XPBD_SHEET_BEND_DISTANCE;
            def.young_modulus = 1e9f;
            xpbd_built built;
            assert_ok(xpbd_build_triangles(w, &mesh, &def, &built));
            const double angle = fold ? 1.0 : 0.1;
            x[3][2] = (float)(-0.7 * cos(angle));
            x[3][0] = (float)(0.7 * sin(angle));
            energy[c] = energy_of(w, 4, x);
            xpbd_world_destroy(w);
        }
        if (fold)
            assert_near(energy[1] / energy[0], 1.0, 1e-5);
        else
            assert_below(energy[1] / energy[0], 0.02);
    }
}

/* ------------------------------------------------------------------------------- stretch -- */

/* Stretch a sheet along x turned by this angle. Returns its energy as a
 * fraction of E h strain^2 / 2 per area. */
static double pull(uint32_t n, kit_diagonals diagonals, const xpbd_triangles_def *def,
                   double degrees)
{
    const double strain = 1e-3;
    kit_mesh mesh = kit_sheet(n, n, 1.0f / (float)n, diagonals);
    const xpbd_build_mesh input = kit_mesh_input(&mesh);
    const xpbd_world_def world_def = kit_def(NULL);
    xpbd_world *w = kit_create(&world_def);
    xpbd_built built;
    assert_ok(xpbd_build_triangles(w, &input, def, &built));
    const double area = area_of(&mesh);
    float(*rest)[3] = kit_positions(w);
    const double c = cos(degrees * acos(-1.0) / 180), s = sin(degrees * acos(-1.0) / 180);
    for (uint32_t v = 0; v < mesh.n_vertices; v++) {
        const double across = c * (double)mesh.x[v][0] + s * (double)mesh.x[v][2];
        mesh.x[v][0] = (float)((double)mesh.x[v][0] + strain * c * across);
        mesh.x[v][2] = (float)((double)mesh.x[v][2] + strain * s * across);
    }
    const double energy =
        work_of(w, &built.stretch, mesh.n_vertices, mesh.x, (const float(*)[3])rest);
    free(rest);
    xpbd_world_destroy(w);
    kit_mesh_free(&mesh);
    const double Eh = (double)def->young_modulus * (double)def->thickness;
    return energy / (Eh * strain * strain / 2 * area);
}

static void test_a_stretched_sheet_of_edges_has_the_energy_of_a_membrane(void **state)
{
    (void)state;
    xpbd_triangles_def def = xpbd_default_triangles_def();
    def.bend = XPBD_SHEET_NO_BEND;
    for (uint32_t n = 4; n <= 16; n *= 2) {
        /* 1 / (1 - nu^2) with nu = 1/3: the sheet can not get narrower here. */
        for (int degrees = 0; degrees < 180; degrees += 15)
            assert_near(pull(n, KIT_EQUILATERAL, &def, degrees), 9.0 / 8, 4e-3);
        assert_near(pull(n, KIT_PARALLEL, &def, 0), 5.0 / 4, 4e-3);
        assert_near(pull(n, KIT_PARALLEL, &def, 90), 5.0 / 4, 4e-3);
        assert_near(pull(n, KIT_PARALLEL, &def, 45), 1.0 / 2, 4e-3);
        assert_near(pull(n, KIT_PARALLEL, &def, 135), 3.0 / 2, 4e-3);
        assert_near(pull(n, KIT_ALTERNATING, &def, 45), 1.0, 4e-3);
    }
}

static void test_a_stretched_sheet_of_elements_has_the_energy_of_a_membrane(void **state)
{
    (void)state;
    xpbd_triangles_def def = xpbd_default_triangles_def();
    def.stretch = XPBD_SHEET_FEM;
    def.bend = XPBD_SHEET_NO_BEND;
    def.poisson_ratio = 0.25f;
    for (uint32_t n = 4; n <= 16; n *= 2) {
        for (int d = KIT_PARALLEL; d <= KIT_EQUILATERAL; d++) {
            for (int degrees = 0; degrees < 180; degrees += 45)
                assert_near(pull(n, (kit_diagonals)d, &def, degrees), 16.0 / 15, 4e-3);
        }
    }
}

/* -------------------------------------------------------------------------------- solids -- */

static double stretch_solid(uint32_t n, const xpbd_tetrahedra_def *def)
{
    const double strain = 1e-3;
    kit_mesh mesh = kit_solid(n, n, n, 1.0f / (float)n);
    const xpbd_build_mesh input = kit_mesh_input(&mesh);
    const xpbd_world_def world_def = kit_def(NULL);
    xpbd_world *w = kit_create(&world_def);
    xpbd_built built;
    assert_ok(xpbd_build_tetrahedra(w, &input, def, &built));
    float(*rest)[3] = kit_positions(w);
    for (uint32_t v = 0; v < mesh.n_vertices; v++)
        mesh.x[v][0] = (float)((double)mesh.x[v][0] * (1 + strain));
    double energy = 0;
    const xpbd_built_range *ranges[] = {&built.stretch, &built.volume};
    for (uint32_t r = 0; r < 2; r++)
        energy += work_of(w, ranges[r], mesh.n_vertices, mesh.x, (const float(*)[3])rest);
    free(rest);
    xpbd_world_destroy(w);
    kit_mesh_free(&mesh);
    return energy / ((double)def->young_modulus * strain * strain / 2);
}

static void test_a_stretched_solid_has_the_energy_of_hookes_law(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 4; n *= 2) {
        xpbd_tetrahedra_def def = xpbd_default_tetrahedra_def();
        /* Of edges along the axes, and the diagonals of faces and of the cube: 1,
         * 1/4 and 1/9 of the strain's square, (1 + 4/3 / 4 + 1/9) per element.
         * Isotropic would be 6/5. */
        def.model = XPBD_SOLID_EDGES;
        assert_near(stretch_solid(n, &def), 13.0 / 9, 4e-3);
        def.model = XPBD_SOLID_EDGES_AND_VOLUMES;
        def.poisson_ratio = 0.375f;
        const double c = 5 / (4 * 1.375), mu = 1 / (2 * 1.375), lambda = mu * 0.75 / 0.25;
        assert_near(stretch_solid(n, &def), 13.0 / 9 * c + lambda - mu, 5e-3);
        def.model = XPBD_SOLID_NEO_HOOKEAN;
        assert_near(stretch_solid(n, &def), lambda + 2 * mu, 8e-3);
        def.model = XPBD_SOLID_STVK;
        assert_near(stretch_solid(n, &def), lambda + 2 * mu, 8e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_rolled_sheet_has_the_energy_of_a_plate),
        cmocka_unit_test(test_a_distance_bends_as_the_angle_at_a_radian),
        cmocka_unit_test(test_a_stretched_sheet_of_edges_has_the_energy_of_a_membrane),
        cmocka_unit_test(test_a_stretched_sheet_of_elements_has_the_energy_of_a_membrane),
        cmocka_unit_test(test_a_stretched_solid_has_the_energy_of_hookes_law),
    };
    return RUN_GROUP("build_energy", tests);
}
