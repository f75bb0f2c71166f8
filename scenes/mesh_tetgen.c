/* SPDX-License-Identifier: MIT
 *
 * TetGen's pair of files: NAME.node with the points and NAME.ele with the tetrahedra. Both count
 * from 0 or both from 1, which only the number of the first node tells; a pair that does not agree
 * is refused, because it would load as another, tangled mesh.
 */
#include <stdlib.h>
#include <string.h>

#include "scenes/mesh_build.h"

typedef struct tetgen_header {
    uint32_t count, width, n_attributes, n_markers;
} tetgen_header;

static bool has_more(const xpbd_mesh_text *text)
{
    xpbd_mesh_text ahead = *text;
    xpbd_mesh_word word;
    return xpbd_mesh_text_word(&ahead, &word);
}

static bool read_small(xpbd_mesh_text *text, const char *what, uint32_t most, uint32_t *value)
{
    uint64_t number = 0;
    if (!xpbd_mesh_text_whole(text, what, &number))
        return false;
    if (number > most)
        return xpbd_mesh_text_fail(text, "%s is %llu; %u is the most", what,
                                   (unsigned long long)number, most);
    *value = (uint32_t)number;
    return true;
}

/* All but the count may be left out. */
static bool read_header(xpbd_mesh_text *text, const char *what, tetgen_header *header)
{
    if (!xpbd_mesh_text_start(text))
        return xpbd_mesh_text_fail(text, "the file ends before %s", what);
    if (!xpbd_mesh_text_count(text, what, &header->count))
        return false;
    if (has_more(text) && !read_small(text, "the number of values", 1000, &header->width))
        return false;
    if (has_more(text) &&
        !read_small(text, "the number of attributes", 1000, &header->n_attributes))
        return false;
    if (has_more(text) && !read_small(text, "the number of markers", 1, &header->n_markers))
        return false;
    if (header->count == 0)
        return xpbd_mesh_text_fail(text, "%s is 0", what);
    return xpbd_mesh_text_done(text);
}

/* The end of a row: attributes and markers, which mean nothing to a simulation. */
static bool read_tail(xpbd_mesh_text *text, const tetgen_header *header)
{
    for (uint32_t k = 0; k < header->n_attributes; k++) {
        if (!xpbd_mesh_text_pass(text, "attribute"))
            return false;
    }
    for (uint32_t k = 0; k < header->n_markers; k++) {
        if (!xpbd_mesh_text_pass(text, "boundary marker"))
            return false;
    }
    return xpbd_mesh_text_done(text);
}

static bool start_row(xpbd_mesh_text *text, uint32_t row, uint32_t count)
{
    return xpbd_mesh_text_start(text) ||
           xpbd_mesh_text_fail(text, "the file ends after %u of %u rows", row, count);
}

static bool end_rows(xpbd_mesh_text *text, uint32_t count)
{
    return !xpbd_mesh_text_start(text) ||
           xpbd_mesh_text_fail(text, "the file has more than the %u rows of its header", count);
}

static bool read_nodes(xpbd_mesh_text *text, xpbd_mesh_builder *builder, uint32_t *base)
{
    tetgen_header header = {.width = 3};
    if (!read_header(text, "the number of nodes", &header))
        return false;
    if (header.width != 3)
        return xpbd_mesh_text_fail(text, "the nodes have %u coordinates; 3 are needed",
                                   header.width);
    for (uint32_t row = 0; row < header.count; row++) {
        uint64_t number = 0;
        float position[3];
        if (!start_row(text, row, header.count) ||
            !xpbd_mesh_text_whole(text, "node number", &number))
            return false;
        if (row == 0 && number > 1)
            return xpbd_mesh_text_fail(text, "the first node has number %llu; 0 or 1 is needed",
                                       (unsigned long long)number);
        *base = row == 0 ? (uint32_t)number : *base;
        if (number != (uint64_t)*base + row)
            return xpbd_mesh_text_fail(text, "node number %llu stands where %llu is due",
                                       (unsigned long long)number, (unsigned long long)*base + row);
        if (!xpbd_mesh_text_float(text, "coordinate x", &position[0]) ||
            !xpbd_mesh_text_float(text, "coordinate y", &position[1]) ||
            !xpbd_mesh_text_float(text, "coordinate z", &position[2]) ||
            !read_tail(text, &header) || !xpbd_mesh_add_point(builder, text, position))
            return false;
    }
    return end_rows(text, header.count);
}

