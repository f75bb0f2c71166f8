/* SPDX-License-Identifier: MIT
 *
 * Proves that each family of generated scenes has the shape that its file describes. What holds for
 * all of them is in test_scenes.c.
 */
#include "support.h"

#include <math.h>

#include "scenes/scene.h"

static xpbd_scene make(const char *name)
{
    xpbd_scene scene;
    char error[512];
    if (!xpbd_scene_make(name, &scene, error, sizeof error))
        fail_msg("%s: %s", name, error);
    return scene;
}

static void test_cloth_is_a_level_square_metre(void **state)
{
    (void)state;
    xpbd_scene scene = make("cloth-5");
    double mass = 0.15 / 25.0;
    for (size_t i = 0; i < 25; i++) {
        assert_near(scene.positions[3 * i], 0.25 * (double)(i % 5), 0.0);
        assert_near(scene.positions[3 * i + 1], 0.0, 0.0);
        assert_near(scene.positions[3 * i + 2], 0.25 * (double)(i / 5), 0.0);
        if (i != 0 && i != 4)
            assert_near(scene.inverse_masses[i] * mass, 1.0, 1e-6);
    }
    assert_true(scene.inverse_masses[0] == 0.0f && scene.inverse_masses[4] == 0.0f);
    const double lengths[3] = {0.25, 0.25 * sqrt(2.0), 0.5};
    for (uint32_t b = 0; b < 3; b++) {
        for (size_t k = 0; k < scene.batches[b].count; k++)
            assert_near(scene.batches[b].rest[k], lengths[b], 1e-7);
    }
    xpbd_scene_free(&scene);
}

