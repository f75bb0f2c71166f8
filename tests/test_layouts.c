/* SPDX-License-Identifier: MIT
 *
 * Orders are permutations that shorten strides, partitions are complete and free of conflicts
 * whatever the mesh, packing puts every constraint in one lane, and the validator that proves it in
 * debug builds catches each kind of broken packing.
 */
#include "layouts/hubs.h"
#include "tests/support_layout.h"

static void color(layout *l, const kit_scene *scene)
{
    static const uint32_t attached[3] = {2, 0, 1};
    begin(l, scene, attached, scene->n_particles > 2 ? 3 : 0);
    order(l, XPBD_ORDER_COUNT);
    assert_true(
        xpbd_partition_greedy(&l->tuples, l->walk, l->rank, &l->bins, &l->arena, &l->scratch));
    pack(l);
}

static void check_permutation(const layout *l)
{
    uint8_t *seen = calloc(l->tuples.n_particles, 1);
    for (uint32_t i = 0; i < l->tuples.n_particles; i++) {
        assert_true(l->rank[i] < l->tuples.n_particles);
        assert_int_equal(0, seen[l->rank[i]]);
        seen[l->rank[i]] = 1;
    }
    free(seen);
}

static void check_walk(const layout *l)
{
    uint8_t *seen = calloc(xpbd_tuples_count(&l->tuples), 1);
    for (uint32_t k = 0; k < xpbd_tuples_count(&l->tuples); k++) {
        const uint32_t number = l->tuples.first[l->walk[k].type] + l->walk[k].index;
        assert_int_equal(0, seen[number]);
        seen[number] = 1;
    }
    free(seen);
}

/* Several components, isolated particles, hubs, one particle, none. */
static void test_orders_are_permutations(void **state)
{
    (void)state;
    for (int k = 0; k < 7; k++) {
        kit_scene scene = k == 0   ? kit_grid(13, 7, 1.0f, KIT_STRUCTURAL | KIT_SHEAR)
                          : k == 1 ? kit_block(6, 1.0f)
                          : k == 2 ? kit_rope(50, 1.0f)
                          : k == 3 ? kit_star(200)
                          : k == 4 ? kit_pairs(20, 1)
                          : k == 5 ? kit_rope(2, 1.0f)
                                   : kit_grid(40, 40, 1.0f, KIT_STRUCTURAL);
        if (k == 6) {
            scene.n_pairs /= 3; /* leaves components and isolated particles */
        }
        kit_scramble(&scene, 5);
        for (uint32_t row = 0; row <= XPBD_ORDER_COUNT; row++) {
            layout l;
            begin(&l, &scene, NULL, 0);
            order(&l, (xpbd_order)row);
            check_permutation(&l);
            check_walk(&l);
            finish(&l);
        }
        kit_scene_free(&scene);
    }
}

/* A grid of n columns has a natural bandwidth of about n; Cuthill-McKee finds one of the same
 * order from any numbering. A random one has a mean span of a third of all particles. */
static void test_rcm_shortens_a_scrambled_grid(void **state)
{
    (void)state;
    kit_scene scene = kit_grid(64, 64, 1.0f, KIT_STRUCTURAL | KIT_SHEAR);
    kit_scramble(&scene, 9);
    layout l;
    begin(&l, &scene, NULL, 0);
    order(&l, XPBD_ORDER_natural);
    assert_true(xpbd_order_span(&l.tuples, l.rank) > 4096.0 / 4.0);
    order(&l, XPBD_ORDER_rcm);
    assert_true(xpbd_order_span(&l.tuples, l.rank) < 2.0 * 64.0);
    order(&l, XPBD_ORDER_COUNT);
    assert_int_equal(XPBD_ORDER_rcm, l.order);
    finish(&l);
    kit_scene_free(&scene);
}

static void test_auto_keeps_a_good_natural_order(void **state)
{
    (void)state;
    kit_scene scene = kit_grid(64, 64, 1.0f, KIT_STRUCTURAL | KIT_SHEAR);
    layout l;
    begin(&l, &scene, NULL, 0);
    order(&l, XPBD_ORDER_COUNT);
    assert_int_equal(XPBD_ORDER_natural, l.order);
    finish(&l);
    kit_scene_free(&scene);
}

