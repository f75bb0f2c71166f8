/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "bench/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/interrupt.h"
#include "bench/memory_limit.h"
#include "bench/plans.h"
#include "bench/progress.h"
#include "bench/schedule.h"

/* A world of a batch and the row that its figures go to. */
typedef struct slot {
    xpbd_world *world;
    bench_row *row;
    double step_s; /* shortest step of the fixed run */
} slot;

typedef struct batch {
    slot *slots;
    size_t n;
    bench_row *repeated; /* figures of the references in batches that are not their own */
} batch;

typedef struct run {
    const bench_options *options;
    const bench_cases *cases;
    bench_scene *scene;
    bench_result *result;
    bench_schedule schedule;
    bench_guess guess;
    size_t n_before; /* configurations in batches that have ended */
} run;

static void free_row(bench_row *row)
{
    free(row->samples);
    free(row->plan);
}

static void fail(slot *s, const char *text)
{
    snprintf(s->row->error, sizeof s->row->error, "%s", text);
    xpbd_world_destroy(s->world);
    s->world = NULL;
}

double bench_projections(const bench_options *options, const bench_result *result)
{
    return (double)result->n_constraints * options->iterations * options->substeps;
}

/* Part of the scene's work that is done: `before` and `after` count configurations and rounds of
 * the batch that is running. */
static void show(const run *r, size_t n_batch, double built, double sampled)
{
    const double one = r->guess.before_s + r->guess.samples_s;
    const double running =
        built * r->guess.before_s + (double)n_batch * sampled * r->guess.samples_s;
    const double all = (double)r->cases->n * one;
    bench_progress_part(all > 0 ? ((double)r->n_before * one + running) / all : 0);
}

/* ---- before the clock counts */

static void build(const run *r, slot *s)
{
    bench_row *row = s->row;
    xpbd_world_def def;
    bench_world_def(r->options, &row->what, &def);
    xpbd_error error = {0};
    if (xpbd_world_create(&def, &s->world, &error) != XPBD_OK) {
        fail(s, error.text);
        return;
    }
    char text[sizeof row->error];
    if (!bench_scene_build(r->scene, s->world, text, sizeof text)) {
        fail(s, text);
        return;
    }
    xpbd_world_summary summary;
    if (xpbd_world_prepare(s->world) != XPBD_OK ||
        xpbd_world_summarize(s->world, &summary) != XPBD_OK) {
        snprintf(text, sizeof text, "%s", xpbd_world_error(s->world)->text);
        fail(s, text);
        return;
    }
    snprintf(row->binding, sizeof row->binding, "%s", summary.binding);
    snprintf(row->ordering, sizeof row->ordering, "%s", summary.ordering);
    row->oversubscribed = summary.oversubscribed;
    row->n_stages = summary.n_stages;
    row->n_groups = summary.n_groups;
    row->n_padding = summary.n_padding;
    row->bytes = summary.bytes;
    row->lines = bench_plan_lines(s->world);
    row->plan = bench_plan_text(s->world);
}

/* Steps from the initial state that every configuration takes alike, for the hash and the
 * residual. Their time says how many steps a sample needs. */
static void fixed_run(const run *r, slot *s)
{
    bench_row *row = s->row;
    s->step_s = 1e30;
    for (uint32_t i = 0; i < r->result->fixed_steps; i++) {
        if (bench_interrupted())
            return;
        const double began = bench_seconds();
        if (xpbd_world_step(s->world, BENCH_TIME_STEP) != XPBD_OK) {
            fail(s, xpbd_world_error(s->world)->text);
            return;
        }
        const double step_s = bench_seconds() - began;
        s->step_s = step_s < s->step_s ? step_s : s->step_s;
    }
    xpbd_diagnostics state;
    if (xpbd_world_diagnose(s->world, &state) != XPBD_OK) {
        fail(s, xpbd_world_error(s->world)->text);
        return;
    }
    if (state.n_nonfinite > 0 || !isfinite(state.residual_rms)) {
        fail(s, "the state is not finite after the fixed run");
        return;
    }
    row->hash = xpbd_world_hash(s->world);
    row->residual_rms = state.residual_rms;
    row->has_hash = true;
    const double steps = ceil(r->schedule.sample_s / (s->step_s > 1e-9 ? s->step_s : 1e-9));
    row->steps = steps < 1 ? 1 : steps > 1e6 ? 1000000 : (uint32_t)steps;
}

