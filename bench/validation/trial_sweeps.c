/* SPDX-License-Identifier: MIT
 *
 * Convergence of sweeps over a straight chain, where constraints are linear and everything has a
 * closed form; and momentum.
 */
#include "bench/validation/validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void val_run_sweeps(val_report *report);
void val_run_momentum(val_report *report);

enum { LINKS = 19, HANGING = 10 };

/* Length at rest of a hanging chain of links of 1 m and 1 kg, less theirs. */
static double hang(double alpha, bool upwards, double *top)
{
    val_model *m = val_model_make();
    for (uint32_t i = 0; i <= HANGING; i++) {
        val_particle(m, 0, 5.0 - i, 0, i ? 1 : 0);
    }
    for (uint32_t i = 0; i < HANGING; i++) {
        const uint32_t a = upwards ? HANGING - 1 - i : i;
        val_spring(m, a, a + 1, 1, alpha);
    }
    m->gravity[1] = -10;
    xpbd_world *w = val_world(m, "serial-gs", 1, 1);
    val_steps(w, 6000, 1.0 / 60);
    float(*x)[3] = val_positions(w, m->n);
    const double stretch = 5.0 - HANGING - (double)x[HANGING][1];
    *top = -val_lambda(w, XPBD_DISTANCE, upwards ? HANGING - 1 : 0) * 3600;
    free(x);
    xpbd_world_destroy(w);
    val_model_free(m);
    return stretch;
}

static void one_sweep(val_report *report)
{
    /* At rest a particle's acceleration is below an ulp of 2^-21 m a step; link j carries the
     * masses below it: 55 alpha times that in the length, 10 times in the force. */
    const double force_error = 10 * 0x1p-21 * 3600;
    for (int stiff = 0; stiff < 2; stiff++) {
        for (int upwards = 0; upwards < 2; upwards++) {
            const double alpha = stiff ? 0 : 1e-3, elastic = alpha * 10 * 55;
            const double more = 10.0 / 3600 * (upwards ? 54 : 45);
            double top, length = hang(alpha, upwards, &top);
            val_near(report,
                     val_text("stretch after one sweep a step, α = %g m/N, %s, m", alpha,
                              upwards ? "from the bottom up" : "from the top down"),
                     elastic + more, length, 55 * 0x1p-21 * 3600 * alpha + 10 * 0x1p-21,
                     "α m g n (n + 1) / 2 + g Δt² n (n − 1) / 2, upwards n (n + 1) / 2 − 1; an "
                     "ulp of 2<sup>−21</sup> m per particle and step");
            val_near(report, "force at the top, N", 100, top, force_error,
                     "exact in one sweep; the same rounding");
        }
    }
}

/* A chain on the x axis whose links are off by a half sine. */
static val_model *make_line(bool pinned, double alpha)
{
    const double length = 1.0 / 16;
    val_model *m = val_model_make();
    double x = -0.5 * LINKS * length;
    for (uint32_t i = 0; i <= LINKS; i++) {
        val_particle(m, x, 0, 0, pinned && i == 0 ? 0 : 1);
        x += length + 0.02 * sin(VAL_PI * (i + 1) / (LINKS + 1));
        if (i > 0) {
            val_spring(m, i - 1, i, length, alpha);
        }
    }
    return m;
}

/* Norm of the residual after n sweeps. */
static double residual_after(const val_model *m, const char *scheduler, uint32_t n)
{
    xpbd_world *w = val_world(m, scheduler, 1, n);
    xpbd_diagnostics d;
    val_steps(w, 1, 1.0);
    xpbd_world_diagnose(w, &d);
    xpbd_world_destroy(w);
    return d.residual_rms;
}

/* A of the links: grad C W N^-1 grad C^T, and what a scheduler divides by. */
static void chain_matrix(const val_model *m, const char *scheduler, double alpha, double *A,
                         double *D)
{
    const bool averaged = !strcmp(scheduler, "jacobi");
    const bool split = !strcmp(scheduler, "jacobi-mass-splitting");
    memset(A, 0, LINKS * LINKS * sizeof *A);
    for (int j = 0; j < LINKS; j++) {
        D[j] = alpha;
        for (int end = 0; end < 2; end++) {
            const int particle = j + end;
            const double n = particle == 0 || particle == LINKS ? 1 : 2;
            const double w = (double)m->w[particle], part = averaged ? w / n : w;
            const int next = end ? j + 1 : j - 1;
            D[j] += split ? n * w : w;
            A[j * LINKS + j] += part;
            if (next >= 0 && next < LINKS) {
                A[j * LINKS + next] -= part;
            }
        }
        A[j * LINKS + j] += alpha;
    }
}

/* Measured in float between `from` and 2 `from` sweeps. The start is near the slowest mode; others
 * are behind it by second^from. */
