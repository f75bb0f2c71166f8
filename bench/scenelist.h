/* SPDX-License-Identifier: MIT
 *
 * The scenes of a run. All of them are made, and all mesh files read, before anything is measured,
 * so that a wrong name or a broken file is found at once. Generated scenes are then let go and
 * made again when their turn comes: large ones would fill the memory that the worlds need.
 */
#ifndef BENCH_SCENELIST_H
#define BENCH_SCENELIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/options.h"
#include "scenes/scene.h"

typedef struct bench_scene {
    char *name;       /* in the table and in the names of the results; unique in the run */
    const char *made; /* generator's name, owned by the options; null for a mesh */
    xpbd_scene scene; /* all zero while it is not needed */
    uint32_t n_particles;
    uint64_t n_constraints; /* of those that consist of elements each element counts */
    char note[192];         /* what is odd about a mesh; mostly empty */
} bench_scene;

typedef struct bench_scenes {
    bench_scene *items;
    size_t n;
} bench_scenes;

/** Find out what all scenes are. False after a message on stderr: an unknown name with the valid
 *  ones, or the reader's "FILE:LINE: what is wrong". */
bool bench_scenes_survey(const bench_options *options, bench_scenes *scenes);
void bench_scenes_free(bench_scenes *scenes);

/** Make a scene that was let go. False after a message on stderr. */
bool bench_scene_open(bench_scene *scene);
void bench_scene_close(bench_scene *scene);
/** Add the scene to a world without particles. On failure `text` says why. */
bool bench_scene_build(const bench_scene *scene, xpbd_world *world, char *text, size_t size);

#endif
