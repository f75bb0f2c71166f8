/* SPDX-License-Identifier: MIT
 *
 * Faults known from other engines that need a world to show: what a known force makes of one
 * particle on each type of constraint, all particles fixed, rods that are fixed in two places or
 * made of very short segments, and units of length for types of variable size.
 */
#include "support_build.h"
#include "support_clusters.h"

#include "kernel_bed.h"

#include <math.h>

enum { LINEAR, GREEN }; /* C of the displacement d: d, or d + d^2 / 2 */

/* One particle of 1 kg, the others fixed, and a force along one axis. `stiffness` times alpha is
 * what the force has to overcome: the derivative of 1/2 C^2 / alpha. */
typedef struct deflection {
    xpbd_constraint_type type;
    float x[4][3];
    uint32_t mover, axis;
    float alpha, force;
    double stiffness;
    int law;
} deflection;

#define TETRAHEDRON                                                                                \
    {                                                                                              \
        {0, 0, 0}, {1, 0, 0}, {0, 1, 0},                                                           \
        {                                                                                          \
            0, 0, 1                                                                                \
        }                                                                                          \
    }
#define HINGE                                                                                      \
    {                                                                                              \
        {0.5f, 1, 0}, {0.5f, -1, 0}, {0, 0, 0},                                                    \
        {                                                                                          \
            1, 0, 0                                                                                \
        }                                                                                          \
    }

static const double nu = 0.3;

/* Where the numbers come from:
 *   tie_edge       in the middle of the edge; an end of it counts with the square of its weight
 *   bend_dihedral  a wing of height 1: the angle is d; isometric has 3 e^2 / (A0 + A1) = 3 of it
 *   volumes        a base of 1/2 m^2: V = d / 6. An engine whose gradient is that of 6 V (FORMULAS
 *                  part 3 no. 3) has 6 times the stiffness
 *   tri_fem        A E h / (1 - nu^2) across a fixed edge, A = 1/2, alpha = 1 / (E h)
 *   tets           V (lambda + 2 mu) above a fixed face, alpha = 1 / E or 1 / mu */
