/* SPDX-License-Identifier: MIT
 *
 * Proves that xpbd_world_create() refuses each bad field of a definition with its own status and
 * a text that names the value, and that all that is listed can be chosen.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include "support.h"

#include <math.h>

#include "xpbd/scheduler.h"

/* Expects the status, no world, and an error whose text contains `word` (null: any text). */
static void check_refused(const xpbd_world_def *def, xpbd_status want, const char *word)
{
    xpbd_world *world = (xpbd_world *)(uintptr_t)16; /* must not be left as it was */
    xpbd_error error;
    memset(&error, 0xaa, sizeof error);
    assert_status(xpbd_world_create(def, &world, &error), want);
    assert_null(world);
    assert_int_equal(error.status, want);
    assert_int_equal(error.type, -1);
    assert_non_null(memchr(error.text, 0, sizeof error.text));
    assert_true(strlen(error.text) > 0);
    if (word && !strstr(error.text, word))
        fail_msg("expected '%s' in the error text, got '%s'", word, error.text);
    assert_status(xpbd_world_create(def, &world, NULL), want);
}

static void test_create_refuses_null_and_foreign_structs(void **state)
{
    (void)state;
    xpbd_world_def def = xpbd_default_world_def();
    xpbd_error error = {0};
    assert_status(xpbd_world_create(&def, NULL, &error), XPBD_ERROR_NULL);
    assert_int_equal(error.status, XPBD_ERROR_NULL);
    assert_status(xpbd_world_create(NULL, NULL, NULL), XPBD_ERROR_NULL);
    def.cookie ^= 1;
    check_refused(&def, XPBD_ERROR_COOKIE, NULL);
    memset(&def, 0, sizeof def);
    check_refused(&def, XPBD_ERROR_COOKIE, NULL);
}

static void test_A10_create_refuses_bad_numbers(void **state)
{
    static const float not_finite[] = {NAN, -NAN, INFINITY, -INFINITY};
    static const float relaxations[] = {0.0f, -0.5f, 2.0f, 3.0f, NAN, INFINITY, -INFINITY};
    static const uint32_t too_many[] = {1000001, UINT32_MAX};
    (void)state;
    xpbd_world_def def = xpbd_default_world_def();
    def.substeps = 0;
    check_refused(&def, XPBD_ERROR_SUBSTEPS, NULL);
    for (uint32_t i = 0; i < COUNT_OF(too_many); i++) {
        def = xpbd_default_world_def();
        def.substeps = too_many[i];
        check_refused(&def, XPBD_ERROR_SUBSTEPS, i == 0 ? "1000001" : "4294967295");
        def = xpbd_default_world_def();
        def.iterations = too_many[i];
        check_refused(&def, XPBD_ERROR_ITERATIONS, i == 0 ? "1000001" : "4294967295");
    }
    for (uint32_t i = 0; i < COUNT_OF(not_finite); i++) {
        for (int axis = 0; axis < 3; axis++) {
            def = xpbd_default_world_def();
            def.acceleration[axis] = not_finite[i];
            check_refused(&def, XPBD_ERROR_ACCELERATION, i < 2 ? "nan" : "inf");
        }
    }
    for (uint32_t i = 0; i < COUNT_OF(relaxations); i++) {
        def = xpbd_default_world_def();
        def.relaxation = relaxations[i];
        check_refused(&def, XPBD_ERROR_RELAXATION, NULL);
    }
    def = xpbd_default_world_def();
    def.threads = -1;
    check_refused(&def, XPBD_ERROR_THREADS, "-1");
    def.threads = INT32_MIN;
    check_refused(&def, XPBD_ERROR_THREADS, "-2147483648");
}

static void test_create_accepts_the_ends_of_the_ranges(void **state)
{
    (void)state;
    xpbd_world_def def = xpbd_default_world_def();
    def.substeps = 1000000;
    def.iterations = 1000000;
    def.relaxation = 1.999f;
    def.acceleration[2] = 1e30f;
    xpbd_world_destroy(kit_create(&def));
    def.substeps = 1;
    def.iterations = 0;
    def.relaxation = 0x1p-100f;
    def.scheduler = def.layout = def.isa = def.ordering = def.pinning = "auto";
    xpbd_world_destroy(kit_create(&def));
}

