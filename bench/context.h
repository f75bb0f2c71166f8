/* SPDX-License-Identifier: MIT
 *
 * The facts without which a figure can not be judged: machine, limits, build, source. None of them
 * names the host, its serial numbers or anybody's home.
 */
#ifndef BENCH_CONTEXT_H
#define BENCH_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bench_fact {
    const char *key; /* static text */
    char *value;
} bench_fact;

typedef struct bench_context {
    bench_fact *facts;
    size_t n;
    uint32_t n_usable; /* processors that this process may use */
    double load;       /* load average before the run, negative where it is not known */
    bool debug;        /* the library's own asserts are in */
} bench_context;

/** Collect what is known before the run of a program, "//bench:all". */
void bench_context_begin(bench_context *context, const char *program, int argc, char **argv);
/** Add what is known only after it: the load average and the time. */
void bench_context_end(bench_context *context);
void bench_context_add(bench_context *context, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** Look a fact up; "unknown" if it is not there. */
const char *bench_context_get(const bench_context *context, const char *key);
/** Print what makes figures doubtful before any is measured: a debug build, a busy machine. */
void bench_context_warn(const bench_context *context);
void bench_context_free(bench_context *context);

/** Folder of the source tree when run by bazel, else the current one. */
const char *bench_source_folder(void);
/** Tell which commit the sources are, with "-modified" where files differ from it and "-unchecked"
 *  where there is no git to tell; "unknown" without a repository. The caller frees it. */
char *bench_revision(const char *folder);
/** Describe the kind of host: bare metal, virtual machine, container. The caller frees it. */
char *bench_host_kind(void);
/** Read the processor's name. The caller frees it. */
char *bench_cpu_model(void);
/** List the processors that the affinity mask allows, "0-3,8". The caller frees it. */
char *bench_allowed_cpus(void);
/** Export the topology as hwloc XML without names and serial numbers. The caller frees it. */
char *bench_topology_xml(void);

#endif
