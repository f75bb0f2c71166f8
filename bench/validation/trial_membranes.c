/* SPDX-License-Identifier: MIT
 *
 * Membranes in their plane: the paper's cantilever, and beam theory under refinement.
 */
#include "bench/validation/validation.h"

#include <math.h>
#include <stdlib.h>

void val_run_cantilever(val_report *report);
void val_run_beam(val_report *report);

static const double step = 0.008;
enum { FRAMES = 50, MIDDLE = 25 };

static val_model *make_cantilever(bool full)
{
    val_model *m = val_model_make();
    val_strip(m, full ? 16 : 8, full ? 4 : 2, 2, 0.5, 1e5, 0.3, 100);
    m->gravity[1] = -10;
    return m;
}

/* Root mean square of h after n iterations of a step from this state. */
static double residual_after(const val_model *m, const ref_system *from, const char *scheduler,
                             uint32_t n)
{
    xpbd_diagnostics d;
    xpbd_world *w = val_world(m, scheduler, 1, n);
    val_copy_state(w, from);
    val_steps(w, 1, step);
    xpbd_world_diagnose(w, &d);
    xpbd_world_destroy(w);
    return d.residual_rms;
}

static void draw_residuals(val_report *report, const val_model *m, const ref_system *from)
{
    static const char *const scheduler[] = {"serial-gs", "colored-gs", "jacobi",
                                            "jacobi-mass-splitting"};
    val_plot *p = val_add_plot(report, "Residual ‖h‖ of one step, frame 25", "iterations",
                               "root mean square", false, true);
    double fall[4];
    for (uint32_t i = 0; i < 4; i++) {
        val_curve *c = val_add_curve(p, scheduler[i]);
        double rise = 0;
        uint32_t last = 0;
        for (uint32_t n = 0; n <= 60; n += 4) {
            val_point(c, n, residual_after(m, from, scheduler[i], n));
            /* Half an ulp of 2 m in an element of 1/8 m: below ten such strains it is noise. */
            if (n > 0 && c->y[n / 4] > 10 * 0x1p-23 * 8) {
                rise = fmax(rise, c->y[n / 4] / c->y[n / 4 - 1]);
                last = n / 4;
            }
        }
        fall[i] = pow(c->y[last] / c->y[0], 0.25 / last);
        val_at_most(report,
                    val_text("residual of %s, largest ratio over 4 iterations", scheduler[i]), 1,
                    rise, "it falls, nearly straight in the paper’s logarithmic plot");
        val_show(report, "its factor per iteration", fall[i], "down to ten roundings");
    }
    val_at_most(report, "Jacobi’s factor is nearer to 1: ratio of logarithms", 1,
                log(fall[2]) / log(fall[0]), "the order of the paper’s curves");
}

void val_run_cantilever(val_report *report)
{
    val_about(report, "E = ½ (FᵀF − 1), &nbsp; K of plane stress, &nbsp; α = (K A)<sup>−1</sup>",
              "A strip of 2 m × 0.5 m clamped on the left, StVK triangles, E = 1e5 (N/m for a "
              "membrane), ν = 0.3, 100 kg/m², g = 10 m/s², Δt = 0.008 s, 50 frames, 20 iterations.",
              "the geometry, density and mesh, and the residuals in numbers: the paper has "
              "curves. “Indistinguishable” is taken as 1/200 of the beam’s length, a line’s width "
              "in its picture.");
    val_model *m = make_cantilever(report->full);
    ref_system *s = val_reference(m);
    xpbd_world *w = val_world(m, "serial-gs", 1, 20);
    val_plot *p = val_add_plot(report, "Free end", "frame", "y, m", false, false);
    val_curve *library = val_add_curve(p, "XPBD, 20 iterations");
    val_curve *newton = val_add_curve(p, "Newton");
    double worst = 0, deepest = 0;
    for (int f = 1; f <= FRAMES; f++) {
        val_steps(w, 1, step);
        const bool converged = ref_step(s, step).converged;
        worst = converged ? fmax(worst, val_distance(w, s)) : INFINITY;
        float(*x)[3] = val_positions(w, m->n);
        val_point(library, f, (double)x[m->n - 1][1]);
        val_point(newton, f, s->x[m->n - 1][1]);
        deepest = fmax(deepest, 0.5 - s->x[m->n - 1][1]);
        free(x);
        if (f == MIDDLE) {
            draw_residuals(report, m, s);
        }
    }
    val_at_most(report, "largest distance of a particle to Newton’s, of the length", 0.005,
                worst / 2, "a line’s width: 1/200");
    val_show(report, "deepest point of the free end, m", deepest, "");
    xpbd_world_destroy(w);
    ref_free(s);
    val_model_free(m);
}

enum { LENGTH = 1 };
static const double height = 0.1, Eh = 1e6, deflection = 0.01;

