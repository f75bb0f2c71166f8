/* SPDX-License-Identifier: MIT
 *
 * The text of a mesh file as the readers see it: statements of words, one statement a line, with
 * the line number at hand for the one message of a refusal. Line ends are LF, CRLF or CR; '#'
 * starts a comment; a byte order mark is no text.
 */
#ifndef XPBD_SCENES_MESH_TEXT_H
#define XPBD_SCENES_MESH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenes/mesh.h"

/** Files from this size on are refused: all counts of smaller ones fit 32 bits. */
#define XPBD_MESH_FILE_MAX INT32_MAX

#if defined(__GNUC__)
#define XPBD_MESH_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define XPBD_MESH_PRINTF(string, first)
#endif

/** Where the one line of a refusal goes. */
typedef struct xpbd_mesh_fault {
    char *text;
    size_t size;
} xpbd_mesh_fault;

/** Where files come from: memory, or the system where `file` is null. */
typedef struct xpbd_mesh_disk {
    const xpbd_mesh_file *file;
    size_t n;
} xpbd_mesh_disk;

typedef struct xpbd_mesh_text {
    const char *path;
    const xpbd_mesh_fault *fault;
    char *bytes; /* the file and a NUL behind it */
    const char *at, *end;
    uint32_t line;      /* of `at`, from 1; 0: no line is to blame */
    uint32_t statement; /* line on which the last statement began */
    bool continued;     /* a backslash at the end of a line joins the next one to it */
} xpbd_mesh_text;

typedef struct xpbd_mesh_word {
    const char *begin;
    size_t length;
} xpbd_mesh_word;

/** A word cut to fit a message, other bytes than printable ASCII replaced. */
typedef struct xpbd_mesh_quote {
    char text[32];
} xpbd_mesh_quote;

/** Refuse what is no file to read: missing, a directory, empty, too large. */
bool xpbd_mesh_text_check(const xpbd_mesh_disk *disk, const char *path,
                          const xpbd_mesh_fault *fault, size_t *size);
/** Read a file. On success xpbd_mesh_text_close() frees it; `path` and `fault` must outlive it. */
bool xpbd_mesh_text_open(xpbd_mesh_text *text, const xpbd_mesh_disk *disk, const char *path,
                         const xpbd_mesh_fault *fault);
void xpbd_mesh_text_close(xpbd_mesh_text *text);
/** Go back to the first line. */
void xpbd_mesh_text_rewind(xpbd_mesh_text *text);

/** Write the one line of a refusal. Returns false, so that it can be returned at once. */
bool xpbd_mesh_text_fail(const xpbd_mesh_text *text, const char *format, ...)
    XPBD_MESH_PRINTF(2, 3);
/** The same for another line than the current one. */
bool xpbd_mesh_text_fail_at(const xpbd_mesh_text *text, uint32_t line, const char *format, ...)
    XPBD_MESH_PRINTF(3, 4);

/** Move to the first word of the next statement. False at the end of the file; `line` is then the
 *  one of the last statement. */
bool xpbd_mesh_text_start(xpbd_mesh_text *text);
/** Take the next word. False at the end of the statement. */
bool xpbd_mesh_text_word(xpbd_mesh_text *text, xpbd_mesh_word *word);
/** Skip what is left of the statement. */
void xpbd_mesh_text_skip(xpbd_mesh_text *text);
/** Refuse a statement that has words left. */
bool xpbd_mesh_text_done(xpbd_mesh_text *text);
/** Take a finite decimal number as the nearest float of the nearest double. */
bool xpbd_mesh_text_float(xpbd_mesh_text *text, const char *what, float *value);
/** Take a decimal number that is of no interest. */
bool xpbd_mesh_text_pass(xpbd_mesh_text *text, const char *what);
/** Take a whole number from 0 to INT64_MAX. */
bool xpbd_mesh_text_whole(xpbd_mesh_text *text, const char *what, uint64_t *value);
/** Take the number of rows that follow; refuse more than the rest of the file can hold. */
bool xpbd_mesh_text_count(xpbd_mesh_text *text, const char *what, uint32_t *count);

bool xpbd_mesh_word_is(xpbd_mesh_word word, const char *text);
/** Read [+-]digits from the beginning of a word; returns how many bytes, 0 for none. Too large
 *  values become INT64_MAX or -INT64_MAX, which no caller accepts. */
size_t xpbd_mesh_word_integer(xpbd_mesh_word word, int64_t *value);
xpbd_mesh_quote xpbd_mesh_word_quote(xpbd_mesh_word word);

#endif
