/* SPDX-License-Identifier: MIT
 *
 * Groups of runs whose particles all weigh the same have kernels of their own. Which groups these
 * are changes with the weights, between steps; the bits are those of scalar kernels all the time.
 */
#include "tests/support.h"

#include "solver/ways.h"

enum { COLUMNS = 90, ROWS = 80 };

typedef struct pair_of_worlds {
    xpbd_world *quick, *plain; /* on two threads; scalar on one */
} pair_of_worlds;

static pair_of_worlds make(const kit_scene *scene, const char *isa)
{
    xpbd_world_def def = kit_def("slab-gs");
    pair_of_worlds w;
    def.layout = "aos4";
    def.iterations = 4;
    def.acceleration[1] = -9.81f;
    def.threads = 2;
    def.isa = isa;
    w.quick = kit_build(&def, scene, 1e-6f);
    def.threads = 1;
    def.isa = "scalar";
    w.plain = kit_build(&def, scene, 1e-6f);
    return w;
}

static void destroy(pair_of_worlds *w)
{
    xpbd_world_destroy(w->quick);
    xpbd_world_destroy(w->plain);
}

static void step(const pair_of_worlds *w, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        kit_steps(w->quick, 1, 1.0 / 60);
        kit_steps(w->plain, 1, 1.0 / 60);
        assert_same_hash(xpbd_world_hash(w->quick), xpbd_world_hash(w->plain), "even");
    }
}

static void weigh(const pair_of_worlds *w, uint32_t particle, float inverse_mass)
{
    assert_ok(xpbd_world_set_inverse_masses(w->quick, particle, 1, &inverse_mass, 0));
    assert_ok(xpbd_world_set_inverse_masses(w->plain, particle, 1, &inverse_mass, 0));
}

static uint32_t count(const pair_of_worlds *w, uint8_t way)
{
    const xpbd_build *build = &w->quick->build;
    uint32_t n = 0;
    for (uint32_t g = 0; g < build->streams[XPBD_DISTANCE].n_groups; g++)
        n += build->way[XPBD_DISTANCE][g] == way;
    return n;
}

static bool has_even_kernels(const pair_of_worlds *w)
{
    const xpbd_build *build = &w->quick->build;
    return build->tasks[XPBD_CONSTRAINT_TYPE_COUNT * XPBD_RUN_ROWS + XPBD_DISTANCE].even[0];
}

/* With what instruction set there is; at least on avx2 there are such kernels. */
static void test_weights_change_between_steps(void **state)
{
    (void)state;
    for (uint32_t isa = 0; isa < XPBD_ISA_COUNT; isa++) {
        if (!xpbd_cpu_has((xpbd_isa)isa))
            continue;
        kit_scene scene = kit_grid(COLUMNS, ROWS, 0.1f, KIT_STRUCTURAL | KIT_SHEAR | KIT_BEND);
        scene.w[0] = scene.w[COLUMNS - 1] = 0;
        pair_of_worlds w = make(&scene, xpbd_isa_name(isa));
        step(&w, 1);
        const bool quick = has_even_kernels(&w);
        const uint32_t most = count(&w, XPBD_WAY_EVEN);
        assert_true(quick || isa != XPBD_ISA_avx2);
        assert_true(quick ? most > 0 : most == 0);
        /* Pinned and of another weight, in the middle of even groups; then let alone. */
        weigh(&w, COLUMNS * ROWS / 2 + 7, 0);
        weigh(&w, COLUMNS * ROWS / 4 + 5, 3);
        assert_int_equal(count(&w, XPBD_WAY_EVEN), 0);
        step(&w, 12);
        const uint32_t fewer = count(&w, XPBD_WAY_EVEN);
        assert_true(quick ? fewer > 0 && fewer < most : fewer == 0);
        /* In every step, so that nobody looks for them. */
        for (uint32_t k = 0; k < 12; k++) {
            weigh(&w, COLUMNS * ROWS / 4 + 5, 1 + (float)k);
            step(&w, 1);
            assert_int_equal(count(&w, XPBD_WAY_EVEN), 0);
        }
        weigh(&w, COLUMNS * ROWS / 2 + 7, 1);
        weigh(&w, COLUMNS * ROWS / 4 + 5, 1);
        step(&w, 12);
        assert_int_equal(count(&w, XPBD_WAY_EVEN), most);
        destroy(&w);
        kit_scene_free(&scene);
    }
}

/* A removed constraint leaves a group that is no run, and no even one, for good. */
static void test_even_groups_are_torn(void **state)
{
    (void)state;
    kit_scene scene = kit_grid(COLUMNS, ROWS, 0.1f, KIT_STRUCTURAL | KIT_SHEAR | KIT_BEND);
    pair_of_worlds w = make(&scene, NULL);
    step(&w, 1);
    for (uint32_t k = 0; k < scene.n_pairs; k += 400) {
        assert_ok(xpbd_world_remove_constraints(w.quick, XPBD_DISTANCE, k, 1));
        assert_ok(xpbd_world_remove_constraints(w.plain, XPBD_DISTANCE, k, 1));
    }
    const uint32_t torn = count(&w, XPBD_WAY_TORN);
    assert_true(torn > 0);
    step(&w, 2);
    weigh(&w, COLUMNS * ROWS / 2, 2);
    step(&w, 12);
    assert_int_equal(count(&w, XPBD_WAY_TORN), torn);
    destroy(&w);
    kit_scene_free(&scene);
}

/* Of which every particle weighs something else, and those of which every third does: no group, or
 * few in a row. */
static void test_other_weights(void **state)
{
    (void)state;
    for (int every = 1; every < 4; every += 2) {
        kit_scene scene = kit_grid(COLUMNS, ROWS, 0.1f, KIT_STRUCTURAL | KIT_SHEAR | KIT_BEND);
        uint64_t seed = 5;
        for (uint32_t i = 0; i < scene.n_particles; i += (uint32_t)every)
            scene.w[i] = kit_uniform(&seed, 0.5f, 2);
        pair_of_worlds w = make(&scene, NULL);
        step(&w, 2);
        assert_int_equal(count(&w, XPBD_WAY_EVEN), 0);
        destroy(&w);
        kit_scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_change_between_steps),
        cmocka_unit_test(test_even_groups_are_torn),
        cmocka_unit_test(test_other_weights),
    };
    return RUN_GROUP("even", tests);
}