/* ---- rounds */

static bool step_many(slot *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (xpbd_world_step(s->world, BENCH_TIME_STEP) != XPBD_OK)
            return false;
    return true;
}

static void take_sample(const run *r, slot *s)
{
    bench_row *row = s->row;
    const uint32_t part = row->steps / 8 > 0 ? row->steps / 8 : 1;
    /* The world before this one has emptied the caches, and this one's threads may sleep. A step
     * that takes long has its iterations to get over that. */
    bool ok = step_many(s, s->step_s > 0.1 ? 0 : part);
    bench_sample sample = {0};
    const double cpu = bench_cpu_seconds();
    const double wall = bench_seconds();
    /* On a busy machine threads may wait for each other a hundred times longer than planned. */
    while (ok && sample.steps < row->steps && sample.wall_s < 4 * r->schedule.sample_s) {
        const uint32_t left = row->steps - sample.steps;
        const uint32_t n = left < part ? left : part;
        ok = step_many(s, n);
        sample.steps += n;
        sample.wall_s = bench_seconds() - wall;
    }
    sample.cpu_s = bench_cpu_seconds() - cpu;
    if (!ok) {
        fail(s, xpbd_world_error(s->world)->text);
        return;
    }
    bench_samples_add(&row->samples, &row->n_samples, &sample);
}

/* OpenMP's threads spin for some milliseconds after their last work, on processors that the next
 * configuration may need. So a round goes from few threads to many, and waits before it begins. */
static void order_slots(const batch *b, slot **order)
{
    for (size_t i = 0; i < b->n; i++) {
        size_t at = i;
        for (; at > 0 && order[at - 1]->row->what.threads > b->slots[i].row->what.threads; at--)
            order[at] = order[at - 1];
        order[at] = &b->slots[i];
    }
}

static void rest(void)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    nanosleep(&pause, NULL); /* cut short by an interrupt, and then it does not matter */
}

static void run_round(const run *r, const batch *b, slot **order, uint32_t round, double by_time)
{
    rest();
    for (size_t i = 0; i < b->n && !bench_interrupted(); i++) {
        if (order[i]->world != NULL)
            take_sample(r, order[i]);
        const double done = (double)round + (double)(i + 1) / (double)b->n;
        const double by_rounds = done / r->schedule.rounds;
        const double part = by_time > by_rounds && round > 0 ? by_time : by_rounds;
        show(r, b->n, (double)b->n, part < 1 ? part : 1);
    }
}

static void run_rounds(const run *r, const batch *b)
{
    const double limit = r->schedule.scene_s * (double)b->n / (double)r->cases->n;
    slot **order = bench_alloc(b->n, sizeof *order);
    order_slots(b, order);
    const double began = bench_seconds();
    for (uint32_t round = 0; round < r->schedule.rounds && !bench_interrupted(); round++) {
        const double passed = bench_seconds() - began;
        if (limit > 0 && passed > limit && round >= BENCH_ROUNDS_LEAST)
            break;
        run_round(r, b, order, round, limit > 0 ? passed / limit : 0);
    }
    free(order);
}

/* ---- after */

static void finish_row(const run *r, bench_row *row)
{
    if (row->n_samples == 0)
        return;
    const double projections = bench_projections(r->options, r->result);
    const uint32_t best = bench_samples_judge(row->samples, row->n_samples, projections,
                                              &row->ns_min, &row->ns_median);
    row->disturbed = row->what.threads == 1 && bench_sample_disturbed(&row->samples[best]);
}

static bool same_but_threads(const bench_case *a, const bench_case *b)
{
    return strcmp(a->scheduler, b->scheduler) == 0 && strcmp(a->layout, b->layout) == 0 &&
           strcmp(a->isa, b->isa) == 0 && strcmp(a->pinning, b->pinning) == 0;
}

