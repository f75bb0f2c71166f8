/* SPDX-License-Identifier: MIT
 *
 * Writing a record: a section per call, named after it, with its arguments. Arrays are written
 * without their strides, an element that stands for all as often as there are elements.
 */
#include "solver/record.h"
#include "solver/check.h"

#include <string.h>

static const char *const names[] = {
#define XPBD_CALL(name) #name,
#define XPBD_CALL_FREE(name)
#include "solver/calls.def"
#undef XPBD_CALL
#undef XPBD_CALL_FREE
};

/* Begin to note a call; null where nothing is recorded. */
static xpbd_writer *begin(xpbd_world *world, xpbd_call call)
{
    xpbd_recorder *record = world->record;
    if (!record || !record->on) {
        return NULL;
    }
    record->to.memory = &world->memory;
    if (world->substep.inside) { /* of the step whose section comes after this */
        xpbd_begin_section(&record->to, XPBD_RECORD_INSIDE);
        xpbd_put_word(&record->to, world->substep.n_done);
        xpbd_end_section(&record->to);
    }
    xpbd_begin_section(&record->to, names[call]);
    return &record->to;
}

/* Without memory the record ends before this call, or before the step that it is inside of. */
static void end(xpbd_world *world)
{
    xpbd_recorder *record = world->record;
    xpbd_end_section(&record->to);
    record->n_calls++;
    if (record->to.failed) {
        record->to.failed = false;
        record->to.used = record->whole;
        record->to.n_sections = record->n_sections;
        record->n_calls = record->n_whole;
        record->on = false;
        record->lost = true;
    }
    if (!world->substep.inside) {
        record->whole = record->to.used;
        record->n_sections = record->to.n_sections;
        record->n_whole = record->n_calls;
    }
}

static void put_type(xpbd_writer *to, uint32_t type)
{
    xpbd_put_text(to, xpbd_constraint_type_info((xpbd_constraint_type)type)->name);
}

void xpbd_record_words(xpbd_world *world, xpbd_call call, int32_t type, const void *words,
                       uint32_t n)
{
    xpbd_writer *to = begin(world, call);
    if (to) {
        if (type >= 0) {
            put_type(to, (uint32_t)type);
        }
        xpbd_put_words(to, words, n);
        end(world);
    }
}

/* n words of each of `count` elements. */
static void put_array(xpbd_writer *to, const void *array, size_t stride, uint32_t count, uint32_t n)
{
    for (size_t i = 0; i < count; i++) {
        xpbd_put_words(to, (const char *)array + i * stride, n);
    }
}

/* The same behind a word that says whether there are any. */
static void put_optional(xpbd_writer *to, const void *array, size_t stride, uint32_t count,
                         uint32_t n)
{
    xpbd_put_word(to, array ? 1 : 0);
    put_array(to, array, stride, array ? count : 0, n);
}

void xpbd_record_floats(xpbd_world *world, xpbd_call call, uint32_t first, uint32_t count,
                        uint32_t n, const float *array, size_t stride)
{
    xpbd_writer *to = begin(world, call);
    if (to) {
        xpbd_put_word(to, first);
        xpbd_put_word(to, count);
        put_array(to, array, stride, count, n);
        end(world);
    }
}

void xpbd_record_particles(xpbd_world *world, uint32_t count, const xpbd_particles *in)
{
    xpbd_writer *to = begin(world, XPBD_CALL_add_particles);
    if (to) {
        xpbd_put_word(to, count);
        put_array(to, in->position, in->position_stride, count, 3);
        put_optional(to, in->velocity, in->velocity_stride, count, 3);
        put_optional(to, in->inverse_mass, in->inverse_mass_stride, count, 1);
        end(world);
    }
}

void xpbd_record_constraints(xpbd_world *world, xpbd_call call, xpbd_constraint_type type,
                             uint32_t first, uint32_t count, uint32_t elements,
                             const xpbd_constraints *in)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    xpbd_writer *to = begin(world, call);
    if (!to) {
        return;
    }
    put_type(to, type);
    xpbd_put_word(to, first);
    xpbd_put_word(to, count);
    xpbd_put_word(to, elements);
    put_optional(to, in->sizes, sizeof *in->sizes, count, 1);
    put_optional(to, in->particles, in->particles_stride, elements, info->n_particles);
    put_optional(to, in->rest, in->rest_stride, count, info->n_rest);
    put_optional(to, in->element_rest, in->element_rest_stride, elements, info->n_element_rest);
    for (uint32_t k = 0; k < XPBD_COLUMN_COUNT; k++) {
        size_t stride;
        const float *array = xpbd_column_array(in, (xpbd_column)k, &stride);
        if (array) {
            xpbd_put_text(to, xpbd_column_name((xpbd_column)k));
            put_array(to, array, stride, count, 1);
        }
    }
    xpbd_put_text(to, ""); /* no more columns */
    end(world);
}

