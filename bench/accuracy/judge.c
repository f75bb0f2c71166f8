/* SPDX-License-Identifier: MIT
 *
 * What the rows say: the fastest that is good enough, the front that no row beats, and whether a
 * scheduler pays.
 */
#include "bench/accuracy/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/choices.h"

/* Below this ratio times are told apart: two medians of one row differ by less in most runs. */
#define ALIKE 1.1

const double acc_target[ACC_TARGETS] = {1e-1, 1e-2, 1e-3};
const char *const acc_target_text[ACC_TARGETS] = {"10⁻¹", "10⁻²", "10⁻³"};

double acc_step_error(const acc_row *row)
{
    return row->error[ACC_STEP];
}
double acc_frame_error(const acc_row *row)
{
    return row->error[ACC_FRAME];
}
double acc_residual_g(const acc_row *row)
{
    return row->residual.g / row->residual.start;
}
double acc_residual_h(const acc_row *row)
{
    return row->residual.h / row->residual.start;
}

static bool is_of(const acc_result *r, const acc_row *row, const char *scheduler)
{
    return row->ms_min > 0.0 && !row->fault[0] &&
           strcmp(r->series[row->series].scheduler, scheduler) == 0;
}

const acc_row *acc_fastest(const acc_result *r, const char *scheduler, acc_error kind,
                           double target, float omega)
{
    const acc_row *best = NULL;
    for (size_t i = 0; i < r->n_rows; i++) {
        const acc_row *row = &r->rows[i];
        if (is_of(r, row, scheduler) && (kind == ACC_FRAME || row->level == 0) &&
            row->error[kind] <= target &&
            !(omega > 0.0f && fabsf(r->series[row->series].omega - omega) > 0.0f) &&
            (!best || row->ms_min < best->ms_min)) {
            best = row;
        }
    }
    return best;
}

double acc_least(const acc_result *r, const char *scheduler, acc_error kind)
{
    double least = INFINITY;
    for (size_t i = 0; i < r->n_rows; i++) {
        const acc_row *row = &r->rows[i];
        if (is_of(r, row, scheduler) && (kind == ACC_FRAME || row->level == 0)) {
            least = fmin(least, row->error[kind]);
        }
    }
    return least;
}

static int by_time(const void *a, const void *b)
{
    const double x = (*(const acc_row *const *)a)->ms_min, y = (*(const acc_row *const *)b)->ms_min;
    return (x > y) - (x < y);
}

size_t acc_front(const acc_result *r, const char *scheduler, bool one_substep,
                 double (*value)(const acc_row *row), const acc_row **front)
{
    size_t n = 0, n_front = 0;
    double least = INFINITY;
    for (size_t i = 0; i < r->n_rows; i++) {
        if (is_of(r, &r->rows[i], scheduler) && (!one_substep || r->rows[i].level == 0)) {
            front[n++] = &r->rows[i];
        }
    }
    if (n > 0) {
        qsort(front, n, sizeof *front, by_time);
    }
    for (size_t i = 0; i < n; i++) {
        if (value(front[i]) < least) {
            least = value(front[i]);
            front[n_front++] = front[i];
        }
    }
    return n_front;
}

char *acc_setting_text(const acc_result *r, const acc_row *row, const char *times)
{
    const float omega = r->series[row->series].omega;
    bench_text text = {0};
    bench_text_add(&text, "%u %s %u", row->substeps, times, row->iterations);
    if (omega > 0.0f) {
        bench_text_add(&text, ", ω %g", (double)omega);
    }
    return text.data;
}

const char *acc_standard(void)
{
    const char *name = NULL;
    xpbd_world *world = NULL;
    xpbd_world_summary summary;
    if (xpbd_world_create(NULL, &world, NULL) == XPBD_OK &&
        xpbd_world_summarize(world, &summary) == XPBD_OK) {
        name = bench_axis_find(&bench_axis_scheduler, summary.scheduler);
    }
    xpbd_world_destroy(world);
    return name;
}

/* Scenes by how the scheduler compares on them. */
typedef enum verdict { FASTER, ALONE, SAME, SLOWER, MISSING, VERDICTS } verdict;

