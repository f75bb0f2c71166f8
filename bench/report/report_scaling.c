/* SPDX-License-Identifier: MIT
 *
 * More threads for the same work, and more work for more threads. Curves and fits are of medians:
 * a minimum has no interval.
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream() */
#include "bench/report/report_fit.h"
#include "bench/report/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MOST = 1024 };

/* A configuration with its rows by thread count. */
typedef struct curve {
    page_config what;
    const report_row *rows[64];
    size_t n;
    fit_scaling fit;
} curve;

static bool curve_of(const page *p, size_t machine, const char *scene, const char *scheduler,
                     curve *c)
{
    uint32_t threads[64];
    if (!page_config_of(p, machine, scene, scheduler, &c->what))
        return false;
    c->n = page_threads(p, &c->what, threads);
    fit_point points[64];
    for (size_t i = 0; i < c->n; i++) {
        c->rows[i] = page_row(p, &c->what, threads[i]);
        points[i] = (fit_point){threads[i], c->rows[i]->ns, c->rows[i]->n};
    }
    c->fit = fit_scaling_of(points, c->n);
    return c->n > 1;
}

static double median_ns(const report_row *row)
{
    return row->median / row->unit;
}

static char *tip_of(const report_row *row)
{
    return bench_print("%s: %s/%s, %u thread%s: %.3f ns (min %.3f, p95 %.3f, %zu samples)",
                       row->scheduler, row->layout, row->isa, row->threads,
                       row->threads == 1 ? "" : "s", median_ns(row), report_ns(row),
                       row->p95 / row->unit, row->n);
}

static void add_measured(const page *p, chart *c, const curve *k, bool efficiency)
{
    char *label = bench_print("%s, %s/%s", k->what.scheduler, k->what.layout, k->what.isa);
    chart_series *s =
        chart_add(c, label, k->what.scheduler, page_color(p, k->what.scheduler), CHART_MEASURED);
    for (size_t i = 0; i < k->n; i++) {
        const report_row *row = k->rows[i];
        const double t = row->threads;
        const double ideal = median_ns(k->rows[0]) * k->rows[0]->threads / t;
        char *tip = tip_of(row);
        if (efficiency)
            chart_put(s, t, ideal / median_ns(row), ideal * row->unit / row->p95,
                      ideal / report_ns(row), tip);
        else
            chart_put(s, t, median_ns(row), report_ns(row), row->p95 / row->unit, tip);
        free(tip);
    }
    free(label);
}

/* The fitted curve in small steps; by the law of USL where there are enough points. */
static void add_fitted(const page *p, chart *c, const curve *k, bool efficiency)
{
    const bool usl = k->fit.usl;
    if (k->n < 3 || (!usl && !k->fit.amdahl))
        return;
    const double unit = k->rows[0]->unit, first = k->rows[0]->threads;
    const double last = k->rows[k->n - 1]->threads;
    chart_series *s =
        chart_add(c, "", k->what.scheduler, page_color(p, k->what.scheduler), CHART_FITTED);
    for (int i = 0; i <= 24; i++) {
        const double t = first * pow(last / first, i / 24.0);
        const double ns = (usl ? fit_usl_time(&k->fit, t) : fit_amdahl_time(&k->fit, t)) / unit;
        const double ideal = median_ns(k->rows[0]) * first / t;
        chart_put(s, t, efficiency ? ideal / ns : ns, 0, 0, NULL);
    }
}

static void write_charts(const page *p, const char *machine, const char *scene, const curve *curves,
                         size_t n)
{
    fputs("<div class=plots>\n", p->out);
    for (int efficiency = 0; efficiency < 2; efficiency++) {
        char *title = bench_print(efficiency ? "%s: parallel efficiency" : "%s: time", scene);
        chart *c = chart_new(title, "threads",
                             efficiency ? "speed-up / threads" : "ns per constraint, iteration");
        c->log_x = c->powers_of_2 = true;
        c->log_y = !efficiency;
        c->from_zero = efficiency;
        for (size_t i = 0; i < n; i++) {
            add_measured(p, c, &curves[i], efficiency);
            add_fitted(p, c, &curves[i], efficiency);
        }
        chart_end(c, p->out, machine, scene);
        free(title);
    }
    fputs("</div>\n", p->out);
}

