/* SPDX-License-Identifier: MIT
 *
 * Proves tree-direct against Newton's method and closed forms: heavy ends, branches, compliance and
 * damping, links that are pinned, switched off or broken in the middle, cycles, and what has no
 * solution; and that the rest of a scene is left to Gauss-Seidel.
 */
#include "support.h"

#include "reference/reference.h"

#include <math.h>

static const double dt = 1.0 / 60;

/* A scene as the library and the reference see it: the same floats. */
typedef struct pair {
    xpbd_world *world;
    ref_system *system;
    uint32_t n;
} pair;

static pair begin(const char *scheduler, uint32_t iterations)
{
    xpbd_world_def def = kit_def(scheduler);
    def.iterations = iterations;
    def.acceleration[1] = -10;
    def.keep_prediction = true;
    pair p = {kit_create(&def), ref_make(), 0};
    p.system->gravity[1] = -10;
    return p;
}

static void particle(pair *p, double x, double y, double z, double w)
{
    const float at[1][3] = {{(float)x, (float)y, (float)z}}, weight = (float)w;
    const double exact[3] = {(double)at[0][0], (double)at[0][1], (double)at[0][2]};
    kit_add_particles(p->world, 1, at, &weight);
    ref_add_particle(p->system, exact, NULL, (double)weight);
    p->n++;
}

static void join(pair *p, uint32_t a, uint32_t b, double length, double alpha)
{
    const uint32_t ids[1][2] = {{a, b}};
    const float rest = (float)length, soft = (float)alpha;
    const double exact = (double)rest;
    kit_add_distances(p->world, 1, ids, &rest, soft);
    ref_add_constraint(p->system, XPBD_DISTANCE, ids[0], &exact, (double)soft);
}

static void end(pair *p)
{
    xpbd_world_destroy(p->world);
    ref_free(p->system);
}

/* The largest distance between a particle here and there. */
static double distance(const pair *p)
{
    double most = 0;
    float(*x)[3] = kit_positions(p->world);
    for (uint32_t i = 0; i < 3 * p->n; i++)
        most = fmax(most, fabs((double)x[i / 3][i % 3] - p->system->x[i / 3][i % 3]));
    free(x);
    return most;
}

static xpbd_diagnostics diagnose(const xpbd_world *w)
{
    xpbd_diagnostics d;
    assert_ok(xpbd_world_diagnose(w, &d));
    return d;
}

enum { LINKS = 19 };

/* From the origin along a direction; the last particle has a mass of its own. */
static pair make_chain(const char *scheduler, uint32_t iterations, double dx, double dy,
                       double last, double alpha)
{
    pair p = begin(scheduler, iterations);
    for (uint32_t i = 0; i <= LINKS; i++) {
        particle(&p, 0.05 * i * dx, 0.05 * i * dy, 0, i == 0 ? 0 : i == LINKS ? 1 / last : 1);
        if (i > 0)
            join(&p, i - 1, i, 0.05, alpha);
    }
    return p;
}

/* 1 kg of links on which 100,000 kg hang: one iteration and the chain is as long as it was; the
 * force at the top is the weight. Gauss-Seidel lets the end fall nearly freely. */
static void test_a_heavy_end_takes_one_iteration(void **state)
{
    static const double weight = 10 * (1e5 + LINKS - 1);
    (void)state;
    for (uint32_t iterations = 1; iterations <= 100; iterations *= 10) {
        pair p = make_chain("tree-direct", iterations, 0, -1, 1e5, 0);
        for (int frame = 0; frame < 5; frame++)
            assert_ok(xpbd_world_step(p.world, dt));
        const xpbd_diagnostics d = diagnose(p.world);
        assert_below(d.residual_max, 8 * 0x1p-24); /* half an ulp at 1 m, a few times */
        /* A rounding of the position of 100,000 kg is a force of 1e5 2^-24 / dt^2 = 21 N. */
        assert_near(-(double)kit_lambda(p.world, 0) / (dt * dt), weight, 30 * 5);
        float at[3];
        kit_position(p.world, LINKS, at);
        assert_near(at[1], -0.05 * LINKS, LINKS * 0x1p-24);
        end(&p);
    }
    pair p = make_chain("serial-gs", 300, 0, -1, 1e5, 0);
    assert_ok(xpbd_world_step(p.world, dt));
    float at[3];
    kit_position(p.world, LINKS, at);
    assert_below(at[1], -0.05 * LINKS - 0.9 * 10 * dt * dt);
    end(&p);
}

/* Let go aslant it swings as Newton's method says. A rigid straight line with a heavier end has
 * several solutions, all with g = h = 0; and with 100,000 kg there the reference finds none (its
 * line search does not let it through states that are worse). The next test has those. */
