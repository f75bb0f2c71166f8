/* SPDX-License-Identifier: MIT
 *
 * Proves which schedulers keep linear and angular momentum, that averaged Jacobi does not (by
 * exactly the amount it must not), and that the bits scale with units as the formulas do.
 */
#include "support.h"

#include <math.h>

/* Free, with random velocities. */
static xpbd_world *make_tumbling(const char *scheduler)
{
    kit_scene block = kit_block(4, 0.25f);
    uint64_t seed = 3;
    float v[64][3];
    for (uint32_t i = 0; i < block.n_particles; i++) {
        for (int k = 0; k < 3; k++)
            v[i][k] = kit_uniform(&seed, -1, 1);
        block.w[i] = kit_uniform(&seed, 0.5f, 2);
    }
    xpbd_world_def def = kit_def(scheduler);
    xpbd_world *w = kit_build(&def, &block, 1e-5f);
    assert_ok(xpbd_world_set_velocities(w, 0, block.n_particles, v[0], 0));
    kit_scene_free(&block);
    return w;
}

/* 64 particles in a box of 1 m, masses up to 2 kg, 20 steps. In each of 20 iterations a particle is
 * written by up to 14 constraints, each rounding by 2^-25 (coordinates below 1): a momentum error
 * of 2 kg 2^-25 / dt each. Added up as if all had one sign they would be 64 20 14 20 2 2^-25 / dt
 * = 1.3 kg m/s; as they have not, the square root of their number applies, times 4. */
static void test_momentum_is_kept_by_all_but_averaging(void **state)
{
    const double dt = 1.0 / 240, writes = 64.0 * 20 * 14 * 20;
    const double error = 4 * sqrt(writes) * 2 * 0x1p-25 / dt;
    const char *name;
    (void)state;
    for (uint32_t i = 0; (name = xpbd_scheduler_name(i)); i++) {
        const bool averaged = !strcmp(name, "jacobi");
        xpbd_world *w = make_tumbling(name);
        xpbd_diagnostics before, after;
        assert_ok(xpbd_world_set_solver(w, 1, 20));
        assert_ok(xpbd_world_diagnose(w, &before));
        kit_steps(w, 20, dt);
        assert_ok(xpbd_world_diagnose(w, &after));
        /* The scene must be one in which something happens: the motion along the edges is gone. */
        assert_below(after.kinetic_energy, 0.9 * before.kinetic_energy);
        double worst = 0;
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fabs(after.momentum[k] - before.momentum[k]));
        }
        if (averaged)
            assert_true(worst > error);
        else
            assert_near(worst, 0.0, error);
        xpbd_world_destroy(w);
    }
}

/* A block at rest whose edges are e = 2^-12 too long takes one step. Each projection pushes along
 * its edge, so the turning moment sum m x cross dx is 0 but for the edges' turning during the step,
 * by e: n_pairs m (e L)^2, times 8 for what an edge is pushed in all iterations together; rounding
 * adds 2^-25 for each write of a particle, with random sign. One end that moves too far would show
 * as m e L times its distance from the origin. */
