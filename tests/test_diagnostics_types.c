/* SPDX-License-Identifier: MIT
 *
 * What diagnostics say about each kind of constraint: one side that does not hold, compliance as a
 * matrix, stiffness instead of compliance, switched off, broken; and energies against textbooks
 * and against lambda, which the solver finds on its own.
 */
#include "tests/kernel_bed.h"
#include "tests/support.h"

#include <math.h>

static const uint32_t ids[4] = {0, 1, 2, 3};

static xpbd_diagnostics diagnose(const xpbd_world *world)
{
    xpbd_diagnostics d;
    memset(&d, 0x5a, sizeof d);
    assert_ok(xpbd_world_diagnose(world, &d));
    return d;
}

static void check_silent(const xpbd_diagnostics *d)
{
    assert_near(d->residual_max, 0.0, 0.0);
    assert_near(d->residual_rms, 0.0, 0.0);
    assert_near(d->constraint_energy, 0.0, 0.0);
    assert_int_equal(d->worst_type, -1);
    assert_int_equal(d->n_degenerate, 0);
    assert_int_equal(d->n_infeasible, 0);
}

/* The right side is silent, with masses and without, also where its particles are one and there is
 * no gradient: nothing is wanted of it. The wrong side has C = 1/2: energy 1/2 C^2 / alpha = 1 J.
 */
static void test_one_sided_types_count_where_they_hold(void **state)
{
    static const struct {
        xpbd_constraint_type type;
        float slack, taut, one_spot_is_slack;
    } cases[] = {
        {XPBD_ROPE, 0.5f, 1.5f, 1}, {XPBD_TETHER, 0.5f, 1.5f, 1}, {XPBD_STRUT, 2, 0.5f, 0}};
    static const float rest = 1, alpha = 0x1p-3f;
    (void)state;
    for (uint32_t i = 0; i < 4 * COUNT_OF(cases); i++) {
        const uint32_t k = i / 4;
        const bool pinned = i & 1, soft = i & 2;
        const float x[2][3] = {{cases[k].slack, 0, 0}, {0}};
        const float taut[3] = {cases[k].taut, 0, 0}, spot[3] = {0};
        const float w[2] = {pinned ? 0.0f : 1.0f, pinned ? 0.0f : 2.0f};
        const xpbd_world_def def = kit_def(NULL);
        xpbd_world *world = kit_create(&def);
        kit_add_particles(world, 2, x, w);
        const xpbd_constraints c = {
            .particles = ids, .rest = &rest, .compliance = soft ? &alpha : NULL};
        assert_ok(xpbd_world_add_constraints(world, cases[k].type, 1, &c, NULL));
        xpbd_diagnostics d = diagnose(world);
        check_silent(&d);
        kit_steps(world, 2, 0.5);
        d = diagnose(world);
        check_silent(&d);
        assert_ok(xpbd_world_set_positions(world, 0, 1, spot, 0));
        d = diagnose(world);
        if (cases[k].one_spot_is_slack > 0.0f)
            check_silent(&d);
        else
            assert_int_equal(d.n_degenerate, 1);
        assert_ok(xpbd_world_set_positions(world, 0, 1, taut, 0));
        d = diagnose(world);
        assert_near(d.residual_max, 0.5, 0.0);
        assert_near(d.residual_rms, 0.5, 0.0);
        assert_near(d.constraint_energy, soft ? 1.0 : 0.0, 0.0);
        assert_int_equal(d.worst_type, cases[k].type);
        assert_int_equal(d.n_infeasible, pinned && !soft);
        kit_steps(world, 1, 0.5);
        d = diagnose(world);
        if (soft || !pinned) /* solved: C + alpha~ lambda = 0 */
            assert_near(d.residual_max, 0.0, 0x1p-22);
        assert_near(d.constraint_energy > 0.0, soft, 0.0);
        xpbd_world_destroy(world);
    }
}

