/* SPDX-License-Identifier: MIT
 *
 * Writing a snapshot. The state is read where it lives at the moment, so that a prepared world is
 * written like one that is not.
 */
#include "solver/check.h"
#include "solver/snapshot.h"
#include "solver/track.h"

static xpbd_snapshot_state state_of(const xpbd_world *world)
{
    const xpbd_track *track = &world->build.track;
    const bool tracked = xpbd_track_is_wanted(world) && track->on && !track->stale;
    return !world->stepped ? XPBD_SNAPSHOT_FRESH
           : tracked       ? XPBD_SNAPSHOT_TRACKED
                           : XPBD_SNAPSHOT_STEPPED;
}

static void put_world(const xpbd_world *world, xpbd_writer *to)
{
    xpbd_begin_section(to, "world");
    xpbd_put_text(to, world->scheduler->name);
    xpbd_put_word(to, xpbd_world_is_custom(world));
    xpbd_put_text(to, world->order == XPBD_ORDER_COUNT ? "auto" : xpbd_ordering_name(world->order));
#define XPBD_PUT_word(field, n)      xpbd_put_words(to, &world->field, n)
#define XPBD_PUT_number(field, n)    xpbd_put_words(to, &world->field, n)
#define XPBD_PUT_flag(field, n)      xpbd_put_word(to, world->field)
#define XPBD_SETTING(field, kind, n) XPBD_PUT_##kind(field, n);
#include "solver/settings.def"
#undef XPBD_SETTING
    xpbd_put_word(to, state_of(world));
    xpbd_put_float(to, world->stepped ? world->build.pass.inverse_dt2 : 0.0f);
    xpbd_end_section(to);
}

static void put_triples(const xpbd_view *view, uint32_t n, xpbd_writer *to)
{
    for (uint32_t i = 0; i < n; i++) {
        const float value[3] = {*xpbd_view_at(view, i, 0), *xpbd_view_at(view, i, 1),
                                *xpbd_view_at(view, i, 2)};
        xpbd_put_words(to, value, 3);
    }
}

static void put_particles(const xpbd_world *world, xpbd_writer *to)
{
    const xpbd_model *model = &world->model;
    const uint32_t n = model->n_particles;
    const xpbd_view x = xpbd_view_positions(world), v = xpbd_view_velocities(world);
    xpbd_begin_section(to, "particles");
    xpbd_put_word(to, n);
    xpbd_put_word(to, (model->forced ? XPBD_HAS_FORCES : 0u) |
                          (model->n_removed > 0 ? XPBD_HAS_REMOVED : 0u));
    put_triples(&x, n, to);
    put_triples(&v, n, to);
    xpbd_put_words(to, model->inverse_mass.data, n);
    if (model->forced) {
        xpbd_put_words(to, model->force.data, 3 * (size_t)n);
    }
    if (model->n_removed > 0) {
        xpbd_put_bytes(to, model->removed.data, n);
    }
    xpbd_end_section(to);
}

/* Multipliers, and what kernels of types of variable size remember from step to step. */
static void put_results(const xpbd_world *world, uint32_t type, xpbd_writer *to)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    const xpbd_set *set = &world->model.sets[type];
    const xpbd_stream *stream = &world->build.streams[type];
    const xpbd_tuples tuples = xpbd_world_tuples(world);
    const uint32_t *slots = world->build.packing.slot + tuples.first[type];
    const bool tracked = state_of(world) == XPBD_SNAPSHOT_TRACKED;
    for (uint32_t i = 0; i < set->count; i++) {
        const bool each = info->rows_per_element;
        const uint32_t n = xpbd_set_element(set, i + 1) - xpbd_set_element(set, i);
        const size_t lane = xpbd_snapshot_lane(stream, each, slots[i]);
        for (uint32_t record = 0; record < (each ? n : 1); record++) {
            for (uint32_t row = 0; row < info->n_rows; row++) {
                xpbd_put_float(to, stream->lambda[row][lane + record]);
            }
            if (tracked) {
                xpbd_put_float(to, world->build.track.mobility[type][lane + record]);
            }
        }
    }
    for (uint32_t i = 0; stream->units && i < set->count; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            xpbd_put_double(to, stream->units->state[4 * (size_t)slots[i] + k]);
        }
    }
}

static void put_columns(const xpbd_set *set, xpbd_writer *to)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < XPBD_COLUMN_COUNT; k++) {
        n += set->used[k];
    }
    xpbd_put_word(to, n);
    for (uint32_t k = 0; k < XPBD_COLUMN_COUNT; k++) {
        if (set->used[k]) {
            xpbd_put_text(to, xpbd_column_name((xpbd_column)k));
            xpbd_put_words(to, set->columns[k].data, set->count);
        }
    }
}

