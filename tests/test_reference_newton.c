/* SPDX-License-Identifier: MIT
 *
 * Proves the reference's Newton solver: closed forms, quadratic convergence, residuals that are 0,
 * statics of chains with and without compliance, one-sided rows, and the sparse solve.
 */
#include "support.h"

#include "reference/reference.h"

#include <math.h>

enum { LINKS = 10 };

/* A chain of 1 kg links of 1 m from the origin along `direction`. */
static ref_system *make_chain(double alpha, const double direction[3], xpbd_constraint_type type)
{
    const double one = 1;
    ref_system *s = ref_make();
    for (uint32_t i = 0; i <= LINKS; i++) {
        const double x[3] = {i * direction[0], i * direction[1], i * direction[2]};
        const uint32_t pair[2] = {i - 1, i};
        ref_add_particle(s, x, NULL, i ? 1 : 0);
        if (i) {
            ref_add_constraint(s, type, pair, &one, alpha);
        }
    }
    s->gravity[1] = -10;
    return s;
}

static void test_a_step_of_an_oscillator_is_exact(void **state)
{
    const double k = 1000, dt = 1.0 / 60, x[3] = {1.5, 0, 0}, zero[3] = {0}, one = 1;
    const uint32_t pair[2] = {0, 1};
    ref_system *s = ref_make();
    (void)state;
    ref_add_particle(s, zero, NULL, 0);
    ref_add_particle(s, x, NULL, 1);
    ref_add_constraint(s, XPBD_DISTANCE, pair, &one, 1 / k);
    assert_true(ref_step(s, dt).converged);
    /* y' = y / (1 + k dt^2) from rest; lambda = -k dt^2 y'. */
    assert_near(s->x[1][0], 1 + 0.5 / (1 + k * dt * dt), 1e-15);
    assert_near(s->lambda[0], k * dt * dt * -0.5 / (1 + k * dt * dt), 1e-15);
    ref_free(s);
}

/* Each correction is at most about the square of the one before once they are small: of the merit,
 * which is a square itself, the fourth power over the second. */
static void test_newton_converges_quadratically(void **state)
{
    const double level[3] = {1, 0, 0};
    ref_system *s = make_chain(1e-8, level, XPBD_DISTANCE);
    (void)state;
    for (int frame = 0; frame < 100; frame++) {
        const ref_solution done = ref_step(s, 1.0 / 60);
        uint32_t seen = 0;
        assert_true(done.converged);
        for (uint32_t i = 0; i + 1 < done.iterations; i++) {
            const double now = done.merit[i], then = done.merit[i + 1];
            if (now < 1e-8 && now > 1e-14) {
                assert_below(then, fmax(1e4 * now * now, 1e-26));
                seen++;
            }
        }
        assert_true(frame > 0 || seen > 0);
        assert_below(done.g, 1e-12);
        assert_below(done.h, 1e-12);
    }
    ref_free(s);
}

/* Link j carries the LINKS - j + 1 masses below it: stretch alpha m g (LINKS - j + 1). */
static void test_chain_at_rest_has_its_stretch(void **state)
{
    static const double alphas[] = {1e-3, 1e-8, 0};
    const double down[3] = {0, -1, 0};
    (void)state;
    for (uint32_t a = 0; a < COUNT_OF(alphas); a++) {
        ref_system *s = make_chain(alphas[a], down, XPBD_DISTANCE);
        assert_true(ref_rest(s, 0.1).converged);
        const double stretch = alphas[a] * 10 * LINKS * (LINKS + 1) / 2;
        assert_near(s->x[LINKS][1], -LINKS - stretch, 1e-11);
        for (uint32_t j = 0; j < LINKS; j++) {
            assert_near(s->lambda[j], -10.0 * (LINKS - j), 1e-8);
        }
        ref_free(s);
    }
}

/* A rope that is slack falls freely; one that is taut pulls like a spring; a strut is the reverse.
 */
