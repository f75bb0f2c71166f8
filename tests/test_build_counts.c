/* SPDX-License-Identifier: MIT
 *
 * What is made of a mesh: how many of what, between which particles, in which
 * order.
 */
#include "support_build.h"

#include <math.h>

static double length_of(const kit_mesh *mesh, const uint32_t *pair)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += pow((double)mesh->x[pair[0]][k] - (double)mesh->x[pair[1]][k], 2);
    return sqrt(sum);
}

/* All indices in range, ascending within an edge, edges ascending, none longer
 * than a diagonal. */
static void check_edges(const xpbd_world *w, const kit_mesh *mesh, const xpbd_built_range *range)
{
    uint64_t before = 0;
    for (uint32_t k = 0; k < range->count; k++) {
        const uint32_t *p = kit_constraint_particles(w, range->type, range->first + k);
        assert_true(p[0] < p[1] && p[1] < mesh->n_vertices);
        const uint64_t now = (uint64_t)p[0] << 32 | p[1];
        assert_true(k == 0 || now > before);
        before = now;
        assert_below(length_of(mesh, p), sqrt(2.0) + 1e-6);
    }
}

/* The wings are off the edge, on its two sides, and no further apart than a
 * quad's diagonal. */
static void check_hinges(const xpbd_world *w, const kit_mesh *mesh, const xpbd_built_range *range)
{
    for (uint32_t k = 0; k < range->count; k++) {
        const uint32_t *p = kit_constraint_particles(w, range->type, range->first + k);
        const float *a = mesh->x[p[2]], *b = mesh->x[p[3]];
        double side[2];
        for (int i = 0; i < 2; i++) {
            const float *c = mesh->x[p[i]];
            side[i] = (double)((b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0]));
        }
        assert_near(side[0] * side[1], -1.0, 1e-6); /* twice the triangles' areas */
        assert_true(p[2] < p[3]);
    }
}

static void test_A07_boundary_edges_are_not_bends(void **state)
{
    (void)state;
    const xpbd_world_def world_def = kit_def(NULL);
    for (int c = 0; c < 3; c++) {
        kit_mesh mesh = kit_sheet(c == 2 ? 50 : 1, c == 2 ? 50 : 1, 1, KIT_PARALLEL);
        xpbd_build_mesh input = kit_mesh_input(&mesh);
        if (c == 0) {
            input.n_elements = 1;
            input.n_vertices = 3;
        }
        static const uint32_t n_edges[] = {3, 5, 7600}, n_bends[] = {0, 1, 7400};
        for (int bend = XPBD_SHEET_DIHEDRAL; bend <= XPBD_SHEET_BEND_DISTANCE; bend++) {
            xpbd_world *w = kit_create(&world_def);
            xpbd_triangles_def def = xpbd_default_triangles_def();
            def.bend = (xpbd_sheet_bend)bend;
            xpbd_built built;
            assert_ok(xpbd_build_triangles(w, &input, &def, &built));
            assert_int_equal(built.stretch.count, n_edges[c]);
            assert_int_equal(built.bend.count, n_bends[c]);
            assert_int_equal(built.report.n_edges, n_edges[c]);
            assert_int_equal(built.report.n_inner_edges, n_bends[c]);
            assert_int_equal(built.report.n_boundary_edges, n_edges[c] - n_bends[c]);
            assert_int_equal(built.n_particles, input.n_vertices);
            assert_int_equal(kit_n_constraints(w), n_edges[c] + n_bends[c]);
            assert_string_equal(built.report.text, "");
            check_edges(w, &mesh, &built.stretch);
            if (bend == XPBD_SHEET_BEND_DISTANCE) {
                assert_int_equal(built.bend.type, XPBD_DISTANCE);
                assert_int_equal(built.bend.first, built.stretch.count);
                for (uint32_t k = 0; k < built.bend.count; k++)
                    assert_below(length_of(&mesh, kit_constraint_particles(w, XPBD_DISTANCE,
                                                                           built.bend.first + k)),
                                 sqrt(5.0) + 1e-6);
            } else {
                check_hinges(w, &mesh, &built.bend);
            }
            xpbd_world_destroy(w);
        }
        kit_mesh_free(&mesh);
    }
}

