/* SPDX-License-Identifier: MIT
 *
 * The rotation nearest to a matrix, against matrices that were made of a known one: from near and
 * far, cold, half a turn away, stretched, mirrored, without a volume.
 */
#include "tests/rotation_bed.h"

/* A = R P with P symmetric and positive: R is found, whatever is begun with. With one negative
 * value that is the least of them it still is the best. */
static void test_fit_finds_the_rotation(void **state)
{
    static const double stretches[][3] = {{1, 1, 1},          {3, 2, 1},      {0.5, 4, 0.1},
                                          {1, 1, 1e-3},       {3, 2, -1},     {2, 2, -0.1},
                                          {1e-8, 2e-8, 3e-8}, {1e8, 2e8, 3e8}};
    uint64_t seed = 3;
    (void)state;
    for (int run = 0; run < 400; run++) {
        double best[4], q[4];
        mat R, P, A, got;
        random_quaternion(&seed, best);
        xpbd_rotation_matrix(best, R);
        stretched(&seed, stretches[run / 5 % 8], P);
        product(FIXED(R), FIXED(P), A);
        const double near = run % 5 == 0 ? 1e-3 : 0.3;
        for (int k = 0; k < 4; k++) /* near, cold, anywhere */
            q[k] = run % 5 < 2    ? best[k] + uniform(&seed, -near, near)
                   : run % 5 == 2 ? 0
                                  : uniform(&seed, -1, 1);
        if (run % 5 == 4) { /* half a turn about one of its axes */
            const double turned[4] = {-best[1], best[0], best[3], -best[2]};
            memcpy(q, turned, sizeof q);
        }
        if (run % 5 != 2)
            xpbd_rotation_normalize(q);
        xpbd_rotation_fit(FIXED(A), q);
        xpbd_rotation_matrix(q, got);
        assert_matrix(FIXED(got), FIXED(R), 1e-9);
        xpbd_rotation_search(FIXED(A), q);
        xpbd_rotation_matrix(q, got);
        assert_matrix(FIXED(got), FIXED(R), 1e-9);
    }
}

