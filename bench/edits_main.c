/* SPDX-License-Identifier: MIT
 *
 * //bench:edits: what changing a world while it runs costs, and what a step costs afterwards. Every
 * sample has a world of its own; the steps that are compared are taken in turn.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime() */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scenes/scene.h"

enum { REPEATS = 7, STEPS = 60 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void check(xpbd_status status, const xpbd_error *error)
{
    if (status != XPBD_OK) {
        fprintf(stderr, "edits: %s\n", error->text);
        exit(1);
    }
}

#define CHECK(call) check(call, xpbd_world_error(world))

static xpbd_world *make(const xpbd_scene *scene, const char *scheduler)
{
    xpbd_world_def def = xpbd_default_world_def();
    xpbd_world *world;
    xpbd_error error;
    def.scheduler = scheduler;
    def.threads = 1;
    def.iterations = 4;
    check(xpbd_world_create(&def, &world, &error), &error);
    CHECK(xpbd_scene_build(scene, world));
    CHECK(xpbd_world_step(world, 1e-3));
    return world;
}

static xpbd_world_summary look(const xpbd_world *world)
{
    xpbd_world_summary summary;
    CHECK(xpbd_world_summarize(world, &summary));
    return summary;
}

/* A tenth of all distances: every tenth, or every tenth sixteen. */
typedef xpbd_status edit_fn(xpbd_world *world, uint32_t first, uint32_t count);

static double tenth(xpbd_world *world, edit_fn *edit, uint32_t in_a_row)
{
    const uint32_t n = look(world).n_constraints[XPBD_DISTANCE];
    uint32_t edited = 0;
    for (uint32_t k = 0; k + in_a_row <= n; k += 10 * in_a_row, edited += in_a_row)
        CHECK(edit(world, k, in_a_row));
    return edited;
}

static xpbd_status remove_some(xpbd_world *world, uint32_t first, uint32_t count)
{
    return xpbd_world_remove_constraints(world, XPBD_DISTANCE, first, count);
}

static xpbd_status switch_off(xpbd_world *world, uint32_t first, uint32_t count)
{
    return xpbd_world_enable_constraints(world, XPBD_DISTANCE, first, count, false);
}

static xpbd_status soften(xpbd_world *world, uint32_t first, uint32_t count)
{
    static const float soft = 1e-6f;
    return xpbd_world_set_constraints(
        world, XPBD_DISTANCE, first, count,
        &(xpbd_constraints){.compliance = &soft, .compliance_stride = XPBD_SAME});
}

/* Each returns of how many things the time is. */

static double do_set(xpbd_world *world)
{
    return tenth(world, soften, 1);
}

static double do_remove(xpbd_world *world)
{
    return tenth(world, remove_some, 1);
}

static double do_remove_rows(xpbd_world *world)
{
    return tenth(world, remove_some, 16);
}

static double do_off(xpbd_world *world)
{
    return tenth(world, switch_off, 16);
}

static double do_remove_particles(xpbd_world *world)
{
    CHECK(xpbd_world_remove_particles(world, 1000, 100, NULL));
    return look(world).n_constraints[XPBD_DISTANCE];
}

static double do_pin(xpbd_world *world)
{
    static const float zero;
    CHECK(xpbd_world_set_inverse_masses(world, 1000, 1000, &zero, XPBD_SAME));
    return 1000;
}

static double do_add(xpbd_world *world)
{
    const uint32_t pair[2] = {0, 1};
    CHECK(xpbd_world_add_constraints(world, XPBD_DISTANCE, 1,
                                     &(xpbd_constraints){.particles = pair}, NULL));
    return 1;
}

static double do_prepare(xpbd_world *world)
{
    CHECK(xpbd_world_prepare(world));
    return look(world).n_constraints[XPBD_DISTANCE];
}

static double do_compact(xpbd_world *world)
{
    const double n = look(world).n_constraints[XPBD_DISTANCE];
    CHECK(xpbd_world_compact(world, NULL, NULL));
    return n;
}

static void *snapshot;
static size_t snapshot_size;

static double do_save(xpbd_world *world)
{
    CHECK(xpbd_world_save(world, snapshot_size, snapshot, &snapshot_size));
    return look(world).n_constraints[XPBD_DISTANCE];
}

static double begin_save(xpbd_world *world)
{
    CHECK(xpbd_world_save(world, 0, NULL, &snapshot_size));
    free(snapshot);
    snapshot = malloc(snapshot_size);
    memset(snapshot, 0, snapshot_size); /* there, not only promised */
    return 1;
}

static double begin_load(xpbd_world *world)
{
    begin_save(world);
    return do_save(world);
}

static double do_load(xpbd_world *world)
{
    CHECK(xpbd_world_load(world, snapshot_size, snapshot));
    return look(world).n_constraints[XPBD_DISTANCE];
}

static const struct {
    const char *text, *of;
    double (*begin)(xpbd_world *world), (*run)(xpbd_world *world);
} rows[] = {
    {"set the compliance, one at a time", "constraint", NULL, do_set},
    {"remove, one at a time", "constraint", NULL, do_remove},
    {"remove, 16 at a time", "constraint", NULL, do_remove_rows},
    {"switch off, 16 at a time, the first of the type", "constraint", NULL, do_off},
    {"the new preparation after that", "constraint there is", do_off, do_prepare},
    {"remove 100 particles, one call", "constraint there is", NULL, do_remove_particles},
    {"pin 1000 particles, one call", "particle", NULL, do_pin},
    {"add, one", "call", NULL, do_add},
    {"the new preparation after that", "constraint there is", do_add, do_prepare},
    {"compact, a tenth removed", "constraint there was", do_remove, do_compact},
    {"save to memory", "constraint", begin_save, do_save},
    {"load from memory, prepared", "constraint", begin_load, do_load},
};

static void measure_rows(const xpbd_scene *scene, const char *scheduler)
{
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        double least = 0.0;
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            xpbd_world *world = make(scene, scheduler);
            if (rows[k].begin)
                rows[k].begin(world);
            const double start = now(), of = rows[k].run(world), ns = (now() - start) / of;
            least = repeat > 0 && least < ns ? least : ns;
            xpbd_world_destroy(world);
        }
        printf("  %-50s %10.1f ns per %s\n", rows[k].text, least, rows[k].of);
    }
}