static void test_projections_do_not_turn_the_whole(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        if (!strcmp(name, "jacobi"))
            continue;
        kit_scene block = kit_block(3, 0.5f);
        float rest[256];
        assert_true(block.n_pairs <= COUNT_OF(rest));
        double rounding = 0, turning = 0, moment[3] = {0};
        for (uint32_t j = 0; j < block.n_pairs; j++) {
            double d = 0;
            for (int k = 0; k < 3; k++) {
                const double by =
                    (double)block.x[block.pair[j][0]][k] - (double)block.x[block.pair[j][1]][k];
                d += by * by;
            }
            rest[j] = (float)(sqrt(d) * (j % 2 ? 1 - 0x1p-12 : 1 + 0x1p-12));
            turning += 8 * d * 0x1p-24;
            rounding += 2 * 50;
        }
        xpbd_world_def def = kit_def(name);
        def.iterations = 50;
        xpbd_world *w = kit_create(&def);
        kit_add_particles(w, block.n_particles, (const float(*)[3])block.x, block.w);
        kit_add_distances(w, block.n_pairs, (const uint32_t(*)[2])block.pair, rest, 0.0f);
        kit_steps(w, 1, 1.0 / 60);
        float(*x)[3] = kit_positions(w);
        for (uint32_t i = 0; i < block.n_particles; i++) {
            for (int k = 0; k < 3; k++) {
                const int a = (k + 1) % 3, b = (k + 2) % 3;
                moment[k] += (double)block.x[i][a] * ((double)x[i][b] - (double)block.x[i][b]) -
                             (double)block.x[i][b] * ((double)x[i][a] - (double)block.x[i][a]);
            }
        }
        for (int k = 0; k < 3; k++)
            assert_near(moment[k], 0.0, turning + 4 * sqrt(rounding) * 0x1p-25);
        free(x);
        kit_scene_free(&block);
        xpbd_world_destroy(w);
    }
}

/* The 5-particle star of FORMULAS.md 2.4: hub of valence 4, unit masses, in the plane. */
static const float star[5][3] = {{0, 0, 0}, {1.5f, 0, 0}, {0, 2, 0}, {-1.25f, 0, 0}, {0, -1.1f, 0}};
static const uint32_t spokes[4][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}};
static const float ones[4] = {1, 1, 1, 1};

static void displacement(const char *scheduler, uint32_t iterations, double sum[2])
{
    xpbd_world_def def = kit_def(scheduler);
    def.iterations = iterations;
    xpbd_world *w = kit_create(&def);
    kit_add_particles(w, 5, star, NULL);
    kit_add_distances(w, 4, spokes, ones, 0.0f);
    kit_steps(w, 1, 1.0 / 60);
    sum[0] = sum[1] = 0;
    for (uint32_t i = 0; i < 5; i++) {
        float at[3];
        kit_position(w, i, at);
        for (int k = 0; k < 2; k++)
            sum[k] += (double)at[k] - (double)star[i][k];
        assert_near(at[2], 0.0, 0.0);
    }
    xpbd_world_destroy(w);
}

/* One averaged iteration: each spoke of unit masses has lambda = -C / 2; a leaf takes its whole
 * correction and the hub a quarter of each, so that 3/4 of the leaves' displacement is left over:
 * 3/4 (-C1 + C3, -C2 + C4) / 2 with C = 0.5, 1, 0.25, 0.1. */
static void test_averaging_breaks_momentum_and_mass_splitting_does_not(void **state)
{
    double sum[2];
    const char *name;
    (void)state;
    displacement("jacobi", 1, sum);
    assert_near(sum[0], 0.75 * (-0.5 + 0.25) / 2, 5 * 0x1p-23);
    assert_near(sum[1], 0.75 * (-1.0 + 0.1) / 2, 5 * 0x1p-23);
    displacement("jacobi", 400, sum);
    assert_true(fabs(sum[0]) > 0.01 && fabs(sum[1]) > 0.01);
    for (uint32_t i = 0; (name = xpbd_scheduler_name(i)); i++) {
        if (!strcmp(name, "jacobi"))
            continue;
        displacement(name, 400, sum);
        /* 4 spokes round 2 particles to 2^-24 (coordinates up to 2) until converged: 40 times */
        assert_near(sum[0], 0.0, 40 * 8 * 0x1p-24);
        assert_near(sum[1], 0.0, 40 * 8 * 0x1p-24);
    }
}

/* Everything that the formulas scale by powers of two, so that float scales without rounding. */
typedef struct units {
    float length, mass; /* of the scaled world's units, in the first one's */
} units;