static xpbd_world *make_pinned(uint32_t type, uint32_t n, const float (*x)[3], const float *rest,
                               const float *alpha)
{
    const float w[4] = {0};
    const xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = kit_create(&def);
    kit_add_particles(world, n, x, w);
    const xpbd_constraints c = {.particles = ids, .rest = rest, .compliance = alpha};
    assert_ok(xpbd_world_add_constraints(world, (xpbd_constraint_type)type, 1, &c, NULL));
    return world;
}

/* Pinned, f = lambda / dt^2 is -(alpha A)^-1 C with A the compliance matrix of the type: the energy
 * 1/2 C^T (alpha A)^-1 C is 1/2 f^T (alpha A) f, and the residual C + alpha A f is 0. The solver
 * finds C in float, with an error dC of 1e-6 at most: C dC / alpha in the energy. */
static void test_energy_is_that_of_lambda(void **state)
{
    (void)state;
    BED_EACH_TYPE(type)
    {
        const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
        const xpbd_constraint_ops *ops = xpbd_constraint_ops_of((xpbd_constraint_type)type);
        const uint32_t n = info->n_rows;
        uint64_t seed = 21;
        for (int pose = 0; pose < 20; pose++) {
            const bed_constraint c = bed_make(type, 0.3, &seed);
            const float alpha = 0.01f;
            const double dt = 0.01;
            xpbd_world *world = make_pinned(type, info->n_particles, c.x, c.rest, &alpha);
            const double before = diagnose(world).constraint_energy;
            kit_steps(world, 1, dt);
            const xpbd_diagnostics d = diagnose(world);
            float lambda[XPBD_ROWS_MAX];
            double A[XPBD_ROWS_MAX * XPBD_ROWS_MAX] = {0}, energy = 0.0;
            assert_ok(xpbd_world_read_lambdas(world, (xpbd_constraint_type)type, 0, 1, lambda, 0));
            for (uint32_t k = 0; k < n; k++) {
                A[k * n + k] = 1.0;
            }
            if (ops->compliance) {
                ops->compliance(c.rest, A);
            }
            for (uint32_t k = 0; k < n * n; k++) {
                energy += 0.5 * (double)alpha * A[k] * (double)lambda[k / n] *
                          (double)lambda[k % n] / (dt * dt * dt * dt);
            }
            assert_near(d.constraint_energy, before, 0.0);
            assert_near(d.constraint_energy, energy,
                        1e-5 * energy + 1e-6 * sqrt(2.0 * energy / (double)alpha));
            assert_true(ops->side != 0 || energy > 1e-6);
            assert_below(d.residual_max, 1e-6 * (1.0 + sqrt(energy)));
            assert_int_equal(d.n_infeasible, 0);
            xpbd_world_destroy(world);
        }
    }
}

/* F = diag(1.2, 0.9, 1.1) of the unit tetrahedron, V = 1/6; of the unit right triangle its first
 * two, A = 1/2. With eps = ((F^2 - 1) / 2): St. Venant-Kirchhoff V (mu eps : eps + lambda/2 tr^2),
 * in a plane A h E / (2 (1 - nu^2)) (e1^2 + e2^2 + 2 nu e1 e2), and [NEO21] with lambda + mu for
 * its lambda, less its value at rest. */