static void test_create_refuses_unknown_names_by_name(void **state)
{
    static const char *const wrong[] = {"no-such-thing", "", "Serial-GS", "SCALAR", "NONE"};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(wrong); i++) {
        xpbd_world_def def = xpbd_default_world_def();
        def.scheduler = wrong[i];
        check_refused(&def, XPBD_ERROR_UNKNOWN_SCHEDULER, wrong[i]);
        def = xpbd_default_world_def();
        def.layout = wrong[i];
        check_refused(&def, XPBD_ERROR_UNKNOWN_LAYOUT, wrong[i]);
        def = xpbd_default_world_def();
        def.isa = wrong[i];
        check_refused(&def, XPBD_ERROR_UNKNOWN_ISA, wrong[i]);
        def = xpbd_default_world_def();
        def.ordering = wrong[i];
        check_refused(&def, XPBD_ERROR_UNKNOWN_ORDERING, wrong[i]);
        def = xpbd_default_world_def();
        def.pinning = wrong[i];
        check_refused(&def, XPBD_ERROR_UNKNOWN_PINNING, wrong[i]);
    }
    /* A name longer than the error text must be cut, not written past its end. */
    char huge[4096];
    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = 0;
    xpbd_world_def def = xpbd_default_world_def();
    def.scheduler = huge;
    check_refused(&def, XPBD_ERROR_UNKNOWN_SCHEDULER, "xxxx");
    /* And the text is one line, whatever is in the name. */
    def.scheduler = "a\nb\x1b\x7f";
    check_refused(&def, XPBD_ERROR_UNKNOWN_SCHEDULER, "\"a?b??\"");
}

static void test_every_listed_name_can_be_chosen(void **state)
{
    const char *name;
    xpbd_world_summary summary;
    (void)state;
    for (uint32_t i = 0; (name = xpbd_scheduler_name(i)); i++) {
        xpbd_world_def def = xpbd_default_world_def();
        def.scheduler = name;
        xpbd_world *world = kit_create(&def);
        assert_ok(xpbd_world_summarize(world, &summary));
        assert_string_equal(summary.scheduler, name);
        xpbd_world_destroy(world);
    }
    for (uint32_t i = 0; (name = xpbd_layout_name(i)); i++) {
        xpbd_world_def def = xpbd_default_world_def();
        def.layout = name;
        xpbd_world *world = kit_create(&def);
        assert_ok(xpbd_world_summarize(world, &summary));
        assert_string_equal(summary.layout, name);
        xpbd_world_destroy(world);
    }
    for (uint32_t i = 0; (name = xpbd_ordering_name(i)); i++) {
        xpbd_world_def def = xpbd_default_world_def();
        def.ordering = name;
        xpbd_world *world = kit_create(&def);
        assert_ok(xpbd_world_prepare(world));
        assert_ok(xpbd_world_summarize(world, &summary));
        assert_string_equal(summary.ordering, name);
        xpbd_world_destroy(world);
    }
    for (uint32_t i = 0; (name = xpbd_pinning_name(i)); i++) {
        xpbd_world_def def = xpbd_default_world_def();
        def.pinning = name;
        xpbd_world *world = kit_create(&def);
        assert_ok(xpbd_world_summarize(world, &summary));
        assert_string_equal(summary.pinning, name);
        xpbd_world_destroy(world);
    }
}