static void test_swinging_chains_follow_newton(void **state)
{
    static const double heavy[] = {1, 1, 4}, soft[] = {0, 1e-5, 1e-5};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(heavy); i++) {
        pair p = make_chain("tree-direct", 12, 0.8, 0.6, heavy[i], soft[i]);
        for (int frame = 0; frame < 15; frame++) {
            assert_ok(xpbd_world_step(p.world, dt));
            assert_true(ref_step(p.system, dt).converged);
        }
        assert_below(distance(&p), 1e-5);
        const xpbd_diagnostics d = diagnose(p.world);
        assert_true(d.has_imbalance);
        assert_below(d.residual_max, 2e-7);
        /* Forces are some 200 N; 2^-24 m / dt^2 of 1 kg, of every rounded position and multiplier,
         * is 2e-4 N. XPBD's own fixed point is off by some N. */
        assert_below(d.imbalance_max, 2e-3);
        end(&p);
    }
}

static void test_the_heaviest_swings_on_its_circle(void **state)
{
    pair p = make_chain("tree-direct", 1, 1, 0, 1e5, 0);
    (void)state;
    double worst = 0;
    for (int frame = 0; frame < 60; frame++) {
        assert_ok(xpbd_world_step(p.world, dt));
        worst = fmax(worst, diagnose(p.world).residual_max);
        float x[3];
        kit_position(p.world, LINKS, x);
        /* Implicit Euler: 19 light links between it and the nail, as straight as can be. */
        assert_near(sqrt((double)(x[0] * x[0] + x[1] * x[1])), 0.05 * LINKS, 1e-3);
    }
    assert_below(worst, 1e-6);
    end(&p);
}

/* A random tree with masses from 1/30 to 30 kg, some of it compliant, hung by two nails. */
static pair make_tree(const char *scheduler, uint32_t iterations)
{
    enum { N = 60 };
    uint64_t seed = 5;
    pair p = begin(scheduler, iterations);
    double x[N][3] = {{0}};
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t from = i < 2 ? 0 : (uint32_t)(kit_random(&seed) % i);
        for (int c = 0; c < 3; c++)
            x[i][c] = i ? x[from][c] + (double)kit_uniform(&seed, -0.1f, 0.1f) : 0;
        const double m = (double)kit_uniform(&seed, 1, 30);
        particle(&p, x[i][0], x[i][1], x[i][2], i == 0 || i == 7 ? 0 : i % 2 ? m : 1 / m);
        if (i > 0) {
            const double d[3] = {x[i][0] - x[from][0], x[i][1] - x[from][1], x[i][2] - x[from][2]};
            const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            join(&p, from, i, length * 1.01, i % 3 ? 0 : 1e-5);
        }
    }
    return p;
}

static void test_branches_converge_in_a_few_iterations(void **state)
{
    (void)state;
    pair direct = make_tree("tree-direct", 4), swept = make_tree("serial-gs", 400);
    assert_ok(xpbd_world_step(direct.world, dt));
    assert_ok(xpbd_world_step(swept.world, dt));
    assert_true(ref_step(direct.system, dt).converged);
    /* Multipliers are floats: 2^-24 of those of 30 kg move what weighs 1/30 kg. */
    assert_below(distance(&direct), 2e-5);
    assert_below(diagnose(direct.world).residual_max, 1e-6);
    assert_true(diagnose(swept.world).residual_max > 10 * diagnose(direct.world).residual_max);
    end(&direct);
    end(&swept);
}

/* Where the middle is pinned, off, or has broken, there are two chains. */
static void test_the_middle_may_be_pinned_or_gone(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        pair whole = begin("tree-direct", 3), parts = begin("tree-direct", 3);
        for (uint32_t i = 0; i < 12; i++) {
            const double w = i == 0 || (kind == 0 && i == 6) || (kind > 0 && i == 11) ? 0 : 1;
            particle(&whole, 0.1 * i, 0.01 * i, 0, kind == 0 && i == 6 ? 1 : w);
            particle(&parts, 0.1 * i, 0.01 * i, 0, w);
            if (i > 0)
                join(&whole, i - 1, i, 0.102, 0);
            if (i > 0 && !(kind > 0 && i == 6))
                join(&parts, i - 1, i, 0.102, 0);
        }
        if (kind == 0) { /* pinned when the trees are there already, as if it had always been */
            assert_ok(xpbd_world_prepare(whole.world));
            assert_ok(xpbd_world_set_inverse_masses(whole.world, 6, 1, &(float){0}, 0));
        }
        if (kind == 1)
            assert_ok(xpbd_world_enable_constraints(whole.world, XPBD_DISTANCE, 5, 1, false));
        if (kind == 2) {
            const float least = 0;
            assert_ok(xpbd_world_set_constraints(whole.world, XPBD_DISTANCE, 5, 1,
                                                 &(xpbd_constraints){.break_force = &least}));
            uint32_t n_broken;
            assert_ok(xpbd_world_step(whole.world, 1e-6)); /* it hardly moves and breaks */
            assert_ok(xpbd_world_read_broken(whole.world, 0, NULL, &n_broken));
            assert_int_equal(n_broken, 1);
            float(*x)[3] = kit_positions(parts.world);
            assert_ok(xpbd_world_set_positions(whole.world, 0, 12, x[0], 0));
            assert_ok(xpbd_world_set_velocities(whole.world, 0, 12, (float[3]){0}, XPBD_SAME));
            free(x);
        }
        for (int frame = 0; frame < 10; frame++) {
            assert_ok(xpbd_world_step(whole.world, dt));
            assert_ok(xpbd_world_step(parts.world, dt));
        }
        float(*a)[3] = kit_positions(whole.world), (*b)[3] = kit_positions(parts.world);
        for (uint32_t i = 0; i < 36; i++)
            assert_near(a[i / 3][i % 3], b[i / 3][i % 3], 1e-5);
        assert_below(diagnose(whole.world).residual_max, 1e-6);
        if (kind > 0)
            assert_near(kit_lambda(whole.world, 5), 0.0, 0.0);
        free(a);
        free(b);
        end(&whole);
        end(&parts);
    }
}

