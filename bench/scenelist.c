/* SPDX-License-Identifier: MIT */
#include "bench/scenelist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_taken(const bench_scenes *scenes, const char *name)
{
    for (size_t i = 0; i < scenes->n; i++)
        if (strcmp(scenes->items[i].name, name) == 0)
            return true;
    return false;
}

/* Two meshes may have the same name in different folders or formats. The separator of the names
 * of results can not be part of one. */
static char *unique_name(const bench_scenes *scenes, const char *wanted)
{
    char *name = bench_strdup(wanted);
    for (char *at = name; *at != '\0'; at++)
        if (*at == '/' || *at == ' ' || (unsigned char)*at < 0x20)
            *at = '_';
    char *unique = bench_strdup(name);
    for (int i = 2; is_taken(scenes, unique); i++) {
        free(unique);
        unique = bench_print("%s-%d", name, i);
    }
    free(name);
    return unique;
}

/* Append what is in `scene`, which it takes over. */
static bool append(bench_scenes *scenes, const char *made, const char *suffix, xpbd_scene *scene)
{
    bench_scene item = {.made = made, .n_particles = scene->n_particles, .scene = *scene};
    for (uint32_t i = 0; i < scene->n_batches; i++)
        item.n_constraints += scene->batches[i].n_elements;
    snprintf(item.note, sizeof item.note, "%s", scene->note);
    char *name = bench_print("%s%s", scene->name[0] != '\0' ? scene->name : "mesh", suffix);
    item.name = unique_name(scenes, name);
    free(name);
    scenes->items = bench_realloc(scenes->items, scenes->n + 1, sizeof *scenes->items);
    scenes->items[scenes->n++] = item;
    if (item.n_constraints == 0)
        fprintf(stderr, "bench: %s: there is no constraint in it\n", item.name);
    return item.n_constraints > 0;
}

static bool has_volumes(const xpbd_scene *scene)
{
    return scene->n_batches > 0 && scene->batches[scene->n_batches - 1].type == XPBD_TET_VOLUME;
}

/* A mesh as its edges, and where volumes are wanted and in it once more with these. */
static bool survey_mesh(const char *path, bool volumes, bench_scenes *scenes, bool *found)
{
    char error[512];
    for (int with = 0; with <= volumes; with++) {
        xpbd_scene scene;
        if (!xpbd_scene_from_mesh_file(path, with, &scene, error, sizeof error)) {
            fprintf(stderr, "%s\n", error);
            return false;
        }
        if (with && !has_volumes(&scene)) {
            xpbd_scene_free(&scene);
            continue;
        }
        *found = *found || with;
        if (!append(scenes, NULL, with ? "-volumes" : "", &scene))
            return false;
    }
    return true;
}

bool bench_scenes_survey(const bench_options *options, bench_scenes *scenes)
{
    char error[512];
    bool found = false;
    *scenes = (bench_scenes){0};
    for (size_t i = 0; i < options->meshes.n; i++)
        if (!survey_mesh(options->meshes.items[i], options->volumes, scenes, &found))
            return false;
    if (options->volumes && !found) {
        fprintf(stderr, "bench: --volumes: no --mesh has tetrahedra\n");
        return false;
    }
    for (size_t i = 0; i < options->scenes.n; i++) {
        xpbd_scene scene;
        if (!xpbd_scene_make(options->scenes.items[i], &scene, error, sizeof error)) {
            fprintf(stderr, "bench: %s\n", error);
            return false;
        }
        if (!append(scenes, options->scenes.items[i], "", &scene))
            return false;
        xpbd_scene_free(&scenes->items[scenes->n - 1].scene);
    }
    return true;
}

bool bench_scene_open(bench_scene *scene)
{
    char error[512];
    if (scene->scene.n_particles > 0 ||
        xpbd_scene_make(scene->made, &scene->scene, error, sizeof error))
        return true;
    fprintf(stderr, "bench: %s\n", error);
    return false;
}

void bench_scene_close(bench_scene *scene)
{
    xpbd_scene_free(&scene->scene);
}

bool bench_scene_build(const bench_scene *scene, xpbd_world *world, char *text, size_t size)
{
    const xpbd_status status = xpbd_scene_build(&scene->scene, world);
    if (status == XPBD_OK)
        return true;
    const char *why = xpbd_world_error(world)->text;
    snprintf(text, size, "%s", why[0] != '\0' ? why : xpbd_status_text(status));
    return false;
}

void bench_scenes_free(bench_scenes *scenes)
{
    for (size_t i = 0; i < scenes->n; i++) {
        xpbd_scene_free(&scenes->items[i].scene);
        free(scenes->items[i].name);
    }
    free(scenes->items);
    *scenes = (bench_scenes){0};
}