static void write_interval(const page *p, const fit_interval *x, double scale, const char *unit)
{
    if (!isfinite(x->value)) {
        fputs("<td class=n>–", p->out);
        return;
    }
    html(p->out, "<td class=n>%.3g%s", scale * x->value, unit);
    if (isfinite(x->low))
        html(p->out, " [%.3g, %.3g]", scale * x->low, scale * x->high);
}

static void write_fit(const page *p, const curve *k)
{
    const report_row *last = k->rows[k->n - 1];
    page_tr(p, page_label(p, k->what.machine), k->what.scene, k->what.scheduler);
    html(p->out, "<td>%s<td>%s<td>%s/%s", k->what.scene, k->what.scheduler, k->what.layout,
         k->what.isa);
    page_number(p, median_ns(k->rows[0]));
    html(p->out, "<td class=n>%u", last->threads);
    page_number(p, median_ns(last));
    const double speedup = median_ns(k->rows[0]) / median_ns(last);
    page_number(p, speedup);
    page_number(p, speedup * k->rows[0]->threads / last->threads);
    write_interval(p, &k->fit.serial, 100, " %");
    write_interval(p, &k->fit.sigma, 100, " %");
    write_interval(p, &k->fit.kappa, 1, "");
    char text[32];
    html(p->out, "<td class=n>%s\n", k->fit.usl ? html_number(text, k->fit.peak) : "–");
}

static void write_strong(const page *p, size_t machine)
{
    const char *label = page_label(p, machine);
    bool any = false, more = false;
    curve *curves = bench_alloc(p->schedulers.n, sizeof *curves);
    curve *all = bench_alloc(p->schedulers.n * p->scenes.n, sizeof *all);
    size_t n_all = 0;
    for (size_t s = 0; s < p->scenes.n; s++) {
        size_t n = 0;
        for (size_t k = 0; k < p->schedulers.n; k++)
            if (curve_of(p, machine, p->scenes.items[s], p->schedulers.items[k], &curves[n])) {
                more = more || curves[n].fit.usl;
                all[n_all++] = curves[n++];
            }
        if (n > 0 && !any)
            page_heading(p, label, NULL, label);
        any = any || n > 0;
        if (n > 0)
            write_charts(p, label, p->scenes.items[s], curves, n);
    }
    if (any) {
        html(p->out,
             "<div class=table data-m='%s'><table><tr><th>scene<th>scheduler<th>layout/ISA<th "
             "class=n>ns, 1 thread<th class=n>threads<th class=n>ns<th class=n>speed-up<th class=n>"
             "efficiency<th class=n>Amdahl: serial part<th class=n>USL: σ<th class=n>κ<th "
             "class=n>fastest at\n",
             label);
        for (size_t i = 0; i < n_all; i++)
            write_fit(p, &all[i]);
        fputs("</table></div>\n", p->out);
        if (!more)
            html(
                p->out,
                "<p class=dim data-m='%s'>The USL has three unknowns and needs three thread "
                "counts; "
                "fewer were measured here. Amdahl’s law goes through two points whatever they are, "
                "so that its number says no more than the speed-up.</p>\n",
                label);
    }
    free(curves);
    free(all);
}

/* ---- more work for more threads */

/* The row of a scheduler that was measured with so many threads in this study, the fastest. */
static const report_row *weak_row(const page *p, size_t machine, const char *scheduler,
                                  const char *family, uint32_t threads)
{
    const report_row *best = NULL;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        if (report_usable(row, REPORT_SOLVE) && row->machine == machine &&
            page_is_study(p, row, "weak") && row->threads == threads &&
            strcmp(row->scheduler, scheduler) == 0 &&
            strncmp(row->scene, family, strlen(family)) == 0 &&
            (best == NULL || report_ns(row) < report_ns(best)))
            best = row;
    }
    return best;
}

static void add_weak(const page *p, chart *c, size_t machine, const char *scheduler,
                     const char *family, FILE *rows)
{
    const report_row *one = weak_row(p, machine, scheduler, family, 1);
    if (one == NULL)
        return;
    chart_series *s = chart_add(c, scheduler, scheduler, page_color(p, scheduler), CHART_MEASURED);
    for (uint32_t t = 1; t <= THREADS_MOST; t++) {
        const report_row *row = weak_row(p, machine, scheduler, family, t);
        if (row == NULL)
            continue;
        const double ideal = median_ns(one) / t;
        char *tip = tip_of(row), text[32];
        chart_put(s, t, ideal / median_ns(row), ideal * row->unit / row->p95,
                  ideal / report_ns(row), tip);
        free(tip);
        html(rows, "<tr data-k='%s'><td>%s<td class=n>%u<td>%s<td class=n>%s", scheduler, scheduler,
             t, row->scene, html_number(text, report_counter_of(row, "constraints")));
        html(rows, "<td class=n>%.3f<td class=n>%.2f\n", median_ns(row), ideal / median_ns(row));
    }
}

