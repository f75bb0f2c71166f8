/* SPDX-License-Identifier: MIT
 *
 * What the model of report_predict.h says beyond the threads that were measured, and how well it
 * says what was measured.
 */
#include "bench/report/report_page.h"
#include "bench/report/report_predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 128 };
static const double COUNTS[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 65, 80, 96, 112, 128};

/* A model that is further off than this says nothing about more threads. */
#define DOUBTFUL 1.5

/* A configuration on a scene with what the model needs, and its measured rows. */
typedef struct subject {
    page_config what;
    predict_case model;
    const report_row *one;
    uint32_t threads[64];
    size_t n;
} subject;

/* Find "SCENE/SCHEDULER=" among the words of a fact. */
static bool plan_of(const page *p, const report_row *row, predict_plan *plan)
{
    const char *at = report_fact_of(&p->r->files[row->file], "plans");
    char *key = bench_print("%s/%s=", row->scene, row->scheduler);
    const size_t length = strlen(key);
    bool found = false;
    while (!found && *at != '\0') {
        const size_t word = strcspn(at, " ");
        if (word > length && strncmp(at, key, length) == 0) {
            char *text = bench_print("%.*s", (int)(word - length), at + length);
            found = predict_plan_read(text, plan);
            free(text);
        }
        at += word + strspn(at + word, " ");
    }
    free(key);
    return found;
}

static double memory_rate(const page *p, size_t machine, uint32_t threads)
{
    double best = 0;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        const double rate = 1e-9 * report_counter_of(row, "bytes_per_second");
        if (report_usable(row, REPORT_ROOF) && row->machine == machine &&
            strcmp(row->scene, "update") == 0 && strcmp(row->scheduler, "memory") == 0 &&
            row->threads == threads && rate > best)
            best = rate;
    }
    return best;
}

static uint32_t most_measured(const page *p, size_t machine)
{
    uint32_t most = 1;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        if (report_usable(row, REPORT_ROOF) && row->machine == machine &&
            strcmp(row->scene, "update") == 0 && row->threads > most)
            most = row->threads;
    }
    return most;
}

static double iteration_ns(const report_row *row)
{
    const double n =
        report_counter_of(row, "iterations_per_substep") * report_counter_of(row, "substeps");
    return row->min / (n > 0 ? n : 1);
}

static bool subject_of(const page *p, size_t machine, const char *scene, const char *scheduler,
                       subject *s)
{
    *s = (subject){.n = 0};
    if (!page_config_of(p, machine, scene, scheduler, &s->what))
        return false;
    s->one = page_row(p, &s->what, 1);
    if (s->one == NULL || !plan_of(p, s->one, &s->model.plan))
        return false;
    s->n = page_threads(p, &s->what, s->threads);
    predict_case *m = &s->model;
    const double constraints = report_counter_of(s->one, "constraints");
    const double bytes = report_counter_of(s->one, "bytes_per_constraint") * constraints;
    const double cache = page_cache_bytes(p, machine, "L3");
    m->one_ns = iteration_ns(s->one);
    m->bytes = isfinite(bytes) ? bytes : 0;
    m->in_cache = !(report_counter_of(s->one, "solve_bytes") > cache) || cache <= 0;
    m->threads_most = most_measured(p, machine);
    m->bandwidth_one = memory_rate(p, machine, 1);
    m->bandwidth_most = memory_rate(p, machine, (uint32_t)m->threads_most);
    return true;
}

/* All measured rows of the subjects, but for those of one scene. */
static size_t samples_of(const page *p, const subject *subjects, size_t n, const char *without,
                         predict_sample *samples)
{
    size_t n_samples = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < subjects[i].n; k++) {
            const subject *s = &subjects[i];
            if (s->threads[k] > 1 && (without == NULL || strcmp(without, s->what.scene) != 0))
                samples[n_samples++] = (predict_sample){
                    &s->model, s->threads[k], iteration_ns(page_row(p, &s->what, s->threads[k]))};
        }
    return n_samples;
}

/* ---- the check */

static void write_check(const page *p, const subject *subjects, size_t n, predict_sample *samples,
                        const predict_model *model)
{
    const char *label = page_label(p, subjects[0].what.machine);
    html(p->out,
         "<details data-m='%s'><summary>the model against what was measured</summary><div "
         "class=table><table><tr><th>scene<th>scheduler<th class=n>threads<th class=n>measured, ns "
         "per iteration<th class=n>model<th class=n>model / measured<th class=n>without this "
         "scene\n",
         label);
    for (size_t i = 0; i < n; i++) {
        const subject *s = &subjects[i];
        predict_model other;
        const size_t n_others = samples_of(p, subjects, n, s->what.scene, samples);
        const bool fitted = predict_fit(samples, n_others, &other);
        for (size_t k = 0; k < s->n; k++) {
            const double ns = iteration_ns(page_row(p, &s->what, s->threads[k]));
            const double model_ns = predict_time(model, &s->model, s->threads[k]);
            char text[32];
            page_tr(p, label, s->what.scene, s->what.scheduler);
            html(p->out, "<td>%s<td>%s<td class=n>%u", s->what.scene, s->what.scheduler,
                 s->threads[k]);
            html(p->out, "<td class=n>%s", html_time(text, ns));
            html(p->out, "<td class=n>%s", html_time(text, model_ns));
            page_number(p, model_ns / ns);
            page_number(p, fitted ? predict_time(&other, &s->model, s->threads[k]) / ns : NAN);
            fputs("\n", p->out);
        }
    }
    fputs("</table></div></details>\n", p->out);
}

