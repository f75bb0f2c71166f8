/* SPDX-License-Identifier: MIT */
#include "bench/extra.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/text.h"

bench_extra *bench_extras_add(bench_extras *extras, uint32_t threads, const char *format, ...)
{
    extras->items = bench_realloc(extras->items, extras->n + 1, sizeof *extras->items);
    bench_extra *extra = &extras->items[extras->n++];
    *extra = (bench_extra){.threads = threads};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(extra->name, sizeof extra->name, format, arguments);
    va_end(arguments);
    return extra;
}

void bench_extra_count(bench_extra *extra, const char *name, double value)
{
    if (extra->n_counters < BENCH_EXTRA_COUNTERS)
        extra->counters[extra->n_counters++] = (gbench_counter){name, value};
}

void bench_extras_free(bench_extras *extras)
{
    for (size_t i = 0; i < extras->n; i++)
        free(extras->items[i].samples);
    free(extras->items);
    *extras = (bench_extras){0};
}