static void write_weak(const page *p, size_t machine)
{
    const char *label = page_label(p, machine);
    for (size_t s = 0; s < p->scenes.n; s++) {
        char family[64];
        if (!page_family_of(p, s, family))
            continue;
        char *text = NULL,
             *title = bench_print("%.*s: as much work per thread", (int)strlen(family) - 1, family);
        size_t size = 0;
        FILE *rows = open_memstream(&text, &size);
        chart *c = chart_new(title, "threads", "efficiency");
        c->log_x = c->powers_of_2 = true;
        c->from_zero = true;
        for (size_t k = 0; k < p->schedulers.n && rows != NULL; k++)
            add_weak(p, c, machine, p->schedulers.items[k], family, rows);
        if (rows != NULL)
            fclose(rows);
        if (chart_size(c) > 0) {
            page_heading(p, label, NULL, title);
            fputs("<div class=plots>\n", p->out);
            chart_end(c, p->out, label, NULL);
            html(p->out,
                 "<div class=table data-m='%s'><table><tr><th>scheduler<th class=n>threads<th>scene"
                 "<th class=n>constraints<th class=n>ns<th class=n>efficiency\n",
                 label);
            fputs(text, p->out);
            fputs("</table></div></div>\n", p->out);
        } else {
            chart_end(c, p->out, NULL, NULL);
        }
        free(text);
        free(title);
    }
}

/* ---- the same threads, bound in other ways */

static void add_pinned(const page *p, chart *c, size_t machine, const char *scene,
                       const char *scheduler, const char *pinning)
{
    char *label = bench_print("%s, %s", scheduler, pinning);
    chart_series *s = chart_add(c, label, scheduler, (unsigned)c->n, CHART_MEASURED);
    for (uint32_t t = 1; t <= THREADS_MOST; t++)
        for (size_t i = 0; i < p->r->n_rows; i++) {
            const report_row *row = &p->r->rows[i];
            if (!report_usable(row, REPORT_SOLVE) || row->machine != machine || row->threads != t ||
                strcmp(row->scene, scene) != 0 || strcmp(row->scheduler, scheduler) != 0 ||
                strcmp(row->pinning, pinning) != 0)
                continue;
            char *tip = tip_of(row);
            chart_put(s, t, median_ns(row), report_ns(row), row->p95 / row->unit, tip);
            free(tip);
        }
    free(label);
}

static void write_pinnings(const page *p, size_t machine)
{
    const report_names pinnings = report_names_of(p->r, REPORT_SOLVE, report_pinning_of);
    if (pinnings.n < 2)
        return;
    fputs("<div class=plots>\n", p->out);
    for (size_t i = 0; i < p->scenes.n; i++) {
        char *title = bench_print("%s: where threads are bound", p->scenes.items[i]);
        chart *c = chart_new(title, "threads", "ns per constraint, iteration");
        c->log_x = c->log_y = c->powers_of_2 = true;
        for (size_t k = 0; k < p->schedulers.n; k++)
            for (size_t j = 0; j < pinnings.n; j++)
                add_pinned(p, c, machine, p->scenes.items[i], p->schedulers.items[k],
                           pinnings.items[j]);
        chart_end(c, p->out, page_label(p, machine), p->scenes.items[i]);
        free(title);
    }
    fputs("</div>\n", p->out);
}

void page_scaling(const page *p)
{
    fputs(
        "<section id=scaling><h2>More threads</h2>\n<p>Medians, with bars from the minimum to the "
        "95th percentile; each scheduler with the layout and instruction set that is fastest on "
        "one thread. Dashed: the law that was fitted. Amdahl: a part of the work does not scale. "
        "Universal Scalability Law: σ is what threads lose by waiting for each other, κ what all "
        "pairs of them exchange. In brackets intervals of 95 %, by resampling.</p>\n",
        p->out);
    for (size_t m = 0; m < p->r->n_machines; m++)
        write_strong(p, m);
    for (size_t m = 0; m < p->r->n_machines; m++)
        write_weak(p, m);
    for (size_t m = 0; m < p->r->n_machines; m++)
        write_pinnings(p, m);
    fputs("</section>\n", p->out);
}
