/* SPDX-License-Identifier: MIT
 *
 * Proves which constraints make trees, that a mixed scene of trees and others has the same bits on
 * every instruction set, layout and thread count, with every scheduler also the same number of
 * iterations under a tolerance, and that jacobi-chebyshev keeps its promises: far fewer iterations,
 * multipliers that go with the positions, and a safeguard.
 */
#include "support.h"

#include "layouts/trees.h"

#include <math.h>

typedef struct found {
    xpbd_memory memory;
    xpbd_arena arena;
    xpbd_trees trees;
    uint32_t n_left;
} found;

static found find(uint32_t n_particles, const uint8_t *movable, uint32_t n, const uint32_t *pair,
                  uint32_t n_attached, const uint32_t *attached)
{
    static xpbd_batch batches[2];
    found f = {.n_left = 0};
    xpbd_memory_init(&f.memory, NULL);
    f.arena.memory = &f.memory;
    batches[0] = (xpbd_batch){XPBD_DISTANCE, 0, n};
    batches[1] = (xpbd_batch){XPBD_ATTACH, 0, n_attached};
    xpbd_tuples t = {.batches = batches, .n_batches = 2, .n_particles = n_particles};
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        t.n_corners[type] = xpbd_constraint_type_info((xpbd_constraint_type)type)->n_particles;
        t.first[type + 1] = t.first[type] + (type == XPBD_DISTANCE ? n
                                             : type == XPBD_ATTACH ? n_attached
                                                                   : 0);
    }
    t.trees[XPBD_DISTANCE] = t.trees[XPBD_ATTACH] = true;
    t.particles[XPBD_DISTANCE] = pair;
    t.particles[XPBD_ATTACH] = attached;
    xpbd_walk_step *walk = xpbd_arena_alloc(&f.arena, n + n_attached, sizeof *walk);
    xpbd_walk_step *left = xpbd_arena_alloc(&f.arena, n + n_attached, sizeof *left);
    for (uint32_t i = 0; i < n + n_attached; i++)
        walk[i] = i < n ? (xpbd_walk_step){XPBD_DISTANCE, i} : (xpbd_walk_step){XPBD_ATTACH, i - n};
    assert_true(xpbd_trees_find(&t, walk, movable, &f.trees, left, &f.n_left, &f.arena, &f.arena));
    /* Every constraint is in a tree or left; parents come before their children. */
    assert_int_equal(f.trees.first_link[f.trees.n] + f.n_left, n + n_attached);
    for (uint32_t k = 0; k < f.trees.n; k++)
        for (uint32_t l = f.trees.first_link[k]; l < f.trees.first_link[k + 1]; l++) {
            const xpbd_link *link = &f.trees.link[l];
            assert_in_range(link->parent, f.trees.first_point[k], f.trees.first_point[k + 1] - 1);
            assert_true(l == f.trees.first_link[k] || link[-1].parent <= link->parent);
            if (link->child != XPBD_NO_POINT)
                assert_true(link->child > link->parent && link->child < f.trees.first_point[k + 1]);
        }
    return f;
}

static void test_trees_are_what_has_few_cycles(void **state)
{
    static const struct {
        const char *what;
        uint32_t n_particles, n, n_attached, pinned, trees, left;
        uint32_t pair[8][2];
        uint32_t attached[2];
    } cases[] = {
        {"a chain", 4, 3, 0, 99, 1, 0, {{0, 1}, {1, 2}, {2, 3}}, {0}},
        {"a chain with a pin in it", 5, 4, 0, 2, 2, 0, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}, {0}},
        {"one link is no tree", 2, 1, 0, 99, 0, 1, {{0, 1}}, {0}},
        {"a link and an attachment", 2, 1, 1, 99, 1, 0, {{0, 1}}, {1}},
        {"a star", 5, 4, 0, 99, 1, 0, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}, {0}},
        {"spokes of a pinned hub", 4, 3, 0, 0, 0, 3, {{0, 1}, {0, 2}, {0, 3}}, {0}},
        {"a ring of six", 6, 6, 0, 99, 1, 1, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}}, {0}},
        {"a triangle", 3, 3, 0, 99, 0, 3, {{0, 1}, {1, 2}, {2, 0}}, {0}},
        {"one link twice",
         6,
         6,
         0,
         99,
         1,
         1,
         {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {1, 0}},
         {0}},
        {"all pinned but one", 2, 2, 0, 0, 1, 0, {{0, 1}, {1, 0}}, {0}},
    };
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t movable[8];
        for (uint32_t k = 0; k < 8; k++)
            movable[k] = k != cases[i].pinned;
        found f = find(cases[i].n_particles, movable, cases[i].n, cases[i].pair[0],
                       cases[i].n_attached, cases[i].attached);
        if (f.trees.n != cases[i].trees || f.n_left != cases[i].left)
            fail_msg("%s: %u trees and %u left", cases[i].what, f.trees.n, f.n_left);
        xpbd_arena_free(&f.arena);
    }
    kit_scene cloth = kit_grid(12, 12, 0.1f, KIT_STRUCTURAL);
    uint8_t movable[144];
    memset(movable, 1, sizeof movable);
    found f = find(144, movable, cloth.n_pairs, cloth.pair[0], 0, NULL);
    assert_int_equal(f.trees.n, 0); /* a tree in a cloth is a sequence that helps nobody */
    xpbd_arena_free(&f.arena);
    kit_scene_free(&cloth);
}