static void test_F3_a_force_is_balanced_at_its_closed_form(void **state)
{
    const double lame = nu / ((1 + nu) * (1 - 2 * nu)), mu = 1 / (2 * (1 + nu));
    const deflection cases[] = {
        {XPBD_DISTANCE, {{0}, {1, 0, 0}}, 1, 0, 1e-3f, 10, 1, LINEAR},
        {XPBD_ROPE, {{0}, {1, 0, 0}}, 1, 0, 1e-3f, 10, 1, LINEAR},
        {XPBD_TETHER, {{0}, {1, 0, 0}}, 1, 0, 1e-3f, 10, 1, LINEAR},
        {XPBD_STRUT, {{0}, {1, 0, 0}}, 1, 0, 1e-3f, -10, 1, LINEAR},
        {XPBD_ATTACH, {{0.5f, 0.25f, 0}}, 0, 1, 1e-3f, 10, 1, LINEAR},
        {XPBD_TIE_EDGE, {{0.5f, 0, 0}, {0}, {1, 0, 0}}, 0, 1, 1e-3f, 10, 1, LINEAR},
        {XPBD_TIE_EDGE, {{0.5f, 0, 0}, {0}, {1, 0, 0}}, 1, 1, 1e-3f, 10, 0.25, LINEAR},
        {XPBD_TIE_TRIANGLE,
         {{0.25f, 0.25f, 0}, {0}, {1, 0, 0}, {0, 1, 0}},
         0,
         2,
         1e-3f,
         10,
         1,
         LINEAR},
        {XPBD_TIE_TRIANGLE,
         {{0.25f, 0.25f, 0}, {0}, {1, 0, 0}, {0, 1, 0}},
         1,
         2,
         1e-3f,
         10,
         0.25,
         LINEAR},
        {XPBD_BEND_DIHEDRAL, HINGE, 0, 2, 1e-3f, 0.01f, 1, LINEAR},
        {XPBD_BEND_ISOMETRIC, HINGE, 0, 2, 1e-3f, 0.01f, 3, LINEAR},
        {XPBD_BEND_ANGLE, {{-1, 0, 0}, {0}, {1, 0, 0}}, 2, 2, 1e-3f, 0.01f, 1, LINEAR},
        {XPBD_TET_VOLUME, TETRAHEDRON, 3, 2, 3e-5f, 10, 1.0 / 36, LINEAR},
        {XPBD_MESH_VOLUME, TETRAHEDRON, 3, 2, 3e-5f, 10, 1.0 / 36, LINEAR},
        {XPBD_TRI_FEM, {{0}, {1, 0, 0}, {0, 1, 0}}, 2, 1, 1e-3f, 1, 0.5 / (1 - nu * nu), GREEN},
        {XPBD_TET_STVK, TETRAHEDRON, 3, 2, 1e-3f, 1, (lame + 2 * mu) / 6, GREEN},
        {XPBD_TET_NEO_HOOKEAN, TETRAHEDRON, 3, 2, 1e-3f, 1, (lame / mu + 2) / 6, LINEAR}};
    const char *scheduler;
    (void)state;
    for (uint32_t s = 0; (scheduler = xpbd_scheduler_name(s)); s++) {
        for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
            static const uint32_t ids[4] = {0, 1, 2, 3}, four = 4;
            static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
            const deflection *at = &cases[i];
            const xpbd_constraint_info *info = xpbd_constraint_type_info(at->type);
            float w[4] = {0}, rest[XPBD_REST_MAX], f[3] = {0};
            w[at->mover] = 1;
            f[at->axis] = at->force;
            xpbd_world_def def = kit_def(scheduler);
            def.iterations = 20;
            xpbd_world *world = kit_create(&def);
            kit_add_particles(world, 4, at->x, w);
            xpbd_constraints c = {.particles = info->variable ? faces[0] : ids,
                                  .sizes = info->variable ? &four : NULL,
                                  .compliance = &at->alpha};
            if (!info->variable) {
                xpbd_constraint_ops_of(at->type)->rest_of(at->x, rest);
                if (at->type == XPBD_TET_STVK)
                    rest[9] = (float)nu;
                if (at->type == XPBD_TET_NEO_HOOKEAN)
                    rest[9] = (float)(lame / mu);
                c.rest = rest;
            }
            assert_ok(xpbd_world_add_constraints(world, at->type, 1, &c, NULL));
            assert_ok(xpbd_world_set_forces(world, at->mover, 1, f, 0));
            kit_steps(world, 800, 1.0 / 64);
            /* k C(d) C'(d) = F by Newton's method. */
            const double k = at->stiffness / (double)at->alpha, F = (double)at->force;
            double d = F / k;
            for (int n = 0; n < 20 && at->law == GREEN; n++)
                d -=
                    (k * (d + d * d / 2) * (1 + d) - F) / (k * ((1 + d) * (1 + d) + d + d * d / 2));
            const double C = at->law == GREEN ? d + d * d / 2 : d;
            float x[3], forces[4 * 9];
            kit_position(world, at->mover, x);
            const double got = (double)x[at->axis] - (double)at->x[at->mover][at->axis];
            /* Floats near 1 are so to 2^-24, which is felt as a force of 2^-24 / dt^2, times 1 / k.
             * Bends are so small that they stay where they are along the wing. Elements: a step
             * begins F dt^2 off the end, and applies what it finds there along gradients of there.
             */
            const double of = fmax(fabs((double)at->x[at->mover][at->axis]), fabs(d));
            const double error = xpbd_constraint_ops_of(at->type)->compliance ? 5e-4 : 1e-5;
            if (fabs(got - d) > error * fabs(d) + 3e-7 * of)
                fail_msg("%s, corner %u, %s: moves by %.9g, not by %.9g", info->name, at->mover,
                         scheduler, got, d);
            assert_ok(xpbd_world_read_forces(world, at->type, 0, 1, forces, 0));
            double force = 0;
            for (uint32_t e = 0; e < (info->variable ? 4 : 1); e++)
                for (uint32_t p = 0; p < info->n_particles; p++)
                    if (c.particles[e * info->n_particles + p] == at->mover)
                        force += (double)forces[(e * info->n_particles + p) * 3 + at->axis];
            assert_near(force, -F, 1e-3 * fabs(F));
            xpbd_diagnostics diagnostics;
            assert_ok(xpbd_world_diagnose(world, &diagnostics));
            assert_near(diagnostics.constraint_energy, 0.5 * k * C * C, 1e-3 * 0.5 * k * C * C);
            xpbd_world_destroy(world);
        }
    }
}

