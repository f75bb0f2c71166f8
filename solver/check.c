/* SPDX-License-Identifier: MIT
 *
 * Values from the caller: finite, of the right sign, in range. NaN is caught by its bits, so that
 * no compiler flag can talk the check away.
 */
#include "solver/check.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Numbers that are none would pass unseen elsewhere, and sums would be added up in another order.
 */
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error                                                                                             \
    "the same bits everywhere: libxpbd is compiled without -ffast-math, -Ofast, -ffinite-math-only"
#endif

xpbd_status xpbd_check_vectors(const xpbd_world *world, xpbd_status status, const float *array,
                               size_t stride, uint32_t first, uint32_t count, const char *what)
{
    for (uint32_t i = 0; array && i < count; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            const float value = xpbd_input(array, stride, i, c);
            if (!xpbd_is_finite(value)) {
                return xpbd_fail(world, status, -1, first + i, (double)value, "%c of %s %u is %g",
                                 "xyz"[c], what, first + i, (double)value);
            }
        }
    }
    return XPBD_OK;
}

/* Order by bits, as the values are finite or infinite but never NaN then. */
static bool within(float value, float low, float high)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return (word & UINT32_C(0x7fffffff)) <= UINT32_C(0x7f800000) && value >= low && value <= high;
}

xpbd_status xpbd_check_numbers(const xpbd_world *world, xpbd_status status, int32_t type,
                               const float *array, size_t stride, uint32_t first, uint32_t count,
                               float low, float high, const char *what)
{
    for (uint32_t i = 0; array && i < count; i++) {
        const float value = xpbd_input(array, stride, i, 0);
        if (!within(value, low, high)) {
            return xpbd_fail(world, status, type, first + i, (double)value, "%s %u is %g", what,
                             first + i, (double)value);
        }
    }
    return XPBD_OK;
}

/* A column, and where the caller's array for it is in xpbd_constraints. */
typedef struct column_row {
    const char *name;
    size_t array, stride; /* offsets; array 0: not from there (`enabled` has a call of its own) */
    float fill, low, high;
    xpbd_status status;
} column_row;

#define enabled        particles /* has no array: offset 0 */
#define enabled_stride particles_stride
static const column_row columns[XPBD_COLUMN_COUNT] = {
#define XPBD_COLUMN(field, status, fill, low, high)                                                \
    {#field,                                                                                       \
     offsetof(xpbd_constraints, field),                                                            \
     offsetof(xpbd_constraints, field##_stride),                                                   \
     fill,                                                                                         \
     low,                                                                                          \
     high,                                                                                         \
     status},
#include "solver/columns.def"
#undef XPBD_COLUMN
};
#undef enabled
#undef enabled_stride
_Static_assert(offsetof(xpbd_constraints, particles) == 0, "offset 0 has to mean no array");

static const float *array_of(const xpbd_constraints *in, uint32_t column)
{
    const float *array = NULL;
    if (columns[column].array) {
        memcpy(&array, (const char *)in + columns[column].array, sizeof array);
    }
    return array;
}

static size_t *stride_of(xpbd_constraints *in, uint32_t column)
{
    return (size_t *)(void *)((char *)in + columns[column].stride);
}

xpbd_status xpbd_check_parameters(const xpbd_world *world, xpbd_constraint_type type,
                                  uint32_t first, uint32_t count, xpbd_constraints *in)
{
    const int32_t t = (int32_t)type;
    if (in->rest) {
        XPBD_TRY(xpbd_check_array(world, t, in->rest, count,
                                  xpbd_constraint_type_info(type)->n_rest, &in->rest_stride,
                                  "rest"));
    }
    for (uint32_t k = 0; k < XPBD_COLUMN_COUNT; k++) {
        const column_row *row = &columns[k];
        const float *array = array_of(in, k);
        if (array) {
            XPBD_TRY(xpbd_check_array(world, t, array, count, 1, stride_of(in, k), row->name));
            XPBD_TRY(xpbd_check_numbers(world, row->status, t, array, *stride_of(in, k), first,
                                        count, row->low, row->high, row->name));
        }
    }
    return XPBD_OK;
}

xpbd_status xpbd_check_rest(const xpbd_world *world, xpbd_constraint_type type, uint32_t i,
                            const float *rest)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    uint32_t bad = info->n_rest;
    for (uint32_t k = info->n_rest; k-- > 0;) {
        bad = xpbd_is_finite(rest[k]) ? bad : k;
    }
    if (bad == info->n_rest) {
        bad = xpbd_constraint_ops_of(type)->rest_fault(rest);
    }
    if (bad < info->n_rest) {
        return xpbd_fail(world, XPBD_ERROR_REST, (int32_t)type, i, (double)rest[bad],
                         "rest value %u (of: %s) of constraint %u is %g", bad, info->rest_text, i,
                         (double)rest[bad]);
    }
    return XPBD_OK;
}

