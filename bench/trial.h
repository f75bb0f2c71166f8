/* SPDX-License-Identifier: MIT
 *
 * What the programs share that try something on a few scenes: //bench:NAME [ROUNDS [SCENE...]].
 */
#ifndef BENCH_TRIAL_H
#define BENCH_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "scenes/scene.h"

typedef struct bench_trial {
    const char *program;
    uint32_t rounds, most_rounds;
    const char *const *scenes;
    uint32_t n_scenes;
} bench_trial;

/** Put what the command line says in the place of what `trial` has.
 *  Returns  false after a usage on stderr, where ROUNDS is no number or not one of at most
 *           most_rounds */
bool bench_trial_read(bench_trial *trial, int argc, char **argv);
/** Constraints of a scene. */
double bench_trial_constraints(const xpbd_scene *scene);

#endif
