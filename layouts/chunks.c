/* SPDX-License-Identifier: MIT
 *
 * A strip: constraints that one thread runs in sequence. Walked in the order of memory and coloured
 * a chunk at a time, what is read was read shortly before. Colours of a chunk are few constraints,
 * so only whole lane groups are taken and the rest waits for the next chunk; the last chunk of a
 * strip takes all, with pad lanes.
 */
#include "layouts/partition.h"

#include <string.h>

enum { N_COLORS = 64, WAITING = 255 };

/* In a chunk, of one type: constraints of every colour and kind, how many of them to take now, and
 * their bins. */
typedef struct xpbd_chunk_colors {
    uint32_t n[XPBD_RUN_KINDS][N_COLORS];
    uint32_t take[XPBD_RUN_KINDS][N_COLORS];
    uint32_t bin[XPBD_RUN_KINDS][N_COLORS];
    uint32_t n_items; /* of the type, coloured or waiting */
} xpbd_chunk_colors;

bool xpbd_chunks_init(xpbd_chunks *chunks, const xpbd_tuples *tuples, const uint32_t *rank,
                      xpbd_arena *scratch)
{
    *chunks = (xpbd_chunks){.tuples = tuples, .rank = rank};
    chunks->taken = xpbd_arena_alloc(scratch, tuples->n_particles, sizeof(uint64_t));
    chunks->pass_of = xpbd_arena_zero(scratch, tuples->n_particles, sizeof(uint32_t));
    chunks->pending = xpbd_arena_alloc(scratch, XPBD_CHUNK, sizeof *chunks->pending);
    chunks->sorted = xpbd_arena_alloc(scratch, XPBD_CHUNK, sizeof *chunks->sorted);
    chunks->family = xpbd_arena_alloc(scratch, XPBD_CHUNK, sizeof *chunks->family);
    chunks->color = xpbd_arena_alloc(scratch, xpbd_tuples_count(tuples), 1);
    chunks->kind = xpbd_arena_alloc(scratch, xpbd_tuples_count(tuples), 1);
    chunks->colors = xpbd_arena_alloc(scratch, XPBD_CONSTRAINT_TYPE_COUNT, sizeof *chunks->colors);
    chunks->runs = xpbd_arena_alloc(scratch, N_COLORS, sizeof *chunks->runs);
    return !scratch->failed;
}

static uint32_t number_of(const xpbd_chunks *c, xpbd_walk_step at)
{
    return c->tuples->first[at.type] + at.index;
}

/* The colour of the constraint before, if none of the particles has it, else the lowest that none
 * has: a line of a grid has one colour from end to end then, also where it meets a rim. */
static uint32_t color_one(const xpbd_chunks *c, const uint32_t *p, uint32_t corners,
                          uint32_t before)
{
    uint64_t taken = 0;
    for (uint32_t i = 0; i < corners; i++) {
        const bool counts = c->pass_of[p[i]] == c->pass && xpbd_tuples_joins(c->tuples, p[i]);
        taken |= counts ? c->taken[p[i]] : 0;
    }
    if (taken == UINT64_MAX) {
        return WAITING;
    }
    const bool again = before != WAITING && !(taken >> before & 1);
    const uint32_t color = again ? before : (uint32_t)__builtin_ctzll(~taken);
    for (uint32_t i = 0; i < corners; i++) {
        c->taken[p[i]] = (c->pass_of[p[i]] == c->pass ? c->taken[p[i]] : 0) | UINT64_C(1) << color;
        c->pass_of[p[i]] = c->pass;
    }
    return color;
}

static void find_runs(xpbd_chunks *c, uint32_t type)
{
    xpbd_chunk_colors *colors = &c->colors[type];
    memset(c->runs, 0, N_COLORS * sizeof *c->runs);
    for (uint32_t k = 0; k < c->n_pending; k++) {
        const uint32_t number = number_of(c, c->pending[k]);
        if (c->pending[k].type != type || c->color[number] == WAITING) {
            continue;
        }
        uint32_t n;
        const uint32_t *p = xpbd_tuples_at(c->tuples, type, c->pending[k].index, &n);
        if (xpbd_tuples_has_hub(c->tuples, p, n)) {
            continue;
        }
        xpbd_run *run = &c->runs[c->color[number]];
        const xpbd_run_kind kind = xpbd_run_add(run, p, n, c->rank, number);
        for (uint32_t i = 0; kind != XPBD_RUN_NONE && i < XPBD_RUN; i++) {
            c->kind[run->item[i]] = (uint8_t)kind;
            colors->n[kind][c->color[number]]++;
            colors->n[XPBD_RUN_NONE][c->color[number]]--;
        }
    }
}

