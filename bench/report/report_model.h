/* SPDX-License-Identifier: MIT
 *
 * Result files as the report sees them: rows, each with all of its samples, and the machines that
 * they come from. Files of one machine and one build are one machine.
 */
#ifndef BENCH_REPORT_REPORT_MODEL_H
#define BENCH_REPORT_REPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/text.h"

/** By the first word of a row's name. */
typedef enum report_kind {
    REPORT_SOLVE,    /* solve/SCENE/SCHEDULER/LAYOUT/ISA/threads:N, and /pinning:NAME */
    REPORT_CONVERGE, /* converge/SCENE/SCHEDULER/iterations:N */
    REPORT_KERNEL,   /* kernel/TYPE/LAYOUT/ISA, and /VARIANT */
    REPORT_ROOF,     /* roof/WHAT/WHERE/threads:N */
    REPORT_ACCURACY, /* accuracy/SCENE/SCHEDULER/substeps:N/iterations:N, of //bench:accuracy */
    REPORT_OTHER
} report_kind;

typedef struct report_counter {
    char *name;
    double value;
} report_counter;

/** Parts that a kind of row does not have are "". */
typedef struct report_row {
    char *name, *hash;
    char *error; /* why there is no figure; "" if there is one */
    report_kind kind;
    char *parts; /* the name, cut up */
    const char *scene, *scheduler, *layout, *isa, *pinning;
    uint32_t threads, iterations, substeps;
    double *ns; /* real time of an iteration, in ascending order */
    size_t n;
    double min, median, p95; /* of them */
    double unit;             /* constraint projections in that time; 1 where nothing is counted */
    report_counter *counters;
    size_t n_counters;
    size_t file, machine;
    bool differs; /* from the first row of the same computation in its file */
    bool foreign; /* from the first one of all files: another revision, or a fault */
    bool stale;   /* a later file of the same machine has the row too */
} report_row;

typedef struct report_fact {
    char *key, *value;
} report_fact;

typedef struct report_file {
    char *path, *name; /* as given, and without folders */
    report_fact *facts;
    size_t n_facts, machine;
} report_file;

typedef struct report_machine {
    char *label; /* "AMD EPYC, 2 processors" and a letter where there are several */
    size_t file; /* the first */
} report_machine;

typedef struct report {
    report_file *files;
    size_t n_files;
    report_machine *machines;
    size_t n_machines;
    report_row *rows;
    size_t n_rows;
    bench_list refused; /* "path: what is wrong" */
} report;

/** Read files. Those that can not be read are named in `refused`, with what is wrong. */
void report_load(report *r, const char *const *paths, size_t n);
/** The same for one file that is in memory. */
void report_load_bytes(report *r, const char *path, const void *bytes, size_t size);
/** Look at all files together. Loading ends with it. */
void report_join(report *r);
void report_free(report *r);

/** Look a fact of a file up; "unknown" if it is not there. */
const char *report_fact_of(const report_file *file, const char *key);
/** Look a counter up; NaN if it is not there. */
double report_counter_of(const report_row *row, const char *name);
/** Tell whether a row may be shown and compared with others of its machine. */
bool report_usable(const report_row *row, report_kind kind);
/** Nanoseconds per constraint and iteration. */
double report_ns(const report_row *row);

/** Names in the order of their first appearance in usable rows of a kind, each once. The texts are
 *  the rows'. */
typedef struct report_names {
    const char *items[64];
    size_t n;
} report_names;

typedef const char *report_part(const report_row *row);
const char *report_scene_of(const report_row *row);
const char *report_scheduler_of(const report_row *row);
const char *report_layout_of(const report_row *row);
const char *report_isa_of(const report_row *row);
const char *report_pinning_of(const report_row *row);
/** All values of a part; more than fit are left out. */
report_names report_names_of(const report *r, report_kind kind, report_part *part);
/** Place of a name; n where it is not there. */
size_t report_name_index(const report_names *names, const char *name);

#endif
