/* SPDX-License-Identifier: MIT
 *
 * //bench:setup [ROUNDS [SCENE...]]: what does it cost to prepare a world for its first step? The
 * first world of a scene is prepared where none was before, the others in memory and caches that
 * have seen the same.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "bench/samples.h"
#include "bench/text.h"
#include "bench/trial.h"

enum { MOST_ROUNDS = 1000 };

static const char *const SCENES[] = {
    "cloth-64",    "cloth-256",   "cloth-1024", "cloth-256-scrambled",
    "tetblock-24", "softbody-16", "jelly-27"};
enum { N_SCENES = sizeof SCENES / sizeof SCENES[0] };

/* Seconds to add a scene and to prepare it, and the bytes that its world has in the end. */
static bool prepare_one(const xpbd_scene *scene, double *add, double *prepare, uint64_t *bytes)
{
    const xpbd_world_def def = xpbd_default_world_def();
    xpbd_world_summary summary;
    xpbd_world *world = NULL;
    bool ok = xpbd_world_create(&def, &world, NULL) == XPBD_OK;
    const double start = xpbd_clock_seconds();
    ok = ok && xpbd_scene_build(scene, world) == XPBD_OK;
    const double added = xpbd_clock_seconds();
    ok = ok && xpbd_world_prepare(world) == XPBD_OK;
    *prepare = xpbd_clock_seconds() - added;
    *add = added - start;
    ok = ok && xpbd_world_summarize(world, &summary) == XPBD_OK;
    *bytes = ok ? summary.bytes : 0;
    xpbd_world_destroy(world);
    return ok;
}

static bool measure(const char *name, uint32_t rounds)
{
    static double seconds[MOST_ROUNDS];
    xpbd_scene scene;
    char error[400];
    double add = 0.0, least_add = 1e30;
    uint64_t bytes = 0;
    if (!xpbd_scene_make(name, &scene, error, sizeof error)) {
        fprintf(stderr, "setup: %s\n", error);
        return false;
    }
    bool ok = true;
    for (uint32_t k = 0; ok && k < rounds; k++) {
        ok = prepare_one(&scene, &add, &seconds[k], &bytes);
        least_add = add < least_add ? add : least_add;
    }
    if (ok) {
        const double n = bench_trial_constraints(&scene), first = seconds[0];
        bench_sort(seconds, rounds);
        printf("%-20s %9.0f %9.0f %9.0f %9.0f %9.0f %9.1f\n", name, n, 1e9 * first / n,
               1e9 * seconds[0] / n, 1e9 * seconds[rounds / 2] / n, 1e9 * least_add / n,
               (double)bytes / n);
    } else {
        fprintf(stderr, "setup: %s: no memory\n", name);
    }
    xpbd_scene_free(&scene);
    return ok;
}

int main(int argc, char **argv)
{
    bench_trial trial = {"setup", 10, MOST_ROUNDS, SCENES, N_SCENES};
    bool ok = true;
    if (!bench_trial_read(&trial, argc, argv))
        return BENCH_EXIT_USAGE;
    printf("ns per constraint\n%-20s %9s %9s %9s %9s %9s %9s\n", "scene", "number", "first",
           "smallest", "median", "to add", "bytes");
    for (uint32_t k = 0; ok && k < trial.n_scenes; k++)
        ok = measure(trial.scenes[k], trial.rounds);
    return ok ? BENCH_EXIT_OK : BENCH_EXIT_WRONG;
}