/* A clamped beam under a load at its end, or its weight, that theory lets sink by 0.01 m. */
static val_model *make_beam(uint32_t rows, bool weight, ref_system **reference, double *load)
{
    const double EI = Eh * height * height * height / 12, L = LENGTH, area = height * Eh;
    const uint32_t columns = 10 * rows;
    val_model *m = val_model_make();
    val_strip(m, columns, rows, L, height, Eh, 0, 10);
    if (weight) {
        /* w L^4 / 8 E I + w L^2 / 2 k G A, of shear; G = E / 2, k = 5/6. */
        const double w = deflection / (pow(L, 4) / (8 * EI) + L * L / (2 * (5.0 / 6) * 0.5 * area));
        m->gravity[1] = (float)(-w / (10 * height));
    }
    *reference = val_reference(m);
    *load = 0;
    if (!weight) {
        const double P = deflection / (pow(L, 3) / (3 * EI) + L / ((5.0 / 6) * 0.5 * area));
        for (uint32_t j = 0; j <= rows; j++) {
            const double part = (j == 0 || j == rows ? 0.5 : 1.0) / rows;
            (*reference)->force[j * (columns + 1) + columns][1] = -P * part;
        }
        *load = P;
    }
    return m;
}

/* Sinking of the end, by Newton: of its middle, or near it where there is no particle. */
static double sinking(uint32_t rows, bool weight)
{
    ref_system *s;
    double load;
    val_model *m = make_beam(rows, weight, &s, &load);
    const bool found = ref_rest(s, 0.003).converged;
    const uint32_t end = (rows / 2) * (10 * rows + 1) + 10 * rows;
    const double y = found ? (double)m->x[end][1] - s->x[end][1] : INFINITY;
    ref_free(s);
    val_model_free(m);
    return y;
}

/* The library on the coarsest mesh, to rest. */
static void coarse_in_library(val_report *report)
{
    ref_system *s;
    double load;
    const double dt = 1.0 / 960;
    val_model *m = make_beam(2, true, &s, &load);
    xpbd_world *w = val_world(m, "serial-gs", 1, 400);
    val_settle(w, m->n, 1440, dt, 0.9);
    ref_rest(s, 0.003);
    /* Half an ulp of 1 m over elements of 1/20 m is a strain of 2^-24 * 20; one such at both faces
     * bends a beam to 2 strain / height, and its end by half of that. A particle stalls where less
     * than half an ulp a step is missing of its weight. */
    const double stall = 0x1p-24 / (dt * dt) / fabs((double)m->gravity[1]) * deflection;
    val_near(report, "library against Newton on 20 × 2 cells, largest distance, m", 0,
             val_distance(w, s), 0x1p-24 * 20 * 2 / height / 2 + stall,
             "half an ulp of 1 m: as strain in elements of 0.05 m, and as acceleration at Δt = "
             "1/960 s");
    xpbd_world_destroy(w);
    ref_free(s);
    val_model_free(m);
}

void val_run_beam(val_report *report)
{
    val_about(report,
              "δ = P L³ / 3 E I + P L / κ G A, &nbsp; δ = w L⁴ / 8 E I + w L² / 2 κ G A, "
              "&nbsp; κ = 5/6",
              "A strip of 1 m × 0.1 m of linear triangles, ν = 0, load such that theory says δ = "
              "0.01 m; 20 × 2, 40 × 4 cells and so on, the reference at rest. Linear triangles "
              "lock: coarse meshes are too stiff, and the error falls with the square of their "
              "size.",
              NULL);
    val_plot *p = val_add_plot(report, "Deflection as a part of theory’s", "cells across",
                               "δ / theory", true, false);
    const uint32_t finest = report->full ? 8 : 4;
    for (int weight = 0; weight < 2; weight++) {
        val_curve *c = val_add_curve(p, weight ? "own weight" : "load at the end");
        for (uint32_t rows = 2; rows <= finest; rows *= 2) {
            const double y = sinking(rows, weight);
            val_point(c, rows, y / deflection);
            val_show(report, val_text("%s, %u × %u cells, m", c->name, 10 * rows, rows), y,
                     "Newton, double precision");
        }
        /* Locking adds a stiffness in proportion to the square of the cells. */
        const double *y = &c->y[c->n - 1];
        if (report->full) {
            val_near(report, "order of convergence of the stiffness", 2,
                     log2((1 / y[-2] - 1 / y[-1]) / (1 / y[-1] - 1 / y[0])), 0.1,
                     "linear elements");
        }
        val_near(report, "limit of the stiffness, of theory’s", 1,
                 1 / y[0] + (1 / y[0] - 1 / y[-1]) / 3, 0.01,
                 "(height / length)² = 1 %: what beam theory leaves out");
    }
    if (report->full) {
        coarse_in_library(report);
    }
}
