/* SPDX-License-Identifier: MIT
 *
 * One step with so many iterations that nothing moves: the same state for all schedulers, that of
 * Newton where constraints are linear, and near it where they are not.
 */
#include "bench/validation/validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void val_run_fixed_point(val_report *report);

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / 1073741824.0 - 1.0;
}

/* 12 particles in a box of 1 m, joined by all types that are linear. */
static val_model *make_linear(void)
{
    enum { N = 12 };
    uint64_t seed = 9;
    val_model *m = val_model_make();
    for (uint32_t i = 0; i < N; i++) {
        const double x = uniform(&seed), y = uniform(&seed), z = uniform(&seed);
        val_particle(m, 0.5 * x, 0.5 * y, 0.5 * z, i == 0 ? 0 : 1 + 0.5 * uniform(&seed));
    }
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t c[4] = {i, (i + 1) % N, (i + 5) % N, (i + 7) % N};
        const float at[3] = {(float)(0.5 * uniform(&seed)), 0, (float)(0.5 * uniform(&seed))};
        val_join(m, XPBD_ATTACH, c, at, 1);
        val_join(m, XPBD_TIE_EDGE, c, (const float[]){0.25f, 0.75f}, 1);
        val_join(m, XPBD_TIE_TRIANGLE, c, (const float[]){0.25f, 0.25f, 0.5f}, 1);
        val_join(m, XPBD_BEND_ANGLE, c, (const float[]){1, 1, 0}, 1);
        val_join(m, XPBD_BEND_ISOMETRIC, c, (const float[]){0.5f, -1, 1, 0}, 1);
    }
    m->gravity[1] = -1;
    return m;
}

static void linear(val_report *report)
{
    val_model *m = make_linear();
    ref_system *s = val_reference(m);
    const bool found = ref_step(s, 1).converged;
    for (uint32_t i = 0; xpbd_scheduler_name(i); i++) {
        const char *name = xpbd_scheduler_name(i);
        xpbd_world *w = val_world(m, name, 1, strncmp(name, "jacobi", 6) ? 400 : 8000);
        val_steps(w, 1, 1);
        const char *what = val_text("linear network, %s: distance to Newton, m", name);
        /* Half an ulp at 1 m for each of 17 constraints at a particle, in the 60 sweeps or so in
         * which something still moves. All particles have as many, so that averaging has the same
         * fixed point, too. */
        val_near(report, what, found ? 0 : INFINITY, val_distance(w, s), 17 * 60 * 0x1p-25,
                 "17 corrections rounded per sweep, in some 60 sweeps that still move something");
        xpbd_world_destroy(w);
    }
    ref_free(s);
    val_model_free(m);
}

/* Where valences differ, averaging has a fixed point of its own. */
static bool is_averaged(const char *scheduler)
{
    return !strcmp(scheduler, "jacobi");
}

/* A stretched net that is let go: dt sets how far it gets in one step. */
static val_model *make_net(void)
{
    enum { N = 6 };
    uint64_t seed = 4;
    val_model *m = val_model_make();
    for (uint32_t i = 0; i < N * N; i++) {
        const double x = 0.1 * uniform(&seed), y = 0.1 * uniform(&seed), z = 0.1 * uniform(&seed);
        val_particle(m, (i % N + x) / N - 0.5, (i / N + y) / N - 0.5, z / N, i ? 1 : 0);
    }
    for (uint32_t i = 0; i < N * N; i++) {
        if (i % N + 1 < N) {
            val_spring(m, i, i + 1, 0.9 / N, 1e-2);
        }
        if (i / N + 1 < N) {
            val_spring(m, i, i + N, 0.9 / N, 1e-2);
        }
    }
    m->gravity[1] = -1;
    return m;
}

static double net_error(const val_model *m, const char *scheduler, double dt, double *h)
{
    xpbd_diagnostics d;
    ref_system *s = val_reference(m);
    xpbd_world *w = val_world(m, scheduler, 1, 600);
    val_steps(w, 1, dt);
    const double error = ref_step(s, dt).converged ? val_distance(w, s) : INFINITY;
    xpbd_world_diagnose(w, &d);
    *h = d.residual_max;
    xpbd_world_destroy(w);
    ref_free(s);
    return error;
}

void val_run_fixed_point(val_report *report)
{
    val_about(report, "g = M (x − x̃) − ∇Cᵀ λ = 0, &nbsp; h = C + α̃ λ = 0",
              "One step of hundreds of iterations with every scheduler (Jacobi: thousands). A "
              "random network of attach, "
              "ties, and flat bending constraints, which are linear; then a net of 60 stretched "
              "springs, where gradients turn.",
              "that x adds up corrections along gradients at different places: h goes to 0, g "
              "does not quite. The difference to Newton is of fourth order in Δt for one step "
              "from a given state, and depends on the order of constraints.");
    linear(report);
    val_model *m = make_net();
    val_plot *p =
        val_add_plot(report, "Springs: distance to Newton’s step", "Δt, s", "m", true, true);
    for (uint32_t i = 0; xpbd_scheduler_name(i); i++) {
        const char *name = xpbd_scheduler_name(i);
        val_curve *c = val_add_curve(p, name);
        double h, error[4];
        for (int k = 0; k < 4; k++) {
            const double dt = 0.05 / (1 << k);
            error[k] = net_error(m, name, dt, &h);
            val_point(c, dt, error[k]);
        }
        val_near(report, val_text("springs, %s: residual ‖h‖ after 600 iterations, m", name), 0, h,
                 4 * 0x1p-24, "rounding of a length and of λ");
        if (!is_averaged(name)) {
            val_at_least(report, "order of the distance to Newton in Δt", 3,
                         log2(error[1] / error[2]),
                         "fourth in the limit, before it a little less: from 1/40 s to 1/80 s");
        }
    }
    val_model_free(m);
}
