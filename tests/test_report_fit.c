/* SPDX-License-Identifier: MIT
 *
 * Fits against closed forms, and the model of prediction against times that it made itself.
 */
#include "support.h"

#include "bench/report/report_fit.h"
#include "bench/report/report_predict.h"

#include <math.h>

/* Closed forms, to rounding. */
static void near(double got, double want)
{
    assert_near(got, want, 1e-6 * fabs(want) + 1e-12);
}

static void test_least_squares_do_not_go_below_zero(void **state)
{
    /* y = 2 a - 3 b is best without b. */
    static const double a[] = {1, 1, 1, 2, 1, 4, 1, 8}, one[] = {1, 1, 1, 1};
    const double y[] = {2 + 3, 2 + 6, 2 + 12, 2 + 24}, falling[] = {4, 3, 1, -3};
    double x[2];
    (void)state;
    assert_true(fit_nonnegative(4, 2, a, y, one, x));
    near(x[0], 2);
    near(x[1], 3);
    assert_true(fit_nonnegative(4, 2, a, falling, one, x));
    near(x[0], 1.25);
    assert_true(x[1] == 0);
    static const double zero[] = {0, 0, 0, 0, 0, 0, 0, 0};
    assert_false(fit_nonnegative(4, 2, zero, y, one, x));
}

enum { SAMPLES = 9, COUNTS = 6 };
static const double THREADS[COUNTS] = {1, 2, 4, 8, 16, 32};

/* Samples whose median is the law's time, spread by a part. */
static void make(double (*time)(double), double spread, double samples[COUNTS][SAMPLES],
                 fit_point points[COUNTS])
{
    for (int i = 0; i < COUNTS; i++) {
        for (int k = 0; k < SAMPLES; k++)
            samples[i][k] = time(THREADS[i]) * (1 + spread * (k - SAMPLES / 2));
        points[i] = (fit_point){THREADS[i], samples[i], SAMPLES};
    }
}

static double amdahl(double p)
{
    return 7 * (0.1 + 0.9 / p);
}

static double usl(double p)
{
    return 7 * (1 + 0.05 * (p - 1) + 0.001 * p * (p - 1)) / p;
}

static void test_laws_are_found_again(void **state)
{
    double samples[COUNTS][SAMPLES];
    fit_point points[COUNTS];
    (void)state;
    make(amdahl, 0, samples, points);
    fit_scaling fit = fit_scaling_of(points, COUNTS);
    assert_true(fit.amdahl && fit.usl);
    near(fit.serial.value, 0.1);
    near(fit.serial.low, 0.1);
    near(fit.serial.high, 0.1);
    near(fit_amdahl_time(&fit, 64), amdahl(64));
    make(usl, 0, samples, points);
    fit = fit_scaling_of(points, COUNTS);
    near(fit.sigma.value, 0.05);
    near(fit.kappa.value, 0.001);
    near(fit.peak, sqrt(0.95 / 0.001));
    near(fit_usl_time(&fit, 64), usl(64));
}

static void test_intervals_are_as_wide_as_the_spread(void **state)
{
    double samples[COUNTS][SAMPLES];
    fit_point points[COUNTS];
    double width[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        make(usl, i == 0 ? 0.001 : 0.01, samples, points);
        const fit_scaling fit = fit_scaling_of(points, COUNTS);
        assert_true(fit.sigma.low <= 0.05 && fit.sigma.high >= 0.05);
        assert_true(fit.sigma.low < fit.sigma.high);
        width[i] = fit.sigma.high - fit.sigma.low;
    }
    assert_true(width[1] > 3 * width[0]);
}

static void test_too_few_thread_counts_give_no_law(void **state)
{
    double samples[COUNTS][SAMPLES];
    fit_point points[COUNTS];
    (void)state;
    make(usl, 0.001, samples, points);
    fit_scaling fit = fit_scaling_of(points, 1);
    assert_false(fit.amdahl || fit.usl);
    fit = fit_scaling_of(points, 2);
    assert_true(fit.amdahl && !fit.usl);
    points[1].n = 2; /* too few samples for an interval */
    fit = fit_scaling_of(points, 3);
    assert_true(fit.usl && isnan(fit.sigma.low));
    /* Slower with each thread: all of it is serial. */
    const double slow[] = {3, 3, 3}, slower[] = {9, 9, 9};
    const fit_point falling[] = {{1, slow, 3}, {2, slower, 3}};
    fit = fit_scaling_of(falling, 2);
    near(fit.serial.value, 1);
}

static void test_ratio_has_an_interval(void **state)
{
    double before[SAMPLES], after[SAMPLES];
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        before[i] = 1 + 0.01 * i;
        after[i] = 1.2 * before[i];
    }
    const fit_interval one = fit_ratio(before, SAMPLES, after, SAMPLES);
    const fit_interval same = fit_ratio(before, SAMPLES, after, SAMPLES);
    near(one.value, 1.2);
    assert_true(one.low > 1.08 && one.low < 1.2 && one.high > 1.2 && one.high < 1.32);
    assert_true(one.low == same.low && one.high == same.high);
    assert_true(isnan(fit_ratio(before, 2, after, SAMPLES).low));
    near(fit_quantile(before, SAMPLES, 0.5), 1.04);
    near(fit_quantile(before, SAMPLES, 1), 1.08);
}