/* N04 for every type: strained, rigid, all particles fixed, under gravity. */
static void test_N04_all_types_between_fixed_particles(void **state)
{
    const char *scheduler;
    (void)state;
    BED_EACH_TYPE(type)
    {
        const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
        static const uint32_t ids[4] = {0, 1, 2, 3};
        static const float pinned[4] = {0}, zeros[12] = {0};
        uint64_t seed = 31;
        bed_constraint c = bed_make(type, 0.4, &seed);
        double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
        do { /* one-sided ones on the wrong side */
            c = bed_make(type, 0.4, &seed);
            bed_measure(type, (const float(*)[3])c.x, c.rest, C, g);
        } while (!(fabs(bed_residual(type, C[0], 0, 0)) > 1e-3));
        for (uint32_t s = 0; (scheduler = xpbd_scheduler_name(s)); s++) {
            xpbd_world_def def = kit_def(scheduler);
            def.acceleration[1] = -9.81f;
            xpbd_world *world = kit_create(&def);
            kit_add_particles(world, 4, (const float(*)[3])c.x, pinned);
            const xpbd_constraints in = {.particles = ids, .rest = c.rest};
            assert_ok(xpbd_world_add_constraints(world, (xpbd_constraint_type)type, 1, &in, NULL));
            kit_steps(world, 10, 1.0 / 60);
            float(*x)[3] = kit_positions(world), (*v)[3] = kit_velocities(world);
            float lambda[XPBD_ROWS_MAX];
            assert_same_floats(x[0], c.x[0], 12);
            assert_same_floats(v[0], zeros, 12);
            assert_ok(xpbd_world_read_lambdas(world, (xpbd_constraint_type)type, 0, 1, lambda, 0));
            for (uint32_t row = 0; row < info->n_rows; row++)
                assert_near(lambda[row], 0.0, 0.0);
            xpbd_diagnostics d;
            assert_ok(xpbd_world_diagnose(world, &d));
            assert_int_equal(d.n_infeasible, 1);
            assert_int_equal(d.first_infeasible_type, (int)type);
            assert_int_equal(d.n_nonfinite, 0);
            free(x);
            free(v);
            xpbd_world_destroy(world);
        }
    }
}

/* N30: a rod that is fixed in two places goes on behind the first. */
static void test_N30_a_rod_goes_on_behind_a_fixed_point(void **state)
{
    static const float x[6][3] = {{0},          {0.1f, 0, 0}, {0.2f, 0, 0},
                                  {0.3f, 0, 0}, {0.4f, 0, 0}, {0.5f, 0, 0}};
    static const uint32_t pins[2][2] = {{0, 2}, {0, 5}};
    const char *scheduler;
    (void)state;
    for (uint32_t s = 0; (scheduler = xpbd_scheduler_name(s)); s++) {
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t *pinned = pins[k / 2];
            xpbd_world_def def = kit_def(scheduler);
            def.acceleration[1] = -9.81f;
            xpbd_world *world = kit_create(&def);
            xpbd_polyline_def rod = xpbd_default_polyline_def();
            rod.bend = k % 2;
            rod.bend_factor = 1e-9f;
            const xpbd_build_mesh mesh = {
                .n_vertices = 6, .position = x[0], .n_pinned = 2, .pinned = pinned};
            xpbd_built built;
            assert_ok(xpbd_build_polyline(world, &mesh, &rod, &built));
            kit_steps(world, 1, 1.0 / 60);
            float(*at)[3] = kit_positions(world);
            for (uint32_t i = 0; i < 6; i++) {
                if (i == pinned[0] || i == pinned[1])
                    assert_same_floats(at[i], x[i], 3);
                else
                    assert_true(at[i][1] < 0.0f);
            }
            if (k < 2)
                assert_true(at[5][1] <= at[4][1] && at[5][1] <= at[3][1]);
            free(at);
            xpbd_world_destroy(world);
        }
    }
}

/* N32: 20 segments without bending, down to a millimetre: they swing in their plane and keep their
 * lengths. */
