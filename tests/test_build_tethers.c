/* SPDX-License-Identifier: MIT
 *
 * Tethers: as long as the shortest way along the edges to the nearest pinned
 * vertex.
 */
#include "support_build.h"

#include <math.h>

enum { MOST = 200 };

/* Shortest ways by relaxing all edges until nothing changes. */
static void relax(const kit_mesh *mesh, const bool *pinned, double *length)
{
    for (uint32_t v = 0; v < mesh->n_vertices; v++)
        length[v] = pinned[v] ? 0.0 : (double)INFINITY;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < 3 * mesh->n_elements; k++) {
            const uint32_t a = mesh->elements[k];
            const uint32_t b = mesh->elements[k % 3 < 2 ? k + 1 : k - 2];
            double d = 0;
            for (int c = 0; c < 3; c++)
                d += pow((double)mesh->x[a][c] - (double)mesh->x[b][c], 2);
            d = sqrt(d);
            if (length[a] + d < length[b]) {
                length[b] = length[a] + d;
                changed = true;
            }
            if (length[b] + d < length[a]) {
                length[a] = length[b] + d;
                changed = true;
            }
        }
    }
}

static void test_tethers_are_geodesics_to_the_nearest_pin(void **state)
{
    (void)state;
    const xpbd_world_def world_def = kit_def(NULL);
    uint64_t seed = 11;
    for (int run = 0; run < 6; run++) {
        kit_mesh mesh = kit_sheet(11, 7, 0.5f, (kit_diagonals)(run % 3));
        assert_true(mesh.n_vertices <= MOST);
        for (uint32_t v = 0; v < mesh.n_vertices; v++)
            mesh.x[v][1] = kit_uniform(&seed, -0.2f, 0.2f);
        const uint32_t pins[3] = {3, 40, 3};
        bool pinned[MOST] = {0};
        pinned[3] = pinned[40] = true;
        double want[MOST];
        relax(&mesh, pinned, want);
        xpbd_build_mesh input = kit_mesh_input(&mesh);
        input.n_pinned = 3;
        input.pinned = pins;
        xpbd_triangles_def def = xpbd_default_triangles_def();
        def.options.tethers = true;
        def.options.tether_factor = run % 2 ? 1.25f : 1.0f;
        xpbd_world *w = kit_create(&world_def);
        xpbd_built built;
        assert_ok(xpbd_build_triangles(w, &input, &def, &built));
        assert_int_equal(built.tethers.type, XPBD_TETHER);
        assert_int_equal(built.tethers.count, mesh.n_vertices - 2);
        for (uint32_t k = 0; k < built.tethers.count; k++) {
            const uint32_t *p = kit_constraint_particles(w, XPBD_TETHER, k);
            assert_true(!pinned[p[0]] && pinned[p[1]]);
            assert_true(k == 0 || p[0] > kit_constraint_particles(w, XPBD_TETHER, k - 1)[0]);
            const double length = (double)kit_constraint_rest(w, XPBD_TETHER, k, 0);
            assert_near(length / (double)def.options.tether_factor, want[p[0]], 1e-6);
            /* It ends at the pin that is that far away. */
            bool one[MOST] = {0};
            double from_it[MOST];
            one[p[1]] = true;
            relax(&mesh, one, from_it);
            assert_near(from_it[p[0]], want[p[0]], 1e-12);
            assert_near(kit_constraint_compliance(w, XPBD_TETHER, k), 0.0, 0.0);
        }
        xpbd_world_destroy(w);
        kit_mesh_free(&mesh);
    }
}

/* An L of three vertices: the way goes round the corner. Two pins equally far:
 * the lower one. */
static void test_tethers_of_a_polyline(void **state)
{
    static const float x[6][3] = {{3, 0, 0}, {0, 0, 0}, {0, 4, 0}, {0, 8, 0}, {9, 9, 9}, {8, 9, 9}};
    static const uint32_t segments[4][2] = {{0, 1}, {1, 2}, {2, 3}, {4, 5}};
    static const uint32_t pins[2] = {3, 0};
    (void)state;
    const xpbd_world_def world_def = kit_def(NULL);
    xpbd_polyline_def def = xpbd_default_polyline_def();
    def.options.tethers = true;
    xpbd_build_mesh mesh = {.n_vertices = 6,
                            .position = x[0],
                            .n_elements = 4,
                            .elements = segments[0],
                            .n_pinned = 1,
                            .pinned = pins + 1};
    static const float lengths[2][3] = {{3, 7, 11}, {3, 4, 0}};
    static const uint32_t anchors[2][3] = {{0, 0, 0}, {0, 3, 0}};
    for (uint32_t c = 0; c < 2; c++) {
        xpbd_world *w = kit_create(&world_def);
        xpbd_built built;
        assert_ok(xpbd_build_polyline(w, &mesh, &def, &built));
        assert_int_equal(built.tethers.count, c == 0 ? 3 : 2); /* 4 and 5 reach no pin */
        for (uint32_t k = 0; k < built.tethers.count; k++) {
            const uint32_t *p = kit_constraint_particles(w, XPBD_TETHER, k);
            assert_int_equal(p[0], k + 1);
            assert_int_equal(p[1], anchors[c][k]);
            assert_near(kit_constraint_rest(w, XPBD_TETHER, k, 0), lengths[c][k], 0.0);
        }
        xpbd_world_destroy(w);
        mesh.pinned = pins;
        mesh.n_pinned = 2;
    }
    /* Pin 3 reaches particle 2 before pin 0 does, as far away: the lower pin it is. */
    static const float line[4][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {4, 0, 0}};
    static const uint32_t ends[2] = {3, 0};
    mesh = (xpbd_build_mesh){.n_vertices = 4, .position = line[0], .n_pinned = 2, .pinned = ends};
    xpbd_world *w = kit_create(&world_def);
    xpbd_built built;
    assert_ok(xpbd_build_polyline(w, &mesh, &def, &built));
    assert_int_equal(built.tethers.count, 2);
    assert_int_equal(kit_constraint_particles(w, XPBD_TETHER, 1)[1], 0);
    assert_near(kit_constraint_rest(w, XPBD_TETHER, 1, 0), 2.0, 0.0);
    xpbd_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tethers_are_geodesics_to_the_nearest_pin),
        cmocka_unit_test(test_tethers_of_a_polyline),
    };
    return RUN_GROUP("build_tethers", tests);
}
