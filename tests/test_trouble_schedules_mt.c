/* SPDX-License-Identifier: MIT
 *
 * Regression tests of faults in schedules known from other engines: constraints that a colouring
 * takes for idle but the solve does not, colours without work, colours of very different sizes,
 * colourings and sorts that differ from run to run. A test is named after its entry in the log of
 * known trouble.
 */
#define _POSIX_C_SOURCE 200809L /* alarm */

#include "support_build.h"

#include "base/hash.h"
#include "solver/world.h"
#include "xpbd/scheduler.h"

#include <unistd.h>

/* Each stage from its last unit to its first: whatever two constraints of a colour share shows in
 * the bits. */
static void solve_backwards(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    if (member->index != 0)
        return;
    for (uint32_t i = 0; i < iterations; i++) {
        for (uint32_t s = 0; s < plan->n_stages; s++) {
            for (uint32_t unit = plan->stages[s].n_units; unit-- > 0;)
                xpbd_plan_run_stage(plan, &plan->stages[s], unit, unit + 1, i);
        }
    }
}

static const xpbd_scheduler backwards = {XPBD_SCHEDULER_COOKIE, "backwards",
                                         "colours, backwards",  XPBD_PARTITION_COLORS,
                                         XPBD_UPDATE_IN_PLACE,  solve_backwards};

/* On 1, 2 and 8 threads, and backwards. */
typedef struct way {
    const xpbd_scheduler *custom;
    int32_t threads;
} way;
static const way ways[] = {{NULL, 1}, {NULL, 2}, {NULL, 8}, {&backwards, 1}};

static xpbd_world *make_way(const way *how)
{
    xpbd_world_def def = kit_def("colored-gs");
    def.custom_scheduler = how->custom;
    def.threads = how->threads;
    def.acceleration[1] = -9.81f;
    def.iterations = 5;
    return kit_create(&def);
}

/* lambda = nu E / ((1 + nu) (1 - 2 nu)) is 0 at nu = 0, and mu = E / 2 is 1000 Pa. Neo-Hookean
 * elements have a row of their own for lambda and need some: without it they are refused, not
 * skipped. */
static void test_P02_tetrahedra_without_the_one_stiffness(void **state)
{
    static const xpbd_solid_model models[] = {XPBD_SOLID_NEO_HOOKEAN, XPBD_SOLID_STVK};
    (void)state;
    kit_mesh block = kit_solid(8, 6, 6, 0.1f);
    for (uint32_t m = 0; m < COUNT_OF(models); m++) {
        uint64_t want = 0;
        for (uint32_t k = 0; k < COUNT_OF(ways); k++) {
            static const uint32_t pinned[2] = {0, 8};
            xpbd_world *w = make_way(&ways[k]);
            xpbd_build_mesh mesh = kit_mesh_input(&block);
            mesh.n_pinned = 2;
            mesh.pinned = pinned;
            xpbd_tetrahedra_def def = xpbd_default_tetrahedra_def();
            def.model = models[m];
            def.young_modulus = 2000.0f;
            def.poisson_ratio = 0.0f;
            xpbd_built built;
            if (def.model == XPBD_SOLID_NEO_HOOKEAN) {
                assert_status(xpbd_build_tetrahedra(w, &mesh, &def, &built), XPBD_ERROR_MATERIAL);
                assert_int_equal(kit_n_constraints(w), 0);
                def.poisson_ratio = 1e-3f;
            }
            assert_ok(xpbd_build_tetrahedra(w, &mesh, &def, &built));
            assert_int_equal(built.stretch.count, 8 * 6 * 6 * 6);
            kit_steps(w, 5, 1.0 / 60);
            want = k == 0 ? xpbd_world_hash(w) : want;
            assert_same_hash(xpbd_world_hash(w), want, "tetrahedra with lambda = 0");
            xpbd_world_destroy(w);
        }
    }
    kit_mesh_free(&block);
}

/* Of a cloth of two materials the one without stiffness is switched off before the colouring, and
 * on again after it. */
static void test_P02_what_was_off_when_it_was_coloured(void **state)
{
    (void)state;
    kit_scene cloth = kit_grid(61, 61, 0.05f, KIT_STRUCTURAL | KIT_SHEAR);
    cloth.w[0] = cloth.w[60] = 0;
    uint64_t want = 0;
    for (uint32_t k = 0; k < COUNT_OF(ways); k++) {
        xpbd_world *w = make_way(&ways[k]);
        kit_add_particles(w, cloth.n_particles, (const float(*)[3])cloth.x, cloth.w);
        kit_add_distances(w, cloth.n_pairs, (const uint32_t(*)[2])cloth.pair, NULL, 0.0f);
        for (uint32_t i = 0; i < cloth.n_pairs; i += 2)
            assert_ok(xpbd_world_enable_constraints(w, XPBD_DISTANCE, i, 1, false));
        kit_steps(w, 3, 1.0 / 60);
        for (uint32_t i = 0; i < cloth.n_pairs; i += 2)
            assert_ok(xpbd_world_enable_constraints(w, XPBD_DISTANCE, i, 1, true));
        kit_steps(w, 3, 1.0 / 60);
        want = k == 0 ? xpbd_world_hash(w) : want;
        assert_same_hash(xpbd_world_hash(w), want, "half of it off, then on");
        xpbd_world_destroy(w);
    }
    kit_scene_free(&cloth);
}

