/* SPDX-License-Identifier: MIT
 *
 * What mesh_volume does, against closed forms, and which meshes the API refuses.
 */
#include "tests/support_clusters.h"

#include <math.h>

static xpbd_world *balloon(const xpbd_world_def *def, const kit_surface *mesh,
                           const xpbd_constraints *c)
{
    xpbd_world *world = kit_create(def);
    kit_add_particles(world, mesh->n, (const float(*)[3])mesh->x, mesh->w);
    kit_add_volume(world, mesh, c);
    return world;
}

static double volume_of(const xpbd_world *world, const kit_surface *mesh)
{
    float(*x)[3] = kit_positions(world);
    const double volume = kit_surface_volume(mesh, (const float(*)[3])x);
    free(x);
    return volume;
}

/* lambda / dt^2 is the pressure kappa (k V0 - V) / V0, and the force on a vertex is the pressure
 * times a third of the area of its triangles, as a vector. Also far from the origin. */
static void test_pressure_is_lambda_over_dt_squared(void **state)
{
    (void)state;
    const double kappa = 1000.0, dt = 0.01;
    for (int far = 0; far < 2; far++) {
        kit_surface mesh = kit_sphere(8, 12, 0.5f);
        const double volume = kit_surface_volume(&mesh, (const float(*)[3])mesh.x);
        for (uint32_t i = 0; i < mesh.n; i++) {
            mesh.x[i][1] += far ? 64.0f : 0.0f;
        }
        const float rest[2] = {(float)volume, 1.5f}, compliance = (float)(volume / kappa);
        const xpbd_constraints c = {.rest = rest, .compliance = &compliance};
        xpbd_world_def def = kit_def(NULL);
        def.iterations = 30;
        xpbd_world *world = balloon(&def, &mesh, &c);
        kit_steps(world, 1, dt);
        float lambda, *force = calloc(mesh.n_triangles, 9 * sizeof *force);
        assert_ok(xpbd_world_read_lambdas(world, XPBD_MESH_VOLUME, 0, 1, &lambda, 0));
        assert_ok(xpbd_world_read_forces(world, XPBD_MESH_VOLUME, 0, 1, force, 0));
        const double after = volume_of(world, &mesh);
        const double pressure = kappa * (1.5 * volume - after) / volume;
        assert_true(after > volume * 1.001);
        assert_near((double)lambda / (dt * dt) / pressure, 1.0, far ? 1e-4 : 1e-5);
        float(*x)[3] = kit_positions(world);
        for (uint32_t e = 0; e < mesh.n_triangles; e++) {
            const float *a = x[mesh.triangle[e][0]], *b = x[mesh.triangle[e][1]];
            const float *d = x[mesh.triangle[e][2]];
            for (int k = 0; k < 3; k++) {
                const int l = (k + 1) % 3, m = (k + 2) % 3;
                const double area =
                    0.5 * (((double)b[l] - (double)a[l]) * ((double)d[m] - (double)a[m]) -
                           ((double)b[m] - (double)a[m]) * ((double)d[l] - (double)a[l]));
                for (int corner = 0; corner < 3; corner++) {
                    assert_near(force[9 * e + 3 * (uint32_t)corner + (uint32_t)k],
                                pressure * area / 3.0, 1e-3);
                }
            }
        }
        free(x);
        free(force);
        xpbd_world_destroy(world);
        kit_surface_free(&mesh);
    }
}

/* One Newton step after the other on a rigid volume. */
static void test_sphere_takes_and_keeps_its_volume(void **state)
{
    (void)state;
    kit_surface mesh = kit_sphere(10, 14, 0.5f);
    const double volume = kit_surface_volume(&mesh, (const float(*)[3])mesh.x);
    const float factor[2] = {(float)volume, 1.2f};
    const xpbd_constraints c = {.rest = factor}, none = {0};
    const char *scheduler;
    for (uint32_t s = 0; (scheduler = xpbd_scheduler_name(s)); s++) {
        xpbd_world_def def = kit_def(scheduler);
        xpbd_world *world = balloon(&def, &mesh, &none);
        kit_steps(world, 1, 0.01);
        assert_near(volume_of(world, &mesh) / volume, 1.0, 1e-6);
        assert_ok(xpbd_world_set_constraints(world, XPBD_MESH_VOLUME, 0, 1, &c));
        for (int step = 0; step < 20; step++) {
            kit_steps(world, 1, 0.01);
            assert_near(volume_of(world, &mesh) / volume, 1.2, 1e-5);
        }
        xpbd_world_destroy(world);
    }
    /* Squeezed by its poles. */
    mesh.w[0] = mesh.w[mesh.n - 1] = 0.0f;
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = balloon(&def, &mesh, &none);
    for (int step = 1; step <= 50; step++) {
        const float top[3] = {0, 0, 0.5f - 0.005f * (float)step}, bottom[3] = {0, 0, -top[2]};
        assert_ok(xpbd_world_move_particles(world, 0, 1, top, 0));
        assert_ok(xpbd_world_move_particles(world, mesh.n - 1, 1, bottom, 0));
        kit_steps(world, 1, 0.01);
        assert_near(volume_of(world, &mesh) / volume, 1.0, 1e-5);
    }
    xpbd_world_destroy(world);
    kit_surface_free(&mesh);
}

