/* SPDX-License-Identifier: MIT
 *
 * Running a record again. Every call has a function here that takes its arguments out of their
 * section; calls.def has them all, so that none can be forgotten.
 */
#include "solver/check.h"
#include "solver/record.h"

#include <stdio.h>
#include <string.h>

typedef struct player {
    xpbd_reader from;
    xpbd_world *world;
    xpbd_arena scratch; /* arguments of one call */
    xpbd_status called; /* what the call returned */
    uint32_t elements;  /* that a call about constraints has arrays for */
    xpbd_replay_report *report;
    xpbd_reader inside;  /* at the next call from inside the step that comes */
    uint32_t n_inside;   /* of which there are */
    uint32_t stop_after; /* substeps, where the caller ended the step; or 0 */
    xpbd_status inside_status;
} player;

/* Close the section, then make the call. Arguments that are not there or without memory for them
 * are no call. */
#define CALL(call)                                                                                 \
    do {                                                                                           \
        if (p->scratch.failed) {                                                                   \
            return xpbd_fail(p->world, XPBD_ERROR_MEMORY, -1, p->from.at, 0.0,                     \
                             "no memory for a call of a record");                                  \
        }                                                                                          \
        XPBD_TRY(xpbd_close_section(&p->from));                                                    \
        p->called = (call);                                                                        \
        return XPBD_OK;                                                                            \
    } while (0)

static xpbd_constraint_type take_type(player *p)
{
    char name[64];
    xpbd_take_text(&p->from, name, sizeof name);
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        if (strcmp(name, xpbd_constraint_type_info((xpbd_constraint_type)type)->name) == 0) {
            return (xpbd_constraint_type)type;
        }
    }
    p->from.failed = true;
    return XPBD_DISTANCE;
}

/* An array behind a word that says whether there is one. */
static void *take_optional(player *p, uint64_t n)
{
    return xpbd_take_word(&p->from) ? xpbd_take_words(&p->from, n, &p->scratch) : NULL;
}

static xpbd_status play_add_particles(player *p)
{
    const uint32_t n = xpbd_take_word(&p->from);
    xpbd_particles in = {.position = xpbd_take_words(&p->from, 3 * (uint64_t)n, &p->scratch)};
    in.velocity = take_optional(p, 3 * (uint64_t)n);
    in.inverse_mass = take_optional(p, n);
    CALL(xpbd_world_add_particles(p->world, n, &in, NULL));
}

static void take_columns(player *p, uint32_t count, xpbd_constraints *in)
{
    char name[32];
    for (;;) {
        uint32_t k = 0;
        xpbd_take_text(&p->from, name, sizeof name);
        if (p->from.failed || !name[0]) {
            return;
        }
        while (k < XPBD_COLUMN_COUNT && strcmp(name, xpbd_column_name((xpbd_column)k)) != 0) {
            k++;
        }
        if (k == XPBD_COLUMN_COUNT || k == XPBD_COLUMN_enabled) {
            p->from.failed = true;
            return;
        }
        xpbd_column_give(in, (xpbd_column)k, xpbd_take_words(&p->from, count, &p->scratch));
    }
}

static void take_constraints(player *p, xpbd_constraint_type *type, uint32_t *first,
                             uint32_t *count, xpbd_constraints *in)
{
    *type = take_type(p);
    *first = xpbd_take_word(&p->from);
    *count = xpbd_take_word(&p->from);
    const xpbd_constraint_info *info = xpbd_constraint_type_info(*type);
    const uint64_t elements = p->elements = xpbd_take_word(&p->from);
    uint64_t sum = 0;
    in->sizes = take_optional(p, *count);
    for (uint32_t i = 0; in->sizes && i < *count; i++) {
        sum += in->sizes[i];
    }
    /* The call believes in these. */
    if (in->sizes ? sum != elements : !info->variable && elements != *count) {
        p->from.failed = true;
    }
    in->particles = take_optional(p, elements * info->n_particles);
    in->rest = take_optional(p, (uint64_t)*count * info->n_rest);
    in->element_rest = take_optional(p, elements * info->n_element_rest);
    take_columns(p, *count, in);
}

static xpbd_status play_add_constraints(player *p)
{
    xpbd_constraint_type type;
    uint32_t first, count;
    xpbd_constraints in = {0};
    take_constraints(p, &type, &first, &count, &in);
    CALL(xpbd_world_add_constraints(p->world, type, count, &in, NULL));
}

static xpbd_status play_set_constraints(player *p)
{
    xpbd_constraint_type type;
    uint32_t first, count;
    xpbd_constraints in = {0};
    take_constraints(p, &type, &first, &count, &in);
    const xpbd_set *set = &p->world->model.sets[type];
    if (in.element_rest && first <= set->count && count <= set->count - first) {
        /* As many as the world has, or the record is not of it. */
        const uint32_t n = xpbd_set_element(set, first + count) - xpbd_set_element(set, first);
        const uint32_t given = xpbd_constraint_type_info(type)->variable ? p->elements : count;
        p->from.failed = p->from.failed || n != given;
    }
    CALL(xpbd_world_set_constraints(p->world, type, first, count, &in));
}

