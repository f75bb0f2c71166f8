/* SPDX-License-Identifier: MIT
 *
 * One-dimensional things with closed forms: hanging weights, a pendulum, a catenary.
 */
#include "bench/validation/validation.h"

#include <math.h>
#include <stdlib.h>

void val_run_ropes(val_report *report);

static const double g = 10;

/* Stretch at rest of a weight on a spring of 1 m, from -1 m so that the weight is near 0. */
static double elongation(double mass, double alpha, uint32_t substeps, uint32_t iterations)
{
    val_model *m = val_model_make();
    val_particle(m, 0, 1, 0, 0);
    val_particle(m, 0, 0, 0, 1 / mass);
    val_spring(m, 0, 1, 1, alpha);
    m->gravity[1] = (float)-g;
    m->damping = (float)(2 * sqrt(mass / alpha)); /* critical */
    xpbd_world *w = val_world(m, "serial-gs", substeps, iterations);
    val_steps(w, 300, 1.0 / 60);
    float(*x)[3] = val_positions(w, 2);
    const double y = -(double)x[1][1];
    free(x);
    xpbd_world_destroy(w);
    val_model_free(m);
    return y;
}

static void hanging_weights(val_report *report)
{
    static const uint32_t run[][2] = {{1, 1}, {1, 10}, {20, 1}, {4, 5}};
    static const double mass[] = {1, 0.125};
    for (uint32_t k = 0; k < VAL_COUNT(mass); k++) {
        for (uint32_t i = 0; i < VAL_COUNT(run); i++) {
            const double h = 1.0 / 60 / run[i][0], alpha = 0.01;
            val_near(report,
                     val_text("elongation of %g kg, %u substeps × %u iterations, m", mass[k],
                              run[i][0], run[i][1]),
                     alpha * mass[k] * g, elongation(mass[k], alpha, run[i][0], run[i][1]),
                     alpha * mass[k] * 0x1p-24 / (h * h) + 0x1p-23,
                     "α m g; what half an ulp of 1 m leaves as acceleration, and the length’s");
        }
    }
}