/* ---- prediction */

static void test_plans_are_read(void **state)
{
    static const char *const BROKEN[] = {"",      "12",     "12:",      "x:1",  "1:2*",
                                         "1:2*0", "1:2;",   "1:2,x",    "-1:0", "1:-2",
                                         "nan:1", "1e99:0", "1:2~,1:2", "~"};
    predict_plan plan;
    (void)state;
    assert_true(predict_plan_read("3200:4,100:0*3", &plan));
    assert_int_equal(plan.n, 2);
    assert_true(plan.stages[0].work == 3200 && plan.stages[0].strips == 4);
    assert_true(plan.stages[1].strips == 0 && plan.stages[1].count == 3);
    for (size_t i = 0; i < COUNT_OF(BROKEN); i++)
        if (predict_plan_read(BROKEN[i], &plan))
            fail_msg("'%s' is no plan", BROKEN[i]);
}

static void test_work_is_divided_as_strips_allow(void **state)
{
    predict_case c = {.one_ns = 1000, .in_cache = 1};
    (void)state;
    assert_true(predict_plan_read("3200:4", &c.plan));
    near(predict_work(&c, 1), 1000);
    near(predict_work(&c, 2), 500);
    near(predict_work(&c, 3), 500);
    near(predict_work(&c, 8), 250);
    assert_true(predict_plan_read("3200:1", &c.plan));
    near(predict_work(&c, 8), 1000);
    assert_true(predict_plan_read("3200:0", &c.plan)); /* 100 pieces of 32 */
    near(predict_work(&c, 3), 340);
    assert_true(predict_plan_read("50:0,3150:0", &c.plan)); /* the first is too small to share */
    assert_true(predict_work(&c, 100) >= 1000.0 * 50 / 3200);
    c.in_cache = 0;
    c.bytes = 9000;
    c.bandwidth_one = 10;
    c.bandwidth_most = 15;
    c.threads_most = 2;
    near(predict_work(&c, 1), 1000);
    near(predict_work(&c, 2), 600); /* 9000 bytes at the 15 that were measured */
}

static void test_model_finds_its_own_costs(void **state)
{
    const predict_model truth = {.barrier_ns = 70, .exchange_ns = 3};
    predict_case cases[2] = {{.one_ns = 1e5, .in_cache = 1}, {.one_ns = 2e5, .in_cache = 1}};
    predict_sample samples[8];
    size_t n = 0;
    (void)state;
    assert_true(predict_plan_read("1000:16,900:15,200:1", &cases[0].plan));
    assert_true(predict_plan_read("500:0*6", &cases[1].plan));
    for (int c = 0; c < 2; c++)
        for (int t = 1; t <= 8; t *= 2)
            samples[n++] = (predict_sample){&cases[c], t, predict_time(&truth, &cases[c], t)};
    predict_model model;
    assert_true(predict_fit(samples, n, &model));
    assert_int_equal(model.n_rows, 6);
    near(model.barrier_ns, 70);
    near(model.exchange_ns, 3);
    near(predict_time(&model, &cases[1], 1), 2e5);
    /* Another socket costs more than another core. */
    const double close = predict_time(&model, &cases[0], 64) - predict_work(&cases[0], 64);
    const double far = predict_time(&model, &cases[0], 128) - predict_work(&cases[0], 128);
    assert_true(far > 3 * close);                  /* and than one like the first would */
    assert_false(predict_fit(samples, 1, &model)); /* one thread tells nothing */
}

/* Slabs without a rest wait for their neighbours alone, however many threads there are. */
static void test_waves_have_no_barriers(void **state)
{
    const predict_model model = {.barrier_ns = 70, .exchange_ns = 3};
    predict_case c = {.one_ns = 1e5, .in_cache = 1};
    (void)state;
    assert_true(predict_plan_read("1000:16,900:15~", &c.plan));
    assert_true(c.plan.stages[0].work == 1000 && c.plan.n == 2);
    near(predict_time(&model, &c, 8), predict_work(&c, 8));
    assert_true(predict_plan_read("1000:16,900:15", &c.plan));
    assert_true(predict_time(&model, &c, 8) > predict_work(&c, 8) + 2 * 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_squares_do_not_go_below_zero),
        cmocka_unit_test(test_laws_are_found_again),
        cmocka_unit_test(test_intervals_are_as_wide_as_the_spread),
        cmocka_unit_test(test_too_few_thread_counts_give_no_law),
        cmocka_unit_test(test_ratio_has_an_interval),
        cmocka_unit_test(test_plans_are_read),
        cmocka_unit_test(test_work_is_divided_as_strips_allow),
        cmocka_unit_test(test_model_finds_its_own_costs),
        cmocka_unit_test(test_waves_have_no_barriers),
    };
    return RUN_GROUP("report_fit", tests);
}
