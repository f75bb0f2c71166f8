/* SPDX-License-Identifier: MIT
 *
 * How many slabs there are follows from the mesh, they lie apart in memory, and the validator finds
 * what two of them must not share.
 */
#include "tests/support_layout.h"

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
    const uint32_t gaps = 16 * (l.bins.n_slabs + 1);
    assert_in_range(l.packing.n_groups[XPBD_DISTANCE], scene.n_pairs / XPBD_GROUP + gaps,
                    scene.n_pairs / XPBD_GROUP + gaps + n_strips * 16);
    finish(&l);
    kit_scene_free(&scene);
}

/* Lowest and highest place and group of what a strip has. */
typedef struct extent {
    uint32_t place[2], group[2];
} extent;

static void widen(uint32_t range[2], uint32_t at)
{
    range[0] = at < range[0] ? at : range[0];
    range[1] = at > range[1] ? at : range[1];
}

static extent extent_of(const layout *l, const kit_scene *scene, uint32_t strip)
{
    extent e = {{UINT32_MAX, 0}, {UINT32_MAX, 0}};
    for (uint32_t k = 0; k < scene->n_pairs; k++) {
        if (l->bins.strip[l->bins.of[k]] == strip) {
            widen(e.group, l->packing.slot[k] / XPBD_GROUP);
            widen(e.place, l->rank[scene->pair[k][0]]);
            widen(e.place, l->rank[scene->pair[k][1]]);
        }
    }
    return e;
}

/* A kilobyte of records, and of each array of a stream, is nobody's before a slab and after the
 * last; what joins a slab to the next comes right behind it. */
static void test_slabs_lie_apart(void **state)
{
    enum { PLACES = 64, GROUPS = 16 };
    (void)state;
    kit_scene scene = kit_grid(133, 126, 1.0f, KIT_STRUCTURAL | KIT_SHEAR | KIT_BEND);
    layout l;
    cut(&l, &scene);
    const uint32_t n = l.bins.n_slabs;
    uint32_t place = 0, group = 0; /* where the next slab may begin */
    assert_int_equal(n, 16);
    for (uint32_t slab = 0; slab < n; slab++) {
        const extent inside = extent_of(&l, &scene, slab);
        assert_true(inside.place[0] >= place + PLACES);
        assert_int_equal(inside.group[0], group + GROUPS);
        place = inside.place[1] + 1;
        group = inside.group[1] + 1;
        if (slab + 1 < n) {
            const extent across = extent_of(&l, &scene, n + slab);
            assert_int_equal(across.group[0], group);
            group = across.group[1] + 1;
        }
    }
    assert_true(l.bins.n_places >= place + PLACES);
    assert_int_equal(l.packing.n_groups[XPBD_DISTANCE], group + GROUPS);
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
    for (uint32_t i = 0; i < scene.n_particles; i++) {
        last = l.rank[i] > l.rank[last] ? i : last;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slabs_follow_from_the_mesh),
        cmocka_unit_test(test_strips_have_few_pad_lanes),
        cmocka_unit_test(test_slabs_lie_apart),
        cmocka_unit_test(test_validator_finds_strips_that_meet),
        cmocka_unit_test(test_validator_finds_slabs_that_meet),
    };
    return RUN_GROUP("slabs", tests);
}
