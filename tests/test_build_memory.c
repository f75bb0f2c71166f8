/* SPDX-License-Identifier: MIT
 *
 * Builders and memory: whichever request fails, of the builder's own or of the
 * world, the call says so, nothing leaks, and the world is what it was.
 */
#include "support_build.h"
#include "support_heap.h"

#include <math.h>

enum { JOBS = 7 };

static xpbd_status build(xpbd_world *w, uint32_t job, const xpbd_allocator *allocator,
                         xpbd_built *built)
{
    static const uint32_t pins[1] = {2};
    xpbd_build_options options = xpbd_default_triangles_def().options;
    options.allocator = allocator;
    options.tethers = true;
    options.weld = true;
    options.damping_ratio = 0.1f;
    xpbd_triangles_def sheet = xpbd_default_triangles_def();
    xpbd_tetrahedra_def solid = xpbd_default_tetrahedra_def();
    xpbd_polyline_def rod = xpbd_default_polyline_def();
    sheet.options = solid.options = rod.options = options;
    kit_mesh mesh = job < 2 ? kit_sheet(4, 3, 1, KIT_PARALLEL) : kit_solid(2, 1, 1, 1);
    xpbd_build_mesh input = kit_mesh_input(&mesh);
    input.n_pinned = 1;
    input.pinned = pins;
    xpbd_status status;
    if (job < 2) {
        sheet.stretch = job == 0 ? XPBD_SHEET_EDGES : XPBD_SHEET_FEM;
        sheet.bend = job == 0 ? XPBD_SHEET_DIHEDRAL : XPBD_SHEET_ISOMETRIC;
        status = xpbd_build_triangles(w, &input, &sheet, built);
    } else if (job < 6) {
        solid.model = (xpbd_solid_model)(job - 2);
        status = xpbd_build_tetrahedra(w, &input, &solid, built);
    } else {
        input.elements = NULL;
        status = xpbd_build_polyline(w, &input, &rod, built);
    }
    kit_mesh_free(&mesh);
    return status;
}

static void test_without_memory_to_build_in_the_world_stays(void **state)
{
    (void)state;
    for (uint32_t job = 0; job < JOBS; job++) {
        heap h = {0};
        const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
        const xpbd_world_def world_def = kit_def(NULL);
        xpbd_built built;
        for (uint64_t fail_at = 1;; fail_at++) {
            xpbd_world *w = kit_create(&world_def);
            h = (heap){.fail_at = fail_at};
            const xpbd_status status = build(w, job, &allocator, &built);
            assert_int_equal(h.n_live, 0);
            if (h.n_requests < fail_at) {
                assert_ok(status);
                xpbd_world_destroy(w);
                break;
            }
            assert_status(status, XPBD_ERROR_MEMORY);
            assert_int_equal(built.error.status, XPBD_ERROR_MEMORY);
            assert_true(built.error.text[0] != 0);
            assert_int_equal(built.n_particles + built.stretch.count + built.bend.count, 0);
            assert_int_equal(kit_n_particles(w), 0);
            assert_int_equal(kit_n_constraints(w), 0);
            xpbd_world_destroy(w);
        }
        assert_true(h.n_requests > 0);
    }
}

static void test_without_memory_for_the_surface_there_is_none(void **state)
{
    (void)state;
    kit_mesh mesh = kit_solid(2, 1, 1, 1);
    const xpbd_build_mesh input = kit_mesh_input(&mesh);
    heap h = {0};
    const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
    uint32_t n;
    for (uint64_t fail_at = 1;; fail_at++) {
        h = (heap){.fail_at = fail_at};
        const xpbd_status status = xpbd_build_surface(&input, &allocator, 0, NULL, &n);
        assert_int_equal(h.n_live, 0);
        if (h.n_requests < fail_at) {
            assert_ok(status);
            break;
        }
        assert_status(status, XPBD_ERROR_MEMORY);
        assert_int_equal(n, 0);
    }
    assert_true(h.n_requests > 0);
    assert_int_equal(n, 20);
    kit_mesh_free(&mesh);
}

/* The world runs out, in any of its requests: it has what it had before, and goes on as one that
 * was never asked to build. Something is in it already, prepared and stepped. */
static void test_a_world_that_runs_out_stays_as_it_was(void **state)
{
    (void)state;
    for (uint32_t job = 0; job < JOBS; job++) {
        heap h = {0};
        const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
        kit_scene rope = kit_rope(6, 0.2f);
        xpbd_world_def def = kit_def(NULL), plain = def;
        def.allocator = &allocator;
        def.acceleration[1] = plain.acceleration[1] = -9.81f;
        bool done = false;
        uint64_t n = 0;
        while (!done) {
            h = (heap){0};
            xpbd_world *w = kit_build(&def, &rope, 1e-5f), *twin = kit_build(&plain, &rope, 1e-5f);
            kit_steps(w, 2, 0.01);
            kit_steps(twin, 2, 0.01);
            const uint64_t hash = xpbd_world_hash(w);
            h.fail_at = h.n_requests + ++n;
            xpbd_built built;
            const xpbd_status status = build(w, job, NULL, &built);
            done = h.n_requests < h.fail_at;
            assert_status(status, done ? XPBD_OK : XPBD_ERROR_MEMORY);
            if (!done) {
                assert_int_equal(built.error.status, XPBD_ERROR_MEMORY);
                assert_int_equal(built.n_particles + built.stretch.count + built.bend.count, 0);
                assert_int_equal(kit_n_particles(w), 6);
                assert_int_equal(kit_n_constraints(w), 5);
                assert_same_hash(xpbd_world_hash(w), hash, "a build without memory");
                kit_steps(w, 5, 0.01);
                kit_steps(twin, 5, 0.01);
                assert_same_hash(xpbd_world_hash(w), xpbd_world_hash(twin), "steps after it");
            }
            xpbd_world_destroy(w);
            xpbd_world_destroy(twin);
            assert_int_equal(h.n_live, 0);
        }
        assert_true(n > 3);
        kit_scene_free(&rope);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_memory_to_build_in_the_world_stays),
        cmocka_unit_test(test_without_memory_for_the_surface_there_is_none),
        cmocka_unit_test(test_a_world_that_runs_out_stays_as_it_was),
    };
    return RUN_GROUP("build_memory", tests);
}
