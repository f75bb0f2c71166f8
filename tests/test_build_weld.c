/* SPDX-License-Identifier: MIT
 *
 * Welding: meshes whose vertices are repeated at seams become whole, whatever
 * the order of the file, and the caller learns which particle each of his
 * vertices became.
 */
#include "support_build.h"

#include <math.h>

/* The unit cube with four vertices and two triangles per face. */
static void make_cube(float (*x)[3], uint32_t (*triangles)[3])
{
    for (uint32_t f = 0; f < 6; f++) {
        const uint32_t axis = f / 2;
        for (uint32_t c = 0; c < 4; c++) {
            float *p = x[4 * f + c];
            p[axis] = (float)(f % 2);
            p[(axis + 1) % 3] = (float)(c % 2);
            p[(axis + 2) % 3] = (float)(c / 2);
        }
        const uint32_t v = 4 * f;
        const uint32_t two[2][3] = {{v, v + 1, v + 3}, {v, v + 3, v + 2}};
        memcpy(triangles[2 * f], two, sizeof two);
    }
}

static void test_A02_a_cube_with_seams_is_welded_or_not(void **state)
{
    float x[24][3];
    uint32_t triangles[12][3], particle_of[24];
    make_cube(x, triangles);
    static const uint32_t pin = 23;
    const xpbd_build_mesh mesh = {.n_vertices = 24,
                                  .position = x[0],
                                  .n_elements = 12,
                                  .elements = triangles[0],
                                  .n_pinned = 1,
                                  .pinned = &pin,
                                  .particle_of = particle_of};
    (void)state;
    xpbd_world_def world_def = kit_def(NULL);
    world_def.acceleration[1] = -9.81f;
    for (int weld = 0; weld < 2; weld++) {
        xpbd_world *w = kit_create(&world_def);
        static const float before[2][3] = {{5, 5, 5}, {6, 6, 6}}; /* the world is not empty */
        kit_add_particles(w, 2, before, NULL);
        xpbd_triangles_def def = xpbd_default_triangles_def();
        def.options.weld = weld;
        xpbd_built built;
        assert_ok(xpbd_build_triangles(w, &mesh, &def, &built));
        assert_int_equal(built.first_particle, 2);
        assert_int_equal(built.n_particles, weld ? 8 : 24);
        assert_int_equal(built.report.n_welded, weld ? 16 : 0);
        assert_int_equal(built.report.n_boundary_edges, weld ? 0 : 24);
        assert_int_equal(built.report.n_inner_edges, weld ? 18 : 6);
        assert_int_equal(built.report.n_edges, weld ? 18 : 30);
        kit_steps(w, 100, 1.0 / 60);
        float pinned[3];
        kit_position(w, particle_of[23], pinned);
        assert_same_floats(pinned, x[23], 3);
        uint32_t n_copies = 0;
        for (uint32_t v = 0; v < 24; v++) {
            assert_true(particle_of[v] >= 2 && particle_of[v] < 2 + built.n_particles);
            if (memcmp(x[v], x[23], sizeof x[v]) != 0)
                continue;
            n_copies++;
            assert_true((particle_of[v] == particle_of[23]) == (weld || v == 23));
        }
        assert_int_equal(n_copies, 3);
        xpbd_world_destroy(w);
    }
}

/* Build a polyline of single points, so that only the welding acts, and list
 * the particles. */
static uint32_t weld_points(const float (*x)[3], uint32_t n, float distance, float (*out)[3],
                            uint32_t *particle_of)
{
    xpbd_world_def world_def = kit_def(NULL);
    xpbd_world *w = kit_create(&world_def);
    xpbd_polyline_def def = xpbd_default_polyline_def();
    def.options.weld = true;
    def.options.weld_distance = distance;
    static const uint32_t none = 0;
    const xpbd_build_mesh mesh = {
        .n_vertices = n, .position = x[0], .elements = &none, .particle_of = particle_of};
    xpbd_built built;
    assert_ok(xpbd_build_polyline(w, &mesh, &def, &built));
    assert_int_equal(built.report.n_welded, n - built.n_particles);
    assert_ok(xpbd_world_read_positions(w, 0, built.n_particles, out[0], 0));
    xpbd_world_destroy(w);
    return built.n_particles;
}

static void test_F21_near_vertices_weld_in_any_order(void **state)
{
    static const float near[3] = {0.9999999f, 1.0000001f, 1.0f};
    static const uint32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    (void)state;
    for (uint32_t o = 0; o < 6; o++) {
        for (int axis = 0; axis < 3; axis++) {
            float x[3][3] = {{0}}, out[3][3];
            uint32_t of[3];
            for (int v = 0; v < 3; v++)
                x[v][axis] = near[orders[o][v]];
            assert_int_equal(weld_points((const float(*)[3])x, 3, 1e-6f, out, of), 1);
            assert_near(out[0][axis], near[0], 0.0); /* the lowest, in every order */
            assert_true(of[0] == 0 && of[1] == 0 && of[2] == 0);
        }
    }
}