static void test_colors_are_complete_and_disjoint(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 40; n++) {
        kit_scene scene = n % 3 == 0   ? kit_grid(n, n + 1, 1.0f, KIT_STRUCTURAL | KIT_BEND)
                          : n % 3 == 1 ? kit_rope(n + 1, 1.0f)
                                       : kit_star(n);
        kit_scramble(&scene, n);
        layout l;
        color(&l, &scene);
        const xpbd_conflict conflict = validate(&l, true);
        if (conflict.what) {
            fail_msg("n = %u: %s", n, conflict.what);
        }
        finish(&l);
        kit_scene_free(&scene);
    }
}

/* d constraints at one particle need d colours, and greedy finds them, across the 64 of a mask. The
 * attach constraint at the hub needs one more. */
static void test_P06_star_needs_a_color_per_spoke(void **state)
{
    (void)state;
    static const uint32_t spokes[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 1000};
    for (uint32_t k = 0; k < COUNT_OF(spokes); k++) {
        kit_scene scene = kit_star(spokes[k]);
        layout l;
        color(&l, &scene);
        assert_int_equal(spokes[k] + 1, l.bins.n_stages);
        assert_null(validate(&l, true).what);
        finish(&l);
        kit_scene_free(&scene);
    }
}

/* Hubs A and B, joined to each other and to four leaves each: as constraints, 9 edges with 5 at
 * each hub. The optimum is 5; greedy may not need more than 9. */
static void test_P01_two_hubs(void **state)
{
    (void)state;
    uint32_t pair[9][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {1, 3}, {1, 4}, {1, 5}};
    const kit_scene scene = {.n_particles = 7, .n_pairs = 9, .pair = pair};
    layout l;
    begin(&l, &scene, NULL, 0);
    order(&l, XPBD_ORDER_natural);
    assert_true(xpbd_partition_greedy(&l.tuples, l.walk, l.rank, &l.bins, &l.arena, &l.scratch));
    assert_in_range(l.bins.n_stages, 5, 9);
    pack(&l);
    assert_null(validate(&l, true).what);
    finish(&l);
}

/* The same colours every time: no choice depends on anything but the order of the walk. */
static void test_P14_coloring_repeats(void **state)
{
    (void)state;
    kit_scene scene = kit_grid(51, 51, 1.0f, KIT_STRUCTURAL | KIT_ONE_DIAGONAL);
    assert_int_equal(7600, scene.n_pairs);
    layout l, again;
    color(&l, &scene);
    for (int k = 0; k < 20; k++) {
        color(&again, &scene);
        assert_memory_equal(l.bins.of, again.bins.of, scene.n_pairs * sizeof *l.bins.of);
        finish(&again);
    }
    finish(&l);
    kit_scene_free(&scene);
}

/* Each kind of damage is found. */
static void test_validator_finds_broken_packings(void **state)
{
    (void)state;
    kit_scene scene = kit_grid(9, 9, 1.0f, KIT_STRUCTURAL);
    for (int damage = 0; damage < 6; damage++) {
        layout l;
        color(&l, &scene);
        assert_null(validate(&l, true).what);
        uint32_t *id = l.streams[XPBD_DISTANCE].id[0];
        const uint32_t slot = l.packing.slot[0], other = l.packing.slot[1];
        const uint32_t last = l.packing.end[0] * XPBD_GROUP - 1; /* a pad lane */
        switch (damage) {
        case 0: /* another particle */
            id[slot] = id[slot] == 0 ? 1 : 0;
            break;
        case 1: /* two constraints in a lane */
            l.packing.slot[1] = slot;
            l.bins.of[1] = l.bins.of[0];
            break;
        case 2: /* a pad lane with a real particle */
            id[last] = 0;
            break;
        case 3: /* a constraint in a bin of another colour: shares a particle there */
            l.bins.of[0] = l.bins.of[1];
            break;
        case 4: /* particles changed in tuple and lane alike: only the conflict is left */
            scene.pair[0][0] = scene.pair[0][1];
            id[slot] = l.streams[XPBD_DISTANCE].id[1][slot];
            break;
        default: /* a lane past the end */
            id[other] = l.store.n_slots;
            break;
        }
        assert_non_null(validate(&l, true).what);
        finish(&l);
        kit_scene_free(&scene);
        scene = kit_grid(9, 9, 1.0f, KIT_STRUCTURAL);
    }
    kit_scene_free(&scene);
}

