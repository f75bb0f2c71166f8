/* SPDX-License-Identifier: MIT */
#include "bench/roof/roof.h"

#include <stdlib.h>

#include "bench/roof/roof_count_simd.h"
#include "solver/world.h"

roof_counts roof_counted;

extern const xpbd_kernels xpbd_kernel_table__count_aos4;

/* Any that leave nothing without effect. */
static const xpbd_pass PASS = {
    .dt = 1.0f / 60.0f, .inverse_dt = 60.0f, .inverse_dt2 = 3600.0f, .relaxation = 1.0f};

/* Bytes of one element's place in its stream: of `once` each counts once, `moved` counts what is
 * written twice. */
static void stream_bytes(uint32_t type, double *once, double *moved)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of((xpbd_constraint_type)type);
    const uint32_t rest = info->variable ? info->n_element_rest
                          : ops->pack    ? ops->n_packed
                                         : info->n_rest;
    /* Of variable size: corners among its points too; values per constraint are nothing to it. */
    const uint32_t ids = info->n_particles * (info->variable ? 2 : 1);
    const uint32_t own = info->variable ? 0 : 1; /* compliance */
    const uint32_t lambdas = !info->variable || info->rows_per_element ? info->n_rows : 0;
    *once = 4.0 * (ids + rest + own + lambdas);
    *moved = *once + 4.0 * lambdas;
}

static void count_world(xpbd_world *world, const bench_scene *scene, roof_need *need)
{
    xpbd_build *build = &world->build;
    roof_counted = (roof_counts){0};
    for (uint32_t b = 0; b < build->plan.n_blocks; b++) {
        const xpbd_block *block = &build->plan.blocks[b];
        const xpbd_stream *stream = build->tasks[block->task].stream;
        for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++)
            if (stream == &build->streams[type])
                xpbd_kernel_table__count_aos4.project[type][0](stream, &build->store, &PASS,
                                                               block->begin, block->end);
    }
    double once = 0, moved = 0;
    for (uint32_t i = 0; i < scene->scene.n_batches; i++) {
        double batch_once, batch_moved;
        stream_bytes(scene->scene.batches[i].type, &batch_once, &batch_moved);
        once += batch_once * (double)scene->scene.batches[i].n_elements;
        moved += batch_moved * (double)scene->scene.batches[i].n_elements;
    }
    const double n = (double)scene->n_constraints, particles = 16.0 * scene->n_particles;
    *need = (roof_need){.operations = (double)roof_counted.operations / n,
                        .roots = (double)roof_counted.roots / n,
                        .quotients = (double)roof_counted.quotients / n,
                        .loaded = (double)roof_counted.loaded / n,
                        .stored = (double)roof_counted.stored / n,
                        .moved = (moved + 2 * particles) / n,
                        .scene = once + particles};
}

bool roof_count(const bench_scene *scene, roof_need *need)
{
    char text[256];
    xpbd_world_def def = xpbd_default_world_def();
    def.scheduler = "colored-gs";
    def.layout = "aos4";
    def.threads = 1;
    xpbd_world *world = NULL;
    const bool ok = xpbd_world_create(&def, &world, NULL) == XPBD_OK &&
                    bench_scene_build(scene, world, text, sizeof text) &&
                    xpbd_world_prepare(world) == XPBD_OK;
    if (ok)
        count_world(world, scene, need);
    xpbd_world_destroy(world);
    return ok;
}
