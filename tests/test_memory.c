/* SPDX-License-Identifier: MIT
 *
 * Proves with an allocator that counts and can fail: a step on a prepared world asks for no memory;
 * whichever request fails, the call says so, nothing leaks, the state stays and the world works
 * once there is memory again; sizes and alignments are as promised.
 */
#define _POSIX_C_SOURCE 200809L

#include "support.h"

#include <pthread.h>

/* Every block carries its size in front, in as many bytes as its alignment. */
typedef struct heap {
    uint64_t n_requests;
    uint64_t fail_at; /* number of the request that fails, from 1; 0: none */
    bool fail_after;  /* and all after it too */
    size_t n_live, bytes_live;
    pthread_t owner;
    const char *fault; /* the first broken promise */
} heap;

static void *heap_alloc(void *user, size_t size, size_t alignment)
{
    heap *h = user;
    h->n_requests++;
    if (!pthread_equal(h->owner, pthread_self()))
        h->fault = "a request from another thread";
    if (size == 0)
        h->fault = "a request for 0 bytes";
    if (alignment == 0 || alignment > 64 || (alignment & (alignment - 1)) != 0)
        h->fault = "an alignment that is no power of two up to 64";
    if (h->fail_at &&
        (h->n_requests == h->fail_at || (h->fail_after && h->n_requests > h->fail_at)))
        return NULL;
    void *memory = NULL;
    if (posix_memalign(&memory, 64, size + 64))
        return NULL;
    memcpy(memory, &size, sizeof size);
    memset((unsigned char *)memory + 64, 0xa5, size); /* nobody may count on zeros */
    h->n_live++;
    h->bytes_live += size;
    return (unsigned char *)memory + 64;
}

static void heap_free(void *user, void *memory, size_t size)
{
    heap *h = user;
    size_t allocated;
    if (!memory) {
        h->fault = "null was freed";
        return;
    }
    void *block = (unsigned char *)memory - 64;
    memcpy(&allocated, block, sizeof allocated);
    if (allocated != size)
        h->fault = "a size at free that is not that of the request";
    h->n_live--;
    h->bytes_live -= allocated;
    free(block);
}

static void check_heap(const heap *h)
{
    if (h->fault)
        fail_msg("%s", h->fault);
}

typedef struct session {
    heap heap;
    xpbd_allocator allocator;
    xpbd_world_def def;
    kit_scene scene;
} session;

static void open_session(session *s, const char *scheduler)
{
    memset(s, 0, sizeof *s);
    s->heap.owner = pthread_self();
    s->allocator = (xpbd_allocator){heap_alloc, heap_free, &s->heap};
    s->def = kit_def(scheduler);
    s->def.acceleration[1] = -9.81f;
    s->def.threads = 2;
    s->def.allocator = &s->allocator;
    s->scene = kit_grid(9, 9, 0.1f, KIT_STRUCTURAL | KIT_SHEAR | KIT_BEND);
    s->scene.w[0] = 0;
}

static void close_session(session *s)
{
    assert_int_equal(s->heap.n_live, 0);
    assert_int_equal(s->heap.bytes_live, 0);
    check_heap(&s->heap);
    kit_scene_free(&s->scene);
}

static void test_a_step_on_a_prepared_world_asks_for_no_memory(void **state)
{
    static const float up[3] = {0, 1, 0}, zero = 0, soft = 1e-3f, target[3] = {0, 0.5f, 0};
    const char *name;
    (void)state;
    for (uint32_t i = 0; (name = xpbd_scheduler_name(i)); i++) {
        session s;
        open_session(&s, name);
        xpbd_world *w = kit_build(&s.def, &s.scene, 1e-6f);
        s.allocator = (xpbd_allocator){0}; /* the world has a copy */
        assert_ok(xpbd_world_prepare(w));
        uint64_t before = s.heap.n_requests;
        kit_steps(w, 5, 1.0 / 60);
        assert_int_equal(s.heap.n_requests, before);
        /* Neither do changes of values, nor the steps after them. */
        assert_ok(xpbd_world_set_velocities(w, 5, 1, up, 0));
        assert_ok(xpbd_world_set_positions(w, 7, 1, up, 0));
        assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, 3, 1,
                                             &(xpbd_constraints){.compliance = &soft}));
        assert_ok(xpbd_world_set_solver(w, 2, 5));
        kit_steps(w, 5, 1.0 / 60);
        assert_int_equal(s.heap.n_requests, before);
        /* A move may, when it is called; a steady stream of moves must not grow. */
        for (int k = 0; k < 20; k++) {
            assert_ok(xpbd_world_move_particles(w, 0, 1, target, 0));
            before = k < 3 ? s.heap.n_requests : before;
            kit_steps(w, 1, 1.0 / 60);
            assert_int_equal(s.heap.n_requests, before);
        }
        /* Reading and measuring: const worlds, so nothing can be kept for later. */
        xpbd_diagnostics d;
        assert_ok(xpbd_world_diagnose(w, &d));
        assert_true(xpbd_world_hash(w) != 0);
        free(kit_positions(w));
        assert_int_equal(s.heap.n_requests, before);
        /* What may prepare anew does it when asked, not in the step after that. */
        assert_ok(xpbd_world_set_inverse_masses(w, 8, 1, &zero, 0));
        assert_ok(xpbd_world_set_forces(w, 9, 1, up, 0));
        assert_ok(xpbd_world_set_threads(w, 3));
        assert_ok(xpbd_world_prepare(w));
        before = s.heap.n_requests;
        kit_steps(w, 5, 1.0 / 60);
        assert_int_equal(s.heap.n_requests, before);
        xpbd_world_destroy(w);
        close_session(&s);
    }
}

