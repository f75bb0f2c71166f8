/* SPDX-License-Identifier: MIT
 *
 * Proves that names of scenes are canonical and that wrong names and sizes are refused with a line
 * that tells the right ones.
 */
#include "support.h"

#include "scenes/scene.h"

static void refused(const char *name, const char *part)
{
    static const xpbd_scene zero;
    xpbd_scene scene;
    char error[512] = "";
    memset(&scene, 0xff, sizeof scene);
    if (xpbd_scene_make(name, &scene, error, sizeof error))
        fail_msg("scene '%s' was made; expected it to be refused", name);
    if (!strstr(error, part) || strchr(error, '\n'))
        fail_msg("scene '%s': expected '...%s...', got '%s'", name, part, error);
    assert_memory_equal(&scene, &zero, sizeof scene);
    for (size_t size = 0; size < sizeof error; size++) {
        memset(error, '~', sizeof error);
        assert_false(xpbd_scene_make(name, &scene, error, size));
        assert_true(error[size] == '~' && (size == 0 || strlen(error) < size));
    }
    assert_false(xpbd_scene_make(name, &scene, NULL, 100));
}

static void test_unknown_names_list_the_known(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",          "cloth",      "cloth-",     "-64",         "blanket-64",          "Cloth-64",
        "cloth64",   "cloth--64",  "cloth-+64",  "cloth- 64",   "cloth-64-",           "cloth-64x",
        "cloth-064", "cloth-64-s", "cloths-64",  "clot-64",     "cloth-64-scrambled2", "cloth-0x40",
        "cloth-6.4", "rope",       "cloth-64\n", "\xff\xfe-64", "cloth-64-Scrambled"};
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        const xpbd_scene_family *family;
        for (uint32_t f = 0; (family = xpbd_scene_list(f)); f++)
            refused(names[k], family->name);
        refused(names[k], "-scrambled");
    }
}

static void test_sizes_out_of_range_give_the_range(void **state)
{
    (void)state;
    const xpbd_scene_family *family;
    for (uint32_t f = 0; (family = xpbd_scene_list(f)); f++) {
        const unsigned long long wrong[] = {0, family->smallest - 1ull, family->largest + 1ull,
                                            4294967296ull + family->smallest, UINT64_MAX};
        char name[80], range[64];
        (void)snprintf(range, sizeof range, "range, %u to %u", family->smallest, family->largest);
        for (size_t k = 0; k < COUNT_OF(wrong); k++) {
            (void)snprintf(name, sizeof name, "%s-%llu", family->name, wrong[k]);
            refused(name, range);
        }
        /* 2^64 + 4 and worse */
        (void)snprintf(name, sizeof name, "%s-18446744073709551620-scrambled", family->name);
        refused(name, range);
        (void)snprintf(name, sizeof name, "%s-99999999999999999999999999999999999999999",
                       family->name);
        refused(name, range);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_names_list_the_known),
        cmocka_unit_test(test_sizes_out_of_range_give_the_range),
    };
    return RUN_GROUP("scene_names", tests);
}
