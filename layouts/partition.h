/* SPDX-License-Identifier: MIT
 *
 * Which constraints may run at the same time. The result is bins: constraints of one type that
 * share no particle (but in a sequence) and end up side by side in a block of a stage. Bins of one
 * stage share no particle either, but those of one strip, which run one after the other.
 */
#ifndef XPBD_LAYOUTS_PARTITION_H
#define XPBD_LAYOUTS_PARTITION_H

#include "layouts/order.h"
#include "layouts/stream.h"

#define XPBD_NO_STRIP UINT32_MAX
#define XPBD_NO_BIN   UINT32_MAX

/** Constraints of which whole runs are coloured at a time: few enough for the particles to stay in
 *  the nearest cache, enough for every colour to fill lane groups. */
#define XPBD_CHUNK 8192

typedef struct xpbd_bins {
    uint32_t n_bins, n_stages, capacity;
    uint32_t n_idle;   /* the last of n_bins, which have lanes but are run by no kernel: trees.h */
    uint32_t n_slabs;  /* not 0: strip s is inside slab s, strip n_slabs + s joins s and s + 1, and
                          there is nothing else; strips without constraints have no bins */
    uint32_t n_places; /* of particles in the store: all ranks are below it, and no particle may
                          have one of them */
    bool ordered;      /* bins, and the constraints in them, may share particles: keep the order */
    uint32_t *of;      /* [xpbd_tuples_count()] bin of a constraint, by number */
    uint32_t *type;    /* [n_bins] */
    uint32_t *stage;   /* [n_bins], never falling */
    uint32_t *strip;   /* [n_bins] XPBD_NO_STRIP, or the strip, rising through all stages */
    uint32_t *run;     /* [n_bins] xpbd_run_kind of all its groups */
    xpbd_arena *arena;
} xpbd_bins;

/** Start a list of bins in `arena`, with room for `of`. False without memory. */
bool xpbd_bins_init(xpbd_bins *bins, const xpbd_tuples *tuples, xpbd_arena *arena);
/** Append a bin and return its number, or XPBD_NO_BIN without memory. */
uint32_t xpbd_bins_add(xpbd_bins *bins, uint32_t type, uint32_t stage, uint32_t strip,
                       xpbd_run_kind run);

/** How many constraints make a register of a run. */
#define XPBD_RUN 4

/** Find where a corner of constraint i of a run is, counted from the same corner of the first. */
static inline uint32_t xpbd_run_offset(xpbd_run_kind kind, uint32_t i)
{
    return kind == XPBD_RUN_ZIPPED ? 2 * i : kind == XPBD_RUN_HALVED ? i + i / 2 * 2 : i;
}

/** A run in the making. Zero-initialise it. */
typedef struct xpbd_run {
    uint32_t n, kinds; /* constraints so far; bits of the kinds that they may be */
    uint32_t first[XPBD_CORNERS_MAX];
    uint32_t item[XPBD_RUN];
} xpbd_run;
/** Go on with a constraint, or start anew with it. `item` is the caller's name for it. Returns the
 *  kind when there are XPBD_RUN of them; item[] has them then, and the next call starts anew. */
xpbd_run_kind xpbd_run_add(xpbd_run *run, const uint32_t *particles, uint32_t corners,
                           const uint32_t *rank, uint32_t item);
/** Sort steps of a walk so that constraints between particles equally far apart come together, if
 *  that is what most of them are: then their colours are alike along the mesh, and groups become
 *  runs. Else they are as before. family  [n] scratch; sorted  out  [n] */
void xpbd_sort_by_offsets(const xpbd_tuples *tuples, const uint32_t *rank,
                          const xpbd_walk_step *walk, uint32_t n, uint16_t *family,
                          xpbd_walk_step *sorted);

/** Tell whether a bin is in the same strip as the one before. */
static inline bool xpbd_bins_go_on(const xpbd_bins *bins, uint32_t bin)
{
    return bin > 0 && bins->strip[bin] != XPBD_NO_STRIP && bins->strip[bin] == bins->strip[bin - 1];
}

/* Each takes the constraints in the order of `walk`, keeps the bins in `arena` and what it needs on
 * the way in `scratch`, is linear, and returns false without memory. */

/** A bin per batch, in one stage: the caller's order. Its constraints may share particles. */
bool xpbd_partition_sequence(const xpbd_tuples *tuples, xpbd_bins *bins, xpbd_arena *arena);
/** A bin per type, in one stage: for updates that do not move particles in place. */
bool xpbd_partition_free(const xpbd_tuples *tuples, xpbd_bins *bins, xpbd_arena *arena);
/** Greedy colours: each constraint takes the lowest colour that none of its particles has yet. A
 *  colour is a stage, with a bin per type. Colours are as many as needed, without a limit. */
bool xpbd_partition_greedy(const xpbd_tuples *tuples, const xpbd_walk_step *walk,
                           const uint32_t *rank, xpbd_bins *bins, xpbd_arena *arena,
                           xpbd_arena *scratch);
/** Slabs: ranges of particles, as many as the mesh gives, whatever the threads. Stage 0 has a strip
 *  per slab, with the constraints inside it; stage 1 a strip per pair of neighbouring slabs, with
 *  those across; stage 2 is what remains: without it, bins->n_slabs is set. Ranks of slabs come to
 *  lie apart, with bins->n_places for all. A mesh that is too tangled for slabs is coloured
 * greedily. `walk` must be by rank. */
bool xpbd_partition_slabs(const xpbd_tuples *tuples, const xpbd_walk_step *walk, uint32_t *rank,
                          xpbd_bins *bins, xpbd_arena *arena, xpbd_arena *scratch);

/** Append greedy colours of part of the constraints: `n` steps of a walk. The first colour becomes
 *  stage `stage`. */
bool xpbd_color_all(const xpbd_tuples *tuples, const xpbd_walk_step *walk, const uint32_t *rank,
                    uint32_t n, uint32_t stage, xpbd_bins *bins, xpbd_arena *scratch);

/** What colouring strips needs, made once for all of them. */
typedef struct xpbd_chunks {
    uint64_t *taken; /* [n_particles] colours taken in the pass pass_of[p] */
    uint32_t *pass_of;
    uint32_t pass;
    uint32_t n_pending;
    const xpbd_tuples *tuples;
    const uint32_t *rank;
    xpbd_walk_step *pending;          /* [XPBD_CHUNK] in the order of the walk */
    xpbd_walk_step *sorted;           /* [XPBD_CHUNK] in that of colouring */
    uint16_t *family;                 /* [XPBD_CHUNK] */
    uint8_t *color;                   /* [constraint number] */
    uint8_t *kind;                    /* [constraint number] xpbd_run_kind */
    xpbd_run *runs;                   /* [64 colours] */
    struct xpbd_chunk_colors *colors; /* [type] */
} xpbd_chunks;

bool xpbd_chunks_init(xpbd_chunks *chunks, const xpbd_tuples *tuples, const uint32_t *rank,
                      xpbd_arena *scratch);
/** Append a strip of `n` steps of a walk: chunk after chunk, each coloured by itself, type by type,
 *  with whole lane groups only; what does not fill a group goes to the next chunk. */
bool xpbd_chunks_strip(xpbd_chunks *chunks, const xpbd_walk_step *walk, uint32_t n, uint32_t stage,
                       uint32_t strip, xpbd_bins *bins);

#endif
