/* SPDX-License-Identifier: MIT
 *
 * More threads than a scene or a busy machine has use for make a step slower, by as much as a
 * time slice. Every size gets a few steps at first; then the fastest one goes on, and another one
 * is tried now and then, less and less often as long as it loses. Means count, not minima: a thread
 * that now and then does not get its processor is what there is to be found.
 */
#include "solver/tune.h"

enum { ROUNDS = 4, FIRST_INTERVAL = 32, LONGEST_INTERVAL = 4096 };

/* What a new sample weighs. */
#define NEWS 0.25
/* Another size has to be faster by this, or two equal ones would change places for ever. */
#define MARGIN 0.97
/* The others are tried at once when the one that goes on got slower by this. */
#define SLOWED 1.5

void xpbd_tune_begin(xpbd_tune *tune, uint32_t n_threads, uint32_t useful)
{
    *tune = (xpbd_tune){.n = 0};
    uint32_t size = n_threads < useful ? n_threads : useful;
    for (; size > 1 && tune->n + 1 < XPBD_TUNE_MOST; size /= 2) {
        tune->threads[tune->n++] = size;
    }
    tune->threads[tune->n++] = 1;
    xpbd_tune_forget(tune);
}

void xpbd_tune_forget(xpbd_tune *tune)
{
    for (uint32_t k = 0; k < tune->n; k++) {
        tune->samples[k] = 0;
    }
    tune->interval = tune->until_next = FIRST_INTERVAL;
    tune->chosen = tune->trying = tune->other = tune->calm = 0;
}

static uint32_t least_tried(const xpbd_tune *tune)
{
    uint32_t least = 0;
    for (uint32_t k = 1; k < tune->n; k++) {
        least = tune->samples[k] < tune->samples[least] ? k : least;
    }
    return least;
}

uint32_t xpbd_tune_next(xpbd_tune *tune)
{
    const uint32_t least = least_tried(tune);
    if (tune->samples[least] < ROUNDS) {
        tune->trying = least;
    } else if (tune->n > 1 && tune->until_next == 0) {
        tune->other = (tune->other + 1) % tune->n;
        tune->other = tune->other == tune->chosen ? (tune->other + 1) % tune->n : tune->other;
        tune->samples[tune->other] = 0; /* what it took long ago says nothing */
        tune->until_next = tune->interval;
        tune->trying = tune->other;
    } else {
        tune->trying = tune->chosen;
        tune->until_next -= tune->until_next > 0;
        tune->calm += tune->calm < UINT32_MAX;
    }
    return tune->threads[tune->trying];
}

void xpbd_tune_learn(xpbd_tune *tune, double seconds)
{
    const uint32_t k = tune->trying;
    const double before = tune->seconds[k];
    /* The first step of a size starts its threads. */
    tune->seconds[k] = tune->samples[k] < 2 ? seconds : before + NEWS * (seconds - before);
    tune->samples[k] += tune->samples[k] < UINT32_MAX;
    if (tune->samples[least_tried(tune)] < ROUNDS) {
        return;
    }
    uint32_t best = tune->chosen;
    for (uint32_t i = 0; i < tune->n; i++) {
        const double margin = best == tune->chosen ? MARGIN : 1.0;
        best = tune->seconds[i] < margin * tune->seconds[best] ? i : best;
    }
    if (best != tune->chosen) {
        tune->chosen = best;
        tune->interval = FIRST_INTERVAL;
    } else if (k != tune->chosen && tune->interval < LONGEST_INTERVAL) {
        tune->interval *= 2;
    } else if (k == tune->chosen && tune->calm > FIRST_INTERVAL && seconds > SLOWED * before) {
        for (uint32_t i = 0; i < tune->n; i++) {
            tune->samples[i] = i == k ? tune->samples[i] : 0;
        }
        tune->interval = tune->until_next = FIRST_INTERVAL;
        tune->calm = 0;
    }
}
