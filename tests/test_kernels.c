/* SPDX-License-Identifier: MIT
 *
 * What every constraint type has to do, from its table row alone: a right gradient, a step along
 * -w grad C, a rest pose that stays, momentum kept, |C| that falls, the closed form of a constraint
 * alone, and finite results where there is no direction. The oracle is the type's description in
 * double precision, and for that one finite differences.
 */
#include "tests/kernel_bed.h"
#include "tests/support.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define EACH_TYPE(type) for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++)

enum { POSES = 100 };

static const xpbd_constraint_info *info_of(uint32_t type)
{
    return xpbd_constraint_type_info((xpbd_constraint_type)type);
}

/* The scalar kernel on the soa layout: the one that all others are compared with elsewhere. */
static void run(uint32_t type, const xpbd_pass *pass, const bed_constraint in[BED_LANES],
                bed_result out[BED_LANES])
{
    bed_run(type, XPBD_ISA_scalar, XPBD_LAYOUT_soa, XPBD_VARIANT_FIRST, pass, in, out);
}

/* Central differences with step 1e-6: their own error is about 1e-12 (third derivative) plus
 * 2e-16 / 1e-6 (rounding), far below the limit of 1e-6. */
static void test_N40_gradient_is_the_derivative(void **state)
{
    (void)state;
    EACH_TYPE(type)
    {
        uint64_t seed = 1;
        const xpbd_constraint_info *info = info_of(type);
        for (int pose = 0; pose < POSES; pose++) {
            const bed_constraint at = bed_make(type, 1.0, &seed);
            double x[XPBD_CORNERS_MAX][3], C[XPBD_ROWS_MAX], up[XPBD_ROWS_MAX], down[XPBD_ROWS_MAX];
            double g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3],
                unused[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
            const xpbd_constraint_ops *ops = xpbd_constraint_ops_of((xpbd_constraint_type)type);
            for (int k = 0; k < XPBD_CORNERS_MAX * 3; k++) {
                x[k / 3][k % 3] = (double)at.x[k / 3][k % 3];
            }
            assert_true(ops->measure((const double(*)[3])x, at.rest, C, g));
            for (uint32_t k = 0; k < 3 * info->n_particles; k++) {
                const double keep = x[k / 3][k % 3], step = 1e-6;
                x[k / 3][k % 3] = keep + step;
                ops->measure((const double(*)[3])x, at.rest, up, unused);
                x[k / 3][k % 3] = keep - step;
                ops->measure((const double(*)[3])x, at.rest, down, unused);
                x[k / 3][k % 3] = keep;
                for (uint32_t row = 0; row < info->n_rows; row++) {
                    const double difference = (up[row] - down[row]) / (2.0 * step);
                    const double gradient = g[row * info->n_particles + k / 3][k % 3];
                    if (fabs(difference - gradient) > 1e-6 * (1.0 + fabs(gradient))) {
                        fail_msg("%s row %u: gradient %.9g, difference %.9g", info->name, row,
                                 gradient, difference);
                    }
                }
            }
        }
    }
}

/* dx = w sum over rows of grad C d_lambda. The kernel and this sum round at most some ten times
 * each: 2e-6 of the largest term, or of the coordinate that carries dx. */
static void test_step_is_along_the_gradient(void **state)
{
    (void)state;
    const xpbd_pass pass = bed_pass();
    EACH_TYPE(type)
    {
        uint64_t seed = 2;
        const xpbd_constraint_info *info = info_of(type);
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        for (int lane = 0; lane < BED_LANES; lane++) {
            in[lane] = bed_make(type, 0.5, &seed);
        }
        run(type, &pass, in, out);
        for (int lane = 0; lane < BED_LANES; lane++) {
            double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
            assert_true(bed_measure(type, (const float(*)[3])in[lane].x, in[lane].rest, C, g));
            for (uint32_t k = 0; k < 3 * info->n_particles; k++) {
                double sum = 0.0, most = 1.0;
                for (uint32_t row = 0; row < info->n_rows; row++) {
                    const double term = (double)in[lane].inverse_mass[k / 3] *
                                        g[row * info->n_particles + k / 3][k % 3] *
                                        (double)out[lane].lambda[row];
                    sum += term;
                    most = fmax(most, fabs(term));
                }
                const double dx =
                    (double)out[lane].x[k / 3][k % 3] - (double)in[lane].x[k / 3][k % 3];
                if (fabs(dx - sum) > 2e-6 * most) {
                    fail_msg("%s lane %d: moved by %.9g, w grad lambda is %.9g", info->name, lane,
                             dx, sum);
                }
            }
        }
    }
}

