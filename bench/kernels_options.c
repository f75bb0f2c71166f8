/* SPDX-License-Identifier: MIT */
#include "bench/kernels_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/arguments.h"
#include "kernel/kernel.h"
#include "xpbd/xpbd.h"

enum { SIZE_MAX_ELEMENTS = 10000000, REPEATS_MAX = 10000 };

static const struct {
    const char *name;
    unsigned bits;
    const char *text;
} VARIANTS[] = {
    {"plain", 0, "an iteration of XPBD but for the first of a substep"},
    {"first", XPBD_VARIANT_FIRST, "the first of a substep: lambda is 0 and not read"},
    {"damped", XPBD_VARIANT_DAMPED, "with damping"},
    {"stiff", XPBD_VARIANT_STIFF, "with a factor on the correction: PBD's stiffness, or switches"},
};
enum { N_VARIANTS = sizeof VARIANTS / sizeof VARIANTS[0] };

static const char *variant_name(uint32_t index)
{
    return index < N_VARIANTS ? VARIANTS[index].name : NULL;
}

static const char *variant_text(uint32_t index)
{
    return VARIANTS[index].text;
}

const bench_axis bench_axis_variant = {"variant", "variants", variant_name, NULL};

unsigned bench_variant_bits(const char *name)
{
    size_t i = 0;
    while (i + 1 < N_VARIANTS && strcmp(VARIANTS[i].name, name) != 0)
        i++;
    return VARIANTS[i].bits;
}

/* ---- the options, one row each */

static bool set_quick(void *to, const char *option, const char *value)
{
    bench_kernels_options *options = to;
    (void)option, (void)value;
    options->quick = true;
    return true;
}

static bool set_types(void *to, const char *option, const char *value)
{
    bench_kernels_options *options = to;
    return bench_argument_names(&bench_axis_type, option, value, &options->types);
}

static bool set_layouts(void *to, const char *option, const char *value)
{
    bench_kernels_options *options = to;
    return bench_argument_names(&bench_axis_layout, option, value, &options->layouts);
}

static bool set_isas(void *to, const char *option, const char *value)
{
    bench_kernels_options *options = to;
    return bench_argument_names(&bench_axis_isa, option, value, &options->isas);
}

static bool set_variants(void *to, const char *option, const char *value)
{
    bench_kernels_options *options = to;
    return bench_argument_names(&bench_axis_variant, option, value, &options->variants);
}

static bool set_size(void *to, const char *option, const char *value)
{
    bench_kernels_options *options = to;
    return bench_argument_count(option, value, SIZE_MAX_ELEMENTS, &options->size);
}

static bool set_repeats(void *to, const char *option, const char *value)
{
    bench_kernels_options *options = to;
    return bench_argument_count(option, value, REPEATS_MAX, &options->repeats);
}

static bool set_out(void *to, const char *option, const char *value)
{
    bench_kernels_options *options = to;
    return bench_argument_path(option, value, "folder", &options->out);
}

static bool set_list(void *to, const char *option, const char *value)
{
    bench_kernels_options *options = to;
    (void)option, (void)value;
    options->list = true;
    return true;
}

static bool set_help(void *to, const char *option, const char *value)
{
    bench_kernels_options *options = to;
    (void)option, (void)value;
    options->help = true;
    return true;
}

static const bench_argument ROWS[] = {
    {"--quick", NULL, "fewer samples", set_quick},
    {"--types", "a,b", "only these constraint types; default all, --list has them", set_types},
    {"--layouts", "a,b", "only these; default all", set_layouts},
    {"--isas", "a,b", "only these; default all that this processor has", set_isas},
    {"--variants", "a,b", "kinds of iteration: plain (default), first, damped, stiff",
     set_variants},
    {"--size", "N", "constraints, or elements of large ones, at least; default 20000", set_size},
    {"--repeats", "N", "samples per row; default 61, quick 15", set_repeats},
    {"--out", "DIR", "folder of the result file; default results/ in the source tree", set_out},
    {"--list", NULL, "name everything that can be chosen, and stop", set_list},
    {"--help", NULL, "print this, and stop", set_help},
};
enum { N_ROWS = sizeof ROWS / sizeof ROWS[0] };

void bench_kernels_options_help(void)
{
    puts("Measure the kernel of each constraint type by itself: on one thread, in the order of a\n"
         "coloring, on a mesh that fits the second-level cache. What a step does besides the "
         "kernels\n"
         "is not in these figures; //bench:all has that.\n"
         "\n"
         "usage: bazel run //bench:kernels -- [options]  (--option value or --option=value)\n");
    bench_arguments_print(ROWS, N_ROWS);
    puts("\n"
         "A table goes to standard output, the results to a file of Google Benchmark's format.\n"
         "Ctrl-C ends early and keeps what was measured; a second one ends at once.\n"
         "Exit code: 0 fine, 1 state hashes differ or a row failed, 2 refused, 130 interrupted.");
}

static const char *type_text(uint32_t index)
{
    return xpbd_constraint_type_info((xpbd_constraint_type)index)->source;
}

void bench_kernels_options_list(void)
{
    bench_axis_print(&bench_axis_type, type_text);
    bench_axis_print(&bench_axis_layout, NULL);
    bench_axis_print(&bench_axis_isa, NULL);
    bench_axis_print(&bench_axis_variant, variant_text);
}

bool bench_kernels_options_parse(bench_kernels_options *options, int argc, char **argv)
{
    *options = (bench_kernels_options){.size = 20000};
    if (!bench_arguments_parse(ROWS, N_ROWS, options, argc, argv))
        return false;
    if (options->types.n == 0)
        bench_axis_all(&bench_axis_type, &options->types);
    if (options->layouts.n == 0)
        bench_axis_all(&bench_axis_layout, &options->layouts);
    if (options->isas.n == 0)
        bench_axis_all(&bench_axis_isa, &options->isas);
    if (options->variants.n == 0)
        bench_list_add(&options->variants, VARIANTS[0].name);
    return true;
}

void bench_kernels_options_free(bench_kernels_options *options)
{
    bench_list_free(&options->types);
    bench_list_free(&options->layouts);
    bench_list_free(&options->isas);
    bench_list_free(&options->variants);
    free(options->out);
}