/* Root mean square of log(model / measured), as a factor: 1.2 is "within 20 % or so". */
static double typical_factor(const predict_model *model, const predict_sample *samples, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double error =
            log(predict_time(model, samples[i].what, samples[i].threads) / samples[i].ns);
        sum += error * error;
    }
    return n > 0 ? exp(sqrt(sum / (double)n)) : NAN;
}

/* ---- pictures */

static void write_picture(const page *p, const subject *subjects, size_t n, const char *scene,
                          const predict_model *model)
{
    char *title = bench_print("%s: predicted", scene);
    chart *c = chart_new(title, "threads", "ns per constraint, iteration");
    c->log_x = c->log_y = c->powers_of_2 = true;
    for (size_t i = 0; i < n; i++) {
        const subject *s = &subjects[i];
        if (strcmp(s->what.scene, scene) != 0)
            continue;
        const double constraints = report_counter_of(s->one, "constraints");
        const unsigned color = page_color(p, s->what.scheduler);
        chart_series *points =
            chart_add(c, s->what.scheduler, s->what.scheduler, color, CHART_POINTS);
        for (size_t k = 0; k < s->n; k++) {
            const report_row *row = page_row(p, &s->what, s->threads[k]);
            char *tip = bench_print("%s, %u threads, measured: %.3f ns", s->what.scheduler,
                                    s->threads[k], report_ns(row));
            chart_put(points, s->threads[k], report_ns(row), 0, 0, tip);
            free(tip);
        }
        chart_series *line = chart_add(c, "", s->what.scheduler, color, CHART_PREDICTED);
        for (size_t k = 0; k < sizeof COUNTS / sizeof COUNTS[0]; k++)
            chart_put(line, COUNTS[k], predict_time(model, &s->model, COUNTS[k]) / constraints, 0,
                      0, NULL);
    }
    chart_guide_at(c, PREDICT_SOCKET, "socket");
    chart_end(c, p->out, page_label(p, subjects[0].what.machine), scene);
    free(title);
}

/* The same as numbers, at powers of two. */
static void write_numbers(const page *p, const subject *subjects, size_t n,
                          const predict_model *model)
{
    const char *label = page_label(p, subjects[0].what.machine);
    html(p->out, "<details data-m='%s'><summary>predicted speed-up over one thread</summary>",
         label);
    fputs("<div class=table><table><tr><th>scene<th>scheduler", p->out);
    for (uint32_t t = 2; t <= MOST_THREADS; t *= 2)
        html(p->out, "<th class=n>%u", t);
    fputs("\n", p->out);
    for (size_t i = 0; i < n; i++) {
        const subject *s = &subjects[i];
        page_tr(p, label, s->what.scene, s->what.scheduler);
        html(p->out, "<td>%s<td>%s", s->what.scene, s->what.scheduler);
        for (uint32_t t = 2; t <= MOST_THREADS; t *= 2)
            page_number(p, s->model.one_ns / predict_time(model, &s->model, t));
        fputs("\n", p->out);
    }
    fputs("</table></div></details>\n", p->out);
}

static void write_machine(const page *p, size_t machine)
{
    subject *subjects = bench_alloc(p->scenes.n * p->schedulers.n, sizeof *subjects);
    size_t n = 0;
    for (size_t s = 0; s < p->scenes.n; s++)
        for (size_t k = 0; k < p->schedulers.n; k++)
            n += subject_of(p, machine, p->scenes.items[s], p->schedulers.items[k], &subjects[n]);
    predict_sample *samples = bench_alloc(64 * n, sizeof *samples);
    const size_t n_samples = samples_of(p, subjects, n, NULL, samples);
    predict_model model;
    const char *label = page_label(p, machine);
    if (predict_fit(samples, n_samples, &model)) {
        page_heading(p, label, NULL, label);
        const double factor = typical_factor(&model, samples, n_samples);
        html(
            p->out,
            "<p data-m='%s'>Fitted to %zu rows of two and more threads: %.0f ns per thread at a "
            "barrier, %.1f ns per lane group of 16 for exchanged particles. The model is typically "
            "off by a factor of %.2f on them.</p>\n",
            label, model.n_rows, model.barrier_ns, model.exchange_ns, factor);
        if (!(factor < DOUBTFUL))
            html(p->out,
                 "<p class=warn data-m='%s'>That is too far off to believe what it says of more "
                 "threads. A busy machine does this: measure again on a quiet one.</p>\n",
                 label);
        fputs("<div class=plots>\n", p->out);
        for (size_t s = 0; s < p->scenes.n; s++)
            write_picture(p, subjects, n, p->scenes.items[s], &model);
        fputs("</div>\n", p->out);
        write_check(p, subjects, n, samples, &model);
        write_numbers(p, subjects, n, &model);
    }
    free(samples);
    free(subjects);
}

void page_prediction(const page *p)
{
    fputs(
        "<section id=prediction><h2>Prediction</h2>\n<p><b>Nobody measured the dotted curves.</b> "
        "They are a model: the work of each stage as its strips or lane groups can be divided, at "
        "the rate of one thread; a barrier of which the cost grows with the threads; exchange of "
        "particles between threads in stages without strips; and memory bandwidth where a scene "
        "does not fit the caches. What a barrier and an exchange cost is fitted to the measured "
        "thread counts, which are the points. Assumed: two sockets of 64 cores like these, and a "
        "barrier or an exchange across them 2.5 times as dear.</p>\n",
        p->out);
    for (size_t m = 0; m < p->r->n_machines; m++)
        write_machine(p, m);
    fputs("</section>\n", p->out);
}