/* The whole life of a world, stopping at the first call that fails. */
static xpbd_status live(const session *s, xpbd_world **world)
{
    static const uint32_t lone = 40;
    static const float wind[3] = {0, 0, 1}, damped = 1.0f;
    xpbd_status status = xpbd_world_create(&s->def, world, NULL);
    xpbd_particles p = {.position = s->scene.x[0], .inverse_mass = s->scene.w};
    if (status == XPBD_OK)
        status = xpbd_world_add_particles(*world, s->scene.n_particles, &p, NULL);
    xpbd_constraints c = {.particles = s->scene.pair[0]};
    if (status == XPBD_OK)
        status = xpbd_world_add_constraints(*world, XPBD_DISTANCE, s->scene.n_pairs, &c, NULL);
    c = (xpbd_constraints){.particles = &lone};
    if (status == XPBD_OK)
        status = xpbd_world_add_constraints(*world, XPBD_ATTACH, 1, &c, NULL);
    if (status == XPBD_OK)
        status = xpbd_world_step(*world, 1.0 / 60);
    if (status == XPBD_OK)
        status = xpbd_world_add_particles(*world, s->scene.n_particles, &p, NULL);
    if (status == XPBD_OK)
        status = xpbd_world_set_forces(*world, 3, 1, wind, 0);
    c = (xpbd_constraints){.damping = &damped, .compliance = &damped};
    if (status == XPBD_OK)
        status = xpbd_world_set_constraints(*world, XPBD_DISTANCE, 7, 1, &c);
    if (status == XPBD_OK)
        status = xpbd_world_prepare(*world);
    if (status == XPBD_OK)
        status = xpbd_world_step(*world, 1.0 / 60);
    return status;
}

static void test_any_request_may_fail_and_nothing_leaks(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t i = 0; (name = xpbd_scheduler_name(i)); i++) {
        session s;
        xpbd_world *world = NULL;
        open_session(&s, name);
        assert_ok(live(&s, &world));
        xpbd_world_destroy(world);
        const uint64_t n = s.heap.n_requests;
        assert_true(n >= 3);
        for (uint64_t k = 1; k <= n; k++) {
            s.heap.n_requests = 0;
            s.heap.fail_at = k;
            world = NULL;
            assert_status(live(&s, &world), XPBD_ERROR_MEMORY);
            if (world) {
                assert_int_equal(xpbd_world_error(world)->status, XPBD_ERROR_MEMORY);
                xpbd_world_destroy(world);
            }
            assert_int_equal(s.heap.n_live, 0);
            check_heap(&s.heap);
        }
        close_session(&s);
    }
}

/* The bytes in the summary are those that were asked for. */
static void test_summary_knows_the_memory_held(void **state)
{
    session s;
    xpbd_world_summary summary;
    (void)state;
    open_session(&s, NULL);
    xpbd_world *w = kit_build(&s.def, &s.scene, 0.0f);
    kit_steps(w, 1, 1.0 / 60);
    assert_ok(xpbd_world_summarize(w, &summary));
    assert_int_equal(summary.bytes, s.heap.bytes_live);
    xpbd_world_destroy(w);
    close_session(&s);
}

/* A call that must allocate, on a world that has been stepped; repeated until it may succeed. */
typedef xpbd_status (*call_fn)(xpbd_world *w, const session *s);

