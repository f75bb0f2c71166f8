/* SPDX-License-Identifier: MIT
 *
 * Implicit Euler by Newton's method on both residuals of [XPBD16], eq. 8 to 14, in the saddle form
 *
 *     [ K  -grad C^T    ] [ dx       ]     [ g ]      K = M - sum of lambda_j Hessian C_j
 *     [ grad C  alpha~  ] [ d_lambda ] = - [ h ]      (+ dt^2 Hessian of energies)
 *
 * which holds for alpha = 0 too. x~ has the external forces, as in algorithm 1 of the paper and not
 * as in its eq. 8. A one-sided row has max(d lambda, C + alpha~ lambda) = 0 for lambda <= 0 (min
 * for lambda >= 0) in place of h, d a positive weight: both signs and the complementarity in one
 * equation.
 */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest coordinate moves by less than this part of the extent: no more than rounding. */
#define ROUNDING 1e-12
/* A step that no longer lowers the merit is rounding too below this. */
#define STALLED 1e-7

/* A system of energies has no rows, and memcpy() takes no null pointer. */
static void copy_rows(const ref_system *s, double *to, const double *from)
{
    for (uint32_t r = 0; r < s->n_rows; r++) {
        to[r] = from[r];
    }
}

typedef struct newton {
    const ref_system *s;
    double dt;
    double (*goal)[3]; /* x~ */
    double (*x)[3];    /* unknown */
    double *lambda;    /* unknown */
    double *g, *h;     /* residuals: g [n_particles][3], h [n_rows] */
    double *weight;    /* of a row: 1 / (grad C W grad C^T + alpha~) at the start */
    double *mobility;  /* grad C W grad C^T of a row */
    int *unknown;      /* [n_particles][3] number, or -1 */
    uint32_t n_coordinates;
    ref_sparse A;
} newton;

static bool is_free(const ref_system *s, uint32_t particle, int axis)
{
    return s->w[particle] > 0.0 && !(s->plane && axis == 2);
}

/* Add the element's part to the residuals, and to the matrix where wanted. */
static void add_element(newton *n, const ref_element *e, bool matrix)
{
    const ref_system *s = n->s;
    const ref_constraint *c = &s->constraint[e->constraint];
    ref_rows rows;
    double x[REF_CORNERS][3];
    for (int i = 0; i < REF_CORNERS; i++) {
        memcpy(x[i], n->x[e->corner[i]], sizeof x[i]);
    }
    ref_evaluate(e->type, (const double(*)[3])x, e->rest, &rows);
    for (int r = 0; r < rows.n_rows; r++) {
        const uint32_t row = c->row + (uint32_t)r;
        const double factor =
            c->n_rows ? -n->lambda[row] : n->dt * n->dt * c->stiffness; /* of C in the energy */
        if (c->n_rows) {
            n->h[row] += rows.C[r];
        }
        for (int i = 0; i < rows.n_variables; i++) {
            const uint32_t particle = e->corner[i / 3];
            const int place = n->unknown[3 * particle + (uint32_t)(i % 3)];
            if (place < 0) {
                continue;
            }
            n->g[3 * particle + (uint32_t)(i % 3)] += factor * rows.gradient[r][i];
            if (c->n_rows) {
                n->mobility[row] += s->w[particle] * rows.gradient[r][i] * rows.gradient[r][i];
            }
            for (int j = 0; j < rows.n_variables && matrix; j++) {
                const int other = n->unknown[3 * e->corner[j / 3] + (uint32_t)(j % 3)];
                /* Linear rows have no Hessian, and zeros would fill the factors. */
                if (other >= 0 && rows.hessian[r][i][j] != 0.0) {
                    ref_sparse_add(&n->A, (uint32_t)place, (uint32_t)other,
                                   factor * rows.hessian[r][i][j]);
                }
            }
            if (matrix && c->n_rows && rows.gradient[r][i] != 0.0) {
                const uint32_t at = n->n_coordinates + row;
                ref_sparse_add(&n->A, (uint32_t)place, at, -rows.gradient[r][i]);
                ref_sparse_add(&n->A, at, (uint32_t)place, rows.gradient[r][i]);
            }
        }
    }
}

