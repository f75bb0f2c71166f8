/* SPDX-License-Identifier: MIT
 *
 * How far from the machine's limit. The limits were measured in the same run; what a constraint
 * needs was counted in the kernels' own source (bench/roof/).
 */
#include "bench/report/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* roof/WHAT/WHERE/threads:N; the best of all files of the machine, NaN where there is none. */
static double roof_of(const page *p, size_t machine, const char *what, const char *where,
                      uint32_t threads, const char *counter)
{
    double best = NAN;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        if (report_usable(row, REPORT_ROOF) && row->machine == machine &&
            strcmp(row->scene, what) == 0 && strcmp(row->scheduler, where) == 0 &&
            row->threads == threads)
            best = fmax(best, report_counter_of(row, counter));
    }
    return best;
}

/* ---- the machine's limits */

static void write_roofs(const page *p, size_t machine)
{
    bool any = false;
    const char *label = page_label(p, machine);
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        if (!report_usable(row, REPORT_ROOF) || row->machine != machine)
            continue;
        if (!any)
            html(p->out,
                 "<details data-m='%s'><summary>limits of %s</summary><div class=table><table><tr>"
                 "<th>what<th>where<th class=n>threads<th class=n>time<th class=n>rate<th "
                 "class=n>bytes / s\n",
                 label, label);
        any = true;
        char text[32];
        page_tr(p, label, NULL, NULL);
        html(p->out, "<td>%s<td>%s<td class=n>%u<td class=n>%s", row->scene, row->scheduler,
             row->threads, html_time(text, row->min));
        page_number(p, report_counter_of(row, "items_per_second"));
        page_number(p, report_counter_of(row, "bytes_per_second"));
        fputs("\n", p->out);
    }
    if (any)
        fputs("</table></div></details>\n", p->out);
}

/* ---- the picture */

/* The level whose rate limits a row, as the run said: 0 L1 ... 3 memory. */
static const char *const LEVELS[] = {"L1", "L2", "L3", "memory"};

static const char *level_of(const report_row *row)
{
    const double level = report_counter_of(row, "level");
    return level >= 0 && level <= 3 ? LEVELS[(int)level] : "unknown";
}

static double per_byte(const report_row *row)
{
    return report_counter_of(row, "operations_per_constraint") /
           report_counter_of(row, "bytes_per_constraint");
}

static void add_ceilings(const page *p, chart *c, size_t machine, const char *isa, double low,
                         double high)
{
    const double peak = roof_of(p, machine, "arithmetic", isa, 1, "items_per_second");
    for (size_t i = sizeof LEVELS / sizeof LEVELS[0]; i-- > 0;) {
        const double rate = roof_of(p, machine, "update", LEVELS[i], 1, "bytes_per_second");
        if (!isfinite(rate))
            continue;
        char text[32];
        char *label = bench_print("%s, %sB/s", LEVELS[i], html_number(text, rate));
        chart_series *s = chart_add(c, label, "", 8, CHART_LIMIT);
        free(label);
        for (int k = 0; k <= 40; k++) {
            const double x = low * pow(high / low, k / 40.0);
            chart_put(s, x, 1e-9 * fmin(peak, x * rate), 0, 0, NULL);
        }
    }
}

static void write_picture(const page *p, size_t machine)
{
    const report_row *fastest = page_fastest(p, machine, NULL, NULL, 1);
    if (fastest == NULL)
        return;
    char *title = bench_print("Roofline, one thread, %s", fastest->isa);
    chart *c = chart_new(title, "operations per byte moved", "billion operations / s");
    c->log_x = c->log_y = true;
    double low = INFINITY, high = 0;
    for (size_t k = 0; k < p->schedulers.n; k++) {
        const char *scheduler = p->schedulers.items[k];
        chart_series *s =
            chart_add(c, scheduler, scheduler, page_color(p, scheduler), CHART_POINTS);
        for (size_t i = 0; i < p->scenes.n; i++) {
            const report_row *row = page_fastest(p, machine, p->scenes.items[i], scheduler, 1);
            if (row == NULL || !isfinite(per_byte(row)) || strcmp(row->isa, fastest->isa) != 0)
                continue;
            low = fmin(low, per_byte(row));
            high = fmax(high, per_byte(row));
            const double speed =
                report_counter_of(row, "operations_per_constraint") / report_ns(row);
            char *tip = bench_print("%s, %s/%s on %s: %.0f %% of its bound, works in %s", scheduler,
                                    row->layout, row->isa, row->scene,
                                    report_counter_of(row, "roof_percent"), level_of(row));
            chart_put(s, per_byte(row), speed, 0, 0, tip);
            free(tip);
        }
    }
    if (high > 0) {
        add_ceilings(p, c, machine, fastest->isa, 0.4 * low, 2.5 * high);
        fputs("<div class=plots>\n", p->out);
        chart_end(c, p->out, page_label(p, machine), NULL);
        fputs("</div>\n", p->out);
    } else {
        chart_end(c, p->out, NULL, NULL);
    }
    free(title);
}

/* ---- rows */

static void write_bound(const page *p, const report_row *row)
{
    static const char *const NAMES[] = {"arithmetic", "divide", "cache", "memory"};
    const char *name = "–";
    double most = 0;
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        char *key = bench_print("bound_ns_%s", NAMES[i]);
        const double bound = report_counter_of(row, key);
        free(key);
        page_number(p, bound);
        if (bound > most) {
            most = bound;
            name = NAMES[i];
        }
    }
    html(p->out, "<td>%s", name);
}

