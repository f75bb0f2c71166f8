/* SPDX-License-Identifier: MIT
 *
 * What the builders share. A build goes through it in this order, and only the last stage touches
 * the world:
 *
 *     xpbd_builder_open   memory, options, strides      read     weld, elements, faults
 *     (the builder)       edges, hinges, compliances    finish   masses, tethers, finite values
 *                                                       commit   particles, then batches
 *
 * Particles are numbered from 0 here; commit shifts them to where the world puts them. Numbers are
 * double until they are handed over.
 */
#ifndef XPBD_BUILDERS_BUILDER_H
#define XPBD_BUILDERS_BUILDER_H

#include "xpbd/build.h"

#include "base/memory.h"

#include <fenv.h>

#define XPBD_TRY(expression)                                                                       \
    do {                                                                                           \
        const xpbd_status status_ = (expression);                                                  \
        if (status_ != XPBD_OK)                                                                    \
            return status_;                                                                        \
    } while (0)

enum { XPBD_BUILDER_BATCHES = 4, XPBD_BUILDER_CORNERS = 4 };

/** Constraints to be added. */
typedef struct xpbd_builder_batch {
    xpbd_built_range *range; /* in the result; it has type and count */
    uint32_t width;          /* particles of one */
    uint32_t *particles;     /* [count][width] */
    float *rest;             /* [count][n_rest], or null: the pose */
    float *compliance;       /* [count] */
} xpbd_builder_batch;

/** The distinct edges of the elements, by lower end, then by higher end. */
typedef struct xpbd_builder_edges {
    uint32_t n;
    uint32_t (*ends)[2];
    double *measure; /* [n] area or volume of the elements at it */
    uint32_t n_hinges;
    uint32_t (*hinges)[4]; /* of triangles: the corners off the edge, then its ends */
    double *hinge_area;    /* [n_hinges] of the two triangles */
} xpbd_builder_edges;

typedef struct xpbd_builder {
    xpbd_world *world;
    const xpbd_build_mesh *mesh;
    const xpbd_build_options *options;
    xpbd_built *built;
    xpbd_memory memory;
    xpbd_arena arena;
    fenv_t caller; /* its rounding mode is not to reach masses and compliances */

    uint32_t corners; /* of an element */
    uint32_t n_particles;
    uint32_t *particle_of; /* [n_vertices] */
    uint32_t *vertex_of;   /* [n_particles] the lowest vertex of each */
    float (*x)[3];         /* [n_particles] */
    bool *pinned;          /* [n_particles] */
    uint32_t n_elements;   /* that are kept */
    uint32_t *elements;    /* [n_elements][corners] */
    uint32_t *source;      /* [n_elements] index in the mesh */
    double *measure;       /* [n_elements] length, area or volume, positive */

    float *inverse_mass;
    uint32_t n_batches;
    xpbd_builder_batch batches[XPBD_BUILDER_BATCHES];
} xpbd_builder;

/* build.c: the frame around a build */

/** Options of all builders, as their default functions set them. */
xpbd_build_options xpbd_builder_options(void);
/** Start: after it, and whatever it returns, end with xpbd_builder_close(). */
xpbd_status xpbd_builder_open(xpbd_builder *builder, const xpbd_build_options *options);
/** Leave a refusal in the result. The world is not asked. */
xpbd_status xpbd_builder_fail(xpbd_builder *builder, xpbd_status status, uint64_t element,
                              double value, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
xpbd_status xpbd_builder_no_memory(xpbd_builder *builder);
/** Check that a value of a definition is in [low, high]; NaN never is. */
xpbd_status xpbd_builder_check(xpbd_builder *builder, xpbd_status status, const char *name,
                               double value, double low, double high);
/** Give a batch of `count` constraints room. Null where there is no memory. */
xpbd_builder_batch *xpbd_builder_batch_of(xpbd_builder *builder, xpbd_built_range *range,
                                          xpbd_constraint_type type, uint32_t count);
/** Free what the build needed and clear the ranges if it failed. Returns `status`. */
xpbd_status xpbd_builder_close(xpbd_builder *builder, xpbd_status status);

/* commit.c: the last stages */

/** Lump masses, pin, and check that all numbers are finite as floats. */
xpbd_status xpbd_builder_finish(xpbd_builder *builder, double density);
/** Add everything to the world. */
xpbd_status xpbd_builder_commit(xpbd_builder *builder);

/* sort.c */

/** Sort n tuples of `width` numbers below n_values: order[k] is the tuple at place k, ascending, of
 *  equal ones the earlier first. O(width (n + n_values)). False without memory. */
bool xpbd_builder_sort(xpbd_arena *arena, const uint32_t *tuples, uint32_t n, uint32_t width,
                       uint32_t n_values, uint32_t *order);
/** Put a few numbers in ascending order. */
void xpbd_builder_sort_few(uint32_t *values, uint32_t n);
/** Make the tuples of sorted corners of all elements. Null without memory. */
uint32_t *xpbd_builder_corner_tuples(xpbd_arena *arena, const uint32_t *elements, uint32_t n,
                                     uint32_t corners);

/* elements.c, weld.c, faults.c: reading the mesh */

/** Read vertices and elements: weld, skip, reorient, report. Refuses what the policy says. */
xpbd_status xpbd_builder_read(xpbd_builder *builder, uint32_t corners);
/** Check strides and positions, without which nothing can be read. */
xpbd_status xpbd_builder_check_mesh(xpbd_builder *builder);
/** Read element e as vertices. Refuses an index past the end. */
xpbd_status xpbd_builder_vertices(xpbd_builder *builder, uint32_t e, uint32_t *vertices);
/** Read a position. */
void xpbd_builder_position(const xpbd_build_mesh *mesh, uint32_t vertex, float x[3]);
/** Give each vertex its particle: particle_of, vertex_of, x and n_particles. */
xpbd_status xpbd_builder_weld(xpbd_builder *builder);
/** Note a fault. Elements come in ascending order, or those of one kind do not come twice. */
void xpbd_builder_fault(xpbd_builder *builder, xpbd_fault fault, uint32_t element);
/** Write the line of the report, and refuse if a fault of a kind to be refused was found. */
xpbd_status xpbd_builder_judge(xpbd_builder *builder);

/* edges.c, tethers.c */

/** Find the edges, and of triangles the hinges; faults NON_MANIFOLD. */
xpbd_status xpbd_builder_edges_of(xpbd_builder *builder, xpbd_builder_edges *edges);
/** Make a batch of tethers: shortest ways along edges to pinned particles. */
xpbd_status xpbd_builder_tether(xpbd_builder *builder, const xpbd_builder_edges *edges);
/** Make a batch of distances at rest along all edges: alpha = |e|^2 / (modulus * measure). */
xpbd_status xpbd_builder_springs(xpbd_builder *builder, const xpbd_builder_edges *edges,
                                 double modulus);

/* geometry.c */

/** Length, area or signed volume of the element with these corners, in double. */
double xpbd_builder_measure(const float (*x)[3], const uint32_t *corners, uint32_t n);
/** Tell whether that is nothing but rounding: see "Faults" in build.h. */
bool xpbd_builder_is_flat(const float (*x)[3], const uint32_t *corners, uint32_t n, double measure);
double xpbd_builder_distance(const float a[3], const float b[3]);
void xpbd_builder_difference(const float a[3], const float b[3], double out[3]);
double xpbd_builder_dot(const double a[3], const double b[3]);

#endif