/* Steps as it was, with a tenth removed, with a tenth switched off, and compacted. */
static void measure_steps(const xpbd_scene *scene, const char *scheduler)
{
    static const char *const texts[] = {"a step", "a step, a tenth removed",
                                        "a step, a tenth switched off",
                                        "a step, a tenth removed, compacted"};
    xpbd_world *worlds[4];
    double least[4] = {0};
    for (int k = 0; k < 4; k++) {
        worlds[k] = make(scene, scheduler);
        if (k > 0)
            (void)tenth(worlds[k], k == 2 ? switch_off : remove_some, 1);
        if (k == 3)
            check(xpbd_world_compact(worlds[k], NULL, NULL), xpbd_world_error(worlds[k]));
        check(xpbd_world_step(worlds[k], 1e-3), xpbd_world_error(worlds[k]));
    }
    for (int step = 0; step < STEPS; step++) {
        for (int k = 0; k < 4; k++) {
            const double start = now();
            check(xpbd_world_step(worlds[k], 1e-3), xpbd_world_error(worlds[k]));
            const double us = (now() - start) / 1e3;
            least[k] = step > 0 && least[k] < us ? least[k] : us;
        }
    }
    for (int k = 0; k < 4; k++) {
        printf("  %-50s %10.1f us\n", texts[k], least[k]);
        xpbd_world_destroy(worlds[k]);
    }
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "cloth-128";
    const char *const schedulers[] = {"slab-gs", "colored-gs", "jacobi"};
    xpbd_scene scene;
    char error[256];
    if (argc > 2 || !xpbd_scene_make(name, &scene, error, sizeof error)) {
        fprintf(stderr, "edits [SCENE]: of distances, for example cloth-128\n%s\n",
                argc > 2 ? "" : error);
        return 2;
    }
    for (size_t k = 0; k < sizeof schedulers / sizeof schedulers[0]; k++) {
        printf("%s, %s, one thread, 4 iterations; smallest of %d samples, %d of steps\n", name,
               schedulers[k], REPEATS, STEPS);
        measure_rows(&scene, schedulers[k]);
        measure_steps(&scene, schedulers[k]);
    }
    free(snapshot);
    xpbd_scene_free(&scene);
    return 0;
}