static double agm(double a, double b)
{
    for (int i = 0; i < 40; i++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

/* A quarter of the period is from rest to the bottom, where the tension is read. */
static void pendulum(val_report *report)
{
    enum { SUBSTEPS = 50 };
    const double amplitude = 1, h = 1.0 / 60 / SUBSTEPS, omega = sqrt(g);
    val_model *m = val_model_make();
    val_particle(m, 0, 0, 0, 0);
    val_particle(m, sin(amplitude), -cos(amplitude), 0, 1);
    val_spring(m, 0, 1, 1, 0);
    m->gravity[1] = (float)-g;
    xpbd_world *w = val_world(m, "serial-gs", 1, 4);
    double last = sin(amplitude), now = last, tension = 0, bottom = 0;
    double crossing[2] = {0};
    int samples = 0;
    val_plot *p =
        val_add_plot(report, "Pendulum: tension of the rod", "time, s", "N", false, false);
    val_curve *measured = val_add_curve(p, "measured"), *want = val_add_curve(p, "closed form");
    for (int i = 1, n = 0; n < 2 && i < 10000; i++) {
        val_steps(w, 1, h);
        float(*x)[3] = val_positions(w, 2);
        now = (double)x[1][0];
        const double down = -(double)x[1][1];
        free(x);
        const double force = -val_lambda(w, XPBD_DISTANCE, 0) / (h * h);
        if (last * now <= 0) {
            crossing[n++] = (i - now / (now - last)) * h;
        }
        if (n == 0 && now < 0.1) {
            tension += force;
            bottom += g * (3 * down - 2 * cos(amplitude));
            samples++;
        }
        last = now;
        if (i % 20 == 0) {
            val_point(measured, i * h, force);
            val_point(want, i * h, g * (3 * down - 2 * cos(amplitude)));
        }
    }
    const double period = 2 * VAL_PI / omega / agm(1, cos(0.5 * amplitude));
    val_near(report, "period of a pendulum of 1 rad, s", period, 2 * (crossing[1] - crossing[0]),
             omega * h * period, "arithmetic-geometric mean; first order: ω Δt of it");
    bottom /= samples;
    val_near(report, "its mean tension within 0.1 m of the bottom, N", bottom, tension / samples,
             bottom * omega * h + 0x1p-23 / (h * h),
             "m g (3 cos θ − 2 cos θ<sub>0</sub>); ω Δt, and the rounding of x, y and the length "
             "over Δt²");
    xpbd_world_destroy(w);
    val_model_free(m);
}

/* The slope parameter s of a chain of n links, level on average, whose tangents rise by s from node
 * to node: sum of l cos(phi) is the span. */
static double slope_step(uint32_t n, double l, double span)
{
    double low = 0, high = 100;
    for (int k = 0; k < 200; k++) {
        const double s = 0.5 * (low + high);
        double sum = 0;
        for (uint32_t i = 0; i < n; i++) {
            const double t = s * (i - 0.5 * (n - 1));
            sum += l / sqrt(1 + t * t);
        }
        *(sum > span ? &low : &high) = s;
    }
    return 0.5 * (low + high);
}

static double sag_of(uint32_t n, double l, double s)
{
    double y = 0;
    for (uint32_t i = 0; i < n / 2; i++) {
        const double t = s * (i - 0.5 * (n - 1));
        y += l * t / sqrt(1 + t * t);
    }
    return -y;
}

/* Sag of a rope of that length over the span: a (cosh(d / 2a) - 1), 2 a sinh(d / 2a) = length. */
static double continuous_sag(double length, double span)
{
    double low = 1e-2, high = 1e2;
    for (int k = 0; k < 200; k++) {
        const double a = 0.5 * (low + high);
        *(2 * a * sinh(span / (2 * a)) > length ? &low : &high) = a;
    }
    const double a = 0.5 * (low + high);
    return a * (cosh(span / (2 * a)) - 1);
}

enum { LINKS = 20 };

/* Begins as a V, links at their length. */
static val_model *make_catenary(double l, double span)
{
    const double dx = span / LINKS, dy = sqrt(l * l - dx * dx);
    val_model *m = val_model_make();
    for (uint32_t i = 0; i <= LINKS; i++) {
        const uint32_t deep = i <= LINKS / 2 ? i : LINKS - i;
        val_particle(m, -0.5 * span + i * dx, -dy * deep, 0, i == 0 || i == LINKS ? 0 : 1);
        if (i > 0) {
            val_spring(m, i - 1, i, l, 0);
        }
    }
    m->gravity[1] = (float)-g;
    return m;
}

/* Sag of the library's chain at rest; the positions are the caller's. */
static double settle_catenary(const val_model *m, double dt, float (**x)[3])
{
    xpbd_world *w = val_world(m, "serial-gs", 1, 600);
    val_settle(w, m->n, (uint32_t)(16 / dt), dt, 0.8);
    *x = val_positions(w, m->n);
    xpbd_world_destroy(w);
    return -(double)(*x)[LINKS / 2][1];
}

static void catenary(val_report *report)
{
    const double l = 0.1, span = 1.2, s = slope_step(LINKS, l, span);
    val_model *m = make_catenary(l, span);
    ref_system *r = val_reference(m);
    const bool found = ref_rest(r, 0.02).converged;
    const double sag = sag_of(LINKS, l, s);
    double low = INFINITY, high = 0, worst = 0;
    for (uint32_t j = 0; j < LINKS; j++) {
        const double dx = r->x[j + 1][0] - r->x[j][0], dy = r->x[j + 1][1] - r->x[j][1];
        const double H = fabs(r->lambda[j]) * dx / l;
        low = fmin(low, H), high = fmax(high, H);
        worst = fmax(worst, fabs(dy / dx - s * (j - 0.5 * (LINKS - 1))));
    }
    val_near(report, "catenary: horizontal force of Newton’s solution, most / least", 1,
             found ? high / low : 0, 1e-6, "constant along the chain; λ to 1e−6");
    val_near(report, "its slopes against those of the discrete catenary", 0, worst, 16 * 0x1p-24,
             "tan φ rises by m g / H at each particle; links and ends are given in float");
    float(*coarse)[3], (*fine)[3];
    const double first = settle_catenary(m, 1.0 / 30, &coarse);
    const double second = settle_catenary(m, 1.0 / 60, &fine);
    val_near(report, "sag of the library’s chain: order of its error in Δt", 2,
             log2((first - sag) / (second - sag)), 0.25, "steps of 1/30 s and 1/60 s");
    val_near(report, "the same, extrapolated to Δt = 0, m", sag, second + (second - first) / 3,
             0.25 * (second - sag), "what an order between 1.75 and 2.25 leaves open");
    val_near(report, "sag of a continuous rope against the chain, m",
             continuous_sag(LINKS * l, span), sag, sag / (LINKS * LINKS),
             "y = a cosh(x/a); 1/n² of it");
    val_plot *p = val_add_plot(report, "Catenary", "x, m", "y, m", false, false);
    val_curve *c = val_add_curve(p, "library"), *d = val_add_curve(p, "Newton");
    for (uint32_t i = 0; i < m->n; i++) {
        val_point(c, (double)fine[i][0], (double)fine[i][1]);
        val_point(d, r->x[i][0], r->x[i][1]);
    }
    free(coarse);
    free(fine);
    ref_free(r);
    val_model_free(m);
}

void val_run_ropes(val_report *report)
{
    val_about(report,
              "elongation = α m g; &nbsp; T = 2π (L / g)<sup>1/2</sup> / agm(1, cos(θ/2)); "
              "&nbsp; f = m g (3 cos θ − 2 cos θ<sub>0</sub>); &nbsp; y = a cosh(x / a)",
              "Weights of 1 and 1/8 kg on a spring of 0.01 m/N with critical damping after 5 s; a "
              "pendulum of 1 m let go at 1 rad, Δt = 1/3000 s; 20 links of 0.1 m over a span of "
              "1.2 m. g = 10 m/s².",
              NULL);
    hanging_weights(report);
    pendulum(report);
    catenary(report);
}
