/* SPDX-License-Identifier: MIT
 *
 * Proves that the imbalance of xpbd_diagnostics is g of [XPBD16] eq. 8, against the reference,
 * which computes it from positions and multipliers on its own, and against closed forms; that it is
 * only there where it was asked for; and that asking changes no bit.
 */
#include "support.h"

#include "reference/reference.h"

#include <math.h>

static xpbd_diagnostics diagnose(const xpbd_world *w)
{
    xpbd_diagnostics d;
    memset(&d, 0x5a, sizeof d);
    assert_ok(xpbd_world_diagnose(w, &d));
    return d;
}

enum { N = 5 };

/* A net of N x N particles of 2 kg under gravity, one pinned, let go stretched: springs, and ties
 * of the corners. All on a grid of few bits. */
static void make_net(xpbd_world *w, ref_system *s)
{
    static const float weights[2] = {0.25f, 0.75f};
    const double b[2] = {0.25, 0.75};
    for (uint32_t i = 0; i < N * N; i++) {
        const float x[1][3] = {
            {0.25f * (float)(i % N), 0.125f * (float)(i % 3), 0.25f * (float)(i / N)}};
        const double exact[3] = {(double)x[0][0], (double)x[0][1], (double)x[0][2]};
        const float weight = i ? 0.5f : 0;
        kit_add_particles(w, 1, x, &weight);
        ref_add_particle(s, exact, NULL, (double)weight);
    }
    for (uint32_t i = 0; i < N * N; i++) {
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t pair[1][2] = {{i, k ? i + N : i + 1}};
            const float rest = 0.2f, soft = 1e-4f;
            const double length = (double)rest;
            if (k ? i + N < N * N : i % N + 1 < N) {
                kit_add_distances(w, 1, pair, &rest, soft);
                ref_add_constraint(s, XPBD_DISTANCE, pair[0], &length, (double)soft);
            }
        }
    }
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t ids[3] = {N * N - 1 - i, i, i + N};
        assert_ok(xpbd_world_add_constraints(
            w, XPBD_TIE_EDGE, 1, &(xpbd_constraints){.particles = ids, .rest = weights}, NULL));
        ref_add_constraint(s, XPBD_TIE_EDGE, ids, b, 0);
    }
}

static void test_imbalance_is_g_of_the_reference(void **state)
{
    const char *name;
    const double dt = 1.0 / 64;
    (void)state;
    for (uint32_t k = 0; (name = xpbd_scheduler_name(k)); k++) {
        xpbd_world_def def = kit_def(name);
        def.iterations = 3;
        def.acceleration[1] = -8;
        def.keep_prediction = true;
        xpbd_world *w = kit_create(&def);
        ref_system *s = ref_make();
        s->gravity[1] = -8;
        make_net(w, s);
        kit_steps(w, 1, dt);
        float(*x)[3] = kit_positions(w);
        double exact[N * N][3], lambda[200];
        uint32_t n = 0;
        for (uint32_t i = 0; i < 3 * N * N; i++)
            exact[i / 3][i % 3] = (double)x[i / 3][i % 3];
        float rows[3 * 4];
        for (uint32_t i = 0; i < 2 * N * (N - 1); i++)
            lambda[n++] = (double)kit_lambda(w, i);
        assert_ok(xpbd_world_read_lambdas(w, XPBD_TIE_EDGE, 0, 4, rows, 0));
        for (uint32_t i = 0; i < 12; i++)
            lambda[n++] = (double)rows[i];
        const ref_residual want = ref_residuals(s, (const double(*)[3])exact, lambda, dt);
        const xpbd_diagnostics d = diagnose(w);
        /* g^T W g with the same w for all, from the mean square of forces. */
        const double got = sqrt(0.5 * (N * N - 1)) * d.imbalance_rms * dt * dt;
        assert_true(d.has_imbalance && want.g > 1e-5);
        /* The prediction is a float, and so is the kick before it: roundings of 2^-24 of 1 m and of
         * 2 kg at 24 particles. */
        assert_near(got, want.g, 4e-7 * 2 * 5);
        assert_near(d.residual_max, want.h_max, 1e-9);
        assert_true(d.imbalance_max >= d.imbalance_rms);
        free(x);
        ref_free(s);
        xpbd_world_destroy(w);
    }
}

