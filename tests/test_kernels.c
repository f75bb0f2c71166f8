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

#define EACH_TYPE(type) BED_EACH_TYPE(type)

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

/* What holds particles to each other does not see the whole being moved: gradients sum to 0. Being
 * turned by omega changes a C that is a number, or numbers in the frame of the body, by nothing,
 * and one that is a vector in space by omega x C: x cross the gradients sums to 0 or to C cross the
 * axis of the row. */
static void check_invariance(uint32_t type, const double (*x)[3], const double *C,
                             const double (*g)[3])
{
    const uint32_t n = info_of(type)->n_particles, n_rows = info_of(type)->n_rows;
    const bool in_space = type == XPBD_BEND_ANGLE || type == XPBD_BEND_ISOMETRIC ||
                          type == XPBD_TIE_EDGE || type == XPBD_TIE_TRIANGLE;
    for (uint32_t row = 0; row < n_rows && type != XPBD_ATTACH; row++) {
        double most = 1.0, force[3] = {0}, torque[3] = {0}, want[3] = {0};
        for (uint32_t k = 0; k < n; k++) {
            const double *y = x[k], *f = g[row * n + k];
            for (int c = 0; c < 3; c++) {
                force[c] += f[c];
                torque[c] += y[(c + 1) % 3] * f[(c + 2) % 3] - y[(c + 2) % 3] * f[(c + 1) % 3];
                most = fmax(most, fabs(f[c]) * (1.0 + fabs(y[c])));
            }
        }
        if (in_space) {
            want[(row + 1) % 3] = C[(row + 2) % 3];
            want[(row + 2) % 3] = -C[(row + 1) % 3];
        }
        for (int c = 0; c < 3; c++) {
            assert_near(force[c], 0.0, 1e-12 * most);
            assert_near(torque[c], want[c], 1e-6 * most);
        }
    }
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
            check_invariance(type, (const double(*)[3])x, C, (const double(*)[3])g);
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
            for (uint32_t row = 0; row < info_of(type)->n_rows; row++) {
                assert_true(fabsf(out[lane].lambda[row]) < 1e-4f);
            }
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

/* A row that has a kink at rest is a length there, like |x| at 0, and linearising says nothing
 * about what is across its gradient. Smooth rows differ by h C'' in both directions, a thousandth.
 */
static bool is_length(uint32_t type)
{
    uint64_t seed = 9;
    const bed_constraint at = bed_make(type, 0.0, &seed);
    const double h = 1e-4;
    double x[3][XPBD_CORNERS_MAX][3], C[3][XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
    for (int k = 0; k < XPBD_CORNERS_MAX * 3; k++) {
        const double d = bed_random(&seed, -h, h), keep = (double)at.x[k / 3][k % 3];
        x[0][k / 3][k % 3] = keep;
        x[1][k / 3][k % 3] = keep + d;
        x[2][k / 3][k % 3] = keep - d;
    }
    for (int k = 0; k < 3; k++) {
        xpbd_constraint_ops_of((xpbd_constraint_type)type)
            ->measure((const double(*)[3])x[k], at.rest, C[k], g);
    }
    for (uint32_t row = 0; row < info_of(type)->n_rows; row++) {
        if (fabs(C[1][row] + C[2][row] - 2.0 * C[0][row]) > 0.1 * h) {
            return true;
        }
    }
    return false;
}

/* To less than half in one projection. What is a length goes at least towards its zero, along the
 * gradient of a convex function: less every time, and half of it in four. */
static void test_projection_lowers_the_constraint(void **state)
{
    (void)state;
    const xpbd_pass pass = bed_pass();
    EACH_TYPE(type)
    {
        uint64_t seed = 6;
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        double first[BED_LANES], before[BED_LANES];
        const int n_times = is_length(type) ? 4 : 1;
        for (int lane = 0; lane < BED_LANES; lane++) {
            in[lane] = bed_make(type, 0.2, &seed);
            in[lane].compliance = 0.0f;
            first[lane] = norm(type, (const float(*)[3])in[lane].x, in[lane].rest);
            before[lane] = first[lane];
        }
        for (int time = 1; time <= n_times; time++) {
            run(type, &pass, in, out);
            for (int lane = 0; lane < BED_LANES; lane++) {
                const double after = norm(type, (const float(*)[3])out[lane].x, in[lane].rest);
                const double most = time == n_times ? 0.5 * first[lane] : before[lane];
                if (!(after <= most + 1e-6)) {
                    fail_msg("%s lane %d, projection %d: |C| %.9g became %.9g", info_of(type)->name,
                             lane, time, before[lane], after);
                }
                before[lane] = after;
                memcpy(in[lane].x, out[lane].x, sizeof in[lane].x);
            }
        }
    }
}

static void compliance_of(uint32_t type, const float *rest, double *matrix)
{
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of((xpbd_constraint_type)type);
    const uint32_t n = info_of(type)->n_rows;
    if (ops->compliance) {
        ops->compliance(rest, matrix);
        return;
    }
    for (uint32_t k = 0; k < n * n; k++) {
        matrix[k] = k % (n + 1) == 0 ? 1.0 : 0.0;
    }
}

/* One Newton step: C + grad C dx + alpha~ lambda is 0 after it, but for what floats round of terms
 * of this size and ELEMENT_RIDGE; and on a nearly linear problem C + alpha~ lambda is, to second
 * order in C. */
static void test_constraint_alone_is_solved(void **state)
{
    (void)state;
    const xpbd_pass pass = bed_pass();
    EACH_TYPE(type)
    {
        uint64_t seed = 7;
        const uint32_t n_rows = info_of(type)->n_rows, n = info_of(type)->n_particles;
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        for (int lane = 0; lane < BED_LANES; lane++) {
            in[lane] = bed_make(type, 0.01, &seed);
        }
        run(type, &pass, in, out);
        for (int lane = 0; lane < BED_LANES; lane++) {
            double C[XPBD_ROWS_MAX], was[XPBD_ROWS_MAX], S[XPBD_ROWS_MAX * XPBD_ROWS_MAX];
            double g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3], h[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
            bed_measure(type, (const float(*)[3])in[lane].x, in[lane].rest, was, g);
            bed_measure(type, (const float(*)[3])out[lane].x, in[lane].rest, C, h);
            compliance_of(type, in[lane].rest, S);
            for (uint32_t row = 0; row < n_rows; row++) {
                const double alpha = (double)in[lane].compliance * (double)pass.inverse_dt2;
                double linear = was[row], most = fabs(was[row]), pull = 0.0;
                for (uint32_t k = 0; k < 3 * n; k++) {
                    const double dx =
                        (double)out[lane].x[k / 3][k % 3] - (double)in[lane].x[k / 3][k % 3];
                    linear += g[row * n + k / 3][k % 3] * dx;
                    most += fabs(g[row * n + k / 3][k % 3]) * 0.1;
                }
                for (uint32_t j = 0; j < n_rows; j++) {
                    pull += alpha * S[row * n_rows + j] * (double)out[lane].lambda[j];
                }
                const double residual =
                    bed_residual(type, C[row] + pull, 0.0, (double)out[lane].lambda[row]);
                assert_true(fabs(bed_residual(type, linear + pull, 0.0,
                                              (double)out[lane].lambda[row])) < 3e-6 * most);
                assert_true(is_length(type) || fabs(residual) < 1e-3 * 1e-2 + 1e-6);
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
