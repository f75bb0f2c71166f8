/* SPDX-License-Identifier: MIT
 *
 * The ways in which a scene can be run that must not matter, and running it in all of them.
 */
#ifndef XPBD_TESTS_GOLDEN_WAYS_H
#define XPBD_TESTS_GOLDEN_WAYS_H

#include "tests/golden/golden.h"

enum { GOLDEN_THREADS_MAX = 32 };

/** What to run: names with commas between them; null: all. */
typedef struct golden_ways {
    const char *scenes; /* "small" and "large" stand for all of a size */
    const char *schedulers;
    const char *isas; /* "auto" stands for the library's choice */
    const char *layouts;
    const char *pinnings;
    uint32_t n_threads;
    int32_t threads[GOLDEN_THREADS_MAX];
} golden_ways;

/** What came of it. */
typedef struct golden_tally {
    uint32_t n_rows; /* scenes times schedulers */
    uint32_t n_runs;
    uint32_t n_different; /* from golden.def, or failed; each was printed */
    uint32_t threads;     /* the most that there were */
    const char *isa;      /* the library's choice here */
} golden_tally;

/** Look for names that nothing has, and print them. True if there are none. */
bool golden_check_names(const golden_ways *ways);
/** Run and compare. verbose: with a line per scene. */
golden_tally golden_compare(const golden_ways *ways, bool verbose);
/** Tell whether a row is among `ways`. */
bool golden_has_row(const golden_ways *ways, const golden_scene *scene, const char *scheduler);
/** Write golden.def anew, unless ways that must not matter disagree, or rows change without a
 *  reason. Rows that are not among `ways` stay. Prints what has changed, or why nothing
 *  was written. */
bool golden_update(const golden_ways *ways, const char *reason);

#endif
