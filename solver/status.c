/* SPDX-License-Identifier: MIT
 *
 * Names and texts of statuses, the error record of a world, and the checks that all calls share.
 */
#include "solver/world.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *name, *text;
} rows[] = {
#define XPBD_STATUS(ID, text) {"XPBD_" #ID, text},
#include "xpbd/status.def"
#undef XPBD_STATUS
};

const char *xpbd_status_name(xpbd_status status)
{
    return (unsigned)status < XPBD_STATUS_COUNT ? rows[status].name : "unknown";
}

const char *xpbd_status_text(xpbd_status status)
{
    return (unsigned)status < XPBD_STATUS_COUNT ? rows[status].text : "no status of this library";
}

const xpbd_error *xpbd_world_error(const xpbd_world *world)
{
    static const xpbd_error null_world = {
        .status = XPBD_ERROR_NULL, .type = -1, .text = "the world is null"};
    return world ? world->error : &null_world;
}

xpbd_status xpbd_fail(const xpbd_world *world, xpbd_status status, int32_t type, uint64_t element,
                      double value, const char *format, ...)
{
    xpbd_error *error = world->error;
    error->status = status;
    error->type = type;
    error->element = element;
    error->value = value;
    size_t used = 0;
    if (type >= 0 && type < XPBD_CONSTRAINT_TYPE_COUNT) {
        const char *name = xpbd_constraint_type_info((xpbd_constraint_type)type)->name;
        used = (size_t)snprintf(error->text, sizeof error->text, "%s: ", name);
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text + used, sizeof error->text - used, format, arguments);
    va_end(arguments);
    for (char *c = error->text; *c; c++) {
        /* Names in it may be the caller's, or of a file: one line is promised all the same. */
        *c = (unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c;
    }
    xpbd_tell(world, XPBD_LOG_ERROR, "%s", error->text);
    return status;
}

void xpbd_tell(const xpbd_world *world, xpbd_log_level level, const char *format, ...)
{
    if (!world->log.write) {
        return;
    }
    char text[sizeof world->error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    world->log.write(world->log.user, level, text);
}

xpbd_status xpbd_check_outside(const xpbd_world *world)
{
    if (world->substep.inside) {
        return xpbd_fail(world, XPBD_ERROR_INSIDE_STEP, -1, world->substep.n_done, 0.0,
                         "called from inside a step, at the end of its substep %u",
                         world->substep.n_done);
    }
    return XPBD_OK;
}

xpbd_status xpbd_check_range(const xpbd_world *world, int32_t type, uint32_t first, uint32_t count,
                             uint32_t n, const char *what)
{
    if (first > n || count > n - first) {
        return xpbd_fail(world, XPBD_ERROR_RANGE, type, (uint64_t)first + count, (double)count,
                         "%s %u ... %llu, but there are %u", what, first,
                         (unsigned long long)first + count - (count > 0), n);
    }
    return XPBD_OK;
}

xpbd_status xpbd_check_present(const xpbd_world *world, int32_t type, uint32_t first,
                               uint32_t count)
{
    const xpbd_model *model = &world->model;
    const bool any = type < 0 ? model->n_removed > 0 : model->sets[type].n_removed > 0;
    for (uint32_t i = first; any && i < first + count; i++) {
        if (type < 0 ? xpbd_model_lacks(model, i) : xpbd_set_lacks(&model->sets[type], i)) {
            return xpbd_fail(world, XPBD_ERROR_REMOVED, type, i, 0.0, "%s %u was removed",
                             type < 0 ? "particle" : "constraint", i);
        }
    }
    return XPBD_OK;
}

xpbd_status xpbd_check_type(const xpbd_world *world, xpbd_constraint_type type)
{
    if ((unsigned)type >= XPBD_CONSTRAINT_TYPE_COUNT) {
        return xpbd_fail(world, XPBD_ERROR_TYPE, -1, 0, (double)type,
                         "%d is no constraint type; there are %d", (int)type,
                         (int)XPBD_CONSTRAINT_TYPE_COUNT);
    }
    return XPBD_OK;
}

xpbd_status xpbd_check_array(const xpbd_world *world, int32_t type, const void *array,
                             uint32_t count, uint32_t n, size_t *stride, const char *what)
{
    const size_t size = n * sizeof(float);
    if (!array) {
        return count == 0 ? XPBD_OK
                          : xpbd_fail(world, XPBD_ERROR_NULL, type, 0, 0.0, "%s is null", what);
    }
    if (*stride == XPBD_SAME) {
        *stride = 0;
    } else if (*stride == 0) {
        *stride = size;
    } else if (*stride < size) {
        return xpbd_fail(world, XPBD_ERROR_STRIDE, type, 0, (double)*stride,
                         "the stride of %s is %zu bytes, an element has %zu", what, *stride, size);
    } else if (*stride > SIZE_MAX / 2 / (count ? count : 1)) {
        return xpbd_fail(world, XPBD_ERROR_STRIDE, type, 0, (double)*stride,
                         "the stride of %s, %zu bytes, overflows", what, *stride);
    }
    return XPBD_OK;
}
