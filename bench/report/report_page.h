/* SPDX-License-Identifier: MIT
 *
 * The page: one file that needs nothing else, dark and light, wide and narrow, with all numbers in
 * tables. A section per question; each writes nothing where there are no rows for it.
 */
#ifndef BENCH_REPORT_REPORT_PAGE_H
#define BENCH_REPORT_REPORT_PAGE_H

#include <stdio.h>

#include "bench/report/report_chart.h"
#include "bench/report/report_html.h"
#include "bench/report/report_model.h"

typedef struct page {
    FILE *out;
    const report *r;
    report_names scenes, schedulers, layouts, isas; /* of rows that were solved */
} page;

/** A configuration but for its thread count: what scaling is looked at of. */
typedef struct page_config {
    size_t machine;
    const char *scene, *scheduler, *layout, *isa;
} page_config;

/* ---- sections, in their order */
void page_summary(const page *p);
void page_scaling(const page *p);
void page_sizes(const page *p);
void page_multiples(const page *p);
void page_convergence(const page *p);
void page_roofline(const page *p);
void page_machines(const page *p);
void page_prediction(const page *p);
void page_context(const page *p);

/* ---- what they share */

/** Find the fastest usable row; null names and 0 threads stand for any. */
const report_row *page_fastest(const page *p, size_t machine, const char *scene,
                               const char *scheduler, uint32_t threads);
/** Find the row of a configuration on some number of threads, without a pinning of its own. */
const report_row *page_row(const page *p, const page_config *what, uint32_t threads);
/** Choose the layout and instruction set that are fastest on one thread, or on the fewest. False
 *  where there is no row. */
bool page_config_of(const page *p, size_t machine, const char *scene, const char *scheduler,
                    page_config *what);
/** List the thread counts of a configuration in ascending order; returns how many. */
size_t page_threads(const page *p, const page_config *what, uint32_t threads[64]);
/** Cut the name of scene i after its dash, "cloth-". False where an earlier scene has the same. */
bool page_family_of(const page *p, size_t i, char family[64]);
/** Tell whether the file of a row is a study of this name. */
bool page_is_study(const page *p, const report_row *row, const char *study);
/** Find the place of a scheduler among all: its color. */
unsigned page_color(const page *p, const char *scheduler);
const char *page_label(const page *p, size_t machine);
const report_file *page_file(const page *p, size_t machine);
/** Write the beginning of a table row with what filters hide it by; null for what does not. */
void page_tr(const page *p, const char *machine, const char *scene, const char *scheduler);
/** Write a heading that the filters of machine and scene hide, null for none. */
void page_heading(const page *p, const char *machine, const char *scene, const char *text);
/** Write a number as a cell; a dash where it is not finite. */
void page_number(const page *p, double value);

/** Bytes of a cache from hwloc's line; 0 where there is none.  name  in  "L2" */
double page_cache_bytes(const page *p, size_t machine, const char *name);

#endif
