/* SPDX-License-Identifier: MIT
 *
 * Pinned particles of many constraints: they cost no colours, whatever type reads them, wherever
 * they are moved to, released and pinned again, the results are those of the serial reference. In
 * every scene here constraints share nothing but hubs, so that their order has no influence and the
 * bits have to be the same.
 */
#include "support_clusters.h"

#include "solver/world.h"

#include <math.h>

enum { TETHERS = 1000 };

static uint32_t stages_of(const xpbd_world *w)
{
    xpbd_world_summary s;
    assert_ok(xpbd_world_summarize(w, &s));
    return s.n_stages;
}

/* An anchor in the middle of particles that fly away from it, each on a tether. */
static xpbd_world *make_tethers(const xpbd_world_def *def, float anchor_mass, bool damped)
{
    uint64_t seed = 41;
    float(*x)[3] = calloc(TETHERS + 1, sizeof *x), (*v)[3] = calloc(TETHERS + 1, sizeof *v);
    float *w = calloc(TETHERS + 1, sizeof *w), *length = calloc(TETHERS, sizeof *length);
    uint32_t(*pair)[2] = calloc(TETHERS, sizeof *pair);
    x[0][0] = 0.25f, x[0][1] = -0.0f, x[0][2] = 1.5f;
    w[0] = anchor_mass;
    for (uint32_t i = 1; i <= TETHERS; i++) {
        for (int c = 0; c < 3; c++) {
            x[i][c] = x[0][c] + kit_uniform(&seed, -1, 1);
            v[i][c] = 10 * (x[i][c] - x[0][c]);
        }
        w[i] = kit_uniform(&seed, 0.5f, 2);
        length[i - 1] = kit_uniform(&seed, 1, 2);
        pair[i - 1][0] = i;
    }
    xpbd_world *world = kit_create(def);
    assert_ok(xpbd_world_add_particles(
        world, TETHERS + 1,
        &(xpbd_particles){.position = x[0], .velocity = v[0], .inverse_mass = w}, NULL));
    const float tau = 0.01f;
    const xpbd_constraints c = {.particles = pair[0],
                                .rest = length,
                                .damping_time = damped ? &tau : NULL,
                                .damping_time_stride = XPBD_SAME};
    assert_ok(xpbd_world_add_constraints(world, XPBD_TETHER, TETHERS, &c, NULL));
    free(x);
    free(v);
    free(w);
    free(length);
    free(pair);
    return world;
}

static void test_a_thousand_tethers_take_few_stages(void **state)
{
    static const char *const schedulers[] = {"colored-gs", "slab-gs"};
    const char *layout, *isa;
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        xpbd_world_def def = kit_def("serial-gs");
        def.iterations = 3;
        def.acceleration[1] = -9.81f;
        xpbd_world *serial = make_tethers(&def, 0, damped);
        kit_steps(serial, 10, 1.0 / 60);
        const uint64_t want = xpbd_world_hash(serial);
        float tension = 0;
        for (uint32_t i = 0; i < TETHERS; i++) {
            float lambda;
            assert_ok(xpbd_world_read_lambdas(serial, XPBD_TETHER, i, 1, &lambda, 0));
            tension -= lambda;
        }
        assert_true(tension > 0.1f); /* they do hold */
        for (uint32_t s = 0; s < COUNT_OF(schedulers); s++) {
            for (uint32_t l = 0; (layout = xpbd_layout_name(l)); l++) {
                for (uint32_t k = 0; (isa = xpbd_isa_name(k)); k++) {
                    if (!xpbd_isa_available(k) || (k + l + s) % 2)
                        continue;
                    def.scheduler = schedulers[s];
                    def.layout = layout;
                    def.isa = isa;
                    def.threads = 1 + (damped && !xpbd_isa_available(k + 1));
                    xpbd_world *w = make_tethers(&def, 0, damped);
                    kit_steps(w, 10, 1.0 / 60);
                    assert_int_equal(stages_of(w), 1);
                    assert_same_hash(xpbd_world_hash(w), want, isa);
                    xpbd_world_destroy(w);
                }
            }
        }
        xpbd_world_destroy(serial);
    }
}

/* Where the builders put tethers: a cloth with all of it tethered to one particle has one colour
 * more than the cloth, as each particle has one tether. Its own edges are among those that repeat
 * along the grid, which kernels load as whole registers; not so those at the hub. */