static xpbd_status play_enable_constraints(player *p)
{
    const xpbd_constraint_type type = take_type(p);
    const uint32_t first = xpbd_take_word(&p->from), count = xpbd_take_word(&p->from);
    const bool enabled = xpbd_take_word(&p->from) != 0;
    CALL(xpbd_world_enable_constraints(p->world, type, first, count, enabled));
}

/* Setters of n floats per particle. */
static const float *take_floats(player *p, uint32_t *first, uint32_t *count, uint32_t n)
{
    *first = xpbd_take_word(&p->from);
    *count = xpbd_take_word(&p->from);
    return xpbd_take_words(&p->from, n * (uint64_t)*count, &p->scratch);
}

#define PLAY_FLOATS(name, n)                                                                       \
    static xpbd_status play_##name(player *p)                                                      \
    {                                                                                              \
        uint32_t first, count;                                                                     \
        const float *values = take_floats(p, &first, &count, n);                                   \
        CALL(xpbd_world_##name(p->world, first, count, values, 0));                                \
    }
PLAY_FLOATS(set_positions, 3)
PLAY_FLOATS(set_velocities, 3)
PLAY_FLOATS(set_inverse_masses, 1)
PLAY_FLOATS(set_forces, 3)
PLAY_FLOATS(move_particles, 3)

static xpbd_status play_set_solver(player *p)
{
    const uint32_t substeps = xpbd_take_word(&p->from), iterations = xpbd_take_word(&p->from);
    CALL(xpbd_world_set_solver(p->world, substeps, iterations));
}

static xpbd_status play_set_tolerance(player *p)
{
    const float tolerance = xpbd_take_float(&p->from);
    const uint32_t check_every = xpbd_take_word(&p->from);
    CALL(xpbd_world_set_tolerance(p->world, tolerance, check_every));
}

static xpbd_status play_set_guard(player *p)
{
    const uint32_t guard = xpbd_take_word(&p->from);
    const float max_speed = xpbd_take_float(&p->from), max_force = xpbd_take_float(&p->from);
    CALL(xpbd_world_set_guard(p->world, (xpbd_guard)guard, max_speed, max_force));
}

static xpbd_status play_set_acceleration(player *p)
{
    float a[3];
    for (uint32_t k = 0; k < 3; k++) {
        a[k] = xpbd_take_float(&p->from);
    }
    CALL(xpbd_world_set_acceleration(p->world, a));
}

static xpbd_status play_remove_constraints(player *p)
{
    const xpbd_constraint_type type = take_type(p);
    const uint32_t first = xpbd_take_word(&p->from), count = xpbd_take_word(&p->from);
    CALL(xpbd_world_remove_constraints(p->world, type, first, count));
}

static xpbd_status play_remove_particles(player *p)
{
    const uint32_t first = xpbd_take_word(&p->from), count = xpbd_take_word(&p->from);
    CALL(xpbd_world_remove_particles(p->world, first, count, NULL));
}

static xpbd_status play_compact(player *p)
{
    CALL(xpbd_world_compact(p->world, NULL, NULL));
}

static uint64_t take_long(player *p)
{
    const uint64_t low = xpbd_take_word(&p->from);
    return (uint64_t)xpbd_take_word(&p->from) << 32 | low;
}

static bool play_inside(void *user, xpbd_world *world, uint32_t substep);

static xpbd_status play_step(player *p)
{
    xpbd_replay_report *report = p->report;
    double dt;
    const uint64_t bits = take_long(p), hash = take_long(p);
    memcpy(&dt, &bits, sizeof dt);
    p->stop_after = xpbd_take_word(&p->from);
    XPBD_TRY(xpbd_close_section(&p->from));
    const bool inside = p->stop_after > 0 || p->n_inside > 0;
    xpbd_world_set_substep_callback(p->world, inside ? play_inside : NULL, p);
    p->inside_status = XPBD_OK;
    p->called = xpbd_world_step(p->world, dt);
    XPBD_TRY(p->inside_status);
    if (p->n_inside > 0) {
        return xpbd_read_fault(&p->from, "a call is of a substep that the step has not");
    }
    if (p->called == XPBD_OK && !report->differs) {
        report->n_steps++;
        report->hash = xpbd_world_hash(p->world);
        report->recorded = hash;
        report->differs = report->hash != hash;
    }
    return XPBD_OK;
}

static xpbd_status play_load(player *p)
{
    const uint64_t size = take_long(p);
    const void *data = xpbd_take_bytes(&p->from, size, &p->scratch);
    CALL(xpbd_world_load(p->world, (size_t)size, data));
}

static const struct {
    const char *name;
    xpbd_status (*play)(player *p);
} rows[] = {
#define XPBD_CALL(name) {#name, play_##name},
#define XPBD_CALL_FREE(name)
#include "solver/calls.def"
#undef XPBD_CALL
#undef XPBD_CALL_FREE
};

/* A call, whose section is open. */
static xpbd_status play_call(player *p)
{
    xpbd_replay_report *report = p->report;
    uint32_t k = 0;
    while (k < XPBD_CALL_COUNT && strcmp(p->from.name, rows[k].name) != 0) {
        k++;
    }
    if (k == XPBD_CALL_COUNT) {
        return xpbd_read_fault(&p->from, "no call has this name");
    }
    report->recorded = report->hash = 0;
    const xpbd_status status = rows[k].play(p);
    xpbd_arena_free(&p->scratch);
    XPBD_TRY(status);
    report->n_calls++;
    if (p->called == XPBD_ERROR_MEMORY) {
        return p->called;
    }
    if (p->called != XPBD_OK) {
        report->differs = true;
        snprintf(report->text, sizeof report->text, "call %llu, %s, was refused: %.180s",
                 (unsigned long long)report->n_calls, rows[k].name,
                 xpbd_world_error(p->world)->text);
    } else if (report->recorded != report->hash) {
        snprintf(report->text, sizeof report->text,
                 "step %llu, call %llu: the state has hash %016llx, and had %016llx",
                 (unsigned long long)report->n_steps, (unsigned long long)report->n_calls,
                 (unsigned long long)report->hash, (unsigned long long)report->recorded);
    }
    return XPBD_OK;
}

/* The calls that were made from inside a step come before it: they are passed over, and made when
 * it gets there. */
static xpbd_status pass_over_inside(player *p)
{
    p->inside = p->from;
    p->n_inside = 0;
    XPBD_TRY(xpbd_open_section(&p->from));
    while (strcmp(p->from.name, XPBD_RECORD_INSIDE) == 0) {
        for (int k = 0; k < 2; k++) { /* the next is the call */
            p->from.at = p->from.end;
            XPBD_TRY(xpbd_close_section(&p->from));
            XPBD_TRY(xpbd_open_section(&p->from));
        }
        p->n_inside++;
    }
    return p->n_inside == 0 || strcmp(p->from.name, "step") == 0
               ? XPBD_OK
               : xpbd_read_fault(&p->from, "a step is wanted behind calls from inside it");
}

/* What was done after a substep. */
static bool play_inside(void *user, xpbd_world *world, uint32_t substep)
{
    player *p = user;
    (void)world;
    while (p->n_inside > 0 && p->inside_status == XPBD_OK && !p->report->differs) {
        const xpbd_reader step = p->from;
        const xpbd_reader before = p->inside;
        p->from = before;
        uint32_t of = 0;
        p->inside_status = xpbd_open_section(&p->from);
        if (p->inside_status == XPBD_OK) {
            of = xpbd_take_word(&p->from);
            p->inside_status = xpbd_close_section(&p->from);
        }
        const bool now = p->inside_status == XPBD_OK && of == substep;
        if (now) {
            p->inside_status = xpbd_open_section(&p->from);
        }
        if (now && p->inside_status == XPBD_OK) {
            p->inside_status = play_call(p);
            p->n_inside--;
        }
        p->inside = now ? p->from : before;
        p->from = step;
        if (!now) {
            break;
        }
    }
    return p->stop_after != substep + 1;
}

static xpbd_status play_all(player *p)
{
    xpbd_replay_report *report = p->report;
    XPBD_TRY(xpbd_open_file(&p->from, XPBD_RECORD_MAGIC, XPBD_RECORD_VERSION));
    XPBD_TRY(xpbd_open_section_named(&p->from, XPBD_RECORD_START));
    const xpbd_status status = play_load(p);
    xpbd_arena_free(&p->scratch);
    XPBD_TRY(status);
    XPBD_TRY(p->called);
    while (p->from.n_sections > 0 && !report->differs) {
        XPBD_TRY(pass_over_inside(p));
        XPBD_TRY(play_call(p));
    }
    if (!report->differs && p->from.end != p->from.size) {
        return xpbd_read_fault(&p->from, "there is more behind the last call");
    }
    if (!report->differs) {
        snprintf(report->text, sizeof report->text, "%llu calls, %llu steps: all states are equal",
                 (unsigned long long)report->n_calls, (unsigned long long)report->n_steps);
    }
    return XPBD_OK;
}

xpbd_status xpbd_replay(size_t size, const void *data, const xpbd_world_def *def,
                        xpbd_replay_report *report, xpbd_error *error)
{
    xpbd_error local = {.type = -1};
    xpbd_world *world = NULL;
    xpbd_status status = data && report ? xpbd_world_create(def, &world, &local) : XPBD_ERROR_NULL;
    if (status == XPBD_OK) {
        *report = (xpbd_replay_report){0};
        player p = {.from = {.data = data,
                             .size = size,
                             .what = "record",
                             .status = XPBD_ERROR_RECORD,
                             .world = world},
                    .world = world,
                    .scratch = {.memory = &world->memory},
                    .report = report};
        status = play_all(&p);
        if (status != XPBD_OK) {
            local = *xpbd_world_error(world);
        }
        xpbd_world_destroy(world);
    } else if (local.status == XPBD_OK) {
        local.status = status;
        snprintf(local.text, sizeof local.text, "%s is null", data ? "report" : "data");
    }
    if (error) {
        *error = local;
    }
    return status;
}
