/* SPDX-License-Identifier: MIT
 *
 * //bench:accuracy: how long it takes to come near the solution, on a page and as rows.
 */
#include "bench/accuracy/accuracy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/choices.h"
#include "bench/interrupt.h"
#include "bench/progress.h"

/* Whether a file can be written, before anything is measured; what is there stays. */
static bool can_write(const char *path)
{
    FILE *file = fopen(path, "r");
    const bool is_there = file != NULL;
    if (file) {
        fclose(file);
    }
    file = fopen(path, "a");
    if (!file) {
        fprintf(stderr, "bench: %s can not be written: %s\n", path, strerror(errno));
        return false;
    }
    fclose(file);
    if (!is_there) {
        remove(path);
    }
    return true;
}

/* Under another name first: a page is there whole or not at all. */
static bool write_page(const acc_options *options, const bench_context *context,
                       const acc_result *results, size_t n)
{
    char *part = bench_print("%s.part", options->page);
    FILE *out = fopen(part, "w");
    bool good = out != NULL;
    if (out) {
        acc_page_write(out, context, options, results, n);
        good = !ferror(out);
        good = fclose(out) == 0 && good && rename(part, options->page) == 0;
    }
    if (!good) {
        fprintf(stderr, "bench: %s can not be written: %s\n", options->page, strerror(errno));
        remove(part);
    }
    free(part);
    return good;
}

static bool has_samples(const acc_result *r)
{
    bool has = false;
    for (size_t i = 0; i < r->n_rows; i++) {
        has = has || r->rows[i].n_samples > 0;
    }
    return has;
}

/* Returns how many scenes have a result. */
static size_t measure_all(const acc_options *options, const acc_plan *plan, acc_result *results)
{
    const double guess = 1.6 * plan->scene_s;
    size_t n = 0;
    bench_progress_begin("scene", guess * (double)options->scenes.n, options->scenes.n);
    for (size_t i = 0; i < options->scenes.n && !bench_interrupted(); i++) {
        acc_problem problem;
        char text[512];
        bench_progress_item(options->scenes.items[i], guess);
        if (!acc_problem_make(&problem, options->scenes.items[i], plan, text, sizeof text)) {
            if (text[0]) {
                fprintf(stderr, "bench: %s: %s\n", options->scenes.items[i], text);
            }
            acc_problem_free(&problem);
            continue;
        }
        acc_measure(&results[n], &problem, options, plan);
        bench_progress_end_item();
        if (bench_interrupted() && !has_samples(&results[n])) {
            acc_result_free(&results[n]);
            break;
        }
        acc_print(&results[n++], &options->schedulers);
    }
    return n;
}

static void add_facts(bench_context *context, const acc_options *options, const acc_plan *plan,
                      const acc_result *results, size_t n)
{
    bool complete = n == options->scenes.n;
    bench_context_add(context, "mode", "%s", options->quick ? "quick" : "default");
    bench_context_add(context, "threads", "%u", options->threads);
    bench_context_add(context, "time_step_s", "%.9g", 1.0 / 60.0);
    bench_context_add(context, "substeps_most", "%u", 1u << (plan->n_levels - 1));
    bench_context_add(context, "substeps_times_iterations_most", "%u", plan->work);
    bench_context_add(context, "step_most_s", "%.9g", plan->step_s);
    bench_text text = {0};
    for (size_t i = 0; i < n; i++) {
        const acc_problem *p = &results[i].problem;
        bench_text_add(&text, "%s%s motion_m %.9g doubt %.3g level_errors", i ? "; " : "", p->name,
                       p->motion, p->doubt);
        for (uint32_t level = 0; level < p->n_solved; level++) {
            bench_text_add(&text, " %.4g", p->level_error[level]);
        }
        bench_text_add(&text, "%s", p->n_double ? " double_errors" : "");
        for (uint32_t level = 0; level < p->n_double; level++) {
            bench_text_add(&text, " %.4g", p->in_double[level]);
        }
        complete = complete && results[i].complete;
    }
    bench_context_add(context, "scenes", "%s", text.data ? text.data : "");
    bench_text_free(&text);
    bench_context_add(context, "complete", "%s", complete ? "true" : "false");
    bench_context_end(context);
}

/* Divergence is a result; all else that is wrong with a row is not. */
static bool all_good(const acc_result *results, size_t n)
{
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < results[i].n_series; k++) {
            good = good && !results[i].series[k].error[0];
        }
        for (size_t k = 0; k < results[i].n_rows; k++) {
            const acc_row *row = &results[i].rows[k];
            if (row->fault[0] && !row->diverged) {
                fprintf(stderr, "bench: %s, %s, %u x %u: %s\n", results[i].problem.name,
                        results[i].series[row->series].scheduler, row->substeps, row->iterations,
                        row->fault);
                good = false;
            }
        }
    }
    return good;
}

static int run(const acc_options *options, int argc, char **argv)
{
    if (!can_write(options->page) || !can_write(options->rows)) {
        return BENCH_EXIT_USAGE;
    }
    const acc_plan plan = acc_plan_of(options);
    bench_context context;
    bench_context_begin(&context, "//bench:accuracy", argc, argv);
    printf("libxpbd %s on %s; %u thread%s; %s, %s build\n",
           bench_context_get(&context, "libxpbd_version"), bench_context_get(&context, "cpu_model"),
           options->threads, options->threads == 1 ? "" : "s",
           bench_context_get(&context, "compiler"),
           bench_context_get(&context, "libxpbd_build_type"));
    bench_context_warn(&context);
    fflush(stdout);
    bench_interrupt_install();
    acc_result *results = bench_alloc(options->scenes.n, sizeof *results);
    const size_t n = measure_all(options, &plan, results);
    add_facts(&context, options, &plan, results, n);
    bool good = write_page(options, &context, results, n);
    good = acc_rows_write(options->rows, &context, results, n) && good;
    if (good) {
        printf("\nthe page: %s\nall rows: %s\n", options->page, options->rows);
    }
    good = good && n == options->scenes.n && all_good(results, n);
    for (size_t i = 0; i < n; i++) {
        acc_result_free(&results[i]);
    }
    free(results);
    bench_context_free(&context);
    return bench_interrupted() ? BENCH_EXIT_INTERRUPTED : good ? BENCH_EXIT_OK : BENCH_EXIT_WRONG;
}

int main(int argc, char **argv)
{
    acc_options options;
    int code = BENCH_EXIT_OK;
    if (!acc_options_parse(&options, argc, argv)) {
        code = BENCH_EXIT_USAGE;
    } else if (options.help) {
        acc_options_help();
    } else if (options.list) {
        bench_choices_print();
    } else {
        code = run(&options, argc, argv);
    }
    acc_options_free(&options);
    return code;
}
