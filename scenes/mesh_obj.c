/* SPDX-License-Identifier: MIT
 *
 * Wavefront OBJ: v, f and l; everything else is for renderers and is skipped. Two passes: the first
 * takes all points, so that faces may refer forward and can be cut when they are met; the second
 * counts the points again, because negative indices are relative to what has been read so far.
 */
#include <stdlib.h>

#include "scenes/mesh_build.h"

typedef struct obj_reader {
    xpbd_mesh_text text;
    xpbd_mesh_builder *builder;
    uint32_t n_seen; /* points before the current line */
    xpbd_mesh_array corners;
} obj_reader;

/* x y z, and then nothing, w, a colour, or w and a colour. */
static bool read_point(obj_reader *reader)
{
    xpbd_mesh_text *text = &reader->text;
    float position[3];
    if (!xpbd_mesh_text_float(text, "coordinate x", &position[0]) ||
        !xpbd_mesh_text_float(text, "coordinate y", &position[1]) ||
        !xpbd_mesh_text_float(text, "coordinate z", &position[2]))
        return false;
    uint32_t n = 3;
    for (;; n++) {
        xpbd_mesh_text ahead = *text;
        xpbd_mesh_word word;
        if (!xpbd_mesh_text_word(&ahead, &word))
            break;
        if (!xpbd_mesh_text_pass(text, n < 4 ? "weight" : "colour"))
            return false;
    }
    if (n != 3 && n != 4 && n != 6 && n != 7)
        return xpbd_mesh_text_fail(text, "a vertex has %u numbers; 3, 4, 6 or 7 have a meaning", n);
    return xpbd_mesh_add_point(reader->builder, text, position);
}

/* The rest of "v/t/n" behind v: texture and normal are of no interest, but must be indices. */
static bool is_reference_tail(xpbd_mesh_word word)
{
    for (int slashes = 0; word.length; slashes++) {
        int64_t ignored;
        if (slashes == 2 || word.begin[0] != '/')
            return false;
        word.begin++;
        word.length--;
        size_t n = xpbd_mesh_word_integer(word, &ignored);
        /* "1/" and "1//" are written by some; "1//3" leaves the texture out. */
        word.begin += n;
        word.length -= n;
    }
    return true;
}

static bool read_index(obj_reader *reader, xpbd_mesh_word word, uint32_t *index)
{
    const xpbd_mesh_text *text = &reader->text;
    uint32_t n_points = reader->builder->mesh->n_points;
    int64_t value = 0;
    size_t n = xpbd_mesh_word_integer(word, &value);
    if (!n || !is_reference_tail((xpbd_mesh_word){word.begin + n, word.length - n}))
        return xpbd_mesh_text_fail(text, "'%s' is not a vertex index",
                                   xpbd_mesh_word_quote(word).text);
    if (value < -(int64_t)reader->n_seen)
        return xpbd_mesh_text_fail(text,
                                   "index '%s' reaches before the first vertex (%u read so far)",
                                   xpbd_mesh_word_quote(word).text, reader->n_seen);
    if (value == 0 || value > n_points)
        return xpbd_mesh_text_fail(text,
                                   "index '%s' is out of range: indices start at 1, the file has "
                                   "%u vertices",
                                   xpbd_mesh_word_quote(word).text, n_points);
    *index = (uint32_t)(value < 0 ? reader->n_seen + value : value - 1);
    return true;
}

static bool read_face(obj_reader *reader)
{
    xpbd_mesh_text *text = &reader->text;
    xpbd_mesh_word word;
    uint32_t n = 0;
    while (xpbd_mesh_text_word(text, &word)) {
        if (n == XPBD_MESH_CORNERS_MAX)
            return xpbd_mesh_text_fail(text, "a face has more than %u corners",
                                       XPBD_MESH_CORNERS_MAX);
        if (!xpbd_mesh_reserve(&reader->corners, n + 1, sizeof(uint32_t)))
            return xpbd_mesh_text_fail(text, "out of memory");
        uint32_t *corners = reader->corners.data;
        if (!read_index(reader, word, &corners[n++]))
            return false;
    }
    if (n < 3)
        return xpbd_mesh_text_fail(text, "a face has %u corners; 3 is the least", n);
    return xpbd_mesh_add_face(reader->builder, text, reader->corners.data, n);
}

static bool read_polyline(obj_reader *reader)
{
    xpbd_mesh_text *text = &reader->text;
    xpbd_mesh_word word;
    uint32_t n = 0, before = 0;
    for (; xpbd_mesh_text_word(text, &word); n++) {
        uint32_t index = 0;
        if (!read_index(reader, word, &index))
            return false;
        if (n && !xpbd_mesh_add_segment(reader->builder, text, before, index))
            return false;
        before = index;
    }
    return n >= 2 || xpbd_mesh_text_fail(text, "a line has %u vertices; 2 is the least", n);
}

/* Statements are too many to list, and programs add their own; but what does not even look like
 * one tells that this is no OBJ file. */
static bool is_keyword(xpbd_mesh_word word)
{
    for (size_t i = 0; i < word.length; i++) {
        char c = word.begin[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool other = (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        if (!letter && !(i && other))
            return false;
    }
    return true;
}

static bool first_pass(obj_reader *reader, xpbd_mesh_word keyword)
{
    if (xpbd_mesh_word_is(keyword, "v"))
        return read_point(reader);
    if (!is_keyword(keyword))
        return xpbd_mesh_text_fail(&reader->text, "'%s' is not an OBJ statement",
                                   xpbd_mesh_word_quote(keyword).text);
    return true;
}

static bool second_pass(obj_reader *reader, xpbd_mesh_word keyword)
{
    if (xpbd_mesh_word_is(keyword, "v"))
        reader->n_seen++;
    if (xpbd_mesh_word_is(keyword, "f"))
        return read_face(reader);
    if (xpbd_mesh_word_is(keyword, "l"))
        return read_polyline(reader);
    return true;
}

static bool read_pass(obj_reader *reader, bool (*pass)(obj_reader *, xpbd_mesh_word))
{
    xpbd_mesh_text_rewind(&reader->text);
    while (xpbd_mesh_text_start(&reader->text)) {
        xpbd_mesh_word keyword;
        (void)xpbd_mesh_text_word(&reader->text, &keyword);
        if (!pass(reader, keyword))
            return false;
        xpbd_mesh_text_skip(&reader->text);
    }
    return true;
}

bool xpbd_mesh_read_obj(const char *path, xpbd_mesh_builder *builder, const xpbd_mesh_fault *fault)
{
    obj_reader reader = {.builder = builder};
    if (!xpbd_mesh_text_open(&reader.text, &builder->disk, path, fault))
        return false;
    reader.text.continued = true;
    bool read = read_pass(&reader, first_pass) && read_pass(&reader, second_pass);
    free(reader.corners.data);
    xpbd_mesh_text_close(&reader.text);
    return read;
}
