/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* getloadavg() */
#include "bench/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/topology.h"
#include "bench/choices.h"
#include "bench/ink.h"

extern char **environ;

static void add_owned(bench_context *context, const char *key, char *value)
{
    context->facts = bench_realloc(context->facts, context->n + 1, sizeof *context->facts);
    context->facts[context->n++] = (bench_fact){key, value};
}

void bench_context_add(bench_context *context, const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_owned(context, key, bench_vprint(format, arguments));
    va_end(arguments);
}

const char *bench_context_get(const bench_context *context, const char *key)
{
    for (size_t i = 0; i < context->n; i++)
        if (strcmp(context->facts[i].key, key) == 0)
            return context->facts[i].value;
    return "unknown";
}

void bench_context_free(bench_context *context)
{
    for (size_t i = 0; i < context->n; i++)
        free(context->facts[i].value);
    free(context->facts);
    *context = (bench_context){0};
}

/* ---- build */

#ifdef XPBD_COMPILE_FLAGS
#define FLAGS XPBD_COMPILE_FLAGS
#else
#define FLAGS "not recorded"
#endif

static void add_build(bench_context *context)
{
#if defined(__clang__)
    bench_context_add(context, "compiler", "clang %d.%d.%d", __clang_major__, __clang_minor__,
                      __clang_patchlevel__);
#elif defined(__GNUC__)
    bench_context_add(context, "compiler", "gcc %d.%d.%d", __GNUC__, __GNUC_MINOR__,
                      __GNUC_PATCHLEVEL__);
#else
    bench_context_add(context, "compiler", "unknown");
#endif
#ifdef __VERSION__
    bench_context_add(context, "compiler_version", "%s", __VERSION__);
#endif
    bench_context_add(context, "compile_flags", "%s", FLAGS);
#ifdef NDEBUG
    context->debug = false;
#else
    context->debug = true;
#endif
    bench_context_add(context, "libxpbd_build_type", "%s", context->debug ? "debug" : "release");
    bench_context_add(context, "library_build_type_means",
                      "how Google Benchmark was built, which only writes this file; "
                      "see libxpbd_build_type");
    const uint32_t version = xpbd_version();
    bench_context_add(context, "libxpbd_version", "%u.%u.%u", version / 10000, version / 100 % 100,
                      version % 100);
    add_owned(context, "source_revision", bench_revision(bench_source_folder()));
}

/* ---- machine */

/* The load average of the last minute, negative where it is not known. */
static double add_load(bench_context *context, const char *key)
{
    double load[3];
    if (getloadavg(load, 3) != 3)
        return -1;
    bench_context_add(context, key, "%.2f %.2f %.2f", load[0], load[1], load[2]);
    return load[0];
}

static void add_time(bench_context *context, const char *key)
{
    const time_t now = time(NULL);
    struct tm utc;
    char text[32];
    if (gmtime_r(&now, &utc) != NULL && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc))
        bench_context_add(context, key, "%s", text);
}

static void add_machine(bench_context *context)
{
    const xpbd_topology_limits limits = xpbd_topology_system_limits();
    context->n_usable = limits.n_cpus;
    if (limits.n_quota > 0 && limits.n_quota < context->n_usable)
        context->n_usable = limits.n_quota;
    add_owned(context, "cpu_model", bench_cpu_model());
    add_owned(context, "allowed_cpus", bench_allowed_cpus());
    bench_context_add(context, "usable_processors", "%u", context->n_usable);
    if (limits.n_quota > 0)
        bench_context_add(context, "quota_processors", "%u", limits.n_quota);
    else
        bench_context_add(context, "quota_processors", "none");
    add_owned(context, "host_kind", bench_host_kind());
    bench_list isas = {0};
    bench_axis_all(&bench_axis_isa, &isas);
    bench_text text = {0};
    for (size_t i = 0; i < isas.n; i++)
        bench_text_add(&text, "%s%s", i ? "," : "", isas.items[i]);
    bench_context_add(context, "isas", "%s", text.data ? text.data : "");
    bench_text_free(&text);
    bench_list_free(&isas);
    struct utsname system;
    if (uname(&system) >= 0)
        bench_context_add(context, "system", "%s %s %s", system.sysname, system.release,
                          system.machine);
    char line[512];
    xpbd_topology_export_line(line, sizeof line);
    bench_context_add(context, "topology", "%s", line);
    add_owned(context, "topology_xml", bench_topology_xml());
    context->load = add_load(context, "load_average_begin");
}

/* ---- run */

/* A word of the command line as it may be shown: absolute paths tell people's names. */
static void add_word(bench_text *text, const char *word)
{
    const char *value = strchr(word, '=');
    value = value != NULL ? value + 1 : word;
    const char *slash = value[0] == '/' ? strrchr(value, '/') : NULL;
    bench_text_add(text, " %.*s%s", (int)(value - word), word, slash ? slash + 1 : value);
}

static void add_environment(bench_context *context)
{
    static const char *const PREFIXES[] = {"OMP_", "GOMP_", "KMP_", "XPBD_", "HWLOC_"};
    bench_text text = {0};
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
        for (size_t i = 0; i < sizeof PREFIXES / sizeof PREFIXES[0]; i++)
            if (strncmp(*variable, PREFIXES[i], strlen(PREFIXES[i])) == 0)
                add_word(&text, *variable);
    bench_context_add(context, "environment", "%s", text.data ? text.data + 1 : "");
    bench_text_free(&text);
}

void bench_context_begin(bench_context *context, const char *program, int argc, char **argv)
{
    *context = (bench_context){0};
    add_time(context, "began_utc");
    add_build(context);
    add_machine(context);
    bench_text text = {0};
    bench_text_add(&text, "%s", program);
    for (int i = 1; i < argc; i++)
        add_word(&text, argv[i]);
    bench_context_add(context, "command_line", "%s", text.data);
    bench_text_free(&text);
    add_environment(context);
}

void bench_context_end(bench_context *context)
{
    add_time(context, "ended_utc");
    (void)add_load(context, "load_average_end");
}

void bench_context_warn(const bench_context *context)
{
    if (context->debug)
        printf("%sWarning: this is a debug build, its times say nothing. Use -c opt.%s\n",
               bench_red(), bench_plain());
    if (context->load > context->n_usable)
        printf("%sWarning: load average %.1f on %u processors: the machine is busy.%s\n",
               bench_yellow(), context->load, context->n_usable, bench_plain());
}
