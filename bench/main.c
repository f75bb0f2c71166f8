/* SPDX-License-Identifier: MIT
 *
 * //bench:all, the main job: every scheduler on every scene, layout, instruction set and thread
 * count, with a table for people and a file for programs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/choices.h"
#include "bench/context.h"
#include "bench/harness.h"
#include "bench/interrupt.h"
#include "bench/options.h"
#include "bench/progress.h"
#include "bench/result_file.h"
#include "bench/results.h"
#include "bench/scenelist.h"
#include "bench/table.h"

/* Measure all scenes, or those before an interrupt; returns how many have a result. */
static size_t measure_all(const bench_options *options, const bench_cases *cases,
                          bench_scenes *scenes, bench_result *results)
{
    double guess = 0;
    for (size_t i = 0; i < scenes->n; i++)
        guess += bench_scene_guess(options, cases, scenes->items[i].n_constraints);
    bench_progress_begin("scene", guess, scenes->n);
    size_t n = 0;
    for (size_t i = 0; i < scenes->n && !bench_interrupted(); i++) {
        bench_scene *scene = &scenes->items[i];
        bench_progress_item(scene->name, bench_scene_guess(options, cases, scene->n_constraints));
        if (!bench_scene_open(scene))
            continue;
        bench_measure(options, cases, scene, &results[n]);
        bench_scene_close(scene);
        (void)bench_compare_hashes(&results[n]);
        bench_progress_end_item();
        bench_table_scene(&results[n]);
        n++;
    }
    return n;
}

static void add_options(bench_context *context, const bench_options *options)
{
    static const char *const MODES[] = {"quick", "default", "full"};
    bench_context_add(context, "mode", "%s", MODES[options->mode]);
    bench_context_add(context, "iterations", "%u", options->iterations);
    bench_context_add(context, "substeps", "%u", options->substeps);
    bench_context_add(context, "time_step_s", "%.9g", BENCH_TIME_STEP);
    bench_context_add(context, "pinning", "%s", options->pinning ? options->pinning : "auto");
}

/* Scenes and schedulers with the order that particles and constraints were put in. */
static void add_orderings(bench_context *context, const bench_result *results, size_t n)
{
    bench_text text = {0};
    for (size_t i = 0; i < n; i++) {
        const char *last = "";
        for (size_t k = 0; k < results[i].n_rows; k++) {
            const bench_row *row = &results[i].rows[k];
            if (row->ordering[0] == '\0' || strcmp(row->what.scheduler, last) == 0)
                continue;
            last = row->what.scheduler;
            bench_text_add(&text, "%s%s/%s:%s", text.length ? " " : "", results[i].name, last,
                           row->ordering);
        }
    }
    bench_context_add(context, "orderings", "%s", text.data ? text.data : "");
    bench_text_free(&text);
}

/* Facts that are known only after the run. */
static void add_outcome(bench_context *context, const bench_result *results, size_t n,
                        size_t n_scenes)
{
    bool complete = n == n_scenes, same = true;
    const char *binding = NULL;
    for (size_t i = 0; i < n; i++) {
        complete = complete && results[i].complete;
        for (size_t k = 0; k < results[i].n_rows; k++) {
            const bench_row *row = &results[i].rows[k];
            same = same && !row->differs;
            if (row->binding[0] != '\0' && (binding == NULL || row->what.threads > 1))
                binding = row->binding;
        }
    }
    bench_context_add(context, "pinning_effect", "%s", binding ? binding : "unknown");
    add_orderings(context, results, n);
    bench_context_add(context, "hashes", "%s", same ? "equal" : "differ");
    bench_context_add(context, "complete", "%s", complete ? "true" : "false");
    bench_context_end(context);
}

static int exit_code(const bench_result *results, size_t n, size_t n_scenes, bool written)
{
    if (bench_interrupted())
        return BENCH_EXIT_INTERRUPTED;
    if (!written || n < n_scenes)
        return BENCH_EXIT_WRONG;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < results[i].n_rows; k++)
            if (results[i].rows[k].differs || results[i].rows[k].error[0] != '\0')
                return BENCH_EXIT_WRONG;
    return BENCH_EXIT_OK;
}

static int run(const bench_options *options, int argc, char **argv)
{
    bench_scenes scenes = {0};
    bench_cases cases = {0};
    bench_context context = {0};
    char *path = NULL;
    int code = BENCH_EXIT_USAGE;
    if (bench_scenes_survey(options, &scenes) && bench_cases_make(options, &cases)) {
        bench_context_begin(&context, "//bench:all", argc, argv);
        add_options(&context, options);
        path = bench_result_file_path(options->out, &context);
    }
    if (path != NULL) {
        bench_interrupt_install();
        bench_table_begin(options, &context);
        bench_result *results = bench_alloc(scenes.n, sizeof *results);
        const size_t n = measure_all(options, &cases, &scenes, results);
        add_outcome(&context, results, n, scenes.n);
        const bool written = bench_results_write(path, options, &context, results, n);
        bench_table_end(&context, results, n, scenes.n, written ? path : NULL);
        code = exit_code(results, n, scenes.n, written);
        for (size_t i = 0; i < n; i++)
            bench_result_free(&results[i]);
        free(results);
    }
    free(path);
    bench_context_free(&context);
    bench_cases_free(&cases);
    bench_scenes_free(&scenes);
    return code;
}

int main(int argc, char **argv)
{
    bench_options options;
    int code = BENCH_EXIT_OK;
    if (!bench_options_parse(&options, argc, argv))
        code = BENCH_EXIT_USAGE;
    else if (options.help)
        bench_options_help();
    else if (options.list)
        bench_choices_print();
    else
        code = run(&options, argc, argv);
    bench_options_free(&options);
    return code;
}
