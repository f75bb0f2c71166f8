/* SPDX-License-Identifier: MIT
 *
 * How far the run is, on stderr: a line that renews itself on a terminal, one line per scene
 * elsewhere. The time left comes from a guess of every scene's cost, corrected by how wrong the
 * guess was so far.
 */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stddef.h>

/** Begin a run that was guessed to take that long. */
void bench_progress_begin(double guess_s, size_t n_scenes);
/** Begin a scene that was guessed to take that long. */
void bench_progress_scene(const char *name, double guess_s);
/** Say what part of the scene's work is done, 0 ... 1. Cheap: prints a few times a second. */
void bench_progress_part(double part);
/** End a scene: remove the line, so that the table can be printed. */
void bench_progress_end_scene(void);

/** Seconds of a steady clock. */
double bench_seconds(void);

#endif