static void test_N32_short_segments_swing_in_their_plane(void **state)
{
    enum { N = 20 };
    static const float lengths[] = {0.1f, 0.01f, 0.001f};
    static const char *const schedulers[] = {"serial-gs", "colored-gs"};
    (void)state;
    for (uint32_t i = 0; i < 2 * COUNT_OF(lengths); i++) {
        const double length = (double)lengths[i / 2];
        kit_scene rope = kit_rope(N + 1, lengths[i / 2]);
        xpbd_world_def def = kit_def(schedulers[i % 2]);
        def.acceleration[1] = -9.81f;
        def.substeps = 200;
        def.iterations = 2;
        xpbd_world *world = kit_build(&def, &rope, 0.0f);
        float lowest = 0;
        for (int step = 0; step < 120; step++) {
            kit_steps(world, 1, 1.0 / 60);
            float(*x)[3] = kit_positions(world);
            double arc = 0;
            for (uint32_t k = 0; k < N; k++) {
                const double dx = (double)x[k + 1][0] - (double)x[k][0];
                const double dy = (double)x[k + 1][1] - (double)x[k][1];
                assert_near(x[k + 1][2], 0.0, 1e-5);
                assert_near(sqrt(dx * dx + dy * dy), length, 0.02 * length);
                arc += sqrt(dx * dx + dy * dy);
            }
            assert_below(arc, 1.02 * N * length);
            lowest = fminf(lowest, x[N][1]);
            free(x);
        }
        assert_true((double)lowest < -0.8 * N * length); /* it hangs, or did */
        kit_scene_free(&rope);
        xpbd_world_destroy(world);
    }
}

/* FORMULAS part 3 no. 5 for types of variable size: a squeezed sphere with its volume, and as a
 * cluster, in units of 2^20 and 2^-20 m. Compliance: m^5/N is a fourth power where a newton is a
 * metre, m/N none. */
static void test_F5_variable_types_scale_with_length(void **state)
{
    (void)state;
    for (int type = 0; type < 2; type++) {
        float(*want)[3] = NULL;
        static const int powers[] = {0, 20, -20};
        for (int unit = 0; unit < 3; unit++) {
            const int power = powers[unit];
            kit_surface mesh = kit_sphere(6, 9, 1.0f);
            const uint32_t n = mesh.n;
            for (uint32_t k = 0; k < 3 * n; k++)
                mesh.x[k / 3][k % 3] = ldexpf(mesh.x[k / 3][k % 3], power);
            xpbd_world_def def = kit_def(NULL);
            xpbd_world *world = kit_create(&def);
            kit_add_particles(world, n, (const float(*)[3])mesh.x, mesh.w);
            const float alpha = ldexpf(1e-3f, type ? 0 : 4 * power), tau = 0.05f;
            const xpbd_constraints c = {.compliance = &alpha, .damping_time = &tau};
            if (type)
                kit_add_cluster(world, n, NULL, 0.3f, &c);
            else
                kit_add_volume(world, &mesh, &c);
            for (uint32_t k = 0; k < n; k++) {
                mesh.x[k][0] = 0.5f * mesh.x[k][0];
                mesh.x[k][1] = mesh.x[k][1] + 0.25f * mesh.x[k][2];
            }
            assert_ok(xpbd_world_set_positions(world, 0, n, mesh.x[0], 0));
            kit_steps(world, 10, 1.0 / 64);
            float(*got)[3] = kit_positions(world);
            for (uint32_t k = 0; k < 3 * n; k++)
                got[k / 3][k % 3] = ldexpf(got[k / 3][k % 3], -power);
            if (want)
                assert_same_floats(got[0], want[0], 3 * n);
            else
                assert_true(fabs((double)got[1][0] - 0.5 * (double)mesh.x[1][0]) > 1e-3);
            free(want);
            want = got;
            kit_surface_free(&mesh);
            xpbd_world_destroy(world);
        }
        free(want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_F3_a_force_is_balanced_at_its_closed_form),
        cmocka_unit_test(test_N04_all_types_between_fixed_particles),
        cmocka_unit_test(test_N30_a_rod_goes_on_behind_a_fixed_point),
        cmocka_unit_test(test_N32_short_segments_swing_in_their_plane),
        cmocka_unit_test(test_F5_variable_types_scale_with_length),
    };
    return RUN_GROUP("faults_bodies", tests);
}
