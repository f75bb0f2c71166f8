/* SPDX-License-Identifier: MIT
 *
 * Machines side by side, what they look like inside, and where threads were put.
 */
#include "bench/report/report_page.h"

#include <hwloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/topology.h"

/* ---- ratios */

/* The fastest row of a machine whose state is that of the first machine: else it was another
 * computation. */
static const report_row *comparable(const page *p, size_t machine, const char *scene)
{
    const report_row *best = NULL;
    for (size_t i = 0; i < p->r->n_rows; i++) {
        const report_row *row = &p->r->rows[i];
        if (report_usable(row, REPORT_SOLVE) && !row->foreign && row->machine == machine &&
            strcmp(row->scene, scene) == 0 && (best == NULL || report_ns(row) < report_ns(best)))
            best = row;
    }
    return best;
}

static void write_ratios(const page *p)
{
    const size_t n = p->r->n_machines;
    fputs(
        "<h3>Side by side</h3>\n<p>Speed of the fastest configuration of each scene, over that of "
        "the first machine that has it. Rows whose state hash is not that of the first file are "
        "left out.</p><div class=table><table><tr><th>scene",
        p->out);
    for (size_t m = 0; m < n; m++)
        html(p->out, "<th class=n>%s", page_label(p, m));
    fputs("\n", p->out);
    for (size_t s = 0; s < p->scenes.n; s++) {
        const char *scene = p->scenes.items[s];
        const report_row *first = NULL;
        page_tr(p, NULL, scene, NULL);
        html(p->out, "<td>%s", scene);
        for (size_t m = 0; m < n; m++) {
            const report_row *row = comparable(p, m, scene);
            if (row == NULL) {
                fputs("<td class=n>–", p->out);
                continue;
            }
            first = first != NULL ? first : row;
            html(p->out, "<td class=n>×%.2f <span class=dim>%.3f ns, %s ×%u</span>",
                 report_ns(first) / report_ns(row), report_ns(row), row->scheduler, row->threads);
        }
        fputs("\n", p->out);
    }
    fputs("</table></div>\n", p->out);
}

/* ---- topology */

/* The place of each processor in the order of threads. */
typedef struct places {
    xpbd_topology_plan plan;
    uint32_t n;
} places;

static void write_pu(const page *p, hwloc_obj_t pu, const places *at)
{
    for (uint32_t i = 0; i < at->n; i++)
        if (at->plan.cpu[i] == (int32_t)pu->os_index) {
            html(p->out, "<span class='box pu'>%u</span>", i);
            return;
        }
    html(p->out, "<span class='box out'>cpu %u</span>", pu->os_index);
}

static bool is_drawn(hwloc_obj_t object)
{
    return hwloc_obj_type_is_normal(object->type) && object->type != HWLOC_OBJ_L1ICACHE;
}

static void write_name(const page *p, hwloc_obj_t object)
{
    char type[64], size[32];
    hwloc_obj_type_snprintf(type, sizeof type, object, 0);
    html(p->out, "%s", type);
    if (hwloc_obj_type_is_cache(object->type))
        html(p->out, " %s", html_bytes(size, (double)object->attr->cache.size));
    for (hwloc_obj_t memory = object->memory_first_child; memory != NULL;
         memory = memory->next_sibling)
        if (memory->type == HWLOC_OBJ_NUMANODE)
            html(p->out, ", node of %s",
                 html_bytes(size, (double)memory->attr->numanode.local_memory));
}

static void write_object(const page *p, hwloc_obj_t object, const places *at, int depth)
{
    if (object->type == HWLOC_OBJ_PU) {
        write_pu(p, object, at);
        return;
    }
    const bool drawn = is_drawn(object) && depth < 64;
    if (drawn) {
        fputs("<div class=box>", p->out);
        write_name(p, object);
        fputs("<div class=in>", p->out);
    }
    for (hwloc_obj_t child = object->first_child; child != NULL && depth < 64;
         child = child->next_sibling)
        write_object(p, child, at, depth + 1);
    if (drawn)
        fputs("</div></div>\n", p->out);
}

static void write_topology(const page *p, size_t machine)
{
    const char *xml = report_fact_of(page_file(p, machine), "topology_xml");
    const char *label = page_label(p, machine);
    hwloc_topology_t topology = NULL;
    if (xml[0] != '<' || hwloc_topology_init(&topology) != 0)
        return;
    const bool loaded = hwloc_topology_set_xmlbuffer(topology, xml, (int)strlen(xml) + 1) == 0 &&
                        hwloc_topology_load(topology) == 0;
    if (!loaded) {
        html(p->out, "<p class=dim data-m='%s'>%s: its topology can not be read.</p>\n", label,
             label);
        hwloc_topology_destroy(topology);
        return;
    }
    places at;
    const int n_pus = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    const xpbd_topology_limits limits = {.n_cpus = (uint32_t)(n_pus > 0 ? n_pus : 1)};
    xpbd_topology_plan_on(topology, &limits, n_pus, XPBD_PINNING_compact, &at.plan);
    at.n = at.plan.n_threads;
    page_heading(p, label, NULL, label);
    html(p->out, "<div class=topology data-m='%s'>", label);
    write_object(p, hwloc_get_root_obj(topology), &at, 0);
    fputs("</div>\n", p->out);
    hwloc_topology_destroy(topology);
}

void page_machines(const page *p)
{
    fputs("<section id=machines><h2>Machines</h2>\n", p->out);
    if (p->r->n_machines > 1 && p->scenes.n > 0)
        write_ratios(p);
    fputs("<h3>Inside</h3>\n<p>Boxes as hwloc sees them. A colored number is the thread that "
          "<i>compact</i> pinning puts on that processor: n threads take the numbers 0 to n − 1, "
          "fast cores before slow ones and whole cores before their siblings.</p>\n",
          p->out);
    for (size_t m = 0; m < p->r->n_machines; m++)
        write_topology(p, m);
    fputs("</section>\n", p->out);
}
