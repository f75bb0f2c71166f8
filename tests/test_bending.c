/* SPDX-License-Identifier: MIT
 *
 * Proves the bending types against closed forms: the angle itself, flat and folded states, the seam
 * at pi, energies and moments, a cantilever, and the faults of other engines. What all types share
 * is in test_kernels.c.
 */
#define XPBD_ISA_SCALAR 1
#include "support.h"

#include "base/simd_math.h"
#include "kernel_bed.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static const float pi_f = 0x1.921fb6p+1f;

/* Against double atan2 over all directions, and where it has to be exact. */
static void test_atan2_is_good_to_two_ulp(void **state)
{
    (void)state;
    double worst = 0.0;
    uint64_t seed = 1;
    for (int i = 0; i < 4000000; i++) {
        const double angle = bed_random(&seed, -pi, pi), r = exp2(bed_random(&seed, -40, 40));
        const float y = (float)(r * sin(angle)), x = (float)(r * cos(angle));
        const double want = atan2((double)y, (double)x);
        const double ulp = (double)(nextafterf(fabsf((float)want), 4.0f) - fabsf((float)want));
        worst = fmax(worst, fabs((double)v_atan2(y, x) - want) / ulp);
    }
    print_message("atan2: %.3f ulp at worst\n", worst);
    assert_below(worst, 2.25);
    static const float size[] = {1e-30f, 1.0f, 3.0f, 1e30f};
    for (uint32_t i = 0; i < COUNT_OF(size); i++) {
        const float s = size[i];
        assert_true(v_atan2(0.0f, s) == 0.0f && v_atan2(-0.0f, s) == 0.0f);
        assert_true(v_atan2(0.0f, -s) == pi_f && v_atan2(-0.0f, -s) == pi_f);
        assert_true(v_atan2(s, 0.0f) == 0.5f * pi_f && v_atan2(s, -0.0f) == 0.5f * pi_f);
        assert_true(v_atan2(-s, 0.0f) == -0.5f * pi_f && v_atan2(-s, -0.0f) == -0.5f * pi_f);
        assert_true(v_atan2(s, s) == 0.25f * pi_f && v_atan2(-s, s) == -0.25f * pi_f);
        assert_true(v_atan2(s, -s) == (float)(0.75 * pi) && v_atan2(-s, -s) == (float)(-0.75 * pi));
    }
    assert_true(v_atan2(0.0f, 0.0f) == 0.0f && v_atan2(-0.0f, -0.0f) == 0.0f);
}

/* Hinge of length e along x, wings of height h; the second one is turned by `angle` out of the
 * plane of the first. */
static bed_constraint hinge(double angle, double e, double h, float rest)
{
    bed_constraint c = {.x = {{(float)(0.5 * e), (float)h, 0},
                              {(float)(0.5 * e), (float)(-h * cos(angle)), (float)(h * sin(angle))},
                              {0, 0, 0},
                              {(float)e, 0, 0}},
                        .inverse_mass = {1, 1, 1, 1},
                        .rest = {rest}};
    memcpy(c.previous, c.x, sizeof c.x);
    return c;
}

static bed_result project(xpbd_constraint_type type, const bed_constraint *c)
{
    static bed_constraint in[BED_LANES];
    static bed_result out[BED_LANES];
    const xpbd_pass pass = bed_pass();
    uint64_t seed = 1;
    for (int lane = 0; lane < BED_LANES; lane++) {
        in[lane] = bed_make(type, 0.0, &seed);
    }
    in[7] = *c;
    bed_run(type, xpbd_cpu_widest(), XPBD_LAYOUT_aos4, XPBD_VARIANT_FIRST, &pass, in, out);
    return out[7];
}

static double angle_of(const float (*x)[3])
{
    static const float flat[1] = {0};
    double C, g[4][3];
    assert_true(bed_measure(XPBD_BEND_DIHEDRAL, x, flat, &C, g));
    return C;
}

/* Rest angles of flat and folded hinges are 0 and pi to the last bit, whichever way it is folded,
 * and the pose stays. */
