/* SPDX-License-Identifier: MIT */
#include "bench/converge.h"

#include <math.h>

#include "bench/interrupt.h"
#include "bench/progress.h"

/* A step from the initial state for the residual, and some more for the time. */
static void measure(const bench_options *options, const bench_scene *scene, const char *scheduler,
                    uint32_t iterations, uint32_t repeats, bench_extras *rows)
{
    xpbd_world_def def = xpbd_default_world_def();
    const uint32_t threads = options->threads[options->n_threads - 1];
    def.scheduler = scheduler;
    def.iterations = iterations;
    def.substeps = options->substeps;
    def.threads = (int32_t)threads;
    def.ordering = options->ordering;
    def.pinning = options->pinnings.items[0];
    xpbd_world *world = NULL;
    xpbd_diagnostics state = {.residual_rms = NAN};
    char text[256];
    if (xpbd_world_create(&def, &world, NULL) == XPBD_OK &&
        bench_scene_build(scene, world, text, sizeof text) &&
        xpbd_world_prepare(world) == XPBD_OK &&
        xpbd_world_step(world, BENCH_TIME_STEP) == XPBD_OK &&
        xpbd_world_diagnose(world, &state) == XPBD_OK && isfinite(state.residual_rms)) {
        bench_extra *row = bench_extras_add(rows, threads, "converge/%s/%s/iterations:%u",
                                            scene->name, scheduler, iterations);
        bench_extra_count(row, "residual_rms", state.residual_rms);
        bench_extra_count(row, "residual_max", state.residual_max);
        bench_extra_count(row, "constraints", (double)scene->n_constraints);
        for (uint32_t i = 0; i < repeats; i++) {
            const double cpu = bench_cpu_seconds(), began = bench_seconds();
            if (xpbd_world_step(world, BENCH_TIME_STEP) != XPBD_OK)
                break;
            const bench_sample sample = {
                .wall_s = bench_seconds() - began, .cpu_s = bench_cpu_seconds() - cpu, .steps = 1};
            bench_samples_add(&row->samples, &row->n_samples, &sample);
        }
    }
    xpbd_world_destroy(world);
}

void bench_converge(const bench_options *options, const bench_scene *scene, bench_extras *rows)
{
    const uint32_t most = options->mode == BENCH_QUICK ? 64 : 256;
    const uint32_t repeats = options->mode == BENCH_QUICK ? 3 : 7;
    for (size_t i = 0; i < options->schedulers.n; i++)
        for (uint32_t n = 1; n <= most && !bench_interrupted(); n *= 2)
            measure(options, scene, options->schedulers.items[i], n, repeats, rows);
}
