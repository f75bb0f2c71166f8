/* SPDX-License-Identifier: MIT
 *
 * From sections to a world that was empty. The scene goes in by the functions that callers use,
 * which check it; then state is put as it was, which may be anything, also no number at all.
 */
#include "solver/build.h"
#include "solver/check.h"
#include "solver/reserve.h"
#include "solver/snapshot.h"

#include <string.h>

xpbd_status xpbd_snapshot_refused(const xpbd_reader *reader, const xpbd_world *fresh,
                                  xpbd_status status)
{
    return status == XPBD_ERROR_MEMORY
               ? xpbd_fail(reader->world, status, -1, reader->at, 0.0,
                           "no memory for a %s of %zu "
                           "bytes",
                           reader->what, reader->size)
               : xpbd_read_fault(reader, "%s", xpbd_world_error(fresh)->text);
}

/* Forward a failure of a call on `fresh`. */
#define TRY_FRESH(call)                                                                            \
    do {                                                                                           \
        const xpbd_status fresh_status_ = (call);                                                  \
        if (fresh_status_ != XPBD_OK) {                                                            \
            return xpbd_snapshot_refused(from, fresh, fresh_status_);                              \
        }                                                                                          \
    } while (0)

typedef struct sections {
    xpbd_section_set sets[XPBD_CONSTRAINT_TYPE_COUNT];
    uint32_t n_sets;
    uint8_t *removed; /* particles */
} sections;

static xpbd_status read_particles(xpbd_reader *from, xpbd_world *fresh, sections *read,
                                  xpbd_arena *scratch)
{
    static const float origin[3] = {0};
    XPBD_TRY(xpbd_open_section_named(from, "particles"));
    const uint32_t n = xpbd_take_word(from), flags = xpbd_take_word(from);
    const float *x = xpbd_take_words(from, 3 * (uint64_t)n, scratch);
    const float *v = xpbd_take_words(from, 3 * (uint64_t)n, scratch);
    const float *w = xpbd_take_words(from, n, scratch), *force = NULL;
    if (flags & XPBD_HAS_FORCES) {
        force = xpbd_take_words(from, 3 * (uint64_t)n, scratch);
    }
    if (flags & XPBD_HAS_REMOVED) {
        read->removed = xpbd_take_bytes(from, n, scratch);
    }
    if (scratch->failed) {
        return xpbd_snapshot_refused(from, fresh, XPBD_ERROR_MEMORY);
    }
    if (flags & ~(uint32_t)(XPBD_HAS_FORCES | XPBD_HAS_REMOVED)) {
        return xpbd_read_fault(from, "it has what this library does not know");
    }
    XPBD_TRY(xpbd_close_section(from));
    const xpbd_particles in = {.position = origin, .position_stride = XPBD_SAME, .inverse_mass = w};
    TRY_FRESH(xpbd_world_add_particles(fresh, n, &in, NULL));
    if (n > 0) {
        memcpy(fresh->model.position.data, x, 3 * sizeof(float) * n);
        memcpy(fresh->model.velocity.data, v, 3 * sizeof(float) * n);
    }
    if (force) {
        TRY_FRESH(xpbd_world_set_forces(fresh, 0, n, force, 0));
    }
    uint32_t n_removed = 0;
    for (uint32_t i = 0; read->removed && i < n; i++) {
        n_removed += read->removed[i] > 0;
        if (read->removed[i] > XPBD_REMOVED_PINNED || (read->removed[i] && w[i] > 0.0f)) {
            return xpbd_read_fault(from, "particle %u is marked %u and has an inverse mass of %g",
                                   i, read->removed[i], (double)w[i]);
        }
    }
    return read->removed && n_removed == 0
               ? xpbd_read_fault(from, "it lists removed particles, and none is")
               : XPBD_OK;
}

