/* SPDX-License-Identifier: MIT
 *
 * Proves that a record holds every call that changes a world: run again on other threads, layouts
 * and instruction sets it gives the same states, and where something differs it names the step.
 */
#include "support_heap.h"
#include "support_bytes.h"
#include "support_zoo.h"

#include "solver/codec_sum.h"
#include "solver/world.h"

#include <math.h>

static xpbd_replay_report play(const kit_bytes *r, const xpbd_world_def *def)
{
    xpbd_replay_report report;
    xpbd_error error;
    if (xpbd_replay(r->size, r->bytes, def, &report, &error) != XPBD_OK)
        fail_msg("%s", error.text);
    return report;
}

/* Calls by calls.def, each of which has its turn: `step` and `load` come between. */
typedef enum edit {
#define XPBD_CALL(name) EDIT_##name,
#define XPBD_CALL_FREE(name)
#include "solver/calls.def"
#undef XPBD_CALL
#undef XPBD_CALL_FREE
    N_EDITS
} edit;

static void add_some(xpbd_world *w, uint64_t *seed)
{
    float x[2][3], v[3] = {0, 1, 0}, mass = 0.5f;
    for (int k = 0; k < 6; k++)
        x[k / 3][k % 3] = kit_uniform(seed, -1, 1);
    const xpbd_particles in = {.position = x[0],
                               .velocity = v,
                               .velocity_stride = XPBD_SAME,
                               .inverse_mass = kit_random(seed) % 2 ? &mass : NULL,
                               .inverse_mass_stride = XPBD_SAME};
    uint32_t first;
    assert_ok(xpbd_world_add_particles(w, 2, &in, &first));
}

static void join_some(xpbd_world *w, uint64_t *seed)
{
    xpbd_world_summary s;
    assert_ok(xpbd_world_summarize(w, &s));
    bool gone[512];
    assert_ok(xpbd_world_read_removed(w, -1, 0, s.n_particles, gone));
    uint32_t ids[4], n = 0;
    for (uint32_t tries = 0; n < 4 && tries < 1000; tries++) {
        const uint32_t p = (uint32_t)(kit_random(seed) % s.n_particles);
        bool use = !gone[p];
        for (uint32_t k = 0; k < n; k++)
            use = use && ids[k] != p;
        if (use)
            ids[n++] = p;
    }
    const float alpha = kit_uniform(seed, 0, 0.1f), length = 1, stretch = 0;
    const xpbd_constraints pair = {.particles = ids, .compliance = &alpha, .rest = &length};
    const uint32_t two[2] = {3, 1};
    const xpbd_constraints clusters = {.particles = ids,
                                       .sizes = two,
                                       .compliance = &alpha,
                                       .compliance_stride = XPBD_SAME,
                                       .rest = &stretch,
                                       .rest_stride = XPBD_SAME};
    if (kit_random(seed) % 2)
        assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, 1, &pair, NULL));
    else
        assert_ok(xpbd_world_add_constraints(w, XPBD_SHAPE_MATCH, 2, &clusters, NULL));
}

