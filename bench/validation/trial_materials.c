/* SPDX-License-Identifier: MIT
 *
 * Uniform strain: patch tests and a block under uniaxial load.
 */
#include "bench/validation/validation.h"

#include <math.h>
#include <stdlib.h>

void val_run_materials(val_report *report);

/* Pseudo-random in [-1, 1). */
static double jitter(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / 1073741824.0 - 1.0;
}

static const double map[3][3] = {{1.1, 0.1, 0.05}, {-0.05, 0.95, 0.1}, {0.02, -0.1, 1.05}};

static void map_point(const double *X, double *x)
{
    for (int k = 0; k < 3; k++) {
        x[k] = map[k][0] * X[0] + map[k][1] * X[1] + map[k][2] * X[2];
    }
}

static void tet_rest(double (*X)[3], const uint32_t *c, float *rest)
{
    for (int k = 0; k < 9; k++) {
        rest[k] = (float)(X[c[k / 3 + 1]][k % 3] - X[c[0]][k % 3]);
    }
}

/* The six tetrahedra of a cube are those of the orders of its axes. */
static const uint8_t axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                   {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

static void cube_tet(uint32_t n, const uint32_t at[3], int t, uint32_t corner[4])
{
    uint32_t p[3] = {at[0], at[1], at[2]};
    for (int i = 0; i < 4; i++) {
        corner[i] = (p[2] * (n + 1) + p[1]) * (n + 1) + p[0];
        if (i < 3) {
            p[axes[t][i]]++;
        }
    }
    if (t >= 3) { /* the odd orders are wound the other way */
        const uint32_t swap = corner[2];
        corner[2] = corner[3];
        corner[3] = swap;
    }
}

static void fill_cubes(val_model *m, uint32_t n, double (*X)[3], xpbd_constraint_type type,
                       float last, double compliance)
{
    for (uint32_t cell = 0; cell < n * n * n; cell++) {
        const uint32_t at[3] = {cell % n, cell / n % n, cell / (n * n)};
        for (int t = 0; t < 6; t++) {
            uint32_t corner[4];
            float rest[10];
            cube_tet(n, at, t, corner);
            tet_rest(X, corner, rest);
            rest[9] = last;
            val_join(m, type, corner, rest, compliance);
        }
    }
}

/* A cube of 3^3 cells, irregular inside, whose surface is held where the map takes it. */
static val_model *make_patch(xpbd_constraint_type type, float last)
{
    enum { N = 3 };
    val_model *m = val_model_make();
    double X[(N + 1) * (N + 1) * (N + 1)][3];
    uint64_t seed = 5;
    for (uint32_t i = 0; i < (N + 1) * (N + 1) * (N + 1); i++) {
        const uint32_t at[3] = {i % (N + 1), i / (N + 1) % (N + 1), i / ((N + 1) * (N + 1))};
        bool inside = true;
        double x[3];
        for (int k = 0; k < 3; k++) {
            inside = inside && at[k] > 0 && at[k] < N;
        }
        for (int k = 0; k < 3; k++) {
            const double move = jitter(&seed);
            X[i][k] = (at[k] + (inside ? 0.15 * move : 0.0)) / N - 0.5;
        }
        map_point(X[i], x);
        /* Free ones begin elsewhere. */
        val_particle(m, x[0] + (inside ? 0.03 : 0), x[1], x[2] - (inside ? 0.02 : 0),
                     inside ? 1 : 0);
    }
    fill_cubes(m, N, X, type, last, 0.05);
    /* What the map makes of the free ones is put into v: the distance to it is measured. */
    for (uint32_t i = 0; i < m->n; i++) {
        double x[3];
        map_point(X[i], x);
        for (int k = 0; k < 3; k++) {
            m->v[i][k] = (float)x[k];
        }
    }
    return m;
}

/* At rest each step starts without stress and comes back: gradients turn on the way, and what that
 * leaves is of second order in the time step. Steps that begin at rest shrink a distance by 1 + k
 * dt^2 / m: 0.8 s^2 of dt^2 in all leave e^(-0.8 k / m), with k / m of 20 / s^2 or more. */
static double patch_error(xpbd_constraint_type type, float last, double dt, double *newton)
{
    val_model *m = make_patch(type, last);
    double(*want)[3] = ref_zeroed(m->n, sizeof *want), error = 0;
    for (uint32_t i = 0; i < 3 * m->n; i++) {
        want[i / 3][i % 3] = (double)m->v[i / 3][i % 3];
        m->v[i / 3][i % 3] = 0;
    }
    xpbd_world *w = val_world(m, "serial-gs", 1, 20);
    val_settle(w, m->n, (uint32_t)(0.8 / (dt * dt)), dt, 0);
    float(*x)[3] = val_positions(w, m->n);
    ref_system *s = val_reference(m);
    *newton = ref_rest(s, 1).converged ? 0 : INFINITY;
    for (uint32_t i = 0; i < 3 * m->n; i++) {
        error = fmax(error, fabs((double)x[i / 3][i % 3] - want[i / 3][i % 3]));
        *newton = fmax(*newton, fabs(s->x[i / 3][i % 3] - want[i / 3][i % 3]));
    }
    free(x);
    free(want);
    ref_free(s);
    xpbd_world_destroy(w);
    val_model_free(m);
    return error;
}

/* Stretches of a cube of 8 particles that is pulled along x. mu = 1e5 Pa. */
static void pull(double a, double ratio, double dt, double *library, double *newton)
{
    const double mu = 1e5, lambda = mu * (ratio + 1);
    const double gamma = 1 + mu / lambda, b2 = (gamma - mu / (lambda * a)) / a;
    const double force = mu * (a - b2 / a); /* nominal stress times 1 m^2 */
    val_model *m = val_model_make();
    double X[8][3];
    for (uint32_t i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++) {
            X[i][k] = (i >> k & 1) - 0.5;
        }
        val_particle(m, X[i][0], X[i][1], X[i][2], 0.01);
    }
    fill_cubes(m, 1, X, XPBD_TET_NEO_HOOKEAN, (float)ratio, 1 / mu);
    xpbd_world *w = val_world(m, "serial-gs", 1, 20);
    ref_system *s = val_reference(m);
    /* A face is two triangles: the ends of their common edge carry a third, the others a sixth.
     * In the six tetrahedra that edge starts at the corner nearest to the origin of the cell. */
    float f[8][3] = {{0}};
    for (uint32_t i = 0; i < 8; i++) {
        const bool edge = (i >> 1 & 1) == (i >> 2 & 1);
        f[i][0] = (float)((i & 1 ? force : -force) * (edge ? 1.0 / 3 : 1.0 / 6));
        s->force[i][0] = (double)f[i][0];
    }
    xpbd_world_set_forces(w, 0, 8, f[0], 0);
    val_settle(w, 8, (uint32_t)(3 / dt), dt, exp(-50 * dt));
    *newton = ref_rest(s, 0.01).converged ? s->x[1][0] - s->x[0][0] : INFINITY;
    float(*x)[3] = val_positions(w, 8);
    *library = (double)x[1][0] - (double)x[0][0];
    free(x);
    xpbd_world_destroy(w);
    ref_free(s);
    val_model_free(m);
}

