/* SPDX-License-Identifier: MIT
 *
 * Proves the motion of one or two particles against closed forms: free fall, the oscillator's
 * period and decay for any number of iterations, damping, a pendulum, and energy.
 */
#include "support.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* g dt^2 = 1/512 is a power of two, so that float holds every sum and the law of the semi-implicit
 * scheme, y = y0 + v0 t - g t (t + dt) / 2, is met bit for bit. */
static void test_free_fall_is_exact(void **state)
{
    static const float x0[3] = {0, 100, 0}, v0[3] = {1, 2, -0.5f};
    const char *name;
    (void)state;
    for (uint32_t i = 0; (name = xpbd_scheduler_name(i)); i++) {
        xpbd_world_def def = kit_def(name);
        def.acceleration[1] = -8.0f;
        xpbd_world *w = kit_create(&def);
        assert_ok(xpbd_world_add_particles(w, 1, &(xpbd_particles){.position = x0, .velocity = v0},
                                           NULL));
        for (int n = 1; n <= 128; n++) {
            const double t = n / 64.0;
            float x[3], v[3];
            kit_steps(w, 1, 1.0 / 64);
            kit_position(w, 0, x);
            kit_velocity(w, 0, v);
            assert_near(x[0], t, 0.0);
            assert_near(x[1], 100 + 2 * t - 4 * t * (t + 1.0 / 64), 0.0);
            assert_near(x[2], -0.5 * t, 0.0);
            assert_near(v[1], 2 - 8 * t, 0.0);
        }
        xpbd_world_destroy(w);
    }
}

/* A spring of rest length 1 from a fixed end at -1 to a mass of 1 kg that starts at 1/2: the mass
 * oscillates about 0, where floats are fine. */
typedef struct oscillator {
    float compliance, damping;
    double dt;
    uint32_t iterations;
    bool attach; /* with an attach constraint in place of the spring */
} oscillator;

enum { SAMPLES = 200 };

static uint32_t record(const oscillator *o, const char *scheduler, double *y)
{
    static const float x[2][3] = {{-1, 0, 0}, {0.5f, 0, 0}}, masses[2] = {0, 1}, origin[3] = {0};
    static const uint32_t pair[2] = {0, 1};
    const float one = 1.0f;
    xpbd_world_def def = kit_def(scheduler);
    def.iterations = o->iterations;
    xpbd_world *w = kit_create(&def);
    kit_add_particles(w, 2, x, masses);
    xpbd_constraints c = {.particles = o->attach ? &pair[1] : pair,
                          .rest = o->attach ? origin : &one,
                          .compliance = &o->compliance,
                          .damping = &o->damping};
    assert_ok(xpbd_world_add_constraints(w, o->attach ? XPBD_ATTACH : XPBD_DISTANCE, 1, &c, NULL));
    uint32_t n = 0;
    do {
        float at[3];
        kit_position(w, 1, at);
        y[n++] = at[0];
        kit_steps(w, 1, o->dt);
    } while (n < SAMPLES && (n < 20 || fabs(y[n - 1]) + fabs(y[n - 2]) > 1e-2));
    xpbd_world_destroy(w);
    return n;
}

/* A linear oscillation obeys y[n+1] = trace y[n] - det y[n-1] with the trace and determinant of
 * its step. Least squares in double. C is a difference of numbers near 1, so each y is off by
 * about 2^-23 = e; with y of size A that spoils det by at most e / (A phi) for a phase of phi a
 * step, and trace likewise. A is 0.5 at first and 0.01 at the end of the samples; those at the
 * beginning carry the fit. */
static void fit(const double *y, uint32_t n, double *trace, double *det)
{
    double aa = 0, ab = 0, bb = 0, ac = 0, bc = 0;
    for (uint32_t i = 1; i + 1 < n; i++) {
        const double a = y[i], b = -y[i - 1], c = y[i + 1];
        aa += a * a, ab += a * b, bb += b * b, ac += a * c, bc += b * c;
    }
    const double d = aa * bb - ab * ab;
    *trace = (ac * bb - bc * ab) / d;
    *det = (bc * aa - ac * ab) / d;
}

/* FORMULAS.md 2.4: the implicit Euler law, and the numbers it was found to give in double. */
static const struct {
    double dt, period, amplitude;
} golden[] = {{1.0 / 60, 0.215898, 0.884652},
              {1.0 / 240, 0.199837, 0.991431},
              {1.0 / 1000, 0.198758, 0.999500}};