static void test_tethers_of_a_cloth_add_few_colours(void **state)
{
    static const char *const schedulers[] = {"colored-gs", "slab-gs"};
    enum { SIDE = 33, MIDDLE = SIDE * (SIDE / 2) + SIDE / 2 };
    (void)state;
    kit_scene cloth = kit_grid(SIDE, SIDE, 0.1f, KIT_STRUCTURAL | KIT_SHEAR);
    cloth.w[MIDDLE] = 0;
    for (uint32_t s = 0; s < COUNT_OF(schedulers); s++) {
        uint64_t want = 0;
        const char *isa;
        for (uint32_t k = 0; (isa = xpbd_isa_name(k)); k++) {
            if (!xpbd_isa_available(k))
                continue;
            xpbd_world_def def = kit_def(schedulers[s]);
            def.isa = isa;
            def.acceleration[1] = -9.81f;
            xpbd_world *plain = kit_build(&def, &cloth, 0), *held = kit_build(&def, &cloth, 0);
            for (uint32_t i = 0; i < cloth.n_particles; i++) {
                const uint32_t ids[2] = {i, MIDDLE};
                const xpbd_constraints c = {.particles = ids};
                if (i != MIDDLE)
                    assert_ok(xpbd_world_add_constraints(held, XPBD_TETHER, 1, &c, NULL));
            }
            assert_ok(xpbd_world_prepare(plain));
            assert_ok(xpbd_world_prepare(held));
            assert_true(stages_of(held) <= stages_of(plain) + 2);
            kit_steps(held, 5, 1.0 / 60);
            want = k ? want : xpbd_world_hash(held);
            assert_same_hash(xpbd_world_hash(held), want, isa);
            xpbd_diagnostics d;
            assert_ok(xpbd_world_diagnose(held, &d));
            assert_below(d.residual_max, 0.1);
            assert_int_equal(d.n_nonfinite, 0);
            xpbd_world_destroy(plain);
            xpbd_world_destroy(held);
        }
    }
    kit_scene_free(&cloth);
}

/* Hubs are where they are moved, in all ways there are, at once and through the substeps. */
static void test_a_hub_can_be_moved(void **state)
{
    static const float put[3] = {0.5f, 1, 1}, drift[3] = {0.5f, -1, 0.25f};
    static const float target[3] = {0, 0.5f, -0.0f};
    (void)state;
    uint64_t want = 0;
    for (int k = 0; k < 3; k++) {
        xpbd_world_def def = kit_def(k == 0 ? "serial-gs" : k == 1 ? "colored-gs" : "slab-gs");
        def.threads = k ? k : 1;
        def.substeps = 4;
        xpbd_world *w = make_tethers(&def, 0, true);
        kit_steps(w, 5, 1.0 / 60);
        assert_ok(xpbd_world_set_positions(w, 0, 1, put, 0));
        kit_steps(w, 5, 1.0 / 60);
        assert_ok(xpbd_world_set_velocities(w, 0, 1, drift, 0));
        kit_steps(w, 5, 1.0 / 60);
        assert_ok(xpbd_world_move_particles(w, 0, 1, target, 0));
        kit_steps(w, 1, 1.0 / 60);
        float at[3];
        kit_position(w, 0, at);
        assert_same_floats(at, target, 3);
        kit_steps(w, 5, 1.0 / 60);
        want = k ? want : xpbd_world_hash(w);
        assert_same_hash(xpbd_world_hash(w), want, def.scheduler);
        xpbd_world_destroy(w);
    }
}

/* Released, the anchor is an ordinary particle: a colour per tether, and the bits of the serial
 * reference, colour by colour in the caller's order. Pinned again it is a hub again. */
static void test_released_hubs_move_and_join(void **state)
{
    static const float one = 1, none = 0;
    (void)state;
    for (int late = 0; late < 2; late++) {
        uint64_t want[3] = {0};
        for (int k = 0; k < 2; k++) {
            xpbd_world_def def = kit_def(k ? "colored-gs" : "serial-gs");
            def.threads = 2;
            def.ordering = "natural";
            xpbd_world *w = make_tethers(&def, late ? 1 : 0, false);
            for (int phase = 0; phase < 3; phase++) {
                const bool free = (phase + late) % 2;
                if (phase > 0)
                    assert_ok(xpbd_world_set_inverse_masses(w, 0, 1, free ? &one : &none, 0));
                float before[3], after[3];
                kit_position(w, 0, before);
                kit_steps(w, 8, 1.0 / 60);
                kit_position(w, 0, after);
                if (k)
                    assert_int_equal(stages_of(w), free ? TETHERS : 1);
                double moved = 0;
                for (int c = 0; c < 3; c++)
                    moved += fabs((double)after[c] - (double)before[c]);
                assert_int_equal(free, moved > 0);
                want[phase] = k ? want[phase] : xpbd_world_hash(w);
                assert_same_hash(xpbd_world_hash(w), want[phase], free ? "free" : "pinned");
            }
            xpbd_world_destroy(w);
        }
    }
}