static void finish_batch(const run *r, batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        slot *s = &b->slots[i];
        xpbd_diagnostics state;
        if (s->world != NULL && !bench_interrupted() &&
            (xpbd_world_diagnose(s->world, &state) != XPBD_OK || state.n_nonfinite > 0))
            fail(s, "the state was not finite when the last sample ended");
        if (s->row->error[0] == '\0')
            finish_row(r, s->row);
        xpbd_world_destroy(s->world);
        s->world = NULL;
    }
    for (size_t i = 0; i < b->n; i++) {
        bench_row *row = b->slots[i].row;
        for (size_t k = 0; k < b->n; k++) {
            const bench_row *other = b->slots[k].row;
            if (k < r->cases->n_references && other->ns_min > 0 &&
                (row->ns_reference <= 0 || other->ns_min < row->ns_reference))
                row->ns_reference = other->ns_min;
            if (other->what.threads == 1 && same_but_threads(&row->what, &other->what))
                row->ns_one_thread = other->ns_min;
        }
    }
}

/* ---- batches */

static void add_slot(const run *r, batch *b, bench_row *row)
{
    b->slots[b->n] = (slot){.row = row};
    slot *s = &b->slots[b->n++];
    build(r, s);
    if (s->world != NULL)
        fixed_run(r, s);
    show(r, b->n, (double)b->n, 0);
}

/* Fill a batch with rows from `next` on; returns the first row that is not in it. */
static size_t fill_batch(const run *r, batch *b, size_t next, uint64_t budget)
{
    bench_row *rows = r->result->rows;
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->cases->n_references && next > 0; i++) {
        b->repeated[i].what = rows[i].what;
        add_slot(r, b, &b->repeated[i]);
        bytes += b->repeated[i].bytes;
    }
    while (next < r->result->n_rows && !bench_interrupted()) {
        const uint64_t before = bytes;
        const size_t first = next;
        do {
            add_slot(r, b, &rows[next]);
            bytes += rows[next++].bytes;
        } while (next < r->result->n_rows && !bench_interrupted() &&
                 same_but_threads(&rows[first].what, &rows[next].what));
        /* Another configuration like it would be too much. */
        if (next > r->cases->n_references && bytes + (bytes - before) > budget)
            break;
    }
    return next;
}

static size_t run_batch(run *r, size_t next, uint64_t budget)
{
    const size_t n_references = r->cases->n_references;
    batch b = {0};
    b.slots = bench_alloc(r->cases->n + n_references, sizeof *b.slots);
    b.repeated = bench_alloc(n_references, sizeof *b.repeated);
    const size_t end = fill_batch(r, &b, next, budget);
    run_rounds(r, &b);
    finish_batch(r, &b);
    for (size_t i = 0; i < n_references; i++)
        free_row(&b.repeated[i]);
    free(b.repeated);
    free(b.slots);
    r->n_before += end - next;
    return end;
}

void bench_measure(const bench_options *options, const bench_cases *cases, bench_scene *scene,
                   bench_result *result)
{
    *result = (bench_result){.name = bench_strdup(scene->name), .n_rows = cases->n};
    snprintf(result->note, sizeof result->note, "%s", scene->note);
    result->n_particles = scene->n_particles;
    result->n_constraints = scene->n_constraints;
    result->fixed_steps = bench_fixed_steps(scene->n_constraints);
    result->rows = bench_alloc(cases->n, sizeof *result->rows);
    for (size_t i = 0; i < cases->n; i++)
        result->rows[i].what = cases->items[i];

    run r = {.options = options, .cases = cases, .scene = scene, .result = result};
    r.schedule = bench_schedule_of(options);
    r.guess = bench_guess_case(options, cases, scene->n_constraints);
    const uint64_t budget = bench_memory_budget();
    for (size_t next = 0; next < cases->n && !bench_interrupted();)
        next = run_batch(&r, next, budget);
    result->complete = !bench_interrupted();
}

size_t bench_compare_hashes(bench_result *result)
{
    size_t n_differing = 0;
    for (size_t i = 0; i < result->n_rows; i++) {
        bench_row *row = &result->rows[i];
        for (size_t k = 0; k < i && row->has_hash; k++) {
            const bench_row *first = &result->rows[k];
            if (!first->has_hash || strcmp(first->what.scheduler, row->what.scheduler) != 0)
                continue;
            row->differs = first->hash != row->hash;
            n_differing += row->differs;
            break;
        }
    }
    return n_differing;
}

void bench_result_free(bench_result *result)
{
    for (size_t i = 0; i < result->n_rows; i++)
        free_row(&result->rows[i]);
    free(result->rows);
    free(result->name);
    *result = (bench_result){0};
}
