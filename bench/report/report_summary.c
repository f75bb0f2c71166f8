/* SPDX-License-Identifier: MIT
 *
 * Who wins, by how much, and what speaks against believing it.
 */
#include "bench/report/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what makes figures doubtful */

static void warn(const page *p, const report_file *file, const char *class, const char *text)
{
    html(p->out, "<li class=%s data-m='%s'>%s: %s\n", class, page_label(p, file->machine),
         file->name, text);
}

static void warn_of_facts(const page *p, const report_file *file)
{
    const char *pinning = report_fact_of(file, "pinning");
    const char *effect = report_fact_of(file, "pinning_effect");
    char text[256];
    if (strcmp(report_fact_of(file, "libxpbd_build_type"), "debug") == 0)
        warn(p, file, "bad", "a debug build: its times say nothing");
    if (strcmp(report_fact_of(file, "complete"), "false") == 0)
        warn(p, file, "warn", "the run was interrupted");
    const double load = strtod(report_fact_of(file, "load_average_begin"), NULL);
    const double usable = strtod(report_fact_of(file, "usable_processors"), NULL);
    if (load > 0.5 * usable) {
        snprintf(text, sizeof text,
                 "a load average of %.1f on %.0f processors before the run: the machine was busy",
                 load, usable);
        warn(p, file, "warn", text);
    }
    if (strcmp(pinning, "none") == 0 || (strcmp(effect, "bound") != 0 && effect[0] != 'u')) {
        snprintf(text, sizeof text, "threads were not bound to processors (%s)",
                 strcmp(pinning, "none") == 0 ? "not asked for" : effect);
        warn(p, file, "warn", text);
    }
    if (strcmp(report_fact_of(file, "quota_processors"), "none") != 0 &&
        strcmp(report_fact_of(file, "quota_processors"), "unknown") != 0) {
        snprintf(text, sizeof text,
                 "the container may use %s processors' worth of time: a quota, which stops threads "
                 "in the middle of a step",
                 report_fact_of(file, "quota_processors"));
        warn(p, file, "warn", text);
    }
    if (strstr(report_fact_of(file, "source_revision"), "-modified") != NULL)
        warn(p, file, "warn", "sources were changed after the commit that they are named by");
}

static void warn_of_rows(const page *p, size_t f)
{
    size_t n = 0, differing = 0, foreign = 0, failed = 0, wide = 0, few = 0;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        if (row->file != f || row->kind != REPORT_SOLVE)
            continue;
        n++;
        differing += row->differs;
        foreign += row->foreign && !row->differs;
        failed += row->error[0] != '\0';
        wide += row->n > 0 && row->median > 1.5 * row->min;
        few += row->n > 0 && row->n < 5;
    }
    const report_file *file = &p->r->files[f];
    char text[256];
    const struct {
        size_t n;
        const char *class, *text;
    } rows[] = {
        {differing, "bad", "have a state hash that differs within the run: a fault; not compared"},
        {foreign, "warn", "have another state hash than the first file: not compared with it"},
        {failed, "bad", "failed"},
        {wide, "warn", "have a median of more than 1.5 times the minimum: the machine was busy"},
        {few, "warn", "have fewer than 5 samples, too few to judge the spread"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].n == 0)
            continue;
        snprintf(text, sizeof text, "%zu of %zu rows %s", rows[i].n, n, rows[i].text);
        warn(p, file, rows[i].class, text);
    }
}

static void write_refused(const page *p)
{
    for (size_t i = 0; i < p->r->refused.n; i++)
        html(p->out, "<li class=bad>left out: %s\n", p->r->refused.items[i]);
}

/* ---- who wins */

/* The fastest of serial-gs on one thread, whatever its layout. */
static double serial_ns(const page *p, size_t machine, const char *scene)
{
    const report_row *row = page_fastest(p, machine, scene, "serial-gs", 1);
    return row != NULL ? report_ns(row) : NAN;
}