static void test_three_triangles_at_an_edge_do_not_bend_there(void **state)
{
    static const float x[6][3] = {{0, 0, 0},  {1, 0, 0}, {0, 1, 0},
                                  {0, -1, 0}, {0, 0, 1}, {1, 1, 0}};
    static const uint32_t faces[4][3] = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}, {1, 5, 2}};
    (void)state;
    const xpbd_build_mesh mesh = {
        .n_vertices = 6, .position = x[0], .n_elements = 4, .elements = faces[0]};
    const xpbd_world_def world_def = kit_def(NULL);
    xpbd_world *w = kit_create(&world_def);
    xpbd_built built;
    assert_ok(xpbd_build_triangles(w, &mesh, NULL, &built));
    assert_int_equal(built.stretch.count, 9);
    assert_int_equal(built.bend.count, 1);
    assert_int_equal(built.report.count[XPBD_FAULT_NON_MANIFOLD], 1);
    assert_int_equal(built.report.first[XPBD_FAULT_NON_MANIFOLD], 2);
    const uint32_t *p = kit_constraint_particles(w, XPBD_BEND_DIHEDRAL, 0);
    assert_true(p[2] == 1 && p[3] == 2);
    xpbd_world_destroy(w);

    xpbd_triangles_def def = xpbd_default_triangles_def();
    def.options.policy[XPBD_FAULT_NON_MANIFOLD] = XPBD_FAULT_REFUSE;
    w = kit_create(&world_def);
    assert_status(xpbd_build_triangles(w, &mesh, &def, &built), XPBD_ERROR_MESH_FAULT);
    assert_int_equal(built.error.element, 2);
    assert_int_equal(kit_n_particles(w), 0);
    xpbd_world_destroy(w);
}

static void test_a_solid_has_each_edge_once_and_all_its_mass(void **state)
{
    static const xpbd_solid_model models[] = {XPBD_SOLID_EDGES, XPBD_SOLID_EDGES_AND_VOLUMES,
                                              XPBD_SOLID_NEO_HOOKEAN, XPBD_SOLID_STVK};
    (void)state;
    kit_mesh mesh = kit_solid(3, 2, 2, 0.5f);
    const xpbd_build_mesh input = kit_mesh_input(&mesh);
    /* Vertices - edges + faces - elements = 1 of a ball; 2 faces = 4 elements +
     * surface. */
    const uint32_t n_surface = 2 * 2 * (3 * 2 + 3 * 2 + 2 * 2);
    const uint32_t n_faces = (4 * mesh.n_elements + n_surface) / 2;
    const uint32_t n_edges = mesh.n_vertices + n_faces - mesh.n_elements - 1;
    const xpbd_world_def world_def = kit_def(NULL);
    for (uint32_t m = 0; m < COUNT_OF(models); m++) {
        xpbd_world *w = kit_create(&world_def);
        xpbd_tetrahedra_def def = xpbd_default_tetrahedra_def();
        def.model = models[m];
        def.density = 800;
        xpbd_built built;
        assert_ok(xpbd_build_tetrahedra(w, &input, &def, &built));
        assert_string_equal(built.report.text, "");
        const bool edges = models[m] <= XPBD_SOLID_EDGES_AND_VOLUMES;
        const bool volumes = models[m] == XPBD_SOLID_EDGES_AND_VOLUMES;
        assert_int_equal(built.stretch.count, edges ? n_edges : mesh.n_elements);
        assert_int_equal(built.volume.count, volumes ? mesh.n_elements : 0);
        if (edges)
            check_edges(w, &mesh, &built.stretch);
        double mass = 0;
        for (uint32_t p = 0; p < built.n_particles; p++)
            mass += 1.0 / (double)kit_inverse_mass(w, p);
        assert_near(mass, 800 * 12 * 0.125, 1e-4);
        xpbd_world_destroy(w);
    }
    kit_mesh_free(&mesh);
}