static xpbd_status read_batches(xpbd_reader *from, xpbd_world *fresh, sections *read)
{
    XPBD_TRY(xpbd_open_section_named(from, "batches"));
    const uint32_t n = xpbd_take_word(from);
    for (uint32_t b = 0; b < n && !from->failed; b++) {
        const uint32_t number = xpbd_take_word(from), count = xpbd_take_word(from);
        if (number >= read->n_sets || count == 0 ||
            count > read->sets[number].count - read->sets[number].n_added) {
            return xpbd_read_fault(from, "batch %u is of %u constraints that are not there", b,
                                   count);
        }
        xpbd_section_set *set = &read->sets[number];
        const xpbd_constraint_info *info =
            xpbd_constraint_type_info((xpbd_constraint_type)set->type);
        const size_t element = set->elements_added;
        xpbd_constraints in = {
            .particles = set->particles + element * info->n_particles,
            .rest = set->rest + (size_t)set->n_added * info->n_rest,
            .sizes = set->sizes ? set->sizes + set->n_added : NULL,
            .element_rest =
                info->n_element_rest ? set->element_rest + element * info->n_element_rest : NULL};
        TRY_FRESH(
            xpbd_world_add_constraints(fresh, (xpbd_constraint_type)set->type, count, &in, NULL));
        set->n_added += count;
        set->elements_added =
            xpbd_set_element(&fresh->model.sets[set->type], fresh->model.sets[set->type].count);
    }
    for (uint32_t k = 0; k < read->n_sets; k++) {
        if (read->sets[k].n_added != read->sets[k].count) {
            return xpbd_read_fault(from, "%u constraints of %u are in no batch",
                                   read->sets[k].count - read->sets[k].n_added,
                                   read->sets[k].count);
        }
    }
    return xpbd_close_section(from);
}

/* Columns and marks. What says nothing is in use too where it was: the kernels are to be the same.
 */
static bool put_values(xpbd_world *fresh, const xpbd_section_set *section)
{
    xpbd_set *set = &fresh->model.sets[section->type];
    for (uint32_t k = 0; k < XPBD_COLUMN_COUNT; k++) {
        if (section->columns[k]) {
            if (!xpbd_buffer_reserve(&fresh->memory, &set->columns[k], 0, set->count,
                                     sizeof(float))) {
                return false;
            }
            memcpy(set->columns[k].data, section->columns[k], set->count * sizeof(float));
            set->used[k] = true;
        }
    }
    for (uint32_t i = 0; i < set->count; i++) {
        const float value = xpbd_column_at(set, XPBD_COLUMN_compliance, i);
        set->most_compliant = value > set->most_compliant ? value : set->most_compliant;
    }
    if (section->removed) {
        if (!xpbd_buffer_reserve(&fresh->memory, &set->removed, 0, set->count, 1)) {
            return false;
        }
        memcpy(set->removed.data, section->removed, set->count);
        for (uint32_t i = 0; i < set->count; i++) {
            set->n_removed += section->removed[i];
        }
    }
    return true;
}

static bool put_removed(xpbd_world *fresh, const uint8_t *removed)
{
    xpbd_model *model = &fresh->model;
    if (!removed) {
        return true;
    }
    if (!xpbd_buffer_reserve(&fresh->memory, &model->removed, 0, model->n_particles, 1)) {
        return false;
    }
    memcpy(model->removed.data, removed, model->n_particles);
    for (uint32_t i = 0; i < model->n_particles; i++) {
        model->n_removed += removed[i] > 0;
    }
    return true;
}

/* Nothing that is there names a particle that is not. */
static xpbd_status check_removed(const xpbd_reader *from, const xpbd_world *fresh)
{
    const xpbd_tuples tuples = xpbd_world_tuples(fresh);
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        for (uint32_t i = 0; fresh->model.n_removed > 0 && i < fresh->model.sets[type].count; i++) {
            uint32_t n;
            const uint32_t *p = xpbd_tuples_at(&tuples, type, i, &n);
            for (uint32_t k = 0; k < n && !xpbd_set_lacks(&fresh->model.sets[type], i); k++) {
                if (xpbd_model_lacks(&fresh->model, p[k])) {
                    return xpbd_read_fault(from,
                                           "constraint %u names particle %u, which is marked "
                                           "as removed",
                                           i, p[k]);
                }
            }
        }
    }
    return XPBD_OK;
}

static xpbd_status read_moves(xpbd_reader *from, xpbd_world *fresh, xpbd_arena *scratch)
{
    xpbd_model *model = &fresh->model;
    const uint32_t n_moved = xpbd_take_word(from), n_moves = xpbd_take_word(from);
    const uint64_t n = (uint64_t)n_moved + n_moves;
    const uint32_t *words = xpbd_take_words(from, 4 * n, scratch);
    for (uint64_t k = 0; words && k < n; k++) {
        float target[3];
        memcpy(target, words + 4 * k + 1, sizeof target);
        TRY_FRESH(xpbd_world_move_particles(fresh, words[4 * k], 1, target, 0));
    }
    if (words) {
        model->n_moved = n_moved;
        model->n_moves = n_moves;
    }
    return XPBD_OK;
}

