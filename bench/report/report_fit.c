/* SPDX-License-Identifier: MIT */
#include "bench/report/report_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/text.h"

enum { DRAWS = 400 };

double fit_quantile(const double *ascending, size_t n, double q)
{
    const double at = q * (double)(n - 1);
    const size_t i = (size_t)at;
    const double part = at - (double)i;
    return i + 1 < n ? (1 - part) * ascending[i] + part * ascending[i + 1] : ascending[n - 1];
}

/* ---- least squares */

/* Solve the normal equations of some columns by elimination; false where they are singular. */
static bool solve(size_t m, double (*a)[FIT_MOST + 1], double *x)
{
    for (size_t k = 0; k < m; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < m; i++)
            pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
        /* Columns are scaled to a diagonal of 1. */
        if (!(fabs(a[pivot][k]) > 1e-11))
            return false;
        for (size_t j = 0; j <= m && pivot != k; j++) {
            const double swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        for (size_t i = 0; i < m; i++) {
            const double factor = i != k ? a[i][k] / a[k][k] : 0;
            for (size_t j = k; j <= m && i != k; j++)
                a[i][j] -= factor * a[k][j];
        }
    }
    for (size_t k = 0; k < m; k++)
        x[k] = a[k][m] / a[k][k];
    return true;
}

/* Least squares with the columns of a set of bits, the other coefficients being 0. */
static bool solve_columns(size_t n, size_t m, const double *a, const double *y, const double *w,
                          unsigned bits, double *x)
{
    size_t column[FIT_MOST], k = 0;
    for (size_t j = 0; j < m; j++) {
        x[j] = 0;
        if (bits >> j & 1)
            column[k++] = j;
    }
    double normal[FIT_MOST][FIT_MOST + 1] = {{0}}, scale[FIT_MOST], part[FIT_MOST];
    for (size_t p = 0; p < k; p++) {
        for (size_t i = 0; i < n; i++) {
            for (size_t q = 0; q < k; q++)
                normal[p][q] += w[i] * a[i * m + column[p]] * a[i * m + column[q]];
            normal[p][k] += w[i] * a[i * m + column[p]] * y[i];
        }
        scale[p] = normal[p][p] > 0 ? 1 / sqrt(normal[p][p]) : 0;
    }
    for (size_t p = 0; p < k; p++) {
        for (size_t q = 0; q < k; q++)
            normal[p][q] *= scale[p] * scale[q];
        normal[p][k] *= scale[p];
    }
    if (!solve(k, normal, part))
        return false;
    for (size_t p = 0; p < k; p++)
        x[column[p]] = part[p] * scale[p];
    return true;
}

bool fit_nonnegative(size_t n, size_t m, const double *a, const double *y, const double *w,
                     double *x)
{
    double least = INFINITY;
    for (unsigned bits = 1; bits < 1u << m; bits++) {
        double now[FIT_MOST], sum = 0;
        if (!solve_columns(n, m, a, y, w, bits, now))
            continue;
        bool good = true;
        for (size_t j = 0; j < m; j++)
            good = good && now[j] >= 0;
        for (size_t i = 0; i < n; i++) {
            double error = -y[i];
            for (size_t j = 0; j < m; j++)
                error += a[i * m + j] * now[j];
            sum += w[i] * error * error;
        }
        /* More columns only where they make it better by more than rounding. */
        if (good && sum < least * (1 - 1e-9)) {
            least = sum;
            memcpy(x, now, m * sizeof *x);
        }
    }
    return isfinite(least);
}

/* ---- curves of scaling */

typedef struct curves {
    bool amdahl, usl;
    double a[2]; /* T = a0 + a1 / p */
    double u[3]; /* p T = u0 + u1 (p - 1) + u2 p (p - 1) */
} curves;

/* Thread counts that differ; points are in ascending order. */
static size_t distinct(const fit_point *points, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += i == 0 || points[i].threads > points[i - 1].threads;
    return count;
}

static curves fit_curves(const fit_point *points, size_t n, const double *t)
{
    curves c = {0};
    double *a = bench_alloc(3 * n, sizeof *a), *y = bench_alloc(n, sizeof *y);
    double *w = bench_alloc(n, sizeof *w);
    const size_t n_counts = distinct(points, n);
    for (size_t i = 0; i < n; i++) {
        a[2 * i] = 1;
        a[2 * i + 1] = 1 / points[i].threads;
        w[i] = 1 / (t[i] * t[i]);
    }
    c.amdahl = n_counts >= 2 && fit_nonnegative(n, 2, a, t, w, c.a);
    for (size_t i = 0; i < n; i++) {
        const double p = points[i].threads;
        a[3 * i] = 1;
        a[3 * i + 1] = p - 1;
        a[3 * i + 2] = p * (p - 1);
        y[i] = p * t[i];
        w[i] = 1 / (y[i] * y[i]);
    }
    c.usl = n_counts >= 3 && fit_nonnegative(n, 3, a, y, w, c.u) && c.u[0] > 0;
    free(a);
    free(y);
    free(w);
    return c;
}