static void put_constraints(const xpbd_world *world, uint32_t type, xpbd_writer *to)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    const xpbd_set *set = &world->model.sets[type];
    const size_t n_elements = xpbd_set_element(set, set->count);
    const xpbd_snapshot_state state = state_of(world);
    xpbd_begin_section(to, "constraints");
    xpbd_put_text(to, info->name);
    const uint32_t shape[] = {info->n_particles, info->n_rest,           info->n_rows,
                              info->variable,    info->rows_per_element, info->n_element_rest};
    xpbd_put_words(to, shape, sizeof shape / sizeof shape[0]);
    xpbd_put_word(to, set->count);
    xpbd_put_word(to, (uint32_t)n_elements);
    xpbd_put_word(to, (set->n_removed > 0 ? XPBD_HAS_REMOVED : 0u) |
                          (state > XPBD_SNAPSHOT_FRESH ? XPBD_HAS_RESULTS : 0u) |
                          (state == XPBD_SNAPSHOT_TRACKED ? XPBD_HAS_MOBILITY : 0u));
    for (uint32_t i = 0; info->variable && i < set->count; i++) {
        xpbd_put_word(to, xpbd_set_element(set, i + 1) - xpbd_set_element(set, i));
    }
    xpbd_put_words(to, set->particles.data, n_elements * info->n_particles);
    xpbd_put_words(to, set->rest.data, (size_t)set->count * info->n_rest);
    xpbd_put_words(to, set->element_rest.data, n_elements * info->n_element_rest);
    put_columns(set, to);
    if (set->n_removed > 0) {
        xpbd_put_bytes(to, set->removed.data, set->count);
    }
    if (world->stepped) {
        put_results(world, type, to);
    }
    xpbd_end_section(to);
}

/* Types are numbered in the order of their sections. */
static void put_batches(const xpbd_model *model, const uint32_t *number, xpbd_writer *to)
{
    const xpbd_batch *batches = model->batches.data;
    xpbd_begin_section(to, "batches");
    xpbd_put_word(to, model->n_batches);
    for (uint32_t b = 0; b < model->n_batches; b++) {
        xpbd_put_word(to, number[batches[b].type]);
        xpbd_put_word(to, batches[b].count);
    }
    xpbd_end_section(to);
}

static void put_events(const xpbd_model *model, const uint32_t *number, xpbd_writer *to)
{
    const xpbd_move *moves = model->moves.data;
    const xpbd_broken *broken = model->broken.data;
    xpbd_begin_section(to, "events");
    xpbd_put_word(to, model->n_moved);
    xpbd_put_word(to, model->n_moves);
    for (size_t k = 0; k < (size_t)model->n_moved + model->n_moves; k++) {
        xpbd_put_word(to, moves[k].particle);
        xpbd_put_words(to, moves[k].target, 3);
    }
    xpbd_put_word(to, model->n_broken);
    for (uint32_t k = 0; k < model->n_broken; k++) {
        xpbd_put_word(to, number[broken[k].type]);
        xpbd_put_word(to, broken[k].index);
    }
    xpbd_end_section(to);
}

void xpbd_snapshot_write(const xpbd_world *world, xpbd_writer *to)
{
    uint32_t number[XPBD_CONSTRAINT_TYPE_COUNT], n = 0;
    xpbd_begin_file(to, XPBD_SNAPSHOT_MAGIC, XPBD_SNAPSHOT_VERSION);
    put_world(world, to);
    put_particles(world, to);
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        number[type] = n;
        if (world->model.sets[type].count > 0) {
            n++;
            put_constraints(world, type, to);
        }
    }
    put_batches(&world->model, number, to);
    put_events(&world->model, number, to);
    xpbd_end_file(to);
}

xpbd_status xpbd_world_save(const xpbd_world *world, size_t capacity, void *out, size_t *size)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    if (!size || (!out && capacity > 0)) {
        return xpbd_fail(world, XPBD_ERROR_NULL, -1, 0, 0.0, "%s is null", size ? "out" : "size");
    }
    xpbd_writer writer = {.out = out, .capacity = capacity};
    xpbd_snapshot_write(world, &writer);
    *size = writer.used;
    if (capacity > 0 && writer.used > capacity) {
        return xpbd_fail(world, XPBD_ERROR_CAPACITY, -1, writer.used, (double)capacity,
                         "a snapshot of %zu bytes, and room for %zu", writer.used, capacity);
    }
    return XPBD_OK;
}