static void test_rest_pose_stays_bit_for_bit(void **state)
{
    (void)state;
    const xpbd_pass pass = bed_pass();
    EACH_TYPE(type)
    {
        uint64_t seed = 3;
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        for (int lane = 0; lane < BED_LANES; lane++) {
            in[lane] = bed_make(type, 0.0, &seed);
        }
        run(type, &pass, in, out);
        for (int lane = 0; lane < BED_LANES; lane++) {
            assert_memory_equal(in[lane].x, out[lane].x,
                                info_of(type)->n_particles * sizeof in[lane].x[0]);
        }
    }
}

/* Where the gradients of a type sum to 0 it is internal: no net force, no net torque. */
static bool is_internal(uint32_t type)
{
    uint64_t seed = 4;
    const bed_constraint at = bed_make(type, 1.0, &seed);
    double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
    bed_measure(type, (const float(*)[3])at.x, at.rest, C, g);
    double sum = 0.0;
    for (uint32_t k = 0; k < info_of(type)->n_rows * info_of(type)->n_particles; k++) {
        sum += g[k][0] + g[k][1] + g[k][2];
    }
    return fabs(sum) < 1e-9;
}

/* Every displacement carries half an ulp of its coordinate, 1.2e-7 at most below 2; with masses up
 * to 5 and four corners sums are off by 5e-6 at the very most. */
static void test_internal_types_keep_momentum(void **state)
{
    (void)state;
    const xpbd_pass pass = bed_pass();
    EACH_TYPE(type)
    {
        if (!is_internal(type)) {
            continue;
        }
        uint64_t seed = 5;
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        for (int lane = 0; lane < BED_LANES; lane++) {
            in[lane] = bed_make(type, 0.5, &seed);
        }
        run(type, &pass, in, out);
        for (int lane = 0; lane < BED_LANES; lane++) {
            double linear[3] = {0}, angular[3] = {0};
            for (uint32_t k = 0; k < info_of(type)->n_particles; k++) {
                const double m = 1.0 / (double)in[lane].inverse_mass[k];
                double x[3], d[3];
                for (int c = 0; c < 3; c++) {
                    x[c] = (double)in[lane].x[k][c];
                    d[c] = (double)out[lane].x[k][c] - x[c];
                }
                for (int c = 0; c < 3; c++) {
                    const int a = (c + 1) % 3, b = (c + 2) % 3;
                    linear[c] += m * d[c];
                    angular[c] += m * (x[a] * d[b] - x[b] * d[a]);
                }
            }
            for (int c = 0; c < 3; c++) {
                assert_true(fabs(linear[c]) < 5e-6);
                assert_true(fabs(angular[c]) < 1e-5);
            }
        }
    }
}

static double norm(uint32_t type, const float (*x)[3], const float *rest)
{
    double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3], sum = 0.0;
    bed_measure(type, x, rest, C, g);
    for (uint32_t row = 0; row < info_of(type)->n_rows; row++) {
        const double violation = bed_residual(type, C[row], 0.0, 0.0);
        sum += violation * violation;
    }
    return sqrt(sum);
}