/* h = C + alpha~ lambda of all rows; those of a side that does not hold become d lambda, and their
 * row of the matrix that of lambda alone. */
static void finish_rows(newton *n, bool matrix)
{
    const ref_system *s = n->s;
    const double per = 1.0 / (n->dt * n->dt);
    for (uint32_t k = 0; k < s->n_constraints; k++) {
        const ref_constraint *c = &s->constraint[k];
        for (int r = 0; r < c->n_rows; r++) {
            const uint32_t row = c->row + (uint32_t)r, at = n->n_coordinates + row;
            n->h[row] -= c->offset;
            for (int q = 0; q < c->n_rows; q++) {
                const double alpha = per * c->compliance[r][q];
                n->h[row] += alpha * n->lambda[c->row + (uint32_t)q];
                if (matrix && alpha != 0.0) {
                    ref_sparse_add(&n->A, at, n->n_coordinates + c->row + (uint32_t)q, alpha);
                }
            }
            const double d = n->weight[row] > 0.0 ? 1.0 / n->weight[row] : 1.0;
            if (c->side && c->side * (n->h[row] - d * n->lambda[row]) > 0.0) {
                n->h[row] = d * n->lambda[row];
                for (uint32_t i = 0; matrix && i < n->A.n_entries; i++) {
                    struct ref_entry *entry = &n->A.entry[i];
                    entry->value = entry->row == at ? 0.0 : entry->value;
                }
                if (matrix) {
                    ref_sparse_add(&n->A, at, at, d);
                }
            }
        }
    }
}

/* Residuals at x, lambda, and the matrix where wanted. */
static void evaluate(newton *n, bool matrix)
{
    const ref_system *s = n->s;
    memset(n->h, 0, s->n_rows * sizeof *n->h);
    memset(n->mobility, 0, s->n_rows * sizeof *n->mobility);
    n->A.n_entries = 0;
    n->A.n = n->n_coordinates + s->n_rows;
    for (uint32_t i = 0; i < 3 * s->n_particles; i++) {
        const uint32_t p = i / 3, k = i % 3;
        const double m = n->unknown[i] < 0 || s->massless[p] ? 0.0 : 1.0 / s->w[p];
        n->g[i] = m * (n->x[p][k] - n->goal[p][k]);
        if (matrix && m > 0.0) {
            ref_sparse_add(&n->A, (uint32_t)n->unknown[i], (uint32_t)n->unknown[i], m);
        }
    }
    for (uint32_t e = 0; e < s->n_elements; e++) {
        add_element(n, &s->element[e], matrix);
    }
    finish_rows(n, matrix);
}

static double merit(const newton *n)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < 3 * n->s->n_particles; i++) {
        sum += 0.5 * n->s->w[i / 3] * n->g[i] * n->g[i];
    }
    for (uint32_t r = 0; r < n->s->n_rows; r++) {
        sum += 0.5 * n->weight[r] * n->h[r] * n->h[r];
    }
    return sum;
}