/* 40 ropes of 3 to 42 links with branches and heavy ends, a cloth, and ropes that hold it; some of
 * it damped, attached, breakable, with a stiffness. */
static xpbd_world *make_mixed(const xpbd_world_def *def)
{
    static const float soft = 1e-5f, beta = 0.5f, force = 15, k = 0.5f, heavy = 0.01f;
    kit_scene cloth = kit_grid(24, 24, 0.05f, KIT_STRUCTURAL | KIT_SHEAR);
    uint32_t pair[2000][2], n = 0, attached[40], slack[24][2];
    xpbd_world *w = kit_build(def, &cloth, 1e-6f);
    for (uint32_t r = 0; r < 40; r++) {
        uint32_t first, last = 24 * (r % 24);
        for (uint32_t i = 0; i < 3 + r; i++) {
            const float x[1][3] = {
                {-0.05f * (float)(i + 1), 0.01f * (float)(i % 3), 0.05f * (float)r}};
            assert_ok(xpbd_world_add_particles(
                w, 1,
                &(xpbd_particles){.position = x[0], .inverse_mass = i == 2 + r ? &heavy : NULL},
                &first));
            pair[n][0] = r < 24 || i > 0 ? last : first - 1;
            if (i > 0 || r < 24)
                pair[n++][1] = first;
            last = i % 5 == 4 ? last : first; /* every fifth is a branch */
        }
        attached[r] = first;
    }
    kit_add_distances(w, n, (const uint32_t(*)[2])pair, NULL, 0.0f);
    for (uint32_t i = 0; i < 24; i++) {
        slack[i][0] = i;
        slack[i][1] = 575 - i;
    }
    assert_ok(xpbd_world_add_constraints(w, XPBD_ATTACH, 20,
                                         &(xpbd_constraints){.particles = attached}, NULL));
    assert_ok(xpbd_world_add_constraints(w, XPBD_ROPE, 24,
                                         &(xpbd_constraints){.particles = slack[0]}, NULL));
    const uint32_t first = cloth.n_pairs;
    assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, first + 30, 100,
                                         &(xpbd_constraints){.compliance = &soft,
                                                             .compliance_stride = XPBD_SAME,
                                                             .damping = &beta,
                                                             .damping_stride = XPBD_SAME}));
    assert_ok(xpbd_world_set_constraints(
        w, XPBD_DISTANCE, first + 150, 300,
        &(xpbd_constraints){.break_force = &force, .break_force_stride = XPBD_SAME}));
    assert_ok(xpbd_world_set_constraints(
        w, XPBD_DISTANCE, first + 500, 9,
        &(xpbd_constraints){.stiffness = &k, .stiffness_stride = XPBD_SAME}));
    kit_scene_free(&cloth);
    return w;
}

typedef struct outcome {
    uint64_t hash, iterations;
    double residual;
    uint32_t n_broken;
} outcome;

static outcome run(const xpbd_world_def *def)
{
    outcome o = {0};
    xpbd_world *w = make_mixed(def);
    for (int i = 0; i < 4; i++) {
        uint32_t n;
        xpbd_diagnostics d;
        kit_steps(w, 1, 1.0 / 60);
        assert_ok(xpbd_world_read_broken(w, 0, NULL, &n));
        assert_ok(xpbd_world_diagnose(w, &d));
        assert_int_equal(d.n_nonfinite, 0);
        o.n_broken += n;
        o.iterations += d.n_iterations;
        o.residual = d.sweep_residual;
    }
    o.hash = xpbd_world_hash(w);
    xpbd_world_destroy(w);
    return o;
}

