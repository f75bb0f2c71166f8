/* SPDX-License-Identifier: MIT
 *
 * Proves that scenes of mesh files hang from their top with the rest lengths of the file, and that
 * worlds made of scenes hold what the scenes say, also several in one world.
 */
#include "support_memory.h"
#include "support_mesh.h"

#include <math.h>

#include "scenes/scene.h"

static xpbd_scene scene_of_text(const char *name, const char *text)
{
    const char *path = kit_temporary(name);
    kit_write(path, text, strlen(text));
    xpbd_scene scene;
    char error[600];
    if (!xpbd_scene_from_mesh_file(path, false, &scene, error, sizeof error))
        fail_msg("%s", error);
    assert_string_equal(error, "");
    return scene;
}

static void test_N10_unused_points_are_fixed(void **state)
{
    (void)state;
    static const float want[] = {9.0f, 9.0f, 9.0f};
    xpbd_scene scene = scene_of_text("n10.obj", "v 0 0 0\nv 9 9 9\nv 2 0 0\nv 0 2 0\nf 1 3 4\n");
    assert_int_equal(scene.n_particles, 4);
    assert_string_equal(scene.note, "1 points unused (fixed)");
    /* Particle 1 is not part of the mesh, so 3 is its top. The mass of 1 kg is that of 0, 2, 3. */
    assert_true(scene.inverse_masses[0] == 3.0f && scene.inverse_masses[1] == 0.0f);
    assert_true(scene.inverse_masses[2] == 3.0f && scene.inverse_masses[3] == 0.0f);
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = kit_create(&def);
    assert_ok(xpbd_scene_build(&scene, world));
    kit_steps(world, 10, 1.0 / 60.0);
    float(*x)[3] = kit_positions(world);
    assert_same_floats(x[1], want, 3);
    for (size_t k = 0; k < 12; k++)
        assert_true(isfinite(x[k / 3][k % 3]));
    assert_true(x[2][1] < -0.01f); /* 0 hangs from 3 already */
    free(x);
    xpbd_world_destroy(world);
    xpbd_scene_free(&scene);
}

