/* SPDX-License-Identifier: MIT
 *
 * Sorting of tuples of vertices by counting, last column first: linear in any mesh, and equal
 * tuples stay in the order of the elements, so that the outcome needs no tie-break.
 */
#include "builders/builder.h"

#include <string.h>

bool xpbd_builder_sort(xpbd_arena *arena, const uint32_t *tuples, uint32_t n, uint32_t width,
                       uint32_t n_values, uint32_t *order)
{
    uint32_t *from = xpbd_arena_alloc(arena, n, sizeof *from);
    uint32_t *ends = xpbd_arena_alloc(arena, (size_t)n_values + 1, sizeof *ends);
    if (!from || !ends)
        return false;
    for (uint32_t k = 0; k < n; k++)
        order[k] = k;
    for (uint32_t column = width; column-- > 0;) {
        memcpy(from, order, n * sizeof *from);
        memset(ends, 0, ((size_t)n_values + 1) * sizeof *ends);
        for (uint32_t k = 0; k < n; k++)
            ends[tuples[(size_t)k * width + column] + 1]++;
        for (uint32_t v = 0; v < n_values; v++)
            ends[v + 1] += ends[v];
        for (uint32_t k = 0; k < n; k++)
            order[ends[tuples[(size_t)from[k] * width + column]]++] = from[k];
    }
    return true;
}

void xpbd_builder_sort_few(uint32_t *values, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t value = values[i];
        uint32_t j = i;
        for (; j > 0 && values[j - 1] > value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

uint32_t *xpbd_builder_corner_tuples(xpbd_arena *arena, const uint32_t *elements, uint32_t n,
                                     uint32_t corners)
{
    uint32_t *tuples = xpbd_arena_alloc(arena, n, corners * sizeof *tuples);
    if (!tuples)
        return NULL;
    memcpy(tuples, elements, (size_t)n * corners * sizeof *tuples);
    for (uint32_t e = 0; e < n; e++)
        xpbd_builder_sort_few(tuples + (size_t)e * corners, corners);
    return tuples;
}