/* Of which particles a mass is changed decides about a new build: not of the free ones, nor of a
 * pinned one of few constraints. A lambda that is still there shows that there was none. */
static void test_other_masses_change_without_a_new_build(void **state)
{
    static const float heavy = 0.5f, none = 0;
    xpbd_world_def def = kit_def("colored-gs");
    xpbd_world *w = make_tethers(&def, 0, false);
    xpbd_world_summary s;
    (void)state;
    kit_steps(w, 2, 1.0 / 60);
    assert_ok(xpbd_world_set_inverse_masses(w, 1, 1, &heavy, 0));
    assert_ok(xpbd_world_set_inverse_masses(w, 2, 1, &none, 0));
    assert_ok(xpbd_world_set_inverse_masses(w, 0, 1, &none, 0)); /* as it was */
    assert_ok(xpbd_world_summarize(w, &s));
    assert_int_equal(s.n_stages, 1);
    assert_ok(xpbd_world_set_inverse_masses(w, 0, 1, &heavy, 0));
    assert_ok(xpbd_world_summarize(w, &s));
    assert_int_equal(s.n_stages, 0);
    xpbd_world_destroy(w);
}

enum { BODIES = 100, OWN = 4 };

/* Particle 0 is the hub of BODIES constraints, in corner `corner`; the other corners, and the other
 * members of clusters and surfaces, are their own. Two hubs where the type has the corners. */
static xpbd_world *make_bodies(const xpbd_world_def *def, uint32_t type, uint32_t corner)
{
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    static const float unit[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    const float pinned[2] = {0}, still[3] = {-0.0f, -0.0f, -0.0f};
    float hubs[2][3];
    for (int k = 0; k < 3; k++) {
        hubs[0][k] = unit[corner][k] - 0.0625f;
        hubs[1][k] = unit[(corner + 1) % 4][k] > 0.0f ? 1.0f : -0.0f;
    }
    uint64_t seed = 51;
    xpbd_world *w = kit_create(def);
    kit_add_particles(w, 2, (const float(*)[3])hubs, pinned);
    assert_ok(xpbd_world_set_velocities(w, 0, 2, still, XPBD_SAME));
    for (uint32_t body = 0; body < BODIES; body++) {
        float x[OWN][3];
        uint32_t first, ids[12], four = 4;
        for (int k = 0; k < 3 * OWN; k++)
            x[k / 3][k % 3] = unit[k / 3][k % 3] + kit_uniform(&seed, -0.2f, 0.2f);
        assert_ok(xpbd_world_add_particles(w, OWN, &(xpbd_particles){.position = x[0]}, &first));
        for (uint32_t k = 0; k < 12; k++) {
            const uint32_t own = type == XPBD_MESH_VOLUME ? faces[k / 3][k % 3] : k % 4;
            ids[k] = own == corner                                      ? 0
                     : own == (corner + 1) % 4 && info->n_particles > 2 ? 1
                                                                        : first + own;
        }
        const float alpha = body % 2 ? 1e-4f : 0, tau = 1e-3f;
        const xpbd_constraints c = {.particles = ids,
                                    .sizes = info->variable ? &four : NULL,
                                    .compliance = &alpha,
                                    .damping_time = &tau};
        assert_ok(xpbd_world_add_constraints(w, (xpbd_constraint_type)type, 1, &c, NULL));
        for (int k = 0; k < 3 * OWN; k++)
            x[k / 3][k % 3] += kit_uniform(&seed, -0.05f, 0.05f);
        assert_ok(xpbd_world_set_positions(w, first, OWN, x[0], 0));
    }
    return w;
}

/* No lane has the slot of a hub itself: two threads that write it would race, even with equal bits.
 * Its copies are there instead. */
static void check_copies(const xpbd_world *w, uint32_t n_hubs)
{
    const xpbd_build *build = &w->build;
    const xpbd_packing *packing = &build->packing;
    uint32_t n_read = 0;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_stream *stream = &build->streams[type];
        const xpbd_units *units = stream->units;
        const size_t n_points =
            units ? (size_t)units->first_point_group[stream->n_groups] * XPBD_GROUP : 0;
        for (uint32_t c = 0; c < XPBD_CORNERS_MAX && stream->id[c]; c++) {
            for (size_t k = 0; k < xpbd_stream_lanes(stream) + n_points; k++) {
                const size_t lanes = xpbd_stream_lanes(stream);
                const uint32_t place = k < lanes ? stream->id[c][k] : units->point[k - lanes];
                const uint32_t id = place / (uint32_t)build->store.step;
                for (uint32_t hub = 0; hub < n_hubs; hub++)
                    assert_int_not_equal(id, build->rank[hub]);
                n_read += id >= packing->first_copy;
            }
        }
    }
    assert_true(n_read >= BODIES && packing->n_copies > 0);
}