/* Turned inside out the volume is -V0: no rest state. */
static void test_inverted_balloon_comes_back(void **state)
{
    (void)state;
    kit_surface mesh = kit_sphere(5, 6, 0.5f);
    const double volume = kit_surface_volume(&mesh, (const float(*)[3])mesh.x);
    const xpbd_constraints none = {0};
    xpbd_world_def def = kit_def(NULL);
    def.iterations = 100;
    xpbd_world *world = balloon(&def, &mesh, &none);
    for (uint32_t i = 0; i < mesh.n; i++) {
        mesh.x[i][0] = -mesh.x[i][0];
    }
    assert_ok(xpbd_world_set_positions(world, 0, mesh.n, mesh.x[0], 0));
    assert_near(volume_of(world, &mesh) / volume, -1.0, 1e-6);
    kit_steps(world, 1, 0.01);
    assert_near(volume_of(world, &mesh) / volume, 1.0, 1e-5);
    xpbd_world_destroy(world);
    kit_surface_free(&mesh);
}

static void refuse_mesh(uint32_t n, uint32_t (*triangle)[3], xpbd_status status, double value)
{
    kit_surface mesh = kit_sphere(3, 4, 1.0f);
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = kit_create(&def);
    kit_add_particles(world, mesh.n, (const float(*)[3])mesh.x, NULL);
    /* The second of two: the first one is good. */
    const uint32_t sizes[2] = {mesh.n_triangles, n};
    uint32_t(*all)[3] = calloc(mesh.n_triangles + n, sizeof *all);
    memcpy(all, mesh.triangle, mesh.n_triangles * sizeof *all);
    memcpy(all + mesh.n_triangles, triangle, n * sizeof *all);
    const xpbd_constraints c = {.particles = all[0], .sizes = sizes};
    assert_status(xpbd_world_add_constraints(world, XPBD_MESH_VOLUME, 2, &c, NULL), status);
    const xpbd_error *error = xpbd_world_error(world);
    assert_int_equal(XPBD_MESH_VOLUME, error->type);
    assert_int_equal(1, error->element);
    assert_near(error->value, value, 0.0);
    kit_steps(world, 1, 0.01);
    free(all);
    xpbd_world_destroy(world);
    kit_surface_free(&mesh);
}

static void test_open_and_twisted_meshes_are_refused(void **state)
{
    (void)state;
    kit_surface good = kit_sphere(3, 4, 1.0f);
    const uint32_t n = good.n_triangles;
    uint32_t(*t)[3] = calloc(n + 1, sizeof *t);
#define AGAIN() memcpy(t, good.triangle, n * sizeof *t)
    AGAIN();
    refuse_mesh(n - 1, t, XPBD_ERROR_MESH_OPEN, n - 6); /* the first neighbour of the hole */
    AGAIN();                                            /* one triangle turned over */
    t[2][0] = good.triangle[2][1];
    t[2][1] = good.triangle[2][0];
    refuse_mesh(n, t, XPBD_ERROR_MESH_OPEN, 2);
    AGAIN(); /* the same triangle twice */
    memcpy(t[n], t[0], sizeof t[0]);
    refuse_mesh(n + 1, t, XPBD_ERROR_MESH_OPEN, n);
    AGAIN(); /* a corner twice */
    t[3][1] = t[3][0];
    refuse_mesh(n, t, XPBD_ERROR_PARTICLE_REPEATED, t[3][0]);
    AGAIN();
    t[1][1] = 99;
    refuse_mesh(n, t, XPBD_ERROR_PARTICLE_INDEX, 99);
#undef AGAIN
    free(t);
    kit_surface_free(&good);
}

/* Eq. 26 with gamma = tau / dt = 1 at alpha 0, solved to the end: C + gamma grad C (x - x^n) = 0,
 * so that a small step of the rest volume is half done. */
static void test_damping_takes_its_share(void **state)
{
    (void)state;
    kit_surface mesh = kit_sphere(8, 12, 0.5f);
    const float volume = (float)kit_surface_volume(&mesh, (const float(*)[3])mesh.x);
    const float rest[2] = {volume, 1.001f}, tau = 0.01f;
    const xpbd_constraints c = {.rest = rest, .damping_time = &tau};
    xpbd_world_def def = kit_def(NULL);
    def.iterations = 30;
    xpbd_world *world = balloon(&def, &mesh, &c);
    kit_steps(world, 1, 0.01);
    assert_near(volume_of(world, &mesh) / (double)volume, 1.0005, 2e-6);
    xpbd_world_destroy(world);
    kit_surface_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pressure_is_lambda_over_dt_squared),
        cmocka_unit_test(test_sphere_takes_and_keeps_its_volume),
        cmocka_unit_test(test_inverted_balloon_comes_back),
        cmocka_unit_test(test_open_and_twisted_meshes_are_refused),
        cmocka_unit_test(test_damping_takes_its_share),
    };
    return RUN_GROUP("mesh_volume", tests);
}
