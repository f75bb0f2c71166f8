/* SPDX-License-Identifier: MIT
 *
 * What is wrong with meshes: refused or repaired, and always told with the
 * element. A test is named after its entry in the log of known trouble where it
 * has one.
 */
#include "support_build.h"

#include <math.h>

/* Faults in the order in which they were told. */
typedef struct told {
    uint32_t n;
    xpbd_fault fault[16];
    uint32_t element[16];
} told;

static void note(void *user, xpbd_fault fault, uint32_t element)
{
    told *t = user;
    assert_true(t->n < COUNT_OF(t->fault));
    t->fault[t->n] = fault;
    t->element[t->n++] = element;
}

static void listen(xpbd_build_options *options, told *t)
{
    *t = (told){0};
    options->on_fault = note;
    options->on_fault_user = t;
}

static xpbd_build_mesh input(uint32_t n_vertices, const float (*x)[3], uint32_t n_elements,
                             const uint32_t *elements)
{
    return (xpbd_build_mesh){
        .n_vertices = n_vertices, .position = x[0], .n_elements = n_elements, .elements = elements};
}

static double largest_move(const xpbd_world *w, const float (*x)[3], uint32_t n)
{
    double most = 0;
    float(*now)[3] = kit_positions(w);
    for (uint32_t p = 0; p < n; p++) {
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs((double)now[p][k] - (double)x[p][k])); /* NaN is not above */
        assert_true(isfinite(now[p][0]) && isfinite(now[p][1]) && isfinite(now[p][2]));
    }
    free(now);
    return most;
}

static const xpbd_solid_model models[] = {XPBD_SOLID_EDGES, XPBD_SOLID_EDGES_AND_VOLUMES,
                                          XPBD_SOLID_NEO_HOOKEAN, XPBD_SOLID_STVK};

static void test_N07_an_inverted_tetrahedron_is_turned_or_refused(void **state)
{
    static const float x[4][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    static const uint32_t tets[2][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}}; /* the first is -1/6 */
    (void)state;
    const xpbd_world_def world_def = kit_def(NULL);
    for (uint32_t m = 0; m < COUNT_OF(models); m++) {
        for (uint32_t t = 0; t < 2; t++) {
            const xpbd_build_mesh mesh = input(4, x, 1, tets[t]);
            xpbd_tetrahedra_def def = xpbd_default_tetrahedra_def();
            def.model = models[m];
            xpbd_built built;
            xpbd_world *w = kit_create(&world_def);
            assert_ok(xpbd_build_tetrahedra(w, &mesh, &def, &built));
            assert_int_equal(built.report.count[XPBD_FAULT_INVERTED], t == 0);
            assert_int_equal(built.report.first[XPBD_FAULT_INVERTED], t == 0 ? 0 : UINT32_MAX);
            if (t == 0)
                kit_check_contains(built.report.text, "negative volume (first: 0)");
            else
                assert_string_equal(built.report.text, "");
            if (built.volume.count)
                assert_near(kit_constraint_rest(w, XPBD_TET_VOLUME, 0, 0), 1.0 / 6, 1e-8);
            kit_steps(w, 100, 1.0 / 60);
            assert_below(largest_move(w, x, 4), 1e-6);
            xpbd_world_destroy(w);

            def.options.policy[XPBD_FAULT_INVERTED] = XPBD_FAULT_REFUSE;
            w = kit_create(&world_def);
            const xpbd_status want = t == 0 ? XPBD_ERROR_MESH_FAULT : XPBD_OK;
            assert_status(xpbd_build_tetrahedra(w, &mesh, &def, &built), want);
            if (t == 0) {
                assert_int_equal(built.error.status, XPBD_ERROR_MESH_FAULT);
                assert_int_equal(built.error.element, 0);
                kit_check_contains(built.error.text, "element 0 has a negative volume");
                assert_int_equal(kit_n_particles(w), 0);
            }
            xpbd_world_destroy(w);
        }
    }
}

