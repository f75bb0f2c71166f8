/* SPDX-License-Identifier: MIT
 *
 * How snapshots and records are written: words of 32 bits, the lowest byte first whatever the
 * machine, in sections that say what they are, how long, and what sum their words have.
 *
 *     file     | magic: 8 bytes | version | sections | bytes: 2 words | sum: 2 words | section ...
 *     section  | name: 24 bytes | payload words: 2 words | payload ... | sum: 2 words |
 *
 * Floats are their bits; text has its length in front and is filled up to whole words. One word
 * that differs always gives another sum.
 */
#ifndef XPBD_SOLVER_CODEC_H
#define XPBD_SOLVER_CODEC_H

#include "solver/world.h"

#define XPBD_SECTION_NAME 24

/** Where words go. Zero but for what is given: with neither `out` nor `buffer` they are counted. */
typedef struct xpbd_writer {
    unsigned char *out;
    size_t capacity;
    xpbd_buffer *buffer; /* instead of out: grows; `memory` is where from */
    xpbd_memory *memory;
    size_t used;    /* bytes, also those there was no room for */
    size_t section; /* where the one that is open begins */
    uint32_t n_sections;
    bool failed; /* no memory to grow */
} xpbd_writer;

/** Tell whether everything that was put has found room. */
bool xpbd_writer_holds(const xpbd_writer *writer);

void xpbd_put_word(xpbd_writer *writer, uint32_t word);
void xpbd_put_float(xpbd_writer *writer, float value);
void xpbd_put_double(xpbd_writer *writer, double value);
/** n words: uint32_t or float. */
void xpbd_put_words(xpbd_writer *writer, const void *words, size_t n);
/** n bytes, filled up with zeros to whole words. Their number is not written. */
void xpbd_put_bytes(xpbd_writer *writer, const void *bytes, size_t n);
void xpbd_put_text(xpbd_writer *writer, const char *text);
/** Begin a file; xpbd_end_file() fills in what is known only then. */
void xpbd_begin_file(xpbd_writer *writer, const char magic[8], uint32_t version);
void xpbd_end_file(xpbd_writer *writer);
void xpbd_begin_section(xpbd_writer *writer, const char *name);
void xpbd_end_section(xpbd_writer *writer);

/** Where words come from. What is not there reads as 0 and sets `failed`, so that a list of things
 *  can be taken and checked once. */
typedef struct xpbd_reader {
    const unsigned char *data;
    size_t size, at; /* bytes */
    size_t end;      /* of the section that is open */
    bool failed;
    uint32_t n_sections; /* that are yet to come */
    char name[XPBD_SECTION_NAME + 1];
    const char *what; /* "snapshot" or "record" */
    xpbd_status status;
    const xpbd_world *world; /* for errors */
} xpbd_reader;

/** Leave an error that says where: file, byte and section. */
xpbd_status xpbd_read_fault(const xpbd_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Check magic, version, sum and length of a file. The reader has data, size, what, status and
 *  world. */
xpbd_status xpbd_open_file(xpbd_reader *reader, const char magic[8], uint32_t version);
/** Go into the next section, whose sum is checked, and leave its name in the reader. */
xpbd_status xpbd_open_section(xpbd_reader *reader);
/** The same, of which the name is known. */
xpbd_status xpbd_open_section_named(xpbd_reader *reader, const char *name);
/** Check that everything in the section has been read, and no more. */
xpbd_status xpbd_close_section(xpbd_reader *reader);

uint32_t xpbd_take_word(xpbd_reader *reader);
float xpbd_take_float(xpbd_reader *reader);
/** n words into the arena. Null where the section has fewer, or without memory (arena->failed). */
void *xpbd_take_words(xpbd_reader *reader, uint64_t n, xpbd_arena *arena);
/** The same for n doubles. */
void *xpbd_take_doubles(xpbd_reader *reader, uint64_t n, xpbd_arena *arena);
/** The same for n bytes. */
void *xpbd_take_bytes(xpbd_reader *reader, uint64_t n, xpbd_arena *arena);
/** A text that fits with its end. Longer ones, and such with a zero inside, set `failed`. */
void xpbd_take_text(xpbd_reader *reader, char *text, size_t capacity);

#endif