static void test_the_surface_is_closed_and_looks_outwards(void **state)
{
    (void)state;
    kit_mesh mesh = kit_solid(3, 2, 2, 0.5f);
    for (uint32_t e = 0; e < mesh.n_elements; e += 3) { /* some wound the other way */
        const uint32_t last = mesh.elements[4 * e + 3];
        mesh.elements[4 * e + 3] = mesh.elements[4 * e];
        mesh.elements[4 * e] = last;
    }
    const xpbd_build_mesh input = kit_mesh_input(&mesh);
    uint32_t n, triangles[64][3], few[2][3];
    assert_ok(xpbd_build_surface(&input, NULL, 0, NULL, &n));
    assert_int_equal(n, 64);
    assert_ok(xpbd_build_surface(&input, NULL, 2, few[0], &n));
    assert_int_equal(n, 64);
    assert_ok(xpbd_build_surface(&input, NULL, 64, triangles[0], &n));
    assert_memory_equal(few, triangles, sizeof few);
    double volume = 0, area = 0;
    for (uint32_t t = 0; t < n; t++) {
        double a[3], b[3], c[3], normal[3];
        for (int k = 0; k < 3; k++) {
            a[k] = (double)mesh.x[triangles[t][0]][k];
            b[k] = (double)mesh.x[triangles[t][1]][k] - a[k];
            c[k] = (double)mesh.x[triangles[t][2]][k] - a[k];
        }
        for (int k = 0; k < 3; k++)
            normal[k] = b[(k + 1) % 3] * c[(k + 2) % 3] - b[(k + 2) % 3] * c[(k + 1) % 3];
        volume += (a[0] * normal[0] + a[1] * normal[1] + a[2] * normal[2]) / 6;
        area += sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]) / 2;
    }
    assert_near(volume, 1.5, 1e-12);
    assert_near(area, 8.0, 1e-12);
    kit_mesh_free(&mesh);
}

/* One element, its corners in each of the 24 orders. */
static void test_each_face_of_a_tetrahedron_looks_outwards(void **state)
{
    static const float x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    (void)state;
    for (uint32_t code = 0; code < 256; code++) {
        const uint32_t tet[4] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
        if ((1u << tet[0] | 1u << tet[1] | 1u << tet[2] | 1u << tet[3]) != 15)
            continue;
        const xpbd_build_mesh mesh = {
            .n_vertices = 4, .position = x[0], .n_elements = 1, .elements = tet};
        uint32_t n, faces[4][3], off = 0;
        assert_ok(xpbd_build_surface(&mesh, NULL, 4, faces[0], &n));
        assert_int_equal(n, 4);
        for (uint32_t f = 0; f < 4; f++) {
            const uint32_t *p = faces[f], other = 6 - p[0] - p[1] - p[2];
            double e[3][3];
            for (int k = 0; k < 3; k++) {
                e[0][k] = (double)(x[p[1]][k] - x[p[0]][k]);
                e[1][k] = (double)(x[p[2]][k] - x[p[0]][k]);
                e[2][k] = (double)(x[other][k] - x[p[0]][k]);
            }
            double volume = 0;
            for (int k = 0; k < 3; k++)
                volume += e[2][k] * (e[0][(k + 1) % 3] * e[1][(k + 2) % 3] -
                                     e[0][(k + 2) % 3] * e[1][(k + 1) % 3]);
            assert_near(volume, -1.0, 0.0);
            off |= 1u << other;
        }
        assert_int_equal(off, 15);
    }
}

static void test_elements_that_are_none_leave_no_surface(void **state)
{
    static const float x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const uint32_t tets[4][4] = {{0, 1, 1, 3}, {0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 2, 4}};
    (void)state;
    xpbd_build_mesh mesh = {
        .n_vertices = 4, .position = x[0], .n_elements = 3, .elements = tets[0]};
    uint32_t n, triangles[4][3];
    assert_ok(xpbd_build_surface(&mesh, NULL, 4, triangles[0], &n));
    assert_int_equal(n, 4);
    mesh.n_elements = 4;
    assert_status(xpbd_build_surface(&mesh, NULL, 4, triangles[0], &n), XPBD_ERROR_VERTEX_INDEX);
    mesh.n_elements = 0;
    assert_ok(xpbd_build_surface(&mesh, NULL, 0, NULL, &n));
    assert_int_equal(n, 0);
    assert_status(xpbd_build_surface(NULL, NULL, 0, NULL, &n), XPBD_ERROR_NULL);
    assert_status(xpbd_build_surface(&mesh, NULL, 1, NULL, &n), XPBD_ERROR_NULL);
    assert_status(xpbd_build_surface(&mesh, NULL, 0, NULL, NULL), XPBD_ERROR_NULL);
}

