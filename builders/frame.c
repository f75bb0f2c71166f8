/* SPDX-License-Identifier: MIT
 *
 * The frame around a build: options, memory, refusals. A result is filled whatever happens, as it
 * is the only place where a repair is told.
 */
#include "builders/builder.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { COOKIE = 0x58504242 };

xpbd_build_options xpbd_builder_options(void)
{
    return (xpbd_build_options){.cookie = COOKIE, .tether_factor = 1.0f, .damping_frequency = 1.0f};
}

xpbd_status xpbd_builder_fail(xpbd_builder *builder, xpbd_status status, uint64_t element,
                              double value, const char *format, ...)
{
    xpbd_error *error = &builder->built->error;
    *error = (xpbd_error){.status = status, .type = -1, .element = element, .value = value};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

xpbd_status xpbd_builder_no_memory(xpbd_builder *builder)
{
    return xpbd_builder_fail(builder, XPBD_ERROR_MEMORY, 0, 0.0, "no memory to build in");
}

xpbd_status xpbd_builder_check(xpbd_builder *builder, xpbd_status status, const char *name,
                               double value, double low, double high)
{
    if (value >= low && value <= high)
        return XPBD_OK;
    return xpbd_builder_fail(builder, status, 0, value, "%s is %g, which is not in [%g, %g]", name,
                             value, low, high);
}

static xpbd_status check_options(xpbd_builder *builder)
{
    const xpbd_build_options *options = builder->options;
    if (options->cookie != COOKIE)
        return xpbd_builder_fail(builder, XPBD_ERROR_COOKIE, 0, options->cookie,
                                 "the definition was not made by its default function");
    const xpbd_status status = XPBD_ERROR_BUILD_OPTION;
    for (uint32_t i = 0; i < XPBD_FAULT_COUNT; i++)
        XPBD_TRY(xpbd_builder_check(builder, status, "a policy", options->policy[i], 0,
                                    XPBD_FAULT_POLICY_COUNT - 1));
    XPBD_TRY(xpbd_builder_check(builder, status, "weld_distance", (double)options->weld_distance,
                                0.0, FLT_MAX));
    XPBD_TRY(xpbd_builder_check(builder, status, "tether_factor", (double)options->tether_factor,
                                1.0, FLT_MAX));
    XPBD_TRY(xpbd_builder_check(builder, status, "damping_ratio", (double)options->damping_ratio,
                                0.0, FLT_MAX));
    return xpbd_builder_check(builder, status, "damping_frequency",
                              (double)options->damping_frequency, FLT_MIN, FLT_MAX);
}

xpbd_status xpbd_builder_open(xpbd_builder *builder, const xpbd_build_options *options)
{
    fegetenv(&builder->caller);
    fesetenv(FE_DFL_ENV);
    xpbd_built *built = builder->built;
    memset(built, 0, sizeof *built);
    built->error.type = -1;
    for (uint32_t i = 0; i < XPBD_FAULT_COUNT; i++)
        built->report.first[i] = UINT32_MAX;
    builder->options = options;
    xpbd_memory_init(&builder->memory, options->cookie == COOKIE ? options->allocator : NULL);
    builder->arena.memory = &builder->memory;
    if (!builder->mesh)
        return xpbd_builder_fail(builder, XPBD_ERROR_NULL, 0, 0.0, "the mesh is null");
    return check_options(builder);
}

xpbd_builder_batch *xpbd_builder_batch_of(xpbd_builder *builder, xpbd_built_range *range,
                                          xpbd_constraint_type type, uint32_t count)
{
    xpbd_builder_batch *batch = &builder->batches[builder->n_batches];
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    *range = (xpbd_built_range){.type = type, .count = count};
    batch->range = range;
    batch->width = info->n_particles;
    batch->particles =
        xpbd_arena_alloc(&builder->arena, count, info->n_particles * sizeof *batch->particles);
    batch->rest = xpbd_arena_alloc(&builder->arena, count, info->n_rest * sizeof *batch->rest);
    batch->compliance = xpbd_arena_alloc(&builder->arena, count, sizeof *batch->compliance);
    if (builder->arena.failed)
        return NULL;
    builder->n_batches++;
    return batch;
}

static void clear_range(xpbd_built_range *range)
{
    range->first = 0;
    range->count = 0;
}

xpbd_status xpbd_builder_close(xpbd_builder *builder, xpbd_status status)
{
    xpbd_arena_free(&builder->arena);
    xpbd_built *built = builder->built;
    if (status != XPBD_OK) {
        built->first_particle = 0;
        built->n_particles = 0;
        clear_range(&built->stretch);
        clear_range(&built->bend);
        clear_range(&built->volume);
        clear_range(&built->tethers);
    }
    fesetenv(&builder->caller);
    return status;
}
