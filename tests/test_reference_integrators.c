/* SPDX-License-Identifier: MIT
 *
 * Proves the reference's integrators against the laws of the linear oscillator and of free fall.
 */
#include "support.h"

#include "reference/reference.h"

#include <math.h>

/* A mass on an attach spring of k = 1/alpha, x = 1, at rest. */
static ref_system *make_oscillator(double k, double m)
{
    const double x[3] = {1, 0, 0}, origin[3] = {0};
    ref_system *s = ref_make();
    const uint32_t i = ref_add_particle(s, x, NULL, 1 / m);
    ref_add_constraint(s, XPBD_ATTACH, &i, origin, 1 / k);
    return s;
}

/* The table of the lecture: h = 10 m, g = 2 m/s^2, steps of 1 s. Its error is 1/2 g t dt, 4 m at
 * the end: of accuracy, not of stability. */
static void test_free_fall_is_the_lectures_table(void **state)
{
    static const double table[REF_INTEGRATOR_COUNT][5] = {
        [REF_FORWARD_EULER] = {10, 10, 8, 4, -2},
        [REF_BACKWARD_EULER] = {10, 8, 4, -2, -10},
        [REF_SYMPLECTIC_EULER] = {10, 8, 4, -2, -10},
        [REF_VERLET] = {10, 9, 6, 1, -6}};
    (void)state;
    for (ref_integrator i = 0; i < REF_INTEGRATOR_COUNT; i++) {
        /* Verlet's velocity is that of half a step before. */
        const double x[3] = {0, 10, 0}, v[3] = {0, i == REF_VERLET ? 1 : 0, 0};
        ref_system *s = ref_make();
        s->gravity[1] = -2;
        ref_add_particle(s, x, v, 1);
        for (int t = 0; t < 5; t++) {
            assert_near(s->x[0][1], table[i][t], 0.0);
            ref_integrate(s, i, 1.0);
        }
        ref_free(s);
    }
}

/* |mu|^2 = det of a step, from three positions of y_(n+1) = trace y_n - det y_(n-1). Attach has an
 * energy of three rows, but explicit integrators take springs of one row: along x the first row is
 * all there is. */
static double growth_of(ref_integrator integrator, double k, double m, double dt)
{
    ref_system *s = make_oscillator(k, m);
    double y[4];
    for (int i = 0; i < 4; i++) {
        y[i] = s->x[0][0];
        ref_integrate(s, integrator, dt);
    }
    ref_free(s);
    return (y[2] * y[2] - y[1] * y[3]) / (y[1] * y[1] - y[0] * y[2]);
}

static void test_growth_is_that_of_theory(void **state)
{
    static const double dts[] = {1.0 / 60, 1.0 / 240, 1.0 / 1000};
    const double k = 1000, m = 2;
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(dts); i++) {
        const double dt = dts[i], kappa = k * dt * dt / m, tolerance = 1e-15 / kappa * 10;
        assert_near(growth_of(REF_FORWARD_EULER, k, m, dt), 1 + kappa, tolerance);
        assert_near(growth_of(REF_BACKWARD_EULER, k, m, dt), 1 / (1 + kappa), tolerance);
        assert_near(growth_of(REF_SYMPLECTIC_EULER, k, m, dt), 1, tolerance);
        assert_near(growth_of(REF_VERLET, k, m, dt), 1, tolerance);
    }
}

/* Largest |x| in n steps of omega dt = z, starting from x = 1. */
static double largest(ref_integrator integrator, double z, int n)
{
    ref_system *s = make_oscillator(z * z, 1);
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(s->x[0][0]));
        ref_integrate(s, integrator, 1.0);
    }
    ref_free(s);
    return most;
}

/* Symplectic Euler keeps v^2 + z^2 x^2 - z^2 x v (x after the kick's step): an ellipse for z < 2,
 * whose x never exceeds (v^2 + z^2 x^2 ...) / (1 - z^2 / 4); a hyperbola above, where the larger
 * root is -(z^2 - 2 + z sqrt(z^2 - 4)) / 2. */
static void test_symplectic_euler_is_stable_below_two(void **state)
{
    static const ref_integrator which[] = {REF_SYMPLECTIC_EULER, REF_VERLET};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(which); i++) {
        assert_below(largest(which[i], 1.99, 3000), 1.0001 / sqrt(1 - 1.99 * 1.99 / 4));
        const double z = 2.01, root = (z * z - 2 + z * sqrt(z * z - 4)) / 2;
        assert_true(largest(which[i], z, 100) > 0.1 * pow(root, 98));
    }
}

static void test_backward_euler_is_stable_at_any_step(void **state)
{
    static const double z[] = {0.1, 2, 10, 1e3, 1e6};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(z); i++) {
        assert_near(largest(REF_BACKWARD_EULER, z[i], 50), 1.0, 0.0);
    }
    assert_true(largest(REF_FORWARD_EULER, 0.1, 200) > 2.5); /* 1.01^100 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall_is_the_lectures_table),
        cmocka_unit_test(test_growth_is_that_of_theory),
        cmocka_unit_test(test_symplectic_euler_is_stable_below_two),
        cmocka_unit_test(test_backward_euler_is_stable_at_any_step),
    };
    return RUN_GROUP("reference_integrators", tests);
}