static void test_a_polyline_bends_where_two_segments_meet(void **state)
{
    static const float x[6][3] = {{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {3, 0, 0}, {4, 0, 0}, {5, 0, 0}};
    static const uint32_t tree[5][2] = {{0, 1}, {2, 1}, {3, 1}, {3, 4}, {5, 4}};
    static const uint32_t loop[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    (void)state;
    const xpbd_world_def world_def = kit_def(NULL);
    xpbd_world *w = kit_create(&world_def);
    xpbd_build_mesh mesh = {.n_vertices = 6, .position = x[0]};
    xpbd_built built;
    assert_ok(xpbd_build_polyline(w, &mesh, NULL, &built)); /* a chain */
    assert_int_equal(built.stretch.count, 5);
    assert_int_equal(built.bend.count, 4);
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t *p = kit_constraint_particles(w, XPBD_BEND_ANGLE, k);
        assert_true(p[0] == k && p[1] == k + 1 && p[2] == k + 2);
    }
    mesh.elements = tree[0];
    mesh.n_elements = 5;
    assert_ok(xpbd_build_polyline(w, &mesh, NULL, &built));
    assert_int_equal(built.first_particle, 6);
    assert_int_equal(built.stretch.first, 5);
    assert_int_equal(built.stretch.count, 5);
    assert_int_equal(built.bend.first, 4);
    assert_int_equal(built.bend.count, 2); /* at 3 and 4; three meet at 1 */
    const uint32_t *third = kit_constraint_particles(w, XPBD_DISTANCE, built.stretch.first + 2);
    assert_true(third[0] == 6 + 1 && third[1] == 6 + 3);
    assert_int_equal(built.report.count[XPBD_FAULT_NON_MANIFOLD], 1);
    assert_int_equal(built.report.first[XPBD_FAULT_NON_MANIFOLD], 2);
    mesh.elements = loop[0];
    mesh.n_elements = 3;
    mesh.n_vertices = 3;
    assert_ok(xpbd_build_polyline(w, &mesh, NULL, &built));
    assert_int_equal(built.stretch.count, 3);
    assert_int_equal(built.bend.count, 3);
    xpbd_world_destroy(w);
}

static void test_no_elements_make_nothing(void **state)
{
    (void)state;
    const xpbd_world_def world_def = kit_def(NULL);
    xpbd_world *w = kit_create(&world_def);
    const xpbd_build_mesh mesh = {0};
    xpbd_built built;
    assert_ok(xpbd_build_triangles(w, &mesh, NULL, &built));
    assert_ok(xpbd_build_tetrahedra(w, &mesh, NULL, &built));
    assert_ok(xpbd_build_polyline(w, &mesh, NULL, &built));
    assert_int_equal(built.n_particles, 0);
    assert_int_equal(kit_n_constraints(w), 0);
    kit_steps(w, 1, 0.01);
    xpbd_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_A07_boundary_edges_are_not_bends),
        cmocka_unit_test(test_three_triangles_at_an_edge_do_not_bend_there),
        cmocka_unit_test(test_a_solid_has_each_edge_once_and_all_its_mass),
        cmocka_unit_test(test_the_surface_is_closed_and_looks_outwards),
        cmocka_unit_test(test_each_face_of_a_tetrahedron_looks_outwards),
        cmocka_unit_test(test_elements_that_are_none_leave_no_surface),
        cmocka_unit_test(test_a_polyline_bends_where_two_segments_meet),
        cmocka_unit_test(test_no_elements_make_nothing),
    };
    return RUN_GROUP("build_counts", tests);
}