/* Without iterations nothing carries the spring's load: one that is too long by 1/4 m feels
 * nothing, its lambda is 0 and x = x~. With a multiplier that has not moved anything, g is that. */
static void test_imbalance_in_newtons(void **state)
{
    xpbd_world_def def = kit_def("jacobi");
    def.keep_prediction = true;
    def.iterations = 0;
    (void)state;
    xpbd_world *w = kit_spring(&def, 1.25f, 1e-2f, 0.0f);
    assert_false(diagnose(w).has_imbalance); /* no step yet */
    assert_near(diagnose(w).imbalance_max, 0.0, 0.0);
    kit_steps(w, 1, 0.5);
    assert_true(diagnose(w).has_imbalance);
    assert_near(diagnose(w).imbalance_max, 0.0, 0.0);
    /* Put it 1/8 m elsewhere behind the solver's back: M dx / dt^2 of 1 kg is 1/2 N. */
    const float at[3] = {1.25f, 0.125f, 0};
    assert_ok(xpbd_world_set_positions(w, 1, 1, at, 0));
    assert_near(diagnose(w).imbalance_max, 0.5, 0.0);
    assert_near(diagnose(w).imbalance_rms, 0.5, 0.0);
    assert_int_equal(diagnose(w).imbalance_particle, 1);
    /* What is prepared anew has forgotten it. */
    kit_add_particles(w, 1, &at, NULL);
    assert_false(diagnose(w).has_imbalance);
    xpbd_world_destroy(w);
}

/* Averaged Jacobi at a hub moves by a mean, lambda by another: that is seen. With split masses and
 * with Gauss-Seidel x = x~ + W grad C^T lambda holds to rounding on a line. */
static void test_imbalance_tells_averaging_from_splitting(void **state)
{
    static const char *const names[] = {"jacobi",  "jacobi-mass-splitting", "serial-gs",
                                        "slab-gs", "jacobi-chebyshev",      "tree-direct"};
    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(names); k++) {
        static const float x[4][3] = {{0}, {1.5f, 0, 0}, {-1.25f, 0, 0}, {2.5f, 0, 0}};
        static const uint32_t pair[3][2] = {{0, 1}, {0, 2}, {1, 3}};
        static const float rest[3] = {1, 1, 1};
        xpbd_world_def def = kit_def(names[k]);
        def.iterations = 6;
        def.keep_prediction = true;
        xpbd_world *w = kit_create(&def);
        kit_add_particles(w, 4, x, NULL);
        kit_add_distances(w, 3, pair, rest, 1e-3f);
        kit_steps(w, 1, 0.125);
        const double force = diagnose(w).imbalance_max;
        if (k == 0)
            assert_true(force > 0.1);
        else
            assert_below(force, 6 * 2 * 0x1p-24 * 64 * 4);
        xpbd_world_destroy(w);
    }
}

static void test_asking_changes_no_bit(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t k = 0; (name = xpbd_scheduler_name(k)); k++) {
        uint64_t hash[2];
        for (int ask = 0; ask < 2; ask++) {
            kit_scene cloth = kit_grid(9, 9, 0.1f, KIT_STRUCTURAL | KIT_SHEAR);
            cloth.w[0] = 0;
            xpbd_world_def def = kit_def(name);
            def.acceleration[1] = -9.81f;
            def.keep_prediction = ask;
            def.substeps = 2;
            def.layout = k % 2 ? "soa" : "aos4";
            xpbd_world *w = kit_build(&def, &cloth, 1e-6f);
            kit_steps(w, 5, 1.0 / 60);
            assert_int_equal(diagnose(w).has_imbalance, ask);
            assert_int_equal(diagnose(w).n_iterations, 20);
            hash[ask] = xpbd_world_hash(w);
            kit_scene_free(&cloth);
            xpbd_world_destroy(w);
        }
        assert_same_hash(hash[1], hash[0], name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_imbalance_is_g_of_the_reference),
        cmocka_unit_test(test_imbalance_in_newtons),
        cmocka_unit_test(test_imbalance_tells_averaging_from_splitting),
        cmocka_unit_test(test_asking_changes_no_bit),
    };
    return RUN_GROUP("reference_residuals", tests);
}
