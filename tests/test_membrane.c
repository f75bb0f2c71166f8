/* SPDX-License-Identifier: MIT
 *
 * The orthotropic membrane against closed forms: energy, stretch in warp and weft, shear, a patch
 * of uniform strain, and what pinned, tiny and bad triangles do.
 */
#include "tests/kernel_bed.h"
#include "tests/support.h"

#include <math.h>

/* A cloth: 500 N/m in warp, 150 in weft, 40 in shear. */
static const double E_t = 500.0, ratio = 0.3, nu = 0.25, shear = 0.08;
static const uint32_t corners[3] = {0, 1, 2};

/* Unit right triangle, warp along edge 1, of size `size`. */
static void set_rest(double size, float rest[7])
{
    const float unit[7] = {(float)size, 0, 0, (float)size, (float)ratio, (float)nu, (float)shear};
    memcpy(rest, unit, sizeof unit);
}

/* x0 at the origin, edges at columns of F (rows given) in space. */
static void place(const double F[3][2], double size, bed_constraint in[BED_LANES])
{
    uint64_t seed = 1;
    for (int lane = 0; lane < BED_LANES; lane++) {
        in[lane] = bed_make(XPBD_TRI_FEM, 0.0, &seed);
    }
    set_rest(size, in[0].rest);
    for (int c = 0; c < 3; c++) {
        in[0].x[0][c] = 0.0f;
        in[0].x[1][c] = (float)(size * F[c][0]);
        in[0].x[2][c] = (float)(size * F[c][1]);
        in[0].inverse_mass[c] = 1.0f;
    }
    in[0].compliance = (float)(1.0 / E_t);
}

static void project(bed_constraint in[BED_LANES], bed_result out[BED_LANES])
{
    const xpbd_pass pass = bed_pass();
    bed_run(XPBD_TRI_FEM, XPBD_ISA_scalar, XPBD_LAYOUT_soa, XPBD_VARIANT_FIRST, &pass, in, out);
}

/* Pinned, lambda is -alpha^-1 C dt^2: forces per unit width A K C, of the rest area A, whatever the
 * triangle's is now. The last row is A G t gamma: with a tensor shear it would be half of it or
 * twice. */
static void test_N40_stress_is_of_the_rest_area(void **state)
{
    static const double poses[][3][2] = {
        {{1.2, 0.1}, {0, 0.9}, {0.2, 0}}, {{3, 0}, {0, 0.5}, {0, 1}}, {{1, 0.02}, {0, 1}, {0, 0}}};
    const xpbd_pass pass = bed_pass();
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(poses); i++) {
        const double(*F)[2] = poses[i];
        double C[3] = {-0.5, -0.5, 0.0};
        for (int c = 0; c < 3; c++) {
            C[0] += 0.5 * F[c][0] * F[c][0];
            C[1] += 0.5 * F[c][1] * F[c][1];
            C[2] += F[c][0] * F[c][1];
        }
        const double E = E_t / (1.0 - nu * nu * ratio), A = 0.5;
        const double stress[3] = {E * (C[0] + nu * ratio * C[1]),
                                  E * (nu * ratio * C[0] + ratio * C[1]), E_t * shear * C[2]};
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        place(F, 1.0, in);
        memset(in[0].inverse_mass, 0, sizeof in[0].inverse_mass);
        project(in, out);
        for (int row = 0; row < 3; row++) {
            const double got = -(double)out[0].lambda[row] * (double)pass.inverse_dt2;
            assert_near(got, A * stress[row], 1e-4 * (fabs(A * stress[row]) + 0.1));
        }
    }
}

/* A triangle with corner 0 pinned and forces on the other two, damped to rest. In a step a force of
 * 1 makes 3.6e-4 m: XPBD does not turn what it has applied with a gradient that changes while it
 * iterates, an error of about half of that, relative to the strain; and a float near 1 rounds it
 * by 6e-8, an error of 2e-4. */
