/* SPDX-License-Identifier: MIT
 *
 * Which rows there are, and how good their results are. Errors do not depend on the machine and
 * take one step each, so iterations are not only doubled: between the last number that misses a
 * target and the first that meets it, the least one is searched for. Otherwise times to accuracy
 * would be compared in steps of two.
 */
#include "bench/accuracy/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interrupt.h"
#include "bench/progress.h"

static bool make_world(const acc_problem *p, const char *scheduler, float omega, uint32_t threads,
                       xpbd_world **world, char *text, size_t size)
{
    xpbd_error error = {0};
    xpbd_world_def def = xpbd_default_world_def();
    def.scheduler = scheduler;
    def.relaxation = omega;
    def.threads = (int32_t)threads;
    if (xpbd_world_create(&def, world, &error) != XPBD_OK) {
        snprintf(text, size, "%s", error.text);
        return false;
    }
    const xpbd_status status = xpbd_scene_build(&p->scene, *world);
    if (status != XPBD_OK || xpbd_world_prepare(*world) != XPBD_OK) {
        const char *what = xpbd_world_error(*world)->text;
        snprintf(text, size, "%s", what[0] ? what : xpbd_status_text(status));
        xpbd_world_destroy(*world);
        *world = NULL;
        return false;
    }
    return true;
}

bool acc_world_rewind(const acc_problem *p, xpbd_world *w, uint32_t substeps, uint32_t iterations)
{
    const uint32_t n = p->scene.n_particles;
    return xpbd_world_set_solver(w, substeps, iterations) == XPBD_OK &&
           xpbd_world_set_positions(w, 0, n, p->x[0], 0) == XPBD_OK &&
           xpbd_world_set_velocities(w, 0, n, p->v[0], 0) == XPBD_OK;
}

/* Whether the relaxation has an influence: asked of the library, so that this list needs no row
 * where schedulers.def has one. */
static bool has_relaxation(const acc_problem *p, const char *scheduler)
{
    uint64_t hash[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        char text[256];
        xpbd_world *world = NULL;
        if (make_world(p, scheduler, k ? 0.5f : 1.0f, 1, &world, text, sizeof text) &&
            acc_world_rewind(p, world, 1, 4) && xpbd_world_step(world, p->dt) == XPBD_OK) {
            hash[k] = xpbd_world_hash(world);
        }
        xpbd_world_destroy(world);
    }
    return hash[0] != hash[1];
}

static void make_series(acc_result *r, const acc_options *options, const acc_plan *plan)
{
    const size_t room = options->schedulers.n * plan->n_omegas;
    r->series = bench_alloc(room, sizeof *r->series);
    for (size_t i = 0; i < options->schedulers.n && !bench_interrupted(); i++) {
        const char *name = options->schedulers.items[i];
        const bool relaxed = has_relaxation(&r->problem, name);
        for (uint32_t k = 0; k < (relaxed ? plan->n_omegas : 1); k++) {
            acc_series *s = &r->series[r->n_series++];
            s->scheduler = name;
            s->omega = relaxed ? plan->omegas[k] : 0.0f;
            (void)make_world(&r->problem, name, relaxed ? s->omega : 1.0f, options->threads,
                             &s->world, s->error, sizeof s->error);
        }
    }
}

/* The state after the step. False with a fault where there is none to judge. */
static bool step_once(const acc_problem *p, xpbd_world *w, acc_row *row, float (*x)[3])
{
    const uint32_t n = p->scene.n_particles;
    bool good = acc_world_rewind(p, w, row->substeps, row->iterations);
    const double began = bench_seconds();
    good = good && xpbd_world_step(w, p->dt) == XPBD_OK;
    row->first_s = bench_seconds() - began;
    if (!good || xpbd_world_read_positions(w, 0, n, x[0], 0) != XPBD_OK) {
        snprintf(row->fault, sizeof row->fault, "%.120s", xpbd_world_error(w)->text);
        return false;
    }
    return true;
}

