/* SPDX-License-Identifier: MIT
 *
 * Meshes of N x N or N x N x N particles, and closed ones. No two elements are alike: particles are
 * moved at random by up to 15 % of the spacing, and by 5 % more where they are strained.
 */
#include "bench/kernels_input.h"

#include <math.h>
#include <stdlib.h>

#include "bench/text.h"
#include "kernel/kernel.h"
#include "scenes/scene_parts.h"

#define JITTER 0.15
#define STRAIN 0.05
#define SEED   0x6b65726eu

enum {
    CLUSTER = 256, /* elements of a constraint of variable size that asks for no closed surface */
    TORUS = 32     /* quadrangles around a torus, both ways */
};

/* ---- particles and elements */

static void add(bench_input *input, uint32_t n, const uint32_t *particles)
{
    for (uint32_t k = 0; k < n; k++)
        input->particles[(size_t)input->n_elements * n + k] = particles[k];
    input->n_elements++;
}

static void allocate(bench_input *input, uint32_t n_particles, size_t n_elements, uint32_t n)
{
    input->n_particles = n_particles;
    input->rest = bench_alloc(n_particles, 3 * sizeof *input->rest);
    input->strained = bench_alloc(n_particles, 3 * sizeof *input->strained);
    input->particles = bench_alloc(n_elements, n * sizeof *input->particles);
}

static void shake(bench_input *input)
{
    uint64_t state = SEED;
    for (size_t i = 0; i < 3 * (size_t)input->n_particles; i++) {
        input->rest[i] += (float)(JITTER * xpbd_scene_random_signed(&state));
        input->strained[i] = input->rest[i] + (float)(STRAIN * xpbd_scene_random_signed(&state));
    }
}

/* Particle (z n + y) n + x of n x n x depth, 1 m apart. */
static void grid(bench_input *input, uint32_t n, uint32_t depth, size_t n_elements,
                 uint32_t corners)
{
    allocate(input, n * n * depth, n_elements, corners);
    for (uint32_t i = 0; i < n * n * depth; i++) {
        input->rest[3 * (size_t)i] = (float)(i % n);
        input->rest[3 * (size_t)i + 1] = (float)(i / n % n);
        input->rest[3 * (size_t)i + 2] = (float)(i / n / n);
    }
}

/* ---- one function per row: how many elements a mesh of size n has, and filling it */

static size_t count_points(size_t n)
{
    return n * n * n;
}

static void fill_points(bench_input *input, uint32_t n)
{
    grid(input, n, n, count_points(n), 1);
    for (uint32_t i = 0; i < input->n_particles; i++)
        add(input, 1, &i);
}

static size_t count_edges(size_t n)
{
    return 2 * n * (n - 1) + 2 * (n - 1) * (n - 1) + 2 * n * (n - 2);
}

/* Direction by direction, not particle by particle: neighbours in the list join neighbours. */
static void fill_edges(bench_input *input, uint32_t n)
{
    static const struct {
        uint32_t dx, dy;
        bool back; /* to the left */
    } ways[] = {{1, 0, false}, {0, 1, false}, {1, 1, false},
                {1, 1, true},  {2, 0, false}, {0, 2, false}};
    grid(input, n, 1, count_edges(n), 2);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        const uint32_t dx = ways[w].dx, dy = ways[w].dy;
        for (uint32_t y = 0; y + dy < n; y++) {
            for (uint32_t x = 0; x + dx < n; x++) {
                const uint32_t here = y * n + x, there = (y + dy) * n + x;
                const uint32_t plain[] = {here, there + dx}, back[] = {here + dx, there};
                add(input, 2, ways[w].back ? back : plain);
            }
        }
    }
}

static size_t count_triangles(size_t n)
{
    return 2 * (n - 1) * (n - 1);
}

static void fill_triangles(bench_input *input, uint32_t n)
{
    grid(input, n, 1, count_triangles(n), 3);
    for (uint32_t i = 0; i < (n - 1) * n; i++) {
        if (i % n == n - 1)
            continue;
        add(input, 3, (uint32_t[]){i, i + 1, i + n});
        add(input, 3, (uint32_t[]){i + n + 1, i + n, i + 1});
    }
}

static size_t count_chains(size_t n)
{
    return 2 * n * (n - 2);
}

static void fill_chains(bench_input *input, uint32_t n)
{
    grid(input, n, 1, count_chains(n), 3);
    for (uint32_t i = 0; i < n * n; i++)
        if (i % n + 2 < n)
            add(input, 3, (uint32_t[]){i, i + 1, i + 2});
    for (uint32_t i = 0; i + 2 * n < n * n; i++)
        add(input, 3, (uint32_t[]){i, i + n, i + 2 * n});
}

static size_t count_hinges(size_t n)
{
    return (n - 1) * (n - 1) + 2 * (n - 1) * (n - 2);
}

/* The corners off the edge, then the edge, of the triangles above: across diagonals, across edges
 * along x, across edges along y. */
static void fill_hinges(bench_input *input, uint32_t n)
{
    grid(input, n, 1, count_hinges(n), 4);
    for (uint32_t i = 0; i < (n - 1) * n; i++)
        if (i % n < n - 1)
            add(input, 4, (uint32_t[]){i, i + n + 1, i + 1, i + n});
    for (uint32_t i = n; i < (n - 1) * n; i++)
        if (i % n < n - 1)
            add(input, 4, (uint32_t[]){i + n, i + 1 - n, i, i + 1});
    for (uint32_t i = 0; i < (n - 1) * n; i++)
        if (i % n > 0 && i % n < n - 1)
            add(input, 4, (uint32_t[]){i + 1, i + n - 1, i, i + n});
}

