/* SPDX-License-Identifier: MIT
 *
 * Scenes for tests and benchmarks: seeded generators (the rows of scenes.def) and meshes from
 * files. A scene is plain arrays, so that the same one can be built into many worlds. The same
 * name gives the same bits on every machine.
 */
#ifndef XPBD_SCENES_SCENE_H
#define XPBD_SCENES_SCENE_H

#include "xpbd/xpbd.h"

#define XPBD_SCENE_BATCHES_MAX 4

/** Constraints that share a type, a compliance and a damping. */
typedef struct xpbd_scene_batch {
    xpbd_constraint_type type;
    uint32_t count;
    uint32_t n_elements; /* of all of them: `count`, but of a type of variable size */
    uint32_t *particles; /* [n_elements][n_particles of the type] */
    uint32_t *sizes;     /* [count] elements of each of a type of variable size; else null */
    float *rest;         /* [count][n_rest of the type]; null: what the positions are */
    float compliance;
    float damping;
} xpbd_scene_batch;

typedef struct xpbd_scene {
    char name[64];  /* as asked for; of a mesh its file's without folder and extension */
    char note[192]; /* what was left out of a mesh or is odd about it, one line; mostly empty */
    uint32_t n_particles;
    float *positions;      /* [n_particles][3] m */
    float *inverse_masses; /* [n_particles] 1/kg, 0: fixed */
    uint32_t n_batches;
    xpbd_scene_batch batches[XPBD_SCENE_BATCHES_MAX];
    float gravity[3]; /* m/s^2 */
} xpbd_scene;

/** A row of scenes.def: NAME-N with a number N, and NAME-N-scrambled. */
typedef struct xpbd_scene_family {
    const char *name;
    uint32_t smallest, largest; /* N */
    const char *text;
} xpbd_scene_family;

/** Describe the families one by one. Null past the last. Static memory. */
const xpbd_scene_family *xpbd_scene_list(uint32_t index);

/** Make a scene by name, for example "cloth-64" or "tetblock-16-scrambled": scrambled ones have
 *  their particles numbered and their constraints ordered at random.
 *  scene  out  all zero on failure; xpbd_scene_free() frees it
 *  error  out  [error_size] one line, empty on success; may be null
 *  Returns     false for a name that is unknown (the line lists the families), an N out of range
 *              (the line has the range), or for want of memory */
bool xpbd_scene_make(const char *name, xpbd_scene *scene, char *error, size_t error_size);

/** Make a scene of a mesh (mesh.h has the formats): one distance constraint per edge, its rest
 *  length that in the file, and with `volumes` one volume constraint per tetrahedron, of which a
 *  mesh may have none. Coordinates are taken as metres. The mass is 1 kg, spread evenly over
 *  the points with edges; the topmost 2 % of these are fixed (at least one; the lowest numbers of
 *  those at equal height), and so are points without an edge. Else as xpbd_scene_make(). */
bool xpbd_scene_from_mesh_file(const char *path, bool volumes, xpbd_scene *scene, char *error,
                               size_t error_size);

/** Add the particles and constraints of a scene to a world, behind those it has, and set its
 *  acceleration. On failure the world may hold a part of the scene.
 *  Returns     XPBD_OK; ERROR_MEMORY; what the functions that add return */
xpbd_status xpbd_scene_build(const xpbd_scene *scene, xpbd_world *world);

/** Free the arrays and zero the struct. A zeroed scene is allowed. */
void xpbd_scene_free(xpbd_scene *scene);

#endif
