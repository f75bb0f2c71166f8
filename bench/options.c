/* SPDX-License-Identifier: MIT */
#include "bench/options.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/arguments.h"
#include "bench/study.h"

enum { COUNT_MAX = 1000000, REPEATS_MAX = 10000 };

static bool take_scene(void *user, const char *option, const char *word)
{
    bench_options *options = user;
    (void)option; /* names are checked when the scenes are made */
    if (!bench_list_has(&options->scenes, word))
        bench_list_add(&options->scenes, word);
    return true;
}

/* Insert in ascending order: the first of a group of rows is then the one that the others are
 * compared with. */
static void add_threads(bench_options *options, uint32_t threads)
{
    size_t at = 0;
    while (at < options->n_threads && options->threads[at] < threads)
        at++;
    if (at < options->n_threads && options->threads[at] == threads)
        return;
    for (size_t i = options->n_threads; i > at; i--)
        options->threads[i] = options->threads[i - 1];
    options->threads[at] = threads;
    options->n_threads++; /* at most XPBD_THREADS_MAX different ones exist */
}

static bool take_threads(void *user, const char *option, const char *word)
{
    bench_options *options = user;
    uint32_t threads;
    if (!bench_argument_count(option, word, XPBD_THREADS_MAX, &threads))
        return false;
    add_threads(options, threads);
    return true;
}

/* ---- the options, one row each */

static bool set_quick(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    (void)option, (void)value;
    options->mode = BENCH_QUICK;
    return true;
}

static bool set_full(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    (void)option, (void)value;
    options->mode = BENCH_FULL;
    return true;
}

static bool set_scenes(void *to, const char *option, const char *value)
{
    return bench_argument_words(option, value, take_scene, to);
}

static bool set_mesh(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    char *path = NULL;
    if (!bench_argument_path(option, value, "file", &path))
        return false;
    if (!bench_list_has(&options->meshes, path))
        bench_list_add(&options->meshes, path);
    free(path);
    return true;
}

static bool set_volumes(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    (void)option, (void)value;
    options->volumes = true;
    return true;
}

static bool set_schedulers(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    return bench_argument_names(&bench_axis_scheduler, option, value, &options->schedulers);
}

static bool set_layouts(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    return bench_argument_names(&bench_axis_layout, option, value, &options->layouts);
}

static bool set_isas(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    return bench_argument_names(&bench_axis_isa, option, value, &options->isas);
}

static bool set_threads(void *to, const char *option, const char *value)
{
    return bench_argument_words(option, value, take_threads, to);
}

static bool set_iterations(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    return bench_argument_count(option, value, COUNT_MAX, &options->iterations);
}

static bool set_substeps(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    return bench_argument_count(option, value, COUNT_MAX, &options->substeps);
}

static bool set_repeats(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    return bench_argument_count(option, value, REPEATS_MAX, &options->repeats);
}

static bool set_ordering(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    (void)option;
    options->ordering = bench_axis_find(&bench_axis_ordering, value);
    return bench_axis_check(&bench_axis_ordering, value);
}

static bool set_pinning(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    return bench_argument_names(&bench_axis_pinning, option, value, &options->pinnings);
}

static const bench_axis STUDIES = {"study", "studies", bench_study_name, NULL};

static bool set_study(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    (void)option;
    options->study = bench_axis_find(&STUDIES, value);
    return bench_axis_check(&STUDIES, value);
}

static bool set_synthetic(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    (void)option; /* hwloc checks it */
    free(options->synthetic);
    options->synthetic = bench_strdup(value);
    return true;
}

static bool set_no_roof(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    (void)option, (void)value;
    options->no_roof = true;
    return true;
}

static bool set_no_report(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    (void)option, (void)value;
    options->no_report = true;
    return true;
}

static bool set_out(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    return bench_argument_path(option, value, "folder", &options->out);
}

static bool set_list(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    (void)option, (void)value;
    options->list = true;
    return true;
}

static bool set_help(void *to, const char *option, const char *value)
{
    bench_options *options = to;
    (void)option, (void)value;
    options->help = true;
    return true;
}

