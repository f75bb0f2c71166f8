/* SPDX-License-Identifier: MIT
 *
 * One constraint of every type, of about a metre, whose particles are thrown apart: by up to 10^12
 * m its products are beyond float in many ways, and what comes of it must still be numbers.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>

enum { SEEDS = 8, STEPS = 2 };

typedef struct kind {
    const char *scheduler;
    bool damped, stiff;
    float compliance;
} kind;

static void add_constraint(xpbd_world *w, xpbd_constraint_type type, const kind *k)
{
    static const uint32_t corners[4] = {0, 1, 2, 3};
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const uint32_t four = 4;
    static const float damping = 0.5f, half = 0.5f;
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    const xpbd_constraints in = {
        .particles = info->variable && info->n_particles == 3 ? faces : corners,
        .sizes = info->variable ? &four : NULL,
        .compliance = k->stiff ? NULL : &k->compliance,
        .stiffness = k->stiff ? &half : NULL,
        .damping_time = k->damped ? &damping : NULL,
    };
    assert_ok(xpbd_world_add_constraints(w, type, 1, &in, NULL));
}

static xpbd_world *create(xpbd_constraint_type type, const kind *k, uint64_t *random)
{
    static const float rest[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.9f, 1, 0.9f}};
    xpbd_world_def def = kit_def(k->scheduler);
    def.iterations = 3;
    xpbd_world *w = kit_create(&def);
    float mass[4];
    for (int i = 0; i < 4; i++)
        mass[i] = kit_uniform(random, 0.1f, 8.0f);
    kit_add_particles(w, 4, rest, mass);
    add_constraint(w, type, k);
    return w;
}

static void throw_apart(xpbd_world *w, float far, uint64_t *random)
{
    float x[4][3];
    for (int i = 0; i < 12; i++)
        x[i / 3][i % 3] = kit_uniform(random, -far, far);
    assert_ok(xpbd_world_set_positions(w, 0, 4, x[0], 0));
}

static void check(xpbd_constraint_type type, const kind *k, float far, uint64_t seed)
{
    uint64_t random = seed;
    xpbd_world *w = create(type, k, &random);
    throw_apart(w, far, &random);
    kit_steps(w, STEPS, 1.0 / 60.0);
    float(*x)[3] = kit_positions(w);
    for (int i = 0; i < 12; i++) {
        if (!isfinite(x[i / 3][i % 3]))
            fail_msg("%s, %s, thrown %g m apart, seed %d: a position of %g m",
                     xpbd_constraint_type_info(type)->name, k->scheduler, (double)far, (int)seed,
                     (double)x[i / 3][i % 3]);
    }
    free(x);
    xpbd_world_destroy(w);
}

static void test_far_apart(void **state)
{
    (void)state;
    static const kind kinds[] = {{"serial-gs", false, false, 0.0f},
                                 {"serial-gs", false, false, 0.5f},
                                 {"serial-gs", true, false, 1e-3f},
                                 {"serial-gs", false, true, 0.0f},
                                 {"jacobi", false, false, 0.0f}};
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++)
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            for (float far = 10.0f; far <= 1e12f; far *= 10.0f)
                for (uint64_t seed = 1; seed <= SEEDS; seed++)
                    check((xpbd_constraint_type)type, &kinds[k], far, seed);
}

/* Where C_H pulls alone, the solid gets smaller and smaller. */
static void test_neo_hookean_comes_back(void **state)
{
    (void)state;
    static const kind plain = {"serial-gs", false, false, 0.0f};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t random = seed;
        xpbd_world *w = create(XPBD_TET_NEO_HOOKEAN, &plain, &random);
        assert_ok(xpbd_world_set_solver(w, 1, 1000));
        throw_apart(w, 1e6f, &random);
        xpbd_diagnostics before, after;
        assert_ok(xpbd_world_diagnose(w, &before));
        kit_steps(w, 1, 1.0);
        assert_ok(xpbd_world_diagnose(w, &after));
        assert_below(after.residual_max, 1e-3 * before.residual_max);
        xpbd_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_apart),
        cmocka_unit_test(test_neo_hookean_comes_back),
    };
    return RUN_GROUP("far_apart", tests);
}
