/* SPDX-License-Identifier: MIT */
#include "bench/report/report.h"

#include <errno.h>
#include <string.h>

#include "bench/report/report_page.h"

static void write_filter(const page *p, const char *axis, const char *what,
                         const char *const *values, size_t n)
{
    if (n < 2)
        return;
    html(p->out, "<div><b>%s</b>", what);
    for (size_t i = 0; i < n; i++)
        html(p->out, "<button type=button data-axis=%s value='%s' aria-pressed=true>%s</button>\n",
             axis, values[i], values[i]);
    fputs("</div>\n", p->out);
}

static void write_filters(const page *p)
{
    const char *labels[64];
    size_t n = 0;
    for (; n < p->r->n_machines && n < 64; n++)
        labels[n] = page_label(p, n);
    fputs("<nav id=filters hidden title='click: show or hide; shift-click: only this one'>\n",
          p->out);
    write_filter(p, "m", "machine", labels, n);
    write_filter(p, "s", "scene", p->scenes.items, p->scenes.n);
    write_filter(p, "k", "scheduler", p->schedulers.items, p->schedulers.n);
    fputs("</nav>\n", p->out);
}

static void write_contents(const page *p)
{
    static const char *const LINKS[][2] = {
        {"summary", "who wins"},    {"scaling", "threads"},   {"multiples", "layouts, ISAs"},
        {"roofline", "the limit"},  {"machines", "machines"}, {"prediction", "prediction"},
        {"context", "all numbers"},
    };
    fputs("<p>", p->out);
    for (size_t i = 0; i < sizeof LINKS / sizeof LINKS[0]; i++)
        html(p->out, "%s<a href='#%s'>%s</a>", i > 0 ? " · " : "", LINKS[i][0], LINKS[i][1]);
    fputs("</p>\n", p->out);
}

void report_write(const report *r, FILE *out)
{
    page p = {.out = out, .r = r};
    p.scenes = report_names_of(r, REPORT_SOLVE, report_scene_of);
    p.schedulers = report_names_of(r, REPORT_SOLVE, report_scheduler_of);
    p.layouts = report_names_of(r, REPORT_SOLVE, report_layout_of);
    p.isas = report_names_of(r, REPORT_SOLVE, report_isa_of);
    html_begin(out, "libxpbd: schedulers and machines");
    html(out, "<p>%zu result file%s of %zu machine%s.</p>\n", r->n_files,
         r->n_files == 1 ? "" : "s", r->n_machines, r->n_machines == 1 ? "" : "s");
    write_contents(&p);
    write_filters(&p);
    page_summary(&p);
    page_scaling(&p);
    page_sizes(&p);
    page_multiples(&p);
    page_convergence(&p);
    page_roofline(&p);
    page_machines(&p);
    page_prediction(&p);
    page_context(&p);
    html_end(out);
}

bool report_make(const char *const *paths, size_t n, const char *out, size_t *n_used)
{
    report r;
    report_load(&r, paths, n);
    for (size_t i = 0; i < r.refused.n; i++)
        fprintf(stderr, "bench: %s\n", r.refused.items[i]);
    bool ok = r.n_files > 0;
    if (n_used != NULL)
        *n_used = r.n_files;
    if (!ok) {
        fprintf(stderr, "bench: no file can be reported\n");
    } else {
        FILE *file = fopen(out, "w");
        ok = file != NULL;
        if (ok) {
            report_write(&r, file);
            ok = !ferror(file);
            ok = fclose(file) == 0 && ok;
        }
        if (!ok)
            fprintf(stderr, "bench: the report could not be written to %s: %s\n", out,
                    strerror(errno));
    }
    report_free(&r);
    return ok;
}
