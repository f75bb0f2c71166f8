/* SPDX-License-Identifier: MIT
 *
 * Judges the library's C, gradients and compliances by those of the reference, and these by
 * differences: two derivations that know nothing of each other agree.
 */
#include "support.h"

#include "kernel/kernel.h"
#include "reference/reference.h"

#include <math.h>

enum { POSES = 20 };

/* A tetrahedron of about 1 m, moved by up to a fifth from a pose with float coordinates. */
static void make_pose(uint64_t *seed, float (*at_rest)[3], double (*x)[3])
{
    static const float unit[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 12; i++) {
        at_rest[i / 3][i % 3] = unit[i / 3][i % 3] + kit_uniform(seed, -0.1f, 0.1f);
        x[i / 3][i % 3] = (double)(at_rest[i / 3][i % 3] + kit_uniform(seed, -0.2f, 0.2f));
    }
}

static const xpbd_constraint_ops *make_rest(xpbd_constraint_type type, const float (*at_rest)[3],
                                            float *rest, double *rest_d)
{
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of(type);
    ops->rest_of(at_rest, rest);
    for (uint32_t i = 0; i < xpbd_constraint_type_info(type)->n_rest; i++) {
        rest_d[i] = (double)rest[i];
    }
    return ops;
}

static bool is_fixed_size(uint32_t type)
{
    return !xpbd_constraint_type_info((xpbd_constraint_type)type)->variable;
}

/* Central differences of step s of a function whose third derivative is of order 10 here: s^2 10
 * / 6 of truncation and 2^-52 / s of rounding, both below 1e-8 at s = 1e-5. */
static void test_derivatives_are_those_of_differences(void **state)
{
    const double s = 1e-5;
    (void)state;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        uint64_t seed = 7;
        for (int pose = 0; pose < POSES && ref_knows(type) && is_fixed_size(type); pose++) {
            float at_rest[4][3], rest[XPBD_REST_MAX];
            double x[4][3], rest_d[XPBD_REST_MAX];
            ref_rows at, up, down;
            make_pose(&seed, at_rest, x);
            make_rest(type, (const float(*)[3])at_rest, rest, rest_d);
            ref_evaluate(type, (const double(*)[3])x, rest_d, &at);
            for (int i = 0; i < at.n_variables; i++) {
                const double keep = x[i / 3][i % 3];
                x[i / 3][i % 3] = keep + s;
                ref_evaluate(type, (const double(*)[3])x, rest_d, &up);
                x[i / 3][i % 3] = keep - s;
                ref_evaluate(type, (const double(*)[3])x, rest_d, &down);
                x[i / 3][i % 3] = keep;
                for (int r = 0; r < at.n_rows; r++) {
                    assert_near((up.C[r] - down.C[r]) / (2 * s), at.gradient[r][i], 1e-7);
                    for (int j = 0; j < at.n_variables; j++) {
                        const double slope = up.gradient[r][j] - down.gradient[r][j];
                        assert_near(slope / (2 * s), at.hessian[r][i][j], 1e-6);
                    }
                }
            }
        }
    }
}

/* Both in double: what differs is the order of some hundred operations on numbers of order 10. */
static const double rounding = 1e-12;

/* bend_angle is measured with reciprocal lengths in float, as the kernel has them, and the weights
 * of ties, floats that sum to 1 but for their rounding, give x0 their sum: up to four numbers, each
 * half an ulp of 2^-23 off, times coordinates of about 1. */
static double tolerance_of(uint32_t type)
{
    const bool in_float =
        type == XPBD_BEND_ANGLE || type == XPBD_TIE_EDGE || type == XPBD_TIE_TRIANGLE;
    return in_float ? 16 * 0x1p-24 : rounding;
}

static void check_rows(const ref_rows *want, const double *C, double (*gradient)[3], uint32_t n,
                       double tolerance)
{
    for (int r = 0; r < want->n_rows; r++) {
        assert_near(C[r], want->C[r], tolerance);
        for (int i = 0; i < want->n_variables; i++) {
            assert_near(gradient[(uint32_t)r * n + (uint32_t)i / 3][i % 3], want->gradient[r][i],
                        tolerance);
        }
    }
}

/* Rows are a choice: their energy 1/2 C^T alpha^-1 C and its gradient are not. */
static void check_energy(const ref_rows *want, const double *C, double (*gradient)[3],
                         const double *alpha)
{
    double energy = 0.0;
    for (int r = 0; r < 2; r++) {
        energy += 0.5 * C[r] * C[r] / alpha[3 * r];
    }
    assert_near(energy, want->C[0], rounding);
    for (int i = 0; i < want->n_variables; i++) {
        const double slope =
            C[0] * gradient[i / 3][i % 3] / alpha[0] + C[1] * gradient[4 + i / 3][i % 3] / alpha[3];
        assert_near(slope, want->gradient[0][i], rounding);
    }
}

static void test_library_measures_what_the_reference_does(void **state)
{
    (void)state;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        uint64_t seed = 11;
        for (int pose = 0; pose < POSES && ref_knows(type) && is_fixed_size(type); pose++) {
            float at_rest[4][3], rest[XPBD_REST_MAX];
            double x[4][3], rest_d[XPBD_REST_MAX], C[XPBD_ROWS_MAX], alpha[36], want_alpha[36];
            double gradient[XPBD_ROWS_MAX * 4][3];
            ref_rows want;
            make_pose(&seed, at_rest, x);
            const xpbd_constraint_ops *ops =
                make_rest(type, (const float(*)[3])at_rest, rest, rest_d);
            ref_evaluate(type, (const double(*)[3])x, rest_d, &want);
            assert_true(ops->measure((const double(*)[3])x, rest, C, gradient));
            if (ref_is_energy(type)) {
                ops->compliance(rest, alpha);
                check_energy(&want, C, gradient, alpha);
                continue;
            }
            check_rows(&want, C, gradient, xpbd_constraint_type_info(type)->n_particles,
                       tolerance_of(type));
            ref_compliance(type, rest_d, want_alpha);
            for (int k = 0; k < want.n_rows * want.n_rows && ops->compliance; k++) {
                ops->compliance(rest, alpha);
                assert_near(alpha[k], want_alpha[k], rounding * 10);
            }
        }
    }
}

static void test_reference_has_all_types(void **state)
{
    (void)state;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        assert_true(ref_knows(type));
        assert_int_equal(ref_side(type), xpbd_constraint_ops_of(type)->side);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives_are_those_of_differences),
        cmocka_unit_test(test_library_measures_what_the_reference_does),
        cmocka_unit_test(test_reference_has_all_types),
    };
    return RUN_GROUP("reference_formulas", tests);
}
