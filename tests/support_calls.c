/* SPDX-License-Identifier: MIT
 *
 * See support_calls.h.
 */
#include "support_calls.h"
#include "support_bytes.h"
#include "support_mesh.h"

#include "xpbd/build.h"

enum { CORNERS = 8 };

static const float one = 1.0f, half = 0.5f, zero, up[3] = {0, 1, 0};
static const float cube[CORNERS][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                       {1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 2}};

static xpbd_status add_one(xpbd_world *w, uint32_t type, uint32_t first, const float *stiffness)
{
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, four = 4;
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    uint32_t ids[12];
    for (uint32_t k = 0; k < 12; k++)
        ids[k] = first + (type == XPBD_MESH_VOLUME ? faces[k] : k % 4);
    const xpbd_constraints c = {
        .particles = ids, .sizes = info->variable ? &four : NULL, .stiffness = stiffness};
    return xpbd_world_add_constraints(w, (xpbd_constraint_type)type, 1, &c, NULL);
}

/* One constraint of each type, stepped once. */
xpbd_world *kit_calls_world(const xpbd_world_def *def)
{
    static const float w[CORNERS] = {0, 1, 1, 1, 1, 1, 1, 1};
    xpbd_world *world = kit_create(def);
    kit_add_particles(world, CORNERS, cube, w);
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++)
        assert_ok(add_one(world, type, 0, NULL));
    kit_steps(world, 1, 0.01);
    return world;
}

/* ---- calls that may want memory; some only in the step after them */

static xpbd_status call_add_particles(xpbd_world *w)
{
    const xpbd_particles p = {.position = cube[0]};
    return xpbd_world_add_particles(w, CORNERS, &p, NULL);
}

static xpbd_status call_add_constraints(xpbd_world *w)
{
    static const uint32_t pairs[4][2] = {{4, 5}, {5, 6}, {6, 7}, {3, 4}};
    const xpbd_constraints c = {
        .particles = pairs[0], .break_force = &one, .break_force_stride = XPBD_SAME};
    return xpbd_world_add_constraints(w, XPBD_DISTANCE, 4, &c, NULL);
}

static xpbd_status call_add_cluster(xpbd_world *w)
{
    return add_one(w, XPBD_SHAPE_MATCH, 4, &half);
}

static xpbd_status call_add_mesh(xpbd_world *w)
{
    return add_one(w, XPBD_MESH_VOLUME, 4, &half);
}

static xpbd_status call_set_constraints(xpbd_world *w)
{
    const xpbd_constraints c = {.compliance = &one,
                                .damping = &one,
                                .damping_time = &one,
                                .stiffness = &half,
                                .break_force = &one};
    return xpbd_world_set_constraints(w, XPBD_TET_VOLUME, 0, 1, &c);
}

static xpbd_status call_enable_constraints(xpbd_world *w)
{
    return xpbd_world_enable_constraints(w, XPBD_SHAPE_MATCH, 0, 1, false);
}

static xpbd_status call_set_positions(xpbd_world *w)
{
    return xpbd_world_set_positions(w, 2, 1, up, 0);
}

static xpbd_status call_set_velocities(xpbd_world *w)
{
    return xpbd_world_set_velocities(w, 2, 1, up, 0);
}

static xpbd_status call_set_inverse_masses(xpbd_world *w)
{
    return xpbd_world_set_inverse_masses(w, 2, 1, &zero, 0);
}

static xpbd_status call_set_forces(xpbd_world *w)
{
    return xpbd_world_set_forces(w, 2, 1, up, 0);
}

static xpbd_status call_move_particles(xpbd_world *w)
{
    return xpbd_world_move_particles(w, 0, 1, up, 0);
}

static xpbd_status call_set_solver(xpbd_world *w)
{
    return xpbd_world_set_solver(w, 2, 3);
}

static xpbd_status call_set_tolerance(xpbd_world *w)
{
    return xpbd_world_set_tolerance(w, 1e-3f, 1);
}

static xpbd_status call_set_acceleration(xpbd_world *w)
{
    return xpbd_world_set_acceleration(w, up);
}

static xpbd_status call_set_guard(xpbd_world *w)
{
    return xpbd_world_set_guard(w, XPBD_GUARD_CLAMP, 5.0f, 100.0f);
}

static xpbd_status call_remove_constraints(xpbd_world *w)
{
    return xpbd_world_remove_constraints(w, XPBD_SHAPE_MATCH, 0, 1);
}

static xpbd_status call_remove_particles(xpbd_world *w)
{
    return xpbd_world_remove_particles(w, 3, 1, NULL);
}

/* Something was removed before: see begin_compact(). */
static xpbd_status call_compact(xpbd_world *w)
{
    uint32_t map[4 * CORNERS];
    return xpbd_world_compact(w, map, NULL);
}

static xpbd_status call_step(xpbd_world *w)
{
    return xpbd_world_step(w, 0.01);
}

static xpbd_status call_prepare(xpbd_world *w)
{
    return xpbd_world_prepare(w);
}

static kit_bytes other; /* a snapshot, and a record, of another world */

static xpbd_status call_load(xpbd_world *w)
{
    return xpbd_world_load(w, other.size, other.bytes);
}