/* x, lambda: where to start, or null for x~ and 0. */
static void begin(newton *n, const ref_system *s, double dt, const double (*x)[3],
                  const double *lambda)
{
    *n = (newton){.s = s, .dt = dt};
    n->goal = ref_zeroed(s->n_particles, sizeof *n->goal);
    n->x = ref_zeroed(s->n_particles, sizeof *n->x);
    n->lambda = ref_zeroed(s->n_rows, sizeof *n->lambda);
    n->g = ref_zeroed(3 * (size_t)s->n_particles, sizeof *n->g);
    n->h = ref_zeroed(s->n_rows, sizeof *n->h);
    n->weight = ref_zeroed(s->n_rows, sizeof *n->weight);
    n->mobility = ref_zeroed(s->n_rows, sizeof *n->mobility);
    n->unknown = ref_zeroed(3 * (size_t)s->n_particles, sizeof *n->unknown);
    for (uint32_t i = 0; i < 3 * s->n_particles; i++) {
        const uint32_t p = i / 3, k = i % 3;
        const bool moves = is_free(s, p, (int)k);
        n->unknown[i] = moves ? (int)n->n_coordinates++ : -1;
        n->goal[p][k] = s->x[p][k] + dt * s->v[p][k];
        n->goal[p][k] +=
            moves && !s->massless[p] ? dt * dt * (s->gravity[k] + s->w[p] * s->force[p][k]) : 0.0;
        n->x[p][k] = x && moves ? x[p][k] : n->goal[p][k];
    }
    if (lambda) {
        copy_rows(s, n->lambda, lambda);
    }
    evaluate(n, false);
    for (uint32_t k = 0; k < s->n_constraints; k++) {
        const ref_constraint *c = &s->constraint[k];
        for (int r = 0; r < c->n_rows; r++) {
            const double d = n->mobility[c->row + (uint32_t)r] + c->compliance[r][r] / (dt * dt);
            n->weight[c->row + (uint32_t)r] = d > 0.0 ? 1.0 / d : 1.0;
        }
    }
    evaluate(n, true);
}

static void end(newton *n)
{
    free(n->goal);
    free(n->x);
    free(n->lambda);
    free(n->g);
    free(n->h);
    free(n->weight);
    free(n->mobility);
    free(n->unknown);
    free(n->A.entry);
}

static void move(newton *n, const double *step, double length)
{
    for (uint32_t i = 0; i < 3 * n->s->n_particles; i++) {
        if (n->unknown[i] >= 0) {
            n->x[i / 3][i % 3] += length * step[n->unknown[i]];
        }
    }
    for (uint32_t r = 0; r < n->s->n_rows; r++) {
        n->lambda[r] += length * step[n->n_coordinates + r];
    }
}

/* Largest coordinate of the step, over the size of the whole. */
static double relative_size(const newton *n, const double *step)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double extent = 0.0, size = 0.0;
    for (uint32_t i = 0; i < 3 * n->s->n_particles; i++) {
        low[i % 3] = fmin(low[i % 3], n->x[i / 3][i % 3]);
        high[i % 3] = fmax(high[i % 3], n->x[i / 3][i % 3]);
        size = n->unknown[i] < 0 ? size : fmax(size, fabs(step[n->unknown[i]]));
    }
    for (int k = 0; k < 3; k++) {
        extent = fmax(extent, high[k] - low[k]);
    }
    return size / fmax(extent, 1e-300);
}

static ref_solution iterate(newton *n)
{
    enum { ITERATIONS_MAX = 63, HALVINGS = 40 };
    ref_solution done = {.converged = n->A.n == 0};
    double *step = ref_zeroed(n->A.n, sizeof *step), now = merit(n);
    while (!done.converged && done.iterations < ITERATIONS_MAX) {
        done.merit[done.iterations++] = now;
        for (uint32_t i = 0; i < 3 * n->s->n_particles; i++) {
            if (n->unknown[i] >= 0) {
                step[n->unknown[i]] = -n->g[i];
            }
        }
        for (uint32_t r = 0; r < n->s->n_rows; r++) {
            step[n->n_coordinates + r] = -n->h[r];
        }
        if (!ref_sparse_solve(&n->A, step)) {
            break;
        }
        const double size = relative_size(n, step);
        double length = 1.0, then = 0.0;
        int halvings = 0;
        move(n, step, length);
        evaluate(n, true); /* the full step is taken nearly always: its matrix is the next one */
        while (!((then = merit(n)) <= (1.0 - 2e-4 * length) * now) && halvings++ < HALVINGS &&
               size > ROUNDING) {
            length *= 0.5;
            move(n, step, -length);
            evaluate(n, true);
        }
        done.converged = size <= ROUNDING || (halvings > HALVINGS && size <= STALLED);
        if (halvings > HALVINGS) {
            break;
        }
        now = then;
    }
    done.merit[done.iterations] = now;
    for (uint32_t i = 0; i < 3 * n->s->n_particles; i++) {
        done.g += n->s->w[i / 3] * n->g[i] * n->g[i];
    }
    done.g = sqrt(done.g);
    for (uint32_t r = 0; r < n->s->n_rows; r++) {
        done.h = fmax(done.h, fabs(n->h[r]));
    }
    free(step);
    return done;
}