void xpbd_record_step(xpbd_world *world, double dt)
{
    xpbd_writer *to = begin(world, XPBD_CALL_step);
    if (to) {
        const uint64_t hash = xpbd_world_hash(world);
        xpbd_put_double(to, dt);
        xpbd_put_word(to, (uint32_t)hash);
        xpbd_put_word(to, (uint32_t)(hash >> 32));
        xpbd_put_word(to, world->substep.n_done == world->substeps ? 0 : world->substep.n_done);
        end(world);
    }
}

/* A snapshot is bytes here: it has sections of its own. */
static void put_snapshot(xpbd_writer *to, const void *data, size_t size)
{
    xpbd_put_word(to, (uint32_t)size);
    xpbd_put_word(to, (uint32_t)((uint64_t)size >> 32));
    xpbd_put_bytes(to, data, size);
}

void xpbd_record_load(xpbd_world *world, size_t size, const void *data)
{
    xpbd_writer *to = begin(world, XPBD_CALL_load);
    if (to) {
        put_snapshot(to, data, size);
        end(world);
    }
}

void xpbd_record_free(xpbd_world *world)
{
    xpbd_recorder *record = world->record;
    if (record) {
        xpbd_buffer_free(&world->memory, &record->bytes, 1);
        xpbd_memory_free(&world->memory, record, 1, sizeof *record);
        world->record = NULL;
    }
}

/* The state to begin with. */
static bool put_start(xpbd_world *world, xpbd_recorder *record)
{
    size_t size = 0;
    xpbd_world_save(world, 0, NULL, &size);
    void *snapshot = xpbd_memory_alloc(&world->memory, size, 1);
    if (!snapshot) {
        return false;
    }
    xpbd_world_save(world, size, snapshot, &size);
    xpbd_begin_file(&record->to, XPBD_RECORD_MAGIC, XPBD_RECORD_VERSION);
    xpbd_begin_section(&record->to, XPBD_RECORD_START);
    put_snapshot(&record->to, snapshot, size);
    xpbd_end_section(&record->to);
    xpbd_memory_free(&world->memory, snapshot, size, 1);
    record->whole = record->to.used;
    record->n_sections = record->to.n_sections;
    return !record->to.failed;
}

bool xpbd_record_is_on(const xpbd_world *world)
{
    return world->record && world->record->on;
}

xpbd_status xpbd_world_record_start(xpbd_world *world)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    if (world->budget.microseconds > 0) {
        return xpbd_fail(world, XPBD_ERROR_BUDGET, -1, 0, world->budget.microseconds,
                         "steps of at most %u us have results that depend on the machine",
                         world->budget.microseconds);
    }
    xpbd_record_free(world);
    xpbd_recorder *record = xpbd_memory_alloc(&world->memory, 1, sizeof *record);
    if (record) {
        *record = (xpbd_recorder){.on = true};
        record->to = (xpbd_writer){.buffer = &record->bytes, .memory = &world->memory};
        world->record = record;
    }
    if (!record || !put_start(world, record)) {
        xpbd_record_free(world);
        return xpbd_fail(world, XPBD_ERROR_MEMORY, -1, 0, 0.0, "no memory to begin a record");
    }
    return XPBD_OK;
}

xpbd_status xpbd_world_record_stop(xpbd_world *world)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    xpbd_recorder *record = world->record;
    if (!record || !(record->on || record->lost)) {
        return xpbd_fail(world, XPBD_ERROR_RECORD, -1, 0, 0.0, "no record is going on");
    }
    const bool lost = record->lost;
    record->on = record->lost = false;
    return lost ? xpbd_fail(world, XPBD_ERROR_MEMORY, -1, record->n_calls, 0.0,
                            "the record has ended after %llu calls for want of memory",
                            (unsigned long long)record->n_calls)
                : XPBD_OK;
}

xpbd_status xpbd_world_read_record(const xpbd_world *world, size_t capacity, void *out,
                                   size_t *size)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    if (!size || (!out && capacity > 0)) {
        return xpbd_fail(world, XPBD_ERROR_NULL, -1, 0, 0.0, "%s is null", size ? "out" : "size");
    }
    if (!world->record) {
        return xpbd_fail(world, XPBD_ERROR_RECORD, -1, 0, 0.0, "there is no record");
    }
    const xpbd_recorder *record = world->record;
    *size = record->whole;
    if (capacity == 0) {
        return XPBD_OK;
    }
    if (capacity < record->whole) {
        return xpbd_fail(world, XPBD_ERROR_CAPACITY, -1, record->whole, (double)capacity,
                         "a record of %zu bytes, and room for %zu", record->whole, capacity);
    }
    memcpy(out, record->bytes.data, record->whole);
    xpbd_writer whole = {
        .out = out, .capacity = capacity, .used = record->whole, .n_sections = record->n_sections};
    xpbd_end_file(&whole);
    return XPBD_OK;
}
