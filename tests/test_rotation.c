/* SPDX-License-Identifier: MIT
 *
 * What the rotation nearest to a matrix is made of, function by function, and its blend with the
 * linear map, against matrices that were made of a known one. The fit is in test_rotation_fit.c.
 */
#include "tests/rotation_bed.h"

/* Columns of length 1, at right angles, the right way round, and quarter turns where they belong.
 */
static void test_matrices_are_rotations(void **state)
{
    static const mat quarter[3] = {{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}},
                                   {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}},
                                   {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}};
    static const mat one = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    uint64_t seed = 1;
    double q[4];
    mat R, square;
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        const double turn[4] = {1, axis == 0, axis == 1, axis == 2};
        memcpy(q, turn, sizeof q);
        xpbd_rotation_normalize(q);
        xpbd_rotation_matrix(q, R);
        assert_matrix(R, quarter[axis], 1e-15);
    }
    for (int run = 0; run < 50; run++) {
        mat transposed;
        random_quaternion(&seed, q);
        assert_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0, 1e-15);
        xpbd_rotation_matrix(q, R);
        for (int k = 0; k < 9; k++)
            transposed[k / 3][k % 3] = R[k % 3][k / 3];
        product(R, FIXED(transposed), square);
        assert_matrix(square, one, 1e-14);
        assert_near(xpbd_rotation_determinant(FIXED(R)), 1.0, 1e-14);
    }
}

static void test_solve_takes_positive_matrices_only(void **state)
{
    static const mat bad[] = {
        {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}},   {{1, 0, 0}, {0, 0, 0}, {0, 0, 1}},
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}},   {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}},  {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}},
        {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}, {{1, 2, 0}, {2, 1, 0}, {0, 0, 1}},
        {{1, 0, 0}, {0, 1, 2}, {0, 2, 1}},   {{1, 0, 2}, {0, 1, 0}, {2, 0, 1}},
        {{NAN, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, -0.0, 1}, {0, 1, 1}},
        {{-0.0, 1, 1}, {1, 1, 0}, {1, 0, 1}}};
    uint64_t seed = 2;
    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(bad); k++) {
        const double t[3] = {1, 2, 3};
        double theta[3] = {7, 7, 7};
        assert_false(xpbd_rotation_solve(bad[k], t, theta));
        assert_true(theta[0] == 7 && theta[1] == 7 && theta[2] == 7);
    }
    for (int run = 0; run < 100; run++) {
        const double d[3] = {uniform(&seed, 0.1, 3), uniform(&seed, 0.1, 3), 1};
        mat H;
        double t[3], theta[3] = {0};
        stretched(&seed, d, H);
        for (int k = 0; k < 3; k++)
            t[k] = uniform(&seed, -1, 1);
        assert_true(xpbd_rotation_solve(FIXED(H), t, theta));
        for (int k = 0; k < 3; k++)
            assert_near(H[k][0] * theta[0] + H[k][1] * theta[1] + H[k][2] * theta[2], t[k], 1e-13);
    }
}

