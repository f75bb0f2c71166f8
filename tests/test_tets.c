/* SPDX-License-Identifier: MIT
 *
 * Materials of tetrahedra against closed forms: energies, uniaxial stress, a patch of uniform
 * strain.
 */
#include "tests/support.h"
#include "tests/tet_bed.h"

#include <math.h>

static const uint32_t corners[4] = {0, 1, 2, 3};

/* All corners pinned, lambda is -alpha^-1 C dt^2: -1/2 C . lambda / dt^2 is the energy of the
 * material at this F, which is known. E = 1000 Pa, nu = 0.4 and V0 = 1/6 m^3. */
static double bed_energy(uint32_t type, const double F[3][3], double compliance, float last)
{
    const xpbd_pass pass = bed_pass();
    bed_constraint in[BED_LANES];
    bed_result out[BED_LANES];
    place(type, F, 1.0, in);
    memset(in[0].inverse_mass, 0, sizeof in[0].inverse_mass);
    in[0].compliance = (float)compliance;
    in[0].rest[9] = last;
    project(type, in, out);
    double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3], energy = 0.0;
    bed_measure(type, (const float(*)[3])in[0].x, in[0].rest, C, g);
    for (uint32_t row = 0; row < xpbd_constraint_type_info((xpbd_constraint_type)type)->n_rows;
         row++) {
        energy -= 0.5 * C[row] * (double)out[0].lambda[row] * (double)pass.inverse_dt2;
    }
    return energy;
}

static void test_energy_is_that_of_the_material(void **state)
{
    static const double poses[][3][3] = {{{1.2, 0.1, 0}, {0, 0.9, 0.2}, {0.1, 0, 1.1}},
                                         {{2, 0, 0.5}, {0.3, 1, 0}, {0, 0, 0.7}},
                                         {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}},
                                         {{1, 0.01, 0}, {0.01, 1, 0}, {0, 0, 1}}};
    const double E = 1000.0, nu = 0.4, V = 1.0 / 6.0;
    const double mu = E / (2.0 * (1.0 + nu)), lame = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(poses); i++) {
        const double(*F)[3] = poses[i];
        double trace = 0.0, square = 0.0, trace_E = 0.0;
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) {
                const double M = F[0][a] * F[0][b] + F[1][a] * F[1][b] + F[2][a] * F[2][b];
                const double strain = 0.5 * (M - (a == b ? 1.0 : 0.0));
                square += strain * strain;
                trace_E += a == b ? strain : 0.0;
                trace += F[a][b] * F[a][b];
            }
        }
        const double J = F[0][0] * (F[1][1] * F[2][2] - F[1][2] * F[2][1]) +
                         F[0][1] * (F[1][2] * F[2][0] - F[1][0] * F[2][2]) +
                         F[0][2] * (F[1][0] * F[2][1] - F[1][1] * F[2][0]);
        const double stvk = V * (mu * square + 0.5 * lame * trace_E * trace_E);
        assert_near(bed_energy(XPBD_TET_STVK, F, 1.0 / E, (float)nu) / (stvk + 1e-3 * V),
                    stvk / (stvk + 1e-3 * V), 1e-4);
        /* Psi of [NEO21], 0 at rest. */
        const double l = lame + mu, shift = mu / l;
        const double neo = V * (0.5 * mu * (trace - 3.0) +
                                0.5 * l * ((J - 1.0 - shift) * (J - 1.0 - shift) - shift * shift));
        assert_near(bed_energy(XPBD_TET_NEO_HOOKEAN, F, 1.0 / mu, (float)(lame / mu)) / neo, 1.0,
                    1e-4);
    }
}

/* A step of which the force makes 3.6e-4 m. XPBD does not turn what it has applied with a gradient
 * that changes while it iterates, an error of about half of that, relative to the strain; and a
 * float near 1 rounds it by 6e-8, an error of 2e-4. */
static double step_for(double force)
{
    return fabs(force) > 0.36 ? sqrt(3.6e-4 / fabs(force)) : 0.03;
}

/* unit_tet with corner 0 pinned and corner 3 pulled along z: uniaxial stress, as the force on
 * corners 1 and 2 is 0. Damped to rest; out is F_xx, F_zz. */
static void pull(xpbd_constraint_type type, float compliance, float last, double force,
                 double out[2])
{
    static const float w[4] = {0, 1, 1, 1};
    const float soon = 0.05f, pulls[3] = {0, 0, (float)force};
    float rest[10] = {1, 0, 0, 0, 1, 0, 0, 0, 1, last}, x[4][3];
    const xpbd_world_def def = kit_def(NULL);
    const double dt = step_for(force);
    xpbd_world *world = kit_create(&def);
    kit_add_particles(world, 4, unit_tet, w);
    xpbd_constraints c = {
        .particles = corners, .rest = rest, .compliance = &compliance, .damping_time = &soon};
    assert_ok(xpbd_world_add_constraints(world, type, 1, &c, NULL));
    assert_ok(xpbd_world_set_forces(world, 3, 1, pulls, 0));
    kit_steps(world, (uint32_t)(6.0 / dt), dt);
    assert_ok(xpbd_world_read_positions(world, 0, 4, x[0], 0));
    xpbd_world_destroy(world);
    out[0] = (double)x[1][0];
    out[1] = (double)x[3][2];
    assert_near(x[2][1], x[1][0], 1e-4);
    assert_near(x[3][0], 0.0, 1e-4);
}