/* Element 1 of two is flat. */
static void check_flat(uint32_t corners, const float (*x)[3], uint32_t n, const uint32_t *elements)
{
    const xpbd_world_def world_def = kit_def(NULL);
    const xpbd_build_mesh mesh = input(n, x, 2, elements);
    for (int refuse = 0; refuse < 2; refuse++) {
        xpbd_world *w = kit_create(&world_def);
        xpbd_triangles_def sheet = xpbd_default_triangles_def();
        xpbd_tetrahedra_def solid = xpbd_default_tetrahedra_def();
        sheet.stretch = XPBD_SHEET_FEM;
        xpbd_build_options *options = corners == 3 ? &sheet.options : &solid.options;
        if (refuse)
            options->policy[XPBD_FAULT_ZERO] = XPBD_FAULT_REFUSE;
        xpbd_built built;
        const xpbd_status status = corners == 3 ? xpbd_build_triangles(w, &mesh, &sheet, &built)
                                                : xpbd_build_tetrahedra(w, &mesh, &solid, &built);
        assert_int_equal(built.report.count[XPBD_FAULT_ZERO], 1);
        assert_int_equal(built.report.first[XPBD_FAULT_ZERO], 1);
        if (refuse) {
            assert_status(status, XPBD_ERROR_MESH_FAULT);
            assert_int_equal(built.error.element, 1);
            assert_int_equal(built.stretch.count, 0);
            assert_int_equal(kit_n_particles(w), 0);
            assert_int_equal(kit_n_constraints(w), 0);
        } else {
            assert_ok(status);
            assert_int_equal(built.stretch.count, 1);
            assert_int_equal(kit_n_particles(w), n);
            kit_steps(w, 10, 1.0 / 60);
            assert_below(largest_move(w, x, n), 1e-6);
        }
        xpbd_world_destroy(w);
    }
}