static xpbd_status read_events(xpbd_reader *from, xpbd_world *fresh, const sections *read,
                               xpbd_arena *scratch)
{
    xpbd_model *model = &fresh->model;
    XPBD_TRY(xpbd_open_section_named(from, "events"));
    XPBD_TRY(read_moves(from, fresh, scratch));
    const uint32_t n = xpbd_take_word(from);
    const uint32_t *words = xpbd_take_words(from, 2 * (uint64_t)n, scratch);
    if (scratch->failed || (words && !xpbd_buffer_reserve(&fresh->memory, &model->broken, 0, n,
                                                          sizeof(xpbd_broken)))) {
        return xpbd_snapshot_refused(from, fresh, XPBD_ERROR_MEMORY);
    }
    for (uint32_t k = 0; words && k < n; k++) {
        const uint32_t number = words[2 * k], index = words[2 * k + 1];
        if (number >= read->n_sets || index >= read->sets[number].count) {
            return xpbd_read_fault(from, "constraint %u broke, but is not there", index);
        }
        ((xpbd_broken *)model->broken.data)[model->n_broken++] =
            (xpbd_broken){(xpbd_constraint_type)read->sets[number].type, index};
    }
    return xpbd_close_section(from);
}

static void put_results(xpbd_world *fresh, const xpbd_section_set *section)
{
    const uint32_t type = section->type;
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    const xpbd_set *set = &fresh->model.sets[type];
    const xpbd_stream *stream = &fresh->build.streams[type];
    const xpbd_tuples tuples = xpbd_world_tuples(fresh);
    const uint32_t *slots = fresh->build.packing.slot + tuples.first[type];
    const float *lambda = section->lambda;
    for (uint32_t i = 0; i < set->count; i++) {
        const bool each = info->rows_per_element;
        const uint32_t n = xpbd_set_element(set, i + 1) - xpbd_set_element(set, i);
        const size_t lane = xpbd_snapshot_lane(stream, each, slots[i]);
        for (uint32_t record = 0; record < (each ? n : 1); record++) {
            for (uint32_t row = 0; row < info->n_rows; row++) {
                stream->lambda[row][lane + record] = *lambda++;
            }
            if (section->n_per_record > info->n_rows) {
                fresh->build.track.mobility[type][lane + record] = *lambda++;
            }
        }
        if (stream->units) {
            memcpy(stream->units->state + 4 * (size_t)slots[i], section->state + 4 * (size_t)i,
                   4 * sizeof(double));
        }
    }
}

xpbd_status xpbd_snapshot_read(xpbd_reader *from, xpbd_world *fresh, xpbd_snapshot_state state,
                               xpbd_arena *scratch)
{
    sections read = {0};
    XPBD_TRY(read_particles(from, fresh, &read, scratch));
    while (from->n_sections > 2) {
        if (read.n_sets == XPBD_CONSTRAINT_TYPE_COUNT) {
            return xpbd_read_fault(from, "it has more sections than there are types");
        }
        XPBD_TRY(xpbd_open_section_named(from, "constraints"));
        xpbd_section_set *set = &read.sets[read.n_sets++];
        XPBD_TRY(xpbd_snapshot_take_set(from, fresh, state, set, scratch));
        for (uint32_t k = 0; k + 1 < read.n_sets; k++) {
            if (read.sets[k].type == set->type) {
                return xpbd_read_fault(from, "a type is there twice");
            }
        }
    }
    XPBD_TRY(read_batches(from, fresh, &read));
    for (uint32_t k = 0; k < read.n_sets; k++) {
        if (!put_values(fresh, &read.sets[k])) {
            return xpbd_snapshot_refused(from, fresh, XPBD_ERROR_MEMORY);
        }
    }
    if (!put_removed(fresh, read.removed)) {
        return xpbd_snapshot_refused(from, fresh, XPBD_ERROR_MEMORY);
    }
    XPBD_TRY(check_removed(from, fresh));
    XPBD_TRY(read_events(from, fresh, &read, scratch));
    if (state > XPBD_SNAPSHOT_FRESH) {
        TRY_FRESH(xpbd_world_prepare(fresh));
        if (state == XPBD_SNAPSHOT_TRACKED && !fresh->build.track.on) {
            return xpbd_read_fault(from, "it has mobilities, and nothing that needs them");
        }
        fresh->build.track.stale = state == XPBD_SNAPSHOT_STEPPED; /* scales come with a step */
        for (uint32_t k = 0; k < read.n_sets; k++) {
            put_results(fresh, &read.sets[k]);
        }
    }
    return XPBD_OK;
}