ref_solution ref_step_from(ref_system *s, double dt, const double (*x)[3], const double *lambda)
{
    newton n;
    begin(&n, s, dt, x, lambda);
    const ref_solution done = iterate(&n);
    for (uint32_t i = 0; i < 3 * s->n_particles; i++) {
        const uint32_t p = i / 3, k = i % 3;
        const double before = s->x[p][k];
        s->x[p][k] = n.x[p][k];
        s->v[p][k] = (s->x[p][k] - before) / dt;
    }
    copy_rows(s, s->lambda, n.lambda);
    end(&n);
    ref_turn_clusters(s);
    return done;
}

ref_solution ref_step(ref_system *s, double dt)
{
    return ref_step_from(s, dt, NULL, NULL);
}

/* Steps of growing length from rest: each is a minimum of energy + m (x - x_before)^2 / (2 dt^2),
 * so the end is a stable state. */
ref_solution ref_rest(ref_system *s, double dt)
{
    enum { STEPS_MAX = 400 };
    const size_t bytes = s->n_particles * sizeof *s->x;
    double(*before)[3] = ref_zeroed(s->n_particles, sizeof *before);
    double *lambda = ref_zeroed(s->n_rows, sizeof *lambda);
    ref_solution done = {.converged = false};
    double moved = INFINITY, size = 0.0;
    for (int k = 0; k < STEPS_MAX && !(done.converged && moved <= ROUNDING * size); k++) {
        memcpy(before, s->x, bytes);
        copy_rows(s, lambda, s->lambda);
        memset(s->v, 0, bytes);
        done = k ? ref_step_from(s, dt, (const double(*)[3])s->x, s->lambda) : ref_step(s, dt);
        double change = 1.0;
        if (done.converged) {
            moved = size = 0.0;
            for (uint32_t i = 0; i < 3 * s->n_particles; i++) {
                moved = fmax(moved, fabs(s->x[i / 3][i % 3] - before[i / 3][i % 3]));
                size = fmax(size, fabs(s->x[i / 3][i % 3]));
            }
            change = dt < 1e2 ? 2.0 : 1.0;
        } else {
            memcpy(s->x, before, bytes);
            copy_rows(s, s->lambda, lambda);
            change = 0.25;
        }
        if (done.converged && moved <= ROUNDING * size) {
            break;
        }
        dt *= change;
        for (uint32_t r = 0; r < s->n_rows; r++) {
            s->lambda[r] *= change * change;
        }
    }
    /* lambda / dt^2 is the force: leave those of 1 s. */
    for (uint32_t r = 0; r < s->n_rows; r++) {
        s->lambda[r] /= dt * dt;
    }
    memset(s->v, 0, bytes);
    free(before);
    free(lambda);
    return done;
}

ref_residual ref_residuals(const ref_system *s, const double (*x)[3], const double *lambda,
                           double dt)
{
    newton n;
    begin(&n, s, dt, NULL, NULL);
    ref_residual r = {.start = sqrt(2.0 * merit(&n))};
    memcpy(n.x, x, s->n_particles * sizeof *n.x);
    copy_rows(s, n.lambda, lambda);
    evaluate(&n, false);
    for (uint32_t i = 0; i < 3 * s->n_particles; i++) {
        r.g += s->w[i / 3] * n.g[i] * n.g[i];
    }
    r.g = sqrt(r.g);
    r.h = sqrt(fmax(0.0, 2.0 * merit(&n) - r.g * r.g));
    for (uint32_t k = 0; k < s->n_rows; k++) {
        r.h_max = fmax(r.h_max, fabs(n.h[k]));
    }
    end(&n);
    return r;
}
