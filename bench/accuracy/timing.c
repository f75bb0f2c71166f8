/* SPDX-License-Identifier: MIT
 *
 * How long the step of each row takes. In each round every row takes one sample, so that a noisy
 * machine disturbs all of them alike; the world is put back before each step while the clock
 * stands.
 */
#include "bench/accuracy/accuracy.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/interrupt.h"
#include "bench/progress.h"

enum { STEPS_MAX = 64 };

/* One step by the clock, or a negative number. */
static double step_seconds(const acc_problem *p, xpbd_world *w, const acc_row *row)
{
    if (!acc_world_rewind(p, w, row->substeps, row->iterations)) {
        return -1.0;
    }
    const double began = bench_seconds();
    const bool good = xpbd_world_step(w, p->dt) == XPBD_OK;
    return good ? bench_seconds() - began : -1.0;
}

/* The first step of a sample is not counted: the row before has emptied the caches. Of long ones
 * all count, they have their iterations to get over that. */
static void take_sample(const acc_problem *p, xpbd_world *w, acc_row *row, double sample_s)
{
    bench_sample sample = {0};
    const double cpu = bench_cpu_seconds(), first = step_seconds(p, w, row);
    if (first < 0.0) {
        snprintf(row->fault, sizeof row->fault, "%.120s", xpbd_world_error(w)->text);
        return;
    }
    if (row->steps == 0) {
        const double steps = sample_s / (first > 1e-9 ? first : 1e-9);
        row->steps = steps < 1.0 ? 1 : steps > STEPS_MAX ? STEPS_MAX : (uint32_t)steps;
    }
    if (first > sample_s) {
        sample = (bench_sample){.wall_s = first, .steps = 1};
    }
    while (sample.steps < row->steps) {
        sample.wall_s += step_seconds(p, w, row);
        sample.steps++;
    }
    sample.cpu_s = bench_cpu_seconds() - cpu;
    bench_samples_add(&row->samples, &row->n_samples, &sample);
}

void acc_time(acc_result *r, const acc_options *options, const acc_plan *plan)
{
    const uint32_t rounds = options->repeats ? options->repeats : plan->rounds;
    const double began = bench_seconds();
    for (uint32_t round = 0; round < rounds && !bench_interrupted(); round++) {
        const double passed = bench_seconds() - began;
        if (!options->repeats && round >= ACC_ROUNDS_LEAST && passed > plan->scene_s) {
            break;
        }
        for (size_t i = 0; i < r->n_rows && !bench_interrupted(); i++) {
            if (!r->rows[i].fault[0]) {
                take_sample(&r->problem, r->series[r->rows[i].series].world, &r->rows[i],
                            plan->sample_s);
            }
        }
        r->rounds = round + 1;
        bench_progress_part(0.4 + 0.6 * (round + 1) / rounds);
    }
    for (size_t i = 0; i < r->n_rows; i++) {
        acc_row *row = &r->rows[i];
        double least = 0.0, median = 0.0;
        if (row->n_samples > 0) {
            (void)bench_samples_judge(row->samples, row->n_samples, 1.0, &least, &median);
        }
        row->ms_min = 1e-6 * least;
        row->ms_median = 1e-6 * median;
    }
}

void acc_measure(acc_result *r, acc_problem *problem, const acc_options *options,
                 const acc_plan *plan)
{
    *r = (acc_result){.problem = *problem, .threads = options->threads};
    *problem = (acc_problem){0};
    bench_progress_part(0.1);
    acc_sweep(r, options, plan);
    acc_time(r, options, plan);
    for (size_t i = 0; i < r->n_series; i++) {
        xpbd_world_destroy(r->series[i].world);
        r->series[i].world = NULL;
    }
    r->complete = !bench_interrupted();
}

void acc_result_free(acc_result *r)
{
    for (size_t i = 0; i < r->n_rows; i++) {
        free(r->rows[i].samples);
    }
    free(r->rows);
    for (size_t i = 0; i < r->n_series; i++) {
        xpbd_world_destroy(r->series[i].world);
    }
    free(r->series);
    acc_problem_free(&r->problem);
    *r = (acc_result){0};
}
