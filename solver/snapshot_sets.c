/* SPDX-License-Identifier: MIT
 *
 * Taking the section of a constraint type apart. What a caller could have added as well is left to
 * the functions that add; what he could not is checked here.
 */
#include "solver/check.h"
#include "solver/snapshot.h"

#include <string.h>

/* The type of this name, of the same shape as it had when it was written. */
static xpbd_status take_type(xpbd_reader *from, xpbd_section_set *section)
{
    char name[64];
    uint32_t shape[6];
    xpbd_take_text(from, name, sizeof name);
    for (uint32_t k = 0; k < 6; k++) {
        shape[k] = xpbd_take_word(from);
    }
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
        if (strcmp(name, info->name) == 0) {
            const uint32_t own[] = {info->n_particles,      info->n_rest,
                                    info->n_rows,           info->variable,
                                    info->rows_per_element, info->n_element_rest};
            section->type = type;
            return memcmp(own, shape, sizeof own) == 0
                       ? XPBD_OK
                       : xpbd_read_fault(from,
                                         "constraints \"%s\" of this library have other "
                                         "particles, rest data or rows",
                                         name);
        }
    }
    return xpbd_read_fault(from, "no constraint type is called \"%.40s\"", name);
}

/* One column, by name: values that a caller could have given, or what stands for none. */
static xpbd_status take_column(xpbd_reader *from, xpbd_section_set *section, xpbd_arena *scratch)
{
    char name[32];
    uint32_t column = 0;
    xpbd_take_text(from, name, sizeof name);
    while (column < XPBD_COLUMN_COUNT && strcmp(name, xpbd_column_name((xpbd_column)column)) != 0) {
        column++;
    }
    if (column == XPBD_COLUMN_COUNT || section->columns[column]) {
        return xpbd_read_fault(from, "values \"%s\" are unknown or there twice", name);
    }
    float *values = xpbd_take_words(from, section->count, scratch);
    section->columns[column] = values;
    for (uint32_t i = 0; values && i < section->count; i++) {
        if (!xpbd_column_allows((xpbd_column)column, values[i])) {
            return xpbd_read_fault(from, "%s of constraint %u is %g", name, i, (double)values[i]);
        }
    }
    return XPBD_OK;
}

static xpbd_status take_columns(xpbd_reader *from, xpbd_section_set *section, xpbd_arena *scratch)
{
    const uint32_t n = xpbd_take_word(from);
    for (uint32_t k = 0; k < n && !from->failed; k++) {
        XPBD_TRY(take_column(from, section, scratch));
    }
    return XPBD_OK;
}

static xpbd_status take_removed(xpbd_reader *from, xpbd_section_set *section, xpbd_arena *scratch)
{
    uint32_t n = 0;
    section->removed = xpbd_take_bytes(from, section->count, scratch);
    for (uint32_t i = 0; section->removed && i < section->count; i++) {
        n += section->removed[i];
        if (section->removed[i] > 1) {
            return xpbd_read_fault(from, "constraint %u is marked %u", i, section->removed[i]);
        }
    }
    return section->removed && n == 0
               ? xpbd_read_fault(from, "it lists removed constraints, and none is")
               : XPBD_OK;
}

xpbd_status xpbd_snapshot_take_set(xpbd_reader *from, const xpbd_world *fresh,
                                   xpbd_snapshot_state state, xpbd_section_set *section,
                                   xpbd_arena *scratch)
{
    *section = (xpbd_section_set){0};
    XPBD_TRY(take_type(from, section));
    const xpbd_constraint_info *info =
        xpbd_constraint_type_info((xpbd_constraint_type)section->type);
    section->count = xpbd_take_word(from);
    section->n_elements = xpbd_take_word(from);
    section->flags = xpbd_take_word(from);
    const size_t n = section->n_elements;
    const uint32_t wanted = (state > XPBD_SNAPSHOT_FRESH ? XPBD_HAS_RESULTS : 0u) |
                            (state == XPBD_SNAPSHOT_TRACKED ? XPBD_HAS_MOBILITY : 0u);
    if ((section->flags & ~(uint32_t)XPBD_HAS_REMOVED) != wanted) {
        return xpbd_read_fault(from, "it has what it should not, or lacks multipliers");
    }
    uint64_t sum = info->variable ? 0 : section->count;
    if (info->variable) {
        section->sizes = xpbd_take_words(from, section->count, scratch);
    }
    for (uint32_t i = 0; section->sizes && i < section->count; i++) {
        sum += section->sizes[i];
    }
    if (section->count == 0 || (sum != n && !from->failed && !scratch->failed)) {
        return xpbd_read_fault(from, "%u constraints of %llu elements, and %zu are there",
                               section->count, (unsigned long long)sum, n);
    }
    section->particles = xpbd_take_words(from, (uint64_t)n * info->n_particles, scratch);
    section->rest = xpbd_take_words(from, (uint64_t)section->count * info->n_rest, scratch);
    section->element_rest = xpbd_take_words(from, (uint64_t)n * info->n_element_rest, scratch);
    XPBD_TRY(take_columns(from, section, scratch));
    if (section->flags & XPBD_HAS_REMOVED) {
        XPBD_TRY(take_removed(from, section, scratch));
    }
    if (state > XPBD_SNAPSHOT_FRESH) {
        const uint64_t records = xpbd_snapshot_records(info, section->count, section->n_elements);
        section->n_per_record = info->n_rows + (state == XPBD_SNAPSHOT_TRACKED);
        section->lambda = xpbd_take_words(from, records * section->n_per_record, scratch);
        section->state =
            info->variable ? xpbd_take_doubles(from, 4 * (uint64_t)section->count, scratch) : NULL;
    }
    if (scratch->failed) {
        return xpbd_snapshot_refused(from, fresh, XPBD_ERROR_MEMORY);
    }
    if (section->columns[XPBD_COLUMN_break_force] && !section->columns[XPBD_COLUMN_enabled]) {
        return xpbd_read_fault(from, "constraints that can break can not be switched off");
    }
    return xpbd_close_section(from);
}
