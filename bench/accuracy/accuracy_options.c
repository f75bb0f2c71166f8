/* SPDX-License-Identifier: MIT
 *
 * The command line, and how much there is to measure.
 */
#include "bench/accuracy/accuracy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/arguments.h"

enum { REPEATS_MAX = 10000 };

static bool take_scene(void *user, const char *option, const char *word)
{
    acc_options *options = user;
    xpbd_scene scene;
    char text[512];
    if (!xpbd_scene_make(word, &scene, text, sizeof text)) {
        fprintf(stderr, "bench: %s: %s\n", option, text);
        return false;
    }
    xpbd_scene_free(&scene);
    if (!bench_list_has(&options->scenes, word)) {
        bench_list_add(&options->scenes, word);
    }
    return true;
}

static bool set_scenes(void *to, const char *option, const char *value)
{
    return bench_argument_words(option, value, take_scene, to);
}

static bool set_schedulers(void *to, const char *option, const char *value)
{
    acc_options *options = to;
    return bench_argument_names(&bench_axis_scheduler, option, value, &options->schedulers);
}

static bool set_threads(void *to, const char *option, const char *value)
{
    acc_options *options = to;
    return bench_argument_count(option, value, XPBD_THREADS_MAX, &options->threads);
}

static bool set_repeats(void *to, const char *option, const char *value)
{
    acc_options *options = to;
    return bench_argument_count(option, value, REPEATS_MAX, &options->repeats);
}

static bool set_out(void *to, const char *option, const char *value)
{
    acc_options *options = to;
    return bench_argument_path(option, value, "file", &options->page);
}

static bool set_quick(void *to, const char *option, const char *value)
{
    acc_options *options = to;
    (void)option, (void)value;
    options->quick = true;
    return true;
}

static bool set_list(void *to, const char *option, const char *value)
{
    acc_options *options = to;
    (void)option, (void)value;
    options->list = true;
    return true;
}

static bool set_help(void *to, const char *option, const char *value)
{
    acc_options *options = to;
    (void)option, (void)value;
    options->help = true;
    return true;
}

static const bench_argument rows[] = {
    {"--quick", NULL, "small scenes and fewer settings, in half a minute", set_quick},
    {"--scenes", "a,b",
     "these scenes; --list has their names. Solutions are found by a direct\n"
     "solver in double precision: a few thousand constraints take minutes",
     set_scenes},
    {"--scene", "a", "the same", set_scenes},
    {"--schedulers", "a,b", "only these; default all", set_schedulers},
    {"--scheduler", "a", "the same", set_schedulers},
    {"--threads", "N", "of each scheduler; default 1, as the scenes are small", set_threads},
    {"--repeats", "N", "samples per row, whatever they take; default by time", set_repeats},
    {"--out", "FILE",
     "the page, default accuracy.html in the current folder; all rows\n"
     "go beside it, to FILE with .json instead of .html",
     set_out},
    {"--list", NULL, "name everything that can be chosen, and stop", set_list},
    {"--help", NULL, "print this, and stop", set_help},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

void acc_options_help(void)
{
    puts("Measure how long the schedulers of libxpbd take to come near the solution of a step.\n"
         "\n"
         "usage: bazel run //bench:accuracy -- [options]      (--option value or "
         "--option=value)\n");
    bench_arguments_print(rows, N_ROWS);
    puts("\n"
         "A table goes to standard output, a page and a file of all rows to --out.\n"
         "Ctrl-C ends early and keeps what was measured; a second one ends at once.\n"
         "Exit code: 0 fine, 1 a scene or a row failed, 2 refused, 130 interrupted.");
}

static void add_defaults(acc_options *options)
{
    static const char *const quick[] = {"weight-8", "drape-6", "softbody-3", NULL};
    static const char *const normal[] = {"weight-16", "rope-64",    "cloth-12",  "drape-12",
                                         "beam-16",   "softbody-5", "balloon-8", NULL};
    const char *const *words = options->quick ? quick : normal;
    for (; *words; words++) {
        bench_list_add(&options->scenes, *words);
    }
}

/* The file of rows: the page's name with another ending. */
static char *rows_path(const char *page)
{
    const size_t length = strlen(page);
    const bool ends = length > 5 && strcmp(page + length - 5, ".html") == 0;
    return bench_print("%.*s.json", (int)(ends ? length - 5 : length), page);
}

bool acc_options_parse(acc_options *options, int argc, char **argv)
{
    *options = (acc_options){.threads = 1};
    if (!bench_arguments_parse(rows, N_ROWS, options, argc, argv)) {
        return false;
    }
    if (options->list || options->help) {
        return true;
    }
    if (options->scenes.n == 0) {
        add_defaults(options);
    }
    if (options->schedulers.n == 0) {
        bench_axis_all(&bench_axis_scheduler, &options->schedulers);
    }
    if (!options->page && !bench_argument_path("--out", "accuracy.html", "file", &options->page)) {
        return false;
    }
    options->rows = rows_path(options->page);
    return true;
}

void acc_options_free(acc_options *options)
{
    bench_list_free(&options->scenes);
    bench_list_free(&options->schedulers);
    free(options->page);
    free(options->rows);
}

acc_plan acc_plan_of(const acc_options *options)
{
    static const float omegas[] = {1.0f, 1.5f, 1.9f};
    acc_plan plan = {.n_levels = 9,
                     .n_solved = 7,
                     .work = 65536,
                     .step_s = 1.0 / 60.0,
                     .lead = 10,
                     .rounds = 9,
                     .sample_s = 0.0003,
                     .scene_s = 20.0,
                     .n_omegas = 3,
                     .omegas = omegas};
    if (options->quick) {
        plan.n_levels = 7;
        plan.n_solved = 5;
        plan.work = 512;
        plan.rounds = 5;
        plan.scene_s = 3.0;
        plan.n_omegas = 2;
    }
    return plan;
}
