/* SPDX-License-Identifier: MIT
 *
 * The command line: what to measure, and how long.
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "bench/text.h"
#include "xpbd/xpbd.h"

typedef enum bench_mode { BENCH_QUICK, BENCH_NORMAL, BENCH_FULL } bench_mode;

typedef struct bench_options {
    bench_mode mode;
    bench_list scenes; /* names as they were asked for; checked when the scenes are made */
    bench_list meshes; /* paths that hold from the current directory */
    bool volumes;      /* meshes of tetrahedra a second time, with these */
    bench_list schedulers, layouts, isas;
    uint32_t threads[XPBD_THREADS_MAX]; /* ascending, without repeats */
    size_t n_threads;
    uint32_t iterations, substeps;
    uint32_t repeats;     /* 0: as many as the mode has */
    const char *ordering; /* of all worlds; null: as the library chooses for a scene */
    bench_list pinnings;
    const char *study; /* a name of study.h */
    char *synthetic;   /* an hwloc topology to plan for, or null */
    bool no_roof, no_report;
    char *out; /* folder of the result file */
    bool list, help;
} bench_options;

/** Read the command line and fill in the defaults.
 *  Returns  true, or false after one line on stderr that says what is wrong and what is valid */
bool bench_options_parse(bench_options *options, int argc, char **argv);
void bench_options_free(bench_options *options);
/** Print the manual (--help). */
void bench_options_help(void);
/** Print what of it has names and is of this program alone (--list). */
void bench_options_list(void);

#endif