static void check_oscillator(const char *scheduler, uint32_t iterations, bool attach)
{
    for (uint32_t i = 0; i < COUNT_OF(golden); i++) {
        const double dt = golden[i].dt, omega = sqrt(1000.0), phi = atan(omega * dt);
        const oscillator o = {1e-3f, 0.0f, dt, iterations, attach};
        double y[SAMPLES], trace, det;
        fit(y, record(&o, scheduler, y), &trace, &det);
        const double e = 0x1p-23 / (0.5 * phi), amplitude = sqrt(det);
        assert_near(amplitude, 1 / sqrt(1 + 1000 * dt * dt), e);
        assert_near(amplitude, golden[i].amplitude, e + 5e-7);
        /* trace = 2 amplitude cos(phi): d phi = d trace / (2 amplitude sin(phi)). */
        const double period = 2 * pi * dt / acos(trace / (2 * amplitude));
        const double relative = 2 * e / (phi * phi);
        assert_near(period, 2 * pi * dt / phi, relative * period);
        assert_near(period, golden[i].period, relative * period + 5e-6);
        if (i == 0) /* neither the exact period nor an undamped one */
            assert_true(fabs(period - 0.198692) > 0.01 && amplitude < 0.9);
    }
}

static void test_oscillator_has_the_implicit_period_and_decay(void **state)
{
    static const uint32_t iterations[] = {1, 5, 10};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        for (uint32_t i = 0; i < COUNT_OF(iterations); i++) {
            check_oscillator(name, iterations[i], false);
            check_oscillator(name, iterations[i], true);
        }
    }
}

/* Eq. 26 on one linear constraint is implicit Euler with damping: the determinant of a step is
 * 1 / (1 + beta dt / m + k dt^2 / m). */
static void test_damping_is_that_of_equation_26(void **state)
{
    static const struct {
        double dt, det;
    } want[] = {{1.0 / 60, 0.76271186}, {1.0 / 240, 0.97494922}};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        for (uint32_t i = 0; i < 2 * COUNT_OF(want); i++) {
            const double dt = want[i / 2].dt;
            const oscillator o = {1e-3f, 2.0f, dt, i % 2 ? 5 : 1, i % 2};
            double y[SAMPLES], trace, det;
            fit(y, record(&o, name, y), &trace, &det);
            assert_near(1 / (1 + 2 * dt + 1000 * dt * dt), want[i / 2].det, 5e-9);
            assert_near(det, want[i / 2].det, 1e-5);
        }
    }
}

/* gamma = alpha beta / dt: a rigid constraint has nothing to damp. */
static void test_damping_has_no_effect_at_compliance_zero(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    def.acceleration[1] = -9.81f;
    xpbd_world *a = kit_spring(&def, 1.25f, 0.0f, 0.0f), *b = kit_spring(&def, 1.25f, 0.0f, 1e3f);
    (void)state;
    kit_steps(a, 20, 1.0 / 60);
    kit_steps(b, 20, 1.0 / 60);
    assert_same_hash(xpbd_world_hash(b), xpbd_world_hash(a), "damping 1000, compliance 0");
    xpbd_world_destroy(a);
    xpbd_world_destroy(b);
}

/* Implicit Euler only loses energy. The sum of kinetic and spring energy is at most 1/2 k (1/2)^2
 * = 125 J and each C has an error of 2^-24 m, which is k C 2^-24 = 500 * 6e-8 J. */
static void test_energy_of_an_oscillator_never_grows(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_spring(&def, 1.5f, 1e-3f, 0.0f);
    xpbd_diagnostics d;
    (void)state;
    assert_ok(xpbd_world_diagnose(w, &d));
    double before = d.kinetic_energy + d.constraint_energy;
    assert_near(before, 125.0, 125.0 * 0x1p-23);
    for (int i = 0; i < 2000; i++) {
        kit_steps(w, 1, 1.0 / 500);
        assert_ok(xpbd_world_diagnose(w, &d));
        const double now = d.kinetic_energy + d.constraint_energy;
        assert_below(now, before + 500 * 0x1p-23);
        before = now;
    }
    xpbd_world_destroy(w);
}

/* Zero crossing of x between two samples; both ends with their velocity would do better, but the
 * swing is straight there: the error is of third order in omega dt. */
static double crossing(double t, double dt, double x0, double x1)
{
    return t + dt * x0 / (x0 - x1);
}

