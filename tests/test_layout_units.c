/* SPDX-License-Identifier: MIT
 *
 * Layouts of constraints of variable size: colours keep them apart, units hold each particle once,
 * and the validator finds each kind of damage to them.
 */
#include "layouts/validate.h"
#include "tests/support_clusters.h"

enum { MEMBERS = 20 };

/* A mesh over all particles, and three clusters: the first two share a particle, the third is alone
 * with the last ones. */
typedef struct layout {
    xpbd_memory memory;
    xpbd_arena arena, scratch;
    kit_surface mesh;
    uint32_t mesh_offsets[2], cluster_offsets[4], members[3 * MEMBERS];
    xpbd_batch batches[2];
    xpbd_tuples tuples;
    uint32_t *rank;
    xpbd_walk_step *walk;
    xpbd_order order;
    xpbd_bins bins;
    xpbd_packing packing;
    xpbd_store store;
    xpbd_stream streams[XPBD_CONSTRAINT_TYPE_COUNT];
    xpbd_units units[XPBD_CONSTRAINT_TYPE_COUNT];
} layout;

static void describe(layout *l)
{
    l->mesh = kit_sphere(8, 10, 1.0f);
    l->mesh_offsets[1] = l->mesh.n_triangles;
    for (uint32_t k = 0; k < 3 * MEMBERS; k++) {
        l->cluster_offsets[1 + k / MEMBERS] = k + 1;
        l->members[k] = k < 2 * MEMBERS ? k - k / MEMBERS : l->mesh.n - 1 - (k - 2 * MEMBERS);
    }
    l->batches[0] = (xpbd_batch){XPBD_MESH_VOLUME, 0, 1};
    l->batches[1] = (xpbd_batch){XPBD_SHAPE_MATCH, 0, 3};
    l->tuples = (xpbd_tuples){.batches = l->batches, .n_batches = 2, .n_particles = l->mesh.n};
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const uint32_t count = type == XPBD_MESH_VOLUME ? 1 : type == XPBD_SHAPE_MATCH ? 3 : 0;
        l->tuples.n_corners[type] =
            xpbd_constraint_type_info((xpbd_constraint_type)type)->n_particles;
        l->tuples.first[type + 1] = l->tuples.first[type] + count;
    }
    l->tuples.particles[XPBD_MESH_VOLUME] = l->mesh.triangle[0];
    l->tuples.offsets[XPBD_MESH_VOLUME] = l->mesh_offsets;
    l->tuples.particles[XPBD_SHAPE_MATCH] = l->members;
    l->tuples.offsets[XPBD_SHAPE_MATCH] = l->cluster_offsets;
}

static void lay_out(layout *l, xpbd_order order)
{
    memset(l, 0, sizeof *l);
    xpbd_memory_init(&l->memory, NULL);
    l->arena.memory = l->scratch.memory = &l->memory;
    describe(l);
    l->rank = xpbd_arena_alloc(&l->arena, l->mesh.n, sizeof *l->rank);
    l->walk = xpbd_arena_alloc(&l->arena, 4, sizeof *l->walk);
    assert_true(xpbd_order_run(&l->tuples, order, &l->order, l->rank, &l->scratch));
    assert_true(
        xpbd_order_walk(&l->tuples, l->order != XPBD_ORDER_natural, l->rank, l->walk, &l->scratch));
    assert_true(
        xpbd_partition_greedy(&l->tuples, l->walk, l->rank, &l->bins, &l->arena, &l->scratch));
    assert_true(
        xpbd_pack_place(&l->tuples, l->walk, &l->bins, &l->packing, &l->arena, &l->scratch));
    assert_true(
        xpbd_store_init(&l->store, XPBD_LAYOUT_soa, l->mesh.n, l->packing.n_sinks, &l->arena));
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        l->streams[type].n_groups = l->packing.n_groups[type];
        if (l->tuples.offsets[type]) {
            assert_true(xpbd_pack_units(&l->tuples, type, &l->packing, &l->units[type], &l->arena,
                                        &l->scratch));
            l->streams[type].units = &l->units[type];
        }
        for (uint32_t k = 0; k < l->tuples.n_corners[type]; k++) {
            l->streams[type].id[k] =
                xpbd_arena_zero(&l->arena, xpbd_stream_lanes(&l->streams[type]), sizeof(uint32_t));
        }
    }
    xpbd_pack_ids(&l->tuples, l->rank, &l->bins, &l->packing, &l->store, l->streams);
}

