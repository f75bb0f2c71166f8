/* SPDX-License-Identifier: MIT
 *
 * Proves that a snapshot is exact: a world that is loaded from one goes on as the one that it was
 * taken of, bit for bit, in everything that can be read and on any other thread count, layout and
 * instruction set, and is written as the same bytes again.
 */
#include "support_bytes.h"
#include "support_zoo.h"

#include "xpbd/scheduler.h"

static const float one_place[1][3] = {{1, 2, 3}};

static void check_same_bytes(const xpbd_world *w, const kit_bytes *want)
{
    kit_bytes got = kit_bytes_of(w, xpbd_world_save);
    assert_int_equal(got.size, want->size);
    assert_memory_equal(got.bytes, want->bytes, got.size);
    free(got.bytes);
}

/* Pins, moves, forces, removals, and values that say nothing any more. */
static void disturb(xpbd_world *w, uint32_t phase)
{
    static const float zero, one = 1, force[3] = {0.5f, 4, 0}, target[3] = {0.1f, 0.2f, 0.3f};
    static const float soft = 2e-3f;
    bool *marked = kit_zoo_third(phase);
    switch (phase) {
    case 1:
        assert_ok(xpbd_world_set_inverse_masses(w, 20, 1, &zero, 0));
        assert_ok(xpbd_world_move_particles(w, 20, 1, target, 0));
        assert_ok(xpbd_world_set_forces(w, 3, 1, force, 0));
        break;
    case 2:
        assert_ok(xpbd_world_set_constraints(w, XPBD_ATTACH, 4, 1,
                                             &(xpbd_constraints){.compliance = &soft}));
        assert_ok(xpbd_world_set_constraints(w, XPBD_ATTACH, 4, 1,
                                             &(xpbd_constraints){.compliance = &zero}));
        assert_ok(xpbd_world_move_particles(w, 20, 1, force, 0));
        break;
    case 3:
        kit_zoo_remove(w, marked);
        assert_ok(xpbd_world_set_inverse_masses(w, 20, 1, &one, 0));
        break;
    case 4:
        assert_ok(xpbd_world_remove_particles(w, 30, 2, NULL));
        assert_ok(xpbd_world_set_solver(w, 2, 3));
        break;
    default:
        assert_ok(xpbd_world_compact(w, NULL, NULL));
        break;
    }
    free(marked);
}

static const char *w_name(const xpbd_world *w)
{
    static char text[64];
    xpbd_world_summary s;
    assert_ok(xpbd_world_summarize(w, &s));
    snprintf(text, sizeof text, "%s, going on", s.scheduler);
    return text;
}

static void check_goes_on(xpbd_world *w, const xpbd_world_def *def, uint32_t phase)
{
    kit_bytes s = kit_bytes_of(w, xpbd_world_save);
    xpbd_world *other = kit_create(def);
    if (phase % 2) { /* what a world has when it loads does not matter */
        kit_add_particles(other, 1, one_place, NULL);
        kit_steps(other, 1, 0.01);
    }
    assert_ok(xpbd_world_load(other, s.size, s.bytes));
    check_same_bytes(other, &s);
    kit_same_worlds(other, w, "loaded");
    xpbd_diagnostics d, e;
    assert_ok(xpbd_world_diagnose(w, &d));
    assert_ok(xpbd_world_diagnose(other, &e));
    assert_near(e.residual_rms, d.residual_rms, 0);
    assert_near(e.constraint_energy, d.constraint_energy, 0);
    if (phase < 6)
        disturb(w, phase), disturb(other, phase);
    for (uint32_t k = phase == 1; k < 2; k++) { /* once after a move that has just taken place */
        kit_steps(w, 1, 1.0 / 120);
        kit_steps(other, 1, 1.0 / 120);
        kit_same_worlds(other, w, w_name(w));
    }
    xpbd_world_destroy(other);
    free(s.bytes);
}

static void test_going_on_gives_the_same_bits(void **state)
{
    static const char *const isas[] = {"auto", "scalar"}, *const layouts[] = {"soa", "aos4"};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        xpbd_world_def def = kit_def(name), other = kit_def(s % 2 ? "serial-gs" : NULL);
        def.iterations = 2;
        def.acceleration[1] = -9.81f;
        def.relaxation = 0.75f;
        def.iterations = s % 2 ? 2 : 6;
        def.tolerance = s % 2 ? 0 : 0.05f; /* iterations that end early */
        def.check_every = 2;
        other.ordering = "rcm"; /* all of the scene's own come from the snapshot */
        other.substeps = 7;
        xpbd_world *w = kit_zoo(&def, true, NULL);
        for (uint32_t phase = 0; phase < 7; phase++) {
            other.isa = isas[(s + phase) % 2];
            other.layout = layouts[phase / 2 % 2];
            other.threads = 1 + (int32_t)(phase % 3 == 0);
            check_goes_on(w, &other, phase);
        }
        xpbd_world_destroy(w);
    }
}