static void test_energy_of_elements_is_that_of_textbooks(void **state)
{
    static const float x[4][3] = {{0}, {1.2f, 0, 0}, {0, 0.9f, 0}, {0, 0, 1.1f}};
    const double E = 1000.0, nu = 0.3, V = 1.0 / 6.0;
    const double mu = E / (2.0 * (1.0 + nu)), lame = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    double e[3], square = 0.0, trace = 0.0, stretch = 0.0, J = 1.0;
    (void)state;
    for (int k = 0; k < 3; k++) {
        const double F = (double)x[k + 1][k];
        e[k] = 0.5 * (F * F - 1.0);
        square += e[k] * e[k];
        trace += e[k];
        stretch += F * F;
        J *= F;
    }
    const double l = lame + mu, shift = mu / l;
    const struct {
        uint32_t type, n;
        float rest[10], alpha;
        double energy;
    } cases[] = {
        {XPBD_TRI_FEM,
         3,
         {1, 0, 0, 1, 1, (float)nu, (float)(0.5 / (1.0 + nu))},
         (float)(1.0 / E),
         0.5 * E / (2.0 * (1.0 - nu * nu)) * (e[0] * e[0] + e[1] * e[1] + 2.0 * nu * e[0] * e[1])},
        {XPBD_TET_STVK,
         4,
         {1, 0, 0, 0, 1, 0, 0, 0, 1, (float)nu},
         (float)(1.0 / E),
         V * (mu * square + 0.5 * lame * trace * trace)},
        {XPBD_TET_NEO_HOOKEAN,
         4,
         {1, 0, 0, 0, 1, 0, 0, 0, 1, (float)(lame / mu)},
         (float)(1.0 / mu),
         V * (0.5 * mu * (stretch - 3.0) +
              0.5 * l * ((J - 1.0 - shift) * (J - 1.0 - shift) - shift * shift))}};
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        xpbd_world *world =
            make_pinned(cases[i].type, cases[i].n, x, cases[i].rest, &cases[i].alpha);
        assert_near(diagnose(world).constraint_energy / cases[i].energy, 1.0, 2e-6);
        xpbd_world_destroy(world);
    }
}

/* The same of a closed mesh (a tetrahedron, V0 = 1/12 of its 1/6: C = 1/12) and of a cluster, whose
 * members are twice as far from their centre as at rest: |C| is half of what they are. */