static void test_isa_is_taken_from_the_definition_then_the_environment(void **state)
{
    const char *name;
    xpbd_world_summary summary;
    (void)state;
    for (uint32_t i = 0; (name = xpbd_isa_name(i)); i++) {
        xpbd_world_def def = xpbd_default_world_def();
        def.isa = name;
        if (!xpbd_isa_available(i)) {
            check_refused(&def, XPBD_ERROR_UNAVAILABLE_ISA, name);
            continue;
        }
        assert_int_equal(setenv("XPBD_ISA", "scalar", 1), 0);
        xpbd_world *world = kit_create(&def);
        assert_ok(xpbd_world_summarize(world, &summary));
        assert_string_equal(summary.isa, name);
        xpbd_world_destroy(world);

        def.isa = NULL;
        assert_int_equal(setenv("XPBD_ISA", name, 1), 0);
        world = kit_create(&def);
        assert_ok(xpbd_world_summarize(world, &summary));
        assert_string_equal(summary.isa, name);
        xpbd_world_destroy(world);
    }
    xpbd_world_def def = xpbd_default_world_def();
    assert_int_equal(setenv("XPBD_ISA", "abacus", 1), 0);
    check_refused(&def, XPBD_ERROR_UNKNOWN_ISA, "abacus");
    unsetenv("XPBD_ISA");
}

static void do_nothing(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    (void)plan;
    (void)member;
    (void)iterations;
}

static void test_create_refuses_incomplete_custom_schedulers(void **state)
{
    const xpbd_scheduler whole = {.cookie = XPBD_SCHEDULER_COOKIE,
                                  .name = "mine",
                                  .summary = "does nothing",
                                  .partition = XPBD_PARTITION_COLORS,
                                  .update = XPBD_UPDATE_IN_PLACE,
                                  .solve = do_nothing};
    (void)state;
    xpbd_scheduler broken[6] = {whole, whole, whole, whole, whole, whole};
    broken[0].cookie = 0;
    broken[1].name = NULL;
    broken[2].solve = NULL;
    broken[3].partition = (xpbd_partition)99;
    broken[4].update = (xpbd_update)99;
    broken[5].partition = XPBD_PARTITION_FREE; /* in place, all at once: a race */
    for (uint32_t i = 0; i < COUNT_OF(broken); i++) {
        xpbd_world_def def = xpbd_default_world_def();
        def.custom_scheduler = &broken[i];
        check_refused(&def, XPBD_ERROR_SCHEDULER, NULL);
    }
    xpbd_world_def def = xpbd_default_world_def();
    def.custom_scheduler = &whole;
    xpbd_world *world = kit_create(&def);
    xpbd_world_summary summary;
    assert_ok(xpbd_world_summarize(world, &summary));
    assert_string_equal(summary.scheduler, "mine");
    xpbd_world_destroy(world);
}

static void test_P12_thread_counts_are_cut_and_readable(void **state)
{
    static const int32_t asked[] = {1, 2, 31, 32, 33, 64, 65, 256, 257, 100000, INT32_MAX};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(asked); i++) {
        xpbd_world_def def = xpbd_default_world_def();
        def.threads = asked[i];
        xpbd_world *world = kit_create(&def);
        xpbd_world_summary summary;
        assert_ok(xpbd_world_summarize(world, &summary));
        int32_t want = asked[i] < XPBD_THREADS_MAX ? asked[i] : XPBD_THREADS_MAX;
        assert_int_equal(summary.threads, want);
        assert_true(summary.threads_usable >= 1);
        assert_int_equal(summary.oversubscribed, summary.threads > summary.threads_usable);
        assert_ok(xpbd_world_set_threads(world, 0));
        assert_ok(xpbd_world_summarize(world, &summary));
        assert_true(summary.threads >= 1 && summary.threads <= summary.threads_usable);
        xpbd_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create_refuses_null_and_foreign_structs),
        cmocka_unit_test(test_A10_create_refuses_bad_numbers),
        cmocka_unit_test(test_create_accepts_the_ends_of_the_ranges),
        cmocka_unit_test(test_create_refuses_unknown_names_by_name),
        cmocka_unit_test(test_every_listed_name_can_be_chosen),
        cmocka_unit_test(test_isa_is_taken_from_the_definition_then_the_environment),
        cmocka_unit_test(test_create_refuses_incomplete_custom_schedulers),
        cmocka_unit_test(test_P12_thread_counts_are_cut_and_readable),
    };
    return RUN_GROUP("api_create", tests);
}
