/* SPDX-License-Identifier: MIT
 *
 * The step that is measured, and its solutions. A scene moves for some steps of implicit Euler by
 * Newton's method; the state is rounded to float and given to all. From there Newton's method takes
 * the same 1/60 s in 1, 2, 4, ... substeps. Implicit Euler is of first order, so two extrapolations
 * of the last three take the errors of first and second order away; what the second one changes is
 * the doubt.
 */
#include "bench/accuracy/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interrupt.h"
#include "kernel/kernel.h"

static void corners_of(const xpbd_scene *scene, const uint32_t *id, uint32_t n, float (*x)[3])
{
    for (uint32_t k = 0; k < n; k++) {
        memcpy(x[k], scene->positions + 3 * (size_t)id[k], sizeof x[k]);
    }
}

/* Rest data as the library takes them: given, or those of the scene's positions. */
static void add_constraint(ref_system *s, const xpbd_scene *scene, const xpbd_scene_batch *batch,
                           uint32_t i)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(batch->type);
    const uint32_t *id = batch->particles + (size_t)i * info->n_particles;
    float rest[XPBD_REST_MAX], x[REF_CORNERS][3];
    double rest_d[XPBD_REST_MAX] = {0.0};
    corners_of(scene, id, info->n_particles, x);
    if (batch->rest) {
        memcpy(rest, batch->rest + (size_t)i * info->n_rest, info->n_rest * sizeof *rest);
    } else {
        xpbd_constraint_ops_of(batch->type)->rest_of((const float(*)[3])x, rest);
    }
    for (uint32_t k = 0; k < info->n_rest; k++) {
        rest_d[k] = (double)rest[k];
    }
    ref_add_constraint(s, batch->type, id, rest_d, (double)batch->compliance);
}

static bool add_batch(ref_system *s, const xpbd_scene *scene, const xpbd_scene_batch *batch,
                      char *text, size_t size)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(batch->type);
    const bool is_mesh = batch->type == XPBD_MESH_VOLUME;
    if (!ref_knows(batch->type) || (info->variable && !(is_mesh && batch->rest)) ||
        batch->damping > 0.0f) {
        snprintf(text, size, "the reference has no %s%s as in this scene",
                 batch->damping > 0.0f ? "damped " : "", info->name);
        return false;
    }
    const uint32_t(*triangle)[3] = (const uint32_t(*)[3])batch->particles;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (!is_mesh) {
            add_constraint(s, scene, batch, i);
            continue;
        }
        const float *rest = batch->rest + 2 * (size_t)i;
        ref_add_mesh_volume(s, batch->sizes[i], triangle, (double)rest[0] * (double)rest[1],
                            (double)batch->compliance);
        triangle += batch->sizes[i];
    }
    return true;
}

static bool make_system(acc_problem *p, char *text, size_t size)
{
    const xpbd_scene *scene = &p->scene;
    ref_system *s = p->system = ref_make();
    for (uint32_t i = 0; i < scene->n_particles; i++) {
        const float *at = scene->positions + 3 * (size_t)i;
        const double x[3] = {(double)at[0], (double)at[1], (double)at[2]};
        ref_add_particle(s, x, NULL, (double)scene->inverse_masses[i]);
    }
    for (int k = 0; k < 3; k++) {
        s->gravity[k] = (double)scene->gravity[k];
    }
    bool good = true;
    for (uint32_t b = 0; good && b < scene->n_batches; b++) {
        p->n_constraints += scene->batches[b].n_elements;
        good = add_batch(s, scene, &scene->batches[b], text, size);
    }
    p->n_rows = s->n_rows;
    return good;
}

/* Ends of substeps, which are where the same of half as many begin their search. */
typedef struct path {
    uint32_t n; /* substeps */
    double (*x)[3], *lambda;
} path;

static bool complain(char *text, size_t size, uint32_t i, uint32_t n, const char *what)
{
    snprintf(text, size, "Newton's method does not converge in step %u of %u, %s", i + 1, n, what);
    return false;
}

