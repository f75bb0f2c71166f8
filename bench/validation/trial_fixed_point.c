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

/* Rest data for which the tetrahedron below is strained, and one-sided types hold. */
static const struct {
    xpbd_constraint_type type;
    float rest[REF_REST];
} strained[] = {
    {XPBD_DISTANCE, {0.8f}},
    {XPBD_ATTACH, {0.2f, 0.1f, -0.1f}},
    {XPBD_ROPE, {0.8f}},
    {XPBD_STRUT, {1.5f}},
    {XPBD_TETHER, {0.8f}},
    {XPBD_TIE_EDGE, {0.25f, 0.75f}},
    {XPBD_TIE_TRIANGLE, {0.25f, 0.25f, 0.5f}},
    {XPBD_BEND_DIHEDRAL, {-2.0f}},
    {XPBD_BEND_ISOMETRIC, {0.5f, -1, 1, 0.3f}},
    {XPBD_BEND_ANGLE, {1, 1, 0.3f}},
    {XPBD_TET_VOLUME, {0.3f}},
    {XPBD_TRI_FEM, {1, 0, 0, 1, 1, 0.3f, 0.4f}},
    {XPBD_TET_NEO_HOOKEAN, {1, 0, 0, 0, 1, 0, 0, 0, 1, 4}},
    {XPBD_TET_STVK, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.3f}},
};

/* Distance to Newton after a step of one constraint with 30 iterations. */
static double type_error(uint32_t row, double dt)
{
    static const double x[4][3] = {
        {0.05, -0.02, 0.03}, {1.1, 0.08, -0.04}, {-0.06, 0.9, 0.1}, {0.02, 0.07, 1.15}};
    static const uint32_t corner[4] = {0, 1, 2, 3};
    val_model *m = val_model_make();
    for (int i = 0; i < 4; i++) {
        val_particle(m, x[i][0], x[i][1], x[i][2], 1 + 0.25 * i);
    }
    val_join(m, strained[row].type, corner, strained[row].rest, 0.02);
    ref_system *s = val_reference(m);
    xpbd_world *w = val_world(m, "serial-gs", 1, 30);
    val_steps(w, 1, dt);
    const double error = ref_step(s, dt).converged ? val_distance(w, s) : INFINITY;
    xpbd_world_destroy(w);
    ref_free(s);
    val_model_free(m);
    return error;
}

static void types(val_report *report)
{
    for (uint32_t i = 0; i < VAL_COUNT(strained); i++) {
        const double coarse = type_error(i, 0.025), fine = type_error(i, 0.0125);
        val_at_most(report,
                    val_text("one %s, distance to Newton at Δt = 1/80 s, m",
                             xpbd_constraint_type_info(strained[i].type)->name),
                    coarse / 8 + 16 * 0x1p-24, fine,
                    "an eighth of that at 1/40 s, at least of third order; and 16 roundings at "
                    "1 m");
    }
}

void val_run_fixed_point(val_report *report)
{
    val_about(
        report, "g = M (x − x̃) − ∇Cᵀ λ = 0, &nbsp; h = C + α̃ λ = 0",
        "One step of hundreds of iterations with every scheduler (Jacobi: thousands). A "
        "random network of attach, "
        "ties, and flat bending constraints, which are linear; single constraints of each type "
        "that is not of variable size; then a net of 60 stretched springs, where gradients "
        "turn.",
        "that x adds up corrections along gradients at different places: h goes to 0, g "
        "does not quite. The difference to Newton is of fourth order in Δt for one step "
        "from a given state, and depends on the order of constraints.");
    linear(report);
    types(report);
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
