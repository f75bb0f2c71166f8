/* SPDX-License-Identifier: MIT */
#include "bench/trial.h"

#include <stdio.h>

#include "bench/arguments.h"

bool bench_trial_read(bench_trial *trial, int argc, char **argv)
{
    const uint32_t usual = trial->rounds;
    if (argc > 1 && !bench_argument_count("ROUNDS", argv[1], trial->most_rounds, &trial->rounds)) {
        fprintf(stderr, "usage: %s [ROUNDS [SCENE...]]; %u rounds of %u scenes\n", trial->program,
                usual, trial->n_scenes);
        return false;
    }
    if (argc > 2) {
        trial->scenes = (const char *const *)argv + 2;
        trial->n_scenes = (uint32_t)argc - 2;
    }
    return true;
}

double bench_trial_constraints(const xpbd_scene *scene)
{
    double n = 0.0;
    for (uint32_t b = 0; b < scene->n_batches; b++)
        n += scene->batches[b].n_elements;
    return n;
}
