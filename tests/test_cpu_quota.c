/* SPDX-License-Identifier: MIT
 *
 * Control group quotas, read from made-up trees of files.
 */
#define _GNU_SOURCE /* mkdtemp() */
#include "base/topology.h"
#include "tests/support.h"

#include <sys/stat.h>

static char quota_root[] = "/tmp/xpbd_quota_XXXXXX";

static void put(const char *name, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", quota_root, name);
    if (!text) {
        assert_int_equal(mkdir(path, 0700), 0);
        return;
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static uint32_t quota(const char *membership)
{
    char path[256];
    put("membership", membership);
    (void)snprintf(path, sizeof path, "%s/membership", quota_root);
    return xpbd_topology_quota(path, quota_root);
}

static void test_quota_of_every_ancestor_counts(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(quota_root));
    put("a", NULL), put("a/b", NULL);
    put("a/c", NULL);
    put("a/c/cpu.max", "100000 100000\n");
    put("cpu,cpuacct", NULL), put("cpu,cpuacct/job", NULL);
    put("a/cpu.max", "250000 100000\n");
    put("a/b/cpu.max", "max 100000\n");
    put("cpu,cpuacct/job/cpu.cfs_quota_us", "400000\n");
    put("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    put("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put("cpu,cpuacct/cpu.cfs_period_us", "100000\n");

    assert_int_equal(quota("0::/\n"), 0);
    assert_int_equal(quota("0::/a/b\n"), 3);
    assert_int_equal(quota("0::/a/c\n"), 1);
    assert_int_equal(quota("7:cpuset:/job\n4:cpu,cpuacct:/job\n"), 4);
    assert_int_equal(quota("7:cpuset:/job\n4:cpu,cpuacct:/\n"), 0);
    assert_int_equal(quota("4:cpu,cpuacct:/job\n0::/a\n"), 3);
    /* In a container the path is the host's and does not exist: the mount itself counts. */
    put("cpu.max", "50000 100000\n");
    assert_int_equal(quota("0::/host/path\n"), 1);
    put("cpu.max", "999999999999999999999 1\n");
    assert_int_equal(quota("0::/\n"), XPBD_THREADS_MAX);
    put("cpu.max", "rubbish\n");
    assert_int_equal(quota("0::/\n0\n:\n::\n\n"), 0);
    assert_int_equal(xpbd_topology_quota("/nonexistent", quota_root), 0);

    char command[300];
    (void)snprintf(command, sizeof command, "rm -r '%s'", quota_root);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quota_of_every_ancestor_counts),
    };
    return RUN_GROUP("cpu_quota", tests);
}
