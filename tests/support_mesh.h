/* SPDX-License-Identifier: MIT
 *
 * What the tests of the mesh readers share: files in the test's own folder, and assertions on what
 * a reader made of them.
 */
#ifndef XPBD_TESTS_SUPPORT_MESH_H
#define XPBD_TESTS_SUPPORT_MESH_H

#include "support.h"

#include "scenes/mesh.h"

/** Name a file in the folder for temporary files. Text stays valid for the next 7 calls. */
const char *kit_temporary(const char *name);
void kit_write(const char *path, const void *bytes, size_t n);
/** Read a whole file; the caller frees. */
char *kit_load(const char *path, size_t *n);

/** Write a mesh file and read it. The caller frees the mesh. */
xpbd_mesh kit_mesh(const char *name, const char *text);
/** Read a mesh that must be readable. */
xpbd_mesh kit_mesh_read(const char *path);
/** Write a mesh file and check that it is refused with the line `line` (0: none) and a text with
 *  `part` in it. */
void kit_refused(const char *name, const char *text, uint32_t line, const char *part);
/** The same for a file that is there. `blamed` is the file named in the text. */
void kit_refused_file(const char *path, const char *blamed, uint32_t line, const char *part);
/** Check what holds for every mesh: indices in range, edges unique and ascending, finite points. */
void kit_check_mesh(const xpbd_mesh *mesh);
/** Compare two meshes, all of them. */
void kit_same_mesh(const xpbd_mesh *got, const xpbd_mesh *want);
/** Compare a list of indices. */
void kit_same_indices(const uint32_t *got, const uint32_t *want, size_t n);

#endif