/* The cells must still be tetrahedra of one orientation, or volume constraints could not follow. */
static void test_tetblock_jitter_keeps_orientation(void **state)
{
    (void)state;
    enum { N = 9 };
    static const uint8_t paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                        {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    static const uint32_t strides[3] = {1, N * N, N};
    xpbd_scene scene = make("tetblock-9");
    bool moved = false;
    for (uint32_t cell = 0; cell < (N - 1) * (N - 1) * (N - 1); cell++) {
        uint32_t x = cell % (N - 1), y = cell / (N - 1) % (N - 1), z = cell / (N - 1) / (N - 1);
        for (size_t p = 0; p < 6; p++) {
            uint32_t corner = (y * N + z) * N + x;
            double d[3][3];
            for (size_t k = 0; k < 3; k++) {
                uint32_t next = corner + strides[paths[p][k]];
                for (size_t i = 0; i < 3; i++)
                    d[k][i] = (double)scene.positions[3 * (size_t)next + i] -
                              (double)scene.positions[3 * (size_t)corner + i];
                corner = next;
            }
            double volume = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
                            d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                            d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
            assert_true(p < 3 ? volume > 1e-4 : volume < -1e-4);
            moved = moved || fabs(fabs(volume) - 1.0 / 512.0) > 1e-4;
        }
    }
    assert_true(moved);
    xpbd_scene_free(&scene);
}

static double triple(const xpbd_scene *scene, const uint32_t *corners, const double origin[3])
{
    double d[3][3];
    for (size_t k = 0; k < 9; k++)
        d[k / 3][k % 3] =
            (double)scene->positions[3 * (size_t)corners[k / 3] + k % 3] - origin[k % 3];
    return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
           d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
           d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

/* A bend is over an edge, between the tips of the two triangles at it. */
static void test_drape_bends_over_its_edges(void **state)
{
    (void)state;
    enum { N = 6 };
    static bool joined[N * N][N * N], over[N * N][N * N];
    xpbd_scene scene = make("drape-6");
    assert_int_equal(scene.n_batches, 3);
    for (uint32_t b = 0; b < 2; b++) {
        for (size_t k = 0; k < scene.batches[b].count; k++) {
            const uint32_t *pair = scene.batches[b].particles + 2 * k;
            joined[pair[0]][pair[1]] = joined[pair[1]][pair[0]] = true;
        }
    }
    assert_int_equal(scene.batches[2].type, XPBD_BEND_ISOMETRIC);
    for (size_t k = 0; k < scene.batches[2].count; k++) {
        const uint32_t *i = scene.batches[2].particles + 4 * k;
        assert_true(joined[i[2]][i[3]] && !joined[i[0]][i[1]]);
        for (size_t tip = 0; tip < 2; tip++)
            assert_true(joined[i[tip]][i[2]] && joined[i[tip]][i[3]]);
        assert_false(over[i[2]][i[3]] || over[i[3]][i[2]]);
        over[i[2]][i[3]] = true;
    }
    xpbd_scene_free(&scene);
}

/* Every tetrahedron is wound the right way round, and together they fill the cube. */
static void test_softbody_fills_the_block(void **state)
{
    (void)state;
    xpbd_scene scene = make("softbody-7"), block = make("tetblock-7");
    const xpbd_scene_batch *tets = &scene.batches[0];
    double sum = 0.0;
    assert_same_floats(scene.positions, block.positions, 3 * (size_t)block.n_particles);
    assert_same_floats(scene.inverse_masses, block.inverse_masses, block.n_particles);
    assert_int_equal(tets->type, XPBD_TET_NEO_HOOKEAN);
    for (size_t t = 0; t < tets->count; t++) {
        const uint32_t *corners = tets->particles + 4 * t;
        double origin[3];
        for (size_t k = 0; k < 3; k++)
            origin[k] = (double)scene.positions[3 * (size_t)corners[0] + k];
        const double six_volumes = triple(&scene, corners + 1, origin);
        assert_true(six_volumes > 1e-4);
        sum += six_volumes / 6.0;
        assert_near(tets->rest[10 * t + 9], 1.5, 0.0);
    }
    assert_near(sum, 1.0, 0.02); /* the jitter moves the sides, by 15 % of a cell at most */
    xpbd_scene_free(&scene);
    xpbd_scene_free(&block);
}

static void test_jelly_has_the_edges_of_one_block_and_the_tetrahedra_of_the_other(void **state)
{
    (void)state;
    xpbd_scene scene = make("jelly-7"), block = make("tetblock-7"), body = make("softbody-7");
    const xpbd_scene_batch *edges = &scene.batches[0], *tets = &scene.batches[1];
    assert_same_floats(scene.positions, block.positions, 3 * (size_t)block.n_particles);
    assert_int_equal(edges->count, block.batches[0].count);
    assert_int_equal(tets->count, body.batches[0].count);
    assert_int_equal(tets->type, XPBD_TET_VOLUME);
    assert_memory_equal(edges->particles, block.batches[0].particles, 8 * (size_t)edges->count);
    assert_memory_equal(tets->particles, body.batches[0].particles, 16 * (size_t)tets->count);
    assert_same_floats(edges->rest, block.batches[0].rest, edges->count);
    assert_null(tets->rest);
    xpbd_scene_free(&scene);
    xpbd_scene_free(&block);
    xpbd_scene_free(&body);
}

/* As above, without jitter: exact numbers, but for the rounding of coordinates. */
static void test_beam_is_a_beam(void **state)
{
    (void)state;
    xpbd_scene scene = make("beam-16");
    const xpbd_scene_batch *tets = &scene.batches[0];
    double sum = 0.0, mass = 0.0;
    assert_int_equal(tets->type, XPBD_TET_STVK);
    for (size_t t = 0; t < tets->count; t++) {
        const uint32_t *corners = tets->particles + 4 * t;
        double origin[3];
        for (size_t k = 0; k < 3; k++)
            origin[k] = (double)scene.positions[3 * (size_t)corners[0] + k];
        const double six_volumes = triple(&scene, corners + 1, origin);
        assert_near(six_volumes, 1.0 / 4096.0, 1e-9);
        sum += six_volumes / 6.0;
    }
    assert_near(sum, 1.0 / 64.0, 1e-7);
    for (uint32_t i = 0; i < scene.n_particles; i++) {
        const float *x = scene.positions + 3 * (size_t)i, w = scene.inverse_masses[i];
        assert_true(x[0] >= 0 && x[0] <= 1 && x[1] >= 0 && x[1] <= 0.125f && x[2] <= 0.125f);
        assert_true((w > 0.0f) == (x[0] > 0.0f));
        mass += w > 0.0f ? 1.0 / (double)w : 0.0;
    }
    assert_near(mass, 1000.0 / 64.0 * 16 / 17, 1e-4); /* a layer of 17 is fixed */
    xpbd_scene_free(&scene);
}

static void test_weight_hangs_at_the_end_of_its_rope(void **state)
{
    (void)state;
    xpbd_scene scene = make("weight-9");
    for (uint32_t i = 0; i < 9; i++) {
        const float *x = scene.positions + 3 * (size_t)i;
        assert_true(x[0] == -x[1] && x[2] == 0.0f);
        assert_near((double)x[0] * (double)x[0], i * i / 128.0, 1e-7);
        assert_near((double)scene.inverse_masses[i], i == 0 ? 0.0 : i == 8 ? 1.0 : 90.0, 1e-5);
    }
    xpbd_scene_free(&scene);
}

/* A closed surface that looks outwards: with its volume, and every particle on the sphere. */
static void test_balloon_is_a_sphere(void **state)
{
    (void)state;
    static const double center[3] = {0.0, 0.0, 0.0};
    xpbd_scene scene = make("balloon-40");
    const xpbd_scene_batch *mesh = &scene.batches[1];
    double sum = 0.0;
    for (uint32_t i = 0; i < scene.n_particles; i++) {
        const float *x = scene.positions + 3 * (size_t)i;
        assert_near(sqrt((double)x[0] * (double)x[0] + (double)x[1] * (double)x[1] +
                         (double)x[2] * (double)x[2]),
                    0.5, 1e-7);
    }
    assert_int_equal(mesh->type, XPBD_MESH_VOLUME);
    assert_int_equal(mesh->count, 1);
    for (size_t t = 0; t < mesh->n_elements; t++) {
        const double six_volumes = triple(&scene, mesh->particles + 3 * t, center);
        assert_true(six_volumes > 0.0);
        sum += six_volumes / 6.0;
    }
    assert_near(sum, mesh->rest[0], 1e-7);
    assert_near(sum, 3.14159265 / 6.0, 0.003); /* flat triangles lie inside the sphere */
    assert_true(mesh->rest[1] > 1.0f);
    xpbd_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cloth_is_a_level_square_metre),
        cmocka_unit_test(test_tetblock_jitter_keeps_orientation),
        cmocka_unit_test(test_drape_bends_over_its_edges),
        cmocka_unit_test(test_softbody_fills_the_block),
        cmocka_unit_test(test_jelly_has_the_edges_of_one_block_and_the_tetrahedra_of_the_other),
        cmocka_unit_test(test_beam_is_a_beam),
        cmocka_unit_test(test_weight_hangs_at_the_end_of_its_rope),
        cmocka_unit_test(test_balloon_is_a_sphere),
    };
    return RUN_GROUP("scene_shapes", tests);
}