static void measure_errors(const acc_problem *p, xpbd_world *w, acc_row *row)
{
    float(*x)[3] = bench_alloc(p->scene.n_particles, sizeof *x);
    row->error[ACC_STEP] = row->error[ACC_FRAME] = INFINITY;
    if (step_once(p, w, row, x)) {
        if (row->level < p->n_solved) {
            const double(*step)[3] = (const double(*)[3])p->step[row->level];
            row->error[ACC_STEP] = acc_distance(p, (const float(*)[3])x, step);
        }
        row->error[ACC_FRAME] = acc_distance(p, (const float(*)[3])x, (const double(*)[3])p->frame);
        row->hash = xpbd_world_hash(w);
        for (uint32_t i = 0; i < p->scene.n_particles; i++) {
            double square = 0.0;
            for (int k = 0; k < 3; k++) {
                const double d = (double)x[i][k] - p->frame[i][k];
                square += d * d;
            }
            row->worst = fmax(row->worst, sqrt(square));
        }
        row->diverged = !(row->error[ACC_FRAME] <= 1.0);
        if (row->diverged) {
            snprintf(row->fault, sizeof row->fault,
                     "diverged: further from the solution than particles move");
        }
    }
    free(x);
}

/* Multipliers in the reference's order, which is that of the scene's batches. */
static bool read_lambdas(const acc_problem *p, const xpbd_world *w, double *lambda)
{
    uint32_t first[XPBD_CONSTRAINT_TYPE_COUNT] = {0};
    bool good = true;
    for (uint32_t b = 0; b < p->scene.n_batches && good; b++) {
        const xpbd_scene_batch *batch = &p->scene.batches[b];
        const size_t n = (size_t)batch->count * xpbd_constraint_type_info(batch->type)->n_rows;
        float *out = bench_alloc(n, sizeof *out);
        good = xpbd_world_read_lambdas(w, batch->type, first[batch->type], batch->count, out, 0) ==
               XPBD_OK;
        for (size_t k = 0; k < n && !ref_is_energy(batch->type); k++) {
            *lambda++ = (double)out[k];
        }
        first[batch->type] += batch->count;
        free(out);
    }
    return good;
}

/* The last substep by itself: the same substeps as single steps, so that its start can be read.
 * They have to end in the same bits. */
static void measure_residual(acc_problem *p, xpbd_world *w, acc_row *row)
{
    const uint32_t n = p->scene.n_particles;
    const double dt = p->dt / row->substeps;
    float(*x)[3] = bench_alloc(n, sizeof *x), (*v)[3] = bench_alloc(n, sizeof *v);
    double(*at)[3] = bench_alloc(n, sizeof *at), *lambda = bench_alloc(p->n_rows, sizeof *lambda);
    bool good = acc_world_rewind(p, w, 1, row->iterations);
    for (uint32_t i = 0; i + 1 < row->substeps && good; i++) {
        good = xpbd_world_step(w, dt) == XPBD_OK;
    }
    good = good && xpbd_world_read_positions(w, 0, n, x[0], 0) == XPBD_OK &&
           xpbd_world_read_velocities(w, 0, n, v[0], 0) == XPBD_OK;
    for (uint32_t i = 0; i < 3 * n; i++) {
        p->system->x[i / 3][i % 3] = (double)x[i / 3][i % 3];
        p->system->v[i / 3][i % 3] = (double)v[i / 3][i % 3];
    }
    good = good && xpbd_world_step(w, dt) == XPBD_OK &&
           xpbd_world_read_positions(w, 0, n, x[0], 0) == XPBD_OK && read_lambdas(p, w, lambda);
    for (uint32_t i = 0; i < 3 * n; i++) {
        at[i / 3][i % 3] = (double)x[i / 3][i % 3];
    }
    if (!good || xpbd_world_hash(w) != row->hash) {
        snprintf(row->fault, sizeof row->fault, "%s",
                 good ? "its substeps and single steps end in different bits"
                      : "a single step of its substeps failed");
    } else {
        row->residual = ref_residuals(p->system, (const double(*)[3])at, lambda, dt);
    }
    free(x);
    free(v);
    free(at);
    free(lambda);
}

