/* SPDX-License-Identifier: MIT */
#include "bench/memory_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/text.h"

/* The number in the first line of a file of the control group; UINT64_MAX for "max" or no file. */
static uint64_t read_number(const char *path)
{
    char *text = bench_read_file(path);
    uint64_t number = UINT64_MAX;
    if (text != NULL && text[0] >= '0' && text[0] <= '9')
        number = strtoull(text, NULL, 10);
    free(text);
    return number;
}

static uint64_t available(void)
{
    char *text = bench_read_file("/proc/meminfo");
    const char *line = text ? strstr(text, "MemAvailable:") : NULL;
    const uint64_t kib = line ? strtoull(line + strlen("MemAvailable:"), NULL, 10) : 1u << 20;
    free(text);
    return kib * 1024;
}

uint64_t bench_memory_budget(void)
{
    static const char *const FILES[2][2] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
         "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
    };
    uint64_t left = available();
    for (int i = 0; i < 2; i++) {
        const uint64_t limit = read_number(FILES[i][0]), used = read_number(FILES[i][1]);
        if (limit != UINT64_MAX && used <= limit && limit - used < left)
            left = limit - used;
    }
    const uint64_t least = UINT64_C(256) << 20;
    return left / 2 > least ? left / 2 : least;
}
