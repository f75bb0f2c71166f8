/* SPDX-License-Identifier: MIT
 *
 * Everything that can be chosen by name, as the library lists it: for checking the command line,
 * for --list and for messages that name what is valid.
 */
#ifndef BENCH_CHOICES_H
#define BENCH_CHOICES_H

#include "bench/text.h"

typedef struct bench_axis {
    const char *what; /* "scheduler" */
    const char *plural;
    const char *(*name)(uint32_t index); /* null past the last */
    bool (*available)(uint32_t index);   /* null: all are */
} bench_axis;

extern const bench_axis bench_axis_type, bench_axis_scheduler, bench_axis_layout, bench_axis_isa,
    bench_axis_ordering, bench_axis_pinning;

/** Find a name; the library's own text lives for ever. Null if there is none. */
const char *bench_axis_find(const bench_axis *axis, const char *name);
/** Say on stderr that `name` is no such thing, what it may have meant, and what is valid. */
void bench_axis_complain(const bench_axis *axis, const char *name);
/** Check a name that the user gave; complain where it is unknown or not available here. */
bool bench_axis_check(const bench_axis *axis, const char *name);
/** Add all names that this machine can run to a list. */
void bench_axis_all(const bench_axis *axis, bench_list *list);

/** Tell how many letters have to be changed, added or removed to turn one word into the other. */
size_t bench_word_distance(const char *a, const char *b);

/** Print the names of an axis with what `text` says of each; text may be null. */
void bench_axis_print(const bench_axis *axis, const char *(*text)(uint32_t index));
/** Print everything that has a name (--list). */
void bench_choices_print(void);

#endif