static const char *validate(layout *l)
{
    xpbd_conflict conflict;
    xpbd_layout_validate(&l->tuples, l->rank, &l->bins, &l->packing, &l->store, l->streams, true,
                         &conflict, &l->scratch);
    return conflict.what;
}

static void finish(layout *l)
{
    xpbd_arena_free(&l->arena);
    xpbd_arena_free(&l->scratch);
    assert_int_equal(0, l->memory.bytes);
    kit_surface_free(&l->mesh);
}

static void test_units_hold_every_particle_once(void **state)
{
    (void)state;
    for (uint32_t order = 0; order <= XPBD_ORDER_COUNT; order++) {
        layout l;
        lay_out(&l, (xpbd_order)order);
        assert_null(validate(&l));
        const xpbd_units *mesh = &l.units[XPBD_MESH_VOLUME];
        assert_int_equal(l.mesh.n, mesh->n_points[0]);
        /* Every triangle is listed at its three corners. */
        assert_int_equal(3 * l.mesh.n_triangles,
                         mesh->first_use[mesh->first_point_group[1] * XPBD_GROUP]);
        for (uint32_t p = 0; p < l.mesh.n; p++) {
            for (uint32_t k = mesh->first_use[p]; k < mesh->first_use[p + 1]; k++) {
                const uint32_t e = mesh->use[k];
                assert_true(mesh->corner[0][e] == p || mesh->corner[1][e] == p ||
                            mesh->corner[2][e] == p);
            }
        }
        assert_int_equal(6, l.units[XPBD_SHAPE_MATCH].first_group[3]);
        finish(&l);
    }
}

static void test_units_that_share_a_particle_have_two_colors(void **state)
{
    (void)state;
    layout l;
    lay_out(&l, XPBD_ORDER_natural);
    const uint32_t first = l.tuples.first[XPBD_SHAPE_MATCH], *of = l.bins.of;
    assert_int_equal(3, l.bins.n_stages);
    assert_true(l.bins.stage[of[first]] != l.bins.stage[of[first + 1]]);
    assert_true(l.bins.stage[of[first]] == l.bins.stage[of[first + 2]]);
    finish(&l);
}

static void test_validator_finds_broken_units(void **state)
{
    (void)state;
    for (int damage = 0; damage < 7; damage++) {
        layout l;
        lay_out(&l, XPBD_ORDER_natural);
        xpbd_units *mesh = &l.units[XPBD_MESH_VOLUME], *cluster = &l.units[XPBD_SHAPE_MATCH];
        switch (damage) {
        case 0: /* a corner that is another point */
            mesh->corner[1][5] = mesh->corner[1][5] == 0 ? 1 : 0;
            break;
        case 1: /* a point twice */
            mesh->point[3] = mesh->point[4];
            break;
        case 2: /* a lane with another particle */
            l.streams[XPBD_SHAPE_MATCH].id[0][2] = 50;
            break;
        case 3: /* a pad lane with a real particle */
            cluster->point[XPBD_GROUP + 10] = 1;
            break;
        case 4: /* a member forgotten */
            cluster->n[0]--;
            break;
        case 5: /* two clusters with a common particle in one bin */
            l.bins.stage[l.bins.of[l.tuples.first[XPBD_SHAPE_MATCH] + 1]] =
                l.bins.stage[l.bins.of[l.tuples.first[XPBD_SHAPE_MATCH]]];
            break;
        default: /* two constraints in one unit */
            l.packing.slot[l.tuples.first[XPBD_SHAPE_MATCH] + 1] =
                l.packing.slot[l.tuples.first[XPBD_SHAPE_MATCH]];
            break;
        }
        if (!validate(&l)) {
            fail_msg("damage %d is not found", damage);
        }
        finish(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_hold_every_particle_once),
        cmocka_unit_test(test_units_that_share_a_particle_have_two_colors),
        cmocka_unit_test(test_validator_finds_broken_units),
    };
    return RUN_GROUP("layout_units", tests);
}
