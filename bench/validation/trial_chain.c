/* SPDX-License-Identifier: MIT
 *
 * Chains: the paper's falling one, and that of small steps.
 */
#include "bench/validation/validation.h"

#include <math.h>
#include <stdlib.h>

void val_run_chain(val_report *report);
void val_run_substeps(val_report *report);

enum { PARTICLES = 20, FRAMES = 100 };

/* From the origin along a direction, the first particle fixed; the last has another mass. */
static val_model *make_chain(double length, double dx, double dy, double alpha, double last)
{
    val_model *m = val_model_make();
    for (uint32_t i = 0; i < PARTICLES; i++) {
        val_particle(m, i * length * dx, i * length * dy, 0,
                     i == 0               ? 0
                     : i == PARTICLES - 1 ? 1 / last
                                          : 1);
        if (i > 0) {
            val_spring(m, i - 1, i, length, alpha);
        }
    }
    m->gravity[1] = -10;
    return m;
}

static const double dt = 1.0 / 60;

static void newton_forces(const val_model *m, double *force, double *worst_g)
{
    ref_system *s = val_reference(m);
    *worst_g = 0;
    for (int f = 0; f < FRAMES; f++) {
        const ref_solution done = ref_step(s, dt);
        *worst_g = done.converged ? fmax(*worst_g, done.g) : INFINITY;
        force[f] = fabs(s->lambda[0]) / (dt * dt);
    }
    ref_free(s);
}

static void library_forces(const val_model *m, uint32_t iterations, double *force)
{
    xpbd_world *w = val_world(m, "serial-gs", 1, iterations);
    for (int f = 0; f < FRAMES; f++) {
        val_steps(w, 1, dt);
        force[f] = fabs(val_lambda(w, XPBD_DISTANCE, 0)) / (dt * dt);
    }
    xpbd_world_destroy(w);
}

/* The same in double precision. */
static void method_forces(const val_model *m, uint32_t iterations, double *force)
{
    ref_system *s = val_reference(m);
    for (int f = 0; f < FRAMES; f++) {
        ref_xpbd(s, dt, iterations);
        force[f] = fabs(s->lambda[0]) / (dt * dt);
    }
    ref_free(s);
}

/* Largest difference, in percent of the peak. */
static double error_of(const double *force, const double *newton, double peak)
{
    double error = 0;
    for (int f = 0; f < FRAMES; f++) {
        error = fmax(error, 100 * fabs(force[f] - newton[f]) / peak);
    }
    return error;
}

void val_run_chain(val_report *report)
{
    static const struct {
        uint32_t iterations;
        double paper, golden;
    } row[] = {{50, 6, 1.01}, {100, 2, 0.41}, {1000, 0.5, 0.06}};
    val_about(report,
              "error = max<sub>t</sub> |f(t) − f<sub>N</sub>(t)| / max<sub>t</sub> "
              "f<sub>N</sub>(t), &nbsp; f = |λ| / Δt² of the first link",
              "20 particles of 1 kg, the first one fixed, released level; α = 1e−8 m/N, 100 "
              "frames. Links of 1 m, g = 10 m/s², Δt = 1/60 s, serial Gauss–Seidel from the fixed "
              "end.",
              "link length, g, time step, the starting pose, and of what the error is a part. Of "
              "the peak force, as here, the numbers are below the paper’s; frame by frame the "
              "first ones, with hardly any force, would dominate.");
    double newton[FRAMES], force[FRAMES], peak = 0, g, before = 100;
    val_model *m = make_chain(1, 1, 0, 1e-8, 1);
    newton_forces(m, newton, &g);
    for (int f = 0; f < FRAMES; f++) {
        peak = fmax(peak, newton[f]);
    }
    val_at_most(report, "Newton’s residual g, worst frame, kg<sup>1/2</sup> m", 1e-11, g,
                "positions of 20 m in double: 20 · 2<sup>−52</sup> times some hundred operations");
    val_show(report, "peak force of Newton, N", peak, "");
    val_plot *p = val_add_plot(report, "Force at the fixed particle", "frame", "N", false, false);
    val_plot *q = val_add_plot(report, "Difference to Newton’s force", "frame", "N", false, true);
    /* alpha = 1e-8 m/N: half an ulp of a link of 1 m is a force of 2^-24 / alpha = 6 N. */
    const double resolution = 100 * 0x1p-24 / (1e-8 * peak);
    for (uint32_t i = 0; i < VAL_COUNT(row); i++) {
        val_curve *c = val_add_curve(p, val_text("%u iterations", row[i].iterations));
        val_curve *d = val_add_curve(q, val_text("%u iterations", row[i].iterations));
        library_forces(m, row[i].iterations, force);
        for (int f = 0; f < FRAMES; f++) {
            val_point(c, f + 1, force[f]);
            val_point(d, f + 1, fabs(force[f] - newton[f]));
        }
        val_at_most(report, val_text("error with %u iterations, %%", row[i].iterations),
                    row[i].paper + resolution, error_of(force, newton, peak),
                    "the paper’s number, and half an ulp of a link over α: 6 N");
        if (row[i].iterations > 100 && !report->full) {
            continue;
        }
        method_forces(m, row[i].iterations, force);
        const double error = error_of(force, newton, peak);
        val_at_most(report, "the same method in double precision", row[i].paper, error,
                    "printed in the paper");
        val_near(report, "and against an independent computation", row[i].golden, error, 0.005,
                 "recomputed elsewhere, to two digits after the point");
        val_at_most(report, "it falls with the iterations", before, error, "the row before");
        before = error;
    }
    val_curve *c = val_add_curve(p, "Newton");
    for (int f = 0; f < FRAMES; f++) {
        val_point(c, f + 1, newton[f]);
    }
    val_model_free(m);
}