/* With lateral stress 0: a^2 = (1 + mu/l - mu/(l s)) / s and P = mu (s - a^2 / s), where
 * l = lambda + mu. */
static void test_neo_hookean_uniaxial_stress(void **state)
{
    static const double stretches[] = {0.7, 0.95, 1.0, 1.05, 1.5, 2.0};
    const double mu = 300.0, ratio = 4.0, l = (ratio + 1.0) * mu;
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(stretches); i++) {
        const double s = stretches[i], a2 = (1.0 + mu / l - mu / (l * s)) / s;
        double got[2];
        pull(XPBD_TET_NEO_HOOKEAN, (float)(1.0 / mu), (float)ratio, mu * (s - a2 / s) / 6.0, got);
        assert_near(got[1], s, 5e-4 * fabs(s - 1.0) + 3e-6);
        assert_near(got[0], sqrt(a2), 5e-4 * fabs(s - 1.0) + 3e-6);
    }
}

/* P = s E (s^2 - 1) / 2, a^2 = 1 - nu (s^2 - 1). */
static void test_stvk_uniaxial_stress(void **state)
{
    static const double stretches[] = {0.9, 1.0, 1.001, 1.2};
    const double E = 1000.0, nu = 0.3;
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(stretches); i++) {
        const double s = stretches[i], strain = 0.5 * (s * s - 1.0);
        double got[2];
        pull(XPBD_TET_STVK, (float)(1.0 / E), (float)nu, E * s * strain / 6.0, got);
        assert_near(got[1], s, 5e-4 * fabs(s - 1.0) + 3e-6);
        assert_near(got[0], sqrt(1.0 - 2.0 * nu * strain), 5e-4 * fabs(s - 1.0) + 3e-6);
    }
}

/* A cube of twelve tetrahedra around an inner corner, which is not its middle. The outside is
 * mapped by x -> F x and pinned: the inner corner has to go where the map takes it. */
static void test_patch_of_uniform_strain(void **state)
{
    static const xpbd_constraint_type types[] = {XPBD_TET_NEO_HOOKEAN, XPBD_TET_STVK};
    static const float F[3][3] = {{1.1f, 0.2f, 0}, {0, 0.9f, 0.1f}, {0.05f, 0, 1.2f}};
    static const uint32_t faces[12][3] = {{0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3},
                                          {0, 4, 5}, {0, 5, 1}, {2, 3, 7}, {2, 7, 6},
                                          {0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}};
    (void)state;
    float x[9][3], w[9] = {0}, rest[12][10];
    uint32_t tets[12][4];
    for (uint32_t k = 0; k < 8; k++) {
        for (uint32_t c = 0; c < 3; c++) {
            x[k][c] = (float)(k >> c & 1);
        }
    }
    memcpy(x[8], (const float[3]){0.4f, 0.55f, 0.45f}, sizeof x[8]);
    w[8] = 1.0f;
    for (uint32_t t = 0; t < 12; t++) {
        uint32_t ids[4] = {8, faces[t][0], faces[t][1], faces[t][2]};
        const float(*p)[3] = (const float(*)[3])x;
        float pose[4][3];
        for (uint32_t k = 0; k < 12; k++) {
            pose[k / 3][k % 3] = p[ids[k / 3]][k % 3];
        }
        if (volume_of((const float(*)[3])pose) < 0.0) {
            ids[2] = faces[t][2];
            ids[3] = faces[t][1];
        }
        memcpy(tets[t], ids, sizeof ids);
        for (uint32_t k = 0; k < 9; k++) {
            rest[t][k] = x[ids[k / 3 + 1]][k % 3] - x[8][k % 3];
        }
    }
    float want[3] = {0}, mapped[9][3] = {0};
    for (uint32_t k = 0; k < 27; k++) {
        for (uint32_t c = 0; c < 3; c++) {
            mapped[k / 3][k % 3] += F[k % 3][c] * x[k / 3][c];
        }
    }
    memcpy(want, mapped[8], sizeof want);
    mapped[8][0] += 0.1f;
    mapped[8][1] -= 0.15f;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        const float compliance = 1e-2f, soon = 0.2f, last = i == 0 ? 4.0f : 0.3f;
        for (uint32_t t = 0; t < 12; t++) {
            rest[t][9] = last;
        }
        const xpbd_world_def def = kit_def(NULL);
        xpbd_world *world = kit_create(&def);
        kit_add_particles(world, 9, (const float(*)[3])mapped, w);
        xpbd_constraints c = {.particles = tets[0],
                              .rest = rest[0],
                              .compliance = &compliance,
                              .compliance_stride = XPBD_SAME,
                              .damping_time = &soon,
                              .damping_time_stride = XPBD_SAME};
        assert_ok(xpbd_world_add_constraints(world, types[i], 12, &c, NULL));
        kit_steps(world, 3000, 0.003);
        float got[3];
        kit_position(world, 8, got);
        for (int k = 0; k < 3; k++) {
            assert_near(got[k], want[k], 1e-4);
        }
        xpbd_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_is_that_of_the_material),
        cmocka_unit_test(test_neo_hookean_uniaxial_stress),
        cmocka_unit_test(test_stvk_uniaxial_stress),
        cmocka_unit_test(test_patch_of_uniform_strain),
    };
    return RUN_GROUP("tets", tests);
}
