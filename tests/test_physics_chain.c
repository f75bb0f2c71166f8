/* SPDX-License-Identifier: MIT
 *
 * Proves the statics and convergence of chains: the closed forms of FORMULAS.md 2.4 for a hanging
 * chain after one sweep and when converged, and that every scheduler that keeps momentum comes to
 * the same solution as a double precision solver written here.
 */
#include "support.h"

#include <math.h>

enum { LINKS = 10 };
static const double dt = 1.0 / 60, soft = 1e-3;

/* A chain of 10 links of 1 m and 1 kg hangs in g = 10 from a fixed point at y = 5, which keeps
 * coordinates below 8; links are given from the top down or from the bottom up. */
static xpbd_world *make_chain(const char *scheduler, uint32_t iterations, float compliance,
                              bool upwards)
{
    float x[LINKS + 1][3] = {{0}}, masses[LINKS + 1], rest[LINKS];
    uint32_t pair[LINKS][2];
    for (uint32_t i = 0; i <= LINKS; i++) {
        x[i][1] = 5.0f - (float)i;
        masses[i] = i ? 1.0f : 0.0f;
    }
    for (uint32_t i = 0; i < LINKS; i++) {
        const uint32_t top = upwards ? LINKS - 1 - i : i;
        pair[i][0] = top;
        pair[i][1] = top + 1;
        rest[i] = 1.0f;
    }
    xpbd_world_def def = kit_def(scheduler);
    def.acceleration[1] = -10.0f;
    def.iterations = iterations;
    xpbd_world *w = kit_create(&def);
    kit_add_particles(w, LINKS + 1, (const float(*)[3])x, masses);
    kit_add_distances(w, LINKS, (const uint32_t(*)[2])pair, rest, compliance);
    return w;
}

/* Hang until at rest: the slowest mode, omega = 2 sqrt(k) sin(pi / 42) = 4.7 rad/s, loses
 * (omega dt)^2 / 2 = 0.3 % a step, so 6000 steps leave e^-18 of 0.55 m. */
static double stretch_at_rest(xpbd_world *w)
{
    float bottom[3];
    kit_steps(w, 6000, dt);
    kit_position(w, LINKS, bottom);
    return 5.0 - LINKS - (double)bottom[1];
}

static double force_at_top(const xpbd_world *w, uint32_t link)
{
    float f[2][3];
    assert_ok(xpbd_world_read_forces(w, XPBD_DISTANCE, link, 1, f[0], 0));
    assert_near(f[0][0], 0.0, 0.0);
    return -(double)f[0][1];
}

/* What float leaves open. A position below 8 moves in ulps of 2^-21; at rest a particle's remaining
 * acceleration is below one of them a step, r = 2^-21 / dt^2 = 0.0017 m/s^2. Link j carries the
 * mass below it times g +- r: together 55 r alpha in the length, 10 r in the force at the top. To
 * that comes the rounding of the 10 lengths themselves. */
static const double length_error = 55 * 0x1p-21 * 3600 * 1e-3 + 10 * 0x1p-21;
static const double force_error = 10 * 0x1p-21 * 3600;

static void test_static_chain_has_its_length_and_force(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t i = 0; (name = xpbd_scheduler_name(i)); i++) {
        if (!strcmp(name, "jacobi"))
            continue; /* averaging does not keep momentum: another solution */
        xpbd_world *w = make_chain(name, 40, (float)soft, false);
        assert_near(stretch_at_rest(w), 0.550, length_error);
        assert_near(force_at_top(w, 0), 100.0, force_error);
        xpbd_diagnostics d;
        assert_ok(xpbd_world_diagnose(w, &d));
        /* eq. 9: 40 iterations converge; lambda and a difference of coordinates are rounded. */
        assert_near(d.residual_max, 0.0, 4 * 0x1p-21);
        xpbd_world_destroy(w);
    }
}

/* One sweep from the fixed end down has the exact multipliers, but each link is then stretched by
 * the correction of the next one: g dt^2 n (n - 1) / 2 = 0.125 m more, for any compliance. Upwards
 * it is g dt^2 (n (n + 1) / 2 - 1) = 0.150 m. This is the order of the caller, so it is the test
 * that serial-gs keeps that order. */