static double rate(const val_model *m, const char *scheduler, uint32_t from)
{
    const double a = residual_after(m, scheduler, from), b = residual_after(m, scheduler, 2 * from);
    return pow(b / a, 1.0 / from);
}

static double rounding_of_rate(const val_model *m, const char *scheduler, uint32_t from)
{
    return 0x1p-23 / residual_after(m, scheduler, 2 * from) / from;
}

static void library_rates(val_report *report)
{
    static const struct {
        const char *scheduler;
        bool pinned;
        double alpha;
        uint32_t from;
    } row[] = {{"serial-gs", false, 0, 100},
               {"colored-gs", false, 0, 100},
               {"serial-gs", true, 0, 200},
               {"colored-gs", true, 0, 200},
               {"serial-gs", false, 0.02, 60},
               {"jacobi", false, 0, 400},
               {"jacobi-mass-splitting", false, 0, 400}};
    for (uint32_t i = 0; i < VAL_COUNT(row); i++) {
        val_model *m = make_line(row[i].pinned, row[i].alpha);
        const bool jacobi = !strncmp(row[i].scheduler, "jacobi", 6);
        const double alpha = (double)(float)row[i].alpha;
        const double first = VAL_PI / (row[i].pinned ? 2 * LINKS : LINKS + 1);
        const double second = row[i].pinned ? 3 * first : 2 * first;
        double want = 2 * cos(first) / (2 + alpha), A[LINKS * LINKS], D[LINKS];
        want *= want;
        double behind = pow(cos(second) / cos(first), 2.0 * row[i].from);
        if (jacobi) {
            chain_matrix(m, row[i].scheduler, alpha, A, D);
            want = ref_spectral_radius(REF_SWEEP_JACOBI, LINKS, A, D, 1);
            /* Half a step of plain Jacobi, but for the ends. */
            behind = pow((1 + cos(second)) / (1 + cos(first)), row[i].from);
        }
        val_near(report,
                 val_text("rate of %s, %s%s", row[i].scheduler,
                          row[i].pinned ? "one end pinned" : "free ends",
                          alpha > 0 ? ", α / Δt² = 0.02 / kg" : ""),
                 want, rate(m, row[i].scheduler, row[i].from),
                 rounding_of_rate(m, row[i].scheduler, row[i].from) + behind / row[i].from,
                 jacobi ? "spectral radius of its matrix, in double precision"
                        : "cos² of π/(n + 1), or of π/2n if pinned; two colors are as fast as the "
                          "serial order");
        val_model_free(m);
    }
}

static void closed_forms(val_report *report, uint32_t n)
{
    double *A = ref_zeroed((size_t)n * n, sizeof *A);
    const double rho = cos(VAL_PI / (n + 1)), omega = 2 / (1 + sqrt(1 - rho * rho));
    for (uint32_t i = 0; i < n; i++) {
        A[i * n + i] = 2;
        if (i + 1 < n) {
            A[i * n + i + 1] = A[(i + 1) * n + i] = -1;
        }
    }
    val_near(report, val_text("ρ of Jacobi in double precision, %u links", n), rho,
             ref_spectral_radius(REF_SWEEP_JACOBI, n, A, NULL, 1), 1e-9, "cos(π/(n + 1))");
    val_near(report, "ρ of serial Gauss–Seidel", rho * rho,
             ref_spectral_radius(REF_SWEEP_SERIAL, n, A, NULL, 1), 1e-9, "ρ<sub>J</sub>²");
    val_near(report, "ρ of Gauss–Seidel in two colors", rho * rho,
             ref_spectral_radius(REF_SWEEP_TWO_COLORS, n, A, NULL, 1), 1e-9, "ρ<sub>J</sub>²");
    val_near(report, val_text("ρ of SOR at the optimal ω = %.4f", omega), omega - 1,
             ref_spectral_radius(REF_SWEEP_SERIAL, n, A, NULL, omega), 2e-4,
             "ω − 1; a double eigenvalue: its growth k ρ<sup>k</sup> is over by 1/k at k = 2e4");
    free(A);
}