/* Take p->dt in n substeps. `finer`: twice as many, or null; kept: room for these, or null. */
static bool advance(acc_problem *p, uint32_t n, const path *finer, path *kept, char *text,
                    size_t size)
{
    ref_system *s = p->system;
    const double dt = p->dt / n;
    double *lambda = bench_alloc(s->n_rows, sizeof *lambda);
    bool good = true;
    for (uint32_t i = 0; i < n && good; i++) {
        const double(*x)[3] = NULL;
        if (finer) {
            const size_t at = 2 * (size_t)i + 1;
            x = (const double(*)[3])(finer->x + at * s->n_particles);
            for (uint32_t r = 0; r < s->n_rows; r++) {
                lambda[r] = 4.0 * finer->lambda[at * s->n_rows + r]; /* the same force */
            }
        }
        good = !bench_interrupted() && (ref_step_from(s, dt, x, finer ? lambda : NULL).converged ||
                                        complain(text, size, i, n, "the one that is measured"));
        if (kept && good) {
            memcpy(kept->x + (size_t)i * s->n_particles, s->x, s->n_particles * sizeof *s->x);
            for (uint32_t r = 0; r < s->n_rows; r++) {
                kept->lambda[(size_t)i * s->n_rows + r] = s->lambda[r];
            }
        }
    }
    free(lambda);
    return good;
}

void acc_problem_rewind(acc_problem *p)
{
    for (uint32_t i = 0; i < 3 * p->scene.n_particles; i++) {
        p->system->x[i / 3][i % 3] = (double)p->x[i / 3][i % 3];
        p->system->v[i / 3][i % 3] = (double)p->v[i / 3][i % 3];
    }
}

static void keep_state(acc_problem *p)
{
    for (uint32_t i = 0; i < 3 * p->scene.n_particles; i++) {
        p->x[i / 3][i % 3] = (float)p->system->x[i / 3][i % 3];
        p->v[i / 3][i % 3] = (float)p->system->v[i / 3][i % 3];
    }
}

/* Of the states after each of some steps, the one in which particles move the most. Small substeps:
 * from a flat sheet Newton's method does not always find its way through a long one. */
static bool make_start(acc_problem *p, uint32_t lead, char *text, size_t size)
{
    enum { SUBSTEPS = 8 };
    const uint32_t n = p->scene.n_particles;
    double most = 0.0;
    p->x = bench_alloc(n, sizeof *p->x);
    p->v = bench_alloc(n, sizeof *p->v);
    for (uint32_t step = 0; step < lead; step++) {
        for (uint32_t i = 0; i < SUBSTEPS; i++) {
            if (bench_interrupted()) {
                return false;
            }
            if (!ref_step(p->system, p->dt / SUBSTEPS).converged) {
                return complain(text, size, step, lead, "before the one that is measured");
            }
        }
        double square = 0.0;
        for (uint32_t i = 0; i < 3 * n; i++) {
            square += p->system->v[i / 3][i % 3] * p->system->v[i / 3][i % 3];
        }
        if (square > most) {
            most = square;
            keep_state(p);
        }
    }
    return true;
}

/* Root mean square over the particles that can move. */
static double rms(const acc_problem *p, const double (*a)[3], const double (*b)[3])
{
    double square = 0.0;
    uint32_t n_free = 0;
    for (uint32_t i = 0; i < p->scene.n_particles; i++) {
        if (p->scene.inverse_masses[i] > 0.0f) {
            n_free++;
            for (int k = 0; k < 3; k++) {
                square += (a[i][k] - b[i][k]) * (a[i][k] - b[i][k]);
            }
        }
    }
    return sqrt(square / n_free);
}

double acc_distance(const acc_problem *p, const float (*x)[3], const double (*solution)[3])
{
    double(*at)[3] = bench_alloc(p->scene.n_particles, sizeof *at);
    for (uint32_t i = 0; i < 3 * p->scene.n_particles; i++) {
        at[i / 3][i % 3] = (double)x[i / 3][i % 3];
    }
    const double distance = rms(p, (const double(*)[3])at, solution) / p->motion;
    free(at);
    return distance;
}

