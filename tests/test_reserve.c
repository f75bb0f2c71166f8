/* SPDX-License-Identifier: MIT
 *
 * Room in advance: after it nothing that was announced asks for memory, whichever request of it
 * fails leaves the world as it was, and room that is not used has no influence on a bit.
 */
#include "support_clusters.h"
#include "support_heap.h"

#include <math.h>

enum { BODIES = 3 }; /* of four particles */

/* A world in use: something of two types, forces, a step taken, so that it is prepared. */
static xpbd_world *make(const xpbd_allocator *allocator)
{
    static const float push[3] = {0.5f, 0, 0};
    xpbd_world_def def = kit_def(NULL);
    def.allocator = allocator;
    def.acceleration[1] = -9.81f;
    kit_scene rope = kit_rope(5, 0.25f);
    xpbd_world *w = kit_build(&def, &rope, 1e-4f);
    assert_ok(xpbd_world_set_forces(w, 4, 1, push, 0));
    kit_steps(w, 3, 1.0 / 60);
    kit_scene_free(&rope);
    return w;
}

static xpbd_reservation announce(void)
{
    xpbd_reservation all = {.particles = 4 * BODIES};
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const bool variable = xpbd_constraint_type_info((xpbd_constraint_type)type)->variable;
        all.of[type].count = BODIES;
        all.of[type].elements = variable ? 4 * BODIES : 0;
        all.of[type].compliance = all.of[type].damping = all.of[type].damping_time = true;
        all.of[type].stiffness = all.of[type].break_force = true;
        all.batches += BODIES;
    }
    return all;
}

/* All of it, one constraint at a time and the types in turn, which makes most of batches. */
static void add_all(xpbd_world *w)
{
    static const float x[4][3] = {{2, 0, 0}, {3, 0, 0}, {2, 1, 0}, {2, 0, 1}};
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    static const float alpha = 1e-3f, beta = 2, tau = 0.01f, force = 1e6f, stiffness = 1;
    for (uint32_t body = 0; body < BODIES; body++) {
        uint32_t first;
        assert_ok(xpbd_world_add_particles(w, 4, &(xpbd_particles){.position = x[0]}, &first));
        for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
            uint32_t ids[12] = {0};
            const uint32_t four = 4;
            for (uint32_t k = 0; k < 12; k++)
                ids[k] = first + (type == XPBD_MESH_VOLUME ? faces[k / 3][k % 3] : k % 4);
            const bool variable = xpbd_constraint_type_info((xpbd_constraint_type)type)->variable;
            const xpbd_constraints c = {.particles = ids,
                                        .sizes = variable ? &four : NULL,
                                        .compliance = &alpha,
                                        .damping = &beta,
                                        .damping_time = &tau,
                                        .stiffness = body == 1 ? &stiffness : NULL,
                                        .break_force = &force};
            assert_ok(xpbd_world_add_constraints(w, (xpbd_constraint_type)type, 1, &c, NULL));
        }
    }
}

/* Not one request between the reservation and the last call, though every one would fail; and the
 * same bits as a world that grew as it went. */
static void test_adding_after_it_asks_for_no_memory(void **state)
{
    heap h = {.fail_on = true}, other = {0};
    const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
    const xpbd_allocator others = {heap_alloc, heap_free, &other};
    const xpbd_reservation all = announce();
    xpbd_world *w = make(&allocator), *twin = make(&others);
    (void)state;
    assert_ok(xpbd_world_reserve(w, &all));
    h.fail_at = h.n_requests + 1;
    add_all(w);
    assert_int_equal(h.n_requests, h.fail_at - 1);
    h.fail_at = 0;
    add_all(twin);
    kit_steps(w, 10, 1.0 / 60);
    kit_steps(twin, 10, 1.0 / 60);
    assert_same_hash(xpbd_world_hash(w), xpbd_world_hash(twin), "reserved and grown");
    xpbd_world_destroy(w);
    xpbd_world_destroy(twin);
    assert_int_equal(h.n_live, 0);
}

static void check_unchanged(xpbd_world *w, const xpbd_world_summary *before, uint64_t hash)
{
    xpbd_world_summary after;
    assert_ok(xpbd_world_summarize(w, &after));
    assert_int_equal(after.n_particles, before->n_particles);
    assert_memory_equal(after.n_constraints, before->n_constraints, sizeof after.n_constraints);
    assert_true(after.n_stages > 0); /* prepared, and as it was */
    assert_int_equal(after.n_stages, before->n_stages);
    assert_int_equal(after.n_groups, before->n_groups);
    assert_int_equal(after.n_padding, before->n_padding);
    assert_same_hash(xpbd_world_hash(w), hash, "a reservation");
}

/* Each request fails in turn, and all after it: the world has what it had, is prepared as it was,
 * and goes on as one that was never asked. Then memory is back. */