static void test_mesh_scene_has_the_lengths_of_the_file(void **state)
{
    (void)state;
    xpbd_scene scene =
        scene_of_text("lengths.obj", "v 0.1 0.2 0.3\nv 1000.7 -3 2\nv 5 1e-3 7\nf 1 2 3\n");
    assert_string_equal(scene.name, "lengths");
    assert_string_equal(scene.note, "");
    assert_int_equal(scene.n_batches, 1);
    assert_int_equal(scene.batches[0].count, 3);
    assert_int_equal(scene.batches[0].type, XPBD_DISTANCE);
    kit_same_indices(scene.batches[0].particles, (uint32_t[]){0, 1, 0, 2, 1, 2}, 6);
    for (size_t k = 0; k < 3; k++) {
        const float *a = scene.positions + 3 * (size_t)scene.batches[0].particles[2 * k];
        const float *b = scene.positions + 3 * (size_t)scene.batches[0].particles[2 * k + 1];
        double d[3];
        for (size_t i = 0; i < 3; i++)
            d[i] = (double)b[i] - (double)a[i];
        assert_true(scene.batches[0].rest[k] ==
                    (float)sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
    xpbd_scene_free(&scene);
}

/* 2 % by number, rounded up, and never all: of a level sheet the lowest numbers. */
static void test_topmost_points_are_fixed(void **state)
{
    (void)state;
    static const struct {
        uint32_t n, fixed;
        double slope;
    } rows[] = {{2, 1, 0.0}, {50, 1, 1.0}, {51, 2, -1.0}, {200, 4, 0.0}, {201, 5, 1.0}};
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char text[16384];
        size_t at = 0;
        for (uint32_t k = 0; k < rows[r].n; k++)
            at +=
                (size_t)snprintf(text + at, sizeof text - at, "v %u %g 0\n", k, rows[r].slope * k);
        at += (size_t)snprintf(text + at, sizeof text - at, "l");
        for (uint32_t k = 0; k < rows[r].n; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, " %u", k + 1);
        xpbd_scene scene = scene_of_text("top.obj", text);
        for (uint32_t k = 0; k < rows[r].n; k++) {
            uint32_t from_top = rows[r].slope > 0.0 ? rows[r].n - 1 - k : k;
            assert_true((scene.inverse_masses[k] == 0.0f) == (from_top < rows[r].fixed));
        }
        xpbd_scene_free(&scene);
    }
}

static void test_mesh_scene_tells_what_was_left_out(void **state)
{
    (void)state;
    xpbd_scene scene = scene_of_text("a03 x.y.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\n"
                                                    "f 1 2 3\nf 1 2 2\nf 4 4 4\nf 1 2 4\n");
    assert_string_equal(scene.name, "a03 x.y");
    assert_string_equal(scene.note, "2 with a repeated point (skipped), 1 without area (skipped), "
                                    "1 points unused (fixed)");
    xpbd_scene_free(&scene);
}

static void test_broken_mesh_makes_no_scene(void **state)
{
    (void)state;
    static const xpbd_scene zero;
    static const char flawed[] = "v 0 0 0\nv 1 0 nan\n";
    static const char too_long[] = "v -3e38 -3e38 0\nv 3e38 3e38 0\nl 1 2\n";
    const char *path = kit_temporary("broken.obj");
    xpbd_scene scene;
    char error[600], want[600];
    memset(&scene, 0xff, sizeof scene);
    kit_write(path, flawed, strlen(flawed));
    assert_false(xpbd_scene_from_mesh_file(path, false, &scene, error, sizeof error));
    (void)snprintf(want, sizeof want, "%s:2: coordinate z 'nan' is not a finite decimal number",
                   path);
    assert_string_equal(error, want);
    assert_memory_equal(&scene, &zero, sizeof scene);
    kit_write(path, too_long, strlen(too_long));
    assert_false(xpbd_scene_from_mesh_file(path, false, &scene, error, sizeof error));
    assert_non_null(strstr(error, "too long for a 32-bit float"));
    assert_memory_equal(&scene, &zero, sizeof scene);
    assert_false(xpbd_scene_from_mesh_file(path, false, &scene, NULL, 0));
}

static void test_world_holds_the_scene(void **state)
{
    (void)state;
    static const char *const names[] = {
        "cloth-8",    "tetblock-4-scrambled", "rope-9", "drape-6", "drape-6-scrambled",
        "softbody-4", "softbody-4-scrambled", "beam-9", "weight-8"};
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        xpbd_scene scene;
        char error[300];
        assert_true(xpbd_scene_make(names[k], &scene, error, sizeof error));
        xpbd_world_def def = kit_def(NULL);
        xpbd_world *world = kit_create(&def);
        assert_ok(xpbd_scene_build(&scene, world));
        xpbd_world_summary summary;
        assert_ok(xpbd_world_summarize(world, &summary));
        uint32_t n[XPBD_CONSTRAINT_TYPE_COUNT] = {0};
        for (uint32_t b = 0; b < scene.n_batches; b++)
            n[scene.batches[b].type] += scene.batches[b].count;
        assert_int_equal(summary.n_particles, scene.n_particles);
        assert_memory_equal(summary.n_constraints, n, sizeof n);
        float(*x)[3] = kit_positions(world);
        assert_same_floats(x[0], scene.positions, 3 * (size_t)scene.n_particles);
        free(x);
        /* At rest nothing but gravity acts, and what is fixed stays. */
        xpbd_diagnostics diagnostics;
        assert_ok(xpbd_world_diagnose(world, &diagnostics));
        assert_below(diagnostics.residual_max, 1e-6); /* rounding of lengths and strains */
        kit_steps(world, 1, 1.0 / 60.0);
        x = kit_positions(world);
        bool fell = false;
        for (size_t i = 0; i < scene.n_particles; i++) {
            fell = fell || x[i][1] < scene.positions[3 * i + 1] - 1e-3f;
            if (scene.inverse_masses[i] == 0.0f)
                assert_same_floats(x[i], scene.positions + 3 * i, 3);
        }
        assert_true(fell);
        free(x);
        xpbd_world_destroy(world);
        xpbd_scene_free(&scene);
    }
}

