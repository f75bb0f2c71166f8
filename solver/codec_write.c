/* SPDX-License-Identifier: MIT
 *
 * Writing words. Lengths and sums of a section are filled in when it ends.
 */
#include "solver/codec_sum.h"

#include <string.h>

enum { HEADER = 32 }; /* bytes before the first section */

bool xpbd_writer_holds(const xpbd_writer *writer)
{
    const size_t room = writer->buffer ? writer->buffer->capacity
                        : writer->out  ? writer->capacity
                                       : 0;
    return !writer->failed && writer->used <= room;
}

static void put_at(unsigned char *to, uint32_t word)
{
    for (int k = 0; k < 4; k++) {
        to[k] = (unsigned char)(word >> (8 * k));
    }
}

static unsigned char *bytes_of(const xpbd_writer *writer)
{
    return writer->buffer ? writer->buffer->data : writer->out;
}

/* A place for n bytes; null where there is none and they are only counted. */
static unsigned char *room_for(xpbd_writer *writer, size_t n)
{
    const size_t at = writer->used;
    writer->used += n;
    if (writer->buffer && !writer->failed) {
        writer->failed = !xpbd_buffer_reserve(writer->memory, writer->buffer, at, writer->used, 1);
    }
    return xpbd_writer_holds(writer) ? bytes_of(writer) + at : NULL;
}

void xpbd_put_word(xpbd_writer *writer, uint32_t word)
{
    unsigned char *to = room_for(writer, 4);
    if (to) {
        put_at(to, word);
    }
}

void xpbd_put_float(xpbd_writer *writer, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    xpbd_put_word(writer, word);
}

static void put_long(xpbd_writer *writer, uint64_t value)
{
    xpbd_put_word(writer, (uint32_t)value);
    xpbd_put_word(writer, (uint32_t)(value >> 32));
}

void xpbd_put_double(xpbd_writer *writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_long(writer, bits);
}

void xpbd_put_words(xpbd_writer *writer, const void *words, size_t n)
{
    unsigned char *to = room_for(writer, 4 * n);
    for (size_t i = 0; to && i < n; i++) {
        uint32_t word;
        memcpy(&word, (const char *)words + 4 * i, sizeof word);
        put_at(to + 4 * i, word);
    }
}

void xpbd_put_bytes(xpbd_writer *writer, const void *bytes, size_t n)
{
    const size_t padded = (n + 3) / 4 * 4;
    unsigned char *to = room_for(writer, padded);
    if (to && n > 0) {
        memcpy(to, bytes, n);
        memset(to + n, 0, padded - n);
    }
}

void xpbd_put_text(xpbd_writer *writer, const char *text)
{
    xpbd_put_word(writer, (uint32_t)strlen(text));
    xpbd_put_bytes(writer, text, strlen(text));
}

/* Fill in two words that were put as 0. */
static void patch(const xpbd_writer *writer, size_t at, uint64_t value)
{
    put_at(bytes_of(writer) + at, (uint32_t)value);
    put_at(bytes_of(writer) + at + 4, (uint32_t)(value >> 32));
}

void xpbd_begin_file(xpbd_writer *writer, const char magic[8], uint32_t version)
{
    xpbd_put_bytes(writer, magic, 8);
    xpbd_put_word(writer, version);
    xpbd_put_word(writer, 0);
    put_long(writer, 0);
    put_long(writer, 0);
}

void xpbd_end_file(xpbd_writer *writer)
{
    if (xpbd_writer_holds(writer)) {
        put_at(bytes_of(writer) + 12, writer->n_sections);
        patch(writer, 16, writer->used);
        patch(writer, HEADER - 8, xpbd_sum_of(bytes_of(writer), HEADER - 8));
    }
}

void xpbd_begin_section(xpbd_writer *writer, const char *name)
{
    char padded[XPBD_SECTION_NAME] = "";
    for (size_t k = 0; k < sizeof padded && name[k]; k++) {
        padded[k] = name[k];
    }
    writer->section = writer->used;
    writer->n_sections++;
    xpbd_put_bytes(writer, padded, sizeof padded);
    put_long(writer, 0);
}

void xpbd_end_section(xpbd_writer *writer)
{
    const size_t begin = writer->section, payload = begin + XPBD_SECTION_NAME + 8;
    if (xpbd_writer_holds(writer)) {
        patch(writer, begin + XPBD_SECTION_NAME, (writer->used - payload) / 4);
        const size_t n = writer->used - begin;
        put_long(writer, xpbd_sum_of(bytes_of(writer) + begin, n));
    } else {
        put_long(writer, 0);
    }
}
