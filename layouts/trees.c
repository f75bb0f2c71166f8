/* SPDX-License-Identifier: MIT
 *
 * Trees by union-find over particles, then a walk from the lowest particle of each, breadth first.
 */
#include "layouts/trees.h"

#include <string.h>

/* As many as one in so many links of a component may close cycles; with more it has no trees. */
enum { LINKS_PER_CYCLE = 4 };

typedef struct search {
    const xpbd_tuples *tuples;
    const xpbd_walk_step *walk;
    const uint8_t *movable;
    uint32_t n;        /* steps of the walk */
    uint32_t *root;    /* [n_particles] union-find */
    uint32_t *n_links; /* [n_particles] of the component, at its root */
    uint32_t *n_joins; /* the same: links between two particles that can move */
    uint32_t *n_cycles;
    uint8_t *in; /* [n] the step joins */
} search;

static uint32_t find(uint32_t *root, uint32_t i)
{
    while (root[i] != i) {
        root[i] = root[root[i]];
        i = root[i];
    }
    return i;
}

/* The corners of a constraint that can move; two at most. */
static uint32_t movable_corners(const search *s, xpbd_walk_step at, uint32_t *corner)
{
    uint32_t n, found = 0;
    const uint32_t *p = xpbd_tuples_at(s->tuples, at.type, at.index, &n);
    for (uint32_t k = 0; k < n; k++) {
        if (s->movable[p[k]]) {
            corner[found++] = k;
        }
    }
    return found;
}

static uint32_t particle_of(const search *s, xpbd_walk_step at, uint32_t corner)
{
    uint32_t n;
    return xpbd_tuples_at(s->tuples, at.type, at.index, &n)[corner];
}

static void join_all(search *s)
{
    uint32_t corner[XPBD_CORNERS_MAX];
    for (uint32_t k = 0; k < s->n; k++) {
        const xpbd_walk_step at = s->walk[k];
        const uint8_t *gone = s->tuples->gone[at.type];
        const bool fits = s->tuples->trees[at.type] && !(gone && gone[at.index]);
        const uint32_t n = fits ? movable_corners(s, at, corner) : 0;
        if (n == 0) {
            continue;
        }
        const uint32_t a = find(s->root, particle_of(s, s->walk[k], corner[0]));
        const uint32_t b = n > 1 ? find(s->root, particle_of(s, s->walk[k], corner[1])) : a;
        if (n > 1 && a == b) {
            s->n_cycles[a]++;
            continue;
        }
        s->in[k] = 1;
        if (n > 1) {
            const uint32_t low = a < b ? a : b, high = a < b ? b : a;
            s->root[high] = low; /* the lowest particle of a component is its root */
            s->n_links[low] += s->n_links[high];
            s->n_joins[low] += s->n_joins[high] + 1;
            s->n_cycles[low] += s->n_cycles[high];
        }
        s->n_links[a < b ? a : b]++;
    }
}

static bool is_tree(const search *s, uint32_t root)
{
    return s->n_links[root] > 1 && LINKS_PER_CYCLE * s->n_cycles[root] <= s->n_joins[root];
}

/* Sort the steps of the walk into those that trees keep and those that are left. Returns how many
 * are kept: their numbers are in `kept`. */
static uint32_t choose(search *s, uint32_t *kept, xpbd_walk_step *left, uint32_t *n_left)
{
    uint32_t corner[XPBD_CORNERS_MAX], n_kept = 0;
    *n_left = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        bool keep = s->in[k];
        if (keep) {
            movable_corners(s, s->walk[k], corner);
            keep = is_tree(s, find(s->root, particle_of(s, s->walk[k], corner[0])));
        }
        if (keep) {
            kept[n_kept++] = k;
        } else {
            left[(*n_left)++] = s->walk[k];
        }
    }
    return n_kept;
}

/* What is walked along: the links that are kept at each particle, in the order of the walk. */
typedef struct graph {
    uint32_t *first; /* [n_particles + 1] */
    uint32_t *at;    /* numbers of steps */
    uint32_t *point; /* [n_particles] or XPBD_NO_POINT */
    uint8_t *used;   /* [n] steps */
} graph;

static bool make_graph(const search *s, const uint32_t *kept, uint32_t n_kept, graph *g,
                       xpbd_arena *scratch)
{
    const uint32_t n = s->tuples->n_particles;
    uint32_t corner[XPBD_CORNERS_MAX];
    g->first = xpbd_arena_zero(scratch, (size_t)n + 2, sizeof *g->first);
    g->at = xpbd_arena_alloc(scratch, 2 * (size_t)n_kept, sizeof *g->at);
    g->point = xpbd_arena_alloc(scratch, n, sizeof *g->point);
    g->used = xpbd_arena_zero(scratch, s->n, 1);
    if (scratch->failed) {
        return false;
    }
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t k = 0; k < n_kept; k++) {
            const uint32_t corners = movable_corners(s, s->walk[kept[k]], corner);
            for (uint32_t c = 0; c < corners; c++) {
                uint32_t *place = &g->first[particle_of(s, s->walk[kept[k]], corner[c]) + 1];
                if (fill) {
                    g->at[*place] = kept[k];
                }
                ++*(fill ? place : place + 1); /* counts two behind, then ends one behind */
            }
        }
        for (uint32_t i = 0; i <= n && !fill; i++) {
            g->first[i + 1] += g->first[i];
        }
    }
    memset(g->point, 0xff, n * sizeof *g->point);
    return true;
}

