/* SPDX-License-Identifier: MIT */
#include "bench/report/report_model.h"

#include <math.h>
#include <string.h>

const char *report_fact_of(const report_file *file, const char *key)
{
    for (size_t i = 0; i < file->n_facts; i++)
        if (strcmp(file->facts[i].key, key) == 0)
            return file->facts[i].value;
    return "unknown";
}

double report_counter_of(const report_row *row, const char *name)
{
    for (size_t i = 0; i < row->n_counters; i++)
        if (strcmp(row->counters[i].name, name) == 0)
            return row->counters[i].value;
    return NAN;
}

bool report_usable(const report_row *row, report_kind kind)
{
    return row->kind == kind && row->n > 0 && !row->differs && !row->stale;
}

double report_ns(const report_row *row)
{
    return row->min / row->unit;
}

const char *report_scene_of(const report_row *row)
{
    return row->scene;
}

const char *report_scheduler_of(const report_row *row)
{
    return row->scheduler;
}

const char *report_layout_of(const report_row *row)
{
    return row->layout;
}

const char *report_isa_of(const report_row *row)
{
    return row->isa;
}

const char *report_pinning_of(const report_row *row)
{
    return row->pinning;
}

size_t report_name_index(const report_names *names, const char *name)
{
    size_t i = 0;
    while (i < names->n && strcmp(names->items[i], name) != 0)
        i++;
    return i;
}

report_names report_names_of(const report *r, report_kind kind, report_part *part)
{
    report_names names = {.n = 0};
    for (size_t i = 0; i < r->n_rows; i++) {
        const report_row *row = &r->rows[i];
        const char *name = part(row);
        if (report_usable(row, kind) && name[0] != '\0' &&
            report_name_index(&names, name) == names.n &&
            names.n < sizeof names.items / sizeof names.items[0])
            names.items[names.n++] = name;
    }
    return names;
}