static void test_projection_lowers_the_constraint(void **state)
{
    (void)state;
    const xpbd_pass pass = bed_pass();
    EACH_TYPE(type)
    {
        uint64_t seed = 6;
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        for (int lane = 0; lane < BED_LANES; lane++) {
            in[lane] = bed_make(type, 0.2, &seed);
            in[lane].compliance = 0.0f;
        }
        run(type, &pass, in, out);
        for (int lane = 0; lane < BED_LANES; lane++) {
            const double before = norm(type, (const float(*)[3])in[lane].x, in[lane].rest);
            const double after = norm(type, (const float(*)[3])out[lane].x, in[lane].rest);
            if (!(after <= 0.5 * before + 1e-6)) {
                fail_msg("%s lane %d: |C| %.9g became %.9g", info_of(type)->name, lane, before,
                         after);
            }
        }
    }
}

/* One Newton step on a nearly linear problem: C + alpha~ lambda falls to second order in C. */
static void test_constraint_alone_is_solved(void **state)
{
    (void)state;
    const xpbd_pass pass = bed_pass();
    EACH_TYPE(type)
    {
        uint64_t seed = 7;
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        for (int lane = 0; lane < BED_LANES; lane++) {
            in[lane] = bed_make(type, 0.01, &seed);
        }
        run(type, &pass, in, out);
        for (int lane = 0; lane < BED_LANES; lane++) {
            double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
            bed_measure(type, (const float(*)[3])out[lane].x, in[lane].rest, C, g);
            for (uint32_t row = 0; row < info_of(type)->n_rows; row++) {
                const double alpha = (double)in[lane].compliance * (double)pass.inverse_dt2;
                const double residual =
                    bed_residual(type, C[row], alpha, (double)out[lane].lambda[row]);
                assert_true(fabs(residual) < 1e-3 * 1e-2 + 1e-6);
            }
        }
    }
}

/* All corners on one spot, all pinned, or both, in every lane in turn. */
static void test_N03_N04_X02_degenerate_lanes_stay_finite(void **state)
{
    (void)state;
    const xpbd_pass pass = bed_pass();
    EACH_TYPE(type)
    {
        for (int lane = 0; lane < XPBD_GROUP; lane++) {
            uint64_t seed = 8;
            bed_constraint in[BED_LANES];
            bed_result out[BED_LANES];
            for (int k = 0; k < BED_LANES; k++) {
                in[k] = bed_make(type, 0.5, &seed);
            }
            for (int k = 0; k < XPBD_CORNERS_MAX; k++) {
                memcpy(in[lane].x[k], in[lane].x[0], sizeof in[lane].x[0]);
                in[lane + XPBD_GROUP].inverse_mass[k] = 0.0f;
                memcpy(in[lane + 2 * XPBD_GROUP].x[k], in[lane + 2 * XPBD_GROUP].x[0],
                       sizeof in[lane].x[0]);
                in[lane + 2 * XPBD_GROUP].inverse_mass[k] = 0.0f;
            }
            in[lane].compliance = 0.0f;
            in[lane + XPBD_GROUP].compliance = 0.0f;
            run(type, &pass, in, out);
            for (int k = 0; k < BED_LANES; k++) {
                for (uint32_t c = 0; c < 3 * info_of(type)->n_particles; c++) {
                    assert_true(isfinite(out[k].x[c / 3][c % 3]));
                }
                for (uint32_t row = 0; row < info_of(type)->n_rows; row++) {
                    assert_true(isfinite(out[k].lambda[row]));
                }
            }
            assert_memory_equal(in[lane + XPBD_GROUP].x, out[lane + XPBD_GROUP].x,
                                info_of(type)->n_particles * sizeof in[lane].x[0]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_N40_gradient_is_the_derivative),
        cmocka_unit_test(test_step_is_along_the_gradient),
        cmocka_unit_test(test_rest_pose_stays_bit_for_bit),
        cmocka_unit_test(test_internal_types_keep_momentum),
        cmocka_unit_test(test_projection_lowers_the_constraint),
        cmocka_unit_test(test_constraint_alone_is_solved),
        cmocka_unit_test(test_N03_N04_X02_degenerate_lanes_stay_finite),
    };
    return RUN_GROUP("kernels", tests);
}
