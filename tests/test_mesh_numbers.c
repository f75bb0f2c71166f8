/* SPDX-License-Identifier: MIT
 *
 * Proves that numbers in mesh files are read exactly, in every locale, and that what is no finite
 * decimal number is refused.
 */
#define _POSIX_C_SOURCE 200809L /* setenv, uselocale */

#include "support_mesh.h"

#include <locale.h>

/* glibc does not give back its list of folders after LOCPATH was used. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:argz_add_sep";
}

static const char comma_locale[] = "comment_char %\nescape_char /\nLC_NUMERIC\n"
                                   "decimal_point \"<U002C>\"\nthousands_sep \"<U002E>\"\n"
                                   "grouping 3;3\nEND LC_NUMERIC\n";

/* The system may have no such locale, so one is made. */
static bool use_comma_locale(void)
{
    char command[2048];
    kit_write(kit_temporary("comma.src"), comma_locale, strlen(comma_locale));
    (void)snprintf(command, sizeof command, "localedef -c -i '%s' '%s' >/dev/null 2>&1",
                   kit_temporary("comma.src"), kit_temporary("comma"));
    (void)!system(command);
    assert_int_equal(setenv("LOCPATH", kit_temporary("."), 1), 0);
    static const char *const names[] = {"comma", "de_DE.UTF-8", "fr_FR.UTF-8"};
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        if (setlocale(LC_NUMERIC, names[k]) && localeconv()->decimal_point[0] == ',')
            return true;
    }
    return false;
}

static void test_F06_comma_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"f06.obj", "f06.node", "f06.msh"};
    static const char *const texts[] = {
        "v 0.5 1.25 -3.75\nv 1e-1 0 0\nv 0 1.5 0\nf 1 2 3\n",
        "4 3 0 0\n0 0.5 1.25 -3.75\n1 1e-1 0 0\n2 0 1.5 0\n3 1 1 1.0\n",
        ("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0.5 1.25 -3.75\n2 1e-1 0 0\n"
         "3 0 1.5 0\n$EndNodes\n$Elements\n1\n1 2 0 1 2 3\n$EndElements\n")};
    static const float want[] = {0.5f, 1.25f, -3.75f, 0.1f, 0.0f, 0.0f, 0.0f, 1.5f, 0.0f};
    if (!use_comma_locale())
        skip();
    char number[16];
    (void)snprintf(number, sizeof number, "%.1f", 0.5);
    assert_string_equal(number, "0,5");
    kit_write(kit_temporary("f06.ele"), "1 4 0\n0 0 1 2 3\n", 16);
    locale_t threads = newlocale(LC_NUMERIC_MASK, setlocale(LC_NUMERIC, NULL), (locale_t)0);
    assert_true(threads != (locale_t)0);
    for (size_t k = 0; k < 6; k++) {
        /* First the locale of the process, then one of this thread. */
        (void)uselocale(k < 3 ? LC_GLOBAL_LOCALE : threads);
        locale_t before = uselocale((locale_t)0);
        xpbd_mesh mesh = kit_mesh(names[k % 3], texts[k % 3]);
        assert_same_floats(mesh.points, want, 9);
        xpbd_mesh_free(&mesh);
        kit_refused("f06.obj", "v 0,5 0 0\n", 1, "'0,5' is not a finite decimal number");
        assert_true(uselocale((locale_t)0) == before);
        (void)snprintf(number, sizeof number, "%.1f", 0.5);
        assert_string_equal(number, "0,5");
    }
    (void)uselocale(LC_GLOBAL_LOCALE);
    freelocale(threads);
    assert_non_null(setlocale(LC_NUMERIC, "C"));
}

/* One value per row: as the compiler reads it, to double and then to float. */
static void test_F18_numbers_are_rounded_twice_to_nearest(void **state)
{
    (void)state;
#define NUMBER(x)                                                                                  \
    {                                                                                              \
#x, (float)x                                                                               \
    }
    static const struct {
        const char *text;
        float want;
    } rows[] = {NUMBER(0.1),
                NUMBER(-1.0329299999999999),
                NUMBER(16777217.0),
                NUMBER(.5),
                NUMBER(5.),
                NUMBER(1.00000005960464477539062500001),
                NUMBER(3.4028e38),
                NUMBER(1.401298464e-45),
                NUMBER(1e-320),
                NUMBER(1E+2),
                NUMBER(12345678901234567890123456789.0),
                NUMBER(0.00000000000000000000000000000000000000000000000000000000000000001e60),
                NUMBER(7.0064923216240853546186479164495e-46),
                NUMBER(1.17549435e-38)};
#undef NUMBER
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        char text[256];
        (void)snprintf(text, sizeof text, "v %s 0 0\nv +3 -0 1\nl 1 2\n", rows[k].text);
        xpbd_mesh mesh = kit_mesh("f18.obj", text);
        assert_same_floats(mesh.points, &rows[k].want, 1);
        xpbd_mesh_free(&mesh);
    }
}

static void test_F18_numbers_that_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"nan",    "NaN",  "-nan(1)", "inf",  "-Infinity", "0x10",
                                      "1.5abc", "1..2", "1e",      "1e+",  ".",         "-",
                                      "1,5",    "--1",  "1_000",   "1e5.0"};
    for (size_t k = 0; k < COUNT_OF(bad); k++) {
        char text[256];
        (void)snprintf(text, sizeof text, "# a comment\nv %s 0 0\n", bad[k]);
        kit_refused("f18.obj", text, 2, "is not a finite decimal number");
        (void)snprintf(text, sizeof text, "v 0 0 0\nv 0 0 %s\n", bad[k]);
        kit_refused("f18.obj", text, 2, bad[k]);
        (void)snprintf(text, sizeof text, "v 0 0 0 %s\n", bad[k]);
        kit_refused("f18.obj", text, 1, "weight");
    }
    kit_refused("f18.obj", "v 1e400 0 0\n", 1, "too large");
    kit_refused("f18.obj", "v 0 -3.5e38 0\n", 1, "too large");
    kit_refused("f18.obj", "v 0 0 3.4028235677973367e38\n", 1, "too large");
    kit_refused("f18.obj", "v 0 0 1e99999999999999999999\n", 1, "too large");
    kit_refused("f18.obj", "v 0 0 0\nv 1 2\n", 2, "coordinate z is missing");
    kit_refused("f18.obj", "v\n", 1, "coordinate x is missing");
    kit_refused("f18.obj", "v 1 2 3 4 5\n", 1, "5 numbers");
    kit_refused("f18.obj", "v 1 2 3 4 5 6 7 8\n", 1, "8 numbers");
}

static void test_F18_weight_and_colour_are_left(void **state)
{
    (void)state;
    static const float want[] = {1.0f, 2.0f, 3.0f};
    static const char *const extra[] = {"", " 1.0", " .1 .2 .3", " 1 .1 .2 .3"};
    for (size_t k = 0; k < COUNT_OF(extra); k++) {
        char text[128];
        (void)snprintf(text, sizeof text, "v 1 2 3%s\nv 0 0 0\nl 1 2\n", extra[k]);
        xpbd_mesh mesh = kit_mesh("f18.obj", text);
        assert_same_floats(mesh.points, want, 3);
        xpbd_mesh_free(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_F06_comma_locale),
        cmocka_unit_test(test_F18_numbers_are_rounded_twice_to_nearest),
        cmocka_unit_test(test_F18_numbers_that_are_refused),
        cmocka_unit_test(test_F18_weight_and_colour_are_left),
    };
    return RUN_GROUP("mesh_numbers", tests);
}
