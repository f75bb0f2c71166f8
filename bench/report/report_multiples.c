/* SPDX-License-Identifier: MIT
 *
 * Every scheduler with every layout and instruction set, and what iterations bring.
 */
#include "bench/report/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- small multiples */

/* A panel: one scheduler on one scene, a bar of speed per layout, instruction set and count. */
static void write_panel(const page *p, size_t machine, const char *scene, const char *scheduler,
                        double most)
{
    bool any = false;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        if (!report_usable(row, REPORT_SOLVE) || row->machine != machine ||
            strcmp(row->scene, scene) != 0 || strcmp(row->scheduler, scheduler) != 0)
            continue;
        if (!any)
            html(p->out,
                 "<figure data-m='%s' data-s='%s' data-k='%s'><figcaption>%s</figcaption><table "
                 "class=bars>\n",
                 page_label(p, machine), scene, scheduler, scheduler);
        any = true;
        char text[32];
        const double speed = 1e9 / report_ns(row);
        html(p->out,
             "<tr><td>%s %s ×%u%s%s<td><span class='fill c%u' style='width:%.1f%%'></span><td>%s\n",
             row->layout, row->isa, row->threads, row->pinning[0] != '\0' ? " " : "", row->pinning,
             page_color(p, scheduler), 100 * speed / most, html_number(text, speed));
    }
    if (any)
        fputs("</table></figure>\n", p->out);
}

void page_multiples(const page *p)
{
    if (p->scenes.n == 0)
        return;
    fputs("<section id=multiples><h2>Schedulers, layouts, instruction sets</h2>\n<p>Constraint "
          "projections per second from the smallest sample, longer is better; bars of a scene have "
          "one scale. ×n: threads.</p>\n",
          p->out);
    for (size_t m = 0; m < p->r->n_machines; m++)
        for (size_t s = 0; s < p->scenes.n; s++) {
            const char *scene = p->scenes.items[s];
            const report_row *best = page_fastest(p, m, scene, NULL, 0);
            if (best == NULL)
                continue;
            html(p->out, "<details%s data-m='%s' data-s='%s'><summary>%s%s%s</summary>\n",
                 s < 2 ? " open" : "", page_label(p, m), scene, scene,
                 p->r->n_machines > 1 ? " on " : "", p->r->n_machines > 1 ? page_label(p, m) : "");
            fputs("<div class='plots small'>\n", p->out);
            for (size_t k = 0; k < p->schedulers.n; k++)
                write_panel(p, m, scene, p->schedulers.items[k], 1e9 / report_ns(best));
            fputs("</div></details>\n", p->out);
        }
    fputs("</section>\n", p->out);
}

/* ---- convergence */

static void write_convergence(const page *p, size_t machine, const char *scene, bool over_time,
                              const report_names *schedulers)
{
    char *title =
        bench_print(over_time ? "%s: residual over time" : "%s: residual over iterations", scene);
    chart *c = chart_new(title, over_time ? "µs of one step" : "iterations", "residual, rms");
    c->log_x = c->log_y = true;
    for (size_t k = 0; k < schedulers->n; k++) {
        const char *scheduler = schedulers->items[k];
        chart_series *s =
            chart_add(c, scheduler, scheduler, page_color(p, scheduler), CHART_MEASURED);
        for (size_t i = 0; i < p->r->n_rows; i++) {
            const report_row *row = &p->r->rows[i];
            if (!report_usable(row, REPORT_CONVERGE) || row->machine != machine ||
                strcmp(row->scene, scene) != 0 || strcmp(row->scheduler, scheduler) != 0)
                continue;
            const double residual = report_counter_of(row, "residual_rms");
            char time[32];
            char *tip = bench_print("%s, %u iterations: %.4g in %s", scheduler, row->iterations,
                                    residual, html_time(time, row->min));
            chart_put(s, over_time ? 1e-3 * row->min : row->iterations, residual, 0, 0, tip);
            free(tip);
        }
    }
    chart_end(c, p->out, page_label(p, machine), scene);
    free(title);
}

static void write_table(const page *p)
{
    fputs(
        "<details><summary>numbers</summary><div class=table><table><tr><th>scene<th>scheduler<th "
        "class=n>iterations<th class=n>time of the step<th class=n>residual, rms\n",
        p->out);
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        char text[32];
        if (!report_usable(row, REPORT_CONVERGE))
            continue;
        page_tr(p, page_label(p, row->machine), row->scene, row->scheduler);
        html(p->out, "<td>%s<td>%s<td class=n>%u<td class=n>%s<td class=n>%.4g\n", row->scene,
             row->scheduler, row->iterations, html_time(text, row->min),
             report_counter_of(row, "residual_rms"));
    }
    fputs("</table></div></details>\n", p->out);
}

void page_convergence(const page *p)
{
    const report_names scenes = report_names_of(p->r, REPORT_CONVERGE, report_scene_of);
    const report_names schedulers = report_names_of(p->r, REPORT_CONVERGE, report_scheduler_of);
    if (scenes.n == 0)
        return;
    fputs(
        "<section id=convergence><h2>What iterations bring</h2>\n<p>Root mean square of C + α̃λ "
        "after one step from the same state, over the number of iterations and over the time that "
        "they take on all threads. The second picture decides.</p>\n<div class=plots>\n",
        p->out);
    for (size_t m = 0; m < p->r->n_machines; m++)
        for (size_t s = 0; s < scenes.n; s++)
            for (int over_time = 0; over_time < 2; over_time++)
                write_convergence(p, m, scenes.items[s], over_time, &schedulers);
    fputs("</div>\n", p->out);
    write_table(p);
    fputs("</section>\n", p->out);
}
