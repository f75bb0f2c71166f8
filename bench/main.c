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
#include "bench/converge.h"
#include "bench/harness.h"
#include "bench/interrupt.h"
#include "bench/options.h"
#include "bench/progress.h"
#include "bench/report/report.h"
#include "bench/result_file.h"
#include "bench/results.h"
#include "bench/roof/roof.h"
#include "bench/scenelist.h"
#include "bench/study.h"
#include "bench/table.h"

/* What a run gathers. */
typedef struct run {
    const bench_options *options;
    bench_cases cases;
    bench_scenes scenes;
    bench_context context;
    bench_result *results;
    size_t n; /* scenes that have a result */
    roof_limits limits;
    bench_extras extras;
} run;

/* The configurations of a scene: in a weak study those of its own thread count. */
static bool cases_of(const run *r, size_t scene, bench_cases *cases)
{
    const uint32_t threads = bench_study_threads(r->options, scene);
    bench_options own = *r->options;
    if (threads > 0) {
        own.threads[0] = threads;
        own.n_threads = 1;
    }
    return bench_cases_make(&own, cases);
}

static void measure_scene(run *r, bench_scene *scene, const bench_cases *cases)
{
    bench_result *result = &r->results[r->n];
    bench_progress_item(scene->name, bench_scene_guess(r->options, cases, scene->n_constraints));
    if (!bench_scene_open(scene))
        return;
    bench_measure(r->options, cases, scene, result);
    roof_need need;
    if (!r->options->no_roof && !bench_interrupted() && roof_count(scene, &need))
        roof_bound(&r->limits, &need, result);
    if (strcmp(r->options->study, "schedulers") == 0)
        bench_converge(r->options, scene, &r->extras);
    bench_scene_close(scene);
    (void)bench_compare_hashes(result);
    bench_progress_end_item();
    bench_table_scene(result);
    r->n++;
}

/* Measure all scenes, or those before an interrupt. */
static void measure_all(run *r)
{
    double guess = 0;
    for (size_t i = 0; i < r->scenes.n; i++)
        guess += bench_scene_guess(r->options, &r->cases, r->scenes.items[i].n_constraints);
    if (!r->options->no_roof) {
        roof_measure(r->options->threads, r->options->n_threads, r->options->pinnings.items[0],
                     r->options->mode == BENCH_QUICK, &r->limits, &r->extras);
        roof_print(&r->limits);
    }
    bench_progress_begin("scene", guess, r->scenes.n);
    for (size_t i = 0; i < r->scenes.n && !bench_interrupted(); i++) {
        bench_cases cases = {0};
        if (cases_of(r, i, &cases))
            measure_scene(r, &r->scenes.items[i], &cases);
        bench_cases_free(&cases);
    }
}

static void add_options(bench_context *context, const bench_options *options)
{
    static const char *const MODES[] = {"quick", "default", "full"};
    bench_context_add(context, "mode", "%s", MODES[options->mode]);
    bench_context_add(context, "iterations", "%u", options->iterations);
    bench_context_add(context, "substeps", "%u", options->substeps);
    bench_context_add(context, "time_step_s", "%.9g", BENCH_TIME_STEP);
    bench_context_add(context, "study", "%s", options->study);
    bench_text text = {0};
    for (size_t i = 0; i < options->pinnings.n; i++)
        bench_text_add(&text, "%s%s", i > 0 ? "," : "", options->pinnings.items[i]);
    bench_context_add(context, "pinning", "%s", text.data);
    bench_text_free(&text);
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

/* Scenes and schedulers with their plans, for the report's model. */
static void add_plans(bench_context *context, const bench_result *results, size_t n)
{
    bench_text text = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < results[i].n_rows; k++) {
            const bench_row *row = &results[i].rows[k];
            bool seen = row->plan == NULL;
            for (size_t j = 0; j < k && !seen; j++)
                seen = results[i].rows[j].plan != NULL &&
                       strcmp(results[i].rows[j].what.scheduler, row->what.scheduler) == 0;
            if (!seen)
                bench_text_add(&text, "%s%s/%s=%s", text.length > 0 ? " " : "", results[i].name,
                               row->what.scheduler, row->plan);
        }
    bench_context_add(context, "plans", "%s", text.data != NULL ? text.data : "");
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
    add_plans(context, results, n);
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

/* The page of this run, beside its file. */
static void write_report(const run *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *page = bench_print("%.*s/report.html", slash != NULL ? (int)(slash - path) : 1,
                             slash != NULL ? path : ".");
    if (!r->options->no_report && report_make(&path, 1, page, NULL))
        printf("Report: %s\n", page);
    free(page);
}

static int measure(run *r, const char *path)
{
    bench_interrupt_install();
    bench_table_begin(r->options, &r->context);
    r->results = bench_alloc(r->scenes.n, sizeof *r->results);
    measure_all(r);
    add_outcome(&r->context, r->results, r->n, r->scenes.n);
    const bool written =
        bench_results_write(path, r->options, &r->context, r->results, r->n, &r->extras);
    bench_table_end(&r->context, r->results, r->n, r->scenes.n, written ? path : NULL);
    if (written)
        write_report(r, path);
    const int code = exit_code(r->results, r->n, r->scenes.n, written);
    for (size_t i = 0; i < r->n; i++)
        bench_result_free(&r->results[i]);
    free(r->results);
    return code;
}

static int run_all(const bench_options *options, int argc, char **argv)
{
    run r = {.options = options};
    char *path = NULL;
    int code = BENCH_EXIT_USAGE;
    if (bench_scenes_survey(options, &r.scenes) && bench_cases_make(options, &r.cases)) {
        bench_context_begin(&r.context, "//bench:all", argc, argv);
        add_options(&r.context, options);
        path = bench_result_file_path(options->out, &r.context);
    }
    if (path != NULL)
        code = measure(&r, path);
    free(path);
    bench_extras_free(&r.extras);
    bench_context_free(&r.context);
    bench_cases_free(&r.cases);
    bench_scenes_free(&r.scenes);
    return code;
}

int main(int argc, char **argv)
{
    bench_options options;
    int code = BENCH_EXIT_OK;
    if (!bench_options_parse(&options, argc, argv)) {
        code = BENCH_EXIT_USAGE;
    } else if (options.help) {
        bench_options_help();
    } else if (options.list) {
        bench_choices_print();
        bench_options_list();
    } else if (options.synthetic != NULL) {
        code = bench_study_print(&options) ? BENCH_EXIT_OK : BENCH_EXIT_USAGE;
    } else {
        code = run_all(&options, argc, argv);
    }
    bench_options_free(&options);
    return code;
}
