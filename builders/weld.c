/* SPDX-License-Identifier: MIT
 *
 * From vertices to particles. Welding joins all pairs of vertices within the distance, and what
 * such pairs connect: a property of the set of points, unlike rounding to a raster, which splits a
 * pair at a border of its cells, and unlike keeping the first point, which depends on the order.
 *
 * Points are hashed by cells of half the distance. Their diagonal is below the distance, so a cell
 * is joined without comparing, and only cells up to two away can hold partners.
 */
#include "builders/builder.h"

#include <math.h>
#include <string.h>

typedef struct raster {
    double side;     /* 0: each place is a cell of its own */
    uint32_t mask;   /* n_slots - 1 */
    uint32_t *slots; /* first vertex of the cell, or UINT32_MAX */
    uint32_t *next;  /* [n_vertices] in the same cell */
    float (*x)[3];
    double (*key)[3];
    uint32_t *root; /* union-find: the lowest vertex of a set is its root */
} raster;

static uint32_t hash(const double key[3])
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int k = 0; k < 3; k++) {
        uint64_t bits;
        memcpy(&bits, &key[k], sizeof bits);
        h = (h ^ bits) * 0xbf58476d1ce4e5b9u;
        h ^= h >> 29;
    }
    return (uint32_t)(h >> 16);
}

static uint32_t find_root(uint32_t *root, uint32_t v)
{
    while (root[v] != v) {
        root[v] = root[root[v]];
        v = root[v];
    }
    return v;
}

static void join(uint32_t *root, uint32_t a, uint32_t b)
{
    a = find_root(root, a);
    b = find_root(root, b);
    if (a < b)
        root[b] = a;
    else
        root[a] = b;
}

/* The slot of a cell, or the free one where it would be. */
static uint32_t find_slot(const raster *cells, const double key[3])
{
    uint32_t s = hash(key) & cells->mask;
    while (cells->slots[s] != UINT32_MAX &&
           memcmp(cells->key[cells->slots[s]], key, 3 * sizeof(double)) != 0)
        s = (s + 1) & cells->mask;
    return s;
}

static void insert(raster *cells, uint32_t v)
{
    /* Adding 0 makes 0 of -0, which has other bits. */
    for (int k = 0; k < 3; k++) {
        const double x = (double)cells->x[v][k];
        cells->key[v][k] = (cells->side > 0.0 ? floor(x / cells->side) : x) + 0.0;
    }
    const uint32_t s = find_slot(cells, cells->key[v]);
    cells->next[v] = UINT32_MAX;
    if (cells->slots[s] != UINT32_MAX) {
        const uint32_t first = cells->slots[s];
        cells->next[v] = cells->next[first];
        cells->next[first] = v;
        join(cells->root, first, v);
    } else {
        cells->slots[s] = v;
    }
}

/* Join two cells if a vertex of one is near a vertex of the other. */
static void join_cells(raster *cells, uint32_t a, uint32_t b, double distance)
{
    if (find_root(cells->root, a) == find_root(cells->root, b))
        return;
    for (uint32_t i = a; i != UINT32_MAX; i = cells->next[i]) {
        for (uint32_t j = b; j != UINT32_MAX; j = cells->next[j]) {
            if (xpbd_builder_distance(cells->x[i], cells->x[j]) <= distance) {
                join(cells->root, i, j);
                return;
            }
        }
    }
}

static void join_neighbours(raster *cells, uint32_t v, double distance)
{
    if (cells->slots[find_slot(cells, cells->key[v])] != v)
        return; /* another vertex stands for the cell */
    for (int n = 0; n < 125 / 2; n++) {
        const double *at = cells->key[v];
        const double key[3] = {at[0] + (n / 25 - 2) + 0.0, at[1] + (n / 5 % 5 - 2) + 0.0,
                               at[2] + (n % 5 - 2) + 0.0};
        const uint32_t other = cells->slots[find_slot(cells, key)];
        if (other != UINT32_MAX)
            join_cells(cells, v, other, distance);
    }
}

static xpbd_status find_sets(xpbd_builder *builder, float (*x)[3], uint32_t *root)
{
    const uint32_t n = builder->mesh->n_vertices;
    const double distance = (double)builder->options->weld_distance;
    uint64_t n_slots = 16;
    while (n_slots < 2 * (uint64_t)n)
        n_slots *= 2;
    xpbd_arena *arena = &builder->arena;
    raster cells = {.side = distance / 2.0, .mask = (uint32_t)(n_slots - 1), .x = x, .root = root};
    cells.slots = xpbd_arena_alloc(arena, (size_t)n_slots, sizeof *cells.slots);
    cells.next = xpbd_arena_alloc(arena, n, sizeof *cells.next);
    cells.key = xpbd_arena_alloc(arena, n, sizeof *cells.key);
    if (arena->failed)
        return xpbd_builder_no_memory(builder);
    memset(cells.slots, 0xff, (size_t)n_slots * sizeof *cells.slots);
    for (uint32_t v = 0; v < n; v++)
        insert(&cells, v);
    for (uint32_t v = 0; v < n && distance > 0.0; v++)
        join_neighbours(&cells, v, distance);
    return XPBD_OK;
}

static bool is_lower(const float a[3], const float b[3])
{
    for (int k = 0; k < 3; k++) {
        if (a[k] < b[k] || a[k] > b[k])
            return a[k] < b[k];
    }
    return false;
}

xpbd_status xpbd_builder_weld(xpbd_builder *builder)
{
    const uint32_t n = builder->mesh->n_vertices;
    xpbd_arena *arena = &builder->arena;
    uint32_t *root = xpbd_arena_alloc(arena, n, sizeof *root);
    float(*x)[3] = xpbd_arena_alloc(arena, n, sizeof *x);
    builder->particle_of = xpbd_arena_alloc(arena, n, sizeof *builder->particle_of);
    builder->vertex_of = xpbd_arena_alloc(arena, n, sizeof *builder->vertex_of);
    builder->x = xpbd_arena_alloc(arena, n, sizeof *builder->x);
    if (arena->failed)
        return xpbd_builder_no_memory(builder);
    for (uint32_t v = 0; v < n; v++) {
        xpbd_builder_position(builder->mesh, v, x[v]);
        root[v] = v;
    }
    if (builder->options->weld)
        XPBD_TRY(find_sets(builder, x, root));
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t first = find_root(root, v);
        uint32_t p = builder->n_particles;
        if (first == v) {
            builder->vertex_of[p] = v;
            memcpy(builder->x[p], x[v], sizeof x[v]);
            builder->n_particles++;
        } else {
            p = builder->particle_of[first];
            builder->built->report.n_welded++;
            if (is_lower(x[v], builder->x[p]))
                memcpy(builder->x[p], x[v], sizeof x[v]);
        }
        builder->particle_of[v] = p;
    }
    return XPBD_OK;
}
