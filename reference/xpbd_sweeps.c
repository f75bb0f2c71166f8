/* SPDX-License-Identifier: MIT
 *
 * Algorithm 1 of [XPBD16] in double precision, block after block in the order of addition: what the
 * method itself does, without the rounding of float. Rows of a constraint are solved together.
 */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Solve the symmetric A x = b of n rows in place by elimination with pivots on the diagonal; rows
 * without one get 0. */
static void solve_block(int n, double A[REF_ROWS][REF_ROWS], double *b)
{
    for (int i = 0; i < n; i++) {
        for (int r = i + 1; r < n && A[i][i] > 0.0; r++) {
            const double f = A[r][i] / A[i][i];
            for (int c = i; c < n; c++) {
                A[r][c] -= f * A[i][c];
            }
            b[r] -= f * b[i];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int c = i + 1; c < n; c++) {
            b[i] -= A[i][c] * b[c];
        }
        b[i] = A[i][i] > 0.0 ? b[i] / A[i][i] : 0.0;
    }
}

static void project(ref_system *s, const ref_element *e, double dt)
{
    const ref_constraint *c = &s->constraint[e->constraint];
    ref_rows rows;
    double x[REF_CORNERS][3], A[REF_ROWS][REF_ROWS], b[REF_ROWS];
    for (int i = 0; i < REF_CORNERS; i++) {
        memcpy(x[i], s->x[e->corner[i]], sizeof x[i]);
    }
    ref_evaluate(e->type, (const double(*)[3])x, e->rest, &rows);
    for (int r = 0; r < rows.n_rows; r++) {
        b[r] = -rows.C[r];
        for (int q = 0; q < rows.n_rows; q++) {
            const double alpha = c->compliance[r][q] / (dt * dt);
            A[r][q] = alpha;
            b[r] -= alpha * s->lambda[c->row + (uint32_t)q];
            for (int i = 0; i < rows.n_variables; i++) {
                A[r][q] += s->w[e->corner[i / 3]] * rows.gradient[r][i] * rows.gradient[q][i];
            }
        }
    }
    solve_block(rows.n_rows, A, b);
    for (int r = 0; r < rows.n_rows; r++) {
        double *lambda = &s->lambda[c->row + (uint32_t)r];
        double then = *lambda + b[r];
        then = c->side * then < 0.0 ? 0.0 : then;
        for (int i = 0; i < rows.n_variables; i++) {
            const uint32_t p = e->corner[i / 3];
            s->x[p][i % 3] += s->w[p] * rows.gradient[r][i] * (then - *lambda);
        }
        *lambda = then;
    }
}

void ref_xpbd(ref_system *s, double dt, uint32_t iterations)
{
    double(*before)[3] = ref_zeroed(s->n_particles, sizeof *before);
    memcpy(before, s->x, s->n_particles * sizeof *before);
    for (uint32_t r = 0; r < s->n_rows; r++) {
        s->lambda[r] = 0.0;
    }
    for (uint32_t i = 0; i < 3 * s->n_particles; i++) {
        const uint32_t p = i / 3, k = i % 3;
        const double a = s->w[p] > 0.0 ? s->gravity[k] + s->w[p] * s->force[p][k] : 0.0;
        s->x[p][k] += dt * (s->v[p][k] + dt * a);
    }
    for (uint32_t n = 0; n < iterations; n++) {
        for (uint32_t e = 0; e < s->n_elements; e++) {
            project(s, &s->element[e], dt);
        }
    }
    for (uint32_t i = 0; i < 3 * s->n_particles; i++) {
        s->v[i / 3][i % 3] = (s->x[i / 3][i % 3] - before[i / 3][i % 3]) / dt;
    }
    free(before);
}
