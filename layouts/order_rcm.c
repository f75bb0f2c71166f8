/* SPDX-License-Identifier: MIT
 *
 * rcm: reverse Cuthill-McKee. A breadth-first search from the rim of every component, neighbours
 * of low degree first, numbered backwards: particles that share a constraint come to lie close
 * together. Cuthill and McKee 1969; the start by George and Liu 1979: go to the far end of the
 * search until that gets no farther.
 *
 * Of neighbours that come to a particle's turn together, those go first whose last neighbour with a
 * place got it first: in what was a grid before its particles were shuffled, lines of particles
 * come out side by side, and constraints along them make runs (runs.c).
 *
 * All other ties go to the lower degree and index. Adjacency lists come out sorted by (degree,
 * index) because particles are entered in that order, so a hub with a million neighbours costs no
 * sort.
 */
#include "layouts/order.h"

/* Searches from better and better starts; two are enough for nearly every mesh. */
enum { MOST_SEARCHES = 6, MOST_SORTED = 64 };

#define UNSEEN UINT32_MAX

typedef struct graph {
    uint32_t n;
    uint32_t *first;   /* [n + 1] */
    uint32_t *other;   /* neighbours, once per shared element */
    uint32_t *by_rise; /* particles by (degree, index) */
    uint32_t *queue;   /* [n] */
    uint32_t *seen;    /* [n] number of the search that saw it last, or UNSEEN */
    uint32_t *place;   /* [n] in the queue of that search, or UNSEEN until it is given */
} graph;

typedef void pair_fn(uint32_t a, uint32_t b, uint32_t *at, uint32_t *other);

/* Hubs are near everything, which says nothing about what should lie close together. */
static bool are_near(const xpbd_tuples *tuples, uint32_t a, uint32_t b)
{
    return xpbd_tuples_joins(tuples, a) && xpbd_tuples_joins(tuples, b);
}

static void count_pair(uint32_t a, uint32_t b, uint32_t *degree, uint32_t *other)
{
    (void)other;
    degree[a]++;
    degree[b]++;
}

static void enter_pair(uint32_t a, uint32_t b, uint32_t *place, uint32_t *other)
{
    other[place[a]++] = b;
    other[place[b]++] = a;
}

/* Two particles are neighbours once for every element that they share. The elements of a larger
 * constraint hang together by their first corners, one after the other: all pairs of a mesh or a
 * cluster would be too many, and say no more about what should lie close together. */
static void each_pair(const xpbd_tuples *tuples, pair_fn *use, uint32_t *at, uint32_t *other)
{
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const uint32_t corners = tuples->n_corners[type];
        for (uint32_t i = 0; i < xpbd_tuples_of(tuples, type); i++) {
            uint32_t n;
            const uint32_t *p = xpbd_tuples_at(tuples, type, i, &n);
            for (uint32_t k = 0; k < n; k++) {
                const uint32_t end = k - k % corners + corners; /* of the element */
                for (uint32_t l = k + 1; l < end; l++) {
                    if (are_near(tuples, p[k], p[l])) {
                        use(p[k], p[l], at, other);
                    }
                }
                if (k % corners == 0 && end < n && are_near(tuples, p[k], p[end])) {
                    use(p[k], p[end], at, other);
                }
            }
        }
    }
}

/* first[i + 1] holds the degree of i; make it where the list of i begins, and the copy in place. */
static void sum_degrees(graph *g, uint32_t *place)
{
    for (uint32_t i = 0; i < g->n; i++) {
        g->first[i + 1] += g->first[i];
        place[i] = g->first[i];
    }
}

/* Counting sort of particles by degree. */
static bool sort_by_degree(graph *g, xpbd_arena *scratch)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        const uint32_t degree = g->first[i + 1] - g->first[i];
        most = degree > most ? degree : most;
    }
    uint32_t *place = xpbd_arena_zero(scratch, (size_t)most + 2, sizeof *place);
    if (!place) {
        return false;
    }
    for (uint32_t i = 0; i < g->n; i++) {
        place[g->first[i + 1] - g->first[i] + 1]++;
    }
    for (uint32_t d = 0; d <= most; d++) {
        place[d + 1] += place[d];
    }
    for (uint32_t i = 0; i < g->n; i++) {
        g->by_rise[place[g->first[i + 1] - g->first[i]]++] = i;
    }
    return true;
}