static void write_winner(const page *p, size_t machine, const char *scene)
{
    const report_row *row = page_fastest(p, machine, scene, NULL, 0);
    if (row == NULL)
        return;
    const page_config what = {machine, scene, row->scheduler, row->layout, row->isa};
    const report_row *one = page_row(p, &what, 1);
    char count[32];
    page_tr(p, page_label(p, machine), scene, NULL);
    html(p->out, "<td>%s<td class=n>%s<td><b>%s</b><td>%s<td>%s<td class=n>%u<td class=n>%.3f",
         scene, html_number(count, report_counter_of(row, "constraints")), row->scheduler,
         row->layout, row->isa, row->threads, report_ns(row));
    html(p->out, "<td class=n>%.3f", row->median / row->unit);
    page_number(p, 1e9 / report_ns(row));
    page_number(p, serial_ns(p, machine, scene) / report_ns(row));
    page_number(p, one != NULL ? report_ns(one) / report_ns(row) : NAN);
    page_number(p, report_counter_of(row, "roof_percent"));
    html(p->out, "<td class=n>%s\n", html_number(count, report_counter_of(row, "residual_rms")));
}

static void write_machine(const page *p, size_t machine)
{
    const char *label = page_label(p, machine);
    if (page_fastest(p, machine, NULL, NULL, 0) == NULL)
        return;
    page_heading(p, label, NULL, label);
    html(p->out,
         "<div class=table data-m='%s'><table><tr><th>scene<th class=n>constraints<th>fastest"
         "<th>layout<th>ISA<th class=n>threads<th class=n>ns min<th class=n>median<th class=n>"
         "per s<th class=n>× serial<th class=n>× 1 thread<th class=n>%% of bound<th class=n>"
         "residual\n",
         label);
    for (size_t s = 0; s < p->scenes.n; s++)
        write_winner(p, machine, p->scenes.items[s]);
    fputs("</table></div>\n", p->out);
}

/* Iterations that a scheduler needs to bring the residual to a half and a tenth of that
 * after the first, with the time for it. */
static const report_row *reaches(const page *p, size_t machine, const char *scene,
                                 const char *scheduler, double part)
{
    const report_row *best = NULL;
    double first = INFINITY;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        if (report_usable(row, REPORT_CONVERGE) && row->machine == machine &&
            strcmp(row->scene, scene) == 0 && row->iterations == 1)
            first = fmin(first, report_counter_of(row, "residual_rms"));
    }
    for (size_t i = 0; i < p->r->n_rows && isfinite(first); i++) {
        const report_row *row = &p->r->rows[i];
        if (report_usable(row, REPORT_CONVERGE) && row->machine == machine &&
            strcmp(row->scene, scene) == 0 && strcmp(row->scheduler, scheduler) == 0 &&
            report_counter_of(row, "residual_rms") <= part * first &&
            (best == NULL || row->min < best->min))
            best = row;
    }
    return best;
}

static void write_reached(const page *p, const report_row *row)
{
    char text[32];
    if (row == NULL)
        fputs("<td class=n>not reached", p->out);
    else
        html(p->out, "<td class=n>%s, %u it.", html_time(text, row->min), row->iterations);
}