static void pull(const float force[2][3], float x[3][3])
{
    static const float start[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, w[3] = {0, 1, 1};
    const float soft = (float)(1.0 / E_t), soon = 0.05f;
    float rest[7];
    set_rest(1.0, rest);
    double most = 0.0;
    for (int k = 0; k < 6; k++) {
        most = fmax(most, fabs((double)force[k / 3][k % 3]));
    }
    const double dt = most > 0.36 ? sqrt(3.6e-4 / most) : 0.03;
    const xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = kit_create(&def);
    kit_add_particles(world, 3, start, w);
    xpbd_constraints c = {
        .particles = corners, .rest = rest, .compliance = &soft, .damping_time = &soon};
    assert_ok(xpbd_world_add_constraints(world, XPBD_TRI_FEM, 1, &c, NULL));
    assert_ok(xpbd_world_set_forces(world, 1, 2, force[0], 0));
    kit_steps(world, (uint32_t)(8.0 / dt), dt);
    assert_ok(xpbd_world_read_positions(world, 0, 3, x[0], 0));
    xpbd_world_destroy(world);
}

/* Corner 1 along warp: A s E_u t (s^2 - 1) / 2 = F and nothing in weft, which shrinks by nu. For
 * small forces the stretch is F L / (E A): 1e-3 here. */
static void test_stretch_in_warp(void **state)
{
    static const double stretches[] = {1.001, 1.1, 0.97};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(stretches); i++) {
        const double s = stretches[i], strain = 0.5 * (s * s - 1.0);
        const float force[2][3] = {{(float)(0.5 * s * E_t * strain), 0, 0}, {0, 0, 0}};
        float x[3][3];
        pull(force, x);
        assert_near(x[1][0], s, 5e-4 * fabs(s - 1.0) + 3e-6);
        assert_near(x[2][1], sqrt(1.0 - 2.0 * nu * strain), 5e-4 * fabs(s - 1.0) + 3e-6);
    }
}

/* Corner 2 along weft, which is as stiff as `ratio` says; warp shrinks by nu_vu = ratio nu. */
static void test_stretch_in_weft(void **state)
{
    static const double stretches[] = {1.001, 1.1, 0.97};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(stretches); i++) {
        const double s = stretches[i], strain = 0.5 * (s * s - 1.0);
        const float force[2][3] = {{0, 0, 0}, {0, (float)(0.5 * s * ratio * E_t * strain), 0}};
        float x[3][3];
        pull(force, x);
        assert_near(x[2][1], s, 5e-4 * fabs(s - 1.0) + 3e-6);
        assert_near(x[1][0], sqrt(1.0 - 2.0 * ratio * nu * strain), 5e-4 * fabs(s - 1.0) + 3e-6);
    }
}

/* Pure shear F = R [c d; d c] with c^2 + d^2 = 1: no strain along the axes, gamma = 2 c d, and
 * forces A G t gamma (d, c) and (c, d) on corners 1 and 2. As what is turned is 500 N/m stiff and
 * the shear 40, the error is larger than in the other two. */
static void test_shear_modulus(void **state)
{
    static const double shears[] = {0.002, 0.1};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(shears); i++) {
        const double d = shears[i], c = sqrt(1.0 - d * d), f = 0.5 * shear * E_t * 2.0 * c * d;
        const float force[2][3] = {{(float)(f * d), (float)(f * c), 0},
                                   {(float)(f * c), (float)(f * d), 0}};
        float x[3][3];
        pull(force, x);
        assert_near(x[1][0], c, 3e-3 * d + 3e-6);
        assert_near(x[1][1], d, 3e-3 * d + 3e-6);
        assert_near(x[2][0], d, 3e-3 * d + 3e-6);
        assert_near(x[2][1], c, 3e-3 * d + 3e-6);
    }
}

/* A square of four triangles around an inner corner that is not its middle. Its outside is mapped
 * into space and pinned: the inner corner has to go where the map takes it. */
