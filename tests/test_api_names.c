/* SPDX-License-Identifier: MIT
 *
 * Proves that statuses, constraint types and everything that can be chosen by name are listed as
 * the header and its tables say, and that the defaults are those of the header.
 */
#include "support.h"

static void test_version_of_header_and_library_agree(void **state)
{
    (void)state;
    assert_int_equal(xpbd_version(), XPBD_VERSION);
    assert_int_equal(XPBD_VERSION, 100);
}

static void test_statuses_have_their_names_and_texts(void **state)
{
    static const char *const names[] = {
#define XPBD_STATUS(ID, text) "XPBD_" #ID,
#include "xpbd/status.def"
#undef XPBD_STATUS
    };
    static const char *const texts[] = {
#define XPBD_STATUS(ID, text) text,
#include "xpbd/status.def"
#undef XPBD_STATUS
    };
    (void)state;
    assert_int_equal(XPBD_OK, 0);
    assert_int_equal(XPBD_STATUS_COUNT, COUNT_OF(names));
    for (uint32_t i = 0; i < COUNT_OF(names); i++) {
        assert_string_equal(xpbd_status_name((xpbd_status)i), names[i]);
        assert_string_equal(xpbd_status_text((xpbd_status)i), texts[i]);
    }
    const int unknown[] = {-1, XPBD_STATUS_COUNT, 9999};
    for (uint32_t i = 0; i < COUNT_OF(unknown); i++) {
        assert_non_null(xpbd_status_name((xpbd_status)unknown[i]));
        assert_non_null(xpbd_status_text((xpbd_status)unknown[i]));
        assert_true(strlen(xpbd_status_text((xpbd_status)unknown[i])) > 0);
    }
}

static void test_constraint_types_are_described_as_in_the_table(void **state)
{
    static const xpbd_constraint_info rows[] = {
#define XPBD_CONSTRAINT(ID, name, particles, rest, rows, rest_text, unit, source)                  \
    {#name, particles, rest, rows, rest_text, unit, source, false, false, 0},
#define XPBD_CONSTRAINT_VARIABLE(element_rest, each, ID, name, particles, rest, rows, rest_text,   \
                                 unit, source)                                                     \
    {#name, particles, rest, rows, rest_text, unit, source, true, each, element_rest},
#include "xpbd/constraints.def"
#undef XPBD_CONSTRAINT
    };
    (void)state;
    assert_int_equal(XPBD_CONSTRAINT_TYPE_COUNT, COUNT_OF(rows));
    for (uint32_t i = 0; i < COUNT_OF(rows); i++) {
        const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)i);
        assert_non_null(info);
        assert_string_equal(info->name, rows[i].name);
        assert_int_equal(info->n_particles, rows[i].n_particles);
        assert_int_equal(info->n_rest, rows[i].n_rest);
        assert_int_equal(info->n_rows, rows[i].n_rows);
        assert_string_equal(info->rest_text, rows[i].rest_text);
        assert_string_equal(info->compliance_unit, rows[i].compliance_unit);
        assert_string_equal(info->source, rows[i].source);
        assert_int_equal(info->variable, rows[i].variable);
        assert_int_equal(info->rows_per_element, rows[i].rows_per_element);
        assert_int_equal(info->n_element_rest, rows[i].n_element_rest);
    }
    const int unknown[] = {-1, XPBD_CONSTRAINT_TYPE_COUNT, 9999};
    for (uint32_t i = 0; i < COUNT_OF(unknown); i++)
        assert_null(xpbd_constraint_type_info((xpbd_constraint_type)unknown[i]));
}

typedef const char *(*name_of)(uint32_t index);

static void check_names(name_of name, const char *const *required, uint32_t n_required)
{
    uint32_t n = 0;
    for (; name(n); n++) {
        assert_true(strlen(name(n)) > 0);
        assert_string_not_equal(name(n), "auto"); /* means: the library chooses */
        for (uint32_t i = 0; i < n; i++)
            assert_string_not_equal(name(i), name(n));
    }
    for (uint32_t r = 0; r < n_required; r++) {
        bool found = false;
        for (uint32_t i = 0; i < n; i++)
            found = found || !strcmp(name(i), required[r]);
        if (!found)
            fail_msg("expected %s among the names", required[r]);
    }
    assert_null(name(n + 1));
    assert_null(name(UINT32_MAX));
}

static void test_selectors_list_unique_names(void **state)
{
    static const char *const schedulers[] = {"serial-gs", "colored-gs", "jacobi"};
    static const char *const layouts[] = {"soa", "aos4"};
    static const char *const isas[] = {"scalar"};
    static const char *const orderings[] = {"natural", "rcm"};
    static const char *const pinnings[] = {"none", "compact", "scatter"};
    (void)state;
    check_names(xpbd_scheduler_name, schedulers, COUNT_OF(schedulers));
    check_names(xpbd_layout_name, layouts, COUNT_OF(layouts));
    check_names(xpbd_isa_name, isas, COUNT_OF(isas));
    check_names(xpbd_ordering_name, orderings, COUNT_OF(orderings));
    check_names(xpbd_pinning_name, pinnings, COUNT_OF(pinnings));
    for (uint32_t i = 0; xpbd_scheduler_name(i); i++)
        assert_true(strlen(xpbd_scheduler_summary(i)) > 0);
    assert_null(xpbd_scheduler_summary(UINT32_MAX));
    for (uint32_t i = 0; xpbd_isa_name(i); i++)
        if (!strcmp(xpbd_isa_name(i), "scalar"))
            assert_true(xpbd_isa_available(i));
    assert_false(xpbd_isa_available(UINT32_MAX));
}

static void test_defaults_are_those_of_the_header(void **state)
{
    xpbd_world_def def = xpbd_default_world_def();
    (void)state;
    assert_int_equal(def.substeps, 1);
    assert_int_equal(def.iterations, 10);
    assert_near(def.acceleration[0], 0.0, 0.0);
    assert_near(def.acceleration[1], -9.81f, 0.0);
    assert_near(def.acceleration[2], 0.0, 0.0);
    assert_near(def.relaxation, 1.0, 0.0);
    assert_int_equal(def.threads, 0);
    assert_null(def.custom_scheduler);
    assert_null(def.allocator);

    xpbd_world *world = NULL;
    assert_ok(xpbd_world_create(NULL, &world, NULL));
    xpbd_world_summary summary;
    assert_ok(xpbd_world_summarize(world, &summary));
    assert_string_equal(summary.scheduler, "slab-gs");
    assert_string_equal(summary.layout, "aos4");
    assert_string_equal(summary.pinning, "none");
    assert_int_equal(xpbd_world_error(world)->status, XPBD_OK);
    xpbd_world_destroy(world);
    xpbd_world_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version_of_header_and_library_agree),
        cmocka_unit_test(test_statuses_have_their_names_and_texts),
        cmocka_unit_test(test_constraint_types_are_described_as_in_the_table),
        cmocka_unit_test(test_selectors_list_unique_names),
        cmocka_unit_test(test_defaults_are_those_of_the_header),
    };
    return RUN_GROUP("api_names", tests);
}