static double along(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* q, turned by about `far` to any side. */
static void turned_off(uint64_t *seed, const double q[4], double far, double out[4])
{
    for (int k = 0; k < 4; k++)
        out[k] = q[k] + uniform(seed, -0.5 * far, 0.5 * far);
    xpbd_rotation_normalize(out);
}

/* From near it takes few steps, errors being squared by each, and no search; the last step finds
 * that it was not needed. One root is the norm's. */
static void test_fit_takes_few_steps(void **state)
{
    static const double stretches[][3] = {{1, 1, 1}, {3, 2, 1}, {1, 1, 1e-3}, {3, 2, -1}};
    static const double far[] = {0, 1e-5, 1e-2, 0.3};
    static const unsigned most[] = {2, 3, 4, 5};
    uint64_t seed = 7;
    (void)state;
    for (int run = 0; run < 400; run++) {
        double best[4], q[4], was[4];
        mat R, P, A, got;
        random_quaternion(&seed, best);
        xpbd_rotation_matrix(best, R);
        stretched(&seed, stretches[run / 4 % 4], P);
        product(FIXED(R), FIXED(P), A);
        turned_off(&seed, best, far[run % 4], q);
        memcpy(was, q, sizeof q);
        n_roots = 0;
        xpbd_rotation_fit(FIXED(A), q);
        assert_true(n_roots <= 1 + most[run % 4]);
        xpbd_rotation_matrix(q, got);
        assert_matrix(FIXED(got), FIXED(R), 1e-11);
        /* Of the two quaternions of a rotation the closer one. */
        assert_true(along(q, was) > 0);
        xpbd_rotation_search(FIXED(A), was);
        assert_true(along(q, was) > 0.999);
    }
}

/* What needs no rotation gets none, to the bit; what has no direction keeps the one it had. */
static void test_fit_leaves_what_is_good(void **state)
{
    static const mat nothing = {{0}}, one = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                     symmetric = {{2, 0.5, 0.25}, {0.5, 3, -0.125}, {0.25, -0.125, 1}};
    mat huge = {{1e200, 0, 0}, {0, 1e200, 0}, {0, 0, 1e200}},
        odd = {{NAN, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    uint64_t seed = 8;
    static const double start[4] = {1, 0, 0, 0}, turned[4] = {0.5, 0.5, 0.5, 0.5};
    double q[4];
    (void)state;
    memcpy(q, start, sizeof q);
    xpbd_rotation_fit(one, q);
    assert_memory_equal(q, start, sizeof q);
    xpbd_rotation_fit(symmetric, q);
    assert_memory_equal(q, start, sizeof q);
    const mat *const kept[] = {&nothing, (const mat *)&huge, (const mat *)&odd};
    for (uint32_t k = 0; k < COUNT_OF(kept); k++) {
        memcpy(q, turned, sizeof q);
        xpbd_rotation_fit(*kept[k], q);
        assert_memory_equal(q, turned, sizeof q);
        memset(q, 0, sizeof q);
        xpbd_rotation_fit(*kept[k], q);
        assert_memory_equal(q, start, sizeof q);
        for (int run = 0; run < 50; run++) { /* half turns, and anything */
            double was[4] = {run == 0, run == 1, run == 2, run == 3};
            if (run > 3)
                random_quaternion(&seed, was);
            memcpy(q, was, sizeof q);
            xpbd_rotation_fit(*kept[k], q);
            assert_memory_equal(q, was, sizeof q);
        }
    }
}

/* All rotations are alike to a matrix of zeros: the closest one is the one that was given. */
static void test_search_keeps_what_is_as_good(void **state)
{
    static const mat nothing = {{0}};
    uint64_t seed = 9;
    (void)state;
    for (int run = 0; run < 20; run++) {
        double was[4], q[4];
        random_quaternion(&seed, was);
        memcpy(q, was, sizeof q);
        xpbd_rotation_search(nothing, q);
        for (int k = 0; k < 4; k++)
            assert_near(q[k], was[k], 1e-15);
    }
}

/* Of two that are as far the first; and of what is a thousandth towards one, that one as it was. */
static void test_search_takes_the_first(void **state)
{
    static const mat tie = {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}},
                     apart = {{3, 0, 0}, {0, 2, 0}, {0, 0, 1}};
    static const double first[4] = {1, 0, 0, 0};
    double q[4] = {0, 0, 0, 1};
    (void)state;
    xpbd_rotation_search(tie, q);
    assert_memory_equal(q, first, sizeof q);
    for (int k = 0; k < 2; k++) {
        const double part = k ? nextafter(-0.001, -1) : -0.001;
        double p[4] = {part, 1, 0, 0};
        assert_true(k == 1 || part * part == 1e-6);
        xpbd_rotation_search(apart, p);
        assert_true(p[0] == (k ? -1 : 1));
    }
}

/* What fits already is not touched: not one root but the norm's. */
static void test_fit_leaves_what_fits(void **state)
{
    uint64_t seed = 10;
    (void)state;
    for (int run = 0; run < 50; run++) {
        double was[4], q[4];
        mat R;
        random_quaternion(&seed, was);
        memcpy(q, was, sizeof q);
        xpbd_rotation_matrix(q, R);
        n_roots = 0;
        xpbd_rotation_fit(FIXED(R), q);
        assert_memory_equal(q, was, sizeof q);
        assert_int_equal(n_roots, 1);
    }
}

/* A fit that starts cold is a search, of seven sweeps at most, of six pairs and two
 * roots each. Newton's method takes eight steps at most. */
static void test_a_cold_fit_is_a_search(void **state)
{
    uint64_t seed = 11;
    (void)state;
    for (int run = 0; run < 20000; run++) {
        double q[4] = {0}, p[4] = {1, 0, 0, 0}, far[4];
        mat A;
        for (int k = 0; k < 9; k++)
            A[k / 3][k % 3] = uniform(&seed, -1, 1);
        n_roots = 0;
        xpbd_rotation_search(FIXED(A), p);
        const unsigned searched = n_roots;
        assert_true(searched <= 7 * 12 + 1);
        n_roots = 0;
        xpbd_rotation_fit(FIXED(A), q);
        assert_int_equal(n_roots, 1 + searched);
        assert_memory_equal(p, q, sizeof q);
        random_quaternion(&seed, far);
        n_roots = 0;
        xpbd_rotation_fit(FIXED(A), far);
        assert_true(n_roots <= 9 || n_roots > 20);
    }
}

/* Up to squares that sum to 1e300 there is a direction. */
static void test_fit_takes_large_matrices(void **state)
{
    const double most = 1e150, more = sqrt(1e300 - most * most);
    (void)state;
    assert_true(most * most < 1e300 && most * most + more * more == 1e300);
    for (int k = 1; k < 3; k++) {
        const mat A = {{0, -most, 0}, {k * more, 0, 0}, {0, 0, 0}};
        double q[4] = {0};
        mat R;
        xpbd_rotation_fit(A, q);
        xpbd_rotation_matrix(q, R);
        assert_near(R[0][1], k == 1 ? -1 : 0, 1e-12);
    }
}

/* From near a line is found by few steps, and turned about itself by none: what is turned is the
 * vector of the quotient of both quaternions. */
static void check_near_line(uint64_t *seed, const mat A, const double *a, const double *b,
                            const double best[4])
{
    double q[4], p[4], onto = 0, about = 0, la = 0, lb = 0;
    mat R;
    turned_off(seed, best, 1e-3, p);
    memcpy(q, p, sizeof q);
    n_roots = 0;
    xpbd_rotation_fit(A, q);
    assert_true(n_roots <= 3);
    xpbd_rotation_matrix(q, R);
    const double turn[3] = {p[0] * q[1] - q[0] * p[1] - q[2] * p[3] + q[3] * p[2],
                            p[0] * q[2] - q[0] * p[2] - q[3] * p[1] + q[1] * p[3],
                            p[0] * q[3] - q[0] * p[3] - q[1] * p[2] + q[2] * p[1]};
    for (int k = 0; k < 3; k++) {
        onto += a[k] * (R[k][0] * b[0] + R[k][1] * b[1] + R[k][2] * b[2]);
        about += a[k] * turn[k];
        la += a[k] * a[k];
        lb += b[k] * b[k];
    }
    assert_near(onto / sqrt(la * lb), 1, 1e-9);
    assert_near(about / sqrt(la), 0, 1e-10);
}

/* Points on a line: it is laid on the other one, and nothing is turned about it more than before.
 */
static void test_a_line_turns_the_least(void **state)
{
    uint64_t seed = 4;
    (void)state;
    for (int run = 0; run < 50; run++) {
        double a[3], b[3], la = 0, lb = 0, q[4] = {1, 0, 0, 0};
        mat A, R;
        for (int k = 0; k < 3; k++) {
            a[k] = uniform(&seed, -1, 1);
            b[k] = uniform(&seed, -1, 1);
            la += a[k] * a[k];
            lb += b[k] * b[k];
        }
        for (int k = 0; k < 9; k++)
            A[k / 3][k % 3] = a[k / 3] * b[k % 3];
        xpbd_rotation_search(FIXED(A), q);
        xpbd_rotation_matrix(q, R);
        double along = 0;
        for (int k = 0; k < 3; k++) {
            assert_near((R[k][0] * b[0] + R[k][1] * b[1] + R[k][2] * b[2]) / sqrt(lb),
                        a[k] / sqrt(la), 1e-6);
            along += a[k] * b[k];
        }
        /* The least turn has the angle between them: q0 is its half's cosine. */
        const double angle = acos(along / sqrt(la * lb));
        assert_near(fabs(q[0]), cos(0.5 * angle), 1e-6);
        check_near_line(&seed, FIXED(A), a, b, q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit_finds_the_rotation),
        cmocka_unit_test(test_fit_takes_few_steps),
        cmocka_unit_test(test_fit_leaves_what_is_good),
        cmocka_unit_test(test_search_keeps_what_is_as_good),
        cmocka_unit_test(test_search_takes_the_first),
        cmocka_unit_test(test_fit_leaves_what_fits),
        cmocka_unit_test(test_a_cold_fit_is_a_search),
        cmocka_unit_test(test_fit_takes_large_matrices),
        cmocka_unit_test(test_a_line_turns_the_least),
    };
    return RUN_GROUP("rotation_fit", tests);
}