static void test_energy_of_variable_types(void **state)
{
    static const float x[4][3] = {{0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, alpha = 0.01f;
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    static const float w[4] = {0}, volume[2] = {1.0f / 6, 0.5f}, stretch = 0;
    static const uint32_t four = 4;
    const double dt = 0.01;
    float half[4][3], lambda[12];
    double spread = 0.0;
    (void)state;
    for (int k = 0; k < 12; k++) {
        half[k / 3][k % 3] = 0.5f * x[k / 3][k % 3];
        spread += pow((double)x[k / 3][k % 3] - 0.25, 2);
    }
    for (int type = 0; type < 2; type++) {
        const xpbd_constraint_type t = type ? XPBD_SHAPE_MATCH : XPBD_MESH_VOLUME;
        const xpbd_world_def def = kit_def(NULL);
        xpbd_world *world = kit_create(&def);
        kit_add_particles(world, 4, x, w);
        const xpbd_constraints c = {.particles = type ? ids : faces[0],
                                    .sizes = &four,
                                    .rest = type ? &stretch : volume,
                                    .element_rest = type ? half[0] : NULL,
                                    .compliance = &alpha};
        assert_ok(xpbd_world_add_constraints(world, t, 1, &c, NULL));
        kit_steps(world, 1, dt);
        const double square = type ? 0.25 * spread : 1.0 / 144;
        const xpbd_diagnostics d = diagnose(world);
        assert_near(d.constraint_energy, 0.5 * square / 0.01, 1e-5 * square / 0.01);
        assert_below(d.residual_max, 1e-6);
        assert_ok(xpbd_world_read_lambdas(world, t, 0, 1, lambda, 0));
        double energy = 0.0;
        for (int k = 0; k < (type ? 12 : 1); k++) {
            energy += 0.5 * 0.01 * pow((double)lambda[k] / (dt * dt), 2);
        }
        assert_near(d.constraint_energy, energy, 1e-5 * energy);
        xpbd_world_destroy(world);
    }
}

/* Off, or broken, is as if it were not there: four constraints that would each be noticed. */
static void test_what_is_off_or_broken_counts_nowhere(void **state)
{
    static const float x[4][3] = {{0}, {2, 0, 0}, {2, 0, 0}, {0, 3, 0}}, w[4] = {0, 0, 1, 1};
    static const uint32_t pairs[4][2] = {{0, 1}, {1, 2}, {0, 3}, {2, 3}};
    static const float rest[4] = {1, 0.5f, 1, 1}, alphas[4] = {0, 0, 0.5f, 0.25f}, strength = 1e-3f;
    (void)state;
    for (int broken = 0; broken < 2; broken++) {
        const xpbd_world_def def = kit_def(NULL);
        xpbd_world *world = kit_create(&def);
        kit_add_particles(world, 4, x, w);
        xpbd_constraints c = {.particles = pairs[0], .rest = rest, .compliance = alphas};
        if (broken) {
            c.break_force = &strength;
            c.break_force_stride = XPBD_SAME;
        }
        assert_ok(xpbd_world_add_constraints(world, XPBD_DISTANCE, 4, &c, NULL));
        xpbd_diagnostics d = diagnose(world);
        assert_int_equal(d.n_degenerate, 1);
        assert_int_equal(d.n_infeasible, 1);
        assert_near(d.residual_max, sqrt(13.0) - 1.0, 1e-12);
        assert_true(d.constraint_energy > 4.0);
        if (broken) {
            uint32_t n;
            kit_steps(world, 1, 0.1);
            assert_ok(xpbd_world_read_broken(world, 0, NULL, &n));
            assert_int_equal(n, 3); /* the first has no lambda: nothing can move its particles */
            assert_ok(xpbd_world_enable_constraints(world, XPBD_DISTANCE, 0, 1, false));
        } else {
            assert_ok(xpbd_world_enable_constraints(world, XPBD_DISTANCE, 0, 4, false));
        }
        d = diagnose(world);
        check_silent(&d);
        /* One that is on: the mean is over its row alone. */
        assert_ok(xpbd_world_enable_constraints(world, XPBD_DISTANCE, 0, 1, true));
        d = diagnose(world);
        assert_near(d.residual_max, 1.0, 0.0);
        assert_near(d.residual_rms, 1.0, 0.0);
        assert_int_equal(d.n_infeasible, 1);
        xpbd_world_destroy(world);
    }
}

/* A stiffness takes the place of a compliance, which may be given, as in the solver: no energy, and
 * the residual is the (1 - k) C that a step leaves. */
static void test_stiffness_has_no_compliance(void **state)
{
    static const float k = 0.75f, alpha = 0.5f;
    const xpbd_constraints both = {.stiffness = &k, .compliance = &alpha};
    xpbd_world_def def = kit_def(NULL);
    def.iterations = 1;
    xpbd_world *world = kit_spring(&def, 1.5f, 0.0f, 0.0f);
    (void)state;
    assert_ok(xpbd_world_set_constraints(world, XPBD_DISTANCE, 0, 1, &both));
    assert_near(diagnose(world).constraint_energy, 0.0, 0.0);
    kit_steps(world, 1, 0.1);
    xpbd_diagnostics d = diagnose(world);
    assert_near(d.residual_max, 0.125, 0.0);
    assert_near(d.residual_rms, 0.125, 0.0);
    assert_near(d.constraint_energy, 0.0, 0.0);
    xpbd_world_destroy(world);

    static const float x[2][3] = {{0}, {1.5f, 0, 0}}, rest = 1;
    world = make_pinned(XPBD_DISTANCE, 2, x, &rest, &alpha);
    assert_int_equal(diagnose(world).n_infeasible, 0);
    assert_ok(xpbd_world_set_constraints(world, XPBD_DISTANCE, 0, 1, &both));
    assert_int_equal(diagnose(world).n_infeasible, 1);
    xpbd_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_sided_types_count_where_they_hold),
        cmocka_unit_test(test_energy_is_that_of_lambda),
        cmocka_unit_test(test_energy_of_elements_is_that_of_textbooks),
        cmocka_unit_test(test_energy_of_variable_types),
        cmocka_unit_test(test_what_is_off_or_broken_counts_nowhere),
        cmocka_unit_test(test_stiffness_has_no_compliance),
    };
    return RUN_GROUP("diagnostics_types", tests);
}