/* Hubs have copies, meshes slabs and runs: larger than the zoo. */
static void test_meshes_with_hubs(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        kit_scene cloth = kit_grid(48, 48, 0.1f, KIT_STRUCTURAL | KIT_SHEAR);
        xpbd_world_def def = kit_def(name);
        def.iterations = 3;
        def.acceleration[1] = -9.81f;
        cloth.w[0] = 0;
        xpbd_world *w = kit_build(&def, &cloth, 1e-5f), *other = kit_create(&def);
        for (uint32_t i = 1; i < 200; i++) {
            const uint32_t pair[2] = {11 * i, 0};
            assert_ok(xpbd_world_add_constraints(w, XPBD_TETHER, 1,
                                                 &(xpbd_constraints){.particles = pair}, NULL));
        }
        kit_steps(w, 2, 1.0 / 60);
        assert_ok(xpbd_world_remove_constraints(w, XPBD_TETHER, 50, 20));
        assert_ok(xpbd_world_remove_constraints(w, XPBD_DISTANCE, 100, 777));
        kit_steps(w, 1, 1.0 / 60);
        kit_bytes s1 = kit_bytes_of(w, xpbd_world_save);
        assert_ok(xpbd_world_load(other, s1.size, s1.bytes));
        kit_steps(w, 3, 1.0 / 60);
        kit_steps(other, 3, 1.0 / 60);
        assert_same_hash(xpbd_world_hash(other), xpbd_world_hash(w), name);
        free(s1.bytes);
        xpbd_world_destroy(w);
        xpbd_world_destroy(other);
        kit_scene_free(&cloth);
    }
}

/* Batches between which nothing is left are one, as when they are added again. */
static void test_batches_after_compacting(void **state)
{
    static const float x[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    static const uint32_t pairs[3][2] = {{0, 1}, {1, 2}, {0, 2}};
    static const xpbd_constraint_type types[3] = {XPBD_DISTANCE, XPBD_ROPE, XPBD_DISTANCE};
    xpbd_world_def def = kit_def("serial-gs");
    xpbd_world *w = kit_create(&def), *other = kit_create(&def);
    (void)state;
    kit_add_particles(w, 3, x, NULL);
    for (uint32_t k = 0; k < 3; k++) {
        const xpbd_constraints c = {.particles = pairs[k]};
        assert_ok(xpbd_world_add_constraints(w, types[k], 1, &c, NULL));
    }
    assert_ok(xpbd_world_remove_constraints(w, XPBD_ROPE, 0, 1));
    assert_ok(xpbd_world_compact(w, NULL, NULL));
    kit_bytes s = kit_bytes_of(w, xpbd_world_save);
    assert_ok(xpbd_world_load(other, s.size, s.bytes));
    check_same_bytes(other, &s);
    free(s.bytes);
    xpbd_world_destroy(w);
    xpbd_world_destroy(other);
}

/* A state that is no number is one too. */
static void test_what_blew_up_is_kept(void **state)
{
    static const float huge[3] = {3e38f, -3e38f, 0};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_zoo(&def, true, NULL), *other = kit_create(&def);
    (void)state;
    assert_ok(xpbd_world_set_velocities(w, 5, 1, huge, 0));
    kit_steps(w, 3, 1000.0);
    xpbd_diagnostics d;
    assert_ok(xpbd_world_diagnose(w, &d));
    assert_true(d.n_nonfinite > 0);
    kit_bytes s = kit_bytes_of(w, xpbd_world_save);
    assert_ok(xpbd_world_load(other, s.size, s.bytes));
    check_same_bytes(other, &s);
    free(s.bytes);
    xpbd_world_destroy(w);
    xpbd_world_destroy(other);
}

static void solve_nothing(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    (void)plan;
    (void)member;
    (void)iterations;
}

static void test_custom_schedulers_are_known_by_name(void **state)
{
    const xpbd_scheduler mine = {.cookie = XPBD_SCHEDULER_COOKIE,
                                 .name = "mine",
                                 .summary = "",
                                 .partition = XPBD_PARTITION_COLORS,
                                 .update = XPBD_UPDATE_IN_PLACE,
                                 .solve = solve_nothing};
    xpbd_world_def def = kit_def(NULL);
    (void)state;
    def.custom_scheduler = &mine;
    xpbd_world *w = kit_zoo(&def, false, NULL), *same = kit_create(&def);
    def = kit_def(NULL);
    xpbd_world *other = kit_create(&def);
    kit_steps(w, 2, 0.01);
    kit_bytes s = kit_bytes_of(w, xpbd_world_save);
    assert_ok(xpbd_world_load(same, s.size, s.bytes));
    check_same_bytes(same, &s);
    assert_status(xpbd_world_load(other, s.size, s.bytes), XPBD_ERROR_UNKNOWN_SCHEDULER);
    assert_non_null(strstr(xpbd_world_error(other)->text, "mine"));
    free(s.bytes);
    xpbd_world_destroy(w);
    xpbd_world_destroy(same);
    xpbd_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_going_on_gives_the_same_bits),
        cmocka_unit_test(test_meshes_with_hubs),
        cmocka_unit_test(test_batches_after_compacting),
        cmocka_unit_test(test_what_blew_up_is_kept),
        cmocka_unit_test(test_custom_schedulers_are_known_by_name),
    };
    return RUN_GROUP("snapshot", tests);
}
