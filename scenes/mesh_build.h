/* SPDX-License-Identifier: MIT
 *
 * Putting a mesh together: what all readers share once the text is understood. Here it is decided
 * what is degenerate, how polygons are cut, and which edges there are.
 */
#ifndef XPBD_SCENES_MESH_BUILD_H
#define XPBD_SCENES_MESH_BUILD_H

#include "scenes/mesh.h"
#include "scenes/mesh_text.h"

/** A polygon is cut in quadratic time in the worst case, so it may not be larger. */
#define XPBD_MESH_CORNERS_MAX 4096

typedef struct xpbd_mesh_array {
    void *data;
    size_t capacity; /* in elements */
} xpbd_mesh_array;

/** A corner while its polygon is being cut. */
typedef struct xpbd_mesh_corner {
    double x, y; /* in the plane of the polygon, counter-clockwise */
    uint32_t next, previous;
    uint32_t blocker; /* a corner that was inside this one's ear, or this one */
    bool pointed;     /* the polygon turns left here by more than rounding */
} xpbd_mesh_corner;

typedef struct xpbd_mesh_builder {
    xpbd_mesh_disk disk;
    xpbd_mesh *mesh; /* its arrays are the data of the four below */
    xpbd_mesh_array points, triangles, tets;
    xpbd_mesh_array segments; /* [n_segments][2] uint32: edges that belong to no triangle */
    xpbd_mesh_array ring;     /* scratch: xpbd_mesh_corner */
    xpbd_mesh_array cut;      /* scratch: [n - 2][3] uint32 */
    uint32_t n_segments;
} xpbd_mesh_builder;

/** Give `array` room for `count` elements; capacities double, so that pushing is linear. False for
 *  want of memory: the array is then as it was. */
bool xpbd_mesh_reserve(xpbd_mesh_array *array, size_t count, size_t element);

/* Each adds one thing, or refuses it with one line for the current statement of `text`. */
bool xpbd_mesh_add_point(xpbd_mesh_builder *builder, const xpbd_mesh_text *text,
                         const float position[3]);
bool xpbd_mesh_add_segment(xpbd_mesh_builder *builder, const xpbd_mesh_text *text, uint32_t i,
                           uint32_t j);
/** Add a face of at least 3 corners. `corners` is changed: corners that repeat their neighbour are
 *  taken out of polygons. */
bool xpbd_mesh_add_face(xpbd_mesh_builder *builder, const xpbd_mesh_text *text, uint32_t *corners,
                        uint32_t n);
bool xpbd_mesh_add_tet(xpbd_mesh_builder *builder, const xpbd_mesh_text *text,
                       const uint32_t corners[4]);
/** Make the edges; refuse a mesh that has none. */
bool xpbd_mesh_finish(xpbd_mesh_builder *builder, const char *path, const xpbd_mesh_fault *fault);
/** Free the scratch memory, not the mesh. */
void xpbd_mesh_builder_close(xpbd_mesh_builder *builder);

/** Tell whether a triangle has an area beyond rounding, relative to its longest side: a threshold
 *  in square metres would drop fine meshes and meshes in other units. */
bool xpbd_mesh_has_area(const float *points, const uint32_t corners[3]);
/** Cut a polygon into n - 2 triangles of its own orientation, by clipping ears.
 *  ring       scratch [n]
 *  triangles  out [n - 2][3]
 *  Returns    false if the polygon has no area; nothing is written then */
bool xpbd_mesh_cut_polygon(const float *points, const uint32_t *corners, uint32_t n,
                           xpbd_mesh_corner *ring, uint32_t *triangles);
/** Find the unique edges of what was added. False for want of memory. */
bool xpbd_mesh_find_edges(xpbd_mesh_builder *builder);

/* The readers, one for each name in formats.def. */
#define XPBD_MESH_FORMAT(extension, reader)                                                        \
    bool xpbd_mesh_read_##reader(const char *path, xpbd_mesh_builder *builder,                     \
                                 const xpbd_mesh_fault *fault);
#include "scenes/formats.def"
#undef XPBD_MESH_FORMAT

#endif
