/* SPDX-License-Identifier: MIT
 *
 * Proves that no file makes the mesh readers crash, leak or hand out a broken mesh: files that are
 * not there, random damage to good ones, and memory that runs out.
 */
#define _POSIX_C_SOURCE 200809L /* mkdir, truncate */

#include "support_memory.h"
#include "support_mesh.h"

#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "tests/data/mesh/"

static void test_F20_what_is_no_file(void **state)
{
    (void)state;
    const char *path = kit_temporary("folder.obj");
    kit_refused_file("/", "/", 0, "is a directory");
    (void)mkdir(path, 0777);
    kit_refused_file(path, path, 0, "is a directory");
    path = kit_temporary("missing.obj");
    kit_refused_file(path, path, 0, "no such file");
    kit_refused_file("/dev/null/x.obj", "/dev/null/x.obj", 0, "no such file");
    kit_refused_file("/dev/null", "/dev/null", 0, "is not a regular file");
    path = kit_temporary("empty.msh");
    kit_write(path, "", 0);
    kit_refused_file(path, path, 0, "is empty");
    path = kit_temporary("fifo.obj");
    (void)unlink(path);
    assert_int_equal(mkfifo(path, 0666), 0);
    kit_refused_file(path, path, 0, "is not a regular file");
    path = kit_temporary("large.obj");
    kit_write(path, "v 0 0 0\n", 8);
    if (!truncate(path, (off_t)1 << 40))
        kit_refused_file(path, path, 0, "is too large");
    (void)unlink(path);
}

static void test_F20_permission_denied(void **state)
{
    (void)state;
    const char *path = kit_temporary("secret.obj");
    kit_write(path, "v 0 0 0\n", 8);
    assert_int_equal(chmod(path, 0), 0);
    if (!access(path, R_OK))
        skip(); /* the super-user may read everything */
    kit_refused_file(path, path, 0, "permission denied");
}

static void test_F20_one_byte_and_other_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"one.obj", "one.node", "one.msh"};
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        for (int byte = 0; byte < 256; byte++) {
            xpbd_mesh mesh;
            char error[600];
            char c = (char)byte;
            kit_write(kit_temporary(names[k]), &c, 1);
            assert_false(xpbd_mesh_read(kit_temporary(names[k]), &mesh, error, sizeof error));
            assert_true(strlen(error) > 0);
        }
    }
    const char *path = kit_temporary("nul.obj");
    kit_write(path, "v 0 0 0\nv 1\0 0 0\n", 17);
    kit_refused_file(path, path, 2, "'1?' is not a finite decimal number");
    kit_write(path, "\xff\xfev\0 \0", 6);
    kit_refused_file(path, path, 0, "is UTF-16");
}

