/* SPDX-License-Identifier: MIT
 *
 * What the targets of mesh readers share.
 */
#ifndef XPBD_TESTS_FUZZ_MESH_H
#define XPBD_TESTS_FUZZ_MESH_H

#include "fuzz.h"

#include "scenes/mesh.h"

/** Read a mesh: it is one, or it is refused with one line that names the file. */
void fuzz_read_mesh(const xpbd_mesh_file *files, size_t n, const char *path);

#endif