static void test_without_memory_nothing_changes(void **state)
{
    const xpbd_reservation all = announce();
    bool done = false;
    uint64_t n = 0;
    (void)state;
    while (!done) {
        heap h = {.fail_on = true};
        const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
        xpbd_world *w = make(&allocator), *twin = make(NULL);
        xpbd_world_summary before;
        assert_ok(xpbd_world_summarize(w, &before));
        const uint64_t hash = xpbd_world_hash(w);
        h.fail_at = h.n_requests + ++n;
        const xpbd_status status = xpbd_world_reserve(w, &all);
        done = h.n_requests < h.fail_at;
        assert_status(status, done ? XPBD_OK : XPBD_ERROR_MEMORY);
        check_unchanged(w, &before, hash);
        h.fail_at = 0;
        kit_steps(w, 2, 1.0 / 60);
        kit_steps(twin, 2, 1.0 / 60);
        assert_same_hash(xpbd_world_hash(w), xpbd_world_hash(twin), "after a reservation");
        add_all(w);
        add_all(twin);
        kit_steps(w, 2, 1.0 / 60);
        kit_steps(twin, 2, 1.0 / 60);
        assert_same_hash(xpbd_world_hash(w), xpbd_world_hash(twin), "after it, added");
        xpbd_world_destroy(w);
        xpbd_world_destroy(twin);
        assert_int_equal(h.n_live, 0);
    }
    assert_true(n > 100); /* there was something to fail */
}

/* Room for numbers that nobody gives is not the same as numbers: what is read back are defaults,
 * and the bits are those of a world without. */
static void test_room_that_is_not_used_has_no_influence(void **state)
{
    static const uint32_t pair[2] = {3, 4};
    const xpbd_reservation all = announce();
    xpbd_world *w = make(NULL), *twin = make(NULL);
    xpbd_broken broken;
    uint32_t n;
    (void)state;
    assert_ok(xpbd_world_reserve(w, &all));
    assert_ok(xpbd_world_reserve(w, &all)); /* again: room for as much, not for twice */
    for (int k = 0; k < 2; k++) {
        const xpbd_constraints c = {.particles = pair};
        assert_ok(xpbd_world_add_constraints(k ? twin : w, XPBD_DISTANCE, 1, &c, NULL));
        kit_steps(k ? twin : w, 20, 1.0 / 60);
    }
    assert_same_hash(xpbd_world_hash(w), xpbd_world_hash(twin), "unused room");
    assert_ok(xpbd_world_read_broken(w, 1, &broken, &n));
    assert_int_equal(n, 0);
    xpbd_diagnostics d, e;
    assert_ok(xpbd_world_diagnose(w, &d));
    assert_ok(xpbd_world_diagnose(twin, &e));
    assert_near(d.constraint_energy, e.constraint_energy, 0.0);
    assert_near(d.residual_rms, e.residual_rms, 0.0);
    xpbd_world_destroy(w);
    xpbd_world_destroy(twin);
}

static void refuse(xpbd_world *w, const xpbd_reservation *r, xpbd_status want, int32_t type)
{
    const uint64_t hash = xpbd_world_hash(w);
    assert_status(xpbd_world_reserve(w, r), want);
    assert_int_equal(xpbd_world_error(w)->status, want);
    assert_int_equal(xpbd_world_error(w)->type, type);
    assert_true(xpbd_world_error(w)->text[0] != 0);
    assert_same_hash(xpbd_world_hash(w), hash, "a refused reservation");
}

static void test_what_can_not_be_is_refused(void **state)
{
    const uint32_t most = UINT32_C(1) << 28;
    xpbd_world *w = make(NULL);
    xpbd_reservation r = {0};
    (void)state;
    assert_status(xpbd_world_reserve(NULL, &r), XPBD_ERROR_NULL);
    refuse(w, NULL, XPBD_ERROR_NULL, -1);
    assert_ok(xpbd_world_reserve(w, &r));
    r.particles = most - 4; /* it has 5 */
    refuse(w, &r, XPBD_ERROR_COUNT, -1);
    r = (xpbd_reservation){0};
    r.of[XPBD_ROPE].count = most - 4; /* it has 4 */
    r.of[XPBD_STRUT].count = 1;
    refuse(w, &r, XPBD_ERROR_COUNT, XPBD_STRUT);
    r = (xpbd_reservation){0};
    r.of[XPBD_SHAPE_MATCH].count = 1;
    r.of[XPBD_SHAPE_MATCH].elements = most + 1;
    refuse(w, &r, XPBD_ERROR_COUNT, XPBD_SHAPE_MATCH);
    r = (xpbd_reservation){0};
    r.of[XPBD_DISTANCE].count = 1;
    r.of[XPBD_DISTANCE].elements = 1;
    refuse(w, &r, XPBD_ERROR_SIZE, XPBD_DISTANCE);
    r = (xpbd_reservation){0};
    r.of[XPBD_MESH_VOLUME].count = 5;
    r.of[XPBD_MESH_VOLUME].elements = 4;
    refuse(w, &r, XPBD_ERROR_SIZE, XPBD_MESH_VOLUME);
    xpbd_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adding_after_it_asks_for_no_memory),
        cmocka_unit_test(test_without_memory_nothing_changes),
        cmocka_unit_test(test_room_that_is_not_used_has_no_influence),
        cmocka_unit_test(test_what_can_not_be_is_refused),
    };
    return RUN_GROUP("reserve", tests);
}
