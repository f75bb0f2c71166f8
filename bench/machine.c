/* SPDX-License-Identifier: MIT
 *
 * What can be read about the machine, cut down to what does not tell whose it is.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/topology.h"
#include "bench/context.h"
#include "bench/text.h"

/* Value of the first line "key : value" of a text; null if there is none. */
static char *value_of(const char *text, const char *key)
{
    for (const char *line = text; line != NULL && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const size_t length = strlen(key);
        if (strncmp(line, key, length) != 0)
            continue;
        const char *rest = line + length + strspn(line + length, " \t");
        if (*rest != ':')
            continue;
        rest += 1 + strspn(rest + 1, " \t");
        const int n = (int)strcspn(rest, "\n");
        return n > 0 ? bench_print("%.*s", n, rest) : NULL;
    }
    return NULL;
}

char *bench_cpu_model(void)
{
    static const char *const KEYS[] = {"model name", "Model",    "cpu model", "cpu",
                                       "uarch",      "Hardware", NULL};
    char *cpuinfo = bench_read_file("/proc/cpuinfo");
    char *model = NULL;
    for (int i = 0; cpuinfo != NULL && model == NULL && KEYS[i] != NULL; i++)
        model = value_of(cpuinfo, KEYS[i]);
    if (cpuinfo != NULL && model == NULL) { /* ARM servers have numbers only */
        char *maker = value_of(cpuinfo, "CPU implementer");
        char *part = value_of(cpuinfo, "CPU part");
        if (maker != NULL && part != NULL)
            model = bench_print("ARM implementer %s part %s", maker, part);
        free(maker);
        free(part);
    }
    free(cpuinfo);
    return model != NULL ? model : bench_strdup("unknown");
}

char *bench_host_kind(void)
{
    char *cpuinfo = bench_read_file("/proc/cpuinfo");
    const bool machine = cpuinfo != NULL && strstr(cpuinfo, " hypervisor") != NULL;
    free(cpuinfo);
    const bool container = access("/.dockerenv", F_OK) == 0 ||
                           access("/run/.containerenv", F_OK) == 0 ||
                           access("/run/systemd/container", F_OK) == 0;
    const uint32_t quota = xpbd_topology_system_limits().n_quota;
    bench_text text = {0};
    bench_text_add(&text, "%s%s", machine ? "virtual machine" : "no hypervisor seen",
                   container ? ", in a container" : "");
    if (quota > 0)
        bench_text_add(&text, ", quota of %u processor%s", quota, quota == 1 ? "" : "s");
    return text.data;
}

char *bench_allowed_cpus(void)
{
    xpbd_topology_mask mask;
    xpbd_topology_save_mask(&mask);
    const int n = 64 * XPBD_TOPOLOGY_MASK_WORDS;
    bench_text text = {0};
    for (int i = 0; mask.ok && i < n; i++) {
        if ((mask.word[i / 64] >> (i % 64) & 1) == 0)
            continue;
        int last = i;
        while (last + 1 < n && (mask.word[(last + 1) / 64] >> ((last + 1) % 64) & 1) != 0)
            last++;
        bench_text_add(&text, last > i ? "%s%d-%d" : "%s%d", text.length ? "," : "", i, last);
        i = last;
    }
    return text.data != NULL ? text.data : bench_strdup("unknown");
}

static void take_xml(void *user, const char *text, size_t length)
{
    *(char **)user = bench_print("%.*s", (int)length, text);
}

/* Whether a line is an <info> that tells which machine, process or user it was. */
static bool is_private(const char *line, size_t length)
{
    static const char *const NAMES[] = {"HostName", "Serial",      "UUID",
                                        "AssetTag", "ProcessName", "LinuxCgroup"};
    char copy[256];
    snprintf(copy, sizeof copy, "%.*s", (int)(length < 255 ? length : 255), line);
    if (strstr(copy, "<info name=") == NULL)
        return false;
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (strstr(copy, NAMES[i]) != NULL)
            return true;
    return false;
}

char *bench_topology_xml(void)
{
    char *xml = NULL;
    if (!xpbd_topology_export_xml(take_xml, &xml) || xml == NULL)
        return bench_strdup("unavailable");
    bench_text kept = {0};
    for (const char *line = xml; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        if (!is_private(line, length))
            bench_text_add(&kept, "%.*s", (int)length, line);
        line += length;
    }
    free(xml);
    return kept.data != NULL ? kept.data : bench_strdup("unavailable");
}
