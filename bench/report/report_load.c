/* SPDX-License-Identifier: MIT
 *
 * Reading result files. They come from other machines, versions and programs, or were cut off:
 * whatever is in them, the answer is rows or one line that says what is wrong.
 */
#include "bench/report/report_model.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Cut off what stands before the next slash; "" when nothing is left. */
static const char *cut(char **rest)
{
    char *part = *rest;
    char *slash = strchr(part, '/');
    if (slash != NULL)
        *slash = '\0';
    *rest = slash != NULL ? slash + 1 : part + strlen(part);
    return part;
}

/* The number after "key:" of a part, or 0. */
static uint32_t number_of(const char *part, const char *key)
{
    const size_t length = strlen(key);
    if (strncmp(part, key, length) != 0 || part[length] != ':')
        return 0;
    const unsigned long value = strtoul(part + length + 1, NULL, 10);
    return value <= UINT32_MAX ? (uint32_t)value : 0;
}

static void split_name(report_row *row)
{
    static const char *const KINDS[] = {"solve", "converge", "kernel", "roof", "accuracy"};
    row->parts = bench_strdup(row->name);
    row->scene = row->scheduler = row->layout = row->isa = row->pinning = "";
    row->kind = REPORT_OTHER;
    char *rest = row->parts;
    const char *kind = cut(&rest);
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
        if (strcmp(kind, KINDS[i]) == 0)
            row->kind = (report_kind)i;
    row->scene = cut(&rest);
    if (row->kind != REPORT_KERNEL)
        row->scheduler = cut(&rest);
    if (row->kind == REPORT_SOLVE || row->kind == REPORT_KERNEL) {
        row->layout = cut(&rest);
        row->isa = cut(&rest);
    }
    while (*rest != '\0') {
        const char *part = cut(&rest);
        const uint32_t threads = number_of(part, "threads");
        const uint32_t iterations = number_of(part, "iterations");
        row->threads = threads > 0 ? threads : row->threads;
        row->iterations = iterations > 0 ? iterations : row->iterations;
        const uint32_t substeps = number_of(part, "substeps");
        row->substeps = substeps > 0 ? substeps : row->substeps;
        if (strncmp(part, "pinning:", 8) == 0)
            row->pinning = part + 8;
    }
    const bool whole = row->kind == REPORT_SOLVE      ? row->isa[0] != '\0' && row->threads > 0
                       : row->kind == REPORT_CONVERGE ? row->iterations > 0
                       : row->kind == REPORT_ACCURACY ? row->iterations > 0 && row->substeps > 0
                       : row->kind == REPORT_KERNEL   ? row->isa[0] != '\0'
                                                      : true;
    row->kind = whole ? row->kind : REPORT_OTHER;
}

static void add_counters(report_row *row, json_t *entry)
{
    static const char *const NOT[] = {"family_index", "per_family_instance_index",
                                      "repetitions",  "repetition_index",
                                      "threads",      "iterations",
                                      "real_time",    "cpu_time"};
    const char *key;
    json_t *value;
    json_object_foreach(entry, key, value)
    {
        bool counter = json_is_number(value);
        for (size_t i = 0; i < sizeof NOT / sizeof NOT[0]; i++)
            counter = counter && strcmp(key, NOT[i]) != 0;
        if (!counter)
            continue;
        row->counters = bench_realloc(row->counters, row->n_counters + 1, sizeof *row->counters);
        row->counters[row->n_counters++] =
            (report_counter){bench_strdup(key), json_number_value(value)};
    }
}

/* ---- rows */

static double unit_in_ns(const char *unit)
{
    return strcmp(unit, "us") == 0   ? 1e3
           : strcmp(unit, "ms") == 0 ? 1e6
           : strcmp(unit, "s") == 0  ? 1e9
                                     : 1.0;
}

/* The row that the entry is a repetition of; a new one if it is the first. Mostly it is the last.
 */
static report_row *row_of(report *r, size_t first, const char *name, json_t *entry)
{
    for (size_t i = r->n_rows; i > first; i--)
        if (strcmp(r->rows[i - 1].name, name) == 0)
            return &r->rows[i - 1];
    r->rows = bench_realloc(r->rows, r->n_rows + 1, sizeof *r->rows);
    report_row *row = &r->rows[r->n_rows++];
    *row = (report_row){.name = bench_strdup(name), .hash = bench_strdup(text_of(entry, "label"))};
    row->error = bench_strdup(text_of(entry, "error_message"));
    row->file = r->n_files;
    split_name(row);
    add_counters(row, entry);
    return row;
}