static size_t count_tets(size_t n)
{
    return 6 * (n - 1) * (n - 1) * (n - 1);
}

/* Kuhn's six tetrahedra of a cell: along three of its edges from one end of a diagonal to the
 * other, in each order. Half of the orders turn left; there two corners change places. */
static void fill_tets(bench_input *input, uint32_t n)
{
    static const uint8_t orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                         {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const uint32_t strides[3] = {1, n, n * n};
    grid(input, n, n, count_tets(n), 4);
    for (uint32_t i = 0; i < n * n * (n - 1); i++) {
        if (i % n == n - 1 || i / n % n == n - 1)
            continue;
        for (size_t k = 0; k < 6; k++) {
            const uint32_t a = i + strides[orders[k][0]];
            const uint32_t b = a + strides[orders[k][1]];
            const uint32_t end = i + 1 + n + n * n;
            add(input, 4, k < 3 ? (uint32_t[]){i, a, b, end} : (uint32_t[]){i, b, a, end});
        }
    }
}

static size_t count_tori(size_t n)
{
    return 2 * n * TORUS * TORUS;
}

/* A point of the unit circle for part/TORUS of a turn, on a square that is blown up: it needs
 * nothing that does not round the same everywhere. */
static void turn(uint32_t part, double *x, double *y)
{
    const double t = 4.0 * part / TORUS; /* quarters */
    *x = t < 2.0 ? 1.0 - t : t - 3.0;
    *y = t < 1.0 ? t : t < 3.0 ? 2.0 - t : t - 4.0;
    const double length = sqrt(*x * *x + *y * *y);
    *x /= length;
    *y /= length;
}

static void fill_tori(bench_input *input, uint32_t n)
{
    const double small = TORUS / 6.28, large = 3.0 * small; /* radii */
    allocate(input, n * TORUS * TORUS, count_tori(n), 3);
    for (uint32_t i = 0; i < n * TORUS * TORUS; i++) {
        const uint32_t u = i / TORUS % TORUS, v = i % TORUS, first = i / TORUS / TORUS;
        double cu, su, cv, sv;
        turn(u, &cu, &su);
        turn(v, &cv, &sv);
        input->rest[3 * (size_t)i] = (float)((large + small * cv) * cu);
        input->rest[3 * (size_t)i + 1] = (float)((large + small * cv) * su);
        input->rest[3 * (size_t)i + 2] = (float)(small * sv + 3.0 * small * first);
        const uint32_t here = first * TORUS * TORUS, u1 = (u + 1) % TORUS, v1 = (v + 1) % TORUS;
        const uint32_t a = here + u1 * TORUS + v, b = here + u * TORUS + v1;
        const uint32_t c = here + u1 * TORUS + v1;
        add(input, 3, (uint32_t[]){i, a, b});
        add(input, 3, (uint32_t[]){c, b, a});
    }
}

/* ---- which one */

enum {
#define BENCH_INPUT(name, ...) INPUT_##name,
#include "bench/kernels_inputs.def"
    N_INPUTS
};

static const struct {
    uint32_t particles;
    size_t (*count)(size_t n);
    void (*fill)(bench_input *input, uint32_t n);
    const char *text;
} INPUTS[] = {
#define BENCH_INPUT(name, particles, text) {particles, count_##name, fill_##name, text},
#include "bench/kernels_inputs.def"
};

_Static_assert(XPBD_CORNERS_MAX == 4, "kernels_inputs.def has no mesh for more particles");

static uint32_t input_of(xpbd_constraint_type type)
{
    static const struct {
        xpbd_constraint_type type;
        uint32_t input;
    } OTHERS[] = {
#define BENCH_INPUT(...)
#define BENCH_INPUT_OF(TYPE, name) {XPBD_##TYPE, INPUT_##name},
#include "bench/kernels_inputs.def"
    };
    if (xpbd_constraint_ops_of(type)->closed)
        return INPUT_tori;
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        if (OTHERS[i].type == type)
            return OTHERS[i].input;
    const uint32_t particles = xpbd_constraint_type_info(type)->n_particles;
    uint32_t i = 0;
    while (i + 1 < N_INPUTS && INPUTS[i].particles != particles)
        i++;
    return i;
}

static void cut(bench_input *input, uint32_t size)
{
    input->n_constraints = (input->n_elements + size - 1) / size;
    input->sizes = bench_alloc(input->n_constraints, sizeof *input->sizes);
    for (uint32_t i = 0; i < input->n_constraints; i++) {
        const uint32_t left = input->n_elements - i * size;
        input->sizes[i] = left < size ? left : size;
    }
}

void bench_input_make(xpbd_constraint_type type, uint32_t n, bench_input *input)
{
    const uint32_t which = input_of(type);
    uint32_t size = which == INPUT_tori ? 1 : 3;
    while (INPUTS[which].count(size) < n)
        size++;
    *input = (bench_input){.text = INPUTS[which].text};
    INPUTS[which].fill(input, size);
    shake(input);
    if (xpbd_constraint_type_info(type)->variable)
        cut(input, which == INPUT_tori ? 2 * TORUS * TORUS : CLUSTER);
    else
        input->n_constraints = input->n_elements;
}

void bench_input_free(bench_input *input)
{
    free(input->rest);
    free(input->strained);
    free(input->particles);
    free(input->sizes);
    *input = (bench_input){0};
}