static void test_every_type_may_share_hubs(void **state)
{
    static const char *const layouts[] = {"aos4", "soa"};
    (void)state;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
        const uint32_t corners = info->variable ? 4 : info->n_particles;
        for (uint32_t corner = 0; corner < corners && corners > 1; corner += corners - 1) {
            xpbd_world_def def = kit_def("serial-gs");
            xpbd_world *serial = make_bodies(&def, type, corner);
            kit_steps(serial, 3, 1.0 / 60);
            for (uint32_t k = 0; k < 2; k++) {
                def = kit_def((k + corner / 3) % 2 ? "slab-gs" : "colored-gs");
                def.layout = layouts[k % 2];
                def.threads = 1 + (int32_t)k % 2; /* barriers take long where the machine is busy */
                xpbd_world *w = make_bodies(&def, type, corner);
                kit_steps(w, 3, 1.0 / 60);
                assert_int_equal(stages_of(w), 1);
                assert_same_hash(xpbd_world_hash(w), xpbd_world_hash(serial), info->name);
                check_copies(w, info->n_particles > 2 ? 2 : 1);
                xpbd_world_destroy(w);
            }
            xpbd_world_destroy(serial);
        }
    }
}

typedef struct heap {
    uint64_t n_requests, fail_at;
    int64_t n_live;
} heap;

static void *heap_alloc(void *user, size_t size, size_t alignment)
{
    heap *h = user;
    void *memory = ++h->n_requests == h->fail_at ? NULL : aligned_alloc(alignment, size);
    if (memory)
        memset(memory, 0xa5, size); /* nobody may count on zeros */
    h->n_live += memory != NULL;
    return memory;
}

static void heap_free(void *user, void *memory, size_t size)
{
    heap *h = user;
    (void)size;
    h->n_live--;
    free(memory);
}

static void test_without_memory_for_hubs_nothing_is_prepared(void **state)
{
    heap h = {0};
    const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
    xpbd_world_def def = kit_def("colored-gs");
    (void)state;
    def.allocator = &allocator;
    xpbd_world *w = make_tethers(&def, 0, false);
    const uint64_t hash = xpbd_world_hash(w), start = h.n_requests;
    const int64_t live = h.n_live;
    uint64_t n = 0;
    xpbd_status status;
    do {
        h.fail_at = h.n_requests + ++n;
        status = xpbd_world_prepare(w);
        if (status != XPBD_OK) {
            assert_status(status, XPBD_ERROR_MEMORY);
            assert_int_equal(h.n_live, live);
            assert_same_hash(xpbd_world_hash(w), hash, "a failed preparation");
        }
    } while (status != XPBD_OK);
    assert_true(n > 3 && start > 0);
    xpbd_world_destroy(w);
    assert_int_equal(h.n_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_thousand_tethers_take_few_stages),
        cmocka_unit_test(test_tethers_of_a_cloth_add_few_colours),
        cmocka_unit_test(test_a_hub_can_be_moved),
        cmocka_unit_test(test_released_hubs_move_and_join),
        cmocka_unit_test(test_other_masses_change_without_a_new_build),
        cmocka_unit_test(test_every_type_may_share_hubs),
        cmocka_unit_test(test_without_memory_for_hubs_nothing_is_prepared),
    };
    return RUN_GROUP("hubs", tests);
}