/* Units of variable size run one by one whatever they share, and need no colours. */
static void color_type(xpbd_chunks *c, uint32_t type)
{
    xpbd_chunk_colors *colors = &c->colors[type];
    uint32_t color = WAITING;
    c->pass++;
    for (uint32_t k = 0; k < c->n_pending; k++) {
        if (c->sorted[k].type == type) {
            uint32_t n;
            const uint32_t *p = xpbd_tuples_at(c->tuples, type, c->sorted[k].index, &n);
            color = c->tuples->offsets[type] ? 0 : color_one(c, p, n, color);
            const uint32_t number = number_of(c, c->sorted[k]);
            c->color[number] = (uint8_t)color;
            c->kind[number] = XPBD_RUN_NONE;
            if (color != WAITING) {
                colors->n[XPBD_RUN_NONE][color]++;
            }
        }
    }
    if (c->tuples->runs[type]) {
        find_runs(c, type);
    }
}

/* Of runs, whole groups; those over count as others, of which whole groups or all are taken.
 * Returns how many of the type are left over. */
static uint32_t choose(xpbd_chunk_colors *colors, bool whole_groups)
{
    uint32_t left = colors->n_items;
    for (uint32_t color = 0; color < N_COLORS; color++) {
        uint32_t others = colors->n[XPBD_RUN_NONE][color];
        for (uint32_t kind = XPBD_RUN_ROWS; kind < XPBD_RUN_KINDS; kind++) {
            const uint32_t over = colors->n[kind][color] % XPBD_GROUP;
            colors->take[kind][color] = colors->n[kind][color] - over;
            left -= colors->take[kind][color];
            others += over;
        }
        colors->take[XPBD_RUN_NONE][color] = whole_groups ? others - others % XPBD_GROUP : others;
        left -= colors->take[XPBD_RUN_NONE][color];
    }
    return left;
}

/* Give bins to what is taken; what is not moves to the front. */
static void take(xpbd_chunks *c, xpbd_bins *bins)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < c->n_pending; k++) {
        const xpbd_walk_step at = c->pending[k];
        xpbd_chunk_colors *colors = &c->colors[at.type];
        const uint32_t number = number_of(c, at), color = c->color[number];
        uint32_t kind = c->kind[number];
        kind = color != WAITING && colors->take[kind][color] == 0 ? XPBD_RUN_NONE : kind;
        if (color != WAITING && colors->take[kind][color] > 0) {
            colors->take[kind][color]--;
            bins->of[number] = colors->bin[kind][color];
        } else {
            c->pending[left++] = at;
        }
    }
    c->n_pending = left;
}

static void add_bins(xpbd_chunk_colors *colors, uint32_t type, uint32_t stage, uint32_t strip,
                     xpbd_bins *bins)
{
    for (uint32_t kind = XPBD_RUN_KINDS; kind-- > 0;) {
        for (uint32_t color = 0; color < N_COLORS; color++) {
            if (colors->take[kind][color] > 0) {
                colors->bin[kind][color] =
                    xpbd_bins_add(bins, type, stage, strip, (xpbd_run_kind)kind);
            }
        }
    }
}

/* Take what may be taken of the pending constraints. */
static bool color_chunk(xpbd_chunks *c, bool last, uint32_t stage, uint32_t strip, xpbd_bins *bins)
{
    uint32_t left = 0;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        c->colors[type].n_items = 0;
    }
    for (uint32_t k = 0; k < c->n_pending; k++) {
        xpbd_chunk_colors *colors = &c->colors[c->pending[k].type];
        if (colors->n_items++ == 0) {
            memset(colors->n, 0, sizeof colors->n);
        }
    }
    xpbd_sort_by_offsets(c->tuples, c->rank, c->pending, c->n_pending, c->family, c->sorted);
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        if (c->colors[type].n_items > 0) {
            color_type(c, type);
            left += choose(&c->colors[type], !c->tuples->offsets[type]);
        }
    }
    /* Around a hub nothing fills a group: do not drag it along. */
    const bool all = last || left > XPBD_CHUNK / 2;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        if (c->colors[type].n_items > 0) {
            if (all) {
                choose(&c->colors[type], false);
            }
            add_bins(&c->colors[type], type, stage, strip, bins);
        }
    }
    take(c, bins);
    return !bins->arena->failed;
}

bool xpbd_chunks_strip(xpbd_chunks *c, const xpbd_walk_step *walk, uint32_t n, uint32_t stage,
                       uint32_t strip, xpbd_bins *bins)
{
    uint32_t at = 0;
    c->n_pending = 0;
    while (at < n || c->n_pending > 0) {
        while (at < n && c->n_pending < XPBD_CHUNK) {
            c->pending[c->n_pending++] = walk[at++];
        }
        if (!color_chunk(c, at == n, stage, strip, bins)) {
            return false;
        }
    }
    return true;
}