static bool read_tet(xpbd_mesh_text *text, xpbd_mesh_builder *builder, uint32_t base,
                     uint32_t width)
{
    uint32_t corners[10] = {0};
    uint32_t n_points = builder->mesh->n_points;
    for (uint32_t k = 0; k < width; k++) {
        uint64_t number = 0;
        if (!xpbd_mesh_text_whole(text, "corner", &number))
            return false;
        if (number < base || number - base >= n_points)
            return xpbd_mesh_text_fail(text,
                                       "corner %llu is out of range: the nodes have the numbers "
                                       "%u to %u",
                                       (unsigned long long)number, base, base + (n_points - 1));
        corners[k] = (uint32_t)(number - base);
    }
    builder->mesh->n_curved += width == 10;
    return xpbd_mesh_add_tet(builder, text, corners);
}

static bool read_tets(xpbd_mesh_text *text, xpbd_mesh_builder *builder, uint32_t base)
{
    tetgen_header header = {.width = 4};
    if (!read_header(text, "the number of tetrahedra", &header))
        return false;
    if (header.n_markers)
        return xpbd_mesh_text_fail(text, "the header has more than 3 numbers");
    if (header.width != 4 && header.width != 10)
        return xpbd_mesh_text_fail(text, "the elements have %u nodes; tetrahedra have 4 or 10",
                                   header.width);
    for (uint32_t row = 0; row < header.count; row++) {
        uint64_t number = 0;
        if (!start_row(text, row, header.count) ||
            !xpbd_mesh_text_whole(text, "element number", &number) ||
            !read_tet(text, builder, base, header.width) || !read_tail(text, &header))
            return false;
        if (number != (uint64_t)base + row)
            return xpbd_mesh_text_fail(text,
                                       "element number %llu stands where %llu is due: the nodes "
                                       "count from %u",
                                       (unsigned long long)number, (unsigned long long)base + row,
                                       base);
    }
    return end_rows(text, header.count);
}

/* Both paths from either; the case of the extension is kept. */
static char *sibling(const char *path, const char *extension)
{
    size_t n = (size_t)(strrchr(path, '.') - path) + 1;
    bool upper = path[n] >= 'A' && path[n] <= 'Z';
    size_t m = strlen(extension);
    char *other = malloc(n + m + 1);
    if (!other)
        return NULL;
    memcpy(other, path, n);
    for (size_t k = 0; k < m; k++)
        other[n + k] = upper ? (char)(extension[k] - 'a' + 'A') : extension[k];
    other[n + m] = 0;
    return other;
}

static bool read_pair(const char *nodes, const char *tets, xpbd_mesh_builder *builder,
                      const xpbd_mesh_fault *fault)
{
    xpbd_mesh_text text;
    uint32_t base = 0;
    if (!xpbd_mesh_text_open(&text, &builder->disk, nodes, fault))
        return false;
    bool read = read_nodes(&text, builder, &base);
    xpbd_mesh_text_close(&text);
    if (!read || !xpbd_mesh_text_open(&text, &builder->disk, tets, fault))
        return false;
    read = read_tets(&text, builder, base);
    xpbd_mesh_text_close(&text);
    return read;
}

bool xpbd_mesh_read_tetgen(const char *path, xpbd_mesh_builder *builder,
                           const xpbd_mesh_fault *fault)
{
    char *nodes = sibling(path, "node");
    char *tets = sibling(path, "ele");
    const xpbd_mesh_text nowhere = {.path = path, .fault = fault};
    bool read = nodes && tets ? read_pair(nodes, tets, builder, fault)
                              : xpbd_mesh_text_fail(&nowhere, "out of memory");
    free(nodes);
    free(tets);
    return read;
}
