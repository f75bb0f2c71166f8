/* SPDX-License-Identifier: MIT
 *
 * Loading: a world is made beside the one that loads, and when nothing can fail any more gives it
 * all that it has.
 */
#include "solver/build.h"
#include "solver/record.h"
#include "solver/snapshot.h"

#include <string.h>

/* What the first section says. */
typedef struct head {
    char scheduler[64], ordering[32];
    bool custom;
    xpbd_snapshot_state state;
    float inverse_dt2;
    xpbd_world_def def;
} head;

static void take_setting(xpbd_reader *from, void *to, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t word = xpbd_take_word(from);
        memcpy((char *)to + k * sizeof word, &word, sizeof word);
    }
}

static xpbd_status read_head(xpbd_reader *from, head *read)
{
    XPBD_TRY(xpbd_open_section_named(from, "world"));
    read->def = xpbd_default_world_def();
    xpbd_take_text(from, read->scheduler, sizeof read->scheduler);
    read->custom = xpbd_take_word(from) != 0;
    xpbd_take_text(from, read->ordering, sizeof read->ordering);
#define XPBD_TAKE_word(field, n)     take_setting(from, &read->def.field, n)
#define XPBD_TAKE_number(field, n)   take_setting(from, &read->def.field, n)
#define XPBD_TAKE_flag(field, n)     read->def.field = xpbd_take_word(from) != 0
#define XPBD_SETTING(field, kind, n) XPBD_TAKE_##kind(field, n);
#include "solver/settings.def"
#undef XPBD_SETTING
    const uint32_t state = xpbd_take_word(from);
    read->state = (xpbd_snapshot_state)state;
    read->inverse_dt2 = xpbd_take_float(from);
    XPBD_TRY(xpbd_close_section(from));
    return state <= XPBD_SNAPSHOT_TRACKED
               ? XPBD_OK
               : xpbd_read_fault(from, "a state of kind %u is unknown", state);
}

/* Sums of all sections, before anything is made of them. */
static xpbd_status check_sums(xpbd_reader from)
{
    while (from.n_sections > 0) {
        XPBD_TRY(xpbd_open_section(&from));
        from.end += 8;
    }
    from.at = from.end;
    return from.end == from.size ? XPBD_OK
                                 : xpbd_read_fault(&from, "there is more behind the last section");
}

/* An empty world for what the snapshot says, on the machine as the loading world has it. */
static xpbd_status make_fresh(const xpbd_reader *from, const xpbd_world *world, head *read,
                              xpbd_world **fresh)
{
    xpbd_error error;
    xpbd_world_def *def = &read->def;
    if (read->custom &&
        (!xpbd_world_is_custom(world) || strcmp(world->scheduler->name, read->scheduler) != 0)) {
        return xpbd_fail(world, XPBD_ERROR_UNKNOWN_SCHEDULER, -1, 0, 0.0,
                         "%s: it needs a custom scheduler \"%.40s\", which this world has not",
                         from->what, read->scheduler);
    }
    def->custom_scheduler = read->custom ? world->scheduler : NULL;
    def->scheduler = read->scheduler;
    def->ordering = read->ordering;
    def->layout = xpbd_layout_name(world->layout);
    def->isa = xpbd_isa_name(world->isa_asked);
    def->threads = 1;
    def->task_system = world->host.parallel_for ? &world->host : NULL;
    def->allocator = &world->memory.allocator;
    const xpbd_status status = xpbd_world_create(def, fresh, &error);
    switch (status) {
    case XPBD_OK:
        return XPBD_OK;
    case XPBD_ERROR_MEMORY:
    case XPBD_ERROR_UNKNOWN_SCHEDULER:
    case XPBD_ERROR_UNKNOWN_ORDERING:
        return xpbd_fail(world, status, -1, 0, 0.0, "%s: %s", from->what, error.text);
    default:
        return xpbd_read_fault(from, "%s", error.text);
    }
}

/* Everything that a scene is goes from `fresh` to `world`; `overhead` is what an empty world holds.
 */
static void hand_over(xpbd_world *world, xpbd_world *fresh, uint64_t overhead)
{
    xpbd_world_clear_ports(world); /* of what is there no more */
    if (world->built) {
        xpbd_arena_free(&world->build.arena);
    }
    xpbd_model_free(&world->memory, &world->model);
    world->memory.bytes += fresh->memory.bytes - overhead;
    fresh->memory.bytes = overhead;
    world->model = fresh->model;
    world->build = fresh->build;
    world->built = fresh->built;
    world->stepped = fresh->stepped;
    world->progress = fresh->progress;
    world->scheduler = fresh->scheduler;
    world->choices.scheduler = false;
    world->isa = fresh->isa;
    world->order = fresh->order;
#define XPBD_SETTING(field, kind, n) memcpy(&world->field, &fresh->field, sizeof world->field);
#include "solver/settings.def"
#undef XPBD_SETTING
    fresh->model = (xpbd_model){0};
    fresh->built = false;
    if (world->built) {
        xpbd_build_moved(world);
    }
    xpbd_world_set_threads(world, world->threads_asked); /* serial-gs takes one whatever is asked */
}

static xpbd_status load(xpbd_world *world, size_t size, const void *data)
{
    xpbd_reader from = {.data = data,
                        .size = size,
                        .what = "snapshot",
                        .status = XPBD_ERROR_SNAPSHOT,
                        .world = world};
    head read;
    xpbd_world *fresh = NULL;
    XPBD_TRY(xpbd_open_file(&from, XPBD_SNAPSHOT_MAGIC, XPBD_SNAPSHOT_VERSION));
    XPBD_TRY(check_sums(from));
    XPBD_TRY(read_head(&from, &read));
    XPBD_TRY(make_fresh(&from, world, &read, &fresh));
    const uint64_t overhead = fresh->memory.bytes;
    xpbd_arena scratch = {.memory = &world->memory};
    const xpbd_status status = xpbd_snapshot_read(&from, fresh, read.state, &scratch);
    xpbd_arena_free(&scratch);
    if (status == XPBD_OK) {
        fresh->stepped = read.state > XPBD_SNAPSHOT_FRESH;
        fresh->build.pass.inverse_dt2 = read.inverse_dt2;
        hand_over(world, fresh, overhead);
    }
    xpbd_world_destroy(fresh);
    return status;
}

xpbd_status xpbd_world_load(xpbd_world *world, size_t size, const void *data)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    if (!data) {
        return xpbd_fail(world, XPBD_ERROR_NULL, -1, 0, 0.0, "data is null");
    }
    XPBD_TRY(load(world, size, data));
    xpbd_record_load(world, size, data);
    return XPBD_OK;
}
