/* SPDX-License-Identifier: MIT
 *
 * Orders are permutations that shorten strides, partitions are complete and free of conflicts
 * whatever the mesh, packing puts every constraint in one lane, and the validator that proves it in
 * debug builds catches each kind of broken packing.
 */
#include "layouts/hubs.h"
#include "layouts/validate.h"
#include "tests/support.h"

/* Distance constraints of a scene, laid out by hand from the parts. */
typedef struct layout {
    xpbd_memory memory;
    xpbd_arena arena, scratch;
    xpbd_batch batches[2];
    xpbd_tuples tuples;
    uint32_t *rank;
    xpbd_walk_step *walk;
    xpbd_order order;
    xpbd_bins bins;
    xpbd_packing packing;
    xpbd_store store;
    xpbd_stream streams[XPBD_CONSTRAINT_TYPE_COUNT];
} layout;

/* Attach constraints to the first n_attached particles come last: two types in one plan. */
static void begin(layout *l, const kit_scene *scene, const uint32_t *attached, uint32_t n_attached)
{
    memset(l, 0, sizeof *l);
    xpbd_memory_init(&l->memory, NULL);
    l->arena.memory = l->scratch.memory = &l->memory;
    l->batches[0] = (xpbd_batch){XPBD_DISTANCE, 0, scene->n_pairs};
    l->batches[1] = (xpbd_batch){XPBD_ATTACH, 0, n_attached};
    l->tuples =
        (xpbd_tuples){.batches = l->batches, .n_batches = 2, .n_particles = scene->n_particles};
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const uint32_t count = type == XPBD_DISTANCE ? scene->n_pairs
                               : type == XPBD_ATTACH ? n_attached
                                                     : 0;
        l->tuples.n_corners[type] =
            xpbd_constraint_type_info((xpbd_constraint_type)type)->n_particles;
        l->tuples.first[type + 1] = l->tuples.first[type] + count;
    }
    l->tuples.particles[XPBD_DISTANCE] = (const uint32_t *)scene->pair;
    l->tuples.particles[XPBD_ATTACH] = attached;
    l->rank = xpbd_arena_alloc(&l->arena, scene->n_particles, sizeof *l->rank);
    l->walk = xpbd_arena_alloc(&l->arena, xpbd_tuples_count(&l->tuples), sizeof *l->walk);
}

static void finish(layout *l)
{
    xpbd_arena_free(&l->arena);
    xpbd_arena_free(&l->scratch);
    assert_int_equal(0, l->memory.bytes);
}

static void order(layout *l, xpbd_order wanted)
{
    assert_true(xpbd_order_run(&l->tuples, wanted, &l->order, l->rank, &l->scratch));
    assert_true(
        xpbd_order_walk(&l->tuples, l->order != XPBD_ORDER_natural, l->rank, l->walk, &l->scratch));
}

static void pack(layout *l)
{
    assert_true(
        xpbd_pack_place(&l->tuples, l->walk, &l->bins, &l->packing, &l->arena, &l->scratch));
    assert_true(xpbd_store_init(&l->store, XPBD_LAYOUT_aos4, l->tuples.n_particles,
                                l->packing.n_sinks, &l->arena));
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        for (uint32_t k = 0; k < l->tuples.n_corners[type]; k++) {
            l->streams[type].id[k] = xpbd_arena_zero(
                &l->arena, (size_t)l->packing.n_groups[type] * XPBD_GROUP, sizeof(uint32_t));
        }
    }
    xpbd_pack_ids(&l->tuples, l->rank, &l->bins, &l->packing, &l->store, l->streams);
}

static xpbd_conflict validate(layout *l, bool disjoint)
{
    xpbd_conflict conflict;
    const bool valid = xpbd_layout_validate(&l->tuples, l->rank, &l->bins, &l->packing, &l->store,
                                            l->streams, disjoint, &conflict, &l->scratch);
    assert_true(valid == (conflict.what == NULL));
    return conflict;
}

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

static void cut(layout *l, const kit_scene *scene)
{
    static const uint32_t attached[3] = {2, 0, 1};
    begin(l, scene, attached, 3);
    assert_true(xpbd_order_run(&l->tuples, XPBD_ORDER_COUNT, &l->order, l->rank, &l->scratch));
    assert_true(xpbd_order_walk(&l->tuples, true, l->rank, l->walk, &l->scratch));
    assert_true(
        xpbd_partition_slabs(&l->tuples, l->walk, l->rank, &l->bins, &l->arena, &l->scratch));
    pack(l);
}

static uint32_t count_strips(const layout *l, uint32_t stage)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < l->bins.n_bins; b++) {
        n += l->bins.stage[b] == stage && l->bins.strip[b] != XPBD_NO_STRIP &&
             !xpbd_bins_go_on(&l->bins, b);
    }
    return n;
}