/* The same draws in each run, so that a report of the same files is the same. */
static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of_draw(const double *samples, size_t n, double *scratch, uint64_t *state)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = samples[(next(state) >> 11) % n];
    qsort(scratch, n, sizeof *scratch, by_size);
    return fit_quantile(scratch, n, 0.5);
}

static fit_interval interval_of(double value, double *draws, size_t n, double outside)
{
    if (n < DRAWS / 2)
        return (fit_interval){value, NAN, NAN};
    qsort(draws, n, sizeof *draws, by_size);
    return (fit_interval){value, fit_quantile(draws, n, 0.5 * outside),
                          fit_quantile(draws, n, 1 - 0.5 * outside)};
}

static double serial_part(const curves *c)
{
    return c->a[0] / (c->a[0] + c->a[1]);
}

static void add_intervals(fit_scaling *fit, const fit_point *points, size_t n)
{
    double serial[DRAWS], sigma[DRAWS], kappa[DRAWS];
    size_t n_amdahl = 0, n_usl = 0, longest = 0;
    for (size_t i = 0; i < n; i++) {
        longest = points[i].n > longest ? points[i].n : longest;
        if (points[i].n < 3) /* they say nothing about how they are spread */
            return;
    }
    double *t = bench_alloc(n, sizeof *t), *scratch = bench_alloc(longest, sizeof *scratch);
    uint64_t state = UINT64_C(88172645463325252);
    for (size_t draw = 0; draw < DRAWS; draw++) {
        for (size_t i = 0; i < n; i++)
            t[i] = median_of_draw(points[i].samples, points[i].n, scratch, &state);
        const curves c = fit_curves(points, n, t);
        if (c.amdahl)
            serial[n_amdahl++] = serial_part(&c);
        if (c.usl) {
            sigma[n_usl] = c.u[1] / c.u[0];
            kappa[n_usl++] = c.u[2] / c.u[0];
        }
    }
    fit->serial = interval_of(fit->serial.value, serial, n_amdahl, 0.05);
    fit->sigma = interval_of(fit->sigma.value, sigma, n_usl, 0.05);
    fit->kappa = interval_of(fit->kappa.value, kappa, n_usl, 0.05);
    free(t);
    free(scratch);
}

fit_scaling fit_scaling_of(const fit_point *points, size_t n)
{
    fit_scaling fit = {.serial = {NAN, NAN, NAN}, .sigma = {NAN, NAN, NAN}};
    fit.kappa = fit.sigma;
    double *t = bench_alloc(n, sizeof *t);
    for (size_t i = 0; i < n; i++)
        t[i] = fit_quantile(points[i].samples, points[i].n, 0.5);
    const curves c = fit_curves(points, n, t);
    free(t);
    fit.amdahl = c.amdahl;
    fit.usl = c.usl;
    fit.peak = INFINITY;
    if (c.amdahl) {
        fit.amdahl_t1 = c.a[0] + c.a[1];
        fit.serial.value = serial_part(&c);
    }
    if (c.usl) {
        fit.usl_t1 = c.u[0];
        fit.sigma.value = c.u[1] / c.u[0];
        fit.kappa.value = c.u[2] / c.u[0];
        if (fit.kappa.value > 0)
            fit.peak = sqrt(fmax(1 - fit.sigma.value, 0) / fit.kappa.value);
    }
    add_intervals(&fit, points, n);
    return fit;
}

double fit_amdahl_time(const fit_scaling *fit, double threads)
{
    return fit->amdahl_t1 * (fit->serial.value + (1 - fit->serial.value) / threads);
}

double fit_usl_time(const fit_scaling *fit, double threads)
{
    const double p = threads;
    return fit->usl_t1 * (1 + fit->sigma.value * (p - 1) + fit->kappa.value * p * (p - 1)) / p;
}

/* ---- two sets of samples */

fit_interval fit_ratio(const double *before, size_t n_before, const double *after, size_t n_after)
{
    const double ratio = fit_quantile(after, n_after, 0.5) / fit_quantile(before, n_before, 0.5);
    if (n_before < 3 || n_after < 3)
        return (fit_interval){ratio, NAN, NAN};
    double draws[DRAWS];
    double *scratch = bench_alloc(n_before > n_after ? n_before : n_after, sizeof *scratch);
    uint64_t state = UINT64_C(88172645463325252);
    for (size_t draw = 0; draw < DRAWS; draw++) {
        const double a = median_of_draw(after, n_after, scratch, &state);
        draws[draw] = a / median_of_draw(before, n_before, scratch, &state);
    }
    free(scratch);
    return interval_of(ratio, draws, DRAWS, 0.01);
}