static const bench_argument ROWS[] = {
    {"--quick", NULL, "small scenes in under a minute", set_quick},
    {"--full", NULL, "large scenes too: millions of constraints, long", set_full},
    {"--scenes", "a,b", "run these scenes; --list has their names", set_scenes},
    {"--mesh", "FILE",
     "run a mesh: .obj, .node/.ele, .msh; may be repeated.\n"
     "Without --scenes only the meshes run",
     set_mesh},
    {"--volumes", NULL,
     "run meshes of tetrahedra once more, as NAME-volumes: edges that\n"
     "keep their length, and tetrahedra that keep their volume",
     set_volumes},
    {"--schedulers", "a,b", "only these; default all", set_schedulers},
    {"--layouts", "a,b", "only these; default all", set_layouts},
    {"--isas", "a,b", "only these; default all that this processor has", set_isas},
    {"--threads", "1,2", "default: 1, 2, 4, ... and all that may be used", set_threads},
    {"--iterations", "N", "per substep; default 10", set_iterations},
    {"--substeps", "N", "per step; default 1", set_substeps},
    {"--repeats", "N", "samples per row; default by mode, 5 at least", set_repeats},
    {"--ordering", "NAME",
     "of particles and constraints; default what the library\nchooses for a scene", set_ordering},
    {"--pinning", "NAME", "where threads are bound; default compact", set_pinning},
    {"--study", "NAME",
     "strong, weak, size, schedulers or pinning: sets what was not\n"
     "said; --list has what each is",
     set_study},
    {"--synthetic", "LINE",
     "print what would be measured on another machine, and where\n"
     "threads would go: \"pack:2 numa:2 core:8 pu:2\"",
     set_synthetic},
    {"--no-roof", NULL, "do not measure the machine's limits", set_no_roof},
    {"--no-report", NULL, "write no report.html beside the result file", set_no_report},
    {"--out", "DIR", "folder of the result file; default results/ in the source tree", set_out},
    {"--list", NULL, "name everything that can be chosen, and stop", set_list},
    {"--help", NULL, "print this, and stop", set_help},
};
enum { N_ROWS = sizeof ROWS / sizeof ROWS[0] };

void bench_options_help(void)
{
    puts("Measure how fast the schedulers of libxpbd solve constraints on this machine.\n"
         "\n"
         "usage: bazel run //bench:all -- [options]      (--option value or --option=value)\n");
    bench_arguments_print(ROWS, N_ROWS);
    puts("\n"
         "A table goes to standard output, the results to a file of Google Benchmark's format.\n"
         "Ctrl-C ends early and keeps what was measured; a second one ends at once.\n"
         "Exit code: 0 fine, 1 state hashes differ or a row failed, 2 refused, 130 interrupted.");
}

static void add_words(bench_list *list, const char *const *words)
{
    for (; *words != NULL; words++)
        bench_list_add(list, *words);
}

static void default_scenes(bench_options *options)
{
    static const char *const QUICK[] = {"cloth-64",   "tetblock-16", "rope-1000", "drape-32",
                                        "softbody-8", "balloon-32",  NULL};
    static const char *const NORMAL[] = {
        "cloth-64",  "cloth-64-scrambled", "cloth-256",   "tetblock-16", "tetblock-16-scrambled",
        "rope-1000", "drape-64",           "softbody-16", "balloon-64",  NULL};
    static const char *const FULL[] = {
        "cloth-256-scrambled", "cloth-1024",  "tetblock-64", "drape-256",
        "softbody-32",         "balloon-256", NULL};
    add_words(&options->scenes, options->mode == BENCH_QUICK ? QUICK : NORMAL);
    if (options->mode == BENCH_FULL)
        add_words(&options->scenes, FULL);
}

static void default_threads(bench_options *options)
{
    xpbd_world *world = NULL;
    xpbd_world_summary summary = {.threads_usable = 1};
    if (xpbd_world_create(NULL, &world, NULL) == XPBD_OK)
        (void)xpbd_world_summarize(world, &summary);
    xpbd_world_destroy(world);
    uint32_t usable = summary.threads_usable;
    usable = usable < 1 ? 1 : usable > XPBD_THREADS_MAX ? XPBD_THREADS_MAX : usable;
    for (uint32_t n = 1; n < usable; n *= 2)
        add_threads(options, n);
    add_threads(options, usable);
}

void bench_options_list(void)
{
    bench_axis_print(&STUDIES, bench_study_text);
}

bool bench_options_parse(bench_options *options, int argc, char **argv)
{
    *options = (bench_options){.mode = BENCH_NORMAL, .iterations = 10, .substeps = 1};
    options->study = bench_axis_find(&STUDIES, "none");
    if (!bench_arguments_parse(ROWS, N_ROWS, options, argc, argv))
        return false;
    if (options->list || options->help)
        return true;
    if (!bench_study_fill(options))
        return false;
    if (options->pinnings.n == 0)
        bench_list_add(&options->pinnings, "compact");
    if (options->scenes.n == 0 && options->meshes.n == 0)
        default_scenes(options);
    if (options->schedulers.n == 0)
        bench_axis_all(&bench_axis_scheduler, &options->schedulers);
    if (options->layouts.n == 0)
        bench_axis_all(&bench_axis_layout, &options->layouts);
    if (options->isas.n == 0)
        bench_axis_all(&bench_axis_isa, &options->isas);
    if (options->n_threads == 0)
        default_threads(options);
    return true;
}

void bench_options_free(bench_options *options)
{
    bench_list_free(&options->scenes);
    bench_list_free(&options->meshes);
    bench_list_free(&options->schedulers);
    bench_list_free(&options->layouts);
    bench_list_free(&options->isas);
    bench_list_free(&options->pinnings);
    free(options->synthetic);
    free(options->out);
}
