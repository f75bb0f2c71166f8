/* SPDX-License-Identifier: MIT */
#include "bench/report/report_predict.h"

#include <math.h>
#include <stdlib.h>

#include "bench/report/report_fit.h"
#include "bench/text.h"

/* As in schedulers/staged.c: lane groups that are worth another thread. */
enum { GRAIN = 32 };

bool predict_plan_read(const char *text, predict_plan *plan)
{
    *plan = (predict_plan){.n = 0};
    while (*text != '\0' && plan->n < sizeof plan->stages / sizeof plan->stages[0]) {
        char *end;
        predict_stage stage = {.count = 1};
        stage.work = strtod(text, &end);
        if (end == text || *end != ':' || !(stage.work >= 0) || stage.work > 1e12)
            return false;
        text = end + 1;
        stage.strips = strtod(text, &end);
        if (end == text || !(stage.strips >= 0) || stage.strips > 1e12)
            return false;
        text = end;
        if (*text == '*') {
            stage.count = strtod(text + 1, &end);
            if (end == text + 1 || !(stage.count >= 1) || stage.count > 1e12)
                return false;
            text = end;
        }
        plan->stages[plan->n++] = stage;
        plan->wave = text[0] == '~' && text[1] == '\0';
        if (*text == ',' || plan->wave)
            text++;
        else if (*text != '\0')
            return false;
    }
    return plan->n > 0 && *text == '\0';
}

static bool is_alone(const predict_stage *stage)
{
    return stage->work < 2 * GRAIN || stage->strips == 1;
}

/* The part of a stage's work that the busiest of p threads has. */
static double share(const predict_stage *stage, double threads)
{
    if (is_alone(stage))
        return 1;
    const double pieces = stage->strips > 0 ? stage->strips : ceil(stage->work / GRAIN);
    return fmin(1, ceil(pieces / threads) / pieces);
}

/* Bandwidth of p threads: between one and the most measured it bends as it did; beyond, the cores
 * of a socket share what the curve gives, and sockets add up. */
static double bandwidth(const predict_case *what, double threads)
{
    const double sockets = ceil(threads / PREDICT_SOCKET);
    const double p = threads / sockets, most = what->threads_most;
    const double bend =
        most > 1 ? fmax(0, (most * what->bandwidth_one / what->bandwidth_most - 1) / (most - 1))
                 : 0;
    return sockets * p * what->bandwidth_one / (1 + bend * (p - 1));
}

double predict_work(const predict_case *what, double threads)
{
    double all = 0, busiest = 0;
    for (size_t i = 0; i < what->plan.n; i++) {
        const predict_stage *stage = &what->plan.stages[i];
        all += stage->count * stage->work;
        busiest += stage->count * stage->work * share(stage, threads);
    }
    const double work = all > 0 ? what->one_ns * busiest / all : what->one_ns;
    if (what->in_cache > 0 || !(what->bandwidth_one > 0))
        return work;
    return fmax(work, what->bytes / bandwidth(what, threads));
}

/* What B and E are multiplied with. Stages that one thread runs alone need no barrier between
 * them, and a wave has none at all. */
static void features(const predict_case *what, double threads, double feature[2])
{
    const double near = fmin(threads, PREDICT_SOCKET);
    const double arrivals = (near - 1) + PREDICT_FAR * fmax(0, threads - PREDICT_SOCKET);
    const double far = threads > PREDICT_SOCKET ? (threads - PREDICT_SOCKET) / threads : 0;
    feature[0] = feature[1] = 0;
    for (size_t i = 0; i < what->plan.n && threads > 1 && !what->plan.wave; i++) {
        const predict_stage *stage = &what->plan.stages[i];
        if (is_alone(stage))
            continue;
        feature[0] += stage->count * arrivals;
        if (stage->strips == 0) /* each thread fetches its own lines, all at the same time */
            feature[1] += stage->count * stage->work * (1 - 1 / threads) / threads *
                          (1 + far * (PREDICT_FAR - 1));
    }
}

bool predict_fit(const predict_sample *samples, size_t n, predict_model *model)
{
    double *a = bench_alloc(2 * n, sizeof *a), *y = bench_alloc(n, sizeof *y);
    double *w = bench_alloc(n, sizeof *w), x[FIT_MOST] = {0};
    size_t rows = 0;
    for (size_t i = 0; i < n; i++) {
        if (samples[i].threads <= 1)
            continue;
        features(samples[i].what, samples[i].threads, a + 2 * rows);
        y[rows] = samples[i].ns - predict_work(samples[i].what, samples[i].threads);
        w[rows] = 1 / (samples[i].ns * samples[i].ns);
        rows++;
    }
    *model = (predict_model){.n_rows = rows};
    if (rows > 0 && fit_nonnegative(rows, 2, a, y, w, x)) {
        model->barrier_ns = x[0];
        model->exchange_ns = x[1];
    }
    free(a);
    free(y);
    free(w);
    return rows > 0;
}

double predict_time(const predict_model *model, const predict_case *what, double threads)
{
    double feature[2];
    features(what, threads, feature);
    return predict_work(what, threads) + model->barrier_ns * feature[0] +
           model->exchange_ns * feature[1];
}