const char *xpbd_column_name(xpbd_column column)
{
    return columns[column].name;
}

const float *xpbd_column_array(const xpbd_constraints *in, xpbd_column column, size_t *stride)
{
    memcpy(stride, (const char *)in + columns[column].stride, sizeof *stride);
    return array_of(in, column);
}

void xpbd_column_give(xpbd_constraints *in, xpbd_column column, const float *array)
{
    memcpy((char *)in + columns[column].array, &array, sizeof array);
    *stride_of(in, column) = 0;
}

bool xpbd_column_allows(xpbd_column column, float value)
{
    const column_row *row = &columns[column];
    return within(value, row->low, row->high) || within(value, row->fill, row->fill);
}

float xpbd_column_at(const xpbd_set *set, xpbd_column column, uint32_t i)
{
    return set->used[column] ? ((const float *)set->columns[column].data)[i] : columns[column].fill;
}

/* An array that only says what is true without it makes no column: kernels are faster without. */
static bool says_something(const xpbd_constraints *in, uint32_t k, uint32_t count)
{
    const float *array = array_of(in, k);
    size_t stride;
    memcpy(&stride, (const char *)in + columns[k].stride, sizeof stride);
    const uint32_t n = !array ? 0 : stride > 0 ? count : count > 0;
    for (uint32_t i = 0; i < n; i++) {
        const float value = xpbd_input(array, stride, i, 0);
        if (value < columns[k].fill || value > columns[k].fill) {
            return true;
        }
    }
    return false;
}

/* A column that is not in use and has to be from now on. */
static bool is_fresh(const xpbd_set *set, uint32_t column, const xpbd_constraints *in, bool enabled,
                     uint32_t count)
{
    /* What can break can be switched off. */
    const bool wanted = column == XPBD_COLUMN_enabled &&
                        (enabled || says_something(in, XPBD_COLUMN_break_force, count));
    return !set->used[column] && (wanted || says_something(in, column, count));
}

bool xpbd_column_grows(const xpbd_set *set, const xpbd_constraints *in, bool enabled,
                       uint32_t count)
{
    bool grows = false;
    for (uint32_t k = 0; k < XPBD_COLUMN_COUNT; k++) {
        grows = grows || is_fresh(set, k, in, enabled, count);
    }
    return grows;
}

bool xpbd_column_reserve(xpbd_world *world, xpbd_set *set, const xpbd_constraints *in, bool enabled,
                         uint32_t count, size_t total)
{
    for (uint32_t k = 0; k < XPBD_COLUMN_COUNT; k++) {
        const bool used = set->used[k];
        if ((used || is_fresh(set, k, in, enabled, count)) &&
            !xpbd_buffer_reserve(&world->memory, &set->columns[k], used ? set->count : 0, total,
                                 sizeof(float))) {
            return false;
        }
    }
    return true;
}

void xpbd_column_use(xpbd_set *set, const xpbd_constraints *in, bool enabled, uint32_t count)
{
    for (uint32_t k = 0; k < XPBD_COLUMN_COUNT; k++) {
        if (is_fresh(set, k, in, enabled, count)) {
            float *data = set->columns[k].data;
            for (uint32_t i = 0; i < set->count; i++) {
                data[i] = columns[k].fill;
            }
            set->used[k] = true;
        }
    }
}

void xpbd_column_write(xpbd_set *set, uint32_t first, uint32_t count, const xpbd_constraints *in,
                       bool fresh)
{
    for (uint32_t k = 0; k < XPBD_COLUMN_COUNT; k++) {
        float *data = set->used[k] ? set->columns[k].data : NULL;
        const float *array = array_of(in, k);
        size_t stride;
        memcpy(&stride, (const char *)in + columns[k].stride, sizeof stride);
        for (uint32_t i = 0; data && (array || fresh) && i < count; i++) {
            data[first + i] = array ? xpbd_input(array, stride, i, 0) : columns[k].fill;
        }
    }
    for (uint32_t i = first; i < first + count; i++) {
        const float value = xpbd_column_at(set, XPBD_COLUMN_compliance, i);
        set->most_compliant = value > set->most_compliant ? value : set->most_compliant;
    }
}