/* Of a mesh of tetrahedra the volumes are kept, and of another there are none. */
static void test_mesh_scene_with_volumes(void **state)
{
    (void)state;
    xpbd_scene scene, plain;
    char error[600];
    assert_true(xpbd_scene_from_mesh_file("tests/data/mesh/two_tets.node", false, &plain, error,
                                          sizeof error));
    assert_true(xpbd_scene_from_mesh_file("tests/data/mesh/two_tets.node", true, &scene, error,
                                          sizeof error));
    assert_int_equal(plain.n_batches, 1);
    assert_int_equal(scene.n_batches, 2);
    assert_int_equal(scene.batches[0].count, plain.batches[0].count);
    assert_int_equal(scene.batches[1].type, XPBD_TET_VOLUME);
    assert_int_equal(scene.batches[1].count, 2);
    xpbd_world_def def = kit_def(NULL);
    def.iterations = 50;
    xpbd_world *world = kit_create(&def);
    assert_ok(xpbd_scene_build(&scene, world));
    kit_steps(world, 20, 1.0 / 60.0);
    xpbd_world_summary summary;
    assert_ok(xpbd_world_summarize(world, &summary));
    assert_int_equal(summary.n_constraints[XPBD_TET_VOLUME], 2);
    xpbd_diagnostics diagnostics;
    assert_ok(xpbd_world_diagnose(world, &diagnostics));
    assert_below(diagnostics.residual_max, 1e-3);
    xpbd_world_destroy(world);
    xpbd_scene_free(&scene);
    xpbd_scene_free(&plain);
    assert_true(
        xpbd_scene_from_mesh_file("tests/data/mesh/plate.obj", true, &scene, error, sizeof error));
    assert_int_equal(scene.n_batches, 1);
    xpbd_scene_free(&scene);
}

static double volume_of(const xpbd_scene *scene, const float (*x)[3])
{
    const xpbd_scene_batch *mesh = &scene->batches[1];
    double sum = 0.0;
    for (size_t e = 0; e < mesh->n_elements; e++) {
        double r[3][3];
        for (size_t k = 0; k < 9; k++)
            r[k / 3][k % 3] = (double)x[mesh->particles[3 * e + k / 3]][k % 3];
        sum += r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) +
               r[0][1] * (r[1][2] * r[2][0] - r[1][0] * r[2][2]) +
               r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
    }
    return sum / 6.0;
}

static void test_balloon_is_pumped_up(void **state)
{
    (void)state;
    static const char *const names[] = {"balloon-16", "balloon-16-scrambled"};
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        xpbd_scene scene;
        assert_true(xpbd_scene_make(names[k], &scene, NULL, 0));
        xpbd_world_def def = kit_def(NULL);
        xpbd_world *world = kit_create(&def);
        assert_ok(xpbd_scene_build(&scene, world));
        const double before = volume_of(&scene, (const float(*)[3])scene.positions);
        kit_steps(world, 60, 1.0 / 60.0);
        float(*x)[3] = kit_positions(world);
        assert_near(volume_of(&scene, (const float(*)[3])x) / before, 1.2, 0.01);
        free(x);
        xpbd_world_destroy(world);
        xpbd_scene_free(&scene);
    }
}