static void test_flat_and_folded_are_exact(void **state)
{
    static const double z[] = {0.0, -0.0};
    (void)state;
    for (int folded = 0; folded < 2; folded++) {
        for (int k = 0; k < 4; k++) {
            bed_constraint c = hinge(0.0, 1.0, 0.75, 0);
            float rest = NAN;
            c.x[1][1] = folded ? 0.75f : -0.75f;
            c.x[0][2] = (float)z[k % 2];
            c.x[1][2] = (float)z[k / 2];
            xpbd_constraint_ops_of(XPBD_BEND_DIHEDRAL)->rest_of((const float(*)[3])c.x, &rest);
            assert_true(rest == (folded ? pi_f : 0.0f));
            for (int sign = -1; sign <= 1; sign += 2) {
                c.rest[0] = (float)sign * rest;
                const bed_result r = project(XPBD_BEND_DIHEDRAL, &c);
                assert_true(r.lambda[0] == 0.0f);
                assert_memory_equal(r.x[2], c.x[2], 2 * sizeof c.x[0]);
            }
        }
    }
}

/* With C = angle - rest small, lambda = -C h^2 / 4 for a symmetric flat hinge of unit masses: the
 * gradients are 1/h four times over. So also at h from 2 micrometres to 20 km, which takes the
 * right power of |n| (FORMULAS part 3 no. 2) and no absolute limits (no. 5). */
static void test_F2_F5_angle_gradient_goes_with_one_over_height(void **state)
{
    static const double heights[] = {2e4, 2.0, 2e-3, 2e-6};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(heights); i++) {
        const double h = heights[i];
        const bed_constraint c = hinge(0.0, h, h, 0.01f);
        const bed_result r = project(XPBD_BEND_DIHEDRAL, &c);
        assert_near(r.lambda[0], 0.01 * h * h / 4, 1e-5 * h * h);
        assert_near(angle_of((const float(*)[3])r.x), 0.01, 1e-5);
    }
}

/* Over the seam the short way round, from both sides: rest pi - 0.1, pose -pi + 0.1, and back. */
static void test_angle_wraps_at_pi(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        const float rest = (float)(sign * (pi - 0.1));
        for (int side = -1; side <= 1; side += 2) {
            const bed_constraint at = hinge(pi + side * 0.05, 1.0, 1.0, rest);
            double C, g[4][3];
            assert_true(bed_measure(XPBD_BEND_DIHEDRAL, at.x, at.rest, &C, g));
            /* 0.05 or 0.15, whichever sign; never 2 pi less it. */
            assert_true(fabs(C) < 0.16 && fabs(C) > 0.04);
            double sum = 0.0;
            for (int k = 0; k < 12; k++) {
                sum += g[k / 3][k % 3] * g[k / 3][k % 3];
            }
            const bed_result r = project(XPBD_BEND_DIHEDRAL, &at);
            assert_near(r.lambda[0], -C / sum, 1e-6);
        }
    }
}

/* Where lambda is 0 nothing moves: the wing tips of both triangles pinned, the hinge is not. */
static void test_hinge_moves_between_pinned_wings(void **state)
{
    (void)state;
    bed_constraint c = hinge(0.3, 1.0, 1.0, 0);
    c.inverse_mass[0] = c.inverse_mass[1] = 0.0f;
    const double before = angle_of((const float(*)[3])c.x);
    const bed_result r = project(XPBD_BEND_DIHEDRAL, &c);
    assert_memory_equal(r.x, c.x, 2 * sizeof c.x[0]);
    assert_true(fabs(angle_of((const float(*)[3])r.x)) < 0.1 * fabs(before));
}

/* A wing without height, a hinge without length, all on one spot: counted, and nothing moves. Just
 * above the limit it is an ordinary constraint. */
