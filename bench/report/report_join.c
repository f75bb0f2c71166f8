/* SPDX-License-Identifier: MIT
 *
 * What result files say about each other: which are of one machine, which rows are the same
 * computation with another outcome, and which have been measured again since.
 */
#include "bench/report/report_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool same_fact(const report_file *a, const report_file *b, const char *key)
{
    return strcmp(report_fact_of(a, key), report_fact_of(b, key)) == 0;
}

/* The same machine, limits, compiler, flags and sources. */
static bool same_machine(const report_file *a, const report_file *b)
{
    static const char *const KEYS[] = {"cpu_model",       "topology",         "usable_processors",
                                       "host_kind",       "compiler_version", "compile_flags",
                                       "libxpbd_version", "source_revision"};
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++)
        if (!same_fact(a, b, KEYS[i]))
            return false;
    return true;
}

static void find_machines(report *r)
{
    for (size_t i = 0; i < r->n_files; i++) {
        size_t m = 0;
        while (m < r->n_machines && !same_machine(&r->files[r->machines[m].file], &r->files[i]))
            m++;
        r->files[i].machine = m;
        if (m < r->n_machines)
            continue;
        r->machines = bench_realloc(r->machines, r->n_machines + 1, sizeof *r->machines);
        r->machines[r->n_machines++] = (report_machine){.file = i};
    }
    for (size_t m = 0; m < r->n_machines; m++) {
        const report_file *file = &r->files[r->machines[m].file];
        const char *usable = report_fact_of(file, "usable_processors");
        char letter[16] = "";
        if (r->n_machines > 1)
            snprintf(letter, sizeof letter, m < 26 ? "%c: " : "%c%zu: ", (int)('A' + m % 26),
                     m / 26);
        r->machines[m].label =
            bench_print("%s%s, %s processor%s", letter, report_fact_of(file, "cpu_model"), usable,
                        strcmp(usable, "1") == 0 ? "" : "s");
    }
}

/* Whether the fixed run of two rows was the same computation, so that hashes have to be equal. */
static bool same_run(const report_row *a, const report_row *b)
{
    static const char *const KEYS[] = {"iterations_per_substep", "substeps", "fixed_steps",
                                       "constraints", "particles"};
    if (a->kind != b->kind || strcmp(a->scene, b->scene) != 0 ||
        strcmp(a->scheduler, b->scheduler) != 0)
        return false;
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        const double x = report_counter_of(a, KEYS[i]), y = report_counter_of(b, KEYS[i]);
        if (isfinite(x) != isfinite(y) || (isfinite(x) && x != y))
            return false;
    }
    return true;
}

static void compare_hashes(report *r)
{
    for (size_t i = 0; i < r->n_rows; i++) {
        report_row *row = &r->rows[i];
        row->machine = r->files[row->file].machine;
        bool first = false, first_here = false;
        for (size_t k = 0; k < i && row->kind == REPORT_SOLVE && row->hash[0] != '\0'; k++) {
            const report_row *other = &r->rows[k];
            if (other->hash[0] == '\0' || !same_run(row, other))
                continue;
            if (!first)
                row->foreign = strcmp(other->hash, row->hash) != 0;
            first = true;
            if (!first_here && other->file == row->file) {
                row->differs = strcmp(other->hash, row->hash) != 0;
                first_here = true;
            }
        }
    }
}

/* Of rows that a machine has several times the latest counts. */
static void find_stale(report *r)
{
    for (size_t i = 0; i < r->n_rows; i++)
        for (size_t k = 0; k < r->n_rows && !r->rows[i].stale; k++) {
            const report_row *a = &r->rows[i], *b = &r->rows[k];
            if (a->file == b->file || a->machine != b->machine || strcmp(a->name, b->name) != 0)
                continue;
            const int order = strcmp(report_fact_of(&r->files[a->file], "began_utc"),
                                     report_fact_of(&r->files[b->file], "began_utc"));
            r->rows[i].stale = order < 0 || (order == 0 && a->file < b->file);
        }
}

void report_join(report *r)
{
    find_machines(r);
    compare_hashes(r);
    find_stale(r);
}
