/* SPDX-License-Identifier: MIT
 *
 * Every call of calls.def, and the others that ask for memory, with every request in turn refused
 * and every scheduler: the call says so and why, the world saves as before, nothing leaks, and the
 * same call works when there is memory again, as on a world that always had it.
 */
#include "support_bytes.h"
#include "support_calls.h"
#include "support_heap.h"

static void same_snapshots(const kit_call *r, uint64_t k, const kit_bytes *got,
                           const kit_bytes *want)
{
    if (got->size != want->size || memcmp(got->bytes, want->bytes, got->size) != 0)
        fail_msg("%s: the state is another after request %llu", r->name, (unsigned long long)k);
}

static xpbd_status step(xpbd_world *w)
{
    return xpbd_world_step(w, 0.01);
}

/* Call until no request is left to refuse; the steps after it, too, which may have to prepare. */
static void run(const xpbd_world_def *plain, const kit_call *r)
{
    heap h = {0};
    const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
    xpbd_world_def def = *plain;
    def.allocator = &allocator;
    xpbd_world *w = kit_calls_world(&def), *twin = kit_calls_world(plain);
    if (r->begin) {
        r->begin(w);
        r->begin(twin);
    }
    xpbd_status (*const calls[])(xpbd_world *) = {r->call, step};
    for (uint32_t phase = 0; phase < 2; phase++) {
        kit_bytes before = kit_bytes_of(w, xpbd_world_save);
        for (uint64_t k = 1;; k++) {
            h.fail_at = h.n_requests + k;
            h.fail_on = k % 2;
            const xpbd_status status = calls[phase](w);
            if (status == XPBD_OK)
                break;
            h.fail_at = 0;
            assert_status(status, XPBD_ERROR_MEMORY);
            if (!r->builds || phase > 0)
                assert_int_equal(xpbd_world_error(w)->status, XPBD_ERROR_MEMORY);
            kit_bytes now = kit_bytes_of(w, xpbd_world_save);
            same_snapshots(r, k, &now, &before);
            free(now.bytes);
            assert_true(k < 1000);
        }
        h.fail_at = 0;
        assert_ok(calls[phase](twin));
        kit_bytes now = kit_bytes_of(w, xpbd_world_save);
        kit_bytes want = kit_bytes_of(twin, xpbd_world_save);
        same_snapshots(r, 0, &now, &want);
        free(now.bytes);
        free(want.bytes);
        free(before.bytes);
    }
    xpbd_world_destroy(w);
    xpbd_world_destroy(twin);
    assert_int_equal(h.n_live, 0);
}

static void each_row(const xpbd_world_def *def)
{
    for (uint32_t k = 0; k < kit_n_calls; k++)
        run(def, &kit_calls[k]);
}

static void test_every_call_of_every_scheduler(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t i = 0; (name = xpbd_scheduler_name(i)); i++) {
        xpbd_world_def def = kit_def(name);
        each_row(&def);
    }
}

static void on_this_thread(void *user, uint32_t count, void (*task)(void *context, uint32_t worker),
                           void *context)
{
    (void)user;
    for (uint32_t i = 0; i < count; i++)
        task(context, i);
}

static void test_on_the_threads_of_a_host_and_with_a_prediction(void **state)
{
    static const xpbd_task_system host = {on_this_thread, NULL, 2};
    xpbd_world_def def = kit_def(NULL);
    (void)state;
    def.task_system = &host;
    def.threads = 2;
    def.keep_prediction = true;
    def.layout = "soa";
    each_row(&def);
}

static void test_a_world_that_is_not_made_leaves_nothing(void **state)
{
    xpbd_status status = XPBD_ERROR_MEMORY;
    (void)state;
    for (uint64_t k = 1; status != XPBD_OK; k++) {
        heap h = {.fail_at = k};
        const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
        xpbd_world_def def = kit_def(NULL);
        xpbd_world *w = NULL;
        xpbd_error error;
        def.allocator = &allocator;
        status = xpbd_world_create(&def, &w, &error);
        assert_int_equal(error.status, status);
        if (status == XPBD_OK) {
            assert_true(k > 2);
            xpbd_world_destroy(w);
        } else {
            assert_status(status, XPBD_ERROR_MEMORY);
            assert_null(w);
            assert_true(error.text[0]);
        }
        assert_int_equal(h.n_live, 0);
    }
}

static bool is_recorded(const char *name)
{
#define XPBD_CALL(call)                                                                            \
    if (strcmp(name, #call) == 0)                                                                  \
        return true;
#define XPBD_CALL_FREE(call)
#include "solver/calls.def"
#undef XPBD_CALL
#undef XPBD_CALL_FREE
    return false;
}

static void test_a_record_that_is_not_run_leaves_nothing(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_calls_world(&def);
    xpbd_status status = XPBD_ERROR_MEMORY;
    (void)state;
    assert_ok(xpbd_world_record_start(w));
    for (uint32_t k = 0; k < kit_n_calls; k++) {
        if (is_recorded(kit_calls[k].name))
            assert_ok(kit_calls[k].call(w));
        if (k == XPBD_CONSTRAINT_TYPE_COUNT)
            kit_steps(w, 1, 0.01);
    }
    kit_bytes record = kit_bytes_of(w, xpbd_world_read_record);
    xpbd_world_destroy(w);
    for (uint64_t k = 1; status != XPBD_OK; k++) {
        heap h = {.fail_at = k};
        const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
        xpbd_replay_report report;
        xpbd_error error;
        def.allocator = &allocator;
        status = xpbd_replay(record.size, record.bytes, &def, &report, &error);
        assert_int_equal(error.status, status);
        assert_int_equal(h.n_live, 0);
        if (status != XPBD_OK)
            assert_status(status, XPBD_ERROR_MEMORY);
        else if (report.differs)
            fail_msg("%s", report.text);
    }
    free(record.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_call_of_every_scheduler),
        cmocka_unit_test(test_on_the_threads_of_a_host_and_with_a_prediction),
        cmocka_unit_test(test_a_world_that_is_not_made_leaves_nothing),
        cmocka_unit_test(test_a_record_that_is_not_run_leaves_nothing),
    };
    return cmocka_run_group_tests_name("memory_calls", tests, kit_calls_begin, kit_calls_end);
}