static void test_slivers_have_no_angle(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        bed_constraint c = hinge(0.3, 1.0, 1.0, 0.5f);
        if (k < 2)
            memcpy(c.x[k], (const float[3]){0.25f, 0, 0}, sizeof c.x[k]);
        else if (k == 2)
            memcpy(c.x[3], c.x[2], sizeof c.x[3]);
        else if (k == 3)
            memset(c.x, 0, sizeof c.x);
        else
            c.x[0][1] = 1e-7f;
        double C, g[4][3];
        assert_false(bed_measure(XPBD_BEND_DIHEDRAL, (const float(*)[3])c.x, c.rest, &C, g));
        const bed_result r = project(XPBD_BEND_DIHEDRAL, &c);
        assert_memory_equal(r.x, c.x, 4 * sizeof c.x[0]);
        assert_true(r.lambda[0] == 0.0f);
    }
    bed_constraint c = hinge(0.3, 1.0, 1.0, 0);
    c.x[0][1] = 1e-4f;
    c.rest[0] = (float)angle_of((const float(*)[3])c.x) + 0.05f;
    const bed_result r = project(XPBD_BEND_DIHEDRAL, &c);
    assert_near(angle_of((const float(*)[3])r.x), c.rest[0], 5e-3);
}

static const uint32_t four[4] = {0, 1, 2, 3};

/* All pinned: lambda = -C / alpha~, so energy 1/2 k theta^2 and a moment -k theta about the hinge,
 * which lifts the wing back. k = 100 N m/rad; damping off. */
static void test_hinge_has_the_moment_of_a_spring(void **state)
{
    (void)state;
    const bed_constraint c = hinge(0.3, 1.0, 0.5, 0);
    const double theta = angle_of((const float(*)[3])c.x);
    static const float pinned[4] = {0}, alpha = 0.01f, flat = 0;
    const xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_create(&def);
    kit_add_particles(w, 4, c.x, pinned);
    assert_ok(xpbd_world_add_constraints(
        w, XPBD_BEND_DIHEDRAL, 1,
        &(xpbd_constraints){.particles = four, .rest = &flat, .compliance = &alpha}, NULL));
    kit_steps(w, 1, 1.0 / 60);
    xpbd_diagnostics d;
    float f[4][3];
    assert_ok(xpbd_world_diagnose(w, &d));
    assert_near(d.constraint_energy, 0.5 * 100 * theta * theta, 1e-5);
    assert_ok(xpbd_world_read_forces(w, XPBD_BEND_DIHEDRAL, 0, 1, f[0], 0));
    /* Of wing 0 about the x axis: y f_z; the angle falls as wing 1 sinks, so they are opposed. */
    assert_near(fabs((double)f[0][2]) * 0.5, 100 * fabs(theta), 1e-3);
    assert_true((f[1][2] < 0.0f) == (c.x[1][2] > 0.0f));
    for (int k = 0; k < 3; k++) {
        assert_near(f[0][k] + f[1][k] + f[2][k] + f[3][k], 0.0, 1e-3);
    }
    xpbd_world_destroy(w);
}

/* N05: a hinge for which acos of a rounded cosine is NaN, and a sheet z = 0.01 x + 0.09 y. Rest
 * taken from the pose; 100 steps without gravity. */
static void test_N05_flat_in_a_tilted_plane(void **state)
{
    static const xpbd_constraint_type types[] = {XPBD_BEND_DIHEDRAL, XPBD_BEND_ISOMETRIC};
    (void)state;
    for (int k = 0; k < 4; k++) {
        float x[4][3] = {{0.5f, 1, 0.005f}, {0.5f, -1, 0.005f}, {0, 0, 0}, {1, 0, 0.01f}};
        for (int i = 0; i < 4 && k >= 2; i++) {
            x[i][2] = 0.01f * x[i][0] + 0.09f * x[i][1];
        }
        const xpbd_world_def def = kit_def(NULL);
        xpbd_world *w = kit_create(&def);
        kit_add_particles(w, 4, (const float(*)[3])x, NULL);
        const xpbd_constraints c = {.particles = four};
        assert_ok(xpbd_world_add_constraints(w, types[k % 2], 1, &c, NULL));
        kit_steps(w, 100, 1.0 / 60);
        float out[4][3];
        xpbd_diagnostics d;
        assert_ok(xpbd_world_read_positions(w, 0, 4, out[0], 0));
        for (int i = 0; i < 12; i++) {
            assert_near(out[i / 3][i % 3], x[i / 3][i % 3], 1e-5);
        }
        assert_ok(xpbd_world_diagnose(w, &d));
        assert_below(d.residual_max, 1e-3);
        assert_true(d.n_degenerate == 0);
        xpbd_world_destroy(w);
    }
}