/* Slabs of at least 4,096 constraints, as a power of two, and a strip per boundary; whatever cannot
 * be cut is coloured. */
static void test_slabs_follow_from_the_mesh(void **state)
{
    (void)state;
    const struct {
        kit_scene scene;
        uint32_t slabs; /* 0: flat colours */
    } cases[] = {
        {kit_rope(333, 1.0f), 1},
        {kit_grid(32, 32, 1.0f, KIT_STRUCTURAL | KIT_SHEAR | KIT_BEND), 1},
        {kit_grid(133, 126, 1.0f, KIT_STRUCTURAL | KIT_SHEAR | KIT_BEND), 16},
        {kit_block(17, 1.0f), 4},
        {kit_rope(50000, 1.0f), 8},
        {kit_star(20000), 0},
        {kit_star(300), 1},
        {kit_pairs(20, 1), 1},
    };
    for (uint32_t k = 0; k < COUNT_OF(cases); k++) {
        kit_scene scene = cases[k].scene;
        for (int scrambled = 0; scrambled < 2; scrambled++) {
            layout l;
            cut(&l, &scene);
            assert_null(validate(&l, true).what);
            const uint32_t slabs = count_strips(&l, 0);
            /* rcm may lay a scrambled mesh out better or worse than it was. */
            assert_in_range(slabs, scrambled ? cases[k].slabs / 2 : cases[k].slabs,
                            scrambled ? 2 * cases[k].slabs : cases[k].slabs);
            assert_in_range(count_strips(&l, 1), slabs > 1 ? slabs - 1 : 0,
                            slabs > 1 ? slabs - 1 : 1);
            finish(&l);
            kit_scramble(&scene, 3 + k);
        }
        kit_scene_free(&scene);
    }
}

/* What does not fill a group goes to the next chunk: pad lanes are at the ends of strips alone. */
static void test_strips_have_few_pad_lanes(void **state)
{
    (void)state;
    kit_scene scene = kit_grid(133, 126, 1.0f, KIT_STRUCTURAL | KIT_SHEAR | KIT_BEND);
    layout l;
    cut(&l, &scene);
    const uint32_t n_strips = count_strips(&l, 0) + count_strips(&l, 1) + count_strips(&l, 2);
    /* A strip ends with at most a group per colour, and a grid takes at most 16. */
    assert_in_range(l.packing.n_groups[XPBD_DISTANCE], scene.n_pairs / XPBD_GROUP,
                    scene.n_pairs / XPBD_GROUP + n_strips * 16);
    finish(&l);
    kit_scene_free(&scene);
}

/* A particle in two strips of a stage, or twice in a group. */
static void test_validator_finds_strips_that_meet(void **state)
{
    (void)state;
    for (int damage = 0; damage < 2; damage++) {
        kit_scene scene = kit_grid(133, 126, 1.0f, KIT_STRUCTURAL);
        layout l;
        cut(&l, &scene);
        assert_null(validate(&l, true).what);
        const uint32_t slot = l.packing.slot[0], number = scene.n_pairs - 1;
        uint32_t neighbour = 1; /* a constraint in the same group */
        while (l.packing.slot[neighbour] / XPBD_GROUP != slot / XPBD_GROUP) {
            neighbour++;
        }
        const uint32_t particle = scene.pair[damage == 0 ? number : neighbour][0];
        scene.pair[0][0] = particle;
        l.streams[XPBD_DISTANCE].id[0][slot] = l.rank[particle];
        assert_non_null(validate(&l, true).what);
        finish(&l);
        kit_scene_free(&scene);
    }
}

/* What joins slabs 0 and 1 reaches into the last one: fine stage after stage, but not in a wave. */
static void test_validator_finds_slabs_that_meet(void **state)
{
    (void)state;
    kit_scene scene = kit_grid(133, 126, 1.0f, KIT_STRUCTURAL);
    layout l;
    cut(&l, &scene);
    assert_in_range(l.bins.n_slabs, 4, 16);
    assert_null(validate(&l, true).what);
    uint32_t joins = 0, last = 0;
    while (l.bins.strip[l.bins.of[joins]] != l.bins.n_slabs) {
        joins++;
    }
    while (l.rank[last] != scene.n_particles - 1) {
        last++;
    }
    scene.pair[joins][0] = last;
    l.streams[XPBD_DISTANCE].id[0][l.packing.slot[joins]] = l.rank[last];
    assert_string_equal("two strips that may run at the same time share a particle",
                        validate(&l, true).what);
    l.bins.n_slabs = 0;
    assert_null(validate(&l, true).what);
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
        cmocka_unit_test(test_slabs_follow_from_the_mesh),
        cmocka_unit_test(test_strips_have_few_pad_lanes),
        cmocka_unit_test(test_validator_finds_strips_that_meet),
        cmocka_unit_test(test_validator_finds_slabs_that_meet),
    };
    return RUN_GROUP("layouts", tests);
}