static void write_accuracy(const page *p, size_t machine)
{
    const report_names scenes = report_names_of(p->r, REPORT_CONVERGE, report_scene_of);
    const report_names schedulers = report_names_of(p->r, REPORT_CONVERGE, report_scheduler_of);
    bool any = false;
    for (size_t i = 0; i < p->r->n_rows; i++)
        any = any ||
              (report_usable(&p->r->rows[i], REPORT_CONVERGE) && p->r->rows[i].machine == machine);
    if (!any)
        return;
    html(p->out,
         "<p data-m='%s'>Time of one step until the residual is half and a tenth of what one "
         "iteration leaves at best, and its iterations:</p><div class=table "
         "data-m='%s'><table><tr><th>scene<th>scheduler<th class=n>1/2<th class=n>1/10\n",
         page_label(p, machine), page_label(p, machine));
    for (size_t s = 0; s < scenes.n; s++)
        for (size_t k = 0; k < schedulers.n; k++) {
            page_tr(p, page_label(p, machine), scenes.items[s], schedulers.items[k]);
            html(p->out, "<td>%s<td>%s", scenes.items[s], schedulers.items[k]);
            write_reached(p, reaches(p, machine, scenes.items[s], schedulers.items[k], 0.5));
            write_reached(p, reaches(p, machine, scenes.items[s], schedulers.items[k], 0.1));
            fputs("\n", p->out);
        }
    fputs("</table></div>\n", p->out);
}

/* ---- files of //bench:accuracy */

/* The shortest step whose result is no further than this from the solution. */
static const report_row *near_solution(const page *p, size_t machine, const char *scene,
                                       const char *scheduler, double error)
{
    const report_row *best = NULL;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        if (report_usable(row, REPORT_ACCURACY) && row->machine == machine &&
            strcmp(row->scene, scene) == 0 && strcmp(row->scheduler, scheduler) == 0 &&
            report_counter_of(row, "frame_error") <= error &&
            (best == NULL || row->min < best->min))
            best = row;
    }
    return best;
}

static void write_errors(const page *p, size_t machine)
{
    static const double ERRORS[] = {1e-2, 1e-3};
    const report_names scenes = report_names_of(p->r, REPORT_ACCURACY, report_scene_of);
    const report_names schedulers = report_names_of(p->r, REPORT_ACCURACY, report_scheduler_of);
    const char *label = page_label(p, machine);
    if (scenes.n == 0)
        return;
    html(p->out,
         "<p data-m='%s'>Time of one step (//bench:accuracy) whose positions are within a relative "
         "error of the limit of small substeps, with substeps × iterations:</p><div class=table "
         "data-m='%s'><table><tr><th>scene<th>scheduler<th class=n>10⁻²<th class=n>10⁻³\n",
         label, label);
    for (size_t s = 0; s < scenes.n; s++)
        for (size_t k = 0; k < schedulers.n; k++) {
            page_tr(p, label, scenes.items[s], schedulers.items[k]);
            html(p->out, "<td>%s<td>%s", scenes.items[s], schedulers.items[k]);
            for (size_t i = 0; i < sizeof ERRORS / sizeof ERRORS[0]; i++) {
                const report_row *row =
                    near_solution(p, machine, scenes.items[s], schedulers.items[k], ERRORS[i]);
                char text[32];
                if (row == NULL)
                    fputs("<td class=n>not reached", p->out);
                else
                    html(p->out, "<td class=n>%s, %u × %u", html_time(text, row->min),
                         row->substeps, row->iterations);
            }
            fputs("\n", p->out);
        }
    fputs("</table></div>\n", p->out);
}

void page_summary(const page *p)
{
    fputs("<section id=summary><h2>Who wins</h2>\n<p>ns is the time of a whole step per constraint "
          "and iteration; the smallest sample names the winner. <i>× serial</i> is over serial-gs, "
          "one constraint after the other in plain C, <i>× 1 thread</i> over the same "
          "configuration on one thread, <i>% of bound</i> how much of the machine’s limit is "
          "reached (see the roofline). A scheduler that is fast per iteration may need more of "
          "them: see the residual, and convergence.</p>\n<ul class=notes>\n",
          p->out);
    write_refused(p);
    for (size_t f = 0; f < p->r->n_files; f++) {
        warn_of_facts(p, &p->r->files[f]);
        warn_of_rows(p, f);
    }
    fputs("</ul>\n", p->out);
    for (size_t m = 0; m < p->r->n_machines; m++) {
        write_machine(p, m);
        write_accuracy(p, m);
        write_errors(p, m);
    }
    fputs("</section>\n", p->out);
}