static void uniaxial(val_report *report)
{
    static const double stretch[] = {1.3, 1.6, 2.0};
    const double ratio = 4; /* nu = 0.4 */
    val_plot *p = val_add_plot(report, "Neo-Hookean, pulled along one axis", "stretch",
                               "nominal stress / μ", false, false);
    val_curve *closed = val_add_curve(p, "closed form, ν = 0.4");
    val_curve *limit = val_add_curve(p, "incompressible: a − 1 / a²");
    val_curve *measured = val_add_curve(p, "library");
    for (double a = 0.6; a < 2.2; a += 0.02) {
        const double gamma = 1 + 1 / (ratio + 1), b2 = (gamma - 1 / ((ratio + 1) * a)) / a;
        val_point(closed, a, a - b2 / a);
        val_point(limit, a, a - 1 / (a * a));
    }
    for (uint32_t i = 0; i < VAL_COUNT(stretch); i++) {
        const double a = stretch[i], b2 = (1.2 - 1 / (5 * a)) / a;
        double newton, coarse, fine;
        pull(a, ratio, 1.0 / 120, &coarse, &newton);
        pull(a, ratio, 1.0 / 240, &fine, &newton);
        val_point(measured, fine, a - b2 / a);
        val_near(report, val_text("stretch under the load of %g, Newton", a), a, newton, 1e-6,
                 "closed form; the load is given in float: 2<sup>−24</sup>, at a slope of order 1");
        val_near(report, "the library’s error, order in Δt", 2, log2((coarse - a) / (fine - a)),
                 0.25, "steps of 1/120 s and 1/240 s");
        val_near(report, "the library, extrapolated to Δt = 0", a, fine + (fine - coarse) / 3,
                 0.25 * (fine - a), "what an order between 1.75 and 2.25 leaves open");
    }
}

void val_run_materials(val_report *report)
{
    static const struct {
        xpbd_constraint_type type;
        float last;
    } patch[] = {{XPBD_TET_STVK, 0.3f}, {XPBD_TET_NEO_HOOKEAN, 4}};
    val_about(report, "P = μ (a − b² / a), &nbsp; b² = (γ − μ / λ a) / a, &nbsp; γ = 1 + μ / λ",
              "A cube of 162 irregular tetrahedra whose surface is held where a linear map takes "
              "it: inner particles go where the map takes them. Then a cube of 6, μ = 1e5 Pa, ν = "
              "0.4, pulled by forces on two faces; λ is that of [NEO21].",
              "that XPBD does not come to the state of rest itself: x adds up corrections along "
              "gradients at different places, and the paper drops that part of g. It is of second "
              "order in the time step, whatever the iterations.");
    for (uint32_t i = 0; i < VAL_COUNT(patch); i++) {
        const char *name = xpbd_constraint_type_info(patch[i].type)->name;
        double newton;
        const double coarse = patch_error(patch[i].type, patch[i].last, 1.0 / 16, &newton);
        const double fine = patch_error(patch[i].type, patch[i].last, 1.0 / 32, &newton);
        val_near(report, val_text("patch test of %s, Newton, m", name), 0, newton, 0x1p-22,
                 "surface and rest shape are given in float, 2<sup>−25</sup> m; up to 8 of them");
        val_near(report, "the library’s error, order in Δt", 2, log2(coarse / fine), 0.25,
                 "steps of 1/16 s and 1/32 s");
        val_show(report, "the same at Δt = 1/32 s, m", fine,
                 "stiffness times Δt² is 1/20 of a mass");
    }
    uniaxial(report);
}