static void test_one_sided_rows_hold_on_their_side(void **state)
{
    const double dt = 0.01, zero[3] = {0}, one = 1;
    const uint32_t pair[2] = {0, 1};
    (void)state;
    for (int taut = 0; taut < 2; taut++) {
        for (int type = XPBD_ROPE; type <= XPBD_STRUT; type++) {
            const double x[3] = {taut ? 1.5 : 0.5, 0, 0};
            ref_system *s = ref_make();
            ref_add_particle(s, zero, NULL, 0);
            ref_add_particle(s, x, NULL, 1);
            ref_add_constraint(s, (xpbd_constraint_type)type, pair, &one, 1e-3);
            assert_true(ref_step(s, dt).converged);
            const bool holds = taut == (type == XPBD_ROPE);
            const double y = holds ? (x[0] - 1) / (1 + 1000 * dt * dt) : x[0] - 1;
            assert_near(s->x[1][0], 1 + y, 1e-14);
            assert_near(s->lambda[0], holds ? -1000 * dt * dt * y : 0, 1e-14);
            ref_free(s);
        }
    }
}

/* A dense matrix with zeros on its diagonal, times a known vector, in entries that come in two
 * parts. */
static void test_sparse_solve_inverts(void **state)
{
    enum { N = 40 };
    ref_sparse A = {.n = N};
    double x[N], b[N] = {0};
    uint64_t seed = 3;
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        x[i] = (double)kit_uniform(&seed, -1, 1);
    }
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t j = i % 3; j < N; j += 3) {
            const double value = i == j ? 0.0 : (double)kit_uniform(&seed, -1, 1);
            ref_sparse_add(&A, i, j, 2 * value);
            ref_sparse_add(&A, i, j, -value);
            b[i] += value * x[j];
        }
        ref_sparse_add(&A, i, (i + 1) % N, 5);
        b[i] += 5 * x[(i + 1) % N];
    }
    assert_true(ref_sparse_solve(&A, b));
    for (uint32_t i = 0; i < N; i++) {
        assert_near(b[i], x[i], 1e-12);
    }
    A.n_entries = 0;
    ref_sparse_add(&A, 0, 0, 1);
    assert_false(ref_sparse_solve(&A, b));
    free(A.entry);
}

/* Spectral radii of the chain matrix, from which link constraints of free ends come. */
static void test_sweeps_have_their_spectral_radius(void **state)
{
    enum { N = 19 };
    const double pi = 3.14159265358979323846, rho = cos(pi / (N + 1));
    double A[N * N] = {0};
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        A[i * N + i] = 2;
        if (i + 1 < N) {
            A[i * N + i + 1] = A[(i + 1) * N + i] = -1;
        }
    }
    const double omega = 2 / (1 + sqrt(1 - rho * rho));
    assert_near(ref_spectral_radius(REF_SWEEP_JACOBI, N, A, NULL, 1), rho, 1e-9);
    assert_near(ref_spectral_radius(REF_SWEEP_SERIAL, N, A, NULL, 1), rho * rho, 1e-9);
    assert_near(ref_spectral_radius(REF_SWEEP_TWO_COLORS, N, A, NULL, 1), rho * rho, 1e-9);
    /* A defective pair of eigenvalues: growth k^2 rho^k, the mean of whose logarithm over k
     * between K and 2 K is larger by 1 / K or so. */
    assert_near(ref_spectral_radius(REF_SWEEP_SERIAL, N, A, NULL, omega), omega - 1, 2e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_step_of_an_oscillator_is_exact),
        cmocka_unit_test(test_newton_converges_quadratically),
        cmocka_unit_test(test_chain_at_rest_has_its_stretch),
        cmocka_unit_test(test_one_sided_rows_hold_on_their_side),
        cmocka_unit_test(test_sparse_solve_inverts),
        cmocka_unit_test(test_sweeps_have_their_spectral_radius),
    };
    return RUN_GROUP("reference_newton", tests);
}