static void test_F20_long_lines_and_names(void **state)
{
    (void)state;
    size_t n = 1000000;
    char *text = malloc(2 * n + 100);
    assert_non_null(text);
    const char *path = kit_temporary("long.obj");
    /* A comment, a name and a number, each of a million characters. */
    size_t at = (size_t)sprintf(text, "#");
    memset(text + at, 'x', n);
    at += n;
    at += (size_t)sprintf(text + at, "\nv 0 0 0\nv 0.");
    memset(text + at, '3', n);
    at += n;
    at += (size_t)sprintf(text + at, "e0 0 0\nl 1 2\n");
    kit_write(path, text, at);
    xpbd_mesh mesh = kit_mesh_read(path);
    float third = 1.0f / 3.0f;
    assert_same_floats(mesh.points + 3, &third, 1);
    xpbd_mesh_free(&mesh);
    /* A face of too many corners. */
    at = (size_t)sprintf(text, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf");
    for (int k = 0; k < 5000; k++)
        at += (size_t)sprintf(text + at, " %d", k % 3 + 1);
    kit_write(path, text, at);
    kit_refused_file(path, path, 4, "more than 4096 corners");
    free(text);
    /* The line that says what is wrong fits any buffer. */
    kit_write(path, "v\n", 2);
    for (size_t size = 0; size < 80; size++) {
        char error[80];
        memset(error, '~', sizeof error);
        assert_false(xpbd_mesh_read(path, &mesh, error, size));
        assert_true(size == 0 || strlen(error) < size);
        assert_true(size == sizeof error || error[size] == '~');
    }
    assert_false(xpbd_mesh_read(path, &mesh, NULL, 100));
}

/* Bytes that mean something to one of the readers. */
static char random_byte(uint64_t *state)
{
    static const char common[] = "0123456789-+.eE/ \t\n\r\\#$vfl";
    uint64_t r = kit_random(state);
    return r % 4 ? common[r / 4 % (sizeof common - 1)] : (char)(r >> 32);
}

static size_t damage(char *bytes, size_t n, size_t room, uint64_t *state)
{
    uint64_t times = kit_random(state) % 4 + 1;
    for (uint64_t k = 0; k < times && n > 1; k++) {
        size_t at = kit_random(state) % n, length = kit_random(state) % 20 + 1;
        switch (kit_random(state) % 6) {
        case 0:
            bytes[at] = (char)(bytes[at] ^ 1 << kit_random(state) % 8);
            break;
        case 1:
            n = at;
            break;
        case 2:
            length = length < n - at ? length : n - at;
            memmove(bytes + at, bytes + at + length, n - at - length);
            n -= length;
            break;
        case 3:
            length = length < room - n ? length : room - n;
            memmove(bytes + at + length, bytes + at, n - at);
            for (size_t i = 0; i < length; i++)
                bytes[at + i] = random_byte(state);
            n += length;
            break;
        default:
            bytes[at] = random_byte(state);
        }
    }
    return n;
}

/* Read `path` with `damaged`, which is one of its files, damaged in many ways. */
static void fuzz(const char *original, const char *damaged, const char *path, uint64_t seed)
{
    size_t n = 0, n_read = 0, n_rounds = 3000;
    char *bytes = kit_load(original, &n);
    char *copy = malloc(n + 200);
    assert_non_null(copy);
    for (size_t round = 0; round < n_rounds; round++) {
        uint64_t state = seed * 1000000 + round;
        char error[600];
        xpbd_mesh mesh;
        memcpy(copy, bytes, n);
        kit_write(damaged, copy, damage(copy, n, n + 200, &state));
        if (xpbd_mesh_read(path, &mesh, error, sizeof error)) {
            kit_check_mesh(&mesh);
            xpbd_mesh_free(&mesh);
            n_read++;
        } else if (!strstr(error, ": ") || strpbrk(error, "\r\n") || error[0] != '/') {
            fail_msg("round %zu of %s: '%s' does not begin with a file", round, original, error);
        }
    }
    /* Both ways must have been gone, else this tests nothing. */
    if (n_read < n_rounds / 200 || n_read > n_rounds - n_rounds / 10)
        fail_msg("%zu of %zu damaged files %s were read", n_read, n_rounds, original);
    free(copy);
    free(bytes);
}

static void test_F20_random_damage_obj(void **state)
{
    (void)state;
    fuzz(FOLDER "plate.obj", kit_temporary("fuzz.obj"), kit_temporary("fuzz.obj"), 1);
}

static void copy_file(const char *from, const char *to)
{
    size_t n = 0;
    char *bytes = kit_load(from, &n);
    kit_write(to, bytes, n);
    free(bytes);
}

static void test_F20_random_damage_tetgen(void **state)
{
    (void)state;
    const char *nodes = kit_temporary("fuzz.node"), *tets = kit_temporary("fuzz.ele");
    copy_file(FOLDER "two_tets.ele", tets);
    fuzz(FOLDER "two_tets.node", nodes, nodes, 2);
    copy_file(FOLDER "two_tets.node", nodes);
    fuzz(FOLDER "two_tets.ele", tets, nodes, 3);
}

static void test_F20_random_damage_gmsh(void **state)
{
    (void)state;
    fuzz(FOLDER "two_tets_22.msh", kit_temporary("fuzz.msh"), kit_temporary("fuzz.msh"), 4);
    fuzz(FOLDER "two_tets_41.msh", kit_temporary("fuzz.msh"), kit_temporary("fuzz.msh"), 5);
}

static void test_F20_every_truncation(void **state)
{
    (void)state;
    static const char *const names[] = {"plate.obj", "two_tets_22.msh", "two_tets_41.msh"};
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        char original[64];
        size_t n = 0;
        (void)snprintf(original, sizeof original, FOLDER "%s", names[k]);
        char *bytes = kit_load(original, &n);
        const char *path = kit_temporary(names[k]);
        for (size_t length = 1; length < n; length++) {
            xpbd_mesh mesh;
            char error[600];
            kit_write(path, bytes, length);
            bool read = xpbd_mesh_read(path, &mesh, error, sizeof error);
            /* OBJ has no end; Gmsh's is its last word. */
            if (k > 0 && length < n - 1)
                assert_false(read);
            if (read)
                kit_check_mesh(&mesh);
            xpbd_mesh_free(&mesh);
        }
        free(bytes);
    }
}

static bool attempt(const void *path)
{
    xpbd_mesh mesh;
    char error[600];
    bool read = xpbd_mesh_read(path, &mesh, error, sizeof error);
    assert_true(read || strstr(error, "out of memory"));
    if (read)
        xpbd_mesh_free(&mesh);
    return read;
}

static void test_memory_that_runs_out(void **state)
{
    (void)state;
    static const char *const names[] = {FOLDER "plate.obj", FOLDER "two_tets.node",
                                        FOLDER "two_tets_22.msh", FOLDER "two_tets_41.msh"};
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        uint64_t n = kit_fail_each_allocation(attempt, names[k]);
        if (n == 0)
            skip();
        assert_true(n >= 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_F20_what_is_no_file),
        cmocka_unit_test(test_F20_permission_denied),
        cmocka_unit_test(test_F20_one_byte_and_other_bytes),
        cmocka_unit_test(test_F20_long_lines_and_names),
        cmocka_unit_test(test_F20_random_damage_obj),
        cmocka_unit_test(test_F20_random_damage_tetgen),
        cmocka_unit_test(test_F20_random_damage_gmsh),
        cmocka_unit_test(test_F20_every_truncation),
        cmocka_unit_test(test_memory_that_runs_out),
    };
    return RUN_GROUP("mesh_faults", tests);
}
