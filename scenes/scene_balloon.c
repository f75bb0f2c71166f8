/* SPDX-License-Identifier: MIT
 *
 * balloon-N: an octahedron whose edges are cut into k = N / 2 parts (rounded up), blown up to a
 * sphere of 1 m across: 4 k^2 + 2 particles, 12 k^2 edges with a distance each, 8 k^2 triangles,
 * whose volume is one constraint that wants to be 1.2 times what it is. The top is fixed.
 *
 * Particles are numbered ring by ring from the top. Ring r has 4 w of them, w = min(r, 2 k - r), in
 * four quarters; the first and the last ring are one particle each.
 *
 *     ring r       0   1   2 = the next quarter's 0        down: two corners above
 *                 / \ / \ / \
 *     ring r + 1 0   1   2   3                             up: two corners below
 */
#include <math.h>

#include "scenes/scene_parts.h"

#define RADIUS       0.5
#define AREA_DENSITY 0.3   /* kg/m^2: rubber of 0.3 mm */
#define STRETCH      4e-3f /* m/N: 1.15 / (E h) of equilateral triangles, E = 1e6 Pa */
#define PRESSURE     1.2f
#define PI           3.14159265358979

static uint32_t width(uint32_t k, uint32_t ring)
{
    return ring < k ? ring : 2 * k - ring;
}

/* Particle t of a quarter; it may be the next quarter's first. */
static uint32_t at(uint32_t k, uint32_t ring, uint32_t quarter, uint32_t t)
{
    const uint32_t w = width(k, ring);
    /* 1 + 4 + 8 + ..., and from below the same */
    if (ring == 0)
        return 0;
    const uint32_t first = ring <= k ? 1 + 2 * ring * (ring - 1) : 4 * k * k + 1 - 2 * w * (w + 1);
    return ring == 2 * k ? first : first + (quarter * w + t) % (4 * w);
}

static void place(uint32_t k, xpbd_scene *scene)
{
    static const int corners[5][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    for (uint32_t ring = 0; ring <= 2 * k; ring++) {
        const uint32_t w = width(k, ring);
        for (uint32_t i = 0; i < (w ? 4 * w : 1); i++) {
            const int *from = corners[w ? i / w : 0], *to = corners[w ? i / w + 1 : 0];
            const double t = w ? i % w : 0.0, rest = (double)w - t;
            const double x[3] = {rest * from[0] + t * to[0], (double)k - ring,
                                 rest * from[1] + t * to[1]};
            const double scale = RADIUS / sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
            float *position = scene->positions + 3 * (size_t)at(k, ring, 0, i);
            for (int c = 0; c < 3; c++)
                position[c] = (float)(x[c] * scale);
        }
    }
}

/* Along the rings, and between each ring and the next. */
static void join_all(uint32_t k, xpbd_scene *scene)
{
    for (uint32_t ring = 1; ring < 2 * k; ring++)
        for (uint32_t i = 0; i < 4 * width(k, ring); i++)
            xpbd_scene_join(scene, at(k, ring, 0, i), at(k, ring, 0, i + 1));
    for (uint32_t ring = 0; ring < 2 * k; ring++) {
        const uint32_t wide = ring < k ? ring + 1 : ring, narrow = ring < k ? ring : ring + 1;
        for (uint32_t q = 0; q < 4; q++) {
            for (uint32_t t = 0; t < width(k, wide); t++) {
                const uint32_t b = at(k, wide, q, t);
                xpbd_scene_join(scene, at(k, narrow, q, t), b);
                if (t > 0)
                    xpbd_scene_join(scene, at(k, narrow, q, t - 1), b);
            }
        }
    }
}

/* Outwards in the upper half; in the lower half the rings change places, and so do two corners. */
static void add_triangle(xpbd_scene *scene, bool upper, uint32_t a, uint32_t b, uint32_t c)
{
    xpbd_scene_add(scene, upper ? (uint32_t[]){a, b, c} : (uint32_t[]){a, c, b});
}

static void cover(uint32_t k, xpbd_scene *scene)
{
    for (uint32_t ring = 0; ring < 2 * k; ring++) {
        const bool upper = ring < k;
        const uint32_t wide = upper ? ring + 1 : ring, narrow = upper ? ring : ring + 1;
        for (uint32_t q = 0; q < 4; q++) {
            for (uint32_t t = 0; t < width(k, wide); t++) {
                const uint32_t a = at(k, narrow, q, t);
                const uint32_t b = at(k, wide, q, t), c = at(k, wide, q, t + 1);
                add_triangle(scene, upper, a, c, b);
                if (t + 1 < width(k, wide))
                    add_triangle(scene, upper, a, at(k, narrow, q, t + 1), c);
            }
        }
    }
}

/* Volume inside the triangles: of tetrahedra to the origin, which is inside. */
static double volume(const xpbd_scene *scene)
{
    const xpbd_scene_batch *batch = &scene->batches[scene->n_batches - 1];
    double sum = 0.0;
    for (size_t e = 0; e < batch->n_elements; e++) {
        double x[3][3];
        for (size_t k = 0; k < 9; k++)
            x[k / 3][k % 3] =
                (double)scene->positions[3 * (size_t)batch->particles[3 * e + k / 3] + k % 3];
        sum += x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) +
               x[0][1] * (x[1][2] * x[2][0] - x[1][0] * x[2][2]) +
               x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
    }
    return sum / 6.0;
}

bool xpbd_scene_fill_balloon(uint32_t n, xpbd_scene *scene)
{
    const uint32_t k = (n + 1) / 2, n_particles = 4 * k * k + 2;
    const double mass = AREA_DENSITY * 4.0 * PI * RADIUS * RADIUS;
    if (!xpbd_scene_allocate(scene, n_particles, (float)(n_particles / mass)) ||
        !xpbd_scene_open_distances(scene, 12 * k * k, STRETCH))
        return false;
    place(k, scene);
    scene->inverse_masses[0] = 0.0f;
    join_all(k, scene);
    if (!xpbd_scene_open(scene, XPBD_MESH_VOLUME, 8 * k * k, 0.0f) ||
        !xpbd_scene_make_rest(scene, 1))
        return false;
    cover(k, scene);
    float *rest = scene->batches[scene->n_batches - 1].rest;
    rest[0] = (float)volume(scene);
    rest[1] = PRESSURE;
    return true;
}
