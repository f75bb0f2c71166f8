/* SPDX-License-Identifier: MIT
 *
 * Which configurations there are, and how long they may take.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/choices.h"
#include "bench/harness.h"
#include "bench/schedule.h"

bench_schedule bench_schedule_of(const bench_options *options)
{
    static const bench_schedule SCHEDULES[] = {
        [BENCH_QUICK] = {.sample_s = 0.004, .scene_s = 4, .rounds = 9},
        [BENCH_NORMAL] = {.sample_s = 0.010, .scene_s = 20, .rounds = 21},
        [BENCH_FULL] = {.sample_s = 0.020, .scene_s = 240, .rounds = 25},
    };
    bench_schedule schedule = SCHEDULES[options->mode];
    if (options->repeats > 0) {
        schedule.rounds = options->repeats;
        schedule.scene_s = 0;
    }
    return schedule;
}

uint32_t bench_fixed_steps(uint64_t n_constraints)
{
    const uint64_t steps = 1000000 / (n_constraints ? n_constraints : 1);
    return steps < 4 ? 4 : steps > 20 ? 20 : (uint32_t)steps;
}

bench_guess bench_guess_case(const bench_options *options, const bench_cases *cases,
                             uint64_t n_constraints)
{
    const double setup_ns = 500, projection_ns = 5; /* mean over schedulers and instruction sets */
    const bench_schedule schedule = bench_schedule_of(options);
    const double work = (double)n_constraints * options->iterations * options->substeps;
    const double step = 2e-6 + 1e-9 * projection_ns * work;
    const double sample = 1.15 * (step > schedule.sample_s ? step : schedule.sample_s);
    double samples = schedule.rounds * sample;
    if (schedule.scene_s > 0 && cases->n > 0) {
        const double share = schedule.scene_s / (double)cases->n;
        const double least = BENCH_ROUNDS_LEAST * sample;
        samples = samples < share ? samples : share > least ? share : least;
    }
    bench_guess guess = {.samples_s = samples};
    guess.before_s =
        1e-9 * setup_ns * (double)n_constraints + step * bench_fixed_steps(n_constraints);
    return guess;
}

double bench_scene_guess(const bench_options *options, const bench_cases *cases,
                         uint64_t n_constraints)
{
    const bench_guess guess = bench_guess_case(options, cases, n_constraints);
    return (double)cases->n * (guess.before_s + guess.samples_s);
}

void bench_world_def(const bench_options *options, const bench_case *what, xpbd_world_def *def)
{
    *def = xpbd_default_world_def();
    def->substeps = options->substeps;
    def->iterations = options->iterations;
    def->scheduler = what->scheduler;
    def->layout = what->layout;
    def->isa = what->isa;
    def->threads = (int32_t)what->threads;
    def->ordering = options->ordering;
    def->pinning = what->pinning;
}

/* Replace what was asked for by what an empty world says that it will do. */
static bool resolve(const bench_options *options, bench_case *what)
{
    xpbd_world_def def;
    bench_world_def(options, what, &def);
    xpbd_world *world = NULL;
    xpbd_error error = {0};
    xpbd_world_summary summary;
    if (xpbd_world_create(&def, &world, &error) != XPBD_OK ||
        xpbd_world_summarize(world, &summary) != XPBD_OK) {
        fprintf(stderr, "bench: %s/%s/%s/threads:%u: %s\n", what->scheduler, what->layout,
                what->isa, what->threads, error.text);
        xpbd_world_destroy(world);
        return false;
    }
    what->scheduler = bench_axis_find(&bench_axis_scheduler, summary.scheduler);
    what->layout = bench_axis_find(&bench_axis_layout, summary.layout);
    what->isa = bench_axis_find(&bench_axis_isa, summary.isa);
    what->threads = summary.threads;
    xpbd_world_destroy(world);
    return what->scheduler != NULL && what->layout != NULL && what->isa != NULL;
}

/* Others are compared with serial-gs on one thread: it stands first, so that every batch has it. */
static bool is_reference(const bench_case *what)
{
    return what->threads == 1 && strcmp(what->scheduler, "serial-gs") == 0;
}

static void add_once(bench_cases *cases, const bench_case *what)
{
    for (size_t i = 0; i < cases->n; i++) {
        const bench_case *known = &cases->items[i];
        if (strcmp(known->scheduler, what->scheduler) == 0 &&
            strcmp(known->layout, what->layout) == 0 && strcmp(known->isa, what->isa) == 0 &&
            strcmp(known->pinning, what->pinning) == 0 && known->threads == what->threads)
            return;
    }
    cases->items = bench_realloc(cases->items, cases->n + 1, sizeof *cases->items);
    size_t at = cases->n++;
    if (is_reference(what)) {
        for (; at > cases->n_references; at--)
            cases->items[at] = cases->items[at - 1];
        cases->n_references++;
    }
    cases->items[at] = *what;
}

bool bench_cases_make(const bench_options *options, bench_cases *cases)
{
    *cases = (bench_cases){0};
    const size_t n_layouts = options->layouts.n, n_isas = options->isas.n;
    const size_t n_pinnings = options->pinnings.n;
    const size_t n = options->schedulers.n * n_layouts * n_isas * n_pinnings * options->n_threads;
    for (size_t i = 0; i < n; i++) {
        size_t rest = i;
        bench_case what = {.threads = options->threads[rest % options->n_threads]};
        rest /= options->n_threads;
        what.pinning =
            bench_axis_find(&bench_axis_pinning, options->pinnings.items[rest % n_pinnings]);
        rest /= n_pinnings;
        what.isa = options->isas.items[rest % n_isas];
        rest /= n_isas;
        what.layout = options->layouts.items[rest % n_layouts];
        what.scheduler = options->schedulers.items[rest / n_layouts];
        if (!resolve(options, &what))
            return false;
        add_once(cases, &what);
    }
    return true;
}

void bench_cases_free(bench_cases *cases)
{
    free(cases->items);
    *cases = (bench_cases){0};
}
