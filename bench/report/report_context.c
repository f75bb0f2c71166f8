/* SPDX-License-Identifier: MIT
 *
 * Everything that is needed to judge a number.
 */
#include "bench/report/report_page.h"

#include <math.h>
#include <string.h>

static bool is_long(const char *key)
{
    return strcmp(key, "topology_xml") == 0 || strcmp(key, "plans") == 0;
}

static void write_facts(const page *p)
{
    for (size_t f = 0; f < p->r->n_files; f++) {
        const report_file *file = &p->r->files[f];
        html(p->out, "<details data-m='%s'><summary>%s: %s</summary>", page_label(p, file->machine),
             file->name, report_fact_of(file, "command_line"));
        fputs("<div class=table><table>\n", p->out);
        for (size_t i = 0; i < file->n_facts; i++)
            if (!is_long(file->facts[i].key))
                html(p->out, "<tr><td>%s<td class=wrap><code>%s</code>\n", file->facts[i].key,
                     file->facts[i].value);
        fputs("</table></div></details>\n", p->out);
    }
}

static const char *note_of(const report_row *row)
{
    return row->error[0] != '\0' ? row->error
           : row->differs        ? "hash differs: not compared"
           : row->stale          ? "measured again later: not shown"
           : row->foreign        ? "hash is not that of the first file"
                                 : "";
}

static void write_row(const page *p, const report_row *row)
{
    char text[32];
    page_tr(p, page_label(p, row->machine), row->scene, row->scheduler);
    html(p->out, "<td>%s<td class=n>%zu<td class=n>%s", row->scheduler, row->n,
         html_time(text, row->n > 0 ? row->min : NAN));
    html(p->out, "<td>%s/%s<td>%s<td class=n>%u", row->layout, row->isa, row->pinning,
         row->threads);
    page_number(p, row->n > 0 ? report_ns(row) : NAN);
    page_number(p, row->n > 0 ? row->median / row->unit : NAN);
    page_number(p, row->n > 0 ? row->p95 / row->unit : NAN);
    html(p->out, "<td class=n>%s<td><code>%s</code><td>%s<td class='%s'>%s\n",
         html_number(text, report_counter_of(row, "residual_rms")), row->hash,
         p->r->files[row->file].name, row->differs || row->error[0] != '\0' ? "bad" : "warn",
         note_of(row));
}

static void write_rows(const page *p)
{
    const char *last = "";
    bool open = false;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        if (row->kind != REPORT_SOLVE)
            continue;
        if (!open || strcmp(last, row->scene) != 0) {
            if (open)
                fputs("</table></div></details>\n", p->out);
            html(p->out, "<details data-m='%s' data-s='%s'><summary>%s, %s</summary>",
                 page_label(p, row->machine), row->scene, row->scene, p->r->files[row->file].name);
            fputs("<div class=table><table><tr><th>scheduler<th class=n>samples<th "
                  "class=n>step<th>layout/ISA<th>pinning<th class=n>threads<th class=n>ns min<th "
                  "class=n>median<th class=n>p95<th class=n>residual<th>hash<th>file<th>\n",
                  p->out);
            open = true;
            last = row->scene;
        }
        write_row(p, row);
    }
    if (open)
        fputs("</table></div></details>\n", p->out);
}

void page_context(const page *p)
{
    fputs("<section id=context><h2>All numbers, and where they come from</h2>\n<p>Every file says "
          "with what it was made. Rows of a scene with different hashes are different computations "
          "and are not compared. Of rows that a machine has twice the later one is shown.</p>\n",
          p->out);
    write_facts(p);
    fputs("<h3>Rows</h3>\n", p->out);
    write_rows(p);
    fputs("</section>\n", p->out);
}