static void test_one_serial_sweep_has_its_closed_form(void **state)
{
    (void)state;
    for (int stiff = 0; stiff < 2; stiff++) {
        const float alpha = stiff ? 0.0f : (float)soft;
        const double elastic = stiff ? 0.0 : 0.550;
        xpbd_world *w = make_chain("serial-gs", 1, alpha, false);
        assert_near(stretch_at_rest(w), elastic + 0.125, length_error);
        assert_near(force_at_top(w, 0), 100.0, force_error);
        xpbd_world_destroy(w);
        w = make_chain("serial-gs", 1, alpha, true);
        assert_near(stretch_at_rest(w), elastic + 0.150, length_error);
        assert_near(force_at_top(w, LINKS - 1), 100.0, force_error);
        xpbd_world_destroy(w);
    }
}

/* FORMULAS.md part 3 no. 1, printed to 3 or 4 digits. A solver that zeroes lambda in each
 * iteration gives 0.337, 0.134, 0.066 and 0.032 from the second on. */
static void test_iterations_do_not_stiffen_the_chain(void **state)
{
    static const struct {
        uint32_t iterations;
        double stretch, half_digit;
    } want[] = {
        {1, 0.675, 5e-4}, {2, 0.569, 5e-4}, {5, 0.5501, 5e-5}, {10, 0.55, 5e-5}, {20, 0.55, 5e-5}};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(want); i++) {
        xpbd_world *w = make_chain("serial-gs", want[i].iterations, (float)soft, false);
        assert_near(stretch_at_rest(w), want[i].stretch, want[i].half_digit + length_error);
        xpbd_world_destroy(w);
    }
}

/* 6 particles in a line, one fixed, links stretched and compressed by up to 20 %, pulled along the
 * line. In a line the constraints are linear, so that there is one solution; otherwise XPBD, which
 * adds up corrections along gradients that turn meanwhile, depends on the path by a little. */
enum { LINE = 6 };
static const float line[LINE] = {0, 1.1f, 2, 3.2f, 4, 5};
static const float line_masses[LINE] = {0, 1, 0.5f, 2, 1, 0.25f};

/* Gauss-Seidel in double until nothing moves: the fixed point itself. */
static void solve_in_double(double x[LINE], double lambda[LINE - 1])
{
    const double step = 1.0 / 64, alpha = (double)(float)soft / (step * step);
    for (int i = 0; i < LINE; i++)
        x[i] = (double)line[i] + (i > 0 ? 10 * step * step : 0);
    for (int round = 0; round < 3000; round++) {
        for (int j = 0; j + 1 < LINE; j++) {
            const double wa = (double)line_masses[j], wb = (double)line_masses[j + 1];
            const double more = (1 - (x[j + 1] - x[j]) - alpha * lambda[j]) / (wa + wb + alpha);
            lambda[j] += more;
            x[j] -= wa * more;
            x[j + 1] += wb * more;
        }
    }
}

/* What float leaves: a coordinate below 8 has ulps of 2^-21, and each of the at most 2 links at a
 * particle leaves one; the smallest eigenvalue of (w grad grad + alpha~) relative to its diagonal
 * is above 1/2 here (alpha~ = 4.1 beside w sums of up to 3): 4 ulps. lambda is C / alpha~: within
 * the same. */
static void test_schedulers_share_their_fixed_point(void **state)
{
    static const uint32_t chain[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}};
    static const float rest[] = {1, 1, 1, 1, 1};
    float start[LINE][3] = {{0}};
    double x[LINE], lambda[LINE - 1] = {0};
    const char *name;
    (void)state;
    for (uint32_t i = 0; i < LINE; i++)
        start[i][0] = line[i];
    solve_in_double(x, lambda);
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        if (!strcmp(name, "jacobi"))
            continue; /* see above */
        xpbd_world_def def = kit_def(name);
        def.acceleration[0] = 10.0f;
        def.iterations = 500;
        xpbd_world *w = kit_create(&def);
        kit_add_particles(w, LINE, (const float(*)[3])start, line_masses);
        kit_add_distances(w, LINE - 1, chain, rest, (float)soft);
        kit_steps(w, 1, 1.0 / 64);
        for (uint32_t i = 0; i < LINE; i++) {
            float at[3];
            kit_position(w, i, at);
            assert_near(at[0], x[i], 4 * 0x1p-21);
        }
        for (uint32_t j = 0; j + 1 < LINE; j++)
            assert_near(kit_lambda(w, j), lambda[j], 4 * 0x1p-21);
        xpbd_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_static_chain_has_its_length_and_force),
        cmocka_unit_test(test_one_serial_sweep_has_its_closed_form),
        cmocka_unit_test(test_iterations_do_not_stiffen_the_chain),
        cmocka_unit_test(test_schedulers_share_their_fixed_point),
    };
    return RUN_GROUP("physics_chain", tests);
}
