/* SPDX-License-Identifier: MIT
 *
 * Scenes of meshes from files: a body of springs that hangs from its top. Files say nothing about
 * mass, and their units are anything; an even mass keeps all of them solvable alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/mesh.h"
#include "scenes/scene_parts.h"

#define COMPLIANCE        1e-6f /* m/N */
#define VOLUME_COMPLIANCE 0.0f  /* m^5/N: one that suits a unit of length suits no other */

typedef struct height {
    float y;
    uint32_t point;
} height;

static int compare_heights(const void *a, const void *b)
{
    const height *p = a, *q = b;
    if (p->y != q->y)
        return p->y > q->y ? -1 : 1;
    return (p->point > q->point) - (p->point < q->point);
}

/* Fix what no edge holds, and of the rest the topmost 2 %. By number and not by height: a level
 * sheet must not be fixed as a whole. */
static bool set_masses(const xpbd_mesh *mesh, xpbd_scene *scene)
{
    height *heights = malloc(mesh->n_points * sizeof *heights);
    if (!heights)
        return false;
    float *w = scene->inverse_masses;
    uint32_t n = 0;
    for (uint32_t i = 0; i < mesh->n_points; i++)
        w[i] = 0.0f;
    for (size_t k = 0; k < 2 * (size_t)mesh->n_edges; k++)
        w[mesh->edges[k]] = (float)(mesh->n_points - mesh->n_unused);
    for (uint32_t i = 0; i < mesh->n_points; i++) {
        if (w[i] > 0.0f)
            heights[n++] = (height){mesh->points[3 * (size_t)i + 1], i};
    }
    qsort(heights, n, sizeof *heights, compare_heights);
    for (uint32_t k = 0; k < n / 50 + (n % 50 != 0); k++)
        w[heights[k].point] = 0.0f;
    free(heights);
    return true;
}

static void set_name(const char *path, xpbd_scene *scene)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    size_t n = dot ? (size_t)(dot - base) : strlen(base);
    n = n < sizeof scene->name ? n : sizeof scene->name - 1;
    for (size_t k = 0; k < n; k++) {
        unsigned char c = (unsigned char)base[k];
        scene->name[k] = c < 0x20 || c == 0x7f ? '?' : base[k];
    }
    scene->name[n] = 0;
}

static void set_note(const xpbd_mesh *mesh, xpbd_scene *scene)
{
    const struct {
        uint32_t count;
        const char *text;
    } parts[] = {
        {mesh->n_repeated, "with a repeated point (skipped)"},
        {mesh->n_zero_length, "without length (skipped)"},
        {mesh->n_zero_area, "without area (skipped)"},
        {mesh->n_zero_volume, "without volume (skipped)"},
        {mesh->n_curved, "curved (corners used)"},
        {mesh->n_unused, "points unused (fixed)"},
    };
    size_t at = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (!parts[k].count || at >= sizeof scene->note)
            continue;
        int n = snprintf(scene->note + at, sizeof scene->note - at, "%s%u %s", at ? ", " : "",
                         parts[k].count, parts[k].text);
        at += n > 0 ? (size_t)n : 0;
    }
}

static bool fill(const xpbd_mesh *mesh, bool volumes, xpbd_scene *scene)
{
    if (!xpbd_scene_allocate(scene, mesh->n_points, 0.0f) || !set_masses(mesh, scene) ||
        !xpbd_scene_open_distances(scene, mesh->n_edges, COMPLIANCE))
        return false;
    memcpy(scene->positions, mesh->points, mesh->n_points * 3 * sizeof(float));
    for (size_t k = 0; k < mesh->n_edges; k++)
        xpbd_scene_join(scene, mesh->edges[2 * k], mesh->edges[2 * k + 1]);
    const uint32_t n_volumes = volumes ? mesh->n_tets : 0;
    if (!xpbd_scene_open(scene, XPBD_TET_VOLUME, n_volumes, VOLUME_COMPLIANCE))
        return false;
    for (size_t k = 0; k < n_volumes; k++)
        xpbd_scene_add(scene, mesh->tets + 4 * k);
    return true;
}

bool xpbd_scene_from_mesh_file(const char *path, bool volumes, xpbd_scene *scene, char *error,
                               size_t error_size)
{
    xpbd_mesh mesh;
    *scene = (xpbd_scene){0};
    if (!xpbd_mesh_read(path, &mesh, error, error_size))
        return false;
    const char *what = NULL;
    if (!fill(&mesh, volumes, scene))
        what = "out of memory";
    else if (!xpbd_scene_measure(scene))
        what = "an edge is too long for a 32-bit float";
    if (what) {
        (void)snprintf(error, error ? error_size : 0, "%s: %s", path, what);
        xpbd_scene_free(scene);
    } else {
        scene->gravity[1] = -9.81f;
        set_name(path, scene);
        set_note(&mesh, scene);
    }
    xpbd_mesh_free(&mesh);
    return !what;
}