static void extrapolate(acc_problem *p)
{
    const uint32_t n = p->scene.n_particles;
    const double(*fine)[3] = (const double(*)[3])p->step[p->n_solved - 1];
    const double(*middle)[3] = (const double(*)[3])p->step[p->n_solved - 2];
    const double(*coarse)[3] = (const double(*)[3])p->step[p->n_solved - 3];
    double(*once)[3] = bench_alloc(n, sizeof *once);
    p->frame = bench_alloc(n, sizeof *p->frame);
    for (uint32_t i = 0; i < 3 * n; i++) {
        const uint32_t a = i / 3, k = i % 3;
        once[a][k] = 2.0 * fine[a][k] - middle[a][k];
        p->frame[a][k] = (8.0 * fine[a][k] - 6.0 * middle[a][k] + coarse[a][k]) / 3.0;
    }
    acc_problem_rewind(p);
    const double(*frame)[3] = (const double(*)[3])p->frame;
    p->motion = rms(p, frame, (const double(*)[3])p->system->x);
    p->doubt = rms(p, frame, (const double(*)[3])once) / p->motion;
    for (uint32_t level = 0; level < p->n_solved; level++) {
        p->level_error[level] = rms(p, frame, (const double(*)[3])p->step[level]) / p->motion;
    }
    free(once);
}

/* From the most substeps to one. */
static bool solve_levels(acc_problem *p, char *text, size_t size)
{
    path last = {0};
    bool good = true;
    for (uint32_t level = p->n_solved; level-- > 0 && good;) {
        const uint32_t n = 1u << level, n_particles = p->scene.n_particles;
        path now = {.n = n};
        now.x = bench_alloc((size_t)n * n_particles, sizeof *now.x);
        now.lambda = bench_alloc((size_t)n * p->n_rows, sizeof *now.lambda);
        acc_problem_rewind(p);
        good = advance(p, n, last.n ? &last : NULL, &now, text, size);
        p->step[level] = bench_alloc(n_particles, sizeof *p->step[level]);
        memcpy(p->step[level], p->system->x, n_particles * sizeof *p->step[level]);
        free(last.x);
        free(last.lambda);
        last = now;
    }
    free(last.x);
    free(last.lambda);
    return good;
}

/* [XPBD16] algorithm 1 in double precision, where the reference has it. */
static void sweep_in_double(acc_problem *p, uint32_t n_levels)
{
    for (uint32_t b = 0; b < p->scene.n_batches; b++) {
        const xpbd_constraint_type type = p->scene.batches[b].type;
        if (ref_is_energy(type) || xpbd_constraint_type_info(type)->variable) {
            return;
        }
    }
    for (uint32_t level = 0; level < n_levels && !bench_interrupted(); level++) {
        const uint32_t n = 1u << level;
        acc_problem_rewind(p);
        for (uint32_t i = 0; i < n; i++) {
            ref_xpbd(p->system, p->dt / n, ACC_DOUBLE_ITERATIONS);
        }
        p->in_double[p->n_double++] =
            rms(p, (const double(*)[3])p->system->x, (const double(*)[3])p->frame) / p->motion;
    }
}

bool acc_problem_make(acc_problem *p, const char *scene, const acc_plan *plan, char *text,
                      size_t size)
{
    *p = (acc_problem){.name = scene, .dt = 1.0 / 60.0, .n_solved = plan->n_solved};
    text[0] = '\0';
    if (!xpbd_scene_make(scene, &p->scene, text, size) || !make_system(p, text, size) ||
        !make_start(p, plan->lead, text, size)) {
        return false;
    }
    if (!solve_levels(p, text, size)) {
        return false;
    }
    extrapolate(p);
    if (!(p->motion > 1e-6)) {
        snprintf(text, size, "nothing moves in the step that is measured");
        return false;
    }
    sweep_in_double(p, plan->n_levels);
    return true;
}

void acc_problem_free(acc_problem *p)
{
    for (uint32_t level = 0; level < ACC_SOLVED_MAX; level++) {
        free(p->step[level]);
    }
    free(p->frame);
    free(p->x);
    free(p->v);
    if (p->system) {
        ref_free(p->system);
    }
    xpbd_scene_free(&p->scene);
    *p = (acc_problem){0};
}
