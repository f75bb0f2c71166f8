/* SPDX-License-Identifier: MIT
 *
 * //bench:wave [ROUNDS [SCENE...]]: what is it worth that slabs are not in step? Per scene four
 * worlds take a step each in turn: on one thread and on all, by slab-gs and stage after stage with
 * barriers. The plans are the same, and so must be the bits.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "bench/samples.h"
#include "bench/text.h"
#include "bench/trial.h"
#include "schedulers/schedulers.h"

enum { MOST_ROUNDS = 10000, ITERATIONS = 10, WORLDS = 4 };

static const xpbd_scheduler STAGED = {XPBD_SCHEDULER_COOKIE,        "slabs-in-step",
                                      "slab-gs, stage after stage", XPBD_PARTITION_SLABS,
                                      XPBD_UPDATE_IN_PLACE,         xpbd_sched_run_staged};
static const char *const SCENES[] = {"cloth-64", "cloth-256", "cloth-1024", "tetblock-24"};
enum { N_SCENES = sizeof SCENES / sizeof SCENES[0] };

typedef struct row {
    xpbd_world *world;
    double seconds[MOST_ROUNDS];
} row;

/* Rows 0 and 1 on one thread, 2 and 3 on all; odd ones are slab-gs itself. */
static bool create(const xpbd_scene *scene, row *rows)
{
    for (uint32_t k = 0; k < WORLDS; k++) {
        xpbd_world_def def = xpbd_default_world_def();
        def.iterations = ITERATIONS;
        def.threads = k < 2 ? 1 : 0;
        def.scheduler = k % 2 ? "slab-gs" : NULL;
        def.custom_scheduler = k % 2 ? NULL : &STAGED;
        if (xpbd_world_create(&def, &rows[k].world, NULL) != XPBD_OK ||
            xpbd_scene_build(scene, rows[k].world) != XPBD_OK ||
            xpbd_world_prepare(rows[k].world) != XPBD_OK) {
            fprintf(stderr, "wave: %s: no memory\n", scene->name);
            return false;
        }
    }
    return true;
}

static bool run(row *rows, uint32_t rounds)
{
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = 0; k < WORLDS; k++) {
            const double start = xpbd_clock_seconds();
            if (xpbd_world_step(rows[k].world, 1.0 / 60) != XPBD_OK) {
                fprintf(stderr, "wave: %s\n", xpbd_world_error(rows[k].world)->text);
                return false;
            }
            rows[k].seconds[round] = xpbd_clock_seconds() - start;
        }
    }
    return true;
}

static bool tell(const xpbd_scene *scene, row *rows, uint32_t rounds)
{
    const double ns = 1e9 / (bench_trial_constraints(scene) * ITERATIONS);
    xpbd_world_summary summary;
    bool same = xpbd_world_summarize(rows[3].world, &summary) == XPBD_OK;
    printf("%-20s", scene->name);
    for (uint32_t k = 0; k < WORLDS; k++) {
        bench_sort(rows[k].seconds, rounds);
        printf("  %6.3f (%6.3f)", ns * rows[k].seconds[0], ns * rows[k].seconds[rounds / 2]);
        same = same && xpbd_world_hash(rows[k].world) == xpbd_world_hash(rows[0].world);
    }
    printf("  %u threads, %s\n", summary.threads, same ? "the same bits" : "OTHER BITS");
    return same;
}

static bool measure(const char *name, uint32_t rounds)
{
    xpbd_scene scene;
    char error[400];
    row *rows = calloc(WORLDS, sizeof *rows);
    if (!rows || !xpbd_scene_make(name, &scene, error, sizeof error)) {
        fprintf(stderr, "wave: %s\n", rows ? error : "no memory");
        free(rows);
        return false;
    }
    const bool ok = create(&scene, rows) && run(rows, rounds) && tell(&scene, rows, rounds);
    for (uint32_t k = 0; k < WORLDS; k++) {
        xpbd_world_destroy(rows[k].world);
    }
    xpbd_scene_free(&scene);
    free(rows);
    return ok;
}

int main(int argc, char **argv)
{
    bench_trial trial = {"wave", 40, MOST_ROUNDS, SCENES, N_SCENES};
    bool ok = true;
    if (!bench_trial_read(&trial, argc, argv))
        return BENCH_EXIT_USAGE;
    printf(
        "ns per constraint and iteration, smallest (median)\n%-20s  %-15s  %-15s  %-15s  %-15s\n",
        "scene", "1 thread, in step", "wave", "all, in step", "wave");
    for (uint32_t k = 0; ok && k < trial.n_scenes; k++)
        ok = measure(trial.scenes[k], trial.rounds);
    return ok ? BENCH_EXIT_OK : BENCH_EXIT_WRONG;
}
