/* SPDX-License-Identifier: MIT
 *
 * What the two halves of the Gmsh reader share: the file with its sections and the map from node
 * tags, which may be sparse and in any order, to points.
 */
#ifndef XPBD_SCENES_MESH_GMSH_H
#define XPBD_SCENES_MESH_GMSH_H

#include "scenes/mesh_build.h"

typedef struct xpbd_gmsh_tag {
    uint64_t tag;
    uint32_t index, line;
} xpbd_gmsh_tag;

typedef struct xpbd_gmsh {
    xpbd_mesh_text text;
    xpbd_mesh_builder *builder;
    bool blocks;          /* format 4.1: nodes and elements come in blocks */
    xpbd_mesh_array tags; /* [n_points] xpbd_gmsh_tag, ascending once the nodes are read */
} xpbd_gmsh;

/** Move to the next row of a section; refuse the end of the file or of the section. */
bool xpbd_gmsh_row(xpbd_gmsh *gmsh, uint64_t row, uint64_t count);
/** Take four numbers: the head of a section (the first two) or of a block (the last one) in format
 *  4.1. Which of them count rows is in `counts`, one bit each; those are checked. */
bool xpbd_gmsh_four(xpbd_gmsh *gmsh, unsigned counts, uint64_t out[4]);
/** Read the body of $Elements, up to and without its end. */
bool xpbd_gmsh_read_elements(xpbd_gmsh *gmsh);

#endif
