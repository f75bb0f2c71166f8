/* SPDX-License-Identifier: MIT
 *
 * Numbers out of samples: quantiles, intervals by resampling, and the curves that scaling is
 * described by.
 *
 *     Amdahl   T(p) = T1 (s + (1 - s) / p)                     s: the part that does not scale
 *     USL      T(p) = T1 (1 + sigma (p - 1) + kappa p (p - 1)) / p
 *              sigma: waiting for each other; kappa: exchange between all pairs
 *
 * Both are linear in their coefficients, which can not be negative: least squares of relative
 * errors, over all choices of coefficients that are 0.
 */
#ifndef BENCH_REPORT_REPORT_FIT_H
#define BENCH_REPORT_REPORT_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Coefficients of a fit, at most. */
enum { FIT_MOST = 4 };

typedef struct fit_interval {
    double value, low, high; /* 95 %; low and high are NaN where samples do not say */
} fit_interval;

/** What was measured on some number of threads. */
typedef struct fit_point {
    double threads;
    const double *samples; /* times, in ascending order */
    size_t n;
} fit_point;

typedef struct fit_scaling {
    bool amdahl, usl;         /* whether there were enough thread counts: 2 and 3 */
    double amdahl_t1, usl_t1; /* of the curves */
    fit_interval serial;      /* s */
    fit_interval sigma, kappa;
    double peak; /* threads of the greatest USL throughput; infinite where it always grows */
} fit_scaling;

/** Sample in place q of [0, 1] between the least and the greatest, interpolated; n > 0. */
double fit_quantile(const double *ascending, size_t n, double q);
/** Find x >= 0 with the least sum of w_i (a_i x - y_i)^2.
 *  a  [n][m], m at most FIT_MOST. False where no choice of columns has one solution. */
bool fit_nonnegative(size_t n, size_t m, const double *a, const double *y, const double *w,
                     double *x);
/** Fit both curves to medians; intervals by resampling, always the same draws. */
fit_scaling fit_scaling_of(const fit_point *points, size_t n);
double fit_amdahl_time(const fit_scaling *fit, double threads);
double fit_usl_time(const fit_scaling *fit, double threads);
/** Ratio of the medians, after over before, with its interval of 99 % by resampling: many rows are
 *  looked at together. */
fit_interval fit_ratio(const double *before, size_t n_before, const double *after, size_t n_after);

#endif