/* One Jacobi rotation: N[p][q] is gone, and V N V^T what it was. */
static void test_annihilation_is_a_rotation(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (int run = 0; run < 60; run++) {
        double N[4][4], was[4][4],
            V[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
        for (int k = 0; k < 16; k++)
            if (k / 4 <= k % 4)
                N[k / 4][k % 4] = N[k % 4][k / 4] = uniform(&seed, -1, 1);
        memcpy(was, N, sizeof was);
        const int p = run % 3, q = p + 1 + run / 3 % (3 - p);
        xpbd_rotation_annihilate(N, V, p, q);
        assert_true(N[p][q] == 0 && N[q][p] == 0);
        for (int k = 0; k < 16; k++) {
            double sum = 0;
            for (int l = 0; l < 16; l++)
                sum += V[k / 4][l / 4] * N[l / 4][l % 4] * V[k % 4][l % 4];
            assert_near(sum, was[k / 4][k % 4], 1e-14);
        }
        /* By less than an eighth of a turn, or sweeps would not end. */
        assert_true(fabs(V[p][p]) > 0.7);
        /* Of two eighths that are as good the one the way N[p][q] has its sign. */
        double even[4][4] = {{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 2}},
               U[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
        even[p][q] = even[q][p] = run < 30 ? 1 : -1;
        xpbd_rotation_annihilate(even, U, p, q);
        assert_near(U[p][q], sqrt(0.5), 1e-15);
        memcpy(was, N, sizeof was);
        xpbd_rotation_annihilate(N, V, p, q);
        assert_memory_equal(was, N, sizeof was);
    }
}

static void test_cube_roots(void **state)
{
    (void)state;
    for (double d = 1e-9; d < 1e9; d *= 1.37)
        assert_near(xpbd_rotation_cube_root(d) / cbrt(d), 1.0, 1e-15);
    assert_near(xpbd_rotation_cube_root(1.0), 1.0, 0.0);
    assert_near(xpbd_rotation_cube_root(8.0), 2.0, 0.0);
}

/* Members F b of members b have the map F; its volume is taken out. */
static void test_blend_is_the_linear_map_without_its_volume(void **state)
{
    uint64_t seed = 6;
    (void)state;
    for (int run = 0; run < 50; run++) {
        const double d[3] = {uniform(&seed, 0.5, 2), uniform(&seed, 0.5, 2),
                             uniform(&seed, 0.5, 2)};
        const double beta = run % 5 * 0.25;
        mat F = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, Q, M, T, want;
        double q[4];
        stretched(&seed, d, Q);
        for (int k = 0; k < 9; k++)
            F[k / 3][k % 3] += uniform(&seed, -0.3, 0.3);
        product(FIXED(F), FIXED(Q), M);
        random_quaternion(&seed, q);
        xpbd_rotation_matrix(q, T);
        const double volume = cbrt(xpbd_rotation_determinant(FIXED(F)));
        for (int k = 0; k < 9; k++)
            want[k / 3][k % 3] = (1 - beta) * T[k / 3][k % 3] + beta * F[k / 3][k % 3] / volume;
        assert_true(xpbd_rotation_blend(FIXED(M), FIXED(Q), beta, T));
        assert_matrix(FIXED(T), FIXED(want), 1e-12);
        /* At rest it is exactly 1. */
        mat one = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        assert_true(xpbd_rotation_blend(FIXED(Q), FIXED(Q), 1.0, one));
        for (int k = 0; k < 9; k++)
            assert_near(one[k / 3][k % 3], k % 4 == 0 ? 1.0 : 0.0, 0.0);
    }
}

/* b in a plane, or all but; turned inside out, all but flattened, or blown up. */
static void test_blend_refuses_what_has_no_volume(void **state)
{
    static const double flat[] = {0, 0.9e-9, 1.2e-9},
                        sizes[] = {-1, 0, 0.9e-9, 1.1e-9, 0.9e9, 1.1e9};
    (void)state;
    for (uint32_t k = 0; k < 3 * COUNT_OF(flat); k++) {
        /* trace / 3 is 1, so this is the determinant in units of its cube; along each axis */
        const double det = flat[k / 3], along[3] = {1 + det / 2, 2 - det, det / 2};
        mat Q = {{along[k % 3], 0, 0}, {0, along[(k + 1) % 3], 0}, {0, 0, along[(k + 2) % 3]}},
            T = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        assert_int_equal(xpbd_rotation_blend(FIXED(Q), FIXED(Q), 1.0, T), k / 3 == 2);
    }
    for (uint32_t k = 0; k < COUNT_OF(sizes); k++) {
        const mat Q = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        mat M = {{sizes[k], 0, 0}, {0, 1, 0}, {0, 0, 1}}, T = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        assert_int_equal(xpbd_rotation_blend(FIXED(M), Q, 1.0, T), k == 3 || k == 4);
        assert_true(k == 3 || k == 4 || T[0][0] == 1);
    }
    /* At a limit to the bit: powers of 2 and what they lack to it. */
    for (int k = 0; k < 2; k++) {
        const mat Q = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const mat M = {{k ? 0x1p15 : 0x1p-15, 0, 0},
                       {0, k ? 0x1p14 : 0x1p-15, 0},
                       {0, 0, k ? 1e9 * 0x1p-29 : 1e-9 * 0x1p30}};
        mat T = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        assert_true(xpbd_rotation_determinant(M) == (k ? 1e9 : 1e-9));
        assert_false(xpbd_rotation_blend(M, Q, 1.0, T));
    }
    double thin = 5e-10;
    while ((2 - thin) * thin < 1e-9)
        thin = nextafter(thin, 1);
    const mat Q = {{1, 0, 0}, {0, 2 - thin, 0}, {0, 0, thin}};
    mat T = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    assert_true((2 - thin) * thin == 1e-9 && (1 + (2 - thin) + thin) / 3 == 1);
    assert_false(xpbd_rotation_blend(Q, Q, 1.0, T));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrices_are_rotations),
        cmocka_unit_test(test_solve_takes_positive_matrices_only),
        cmocka_unit_test(test_annihilation_is_a_rotation),
        cmocka_unit_test(test_cube_roots),
        cmocka_unit_test(test_blend_is_the_linear_map_without_its_volume),
        cmocka_unit_test(test_blend_refuses_what_has_no_volume),
    };
    return RUN_GROUP("rotation", tests);
}