/* The largest error of the last particle's position in some frames, of the inextensible chain that
 * hangs still. */
static double worst(const val_model *m, uint32_t substeps, uint32_t iterations, uint32_t frames,
                    val_curve *curve, double *force)
{
    xpbd_world *w = val_world(m, "serial-gs", substeps, iterations);
    double most = 0;
    for (uint32_t f = 0; f < frames; f++) {
        val_steps(w, 1, dt);
        float(*x)[3] = val_positions(w, m->n);
        const double error = fabs((double)x[m->n - 1][1] - (double)m->x[m->n - 1][1]);
        free(x);
        most = fmax(most, error);
        if (curve) {
            val_point(curve, (f + 1) * dt, error);
        }
    }
    *force = fabs(val_lambda(w, XPBD_DISTANCE, 0)) * (substeps * substeps) / (dt * dt);
    xpbd_world_destroy(w);
    return most;
}

/* The same in double precision. */
static double worst_in_double(const val_model *m, uint32_t substeps, uint32_t iterations,
                              uint32_t frames)
{
    ref_system *s = val_reference(m);
    double most = 0;
    for (uint32_t f = 0; f < frames; f++) {
        for (uint32_t k = 0; k < substeps; k++) {
            ref_xpbd(s, dt / substeps, iterations);
        }
        most = fmax(most, fabs(s->x[m->n - 1][1] - (double)m->x[m->n - 1][1]));
    }
    ref_free(s);
    return most;
}

static void compare_heavy(val_report *report)
{
    enum { LONG = 430, SHORT = 60 }; /* the worst are in frames 421 and 42 */
    double force;
    val_model *m = make_chain(0.01, 0, -1, 0, 1e5);
    val_plot *p =
        val_add_plot(report, "Error of the heavy particle’s position", "time, s", "m", false, true);
    const double once =
        worst(m, 1, 100, LONG, val_add_curve(p, "1 substep × 100 iterations"), &force);
    const double many =
        worst(m, 100, 1, LONG, val_add_curve(p, "100 substeps × 1 iteration"), &force);
    /* Each sweep moves the heavy particle by g dt^2 / n, in float a multiple of the ulp where it
     * is: 2^-17 m at 64 m, 2^-23 m at 1 m. */
    const double h = dt / 100, still = 1e5 * 10 * h * h * 18;
    const double coarse = 0x1p-18 / (10 * dt * dt / 100), fine = 0x1p-24 / (10 * h * h);
    val_near(report, "worst error, 1 × 100 iterations, m", 99.42, once, 99.42 * coarse,
             "half an ulp at 64 m beside g Δt² / 100 of one sweep");
    val_near(report, "worst error, 100 substeps × 1, m", 0.9995, many, 0.9995 * fine,
             "half an ulp at 1 m beside g Δt² of a substep");
    val_near(report, "ratio", 99.5, once / many, 99.5 * (coarse + fine),
             "both of these; the paper has 100.7");
    const double exact = worst_in_double(m, 100, 1, SHORT);
    val_near(report, "100 substeps × 1 in double precision, m", 0.9995, exact, 0.00005,
             "recomputed elsewhere, to four digits");
    val_near(report, "the same, as part of twice the static error", 1, exact / (2 * still), 1e-3,
             "M g Δt² 18 / m; the swing is cut into 4,000 substeps: 1e−3");
    if (report->full) {
        const double far = worst_in_double(m, 1, 100, LONG);
        val_near(report, "1 × 100 in double precision, m", 99.42, far, 0.005,
                 "recomputed elsewhere, to four digits");
        val_near(report, "ratio in double precision", 99.5, far / exact, 0.05, "recomputed");
    }
    val_model_free(m);
}

void val_run_substeps(val_report *report)
{
    enum { LONG = 60 };
    const double h = dt / 100;
    double force;
    val_about(report,
              "per sweep a link is over-stretched by what the next one corrects: static "
              "error M g Δt² (n − 1) / m with Δt the substep, twice that when let go",
              "20 particles of 1 kg, the first one fixed, hanging straight; links of 0.01 m, α = "
              "0, frames of 1/60 s, g = 10 m/s²; the last particle of 100,000 kg, then of 1 kg. "
              "Serial Gauss–Seidel from the fixed end.",
              "the frame time and the relaxation of the paper’s Jacobi, so that its 322.1 m and "
              "3.2 m are not reproduced: their ratio, 100.7, is. A frame of 0.03 s would give "
              "both.");
    compare_heavy(report);
    val_model *m = make_chain(0.01, 0, -1, 0, 1);
    worst(m, 1, 100, LONG, NULL, &force);
    val_near(report, "force at the top, equal masses, 1 × 100, N", 190, force, 190 * 1e-3,
             "19 kg · g; printed in the paper. 0.1 % is the last digit of it");
    worst(m, 100, 1, LONG, NULL, &force);
    val_near(report, "force at the top, equal masses, 100 × 1, N", 190, force,
             0x1p-27 / (h * h) * 20 + 190e-3,
             "the same, and 20 roundings of a coordinate of 0.2 m over Δt²");
    val_model_free(m);
}
