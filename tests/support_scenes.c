/* SPDX-License-Identifier: MIT
 *
 * Small scenes of particles and pairs for tests: see support.h.
 */
#include "support.h"

static kit_scene allocate(uint32_t n_particles, uint32_t most_pairs)
{
    kit_scene s = {.n_particles = n_particles};
    s.x = calloc(n_particles, sizeof *s.x);
    s.w = calloc(n_particles, sizeof *s.w);
    s.pair = calloc(most_pairs + 1, sizeof *s.pair);
    assert_non_null(s.x);
    assert_non_null(s.w);
    assert_non_null(s.pair);
    for (uint32_t i = 0; i < n_particles; i++)
        s.w[i] = 1.0f;
    return s;
}

void kit_scene_free(kit_scene *scene)
{
    free(scene->x);
    free(scene->w);
    free(scene->pair);
    *scene = (kit_scene){0};
}

static void join(kit_scene *s, uint32_t a, uint32_t b)
{
    s->pair[s->n_pairs][0] = a;
    s->pair[s->n_pairs][1] = b;
    s->n_pairs++;
}

kit_scene kit_grid(uint32_t columns, uint32_t rows, float spacing, unsigned kinds)
{
    kit_scene s = allocate(columns * rows, 6 * columns * rows);
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t c = 0; c < columns; c++) {
            uint32_t i = r * columns + c;
            s.x[i][0] = (float)c * spacing;
            s.x[i][2] = (float)r * spacing;
            if (kinds & KIT_STRUCTURAL && c + 1 < columns)
                join(&s, i, i + 1);
            if (kinds & KIT_STRUCTURAL && r + 1 < rows)
                join(&s, i, i + columns);
            if (kinds & (KIT_SHEAR | KIT_ONE_DIAGONAL) && c + 1 < columns && r + 1 < rows)
                join(&s, i, i + columns + 1);
            if (kinds & KIT_SHEAR && c + 1 < columns && r + 1 < rows)
                join(&s, i + 1, i + columns);
            if (kinds & KIT_BEND && c + 2 < columns)
                join(&s, i, i + 2);
            if (kinds & KIT_BEND && r + 2 < rows)
                join(&s, i, i + 2 * columns);
        }
    }
    return s;
}

kit_scene kit_block(uint32_t side, float spacing)
{
    kit_scene s = allocate(side * side * side, 7 * side * side * side);
    uint64_t seed = side;
    for (uint32_t i = 0; i < s.n_particles; i++) {
        const uint32_t at[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; k++)
            s.x[i][k] = ((float)at[k] + kit_uniform(&seed, -0.2f, 0.2f)) * spacing;
        for (uint32_t way = 1; way < 8; way++) {
            const uint32_t by[3] = {way & 1, way >> 1 & 1, way >> 2};
            if (at[0] + by[0] < side && at[1] + by[1] < side && at[2] + by[2] < side)
                join(&s, i, i + by[0] + side * (by[1] + side * by[2]));
        }
    }
    return s;
}

kit_scene kit_rope(uint32_t n, float spacing)
{
    kit_scene s = allocate(n, n);
    for (uint32_t i = 0; i < n; i++) {
        s.x[i][0] = (float)i * spacing;
        if (i + 1 < n)
            join(&s, i, i + 1);
    }
    s.w[0] = 0.0f;
    return s;
}

kit_scene kit_star(uint32_t spokes)
{
    kit_scene s = allocate(spokes + 1, spokes);
    uint64_t seed = spokes;
    for (uint32_t i = 1; i <= spokes; i++) {
        for (int k = 0; k < 3; k++)
            s.x[i][k] = kit_uniform(&seed, 0.5f, 1.5f) * ((i >> k) % 2 ? 1.0f : -1.0f);
        s.w[i] = kit_uniform(&seed, 0.5f, 2.0f);
        join(&s, 0, i);
    }
    return s;
}

kit_scene kit_pairs(uint32_t n, uint64_t seed)
{
    kit_scene s = allocate(2 * n, n);
    for (uint32_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            float centre = kit_uniform(&seed, -50.0f, 50.0f);
            float half = kit_uniform(&seed, 0.5f, 1.0f);
            s.x[2 * i][k] = centre - half;
            s.x[2 * i + 1][k] = centre + half;
        }
        s.w[2 * i] = kit_uniform(&seed, 0.1f, 10.0f);
        s.w[2 * i + 1] = kit_uniform(&seed, 0.1f, 10.0f);
        join(&s, 2 * i, 2 * i + 1);
    }
    return s;
}

static void shuffle(uint32_t *order, uint32_t n, uint64_t *seed)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)(kit_random(seed) % i);
        uint32_t other = order[j];
        order[j] = order[i - 1];
        order[i - 1] = other;
    }
}

void kit_scramble(kit_scene *scene, uint64_t seed)
{
    kit_scene s = allocate(scene->n_particles, scene->n_pairs);
    uint32_t *number = calloc(s.n_particles, sizeof *number);
    uint32_t *order = calloc(scene->n_pairs + 1, sizeof *order);
    assert_non_null(number);
    assert_non_null(order);
    shuffle(number, s.n_particles, &seed);
    shuffle(order, scene->n_pairs, &seed);
    for (uint32_t i = 0; i < s.n_particles; i++) {
        memcpy(s.x[number[i]], scene->x[i], sizeof s.x[0]);
        s.w[number[i]] = scene->w[i];
    }
    for (uint32_t k = 0; k < scene->n_pairs; k++)
        join(&s, number[scene->pair[order[k]][0]], number[scene->pair[order[k]][1]]);
    free(number);
    free(order);
    kit_scene_free(scene);
    *scene = s;
}