static void test_patch_of_uniform_strain(void **state)
{
    static const float flat[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.4f, 0.55f}};
    static const float F[3][2] = {{1.1f, 0.1f}, {0.05f, 1.2f}, {0.3f, -0.2f}};
    static const uint32_t triangles[4][3] = {{4, 0, 1}, {4, 1, 2}, {4, 2, 3}, {4, 3, 0}};
    static const float w[5] = {0, 0, 0, 0, 1}, soft = 1e-2f, soon = 0.2f;
    (void)state;
    float x[5][3], rest[4][7], got[3];
    for (uint32_t k = 0; k < 15; k++) {
        x[k / 3][k % 3] = F[k % 3][0] * flat[k / 3][0] + F[k % 3][1] * flat[k / 3][1];
    }
    const float want[3] = {x[4][0], x[4][1], x[4][2]};
    /* In the plane: nothing damps what is across it. */
    for (uint32_t k = 0; k < 3; k++) {
        x[4][k] += 0.1f * F[k][0] - 0.1f * F[k][1];
    }
    for (uint32_t t = 0; t < 4; t++) {
        const float *a = flat[triangles[t][0]], *b = flat[triangles[t][1]];
        const float *c = flat[triangles[t][2]];
        const float row[7] = {b[0] - a[0],  b[1] - a[1], c[0] - a[0], c[1] - a[1],
                              (float)ratio, (float)nu,   (float)shear};
        memcpy(rest[t], row, sizeof row);
    }
    const xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = kit_create(&def);
    kit_add_particles(world, 5, (const float(*)[3])x, w);
    xpbd_constraints c = {.particles = triangles[0],
                          .rest = rest[0],
                          .compliance = &soft,
                          .compliance_stride = XPBD_SAME,
                          .damping_time = &soon,
                          .damping_time_stride = XPBD_SAME};
    assert_ok(xpbd_world_add_constraints(world, XPBD_TRI_FEM, 4, &c, NULL));
    kit_steps(world, 3000, 0.003);
    kit_position(world, 4, got);
    for (int k = 0; k < 3; k++) {
        assert_near(got[k], want[k], 1e-4);
    }
    xpbd_world_destroy(world);
}

/* Stretched out of shape at compliance 0, in all sizes, free and with corners pinned: rows that
 * pinned corners leave without an answer may not spoil the others. */
static void test_stiff_triangles_of_all_sizes(void **state)
{
    static const double F[3][2] = {{1.2, 0.3}, {0.1, 0.8}, {0, 0.2}};
    static const double sizes[] = {1e3, 1.0, 1e-3, 1e-6};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(sizes); i++) {
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
        place(F, sizes[i], in);
        in[0].compliance = 0.0f;
        for (int time = 0; time < 10; time++) {
            project(in, out);
            memcpy(in[0].x, out[0].x, sizeof out[0].x);
        }
        bed_measure(XPBD_TRI_FEM, (const float(*)[3])in[0].x, in[0].rest, C, g);
        for (int row = 0; row < 3; row++) {
            assert_near(C[row], 0.0, 2e-6);
        }
        /* Two pinned and not at rest: least squares in the other corner. */
        place(F, sizes[i], in);
        in[0].compliance = 0.0f;
        in[0].inverse_mass[0] = in[0].inverse_mass[1] = 0.0f;
        for (int time = 0; time < 50; time++) {
            project(in, out);
            memcpy(in[0].x, out[0].x, sizeof out[0].x);
        }
        bed_measure(XPBD_TRI_FEM, (const float(*)[3])in[0].x, in[0].rest, C, g);
        assert_near(C[0], 0.225, 1e-6);
        assert_near(C[1], 0.0, 1e-5);
        assert_near(C[2], 0.0, 1e-5);
    }
}

/* Folded to a line up to rounding: three strains want of one direction what can not be. Whatever
 * they settle on, nothing may fly. */
