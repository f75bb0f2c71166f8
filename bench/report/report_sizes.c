/* SPDX-License-Identifier: MIT
 *
 * How the time per constraint changes when a scene outgrows the caches.
 */
#include "bench/report/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_LEAST = 3 };

static bool in_family(const char *scene, const char *family)
{
    return strncmp(scene, family, strlen(family)) == 0 && strstr(scene, "scrambled") == NULL;
}

/* Bytes that a world has for each constraint, the mean over the rows of a family. */
static double bytes_per_constraint(const page *p, size_t machine, const char *family)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        const double part =
            report_counter_of(row, "solve_bytes") / report_counter_of(row, "constraints");
        if (report_usable(row, REPORT_SOLVE) && row->machine == machine &&
            in_family(row->scene, family) && isfinite(part)) {
            sum += part;
            n++;
        }
    }
    return n > 0 ? sum / (double)n : NAN;
}

/* The fastest on so many threads, one series per scheduler. */
static void add_series(const page *p, chart *c, size_t machine, const char *family,
                       const char *scheduler, uint32_t threads)
{
    char *label = bench_print("%s, %u thread%s", scheduler, threads, threads == 1 ? "" : "s");
    chart_series *s = chart_add(c, label, scheduler, page_color(p, scheduler),
                                threads == 1 ? CHART_MEASURED : CHART_FITTED);
    double before = 0;
    for (;;) { /* in ascending order of size */
        const report_row *next = NULL;
        double size = INFINITY;
        for (size_t i = 0; i < p->scenes.n; i++) {
            if (!in_family(p->scenes.items[i], family))
                continue;
            const report_row *row =
                page_fastest(p, machine, p->scenes.items[i], scheduler, threads);
            const double n = row != NULL ? report_counter_of(row, "constraints") : NAN;
            if (n > before && n < size) {
                size = n;
                next = row;
            }
        }
        if (next == NULL)
            break;
        char *tip = bench_print("%s, %u threads, %s: %.3f ns (median %.3f)", scheduler, threads,
                                next->scene, report_ns(next), next->median / next->unit);
        chart_put(s, size, report_ns(next), 0, 0, tip);
        free(tip);
        before = size;
    }
    free(label);
}

static size_t count_sizes(const page *p, size_t machine, const char *family)
{
    size_t n = 0;
    for (size_t i = 0; i < p->scenes.n; i++)
        n += in_family(p->scenes.items[i], family) &&
             page_fastest(p, machine, p->scenes.items[i], NULL, 1) != NULL;
    return n;
}

static uint32_t most_threads(const page *p, size_t machine, const char *family)
{
    uint32_t most = 1;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        if (report_usable(row, REPORT_SOLVE) && row->machine == machine &&
            in_family(row->scene, family) && !page_is_study(p, row, "weak"))
            most = row->threads > most ? row->threads : most;
    }
    return most;
}

static void write_family(const page *p, size_t machine, const char *family)
{
    static const char *const CACHES[] = {"L1d", "L2", "L3"};
    const uint32_t most = most_threads(p, machine, family);
    const double bytes = bytes_per_constraint(p, machine, family);
    char *title = bench_print("%.*s", (int)strlen(family) - 1, family);
    chart *c = chart_new(title, "constraints", "ns per constraint, iteration");
    c->log_x = c->log_y = true;
    for (size_t k = 0; k < p->schedulers.n; k++) {
        add_series(p, c, machine, family, p->schedulers.items[k], 1);
        if (most > 1)
            add_series(p, c, machine, family, p->schedulers.items[k], most);
    }
    for (size_t i = 0; i < sizeof CACHES / sizeof CACHES[0]; i++)
        chart_guide_at(c, page_cache_bytes(p, machine, CACHES[i]) / bytes, CACHES[i]);
    chart_end(c, p->out, page_label(p, machine), NULL);
    free(title);
}

void page_sizes(const page *p)
{
    bool any = false;
    for (size_t m = 0; m < p->r->n_machines; m++) {
        for (size_t s = 0; s < p->scenes.n; s++) {
            char family[64];
            if (!page_family_of(p, s, family))
                continue;
            if (count_sizes(p, m, family) < SIZES_LEAST)
                continue;
            if (!any)
                fputs(
                    "<section id=sizes><h2>Larger scenes</h2>\n<p>Smallest sample. Upright lines: "
                    "where what a solve touches of a scene has outgrown a cache of one core (or "
                    "the one that cores share). Dashed: all threads.</p>\n<div class=plots>\n",
                    p->out);
            any = true;
            write_family(p, m, family);
        }
    }
    if (any)
        fputs("</div></section>\n", p->out);
}
