/* SPDX-License-Identifier: MIT
 *
 * Proves that a snapshot in a file is replaced as a whole, keeps links and permissions, leaves
 * nothing else in the folder, and that errors name the file and the system's reason.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp() */

#include "support_zoo.h"

#include <sys/stat.h>
#include <unistd.h>

static void check_file_error(const xpbd_world *w, const char *path, const char *reason)
{
    const char *text = xpbd_world_error(w)->text;
    path += strlen(path) > 100 ? strlen(path) - 100 : 0; /* long ones are cut in front */
    if (!strstr(text, path) || !strstr(text, reason))
        fail_msg("expected \"%s\" and \"%s\" in \"%s\"", path, reason, text);
}

static void test_files(void **state)
{
    char folder[256], path[300], link[300], command[700];
    const char *tmp = getenv("TEST_TMPDIR");
    struct stat info;
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_zoo(&def, true, NULL), *other = kit_create(&def);
    (void)state;
    snprintf(folder, sizeof folder, "%s/snapshot-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/world", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    assert_status(xpbd_world_load_file(other, path), XPBD_ERROR_FILE);
    check_file_error(other, path, "No such file");
    assert_ok(xpbd_world_save_file(w, path));
    assert_ok(xpbd_world_load_file(other, path));
    kit_same_worlds(other, w, "from a file");
    /* Replaced through a link, which stays one, with the permissions that it had. */
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(symlink(path, link), 0);
    kit_steps(w, 1, 0.01);
    assert_ok(xpbd_world_save_file(w, link));
    assert_ok(xpbd_world_load_file(other, path));
    kit_same_worlds(other, w, "from a file that was replaced");
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    /* No folder, a folder, and a file cut short. */
    assert_status(xpbd_world_save_file(w, folder), XPBD_ERROR_FILE);
    check_file_error(w, folder, "directory");
    assert_status(xpbd_world_load_file(other, folder), XPBD_ERROR_FILE);
    assert_int_equal(truncate(path, info.st_size - 4), 0);
    assert_status(xpbd_world_load_file(other, path), XPBD_ERROR_SNAPSHOT);
    kit_same_worlds(other, w, "after a refusal");
    snprintf(command, sizeof command, "%s/none/world", folder);
    assert_status(xpbd_world_save_file(w, command), XPBD_ERROR_FILE);
    check_file_error(w, command, "No such file");
    /* Nothing else is left in the folder. */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(rmdir(folder), 0);
    xpbd_world_destroy(w);
    xpbd_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
    };
    return RUN_GROUP("snapshot_files", tests);
}