static void write_row(const page *p, const report_row *row)
{
    page_tr(p, page_label(p, row->machine), row->scene, row->scheduler);
    html(p->out, "<td>%s<td>%s<td>%s/%s<td class=n>%u", row->scene, row->scheduler, row->layout,
         row->isa, row->threads);
    page_number(p, report_ns(row));
    page_number(p, report_counter_of(row, "roof_percent"));
    write_bound(p, row);
    html(p->out, "<td>%s", level_of(row));
    page_number(p, report_counter_of(row, "stages"));
    page_number(p, 100 * report_counter_of(row, "padding"));
    page_number(p, report_counter_of(row, "lines_per_constraint"));
    fputs("\n", p->out);
}

static void write_rows(const page *p, size_t machine)
{
    fputs(
        "<div class=table><table><tr><th>scene<th>scheduler<th>layout/ISA<th class=n>threads<th "
        "class=n>ns<th class=n>% reached<th class=n>arithm.<th class=n>divide<th class=n>cache<th "
        "class=n>memory<th>the bound<th>works in<th class=n>stages<th class=n>padding, %<th "
        "class=n>lines\n",
        p->out);
    for (size_t s = 0; s < p->scenes.n; s++)
        for (size_t k = 0; k < p->schedulers.n; k++) {
            const char *scene = p->scenes.items[s], *scheduler = p->schedulers.items[k];
            const report_row *one = page_fastest(p, machine, scene, scheduler, 1);
            const report_row *any = page_fastest(p, machine, scene, scheduler, 0);
            if (one != NULL)
                write_row(p, one);
            if (any != NULL && any != one)
                write_row(p, any);
        }
    fputs("</table></div>\n", p->out);
}

/* What a constraint of each scene needs, whoever projects it. */
static void write_needs(const page *p, size_t machine)
{
    static const char *const KEYS[] = {"operations_per_constraint", "divisions_per_constraint",
                                       "accesses_per_constraint", "bytes_per_constraint"};
    fputs("<div class=table><table><tr><th>scene<th class=n>operations<th class=n>divisions, "
          "roots<th class=n>bytes in and out of registers<th class=n>bytes moved<th class=n>bytes "
          "of the scene\n",
          p->out);
    for (size_t s = 0; s < p->scenes.n; s++) {
        const report_row *row = page_fastest(p, machine, p->scenes.items[s], NULL, 0);
        char text[32];
        if (row == NULL)
            continue;
        page_tr(p, page_label(p, machine), row->scene, NULL);
        html(p->out, "<td>%s", row->scene);
        for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++)
            page_number(p, report_counter_of(row, KEYS[i]));
        html(p->out, "<td class=n>%s\n", html_bytes(text, report_counter_of(row, "solve_bytes")));
    }
    fputs("</table></div>\n", p->out);
}

static bool has_bounds(const page *p, size_t machine)
{
    for (size_t i = 0; i < p->r->n_rows; i++)
        if (report_usable(&p->r->rows[i], REPORT_SOLVE) && p->r->rows[i].machine == machine &&
            isfinite(report_counter_of(&p->r->rows[i], "roof_percent")))
            return true;
    return false;
}

/* ---- kernels by themselves */

static void write_kernels(const page *p)
{
    bool any = false;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        if (!report_usable(row, REPORT_KERNEL))
            continue;
        if (!any)
            fputs("<details><summary>kernels by themselves (//bench:kernels)</summary><div "
                  "class=table><table><tr><th>type<th>layout<th>ISA<th class=n>ns<th class=n>median"
                  "<th class=n>over scalar\n",
                  p->out);
        any = true;
        page_tr(p, page_label(p, row->machine), NULL, NULL);
        html(p->out, "<td>%s<td>%s<td>%s<td class=n>%.3f<td class=n>%.3f", row->scene, row->layout,
             row->isa, report_ns(row), row->median / row->unit);
        page_number(p, report_counter_of(row, "speedup_over_scalar"));
        fputs("\n", p->out);
    }
    if (any)
        fputs("</table></div></details>\n", p->out);
}

void page_roofline(const page *p)
{
    fputs("<section id=roofline><h2>How far from the limit</h2>\n<p>Per constraint of an iteration "
          "after the first. Operations, and bytes in and out of registers, were counted in the "
          "kernels’ source; bytes moved are those that have to come from where the scene lies: the "
          "constraints once, and each particle once in and out. A bound is the time that the "
          "machine’s measured rate would take for one of these alone; the greatest one is the "
          "bound, and no more than 100 % of it can be reached. Lines: cache lines of particles, "
          "touched "
          "by a group of 16 constraints, divided by 16. The fastest layout and instruction set of "
          "each scheduler, on one and on any number of threads.</p>\n",
          p->out);
    bool any = false;
    for (size_t m = 0; m < p->r->n_machines; m++) {
        if (has_bounds(p, m)) {
            page_heading(p, page_label(p, m), NULL, page_label(p, m));
            write_picture(p, m);
            write_needs(p, m);
            write_rows(p, m);
            any = true;
        }
        write_roofs(p, m);
    }
    if (!any)
        fputs("<p class=dim>None of the files has limits of its machine: they come with runs of "
              "//bench:all.</p>\n",
              p->out);
    write_kernels(p);
    fputs("</section>\n", p->out);
}