static void test_F21_thin_layers_weld_only_if_asked(void **state)
{
    (void)state;
    kit_mesh sheet = kit_sheet(10, 10, 0.1f, KIT_PARALLEL);
    const uint32_t n = sheet.n_vertices;
    float(*x)[3] = malloc(2 * n * sizeof *x);
    uint32_t *elements = malloc(6 * sheet.n_elements * sizeof *elements);
    for (uint32_t v = 0; v < 2 * n; v++) {
        memcpy(x[v], sheet.x[v % n], sizeof x[v]);
        x[v][1] = v < n ? 0.0f : 1e-4f;
    }
    for (uint32_t k = 0; k < 6 * sheet.n_elements; k++)
        elements[k] =
            sheet.elements[k % (3 * sheet.n_elements)] + (k < 3 * sheet.n_elements ? 0 : n);
    const xpbd_build_mesh mesh = {.n_vertices = 2 * n,
                                  .position = x[0],
                                  .n_elements = 2 * sheet.n_elements,
                                  .elements = elements};
    xpbd_world_def world_def = kit_def(NULL);
    for (int merge = 0; merge < 2; merge++) {
        xpbd_world *w = kit_create(&world_def);
        xpbd_triangles_def def = xpbd_default_triangles_def();
        def.options.weld = true;
        def.options.weld_distance = merge ? 1e-3f : 1e-5f;
        xpbd_built built;
        assert_ok(xpbd_build_triangles(w, &mesh, &def, &built));
        assert_int_equal(built.n_particles, merge ? n : 2 * n);
        assert_int_equal(built.report.n_welded, merge ? n : 0);
        assert_int_equal(built.report.count[XPBD_FAULT_DUPLICATE], merge ? 200 : 0);
        assert_int_equal(built.report.first[XPBD_FAULT_DUPLICATE], merge ? 200 : UINT32_MAX);
        xpbd_world_destroy(w);
    }
    free(x);
    free(elements);
    kit_mesh_free(&sheet);
}

/* Against all pairs compared: the particles are the connected parts. */
static void test_welding_joins_what_pairs_connect(void **state)
{
    enum { N = 300 };
    (void)state;
    uint64_t seed = 5;
    for (int run = 0; run < 20; run++) {
        float x[N][3], out[N][3];
        uint32_t of[N], part[N];
        const float scale = run % 2 ? 1.0f : 1e-3f, distance = 0.08f * scale;
        for (uint32_t v = 0; v < N; v++) {
            part[v] = v;
            for (int k = 0; k < 3; k++)
                x[v][k] = kit_uniform(&seed, -0.5f, 0.5f) * scale;
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t a = 0; a < N; a++) {
                for (uint32_t b = 0; b < N; b++) {
                    double d2 = 0;
                    for (int k = 0; k < 3; k++)
                        d2 += pow((double)x[a][k] - (double)x[b][k], 2);
                    if (sqrt(d2) <= (double)distance && part[b] > part[a]) {
                        part[b] = part[a];
                        changed = true;
                    }
                }
            }
        }
        weld_points((const float(*)[3])x, N, distance, out, of);
        for (uint32_t v = 0; v < N; v++)
            assert_int_equal(of[v], of[part[v]]);
        for (uint32_t a = 0; a < N; a++) {
            for (uint32_t b = 0; b < a; b++)
                assert_true((of[a] == of[b]) == (part[a] == part[b]));
        }
    }
}

static void test_equal_coordinates_weld_at_distance_0(void **state)
{
    static const float x[5][3] = {
        {0, 1, 2}, {-0.0f, 1, 2}, {0, 1, 2.0000002f}, {1e-30f, 1, 2}, {0, 1, 2}};
    static const uint32_t want[5] = {0, 0, 1, 2, 0};
    float out[5][3];
    uint32_t of[5];
    (void)state;
    assert_int_equal(weld_points(x, 5, 0.0f, out, of), 3);
    for (uint32_t v = 0; v < 5; v++)
        assert_int_equal(of[v], want[v]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_A02_a_cube_with_seams_is_welded_or_not),
        cmocka_unit_test(test_F21_near_vertices_weld_in_any_order),
        cmocka_unit_test(test_F21_thin_layers_weld_only_if_asked),
        cmocka_unit_test(test_welding_joins_what_pairs_connect),
        cmocka_unit_test(test_equal_coordinates_weld_at_distance_0),
    };
    return RUN_GROUP("build_weld", tests);
}
