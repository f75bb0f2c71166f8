/* SPDX-License-Identifier: MIT
 *
 * How many threads a step uses where the caller leaves it to the library: tried on real steps, as
 * the result does not depend on it.
 */
#ifndef XPBD_SOLVER_TUNE_H
#define XPBD_SOLVER_TUNE_H

#include <stdbool.h>
#include <stdint.h>

/* All threads of the team, half of them, ... 1. */
enum { XPBD_TUNE_MOST = 9 };

/** Zero-initialise it for a team that is not to be tuned. */
typedef struct xpbd_tune {
    uint32_t n;                       /* sizes to choose from; 1 or less: nothing to choose */
    uint32_t threads[XPBD_TUNE_MOST]; /* falling */
    double seconds[XPBD_TUNE_MOST];   /* mean of late steps, the later ones with more weight */
    uint32_t samples[XPBD_TUNE_MOST];
    uint32_t chosen, trying, other;
    uint32_t until_next, interval; /* steps to the next trial of another size */
    uint32_t calm;                 /* steps since all were tried */
} xpbd_tune;

/** Begin anew, for a team of n_threads of which `useful` can have work. */
void xpbd_tune_begin(xpbd_tune *tune, uint32_t n_threads, uint32_t useful);
/** Choose the size for the next step: at least 1. */
uint32_t xpbd_tune_next(xpbd_tune *tune);
/** Tell how long a step, or an iteration, took with the size chosen last. */
void xpbd_tune_learn(xpbd_tune *tune, double seconds);
/** Forget what was measured: steps do something else from now on. */
void xpbd_tune_forget(xpbd_tune *tune);

#endif