static bool build(graph *g, const xpbd_tuples *tuples, xpbd_arena *scratch)
{
    g->n = tuples->n_particles;
    g->first = xpbd_arena_zero(scratch, (size_t)g->n + 1, sizeof(uint32_t));
    g->by_rise = xpbd_arena_alloc(scratch, g->n, sizeof(uint32_t));
    g->queue = xpbd_arena_alloc(scratch, g->n, sizeof(uint32_t));
    g->seen = xpbd_arena_alloc(scratch, g->n, sizeof(uint32_t));
    g->place = xpbd_arena_alloc(scratch, g->n, sizeof(uint32_t));
    uint32_t *place = g->place; /* in the lists, as they fill */
    if (scratch->failed) {
        return false;
    }
    each_pair(tuples, count_pair, g->first + 1, NULL);
    sum_degrees(g, place);
    uint32_t *unsorted = xpbd_arena_alloc(scratch, g->first[g->n], sizeof(uint32_t));
    g->other = xpbd_arena_alloc(scratch, g->first[g->n], sizeof(uint32_t));
    if (!unsorted || !g->other || !sort_by_degree(g, scratch)) {
        return false;
    }
    each_pair(tuples, enter_pair, place, unsorted);
    for (uint32_t i = 0; i < g->n; i++) {
        place[i] = g->first[i];
        g->seen[i] = UNSEEN;
    }
    /* The graph is symmetric: entering every particle, in rising order, into the lists of its
     * neighbours gives the same lists, sorted. */
    for (uint32_t k = 0; k < g->n; k++) {
        const uint32_t a = g->by_rise[k];
        for (uint32_t e = g->first[a]; e < g->first[a + 1]; e++) {
            g->other[place[unsorted[e]]++] = a;
        }
    }
    return true;
}

/* Give places to what one particle has put into the queue. More than MOST_SORTED stay as they are:
 * around a hub there are no lines. */
static void place_children(graph *g, uint32_t mark, uint32_t begin, uint32_t end, uint32_t *queue)
{
    uint32_t last[MOST_SORTED];
    for (uint32_t k = begin; k < end && end - begin <= MOST_SORTED; k++) {
        const uint32_t a = queue[k];
        uint32_t late = 0, at = k;
        for (uint32_t e = g->first[a]; e < g->first[a + 1]; e++) {
            const uint32_t b = g->other[e];
            const bool placed = g->seen[b] == mark && g->place[b] != UNSEEN;
            late = placed && g->place[b] > late ? g->place[b] : late;
        }
        for (; at > begin && last[at - 1 - begin] > late; at--) {
            last[at - begin] = last[at - 1 - begin];
            queue[at] = queue[at - 1];
        }
        last[at - begin] = late;
        queue[at] = a;
    }
    for (uint32_t k = begin; k < end; k++) {
        g->place[queue[k]] = k;
    }
}

/* Breadth-first from `start` into queue[0 ...]; returns how many were reached, *levels how far.
 * *rim is the particle of lowest degree in the last level. */
static uint32_t search(graph *g, uint32_t start, uint32_t mark, uint32_t *queue, uint32_t *levels,
                       uint32_t *rim)
{
    uint32_t end = 1, level_end = 1, level_begin = 0;
    *levels = 0;
    queue[0] = start;
    g->seen[start] = mark;
    g->place[start] = 0;
    for (uint32_t k = 0; k < end; k++) {
        if (k == level_end) {
            level_begin = level_end;
            level_end = end;
            ++*levels;
        }
        const uint32_t a = queue[k], children = end;
        for (uint32_t e = g->first[a]; e < g->first[a + 1]; e++) {
            const uint32_t b = g->other[e];
            if (g->seen[b] != mark) {
                g->seen[b] = mark;
                g->place[b] = UNSEEN;
                queue[end++] = b;
            }
        }
        place_children(g, mark, children, end, queue);
    }
    *rim = queue[level_begin];
    for (uint32_t k = level_begin; k < end; k++) {
        const uint32_t a = queue[k];
        if (g->first[a + 1] - g->first[a] < g->first[*rim + 1] - g->first[*rim]) {
            *rim = a;
        }
    }
    return end;
}

bool xpbd_order_rcm(const xpbd_tuples *tuples, uint32_t *rank, xpbd_arena *scratch)
{
    graph g = {0};
    if (!build(&g, tuples, scratch)) {
        return false;
    }
    uint32_t done = 0, mark = 0;
    for (uint32_t k = 0; k < g.n; k++) {
        uint32_t start = g.by_rise[k];
        if (g.seen[start] != UNSEEN) {
            continue;
        }
        uint32_t levels, rim, before = 0, reached = 0;
        for (int s = 0; s < MOST_SEARCHES; s++) {
            reached = search(&g, start, mark++, g.queue + done, &levels, &rim);
            if (s > 0 && levels <= before) {
                break;
            }
            before = levels;
            start = rim;
        }
        done += reached;
    }
    for (uint32_t k = 0; k < g.n; k++) {
        rank[g.queue[k]] = g.n - 1 - k;
    }
    return true;
}