static void test_sequence_keeps_the_order_of_addition(void **state)
{
    (void)state;
    static const uint32_t attached[2] = {1, 0};
    kit_scene scene = kit_rope(40, 1.0f);
    layout l;
    begin(&l, &scene, attached, 2);
    order(&l, XPBD_ORDER_natural);
    assert_true(xpbd_partition_sequence(&l.tuples, &l.bins, &l.arena));
    pack(&l);
    assert_null(validate(&l, false).what);
    for (uint32_t k = 0; k < scene.n_pairs; k++) {
        assert_int_equal(k, l.packing.slot[k]);
    }
    assert_int_equal(1, l.bins.n_stages);
    assert_int_equal(2, l.bins.n_bins);
    finish(&l);
    kit_scene_free(&scene);
}

/* A hub of 200 distances, in 13 lane groups with a copy each, and of an attachment in the same
 * stage. */
static void test_validator_finds_broken_copies(void **state)
{
    static const uint32_t attached[3] = {2, 0, 1};
    (void)state;
    for (int damage = 0; damage < 6; damage++) {
        layout l;
        kit_scene star = kit_star(200);
        uint8_t *hub = calloc(star.n_particles, 1);
        hub[0] = 1;
        begin(&l, &star, attached, 3);
        uint8_t *crowded = xpbd_hubs_crowded(&l.tuples, &l.arena, &l.scratch);
        assert_memory_equal(crowded, hub, star.n_particles);
        l.tuples.hub = hub;
        order(&l, XPBD_ORDER_COUNT);
        assert_true(
            xpbd_partition_greedy(&l.tuples, l.walk, l.rank, &l.bins, &l.arena, &l.scratch));
        assert_int_equal(l.bins.n_stages, 2); /* the attached ones are in a distance too */
        pack(&l);
        assert_true(xpbd_hubs_copy(&l.tuples, l.rank, &l.bins, &l.packing, &l.store, l.streams,
                                   &l.arena, &l.scratch));
        assert_int_equal(l.packing.n_copies, 14);
        assert_true(xpbd_store_init(&l.store, XPBD_LAYOUT_aos4, l.tuples.n_particles,
                                    xpbd_packing_sinks(&l.packing), &l.arena));
        assert_null(validate(&l, true).what);
        uint32_t *id = l.streams[XPBD_DISTANCE].id[0], *other = l.streams[XPBD_DISTANCE].id[1];
        const uint32_t slot = l.packing.slot[0];
        switch (damage) {
        case 0: /* the hub itself */
            id[slot] = l.rank[0];
            break;
        case 1: /* the copy of another lane group */
            id[slot] = id[slot / XPBD_GROUP == 0 ? XPBD_GROUP : 0];
            break;
        case 2: /* a copy in place of a particle that moves */
            other[slot] = id[slot];
            break;
        case 3: /* a copy of something else */
            l.packing.copied[id[slot] - l.packing.first_copy] = l.rank[5];
            break;
        case 4: /* no copy at all */
            id[slot] = l.packing.first_copy + l.packing.n_copies;
            break;
        default: /* no hub, and lanes that say so */
            hub[0] = 0;
            break;
        }
        assert_non_null(validate(&l, true).what);
        free(hub);
        finish(&l);
        kit_scene_free(&star);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders_are_permutations),
        cmocka_unit_test(test_rcm_shortens_a_scrambled_grid),
        cmocka_unit_test(test_auto_keeps_a_good_natural_order),
        cmocka_unit_test(test_colors_are_complete_and_disjoint),
        cmocka_unit_test(test_P06_star_needs_a_color_per_spoke),
        cmocka_unit_test(test_P01_two_hubs),
        cmocka_unit_test(test_P14_coloring_repeats),
        cmocka_unit_test(test_validator_finds_broken_packings),
        cmocka_unit_test(test_validator_finds_broken_copies),
        cmocka_unit_test(test_sequence_keeps_the_order_of_addition),
    };
    return RUN_GROUP("layouts", tests);
}
