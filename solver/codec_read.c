/* SPDX-License-Identifier: MIT
 *
 * Reading words that may be anything: nothing is believed before it is checked, and no length is
 * used before it is known that as much is there.
 */
#include "solver/codec_sum.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HEADER = 32, SECTION_HEADER = XPBD_SECTION_NAME + 8, SUM = 8 };

xpbd_status xpbd_read_fault(const xpbd_reader *reader, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const bool inside = reader->name[0];
    return xpbd_fail(reader->world, reader->status, -1, reader->at, 0.0, "%s, byte %zu%s%s%s: %s",
                     reader->what, reader->at, inside ? ", section \"" : "",
                     inside ? reader->name : "", inside ? "\"" : "", text);
}

static uint64_t long_at(const unsigned char *from)
{
    return (uint64_t)xpbd_word_at(from + 4) << 32 | xpbd_word_at(from);
}

xpbd_status xpbd_open_file(xpbd_reader *reader, const char magic[8], uint32_t version)
{
    const unsigned char *data = reader->data;
    reader->at = reader->end = 0;
    reader->name[0] = 0;
    if (reader->size < 8 || memcmp(data, magic, 8) != 0) {
        return xpbd_read_fault(reader, "this is none: it does not begin with \"%.8s\"", magic);
    }
    if (reader->size < HEADER) {
        return xpbd_read_fault(reader, "%zu bytes are too few", reader->size);
    }
    if (xpbd_word_at(data + 8) != version) {
        return xpbd_read_fault(reader, "it is of version %u, this library reads %u",
                               xpbd_word_at(data + 8), version);
    }
    if (long_at(data + HEADER - SUM) != xpbd_sum_of(data, HEADER - SUM)) {
        return xpbd_read_fault(reader, "the header is damaged: its sum is another");
    }
    if (long_at(data + 16) != reader->size) {
        return xpbd_read_fault(reader, "it has %zu bytes, and %llu when it was written",
                               reader->size, (unsigned long long)long_at(data + 16));
    }
    reader->n_sections = xpbd_word_at(data + 12);
    reader->at = reader->end = HEADER;
    return XPBD_OK;
}

xpbd_status xpbd_open_section(xpbd_reader *reader)
{
    reader->at = reader->end;
    reader->name[0] = 0;
    const size_t left = reader->size - reader->at;
    const unsigned char *begin = reader->data + reader->at;
    if (reader->n_sections == 0 || left < SECTION_HEADER + SUM) {
        return xpbd_read_fault(reader, "a section is missing");
    }
    const uint64_t words = long_at(begin + XPBD_SECTION_NAME);
    if (words > (left - SECTION_HEADER - SUM) / 4) {
        return xpbd_read_fault(reader, "a section of %llu words, and %zu bytes are left",
                               (unsigned long long)words, left);
    }
    const size_t n = SECTION_HEADER + 4 * (size_t)words;
    if (long_at(begin + n) != xpbd_sum_of(begin, n)) {
        return xpbd_read_fault(reader, "the section here is damaged: its sum is another");
    }
    memcpy(reader->name, begin, XPBD_SECTION_NAME);
    reader->name[XPBD_SECTION_NAME] = 0;
    for (char *c = reader->name; *c; c++) {
        *c = *c >= ' ' && *c <= '~' ? *c : '?'; /* it will be printed */
    }
    reader->at += SECTION_HEADER;
    reader->end = reader->at + 4 * (size_t)words;
    reader->failed = false;
    reader->n_sections--;
    return XPBD_OK;
}

xpbd_status xpbd_open_section_named(xpbd_reader *reader, const char *name)
{
    XPBD_TRY(xpbd_open_section(reader));
    return strcmp(reader->name, name) == 0
               ? XPBD_OK
               : xpbd_read_fault(reader, "a section \"%s\" is wanted here", name);
}

xpbd_status xpbd_close_section(xpbd_reader *reader)
{
    if (reader->failed || reader->at != reader->end) {
        return xpbd_read_fault(reader, reader->failed ? "the section ends too early"
                                                      : "the section has more than it should");
    }
    reader->end += SUM;
    return XPBD_OK;
}

/* n words that are there, or null. */
static const unsigned char *take(xpbd_reader *reader, uint64_t n)
{
    if (reader->failed || n > (reader->end - reader->at) / 4) {
        reader->failed = true;
        return NULL;
    }
    const unsigned char *from = reader->data + reader->at;
    reader->at += 4 * (size_t)n;
    return from;
}

uint32_t xpbd_take_word(xpbd_reader *reader)
{
    const unsigned char *from = take(reader, 1);
    return from ? xpbd_word_at(from) : 0;
}

float xpbd_take_float(xpbd_reader *reader)
{
    const uint32_t word = xpbd_take_word(reader);
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

void *xpbd_take_words(xpbd_reader *reader, uint64_t n, xpbd_arena *arena)
{
    const unsigned char *from = take(reader, n);
    uint32_t *words = from ? xpbd_arena_alloc(arena, (size_t)n, sizeof *words) : NULL;
    for (size_t i = 0; words && i < n; i++) {
        words[i] = xpbd_word_at(from + 4 * i);
    }
    return words;
}

void *xpbd_take_doubles(xpbd_reader *reader, uint64_t n, xpbd_arena *arena)
{
    const unsigned char *from = take(reader, 2 * n);
    double *values = from ? xpbd_arena_alloc(arena, (size_t)n, sizeof *values) : NULL;
    for (size_t i = 0; values && i < n; i++) {
        const uint64_t bits = long_at(from + 8 * i);
        memcpy(&values[i], &bits, sizeof bits);
    }
    return values;
}

void *xpbd_take_bytes(xpbd_reader *reader, uint64_t n, xpbd_arena *arena)
{
    const unsigned char *from = take(reader, n / 4 + (n % 4 > 0));
    void *bytes = from ? xpbd_arena_alloc(arena, (size_t)n, 1) : NULL;
    if (bytes && n > 0) {
        memcpy(bytes, from, (size_t)n);
    }
    return bytes;
}

void xpbd_take_text(xpbd_reader *reader, char *text, size_t capacity)
{
    const uint32_t n = xpbd_take_word(reader);
    const unsigned char *from = take(reader, (uint64_t)n / 4 + (n % 4 > 0));
    text[0] = 0;
    if (!from || n >= capacity || memchr(from, 0, n)) {
        reader->failed = true;
        return;
    }
    memcpy(text, from, n);
    text[n] = 0;
}