static xpbd_status call_load_file(xpbd_world *w)
{
    return xpbd_world_load_file(w, kit_temporary("other.snapshot"));
}

static xpbd_status call_reserve(xpbd_world *w)
{
    xpbd_reservation r = {.particles = 99, .batches = 99};
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const bool variable = xpbd_constraint_type_info((xpbd_constraint_type)type)->variable;
        r.of[type].count = 20;
        r.of[type].elements = variable ? 80 : 0;
        r.of[type].compliance = r.of[type].break_force = r.of[type].stiffness = true;
    }
    return xpbd_world_reserve(w, &r);
}

static xpbd_status call_set_threads(xpbd_world *w)
{
    return xpbd_world_set_threads(w, 2);
}

static xpbd_status call_set_budget(xpbd_world *w)
{
    return xpbd_world_set_budget(w, UINT32_MAX);
}

static xpbd_status call_record_start(xpbd_world *w)
{
    return xpbd_world_record_start(w);
}

/* A record that lacks memory ends, and no call fails for it: test_replay.c. */
static xpbd_status call_record_stop(xpbd_world *w)
{
    return xpbd_world_record_stop(w) == XPBD_ERROR_RECORD ? XPBD_OK : XPBD_ERROR_RECORD;
}

static xpbd_status call_set_substep_callback(xpbd_world *w)
{
    return xpbd_world_set_substep_callback(w, NULL, NULL);
}

static xpbd_status call_add_particle_port(xpbd_world *w)
{
    uint32_t port;
    return xpbd_world_add_particle_port(w, 1, &port);
}

static xpbd_status call_add_constraint_port(xpbd_world *w)
{
    uint32_t port;
    return xpbd_world_add_constraint_port(w, XPBD_TIE_EDGE, 0, &port);
}

static xpbd_status call_clear_ports(xpbd_world *w)
{
    return xpbd_world_clear_ports(w);
}

static xpbd_status call_destroy(xpbd_world *w)
{
    (void)w; /* run() does it */
    return XPBD_OK;
}

static xpbd_status call_save_file(xpbd_world *w)
{
    return xpbd_world_save_file(w, kit_temporary("saved.snapshot"));
}

static xpbd_status call_diagnose(xpbd_world *w)
{
    xpbd_diagnostics d;
    return xpbd_world_diagnose(w, &d);
}

static xpbd_status call_explain(xpbd_world *w)
{
    char text[4096];
    return xpbd_world_explain(w, text, sizeof text, NULL);
}

static xpbd_status call_build(xpbd_world *w)
{
    static const uint32_t triangles[2][3] = {{0, 1, 2}, {2, 1, 4}};
    const xpbd_build_mesh mesh = {
        .n_vertices = CORNERS, .position = cube[0], .n_elements = 2, .elements = triangles[0]};
    xpbd_built built;
    return xpbd_build_triangles(w, &mesh, NULL, &built);
}

/* ---- what is there before a call */

static void begin_compact(xpbd_world *w)
{
    assert_ok(xpbd_world_remove_particles(w, 3, 1, NULL));
    assert_ok(xpbd_world_move_particles(w, 0, 1, up, 0));
    assert_ok(call_add_particle_port(w));
}

static void begin_unprepared(xpbd_world *w)
{
    assert_ok(call_add_constraints(w));
}

/* All that the room of a build depends on. */
static void begin_rich(xpbd_world *w)
{
    assert_ok(call_add_constraints(w));
    assert_ok(call_set_constraints(w));
    assert_ok(call_set_forces(w));
    assert_ok(call_set_tolerance(w));
    assert_ok(call_add_particle_port(w));
    assert_ok(call_add_constraint_port(w));
    assert_ok(call_remove_constraints(w));
}

const kit_call kit_calls[] = {
#define XPBD_CALL(name)      {#name, .call = call_##name},
#define XPBD_CALL_FREE(name) {#name, .call = call_##name},
#include "solver/calls.def"
#undef XPBD_CALL
#undef XPBD_CALL_FREE
    {"add a cluster", .call = call_add_cluster},
    {"add a mesh", .call = call_add_mesh},
    {"build", .call = call_build, .builds = true},
    {"compact what was removed", .call = call_compact, .begin = begin_compact},
    {"diagnose", .call = call_diagnose},
    {"explain", .call = call_explain},
    {"save_file", .call = call_save_file},
    {"prepare anew", .call = call_prepare, .begin = begin_unprepared},
    {"step, and prepare all that there can be", .call = call_step, .begin = begin_rich},
    {"load into what is rich", .call = call_load, .begin = begin_rich},
};
const uint32_t kit_n_calls = COUNT_OF(kit_calls);

int kit_calls_begin(void **state)
{
    xpbd_world_def def = kit_def("jacobi");
    xpbd_world *w = kit_calls_world(&def);
    (void)state;
    begin_rich(w);
    kit_steps(w, 1, 0.01);
    assert_ok(xpbd_world_save_file(w, kit_temporary("other.snapshot")));
    other = kit_bytes_of(w, xpbd_world_save);
    xpbd_world_destroy(w);
    return 0;
}

int kit_calls_end(void **state)
{
    (void)state;
    free(other.bytes);
    return 0;
}