/* One call at random; refused ones (of what was removed, mostly) are part of the game. */
static void do_edit(xpbd_world *w, edit what, uint64_t *seed)
{
    xpbd_world_summary s;
    assert_ok(xpbd_world_summarize(w, &s));
    const uint32_t type = (uint32_t)(kit_random(seed) % XPBD_CONSTRAINT_TYPE_COUNT);
    const xpbd_constraint_type t = (xpbd_constraint_type)type;
    const uint32_t n = s.n_constraints[type];
    const uint32_t i = n ? (uint32_t)(kit_random(seed) % n) : 0;
    const uint32_t p = (uint32_t)(kit_random(seed) % s.n_particles);
    const float a[3] = {kit_uniform(seed, -1, 1), kit_uniform(seed, -1, 1), 0.5f};
    float near[3]; /* to where it is: hard constraints that are torn far apart blow up */
    kit_position(w, p, near);
    for (int k = 0; k < 3; k++)
        near[k] += 0.05f * a[k];
    const float w0 = kit_random(seed) % 3 ? 1.0f : 0.0f, tau = 0.01f, force = 1e4f;
    const xpbd_constraints c = {.compliance = &tau, .damping_time = &tau, .break_force = &force};
    size_t size;
    switch (what) {
    case EDIT_add_particles:
        add_some(w, seed);
        break;
    case EDIT_add_constraints:
        join_some(w, seed);
        break;
    case EDIT_set_constraints:
        (void)xpbd_world_set_constraints(w, t, i, n > 0, &c);
        break;
    case EDIT_enable_constraints:
        (void)xpbd_world_enable_constraints(w, t, i, n > 0, w0 > 0);
        break;
    case EDIT_set_positions:
        (void)xpbd_world_set_positions(w, p, 1, near, 0);
        break;
    case EDIT_set_velocities:
        (void)xpbd_world_set_velocities(w, p, 1, a, 0);
        break;
    case EDIT_set_inverse_masses:
        (void)xpbd_world_set_inverse_masses(w, p, 1, &w0, 0);
        break;
    case EDIT_set_forces:
        (void)xpbd_world_set_forces(w, p, 1, a, 0);
        break;
    case EDIT_move_particles:
        (void)xpbd_world_move_particles(w, p, 1, near, 0);
        break;
    case EDIT_set_solver:
        assert_ok(xpbd_world_set_solver(w, 1 + p % 2, 1 + p % 3));
        break;
    case EDIT_set_tolerance:
        assert_ok(xpbd_world_set_tolerance(w, p % 2 ? 1e-3f : 0.0f, 1 + p % 3));
        break;
    case EDIT_set_guard:
        assert_ok(xpbd_world_set_guard(w, (xpbd_guard)(p % 3), 3.0f, p % 2 ? 50.0f : INFINITY));
        break;
    case EDIT_set_acceleration:
        assert_ok(xpbd_world_set_acceleration(w, a));
        break;
    case EDIT_remove_constraints:
        assert_ok(xpbd_world_remove_constraints(w, t, i, n > 0));
        break;
    case EDIT_remove_particles:
        assert_ok(xpbd_world_remove_particles(w, p, p % 5 == 0, NULL));
        break;
    case EDIT_compact:
        assert_ok(xpbd_world_compact(w, NULL, NULL));
        break;
    case EDIT_step:
        assert_ok(xpbd_world_step(w, 0.005 + 0.001 * (double)(p % 3)));
        break;
    case EDIT_load:
        assert_ok(xpbd_world_save(w, 0, NULL, &size));
        void *bytes = malloc(size);
        assert_ok(xpbd_world_save(w, size, bytes, &size));
        if (xpbd_world_load(w, size, bytes) != XPBD_OK)
            fail_msg("%s", xpbd_world_error(w)->text);
        free(bytes);
        break;
    case N_EDITS:
        break;
    }
}

/* Of the calls that take a world which is not const each is in the table, and nothing else is: the
 * header itself is read. */
static void test_no_call_is_forgotten(void **state)
{
    static const char *const calls[] = {
#define XPBD_CALL(name)      #name,
#define XPBD_CALL_FREE(name) #name,
#include "solver/calls.def"
#undef XPBD_CALL
#undef XPBD_CALL_FREE
    };
    bool found[COUNT_OF(calls)] = {0};
    static char text[200000];
    FILE *file = fopen("include/xpbd/xpbd.h", "r");
    (void)state;
    assert_non_null(file);
    const size_t n = fread(text, 1, sizeof text - 1, file);
    assert_true(n > 10000 && n < sizeof text - 1);
    fclose(file);
    for (const char *at = text; (at = strstr(at, "xpbd_world_")); at++) {
        char name[64] = "";
        const char *open = strpbrk(at, "( ;\n");
        if (!open || *open != '(' || strncmp(open, "(xpbd_world *", 13) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(open - at) - 11, at + 11);
        uint32_t k = 0;
        while (k < COUNT_OF(calls) && strcmp(calls[k], name) != 0)
            k++;
        if (k == COUNT_OF(calls))
            fail_msg("xpbd_world_%s() takes a world, but is not in solver/calls.def", name);
        found[k] = true;
    }
    for (uint32_t k = 0; k < COUNT_OF(calls); k++)
        if (!found[k])
            fail_msg("%s of solver/calls.def is no call", calls[k]);
}

