/* SPDX-License-Identifier: MIT
 *
 * How much processor time the control group grants. A container with 64 processors in its mask and
 * a quota of 2 runs 64 threads in bursts, and every barrier waits for the slice of the slowest.
 */
#include "base/topology.h"

#include <stdio.h>
#include <string.h>

/* Lower *quota to what <folder>/<path> allows, in processors rounded up. */
static void apply_quota(const char *folder, const char *path, uint32_t *quota)
{
    char name[1024], text[64] = "";
    double limit = -1, period = -1;
    if (snprintf(name, sizeof name, "%s%s/cpu.max", folder, path) >= (int)sizeof name)
        return;
    FILE *file = fopen(name, "r");
    if (file) { /* version 2: "max 100000" or "150000 100000" */
        if (fgets(text, sizeof text, file) && sscanf(text, "%lf %lf", &limit, &period) != 2)
            limit = -1;
        (void)fclose(file);
    } else {
        static const char *const FILES[2] = {"cpu.cfs_quota_us", "cpu.cfs_period_us"};
        for (int i = 0; i < 2; i++) {
            if (snprintf(name, sizeof name, "%s%s/%s", folder, path, FILES[i]) >= (int)sizeof name)
                return;
            file = fopen(name, "r");
            if (!file)
                return;
            if (fscanf(file, "%lf", i ? &period : &limit) != 1)
                limit = -1;
            (void)fclose(file);
        }
    }
    if (!(limit > 0 && period > 0))
        return;
    const double n = limit / period < XPBD_THREADS_MAX ? limit / period : XPBD_THREADS_MAX;
    uint32_t whole = (uint32_t)n;
    whole += whole < n;
    if (*quota == 0 || whole < *quota)
        *quota = whole;
}

/* The group and all its ancestors up to the mount: inside a container the path may be the host's,
 * and then only the mount itself is there. */
static void apply_quotas(const char *folder, const char *group, uint32_t *quota)
{
    char path[512];
    if (snprintf(path, sizeof path, "%s", group) >= (int)sizeof path)
        path[0] = '\0';
    for (;;) {
        apply_quota(folder, path, quota);
        char *slash = strrchr(path, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

uint32_t xpbd_topology_quota(const char *membership, const char *mount)
{
    uint32_t quota = 0;
    char line[1024], folder[1024];
    FILE *file = fopen(membership, "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file)) { /* 4:cpu,cpuacct:/group or 0::/group */
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *controllers++ = '\0';
        *group++ = '\0';
        const bool unified = controllers[0] == '\0';
        if (!unified && strcmp(controllers, "cpu") != 0 && strncmp(controllers, "cpu,", 4) != 0 &&
            strstr(controllers, ",cpu") == NULL)
            continue;
        const char *const folders[2] = {unified ? "" : controllers, unified ? "unified" : "cpu"};
        for (int i = 0; i < 2; i++)
            if (snprintf(folder, sizeof folder, "%s%s%s", mount, folders[i][0] ? "/" : "",
                         folders[i]) < (int)sizeof folder)
                apply_quotas(folder, group, &quota);
    }
    (void)fclose(file);
    return quota;
}