static void test_contradicting_strains_stay_near(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 100; i++) {
        double F[3][2];
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        for (int k = 0; k < 6; k++) {
            F[k / 2][k % 2] = bed_random(&seed, -1.0, 1.0) * (k >= 2 ? 1e-7 : 1.0);
        }
        F[0][i % 2] *= i % 3 == 0 ? 1e-6 : 1.0;
        place(F, 1.0, in);
        in[0].compliance = 0.0f;
        for (int time = 0; time < 20; time++) {
            project(in, out);
            for (int k = 0; k < 9; k++) {
                assert_below(fabs((double)out[0].x[k / 3][k % 3]), 100.0);
            }
            memcpy(in[0].x, out[0].x, sizeof out[0].x);
        }
    }
}

/* On a line, on a point: what has no gradient does nothing, and is counted. */
static void test_collapsed_triangles(void **state)
{
    static const float poses[2][3][3] = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
                                         {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        float rest[7], x[3][3];
        set_rest(1.0, rest);
        const xpbd_world_def def = kit_def(NULL);
        xpbd_world *world = kit_create(&def);
        kit_add_particles(world, 3, poses[i], NULL);
        xpbd_constraints c = {.particles = corners, .rest = rest};
        assert_ok(xpbd_world_add_constraints(world, XPBD_TRI_FEM, 1, &c, NULL));
        kit_steps(world, 10, 0.01);
        xpbd_diagnostics d;
        assert_ok(xpbd_world_diagnose(world, &d));
        assert_int_equal(d.n_degenerate, 1);
        assert_int_equal(d.n_nonfinite, 0);
        assert_ok(xpbd_world_read_positions(world, 0, 3, x[0], 0));
        assert_same_floats(x[0], poses[i][0], 9);
        xpbd_world_destroy(world);
    }
}

/* The value at fault is named: an area of 0 or less, what is not stiff, a coupling without an
 * energy. */
static void test_N08_bad_rest_data_are_refused(void **state)
{
    static const float x[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const float bad[][7] = {{1, 0, 2, 0, 1, 0.3f, 0.4f},  {0, 1, 1, 0, 1, 0.3f, 0.4f},
                                   {0, 0, 0, 1, 1, 0.3f, 0.4f},  {1, 0, 0, 1, 0, 0.3f, 0.4f},
                                   {1, 0, 0, 1, -1, 0.3f, 0.4f}, {1, 0, 0, 1, 1, 1, 0.4f},
                                   {1, 0, 0, 1, 4, 0.5f, 0.4f},  {1, 0, 0, 1, 1, 0.3f, 0}};
    (void)state;
    const xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = kit_create(&def);
    kit_add_particles(world, 3, x, NULL);
    for (uint32_t i = 0; i < COUNT_OF(bad); i++) {
        float rest[2][7] = {{1, 0, 0, 1, 1, 0.3f, 0.4f}};
        const uint32_t both[2][3] = {{0, 1, 2}, {0, 1, 2}};
        memcpy(rest[1], bad[i], sizeof rest[1]);
        xpbd_constraints c = {.particles = both[0], .rest = rest[0]};
        assert_status(xpbd_world_add_constraints(world, XPBD_TRI_FEM, 2, &c, NULL),
                      XPBD_ERROR_REST);
        assert_int_equal(xpbd_world_error(world)->element, 1);
    }
    xpbd_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_N40_stress_is_of_the_rest_area),
        cmocka_unit_test(test_stretch_in_warp),
        cmocka_unit_test(test_stretch_in_weft),
        cmocka_unit_test(test_shear_modulus),
        cmocka_unit_test(test_patch_of_uniform_strain),
        cmocka_unit_test(test_stiff_triangles_of_all_sizes),
        cmocka_unit_test(test_contradicting_strains_stay_near),
        cmocka_unit_test(test_collapsed_triangles),
        cmocka_unit_test(test_N08_bad_rest_data_are_refused),
    };
    return RUN_GROUP("membrane", tests);
}