static kit_bytes make_record(const char *scheduler, uint64_t seed, uint32_t n, uint64_t *hash)
{
    xpbd_world_def def = kit_def(scheduler);
    def.iterations = 2;
    xpbd_world *w = kit_zoo(&def, true, NULL);
    kit_steps(w, 1, 0.01);
    assert_ok(xpbd_world_record_start(w));
    for (uint32_t k = 0; k < n; k++) {
        const edit what = (edit)(kit_random(&seed) % N_EDITS);
        do_edit(w, what, &seed);
        /* Rare, or little would be left. */
        if (k % 3 == 0)
            do_edit(w, EDIT_step, &seed);
    }
    assert_ok(xpbd_world_record_stop(w));
    xpbd_diagnostics d;
    assert_ok(xpbd_world_diagnose(w, &d));
    assert_int_equal(d.n_nonfinite, 0);
    do_edit(w, EDIT_step, &seed); /* is in no record any more */
    *hash = xpbd_world_hash(w);
    kit_bytes r = kit_bytes_of(w, xpbd_world_read_record);
    xpbd_world_destroy(w);
    return r;
}

static void test_all_calls_run_again(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        uint64_t hash;
        kit_bytes r = make_record(name, 70 + s, 60, &hash);
        for (uint32_t k = 0; k < 2; k++) {
            xpbd_world_def def = kit_def(NULL);
            def.layout = k ? "soa" : "aos4";
            def.isa = k ? "scalar" : "auto";
            const xpbd_replay_report report = play(&r, &def);
            if (report.differs)
                fail_msg("%s: %s", name, report.text);
            assert_true(report.n_steps >= 20 && report.n_calls > 50);
            assert_int_equal(report.hash, report.recorded);
        }
        free(r.bytes);
    }
}

/* Change what happens before a step, or what the record says about one. */
static void test_the_first_step_that_differs_is_named(void **state)
{
    static const float v[3] = {1, 2, 3};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_spring(&def, 2, 1e-3f, 0);
    (void)state;
    assert_ok(xpbd_world_record_start(w));
    kit_steps(w, 4, 0.01);
    assert_ok(xpbd_world_set_velocities(w, 1, 1, v, 0));
    kit_steps(w, 4, 0.01);
    kit_bytes r = kit_bytes_of(w, xpbd_world_read_record); /* it goes on */
    assert_false(play(&r, NULL).differs);
    size_t at = 32, n_steps = 0;
    while (n_steps < 6) {
        n_steps += memcmp(r.bytes + at, "step", 5) == 0;
        if (n_steps < 6)
            at +=
                XPBD_SECTION_NAME + 16 + 4 * (size_t)xpbd_word_at(r.bytes + at + XPBD_SECTION_NAME);
    }
    const size_t payload = at + XPBD_SECTION_NAME + 8;
    const uint64_t was =
        (uint64_t)xpbd_word_at(r.bytes + payload + 12) << 32 | xpbd_word_at(r.bytes + payload + 8);
    for (int k = 0; k < 2; k++) { /* its hash; its dt */
        r.bytes[payload + (k ? 6 : 8)] ^= 1;
        const uint64_t sum = xpbd_sum_of(r.bytes + at, XPBD_SECTION_NAME + 8 + 20);
        for (int b = 0; b < 8; b++)
            r.bytes[payload + 20 + (size_t)b] = (unsigned char)(sum >> (8 * b));
        const xpbd_replay_report report = play(&r, NULL);
        assert_true(report.differs);
        assert_int_equal(report.n_steps, 6);
        assert_int_equal(report.n_calls, 7);
        assert_int_equal(k ? report.recorded : report.hash, was);
        assert_non_null(strstr(report.text, "step 6, call 7"));
        r.bytes[payload + (k ? 6 : 8)] ^= 1;
    }
    free(r.bytes);
    xpbd_world_destroy(w);
}