static void test_N08_flat_elements_are_named(void **state)
{
    static const float tets[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                     {2, 0, 0}, {3, 0, 0}, {2, 1, 0}, {3, 1, 0}};
    static const float thin[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                     {2, 0, 0}, {3, 0, 0}, {2, 1, 0}, {2, 0, 6e-30f}};
    static const float triangles[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                          {0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    /* In a line, were it not for the rounding of its coordinates. */
    static const float rounded[6][3] = {{0, 0, 0},
                                        {1, 0, 0},
                                        {0, 1, 0},
                                        {1000.1f, 1000.1f, 0},
                                        {1000.2f, 1000.2f, 7e-5f},
                                        {1000.3f, 1000.3f, 0}};
    static const uint32_t ids[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    (void)state;
    check_flat(4, tets, 8, ids);
    check_flat(4, thin, 8, ids);
    check_flat(3, triangles, 6, ids);
    check_flat(3, rounded, 6, ids);
}

static void test_small_and_far_elements_are_not_flat(void **state)
{
    (void)state;
    const xpbd_world_def world_def = kit_def(NULL);
    static const float at[][2] = {{1e-6f, 0}, {1e-3f, 100}, {1e4f, 0}, {1, 1e4f}}; /* size, place */
    for (uint32_t c = 0; c < COUNT_OF(at); c++) {
        const float s = at[c][0], o = at[c][1];
        const float x[4][3] = {{o, o, o}, {o + s, o, o}, {o, o + s, o}, {o, o, o + s}};
        static const uint32_t ids[4] = {0, 1, 2, 3};
        xpbd_build_mesh mesh = input(4, x, 1, ids);
        xpbd_world *w = kit_create(&world_def);
        xpbd_built built;
        assert_ok(xpbd_build_tetrahedra(w, &mesh, NULL, &built));
        assert_string_equal(built.report.text, "");
        assert_int_equal(built.stretch.count, 1);
        mesh.n_vertices = 3;
        assert_ok(xpbd_build_triangles(w, &mesh, NULL, &built));
        assert_string_equal(built.report.text, "");
        assert_int_equal(built.stretch.count, 3);
        xpbd_world_destroy(w);
    }
}

/* Whatever is kept is good enough for the element types: they refuse nothing after it. */
static void test_slivers_are_dropped_or_built(void **state)
{
    (void)state;
    const xpbd_world_def world_def = kit_def(NULL);
    static const uint32_t ids[4] = {0, 1, 2, 3};
    uint64_t seed = 3;
    uint32_t n_kept = 0, n_dropped = 0;
    for (int run = 0; run < 2000; run++) {
        float x[4][3];
        const float size = powf(10, kit_uniform(&seed, -9, 6));
        const float thin = powf(10, kit_uniform(&seed, -8, 0));
        const float thick = run % 2 ? 1 : thin; /* a plate, or a needle */
        for (int v = 0; v < 4; v++) {
            x[v][run % 3] = size * kit_uniform(&seed, -1, 1);
            x[v][(run + 1) % 3] = size * thick * kit_uniform(&seed, -1, 1);
            x[v][(run + 2) % 3] = size * thin * kit_uniform(&seed, -1, 1);
        }
        xpbd_world *w = kit_create(&world_def);
        xpbd_tetrahedra_def solid = xpbd_default_tetrahedra_def();
        solid.model = models[run % 4];
        solid.poisson_ratio = 0.4f;
        solid.density = 1 / (size * size * size);
        xpbd_triangles_def sheet = xpbd_default_triangles_def();
        sheet.stretch = XPBD_SHEET_FEM;
        sheet.area_density = 1 / (size * size);
        xpbd_build_mesh mesh = input(4, x, 1, ids);
        xpbd_built built;
        assert_ok(xpbd_build_tetrahedra(w, &mesh, &solid, &built));
        (built.stretch.count ? n_kept++ : n_dropped++);
        mesh.n_vertices = 3;
        assert_ok(xpbd_build_triangles(w, &mesh, &sheet, &built));
        (built.stretch.count ? n_kept++ : n_dropped++);
        kit_steps(w, 1, 0.01);
        xpbd_world_destroy(w);
    }
    assert_true(n_kept > 1000 && n_dropped > 300);
}

/* So small that products of its edges are no floats. */
static void test_elements_below_the_range_of_float_are_dropped(void **state)
{
    static const float size[] = {1e-14f, 1e-20f};
    static const uint32_t ids[4] = {0, 1, 2, 3};
    (void)state;
    const xpbd_world_def world_def = kit_def(NULL);
    for (uint32_t c = 0; c < 2; c++) {
        const float s = size[c];
        const float x[4][3] = {{0, 0, 0}, {s, 0, 0}, {0, s, 0}, {0, 0, s}};
        xpbd_build_mesh mesh = input(4, x, 1, ids);
        xpbd_world *w = kit_create(&world_def);
        xpbd_built built;
        assert_ok(xpbd_build_tetrahedra(w, &mesh, NULL, &built));
        assert_int_equal(built.report.count[XPBD_FAULT_ZERO], 1);
        mesh.n_vertices = 3;
        xpbd_triangles_def def = xpbd_default_triangles_def();
        def.stretch = XPBD_SHEET_FEM;
        def.area_density = 1e20f;
        assert_ok(xpbd_build_triangles(w, &mesh, &def, &built));
        assert_int_equal(built.report.count[XPBD_FAULT_ZERO], c);
        xpbd_world_destroy(w);
    }
}

static void test_N10_a_vertex_without_an_element_is_pinned(void **state)
{
    static const float x[4][3] = {{0, 0, 0}, {9, 9, 9}, {2, 0, 0}, {0, 2, 0}};
    static const uint32_t triangle[3] = {0, 2, 3};
    const xpbd_build_mesh mesh = input(4, x, 1, triangle);
    (void)state;
    xpbd_world_def world_def = kit_def(NULL);
    world_def.acceleration[1] = -9.81f;
    xpbd_world *w = kit_create(&world_def);
    xpbd_triangles_def def = xpbd_default_triangles_def();
    def.area_density = 3;
    xpbd_built built;
    assert_ok(xpbd_build_triangles(w, &mesh, &def, &built));
    assert_int_equal(built.report.count[XPBD_FAULT_UNUSED], 1);
    assert_int_equal(built.report.first[XPBD_FAULT_UNUSED], 1);
    /* Its kinetic energy at 1 m/s says what a particle weighs. */
    for (uint32_t p = 0; p < 4; p++) {
        float v[4][3] = {{0}};
        v[p][0] = 1;
        assert_ok(xpbd_world_set_velocities(w, 0, 4, v[0], 0));
        xpbd_diagnostics now;
        assert_ok(xpbd_world_diagnose(w, &now));
        assert_near(2 * now.kinetic_energy, p == 1 ? 0.0 : 2.0, 1e-12);
    }
    static const float rest[4][3] = {{0}};
    assert_ok(xpbd_world_set_velocities(w, 0, 4, rest[0], 0));
    kit_steps(w, 10, 1.0 / 60);
    float p1[3];
    kit_position(w, 1, p1);
    assert_same_floats(p1, x[1], 3);
    assert_true(isfinite(largest_move(w, x, 4)));
    xpbd_world_destroy(w);

    def.options.policy[XPBD_FAULT_UNUSED] = XPBD_FAULT_REFUSE;
    w = kit_create(&world_def);
    assert_status(xpbd_build_triangles(w, &mesh, &def, &built), XPBD_ERROR_MESH_FAULT);
    assert_int_equal(built.error.element, 1);
    kit_check_contains(built.error.text, "vertex 1 ");
    assert_int_equal(kit_n_particles(w), 0);
    xpbd_world_destroy(w);
}

static void test_A03_degenerate_faces_are_counted(void **state)
{
    static const float x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}};
    static const uint32_t faces[4][3] = {{0, 1, 2}, {0, 1, 1}, {3, 3, 3}, {0, 1, 3}};
    (void)state;
    const xpbd_build_mesh mesh = input(4, x, 4, faces[0]);
    xpbd_world_def world_def = kit_def(NULL);
    xpbd_world *w = kit_create(&world_def);
    xpbd_triangles_def def = xpbd_default_triangles_def();
    def.stretch = XPBD_SHEET_FEM;
    told t;
    listen(&def.options, &t);
    xpbd_built built;
    assert_ok(xpbd_build_triangles(w, &mesh, &def, &built));
    assert_int_equal(built.stretch.count, 1);
    assert_int_equal(built.report.count[XPBD_FAULT_REPEATED], 2);
    assert_int_equal(built.report.first[XPBD_FAULT_REPEATED], 1);
    assert_int_equal(built.report.count[XPBD_FAULT_ZERO], 1);
    assert_int_equal(built.report.first[XPBD_FAULT_ZERO], 3);
    assert_string_equal(built.report.text,
                        "2 x names a vertex twice (first: 1); 1 x has no length, area or volume "
                        "(first: 3); 1 x is a vertex of no element (first: 3)");
    static const uint32_t elements[] = {1, 2, 3, 3};
    static const xpbd_fault kinds[] = {XPBD_FAULT_REPEATED, XPBD_FAULT_REPEATED, XPBD_FAULT_ZERO,
                                       XPBD_FAULT_UNUSED};
    assert_int_equal(t.n, 4);
    for (uint32_t i = 0; i < t.n; i++) {
        assert_int_equal(t.element[i], elements[i]);
        assert_int_equal(t.fault[i], kinds[i]);
    }
    xpbd_world_destroy(w);
}

static void test_A06_doubled_faces_bend_once(void **state)
{
    static const float x[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    static const uint32_t faces[4][3] = {{0, 1, 2}, {0, 2, 1}, {0, 2, 3}, {0, 3, 2}};
    (void)state;
    const xpbd_build_mesh mesh = input(4, x, 4, faces[0]);
    xpbd_world_def world_def = kit_def(NULL);
    world_def.acceleration[1] = -9.81f;
    for (int bend = XPBD_SHEET_DIHEDRAL; bend <= XPBD_SHEET_BEND_DISTANCE; bend++) {
        xpbd_world *w = kit_create(&world_def);
        xpbd_triangles_def def = xpbd_default_triangles_def();
        def.bend = (xpbd_sheet_bend)bend;
        xpbd_built built;
        assert_ok(xpbd_build_triangles(w, &mesh, &def, &built));
        assert_int_equal(built.report.count[XPBD_FAULT_DUPLICATE], 2);
        assert_int_equal(built.report.first[XPBD_FAULT_DUPLICATE], 1);
        assert_int_equal(built.stretch.count, 5);
        assert_int_equal(built.bend.count, 1);
        const uint32_t *p = kit_constraint_particles(w, built.bend.type, built.bend.first);
        assert_true((p[0] == 1 && p[1] == 3) || (p[0] == 3 && p[1] == 1));
        kit_steps(w, 10, 1.0 / 60);
        assert_true(isfinite(largest_move(w, x, 4)));
        xpbd_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_N07_an_inverted_tetrahedron_is_turned_or_refused),
        cmocka_unit_test(test_N08_flat_elements_are_named),
        cmocka_unit_test(test_small_and_far_elements_are_not_flat),
        cmocka_unit_test(test_slivers_are_dropped_or_built),
        cmocka_unit_test(test_elements_below_the_range_of_float_are_dropped),
        cmocka_unit_test(test_N10_a_vertex_without_an_element_is_pinned),
        cmocka_unit_test(test_A03_degenerate_faces_are_counted),
        cmocka_unit_test(test_A06_doubled_faces_bend_once),
    };
    return RUN_GROUP("build_faults", tests);
}
