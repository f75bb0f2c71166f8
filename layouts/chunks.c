/* SPDX-License-Identifier: MIT
 *
 * A strip: constraints that one thread runs in sequence. Walked in the order of memory and coloured
 * a chunk at a time, what is read was read shortly before. Colours of a chunk are few constraints,
 * so only whole lane groups are taken and the rest waits for the next chunk; the last chunk of a
 * strip takes all, with pad lanes.
 */
#include "layouts/partition.h"
#include "layouts/store.h"

enum { N_COLORS = 64, WAITING = 255 };

/* In a chunk, of one type: constraints of every colour, those to take now, and their bin. */
typedef struct chunk_colors {
    uint32_t n[N_COLORS], take[N_COLORS], bin[N_COLORS];
    uint32_t n_items; /* of the type, coloured or waiting */
} chunk_colors;

bool xpbd_chunks_init(xpbd_chunks *chunks, const xpbd_tuples *tuples, xpbd_arena *scratch)
{
    *chunks = (xpbd_chunks){0};
    chunks->taken = xpbd_arena_alloc(scratch, tuples->n_particles, sizeof(uint64_t));
    chunks->pass_of = xpbd_arena_zero(scratch, tuples->n_particles, sizeof(uint32_t));
    chunks->pending = xpbd_arena_alloc(scratch, XPBD_CHUNK, sizeof *chunks->pending);
    chunks->color = xpbd_arena_alloc(scratch, XPBD_CHUNK, 1);
    return !scratch->failed;
}

static uint32_t color_one(const xpbd_chunks *c, const uint32_t *p, uint32_t corners)
{
    uint64_t taken = 0;
    for (uint32_t i = 0; i < corners; i++) {
        taken |= c->pass_of[p[i]] == c->pass ? c->taken[p[i]] : 0;
    }
    if (taken == UINT64_MAX) {
        return WAITING;
    }
    const uint32_t color = (uint32_t)__builtin_ctzll(~taken);
    for (uint32_t i = 0; i < corners; i++) {
        c->taken[p[i]] = (c->pass_of[p[i]] == c->pass ? c->taken[p[i]] : 0) | UINT64_C(1) << color;
        c->pass_of[p[i]] = c->pass;
    }
    return color;
}

/* Units of variable size run one by one whatever they share, and need no colours. */
static void color_type(xpbd_chunks *c, const xpbd_tuples *tuples, uint32_t type,
                       chunk_colors *colors)
{
    c->pass++;
    for (uint32_t k = 0; k < c->n_pending; k++) {
        if (c->pending[k].type == type) {
            uint32_t n;
            const uint32_t *p = xpbd_tuples_at(tuples, type, c->pending[k].index, &n);
            const uint32_t color = tuples->offsets[type] ? 0 : color_one(c, p, n);
            c->color[k] = (uint8_t)color;
            if (color != WAITING) {
                colors->n[color]++;
            }
        }
    }
}

/* How many of each colour are taken; returns how many of the type are left over. */
static uint32_t choose(chunk_colors *colors, bool whole_groups)
{
    uint32_t left = colors->n_items;
    for (uint32_t color = 0; color < N_COLORS; color++) {
        const uint32_t n = colors->n[color];
        colors->take[color] = whole_groups ? n - n % XPBD_GROUP : n;
        left -= colors->take[color];
    }
    return left;
}

/* Give bins to what is taken; what is not moves to the front. */
static void take(xpbd_chunks *c, const xpbd_tuples *tuples, chunk_colors *colors, xpbd_bins *bins)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < c->n_pending; k++) {
        const xpbd_walk_step at = c->pending[k];
        chunk_colors *of_type = &colors[at.type];
        const uint32_t color = c->color[k];
        if (color != WAITING && of_type->take[color] > 0) {
            of_type->take[color]--;
            bins->of[tuples->first[at.type] + at.index] = of_type->bin[color];
        } else {
            c->pending[left++] = at;
        }
    }
    c->n_pending = left;
}

/* Take what may be taken of the pending constraints. */
static bool color_chunk(xpbd_chunks *c, const xpbd_tuples *tuples, bool last, uint32_t stage,
                        uint32_t strip, xpbd_bins *bins)
{
    chunk_colors colors[XPBD_CONSTRAINT_TYPE_COUNT];
    uint32_t left = 0;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        colors[type] = (chunk_colors){.n_items = 0};
    }
    for (uint32_t k = 0; k < c->n_pending; k++) {
        colors[c->pending[k].type].n_items++;
    }
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        if (colors[type].n_items > 0) {
            color_type(c, tuples, type, &colors[type]);
            left += choose(&colors[type], !tuples->offsets[type]);
        }
    }
    /* Around a hub nothing fills a group: do not drag it along. */
    const bool all = last || left > XPBD_CHUNK / 2;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        if (all && colors[type].n_items > 0) {
            choose(&colors[type], false);
        }
        for (uint32_t color = 0; color < N_COLORS && colors[type].n_items > 0; color++) {
            if (colors[type].take[color] > 0) {
                colors[type].bin[color] = xpbd_bins_add(bins, type, stage, strip);
            }
        }
    }
    take(c, tuples, colors, bins);
    return !bins->arena->failed;
}

bool xpbd_chunks_strip(xpbd_chunks *c, const xpbd_tuples *tuples, const xpbd_walk_step *walk,
                       uint32_t n, uint32_t stage, uint32_t strip, xpbd_bins *bins)
{
    uint32_t at = 0;
    c->n_pending = 0;
    while (at < n || c->n_pending > 0) {
        while (at < n && c->n_pending < XPBD_CHUNK) {
            c->pending[c->n_pending++] = walk[at++];
        }
        if (!color_chunk(c, tuples, at == n, stage, strip, bins)) {
            return false;
        }
    }
    return true;
}