/* All constraints of some colours, or of all of them, are removed: what is left falls as it does
 * without constraints. */
static void test_A05_colours_without_work(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        for (int32_t threads = 1; threads <= 8; threads += 7) {
            kit_scene star = kit_star(9); /* a colour per spoke */
            xpbd_world_def def = kit_def(name);
            def.threads = threads;
            def.acceleration[1] = -9.81f;
            xpbd_world *w = kit_build(&def, &star, 0.0f);
            assert_ok(xpbd_world_prepare(w));
            for (uint32_t k = 0; k < 9; k += 2)
                assert_ok(xpbd_world_remove_constraints(w, XPBD_DISTANCE, k, 1));
            kit_steps(w, 1, 1.0 / 60);
            for (uint32_t k = 1; k < 9; k += 2)
                assert_ok(xpbd_world_remove_constraints(w, XPBD_DISTANCE, k, 1));
            kit_steps(w, 59, 1.0 / 60);
            float(*at)[3] = kit_positions(w);
            for (uint32_t i = 0; i < star.n_particles; i++)
                assert_near((double)at[i][1] - (double)star.x[i][1], -4.98675, 2e-4);
            free(at);
            kit_scene_free(&star);
            xpbd_world_destroy(w);
        }
    }
}

/* 50 x 50 quads, by colours. */
static xpbd_world *make_grid(uint32_t spokes)
{
    kit_scene grid = kit_grid(51, 51, 0.02f, KIT_STRUCTURAL | KIT_ONE_DIAGONAL);
    kit_scene star = kit_star(spokes);
    for (uint32_t k = 0; k < spokes; k++) {
        star.pair[k][0] += grid.n_particles;
        star.pair[k][1] += grid.n_particles;
    }
    xpbd_world_def def = kit_def("colored-gs");
    def.ordering = "natural";
    def.layout = "aos4";
    xpbd_world *w = kit_build(&def, &grid, 0.0f);
    kit_add_particles(w, star.n_particles, (const float(*)[3])star.x, star.w);
    kit_add_distances(w, star.n_pairs, (const uint32_t(*)[2])star.pair, NULL, 0.0f);
    assert_ok(xpbd_world_prepare(w));
    kit_scene_free(&grid);
    kit_scene_free(&star);
    return w;
}

/* The largest colour of a grid is at most twice the mean of the first six; with a star of a
 * thousand spokes beside it there are a thousand colours, most of them of one constraint, which are
 * no work to divide. */
static void test_R08_colours_of_a_grid_are_even(void **state)
{
    (void)state;
    xpbd_world *w = make_grid(0);
    const xpbd_plan *plan = &w->build.plan;
    assert_in_range(plan->n_stages, 6, 11);
    uint32_t most = 0, six = 0, all = 0;
    for (uint32_t s = 0; s < plan->n_stages; s++) {
        most = plan->stages[s].work > most ? plan->stages[s].work : most;
        six += s < 6 ? plan->stages[s].work : 0;
        all += plan->stages[s].work;
    }
    assert_true(most <= 2 * six / 6);
    assert_true(all >= 7600 / XPBD_GROUP);
    xpbd_world_summary summary;
    assert_ok(xpbd_world_summarize(w, &summary));
    assert_int_equal(summary.n_stages, plan->n_stages);
    xpbd_world_destroy(w);

    w = make_grid(1000);
    plan = &w->build.plan;
    assert_int_equal(plan->n_stages, 1000);
    for (uint32_t s = 12; s < plan->n_stages; s++)
        assert_int_equal(plan->stages[s].work, 1); /* one lane group: one thread does it */
    xpbd_world_destroy(w);
}

/* The particles of all lanes in the order of the streams, of whatever compiler and optimization:
 * this number changes only when the colouring is meant to. */
static void test_P14_the_colouring_is_the_same_in_every_build(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        xpbd_world *w = make_grid(0);
        const xpbd_stream *stream = &w->build.streams[XPBD_DISTANCE];
        uint64_t hash = XPBD_HASH_SEED;
        for (size_t i = 0; i < 2 * xpbd_stream_lanes(stream); i++)
            hash = xpbd_hash_word(hash, stream->id[i % 2][i / 2]);
        assert_same_hash(hash, UINT64_C(0x12d4998887f86385), "lanes of a grid");
        xpbd_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_P02_tetrahedra_without_the_one_stiffness),
        cmocka_unit_test(test_P02_what_was_off_when_it_was_coloured),
        cmocka_unit_test(test_A05_colours_without_work),
        cmocka_unit_test(test_R08_colours_of_a_grid_are_even),
        cmocka_unit_test(test_P14_the_colouring_is_the_same_in_every_build),
    };
    alarm(280); /* a barrier that never opens ends as a failure, not as a hung build */
    return RUN_GROUP("trouble_schedules_mt", tests);
}
