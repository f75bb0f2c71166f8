/* SPDX-License-Identifier: MIT
 *
 * Memory and text for the benchmark program, which may give up where the library may not: an
 * allocation that fails ends the program with one line.
 */
#ifndef BENCH_TEXT_H
#define BENCH_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Exit codes of the program. */
enum {
    BENCH_EXIT_OK = 0,
    BENCH_EXIT_WRONG = 1, /* hashes differ, a row failed or the results were not written */
    BENCH_EXIT_USAGE = 2, /* refused before anything was measured */
    BENCH_EXIT_INTERRUPTED = 130
};

void *bench_alloc(size_t n, size_t size); /* zeroed */
void *bench_realloc(void *memory, size_t n, size_t size);
char *bench_strdup(const char *text);
/** Print into new memory; the caller frees it. */
char *bench_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *bench_vprint(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/** Text that grows. Zero it before use; `data` is null while it is empty. */
typedef struct bench_text {
    char *data;
    size_t length, capacity;
} bench_text;

void bench_text_add(bench_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void bench_text_free(bench_text *text);

/** A list of texts that it owns. Zero it before use. */
typedef struct bench_list {
    char **items;
    size_t n;
} bench_list;

bool bench_list_has(const bench_list *list, const char *item);
void bench_list_add(bench_list *list, const char *item);
void bench_list_free(bench_list *list);

/** Write a count with separators, "23,938", into a buffer of at least 32 bytes, and return it. */
const char *bench_count(char buffer[32], uint64_t value);
/** Read a whole small file. Null where that is not possible; the caller frees it. */
char *bench_read_file(const char *path);

#endif