/* Attachments are leaves of a tree, damping is that of eq. 26: one constraint moves as its closed
 * form, and several end where Gauss-Seidel ends. */
static void test_damping_and_attachments_have_the_same_fixed_point(void **state)
{
    static const float soft = 1e-4f, beta = 30, tau = 0.02f;
    static const uint32_t ends[2] = {0, 9};
    (void)state;
    float(*x[2])[3];
    for (int k = 0; k < 2; k++) {
        pair p = begin(k ? "serial-gs" : "tree-direct", k ? 3000 : 4);
        for (uint32_t i = 0; i < 10; i++) {
            particle(&p, 0.1 * i, 0, 0, 1);
            if (i > 0)
                join(&p, i - 1, i, 0.1, 1e-4);
        }
        assert_ok(
            xpbd_world_set_constraints(p.world, XPBD_DISTANCE, 0, 9,
                                       &(xpbd_constraints){.damping = &beta,
                                                           .damping_stride = XPBD_SAME,
                                                           .damping_time = &tau,
                                                           .damping_time_stride = XPBD_SAME}));
        assert_ok(xpbd_world_add_constraints(p.world, XPBD_ATTACH, 2,
                                             &(xpbd_constraints){.particles = ends,
                                                                 .compliance = &soft,
                                                                 .compliance_stride = XPBD_SAME},
                                             NULL));
        const float push[3] = {3, 0, 0};
        assert_ok(xpbd_world_set_velocities(p.world, 4, 1, push, 0));
        assert_ok(xpbd_world_step(p.world, 1.0 / 240));
        x[k] = kit_positions(p.world);
        assert_below(diagnose(p.world).imbalance_max, 0.05);
        end(&p);
    }
    for (uint32_t i = 0; i < 30; i++)
        assert_near(x[0][i / 3][i % 3], x[1][i / 3][i % 3], 1e-6);
    free(x[0]);
    free(x[1]);
}

/* A ring has one link that closes it; a rope too short between two nails no solution. Neither is
 * worse than with Gauss-Seidel, and nothing flies away. */
static void test_rings_and_contradictions_are_no_worse_than_sweeps(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        double residual[2];
        for (int k = 0; k < 2; k++) {
            pair p = begin(k ? "serial-gs" : "tree-direct", 30);
            for (uint32_t i = 0; i < 16; i++) {
                const double angle = i * 0.39269908169872414;
                const double cx = kind ? 0.1 * i : 0.3 * cos(angle);
                const double cy = kind ? 0 : 0.3 * sin(angle);
                particle(&p, cx, cy, 0, i == 0 || (kind && i == 15) ? 0 : 1);
                if (i > 0)
                    join(&p, i - 1, i, kind == 0 ? 0.117 : kind == 1 ? 0.09 : 0.1001, 0);
            }
            if (kind == 0)
                join(&p, 15, 0, 0.117, 0);
            residual[k] = 0;
            for (int frame = 0; frame < 40; frame++) {
                assert_ok(xpbd_world_step(p.world, dt));
                const xpbd_diagnostics d = diagnose(p.world);
                assert_int_equal(d.n_nonfinite, 0);
                assert_below(d.kinetic_energy, 200);
                residual[k] = fmax(residual[k], d.residual_max);
            }
            end(&p);
        }
        assert_below(residual[0], 1.05 * residual[1] + 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_heavy_end_takes_one_iteration),
        cmocka_unit_test(test_swinging_chains_follow_newton),
        cmocka_unit_test(test_the_heaviest_swings_on_its_circle),
        cmocka_unit_test(test_branches_converge_in_a_few_iterations),
        cmocka_unit_test(test_the_middle_may_be_pinned_or_gone),
        cmocka_unit_test(test_damping_and_attachments_have_the_same_fixed_point),
        cmocka_unit_test(test_rings_and_contradictions_are_no_worse_than_sweeps),
    };
    return RUN_GROUP("reference_trees", tests);
}