static xpbd_status call_add_particles(xpbd_world *w, const session *s)
{
    xpbd_particles p = {.position = s->scene.x[0], .inverse_mass = s->scene.w};
    return xpbd_world_add_particles(w, s->scene.n_particles, &p, NULL);
}

static xpbd_status call_add_constraints(xpbd_world *w, const session *s)
{
    xpbd_constraints c = {.particles = s->scene.pair[0]};
    return xpbd_world_add_constraints(w, XPBD_DISTANCE, s->scene.n_pairs, &c, NULL);
}

static xpbd_status call_set_damping(xpbd_world *w, const session *s)
{
    static const float one = 1.0f;
    xpbd_constraints c = {
        .damping = &one, .damping_stride = XPBD_SAME, .compliance = &one, .compliance_stride = 0};
    c.compliance_stride = XPBD_SAME;
    return xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, s->scene.n_pairs, &c);
}

static xpbd_status call_release(xpbd_world *w, const session *s)
{
    static const float one = 1.0f;
    (void)s;
    return xpbd_world_set_inverse_masses(w, 0, 1, &one, 0);
}

static xpbd_status call_set_forces(xpbd_world *w, const session *s)
{
    static const float wind[3] = {0, 0, 1};
    (void)s;
    return xpbd_world_set_forces(w, 3, 1, wind, 0);
}

static xpbd_status call_move(xpbd_world *w, const session *s)
{
    static const float target[3] = {0, 0.1f, 0};
    (void)s;
    return xpbd_world_move_particles(w, 0, 1, target, 0);
}

static xpbd_status call_set_threads(xpbd_world *w, const session *s)
{
    (void)s;
    return xpbd_world_set_threads(w, 8);
}

static const call_fn calls[] = {call_add_particles, call_add_constraints, call_set_damping,
                                call_release,       call_set_forces,      call_set_threads,
                                call_move};

/* Without memory, then with it: the call and the step after it each fail cleanly as often as it
 * takes, and the end is that of a world that always had memory. */
static void check_recovery(const char *scheduler, call_fn call)
{
    session s;
    open_session(&s, scheduler);
    xpbd_world *twin = kit_build(&s.def, &s.scene, 1e-6f);
    kit_steps(twin, 2, 1.0 / 60);
    assert_ok(call(twin, &s));
    kit_steps(twin, 2, 1.0 / 60);

    xpbd_world *w = kit_build(&s.def, &s.scene, 1e-6f);
    kit_steps(w, 2, 1.0 / 60);
    for (int phase = 0; phase < 2; phase++) {
        for (uint64_t k = 1;; k++) {
            const uint64_t hash = xpbd_world_hash(w);
            s.heap.n_requests = 0;
            s.heap.fail_at = k;
            s.heap.fail_after = k % 2;
            xpbd_status status = phase == 0 ? call(w, &s) : xpbd_world_step(w, 1.0 / 60);
            if (status == XPBD_OK)
                break;
            assert_status(status, XPBD_ERROR_MEMORY);
            assert_same_hash(xpbd_world_hash(w), hash, "after a refusal for want of memory");
            assert_true(k < 1000);
        }
        s.heap.fail_at = 0;
    }
    kit_steps(w, 1, 1.0 / 60);
    assert_same_hash(xpbd_world_hash(w), xpbd_world_hash(twin), scheduler);
    xpbd_world_destroy(w);
    xpbd_world_destroy(twin);
    close_session(&s);
}

static void test_a_world_works_when_memory_is_back(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t i = 0; (name = xpbd_scheduler_name(i)); i++)
        for (uint32_t c = 0; c < COUNT_OF(calls); c++)
            check_recovery(name, calls[c]);
}

static void test_incomplete_allocators_are_refused(void **state)
{
    heap h = {.owner = pthread_self()};
    const xpbd_allocator broken[2] = {{NULL, heap_free, &h}, {heap_alloc, NULL, &h}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        xpbd_world_def def = kit_def(NULL);
        xpbd_world *w = NULL;
        xpbd_error error;
        def.allocator = &broken[i];
        assert_status(xpbd_world_create(&def, &w, &error), XPBD_ERROR_NULL);
        assert_null(w);
        assert_int_equal(error.status, XPBD_ERROR_NULL);
        assert_int_equal(h.n_live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_step_on_a_prepared_world_asks_for_no_memory),
        cmocka_unit_test(test_any_request_may_fail_and_nothing_leaks),
        cmocka_unit_test(test_summary_knows_the_memory_held),
        cmocka_unit_test(test_a_world_works_when_memory_is_back),
        cmocka_unit_test(test_incomplete_allocators_are_refused),
    };
    return RUN_GROUP("memory", tests);
}
