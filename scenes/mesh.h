/* SPDX-License-Identifier: MIT
 *
 * Meshes from files: points, triangles, tetrahedra and their unique edges. The formats are the rows
 * of formats.def. A file is either read completely or refused with one line that says where; what
 * a simulation can not use but many tools write (flat or repeated corners) is skipped and counted.
 */
#ifndef XPBD_SCENES_MESH_H
#define XPBD_SCENES_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct xpbd_mesh {
    uint32_t n_points, n_triangles, n_tets, n_edges;
    float *points;       /* [n_points][3], in the order of the file, used or not */
    uint32_t *triangles; /* [n_triangles][3], polygons cut into triangles */
    uint32_t *tets;      /* [n_tets][4], corners in the order of the file */
    uint32_t *edges;     /* [n_edges][2], first < second, ascending, each once: of the tetrahedra if
                            there are any, else of the triangles, polygons and polylines */
    uint32_t n_repeated; /* faces and segments that name a point twice: skipped */
    uint32_t n_zero_length; /* segments between points that coincide: skipped */
    uint32_t n_zero_area;   /* faces whose corners are in a line: skipped */
    uint32_t n_zero_volume; /* tetrahedra whose corners are in a plane: skipped */
    uint32_t n_inverted;    /* tetrahedra of negative volume: kept as they are */
    uint32_t n_curved;      /* elements of higher order: only their corners are used */
    uint32_t n_unused;      /* points without an edge */
} xpbd_mesh;

/** Read a mesh file; the extension says which format.
 *  path   in   .obj; .node or .ele (the other one is looked for beside it); .msh
 *  mesh   out  all zero on failure; xpbd_mesh_free() frees it
 *  error  out  [error_size] "FILE:LINE: what is wrong", or "FILE: ..." where no line is to blame;
 *              empty on success; may be null
 *  Returns     false for a file that is missing, broken, without an edge, or too large for memory
 *  Threads     any; numbers are read alike in every locale, and the caller's stays as it is
 *  Cost        O(bytes); the file is held in memory as a whole */
bool xpbd_mesh_read(const char *path, xpbd_mesh *mesh, char *error, size_t error_size);

/** A file that is in memory. */
typedef struct xpbd_mesh_file {
    const char *path;
    const void *bytes;
    size_t size;
} xpbd_mesh_file;

/** Read a mesh as from a disk that has these files and no others. Else as xpbd_mesh_read(). */
bool xpbd_mesh_read_files(const xpbd_mesh_file *files, size_t n, const char *path, xpbd_mesh *mesh,
                          char *error, size_t error_size);
/** Free the arrays and zero the struct. A zeroed mesh is allowed. */
void xpbd_mesh_free(xpbd_mesh *mesh);

#endif