void val_run_sweeps(val_report *report)
{
    static const char *const scheduler[] = {"serial-gs", "colored-gs", "jacobi",
                                            "jacobi-mass-splitting"};
    val_about(report,
              "ρ<sub>J</sub> = cos(π / (n + 1)), &nbsp; ρ<sub>GS</sub> = ρ<sub>J</sub>², "
              "&nbsp; ω = 2 / (1 + (1 − ρ<sub>J</sub>²)<sup>1/2</sup>), &nbsp; "
              "ρ<sub>SOR</sub> = ω − 1",
              "First the hanging chain of 10 links of 1 m and 1 kg, g = 10 m/s², Δt = 1/60 s, one "
              "serial sweep a step. Then 19 links in a straight line, masses of 1 kg: the "
              "residual’s fall per sweep.",
              NULL);
    one_sweep(report);
    library_rates(report);
    closed_forms(report, LINKS);
    if (report->full) {
        closed_forms(report, 64);
    }
    val_plot *p = val_add_plot(report, "Residual of 19 links, free ends", "iterations",
                               "root mean square of C, m", false, true);
    val_model *m = make_line(false, 0);
    for (uint32_t i = 0; i < VAL_COUNT(scheduler); i++) {
        val_curve *c = val_add_curve(p, scheduler[i]);
        for (uint32_t n = 0; n <= 400; n += 20) {
            val_point(c, n, residual_after(m, scheduler[i], n));
        }
    }
    val_model_free(m);
}

/* ------------------------------------------------------------------------------- momentum -- */

enum { SPOKES = 4, ITERATIONS = 400 };
static const double star[SPOKES + 1][3] = {
    {0, 0, 0}, {1.5, 0.1, 0}, {-0.2, 0.8, 0.3}, {-0.7, -0.4, 0}, {0.3, -1.2, 0.4}};

/* Averaged Jacobi on the star, in double precision: drift of the sum of positions. */
static void averaged(double drift[3])
{
    double x[SPOKES + 1][3], step[SPOKES + 1][3];
    for (int i = 0; i < 3 * (SPOKES + 1); i++) {
        x[i / 3][i % 3] = (double)(float)star[i / 3][i % 3];
    }
    memset(drift, 0, 3 * sizeof *drift);
    for (int n = 0; n < ITERATIONS; n++) {
        memset(step, 0, sizeof step);
        for (int j = 1; j <= SPOKES; j++) {
            double length = 0;
            for (int k = 0; k < 3; k++) {
                length += (x[0][k] - x[j][k]) * (x[0][k] - x[j][k]);
            }
            length = sqrt(length);
            for (int k = 0; k < 3; k++) {
                const double s = 0.5 * (1 - length) * (x[0][k] - x[j][k]) / length;
                step[0][k] += s / SPOKES;
                step[j][k] -= s;
            }
        }
        for (int i = 0; i < 3 * (SPOKES + 1); i++) {
            x[i / 3][i % 3] += step[i / 3][i % 3];
            drift[i % 3] += step[i / 3][i % 3];
        }
    }
}

static void library_drift(const char *scheduler, double drift[3])
{
    val_model *m = val_model_make();
    for (uint32_t i = 0; i <= SPOKES; i++) {
        val_particle(m, star[i][0], star[i][1], star[i][2], 1);
        if (i > 0) {
            val_spring(m, 0, i, 1, 0);
        }
    }
    xpbd_world *w = val_world(m, scheduler, 1, ITERATIONS);
    val_steps(w, 1, 1.0);
    float(*x)[3] = val_positions(w, m->n);
    memset(drift, 0, 3 * sizeof *drift);
    for (uint32_t i = 0; i < 3 * m->n; i++) {
        drift[i % 3] += (double)x[i / 3][i % 3] - (double)m->x[i / 3][i % 3];
    }
    free(x);
    xpbd_world_destroy(w);
    val_model_free(m);
}

void val_run_momentum(val_report *report)
{
    /* Each of 8 positions is rounded once per sweep, to half an ulp at 1 m. */
    const double rounding = 8 * ITERATIONS * 0x1p-24;
    val_about(report,
              "averaged: Δx<sub>i</sub> = (ω / n<sub>i</sub>) Σ Δx, which adds up to 0 only "
              "where all n<sub>i</sub> are equal; mass splitting: Δλ = −C / Σ n<sub>i</sub> "
              "w<sub>i</sub> |∇C|², applied in full",
              "A hub with 4 spokes of 1 m, all of 1 kg and out of place; one step of 400 "
              "iterations. The drift of Σ m x is momentum times Δt.",
              "what averaging does to momentum: the paper does not mention it.");
    double want[3], drift[3];
    averaged(want);
    for (uint32_t i = 0; xpbd_scheduler_name(i); i++) {
        const char *name = xpbd_scheduler_name(i);
        library_drift(name, drift);
        for (int k = 0; k < 3; k++) {
            const bool loses = !strcmp(name, "jacobi");
            val_near(report, val_text("drift with %s, %c, kg m", name, 'x' + k),
                     loses ? want[k] : 0, drift[k], rounding,
                     loses ? "the same sweeps in double precision: this one is meant to fail"
                           : "8 roundings per sweep at 1 m");
        }
    }
    val_at_least(report, "averaged Jacobi’s drift, times what rounding explains", 10,
                 sqrt(want[0] * want[0] + want[1] * want[1] + want[2] * want[2]) / rounding,
                 "so that the rows above tell the two apart");
}
