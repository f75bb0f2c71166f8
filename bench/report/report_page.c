/* SPDX-License-Identifier: MIT */
#include "bench/report/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const report_row *page_fastest(const page *p, size_t machine, const char *scene,
                               const char *scheduler, uint32_t threads)
{
    const report_row *best = NULL;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        if (!report_usable(row, REPORT_SOLVE) || row->machine != machine ||
            (scene != NULL && strcmp(row->scene, scene) != 0) ||
            (scheduler != NULL && strcmp(row->scheduler, scheduler) != 0) ||
            (threads != 0 && row->threads != threads))
            continue;
        if (best == NULL || report_ns(row) < report_ns(best))
            best = row;
    }
    return best;
}

static bool is_of(const report_row *row, const page_config *what)
{
    return report_usable(row, REPORT_SOLVE) && row->machine == what->machine &&
           row->pinning[0] == '\0' && strcmp(row->scene, what->scene) == 0 &&
           strcmp(row->scheduler, what->scheduler) == 0 && strcmp(row->layout, what->layout) == 0 &&
           strcmp(row->isa, what->isa) == 0;
}

const report_row *page_row(const page *p, const page_config *what, uint32_t threads)
{
    for (size_t i = 0; i < p->r->n_rows; i++)
        if (is_of(&p->r->rows[i], what) && p->r->rows[i].threads == threads)
            return &p->r->rows[i];
    return NULL;
}

bool page_config_of(const page *p, size_t machine, const char *scene, const char *scheduler,
                    page_config *what)
{
    const report_row *best = page_fastest(p, machine, scene, scheduler, 1);
    if (best == NULL)
        best = page_fastest(p, machine, scene, scheduler, 0);
    if (best == NULL)
        return false;
    *what = (page_config){machine, scene, scheduler, best->layout, best->isa};
    return true;
}

size_t page_threads(const page *p, const page_config *what, uint32_t threads[64])
{
    size_t n = 0;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        if (!is_of(row, what))
            continue;
        size_t at = 0;
        while (at < n && threads[at] < row->threads)
            at++;
        if (n == 64 || (at < n && threads[at] == row->threads))
            continue;
        memmove(threads + at + 1, threads + at, (n - at) * sizeof *threads);
        threads[at] = row->threads;
        n++;
    }
    return n;
}

bool page_family_of(const page *p, size_t i, char family[64])
{
    const char *scene = p->scenes.items[i];
    const size_t length = strcspn(scene, "-") + 1;
    if (length >= 64 || scene[length - 1] == '\0')
        return false;
    for (size_t k = 0; k < i; k++)
        if (strncmp(scene, p->scenes.items[k], length) == 0)
            return false;
    memcpy(family, scene, length);
    family[length] = '\0';
    return true;
}

bool page_is_study(const page *p, const report_row *row, const char *study)
{
    return strcmp(report_fact_of(&p->r->files[row->file], "study"), study) == 0;
}

unsigned page_color(const page *p, const char *scheduler)
{
    return (unsigned)(report_name_index(&p->schedulers, scheduler) % 8);
}

const report_file *page_file(const page *p, size_t machine)
{
    return &p->r->files[p->r->machines[machine].file];
}

const char *page_label(const page *p, size_t machine)
{
    return p->r->machines[machine].label;
}

static void attributes(const page *p, const char *machine, const char *scene, const char *scheduler)
{
    if (machine != NULL)
        html(p->out, " data-m='%s'", machine);
    if (scene != NULL)
        html(p->out, " data-s='%s'", scene);
    if (scheduler != NULL)
        html(p->out, " data-k='%s'", scheduler);
}

void page_tr(const page *p, const char *machine, const char *scene, const char *scheduler)
{
    fputs("<tr", p->out);
    attributes(p, machine, scene, scheduler);
    fputs(">", p->out);
}

void page_heading(const page *p, const char *machine, const char *scene, const char *text)
{
    fputs("<h3", p->out);
    attributes(p, machine, scene, NULL);
    html(p->out, ">%s</h3>\n", text);
}

void page_number(const page *p, double value)
{
    char text[32];
    html(p->out, "<td class=n>%s", html_number(text, value));
}

double page_cache_bytes(const page *p, size_t machine, const char *name)
{
    const char *at = strstr(report_fact_of(page_file(p, machine), "topology"), name);
    const char *size = at != NULL ? strstr(at, "size=") : NULL;
    const char *end = at != NULL ? strchr(at, ' ') : NULL;
    return size != NULL && (end == NULL || size < end) ? strtod(size + 5, NULL) : 0;
}