/* Every second substep something is changed; the third step is ended early. */
static bool meddle(void *user, xpbd_world *w, uint32_t substep)
{
    uint32_t *n = user;
    const float v[3] = {(float)*n, 1, 0};
    if (++*n % 2)
        assert_ok(xpbd_world_set_velocities(w, 1, 1, v, 0));
    if (*n % 4 == 1)
        assert_ok(xpbd_world_set_positions(w, 1, 1, v, 0));
    return !(*n > 9 && substep == 1);
}

static void test_calls_from_inside_a_step(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    uint32_t n = 0;
    (void)state;
    def.substeps = 4;
    xpbd_world *w = kit_spring(&def, 2, 1e-3f, 0);
    assert_ok(xpbd_world_set_substep_callback(w, meddle, &n));
    assert_ok(xpbd_world_record_start(w));
    kit_steps(w, 5, 0.01);
    kit_bytes r = kit_bytes_of(w, xpbd_world_read_record);
    const xpbd_replay_report report = play(&r, NULL);
    if (report.differs)
        fail_msg("%s", report.text);
    assert_int_equal(report.n_steps, 5);
    assert_true(report.n_calls > 10);
    free(r.bytes);
    xpbd_world_destroy(w);
}

static void test_order_of_calls_and_memory(void **state)
{
    heap h = {0};
    const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
    xpbd_world_def def = kit_def(NULL);
    char small[8];
    size_t size;
    (void)state;
    def.allocator = &allocator;
    xpbd_world *w = kit_spring(&def, 2, 1e-3f, 0);
    assert_status(xpbd_world_record_start(NULL), XPBD_ERROR_NULL);
    assert_status(xpbd_world_record_stop(NULL), XPBD_ERROR_NULL);
    assert_status(xpbd_world_read_record(NULL, 0, NULL, &size), XPBD_ERROR_NULL);
    assert_status(xpbd_world_record_stop(w), XPBD_ERROR_RECORD);
    assert_status(xpbd_world_read_record(w, 0, NULL, &size), XPBD_ERROR_RECORD);
    kit_steps(w, 1, 0.01);
    for (uint64_t n = 1; n < 4; n++) { /* the record, the snapshot, its place */
        h.fail_at = h.n_requests + n;
        assert_status(xpbd_world_record_start(w), XPBD_ERROR_MEMORY);
        h.fail_at = 0;
    }
    assert_ok(xpbd_world_record_start(w));
    assert_status(xpbd_world_read_record(w, 0, NULL, NULL), XPBD_ERROR_NULL);
    assert_status(xpbd_world_read_record(w, sizeof small, small, &size), XPBD_ERROR_CAPACITY);
    kit_steps(w, 3, 0.01);
    /* The next growth fails: no call does, and the record ends before it. */
    h.fail_at = h.n_requests + 1;
    h.fail_on = true;
    kit_steps(w, 200, 0.01);
    assert_status(xpbd_world_record_stop(w), XPBD_ERROR_MEMORY);
    h.fail_at = 0;
    kit_bytes r = kit_bytes_of(w, xpbd_world_read_record);
    const xpbd_replay_report report = play(&r, NULL);
    assert_true(!report.differs && report.n_steps >= 3 && report.n_steps < 200);
    free(r.bytes);
    assert_status(xpbd_world_record_stop(w), XPBD_ERROR_RECORD);
    assert_ok(xpbd_world_record_start(w));
    xpbd_world_destroy(w);
    assert_int_equal(h.n_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_call_is_forgotten),
        cmocka_unit_test(test_all_calls_run_again),
        cmocka_unit_test(test_the_first_step_that_differs_is_named),
        cmocka_unit_test(test_calls_from_inside_a_step),
        cmocka_unit_test(test_order_of_calls_and_memory),
    };
    return RUN_GROUP("replay", tests);
}