static void rest_of(xpbd_constraint_type type, bed_constraint *c)
{
    xpbd_constraint_ops_of(type)->rest_of((const float(*)[3])c->x, c->rest);
}

/* Grinspun's hinge in closed form: |c|^2 = 3 e^2 / (A0 + A1) (2 sin(angle / 2))^2. So the energy is
 * quadratic, not quartic, in a small angle (FORMULAS part 3 no. 4), and the step linear: twice as
 * far, twice the multiplier, to the bit; at rest the gradient is what it is anywhere. */
static void test_F4_isometric_energy_is_quadratic(void **state)
{
    (void)state;
    bed_constraint flat = hinge(0.0, 2.0, 0.5, 0);
    rest_of(XPBD_BEND_ISOMETRIC, &flat);
    assert_true(flat.rest[3] == 0.0f);
    for (int i = 1; i <= 6; i++) {
        const bed_constraint bent = hinge(0.5 * i, 2.0, 0.5, 0);
        double C[3], g[12][3];
        assert_true(bed_measure(XPBD_BEND_ISOMETRIC, bent.x, flat.rest, C, g));
        const double square = C[0] * C[0] + C[1] * C[1] + C[2] * C[2];
        assert_near(square, 3.0 * 4.0 / 1.0 * 4.0 * pow(sin(0.25 * i), 2), 1e-4);
        assert_true(fabs(g[0][0]) > 1.0);
    }
    float first = 0.0f;
    for (int i = 0; i < 3; i++) {
        bed_constraint c = flat;
        c.compliance = 1e-3f;
        c.x[1][2] = ldexpf(0.01f, i);
        const bed_result r = project(XPBD_BEND_ISOMETRIC, &c);
        first = i == 0 ? r.lambda[2] : first;
        assert_true(r.lambda[2] != 0.0f && r.lambda[2] == ldexpf(first, i));
    }
}

/* FORMULAS part 3 no. 8: 10 km from the origin, where the sum of K_i x_i of the coordinates loses
 * all digits, the multipliers are those at the origin to the bit. */
static void test_F8_far_from_the_origin(void **state)
{
    static const xpbd_constraint_type types[] = {XPBD_BEND_ISOMETRIC, XPBD_BEND_ANGLE,
                                                 XPBD_BEND_DIHEDRAL, XPBD_TIE_TRIANGLE};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        bed_constraint near = hinge(0.0, 1.0, 0.5, 0), far;
        rest_of(types[i], &near);
        near.x[1][2] = 0.125f;
        far = near;
        for (int k = 0; k < 12; k++) {
            far.x[k / 3][k % 3] += k % 3 == 0 ? 8000.0f : -10000.0f;
        }
        const bed_result a = project(types[i], &near), b = project(types[i], &far);
        const uint32_t rows = xpbd_constraint_type_info(types[i])->n_rows;
        assert_memory_equal(a.lambda, b.lambda, rows * sizeof a.lambda[0]);
        double sum = 0.0;
        for (uint32_t row = 0; row < rows; row++) {
            sum += fabs((double)a.lambda[row]);
        }
        assert_true(sum > 1e-3);
    }
}

/* |c| = 2 sin(turn / 2), whatever the lengths of both segments; straight is 0 to the bit. */
static void test_line_turns_by_its_angle(void **state)
{
    (void)state;
    bed_constraint c = {.x = {{-0.75f, 0, 0}, {0, 0, 0}, {0.5f, 0, 0}}};
    rest_of(XPBD_BEND_ANGLE, &c);
    assert_true(c.rest[0] == 0.75f && c.rest[1] == 0.5f && c.rest[2] == 0.0f);
    for (int i = 0; i <= 6; i++) {
        const double turn = 0.5 * i;
        c.x[2][0] = (float)(0.5 * cos(turn));
        c.x[2][1] = (float)(0.5 * sin(turn));
        double C[3], g[9][3];
        assert_true(bed_measure(XPBD_BEND_ANGLE, (const float(*)[3])c.x, c.rest, C, g));
        assert_near(sqrt(C[0] * C[0] + C[1] * C[1] + C[2] * C[2]), 2 * sin(0.5 * turn), 1e-6);
    }
}