static bool add_entry(report *r, size_t first, json_t *entry)
{
    const char *name = text_of(entry, "name");
    const char *type = text_of(entry, "run_type");
    if (name[0] == '\0')
        return false;
    if (type[0] != '\0' && strcmp(type, "iteration") != 0)
        return true; /* means and the like: they are made here */
    report_row *row = row_of(r, first, name, entry);
    if (row->error[0] != '\0' || json_is_true(json_object_get(entry, "error_occurred")))
        return true;
    const double ns = json_number_value(json_object_get(entry, "real_time")) *
                      unit_in_ns(text_of(entry, "time_unit"));
    if (!(ns > 0) || !isfinite(ns))
        return false;
    row->ns = bench_realloc(row->ns, row->n + 1, sizeof *row->ns);
    row->ns[row->n++] = ns;
    return true;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void judge(report_row *row)
{
    if (row->n == 0)
        return;
    qsort(row->ns, row->n, sizeof *row->ns, by_size);
    row->min = row->ns[0];
    const double below = row->ns[(row->n - 1) / 2], above = row->ns[row->n / 2];
    row->median = below + 0.5 * (above - below); /* a sum might exceed double */
    row->p95 = row->ns[(size_t)ceil(0.95 * (double)row->n) - 1];
    const double constraints = report_counter_of(row, "constraints");
    const double per =
        row->kind == REPORT_SOLVE
            ? report_counter_of(row, "iterations_per_substep") * report_counter_of(row, "substeps")
            : 1;
    const double elements = report_counter_of(row, "elements");
    const double unit = isfinite(elements) ? elements : constraints * per;
    row->unit =
        unit > 0 && isfinite(unit) && row->kind != REPORT_ROOF && row->kind != REPORT_ACCURACY
            ? unit
            : 1;
}

/* ---- files */

static void take_facts(report_file *file, json_t *context)
{
    const char *key;
    json_t *value;
    json_object_foreach(context, key, value)
    {
        char *text = json_is_string(value)    ? bench_strdup(json_string_value(value))
                     : json_is_integer(value) ? bench_print("%lld", json_integer_value(value))
                                              : NULL;
        if (text == NULL)
            continue;
        file->facts = bench_realloc(file->facts, file->n_facts + 1, sizeof *file->facts);
        file->facts[file->n_facts++] = (report_fact){bench_strdup(key), text};
    }
}

static void free_row(report_row *row)
{
    for (size_t i = 0; i < row->n_counters; i++)
        free(row->counters[i].name);
    free(row->counters);
    free(row->name);
    free(row->hash);
    free(row->error);
    free(row->parts);
    free(row->ns);
}

static void free_file(report_file *file)
{
    for (size_t i = 0; i < file->n_facts; i++) {
        free(file->facts[i].key);
        free(file->facts[i].value);
    }
    free(file->facts);
    free(file->path);
    free(file->name);
}

/* Take what is in a file; null, or what is wrong with it in a new text. */
static char *take_file(report *r, report_file *file, json_t *root)
{
    json_t *context = json_object_get(root, "context");
    json_t *entries = json_object_get(root, "benchmarks");
    if (!json_is_object(context) || !json_is_array(entries))
        return bench_strdup(
            "is JSON, but has no \"context\" and \"benchmarks\": not a result file");
    take_facts(file, context);
    if (strcmp(report_fact_of(file, "libxpbd_version"), "unknown") == 0)
        return bench_strdup("is of another program: its context has no \"libxpbd_version\"");
    if (json_array_size(entries) == 0)
        return bench_strdup("has no rows: nothing was measured");
    const size_t first = r->n_rows;
    size_t index, n_usable = 0;
    json_t *entry;
    json_array_foreach(entries, index, entry)
    {
        if (!json_is_object(entry) || !add_entry(r, first, entry))
            return bench_print("row %zu of \"benchmarks\" has no name or no time", index);
    }
    for (size_t i = first; i < r->n_rows; i++) {
        judge(&r->rows[i]);
        n_usable += r->rows[i].kind != REPORT_OTHER;
    }
    return n_usable > 0 ? NULL
                        : bench_strdup("has no row that this version knows: solve/, kernel/, ...");
}

/* `root` is null where it could not be read, with the error. */
static void take(report *r, const char *path, json_t *root, const json_error_t *error)
{
    report_file file = {.path = bench_strdup(path), .name = bench_strdup(last_part(path))};
    const size_t first = r->n_rows;
    char *wrong = NULL;
    if (root == NULL && error->line < 0)
        wrong = bench_print("%s", error->text); /* "unable to open PATH: why" */
    else if (root == NULL)
        wrong = bench_print("is not JSON: line %d, column %d: %s", error->line, error->column,
                            error->text);
    else
        wrong = take_file(r, &file, root);
    json_decref(root);
    if (wrong == NULL) {
        r->files = bench_realloc(r->files, r->n_files + 1, sizeof *r->files);
        r->files[r->n_files++] = file;
        return;
    }
    char *line = bench_print("%s: %s", path, wrong);
    bench_list_add(&r->refused, line);
    free(line);
    free(wrong);
    free_file(&file);
    while (r->n_rows > first)
        free_row(&r->rows[--r->n_rows]);
}

void report_load(report *r, const char *const *paths, size_t n)
{
    *r = (report){0};
    for (size_t i = 0; i < n; i++) {
        json_error_t error;
        json_t *root = json_load_file(paths[i], 0, &error);
        take(r, paths[i], root, &error);
    }
    report_join(r);
}

void report_load_bytes(report *r, const char *path, const void *bytes, size_t size)
{
    json_error_t error;
    *r = (report){0};
    json_t *root = json_loadb(bytes, size, 0, &error);
    take(r, path, root, &error);
    report_join(r);
}

void report_free(report *r)
{
    for (size_t i = 0; i < r->n_rows; i++)
        free_row(&r->rows[i]);
    for (size_t i = 0; i < r->n_files; i++)
        free_file(&r->files[i]);
    for (size_t i = 0; i < r->n_machines; i++)
        free(r->machines[i].label);
    free(r->rows);
    free(r->files);
    free(r->machines);
    bench_list_free(&r->refused);
    *r = (report){0};
}