static bool compare(const acc_result *r, const char *scheduler, const char *standard, double target,
                    verdict *out, double *ratio)
{
    const acc_row *own = acc_fastest(r, scheduler, ACC_FRAME, target, 0.0f);
    const acc_row *other = acc_fastest(r, standard, ACC_FRAME, target, 0.0f);
    *ratio = own && other ? own->ms_min / other->ms_min : 0.0;
    *out = !other                 ? ALONE
           : !own                 ? MISSING
           : *ratio > ALIKE       ? SLOWER
           : *ratio < 1.0 / ALIKE ? FASTER
                                  : SAME;
    return own || other;
}

/* Returns on how many scenes the scheduler is better. */
static int add_target(bench_text *text, const acc_result *results, size_t n, const char *scheduler,
                      const char *standard, int target)
{
    static const char *const words[VERDICTS] = {"faster on", "alone in reaching it on",
                                                "as fast, within 10 %, on", "slower on",
                                                "does not reach it on"};
    bench_text list[VERDICTS] = {{0}};
    int better = 0;
    for (size_t i = 0; i < n; i++) {
        verdict v;
        double ratio;
        if (!compare(&results[i], scheduler, standard, acc_target[target], &v, &ratio)) {
            continue;
        }
        better += v == FASTER || v == ALONE;
        bench_text_add(&list[v], "%s%s", list[v].length ? ", " : " ", results[i].problem.name);
        if (v == FASTER || v == SLOWER) {
            bench_text_add(&list[v], " (%.2g × the time)", ratio);
        }
    }
    const char *before = " ";
    bench_text_add(text, " At %s:", acc_target_text[target]);
    for (int v = 0; v < VERDICTS; v++) {
        if (list[v].length) {
            bench_text_add(text, "%s%s%s", before, words[v], list[v].data);
            before = "; ";
        }
        bench_text_free(&list[v]);
    }
    bench_text_add(text, strcmp(before, " ") == 0 ? " reached by neither on any scene." : ".");
    return better;
}

/* What choosing omega brings over leaving it at 1, as a mean of ratios. */
static void add_omega(bench_text *text, const acc_result *results, size_t n, const char *scheduler)
{
    double sum = 0.0;
    int count = 0;
    for (size_t i = 0; i < n; i++) {
        for (int t = 0; t < ACC_TARGETS; t++) {
            const acc_row *one =
                acc_fastest(&results[i], scheduler, ACC_FRAME, acc_target[t], 1.0f);
            const acc_row *any =
                acc_fastest(&results[i], scheduler, ACC_FRAME, acc_target[t], 0.0f);
            if (one && any) {
                sum += log(any->ms_min / one->ms_min);
                count++;
            }
        }
    }
    if (count > 0) {
        const double ratio = exp(sum / count);
        bench_text_add(text,
                       ratio < 1.0 / ALIKE
                           ? " The best ω of those tried takes %.2g of the time of ω = 1, on "
                             "geometric average of the %d cases that ω = 1 reaches."
                           : " No ω of those tried is much better than 1: %.2g of its time on "
                             "geometric average of the %d cases that it reaches.",
                       ratio, count);
    }
}

/* Its first series of a scene, or null. */
static const acc_series *find_series(const acc_result *results, size_t n, const char *scheduler)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t s = 0; s < results[i].n_series; s++) {
            if (strcmp(results[i].series[s].scheduler, scheduler) == 0) {
                return &results[i].series[s];
            }
        }
    }
    return NULL;
}

char *acc_verdict(const acc_result *results, size_t n, const char *scheduler)
{
    bench_text text = {0}, detail = {0};
    int better = 0;
    const char *standard = acc_standard();
    const bool is_standard = strcmp(scheduler, standard) == 0;
    for (int t = 0; t < ACC_TARGETS && !is_standard; t++) {
        better += add_target(&detail, results, n, scheduler, standard, t);
    }
    if (!find_series(results, n, standard)) {
        bench_text_add(&text, "%s was not measured: there is nothing to compare with.", standard);
    } else if (is_standard) {
        bench_text_add(&text, "The automatic choice, which the others are compared with.");
    } else {
        bench_text_add(&text,
                       better ? "Better than %s in %d of %zu cases."
                              : "Does not pay against %s: better in %d of %zu cases.",
                       standard, better, ACC_TARGETS * n);
        bench_text_add(&text, "%s", detail.data);
    }
    const acc_series *series = find_series(results, n, scheduler);
    if (series && series->omega > 0.0f) {
        add_omega(&text, results, n, scheduler);
    }
    bench_text_free(&detail);
    return text.data;
}
