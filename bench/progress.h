/* SPDX-License-Identifier: MIT
 *
 * How far the run is, on stderr: a line that renews itself on a terminal, one line per
 * item (a scene, a type) elsewhere. The time left comes from a guess of every item's cost,
 * corrected by how wrong the guess was so far.
 */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stddef.h>

/** Begin a run of n items ("scene") that was guessed to take that long. */
void bench_progress_begin(const char *what, double guess_s, size_t n);
/** Begin an item that was guessed to take that long. The name has to live until it ends. */
void bench_progress_item(const char *name, double guess_s);
/** Say what part of the item's work is done, 0 ... 1. Cheap: prints a few times a second. */
void bench_progress_part(double part);
/** End an item: remove the line, so that the table can be printed. */
void bench_progress_end_item(void);

/** Seconds of a steady clock. */
double bench_seconds(void);

#endif