/* Give a particle its place. */
static uint32_t add_point(graph *g, xpbd_trees *trees, uint32_t particle, uint32_t *n_points)
{
    g->point[particle] = *n_points;
    trees->particle[*n_points] = particle;
    return (*n_points)++;
}

/* All links of a tree from its root on: its points are the queue. */
static void walk_tree(const search *s, graph *g, xpbd_trees *trees, uint32_t root,
                      uint32_t *n_links, uint32_t *n_points)
{
    uint32_t corner[XPBD_CORNERS_MAX];
    uint32_t next = *n_points;
    add_point(g, trees, root, n_points);
    for (; next < *n_points; next++) {
        const uint32_t particle = trees->particle[next];
        for (uint32_t k = g->first[particle]; k < g->first[particle + 1]; k++) {
            const uint32_t step = g->at[k];
            if (g->used[step]) {
                continue;
            }
            g->used[step] = 1;
            const uint32_t n = movable_corners(s, s->walk[step], corner);
            const uint32_t mine = particle_of(s, s->walk[step], corner[0]) == particle ? 0 : 1;
            xpbd_link *link = &trees->link[(*n_links)++];
            *link = (xpbd_link){.type = s->walk[step].type,
                                .index = s->walk[step].index,
                                .parent = next,
                                .child = XPBD_NO_POINT,
                                .corner = corner[mine]};
            if (n > 1) {
                link->child =
                    add_point(g, trees, particle_of(s, s->walk[step], corner[1 - mine]), n_points);
            }
        }
    }
}

static bool list_trees(const search *s, const uint32_t *kept, uint32_t n_kept, xpbd_trees *trees,
                       xpbd_arena *arena, xpbd_arena *scratch)
{
    const uint32_t n = s->tuples->n_particles;
    uint32_t n_links = 0, n_points = 0, n_trees = 0;
    graph g;
    for (uint32_t i = 0; i < n; i++) {
        const bool tree = s->movable[i] && is_tree(s, find(s->root, i));
        n_points += tree;
        n_trees += tree && s->root[i] == i;
    }
    trees->first_link = xpbd_arena_zero(arena, (size_t)n_trees + 1, sizeof(uint32_t));
    trees->first_point = xpbd_arena_zero(arena, (size_t)n_trees + 1, sizeof(uint32_t));
    trees->link = xpbd_arena_alloc(arena, n_kept, sizeof *trees->link);
    trees->particle = xpbd_arena_alloc(arena, n_points, sizeof(uint32_t));
    if (arena->failed || !make_graph(s, kept, n_kept, &g, scratch)) {
        return false;
    }
    n_points = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (s->movable[i] && s->root[i] == i && is_tree(s, i)) {
            walk_tree(s, &g, trees, i, &n_links, &n_points);
            trees->n++;
            trees->first_link[trees->n] = n_links;
            trees->first_point[trees->n] = n_points;
        }
    }
    return true;
}

bool xpbd_trees_find(const xpbd_tuples *tuples, const xpbd_walk_step *walk, const uint8_t *movable,
                     xpbd_trees *trees, xpbd_walk_step *left, uint32_t *n_left, xpbd_arena *arena,
                     xpbd_arena *scratch)
{
    const uint32_t n = tuples->n_particles;
    search s = {.tuples = tuples, .walk = walk, .movable = movable, .n = xpbd_tuples_count(tuples)};
    s.root = xpbd_arena_alloc(scratch, n, sizeof *s.root);
    s.n_links = xpbd_arena_zero(scratch, n, sizeof *s.n_links);
    s.n_joins = xpbd_arena_zero(scratch, n, sizeof *s.n_joins);
    s.n_cycles = xpbd_arena_zero(scratch, n, sizeof *s.n_cycles);
    s.in = xpbd_arena_zero(scratch, s.n, 1);
    uint32_t *kept = xpbd_arena_alloc(scratch, s.n, sizeof *kept);
    *trees = (xpbd_trees){0};
    if (scratch->failed) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        s.root[i] = i;
    }
    join_all(&s);
    const uint32_t n_kept = choose(&s, kept, left, n_left);
    return list_trees(&s, kept, n_kept, trees, arena, scratch);
}

bool xpbd_partition_trees(const xpbd_tuples *tuples, const xpbd_walk_step *walk,
                          const uint32_t *rank, const uint8_t *movable, xpbd_trees *trees,
                          xpbd_bins *bins, xpbd_arena *arena, xpbd_arena *scratch)
{
    const uint32_t n = xpbd_tuples_count(tuples);
    xpbd_walk_step *left = xpbd_arena_alloc(scratch, n, sizeof *left);
    uint32_t n_left, bin[XPBD_CONSTRAINT_TYPE_COUNT];
    if (!left || !xpbd_bins_init(bins, tuples, scratch) ||
        !xpbd_trees_find(tuples, walk, movable, trees, left, &n_left, arena, scratch) ||
        !xpbd_color_all(tuples, left, rank, n_left, 0, bins, scratch)) {
        return false;
    }
    const uint32_t stage = bins->n_stages;
    const uint32_t n_run = bins->n_bins;
    memset(bin, 0xff, sizeof bin);
    for (uint32_t k = 0; k < trees->first_link[trees->n]; k++) {
        const uint32_t type = trees->link[k].type;
        if (bin[type] == XPBD_NO_BIN) {
            bin[type] = xpbd_bins_add(bins, type, stage, XPBD_NO_STRIP, XPBD_RUN_NONE);
        }
        bins->of[tuples->first[type] + trees->link[k].index] = bin[type];
    }
    bins->n_idle = bins->n_bins - n_run;
    return !scratch->failed;
}