/* What has a curved rest may turn as a body: rest taken in one pose is rest in the other. */
static void test_curved_rest_turns_with_the_body(void **state)
{
    static const xpbd_constraint_type types[] = {XPBD_BEND_ISOMETRIC, XPBD_BEND_ANGLE,
                                                 XPBD_BEND_DIHEDRAL};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        bed_constraint c = hinge(0.8, 1.0, 0.5, 0);
        rest_of(types[i], &c);
        for (int k = 0; k < 4; k++) {
            const float p[3] = {c.x[k][0], c.x[k][1], c.x[k][2]};
            c.x[k][0] = 0.6f * p[1] - 0.8f * p[0];
            c.x[k][1] = p[2];
            c.x[k][2] = 0.6f * p[0] + 0.8f * p[1];
        }
        double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
        assert_true(bed_measure(types[i], (const float(*)[3])c.x, c.rest, C, g));
        for (uint32_t row = 0; row < xpbd_constraint_type_info(types[i])->n_rows; row++) {
            assert_near(C[row], 0.0, 2e-6);
        }
    }
}

/* A clamped line of n segments of length l with a load F at its tip: each joint turns by
 * F d l / (E I) with d its distance to the tip, so the tip sinks by F l^3 / (E I) times
 * 1^2 + ... + n^2. Small enough to be linear. */
static void test_cantilever_sinks_by_the_closed_form(void **state)
{
    enum { N = 4 };
    const double l = 0.25, EI = 1200.0 * 1.0, F = 12.0;
    float x[N + 2][3] = {{0}}, w[N + 2], f[3] = {0, (float)-F, 0};
    (void)state;
    xpbd_world_def def = kit_def(NULL);
    def.iterations = 200;
    xpbd_world *world = kit_create(&def);
    for (int i = 0; i < N + 2; i++) {
        x[i][0] = (float)(l * i);
        w[i] = i < 2 ? 0.0f : 1.0f;
    }
    kit_add_particles(world, N + 2, (const float(*)[3])x, w);
    for (uint32_t i = 0; i < N + 1; i++) {
        const uint32_t p[3] = {i, i + 1, i + 2};
        const float alpha = (float)(l / EI), none = 0.0f;
        xpbd_constraints c = {.particles = p, .compliance = &none};
        assert_ok(xpbd_world_add_constraints(world, XPBD_DISTANCE, 1, &c, NULL));
        c.compliance = &alpha;
        if (i < N)
            assert_ok(xpbd_world_add_constraints(world, XPBD_BEND_ANGLE, 1, &c, NULL));
    }
    assert_ok(xpbd_world_set_forces(world, N + 1, 1, f, 0));
    kit_steps(world, 300, 1.0 / 60);
    float tip[3];
    kit_position(world, N + 1, tip);
    const double want = F * l * l * l / EI * (1 + 4 + 9 + 16);
    assert_near(tip[1], -want, 0.01 * want);
    xpbd_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atan2_is_good_to_two_ulp),
        cmocka_unit_test(test_flat_and_folded_are_exact),
        cmocka_unit_test(test_F2_F5_angle_gradient_goes_with_one_over_height),
        cmocka_unit_test(test_angle_wraps_at_pi),
        cmocka_unit_test(test_hinge_moves_between_pinned_wings),
        cmocka_unit_test(test_slivers_have_no_angle),
        cmocka_unit_test(test_hinge_has_the_moment_of_a_spring),
        cmocka_unit_test(test_N05_flat_in_a_tilted_plane),
        cmocka_unit_test(test_F4_isometric_energy_is_quadratic),
        cmocka_unit_test(test_F8_far_from_the_origin),
        cmocka_unit_test(test_line_turns_by_its_angle),
        cmocka_unit_test(test_curved_rest_turns_with_the_body),
        cmocka_unit_test(test_cantilever_sinks_by_the_closed_form),
    };
    return RUN_GROUP("bending", tests);
}