static void test_threads_and_kernels_decide_alike(void **state)
{
    static const int32_t threads[] = {1, 2, 5};
    const char *name, *isa, *layout;
    uint32_t n_broken = 0;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        xpbd_world_def def = kit_def(name);
        def.acceleration[1] = -9.81f;
        def.iterations = 12;
        def.substeps = 2;
        def.tolerance = 2e-3f;
        def.check_every = 4;
        def.isa = "scalar";
        def.layout = "soa";
        const outcome want = run(&def);
        n_broken += want.n_broken;
        assert_true(want.residual > 0.0);
        for (uint32_t i = 0; (isa = xpbd_isa_name(i)); i++) {
            for (uint32_t l = 0; (layout = xpbd_layout_name(l)) && xpbd_isa_available(i); l++) {
                def.isa = isa;
                def.layout = layout;
                def.threads = threads[(i + l) % COUNT_OF(threads)];
                const outcome got = run(&def);
                assert_same_hash(got.hash, want.hash, name);
                assert_int_equal(got.iterations, want.iterations);
                assert_near(got.residual, want.residual, 0.0);
                assert_int_equal(got.n_broken, want.n_broken);
            }
        }
    }
    assert_true(n_broken > 0);
}

static xpbd_diagnostics hang(const char *scheduler, uint32_t iterations, float radius, float omega)
{
    kit_scene rope = kit_rope(41, 0.05f);
    xpbd_world_def def = kit_def(scheduler);
    def.acceleration[0] = 10; /* straight on: a linear problem */
    def.iterations = iterations;
    def.keep_prediction = true;
    def.spectral_radius = radius;
    def.relaxation = omega;
    xpbd_world *w = kit_build(&def, &rope, 1e-7f);
    xpbd_diagnostics d;
    kit_steps(w, 1, 1.0 / 60);
    assert_ok(xpbd_world_diagnose(w, &d));
    kit_scene_free(&rope);
    xpbd_world_destroy(w);
    return d;
}

static void test_chebyshev_needs_far_fewer_iterations(void **state)
{
    (void)state;
    const xpbd_diagnostics plain = hang("jacobi-mass-splitting", 1000, 0, 1);
    const xpbd_diagnostics fast = hang("jacobi-chebyshev", 100, 0, 1);
    const xpbd_diagnostics tuned = hang("jacobi-chebyshev", 100, 0.998f, 1);
    assert_below(fast.residual_max, plain.residual_max);
    assert_below(tuned.residual_max, fast.residual_max);
    /* x = x~ + W grad C^T lambda holds exactly here: what is left is rounding, of 2^-24 times a
     * coordinate of 2 m over dt^2 for each of 100 iterations. */
    assert_true(fast.has_imbalance && tuned.has_imbalance);
    assert_below(fast.imbalance_max, 100 * 2 * 0x1p-24 * 3600);
    assert_below(tuned.imbalance_max, 100 * 2 * 0x1p-24 * 3600);
}

/* The chain's sweeps shrink the error by rho = cos^2(pi / 2 n) per iteration, n links with one end
 * pinned; with omega = 2 / (1 + sqrt(1 - rho)) by omega - 1, times the number of iterations. */
static void test_a_relaxation_makes_sor_of_gauss_seidel(void **state)
{
    static const char *const names[] = {"serial-gs", "colored-gs", "slab-gs"};
    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(names); k++) {
        const float omega = 1.9244f; /* of 40 links: 2 / (1 + sin(pi / 80)) */
        const xpbd_diagnostics plain = hang(names[k], 150, 0, 1),
                               sor = hang(names[k], 150, 0, omega);
        assert_below(sor.residual_max, 0.05 * plain.residual_max);
        assert_below(sor.imbalance_max, 150 * 2 * 0x1p-24 * 3600);
    }
    assert_near(hang("tree-direct", 2, 0, 1.5f).residual_max,
                hang("tree-direct", 2, 0, 1).residual_max, 0.0);
}

/* A factor of 1.9 doubles with Chebyshev's own: no iteration that converges. Jacobi with that
 * factor does, and the safeguard goes back to it. */
static void test_the_safeguard_goes_back_to_jacobi(void **state)
{
    (void)state;
    const xpbd_diagnostics wild = hang("jacobi-chebyshev", 200, 0.98f, 1.9f);
    const xpbd_diagnostics start = hang("jacobi-mass-splitting", 1, 0, 1);
    assert_int_equal(wild.n_nonfinite, 0);
    assert_below(wild.residual_max, start.residual_max);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_are_what_has_few_cycles),
        cmocka_unit_test(test_threads_and_kernels_decide_alike),
        cmocka_unit_test(test_chebyshev_needs_far_fewer_iterations),
        cmocka_unit_test(test_a_relaxation_makes_sor_of_gauss_seidel),
        cmocka_unit_test(test_the_safeguard_goes_back_to_jacobi),
    };
    return RUN_GROUP("trees_mt", tests);
}
