/* SPDX-License-Identifier: MIT
 *
 * What a constraint type gives to the rest of the library: kernels that project a range of lane
 * groups, one table of them per instruction set and layout, and a plain description in double
 * precision (C and its gradient) that tests, diagnostics and force read-out use.
 */
#ifndef XPBD_KERNEL_KERNEL_H
#define XPBD_KERNEL_KERNEL_H

#include "base/cpu.h"
#include "layouts/stream.h"
#include "xpbd/constraint_type.h"

/** What is the same for all constraints of a substep. */
typedef struct xpbd_pass {
    float dt, inverse_dt, inverse_dt2; /* of the substep: s, 1/s, 1/s^2 */
    float acceleration[3];             /* m/s^2 */
    float relaxation;                  /* omega */
} xpbd_pass;

/** Variants of one kernel, made from one source: a bit that is not set costs nothing. */
enum {
    XPBD_VARIANT_FIRST = 1,      /* first iteration of a substep: lambda is 0 and not read */
    XPBD_VARIANT_DAMPED = 2,     /* the stream has damping */
    XPBD_VARIANT_ACCUMULATE = 4, /* write corrections instead of moving particles */
    XPBD_VARIANT_STIFF = 8, /* the stream has stiffness: [PBD07], or constraints that are off */
    XPBD_VARIANT_COUNT = 16,
    /* Of groups that are runs, with FIRST and STIFF alone: 16 times the xpbd_run_kind. */
    XPBD_VARIANT_RUNS = 16,
    /* Of such groups: all their particles have the same weight, in all groups of a call. */
    XPBD_VARIANT_EVEN = 64,
    XPBD_PROJECT_RUNS = 4 * (XPBD_RUN_KINDS - 1),
    XPBD_PROJECT_COUNT = XPBD_VARIANT_COUNT + 2 * XPBD_PROJECT_RUNS
};

/** Find the place in the table of a type for runs of a kind. */
static inline unsigned xpbd_project_run(unsigned variant, unsigned kind)
{
    return XPBD_VARIANT_COUNT + 4 * (kind - 1) + (variant & XPBD_VARIANT_FIRST ? 1u : 0u) +
           (variant & XPBD_VARIANT_STIFF ? 2u : 0u) +
           (variant & XPBD_VARIANT_EVEN ? (unsigned)XPBD_PROJECT_RUNS : 0u);
}

/** Project units [begin, end) of a stream: lane groups, or constraints of variable size. They share
 *  no particle, so a kernel may read all of them before it writes the first; the scalar kernel does
 *  them one by one, in order. */
typedef void xpbd_project_fn(const xpbd_stream *stream, const xpbd_store *store,
                             const xpbd_pass *pass, uint32_t begin, uint32_t end);
/** Particles of 16-slot units [begin, end): predict, or turn what was solved into velocities. */
typedef void xpbd_integrate_fn(const xpbd_store *store, const xpbd_pass *pass, uint32_t begin,
                               uint32_t end);
/** Add up the corrections of particles of units [begin, end). Particle i has those numbered
 *  slot[first[i]] ... slot[first[i + 1] - 1], summed in this order. */
typedef void xpbd_gather_fn(const xpbd_store *store, const xpbd_pass *pass, const uint32_t *first,
                            const uint32_t *slot, uint32_t begin, uint32_t end);

/** Find the largest |now - before| of lane groups [begin, end), each times what its lane has in
 *  `scale`, or times of_group[group] where that is not negative. Infinite or NaN where one is. */
typedef float xpbd_change_fn(const float *now, const float *before, const float *scale,
                             const float *of_group, uint32_t begin, uint32_t end);

typedef struct xpbd_kernels {
    xpbd_project_fn *const
        *project[XPBD_CONSTRAINT_TYPE_COUNT]; /* [type][variant], then those for runs, then for even
                                                 ones, or null */
    xpbd_integrate_fn *predict, *finish;
    xpbd_gather_fn *gather;
    xpbd_change_fn *change;
} xpbd_kernels;

/** Find the kernels of a row of isas.def and of layouts.def; null where that ISA is not built. */
const xpbd_kernels *xpbd_kernels_find(xpbd_isa isa, xpbd_layout layout);

/** The elements of one constraint of variable size, in the caller's order, wherever they are. */
typedef struct xpbd_elements {
    uint32_t n;
    /** Read the particles of an element: x[particle]; its rest data, or null where not wanted. */
    void (*read)(const struct xpbd_elements *elements, uint32_t element, double (*x)[3],
                 float *element_rest);
} xpbd_elements;

/* The most that fit() keeps of a constraint. */
#define XPBD_FIT_MAX 32

/** A constraint type in plain double precision. x and gradient are [particle][3]. */
typedef struct xpbd_constraint_ops {
    /** C[row] and gradient[row][particle][3]. False where C has no gradient at x. */
    bool (*measure)(const double (*x)[3], const float *rest, double *C, double (*gradient)[3]);
    /** The rest data for which x is at rest. */
    void (*rest_of)(const float (*x)[3], float *rest);
    /** Null where rest_of makes any pose one at rest. Else: change a pose, with coordinates of few
     *  bits, to one that is at rest bit for bit. For tests. */
    void (*settle)(float (*x)[3]);
    /** The first rest value that is not allowed, or n_rest. They are finite already. */
    uint32_t (*rest_fault)(const float *rest);
    /** What kernels want to have instead of the caller's rest data, n_packed floats; null where
     * that is the rest data itself. */
    void (*pack)(const float *rest, float *packed);
    uint32_t n_packed;
    /** The compliance of a constraint as a symmetric matrix [n_rows][n_rows], for a compliance
     *  parameter of 1; null where it is the unit matrix. */
    void (*compliance)(const float *rest, double *matrix);
    /** Which lambda is allowed: 0 any; -1 lambda <= 0, for C <= 0 (it pulls); 1 lambda >= 0, for
     *  C >= 0 (it pushes). A side that does not hold has a lambda of exactly 0 and any such C. */
    int side;

    /* A type of variable size has these three in place of measure and rest_of. */
    /** What all elements need to know of the whole. False where C has no gradient. */
    bool (*fit)(const xpbd_elements *elements, const float *rest, double fit[XPBD_FIT_MAX]);
    /** C[row] and gradient[row][particle][3] of an element: of its own rows, or its part of the
     *  gradient of the constraint's. */
    void (*element)(const double fit[XPBD_FIT_MAX], const double (*x)[3], const float *element_rest,
                    double *C, double (*gradient)[3]);
    /** The rest data for which all elements are at rest; that of an element is its particles'
     *  positions, as many of them as it has room for. */
    void (*rest_of_elements)(const xpbd_elements *elements, float *rest);
    /** There are kernels for runs. The same on all instruction sets. */
    bool runs;
    /** Elements have to be the triangles of closed surfaces. */
    bool closed;
} xpbd_constraint_ops;

/** Find the description of a type. */
const xpbd_constraint_ops *xpbd_constraint_ops_of(xpbd_constraint_type type);

#endif