static acc_row make_row(const acc_result *r, uint32_t series, uint32_t level, uint32_t iterations)
{
    acc_row row = {
        .series = series, .level = level, .substeps = 1u << level, .iterations = iterations};
    measure_errors(&r->problem, r->series[series].world, &row);
    return row;
}

static void add_row(acc_result *r, acc_row row)
{
    if (!row.fault[0]) {
        measure_residual(&r->problem, r->series[row.series].world, &row);
    }
    r->rows = bench_realloc(r->rows, r->n_rows + 1, sizeof *r->rows);
    r->rows[r->n_rows++] = row;
}

/* The least iterations for a target: rows [first, end) have twice those of the one before. */
static void refine(acc_result *r, size_t first, size_t end, acc_error kind, double target)
{
    size_t at = first;
    while (at < end && !(r->rows[at].error[kind] <= target)) {
        at++;
    }
    if (at == end || at == first) {
        return;
    }
    uint32_t low = r->rows[at - 1].iterations, high = r->rows[at].iterations;
    acc_row best = {0};
    while (high - low > 1 && high - low > high / 16) {
        const uint32_t middle = low + (high - low) / 2;
        const acc_row row = make_row(r, r->rows[at].series, r->rows[at].level, middle);
        if (row.error[kind] <= target) {
            high = middle;
            best = row;
        } else {
            low = middle;
        }
    }
    bool known = best.iterations == 0;
    for (size_t i = first; i < r->n_rows; i++) {
        known = known || r->rows[i].iterations == best.iterations;
    }
    if (!known) {
        add_row(r, best);
    }
}

/* Whether twice the iterations changed nothing, three times in a row. */
static bool has_settled(const acc_result *r, size_t first)
{
    const size_t n = r->n_rows;
    bool settled = n >= first + 4;
    for (size_t i = n - 3; settled && i < n; i++) {
        const double now = r->rows[i].error[ACC_FRAME], before = r->rows[i - 1].error[ACC_FRAME];
        settled = fabs(now - before) <= 2e-4 * now;
    }
    return settled;
}

/* One that was in the way of others is asked again: it decides whether there are further rows. */
static bool is_slow(const acc_result *r, acc_row row, double limit)
{
    for (int again = 0; again < 3 && row.first_s > limit; again++) {
        row = make_row(r, row.series, row.level, row.iterations);
    }
    return row.first_s > limit;
}

static void sweep_level(acc_result *r, uint32_t series, uint32_t level, const acc_plan *plan)
{
    const size_t first = r->n_rows;
    bool more = true;
    for (uint32_t k = 1; k << level <= plan->work && more && !bench_interrupted(); k *= 2) {
        const acc_row row = make_row(r, series, level, k);
        add_row(r, row);
        more = isfinite(row.error[ACC_FRAME]) && !has_settled(r, first) &&
               !is_slow(r, row, plan->step_s);
    }
    const size_t end = r->n_rows;
    for (int kind = 0; kind < ACC_ERRORS && end > first && !bench_interrupted(); kind++) {
        for (int t = 0; t < ACC_TARGETS && (kind == ACC_FRAME || level == 0); t++) {
            refine(r, first, end, (acc_error)kind, acc_target[t]);
        }
    }
}

static int by_setting(const void *a, const void *b)
{
    const acc_row *x = a, *y = b;
    if (x->series != y->series) {
        return x->series < y->series ? -1 : 1;
    }
    if (x->level != y->level) {
        return x->level < y->level ? -1 : 1;
    }
    return (x->iterations > y->iterations) - (x->iterations < y->iterations);
}

void acc_sweep(acc_result *r, const acc_options *options, const acc_plan *plan)
{
    make_series(r, options, plan);
    for (uint32_t s = 0; s < r->n_series && !bench_interrupted(); s++) {
        for (uint32_t level = 0; level < plan->n_levels && r->series[s].world; level++) {
            sweep_level(r, s, level, plan);
        }
        bench_progress_part(0.1 + 0.3 * (s + 1) / (double)r->n_series);
    }
    if (r->n_rows > 0) {
        qsort(r->rows, r->n_rows, sizeof *r->rows, by_setting);
    }
}