/* What the library refuses shows that all of a batch reaches it. */
static void test_status_of_the_library_is_passed_on(void **state)
{
    (void)state;
    static const xpbd_status want[] = {XPBD_OK, XPBD_ERROR_COMPLIANCE, XPBD_ERROR_DAMPING,
                                       XPBD_ERROR_REST, XPBD_ERROR_POSITION};
    for (size_t k = 0; k < COUNT_OF(want); k++) {
        xpbd_scene scene;
        assert_true(xpbd_scene_make("rope-4", &scene, NULL, 0));
        xpbd_scene_batch *last = &scene.batches[scene.n_batches - 1];
        last->compliance = k == 1 ? -1.0f : last->compliance;
        last->damping = k == 2 ? -1.0f : last->damping;
        last->rest[1] = k == 3 ? -1.0f : last->rest[1];
        scene.positions[5] = k == 4 ? INFINITY : scene.positions[5];
        xpbd_world_def def = kit_def(NULL);
        xpbd_world *world = kit_create(&def);
        assert_status(xpbd_scene_build(&scene, world), want[k]);
        xpbd_world_destroy(world);
        xpbd_scene_free(&scene);
    }
}

/* The second body's constraints must name the second body's particles. */
static void test_A01_two_scenes_in_one_world(void **state)
{
    (void)state;
    xpbd_scene first, second;
    assert_true(xpbd_scene_make("tetblock-2", &first, NULL, 0));
    assert_true(xpbd_scene_make("tetblock-2", &second, NULL, 0));
    first.gravity[1] = second.gravity[1] = 0.0f;
    for (size_t i = 0; i < 8; i++)
        second.positions[3 * i] = 10.0f + 1.1f * second.positions[3 * i];
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = kit_create(&def);
    assert_ok(xpbd_scene_build(&first, world));
    assert_ok(xpbd_scene_build(&second, world));
    kit_steps(world, 10, 1.0 / 60.0);
    float(*x)[3] = kit_positions(world);
    for (size_t i = 0; i < 24; i++)
        assert_near(x[i / 3][i % 3], first.positions[i], 1e-6);
    float moved = 0.0f;
    for (size_t i = 0; i < 8; i++)
        moved = fmaxf(moved, fabsf(x[8 + i][0] - second.positions[3 * i]));
    assert_true(moved > 0.01f && moved < 0.2f);
    free(x);
    xpbd_world_destroy(world);
    xpbd_scene_free(&first);
    xpbd_scene_free(&second);
}

static bool attempt(const void *path)
{
    xpbd_scene scene;
    char error[600];
    bool made = xpbd_scene_from_mesh_file(path, true, &scene, error, sizeof error);
    assert_true(made || strstr(error, "out of memory"));
    if (made)
        xpbd_scene_free(&scene);
    return made;
}

static void test_memory_that_runs_out(void **state)
{
    (void)state;
    static const char *const paths[] = {"tests/data/mesh/plate.obj",
                                        "tests/data/mesh/two_tets.node"};
    for (size_t k = 0; k < COUNT_OF(paths); k++) {
        uint64_t n = kit_fail_each_allocation(attempt, paths[k]);
        if (n == 0)
            skip();
        assert_true(n >= 13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_N10_unused_points_are_fixed),
        cmocka_unit_test(test_mesh_scene_has_the_lengths_of_the_file),
        cmocka_unit_test(test_topmost_points_are_fixed),
        cmocka_unit_test(test_mesh_scene_tells_what_was_left_out),
        cmocka_unit_test(test_broken_mesh_makes_no_scene),
        cmocka_unit_test(test_world_holds_the_scene),
        cmocka_unit_test(test_mesh_scene_with_volumes),
        cmocka_unit_test(test_balloon_is_pumped_up),
        cmocka_unit_test(test_status_of_the_library_is_passed_on),
        cmocka_unit_test(test_A01_two_scenes_in_one_world),
        cmocka_unit_test(test_memory_that_runs_out),
    };
    return RUN_GROUP("scene_build", tests);
}