static xpbd_world *make_scaled(const char *scheduler, units u)
{
    kit_scene block = kit_block(3, 0.5f);
    uint64_t seed = 8;
    float f[27][3];
    for (uint32_t i = 0; i < block.n_particles; i++) {
        for (int k = 0; k < 3; k++) {
            block.x[i][k] *= u.length;
            f[i][k] = kit_uniform(&seed, -1, 1) * u.length * u.mass;
        }
        block.w[i] = kit_uniform(&seed, 0.5f, 2) / u.mass;
    }
    xpbd_world_def def = kit_def(scheduler);
    def.acceleration[1] = -9.81f * u.length;
    block.w[0] = 0;
    xpbd_world *w = kit_create(&def);
    kit_add_particles(w, block.n_particles, (const float(*)[3])block.x, block.w);
    const float soft = 1e-4f / u.mass, damped = 3.0f * u.mass;
    xpbd_constraints c = {.particles = block.pair[0],
                          .compliance = &soft,
                          .compliance_stride = XPBD_SAME,
                          .damping = &damped,
                          .damping_stride = XPBD_SAME};
    assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, block.n_pairs, &c, NULL));
    assert_ok(xpbd_world_set_forces(w, 0, block.n_particles, f[0], 0));
    kit_scene_free(&block);
    return w;
}

/* Millimetres are as good as metres: no absolute threshold (FORMULAS.md part 3 no. 5). */
static void test_bits_scale_with_mass_and_length(void **state)
{
    static const units scaled[] = {{1, 0x1p10f}, {1, 0x1p-10f}, {0x1p-20f, 1}, {0x1p10f, 0x1p20f}};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        xpbd_world *w = make_scaled(name, (units){1, 1});
        kit_steps(w, 30, 1.0 / 60);
        float(*want)[3] = kit_positions(w);
        for (uint32_t u = 0; u < COUNT_OF(scaled); u++) {
            xpbd_world *other = make_scaled(name, scaled[u]);
            kit_steps(other, 30, 1.0 / 60);
            float(*got)[3] = kit_positions(other);
            for (uint32_t i = 0; i < 27 * 3; i++)
                got[i / 3][i % 3] /= scaled[u].length;
            assert_same_floats(got[0], want[0], 27 * 3);
            free(got);
            xpbd_world_destroy(other);
        }
        free(want);
        xpbd_world_destroy(w);
    }
}

/* A mirror image: the sign of x is no business of the solver's. */
static void test_bits_do_not_depend_on_the_side(void **state)
{
    kit_scene rope = kit_rope(12, 0.3f), mirrored = kit_rope(12, 0.3f);
    xpbd_world_def def = kit_def(NULL);
    def.acceleration[1] = -9.81f;
    (void)state;
    for (uint32_t i = 0; i < 12; i++)
        mirrored.x[i][0] = -mirrored.x[i][0];
    xpbd_world *a = kit_build(&def, &rope, 1e-4f), *b = kit_build(&def, &mirrored, 1e-4f);
    kit_steps(a, 30, 1.0 / 60);
    kit_steps(b, 30, 1.0 / 60);
    float(*want)[3] = kit_positions(a), (*got)[3] = kit_positions(b);
    assert_true(want[11][1] < -0.1f);
    for (uint32_t i = 0; i < 12; i++) {
        for (int k = 0; k < 3; k++)
            assert_near(got[i][k], k == 0 ? -want[i][k] : want[i][k], 0.0);
    }
    free(want);
    free(got);
    kit_scene_free(&rope);
    kit_scene_free(&mirrored);
    xpbd_world_destroy(a);
    xpbd_world_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum_is_kept_by_all_but_averaging),
        cmocka_unit_test(test_projections_do_not_turn_the_whole),
        cmocka_unit_test(test_averaging_breaks_momentum_and_mass_splitting_does_not),
        cmocka_unit_test(test_bits_scale_with_mass_and_length),
        cmocka_unit_test(test_bits_do_not_depend_on_the_side),
    };
    return RUN_GROUP("physics_momentum", tests);
}