/* A pendulum of 1 m let go at 30 degrees: T = 2 pi sqrt(L / g) (1 + a^2 / 16 + 11 a^4 / 3072). The
 * scheme is of first order: its relative error is of size omega h for a substep h (0.5 %).
 * The tension at the bottom is m g (3 - 2 cos a), off by that and by the rounding of a position
 * over h^2: 2^-24 / h^2 = 0.02 N; averaged over some substeps by reading several steps. */
static void test_pendulum_has_its_period_and_tension(void **state)
{
    const double h = 1.0 / 600, g = 9.81, a = pi / 6, omega = sqrt(g);
    const float x[2][3] = {{0, 0, 0}, {(float)sin(a), (float)-cos(a), 0}}, masses[2] = {0, 1};
    static const uint32_t pair[1][2] = {{0, 1}};
    xpbd_world_def def = kit_def(NULL);
    def.acceleration[1] = (float)-g;
    def.iterations = 4;
    xpbd_world *w = kit_create(&def);
    (void)state;
    kit_add_particles(w, 2, x, masses);
    kit_add_distances(w, 1, pair, NULL, 0.0f);
    double times[2] = {0}, last = x[1][0], tension = 0;
    int n = 0, samples = 0;
    for (int i = 0; n < 2; i++) {
        float at[3], f[2][3];
        assert_true(i < 3000);
        kit_steps(w, 1, h);
        kit_position(w, 1, at);
        assert_near(sqrt(at[0] * (double)at[0] + at[1] * (double)at[1]), 1.0, 0x1p-22);
        if (n == 0 && fabs((double)at[0]) < 0.02) {
            assert_ok(xpbd_world_read_forces(w, XPBD_DISTANCE, 0, 1, f[0], 0));
            tension += (double)f[1][1];
            samples++;
        }
        if (last * (double)at[0] <= 0)
            times[n++] = crossing(i * h, h, last, at[0]);
        last = at[0];
    }
    const double period = 2 * pi / omega * (1 + a * a / 16 + 11 * a * a * a * a / 3072);
    assert_near(2 * (times[1] - times[0]), period, omega * h * period);
    const double want = g * (3 - 2 * cos(a));
    assert_true(samples > 2);
    assert_near(tension / samples, want, want * omega * h + 0x1p-24 / (h * h));
    xpbd_world_destroy(w);
}

/* Two free particles on a spring: their midpoint moves like a free particle, and each half is an
 * oscillator with the reduced mass; only exact for equal treatment of both ends. */
static void test_free_pair_oscillates_with_the_reduced_mass(void **state)
{
    static const float x[2][3] = {{-0.75f, 0, 0}, {0.75f, 0, 0}}, masses[2] = {0.5f, 1.5f};
    static const uint32_t pair[1][2] = {{0, 1}};
    static const float rest = 1.0f;
    const double dt = 1.0 / 240, kappa = 1000.0 * 2 * dt * dt; /* k (w0 + w1) dt^2 */
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        xpbd_world_def def = kit_def(name);
        xpbd_world *w = kit_create(&def);
        kit_add_particles(w, 2, x, masses);
        kit_add_distances(w, 1, pair, &rest, 1e-3f);
        double y[SAMPLES], trace, det;
        for (int i = 0; i < SAMPLES; i++) {
            float a[3], b[3];
            kit_position(w, 0, a);
            kit_position(w, 1, b);
            y[i] = (double)b[0] - (double)a[0] - 1.0;
            /* m0 x0 + m1 x1. An error of a position is one of the velocity too, so that errors of
             * 2^-24 grow with the square of time. */
            assert_near(2.0 * (double)a[0] + (double)b[0] / 1.5, -1.0,
                        (i + 1) * (i + 2) * 2 * 0x1p-24);
            kit_steps(w, 1, dt);
        }
        fit(y, SAMPLES, &trace, &det);
        const double phi = atan(sqrt(2000.0) * dt), e = 0x1p-23 / (0.5 * phi);
        assert_near(det, 1 / (1 + kappa), 2 * e);
        assert_near(trace, 2 / (1 + kappa), 2 * e);
        xpbd_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall_is_exact),
        cmocka_unit_test(test_oscillator_has_the_implicit_period_and_decay),
        cmocka_unit_test(test_damping_is_that_of_equation_26),
        cmocka_unit_test(test_damping_has_no_effect_at_compliance_zero),
        cmocka_unit_test(test_energy_of_an_oscillator_never_grows),
        cmocka_unit_test(test_pendulum_has_its_period_and_tension),
        cmocka_unit_test(test_free_pair_oscillates_with_the_reduced_mass),
    };
    return RUN_GROUP("physics", tests);
}
