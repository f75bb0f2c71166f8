/* SPDX-License-Identifier: MIT
 *
 * What the file of a constraint type starts with. It writes a function
 *
 *     static XPBD_INLINE void lanes(const xpbd_lanes *at, unsigned variant)
 *
 * for XPBD_WIDTH lanes, or a pair read / write for two pipeline stages, and ends with
 * XPBD_PROJECT_LANES(name) or XPBD_PROJECT_STAGES(name). Names outside carry ISA and layout.
 */
#ifndef XPBD_KERNEL_PROJECT_H
#define XPBD_KERNEL_PROJECT_H

#include "kernel/kernel.h"

#define XPBD_PASTE_(a, b, c, d) a##b##__##c##_##d
#define XPBD_PASTE(a, b, c, d)  XPBD_PASTE_(a, b, c, d)
/** xpbd_project_<name>__<isa>_<layout> */
#define XPBD_PROJECT_NAME(name) XPBD_PASTE(xpbd_project_, name, XPBD_ISA, XPBD_LAYOUT)
/** xpbd_kernel_<name>__<isa>_<layout> */
#define XPBD_KERNEL_NAME(name) XPBD_PASTE(xpbd_kernel_, name, XPBD_ISA, XPBD_LAYOUT)

#if defined(XPBD_LAYOUT_AOS4)
#include "layouts/access_aos4.h"
#elif defined(XPBD_LAYOUT_SOA)
#include "layouts/access_soa.h"
#else
#error "compile kernels through kernel/kernels.bzl, which names the layout"
#endif

/** The file's scalar description is compiled with one row of the matrix only. */
#if defined(XPBD_ISA_SCALAR) && defined(XPBD_LAYOUT_SOA)
#define XPBD_DESCRIBE 1
#else
#define XPBD_DESCRIBE 0
#endif

/** Where a call of lanes() is: lane `i` of the stream, a multiple of XPBD_WIDTH. */
typedef struct xpbd_lanes {
    const xpbd_stream *stream;
    const xpbd_store *store;
    const xpbd_pass *pass;
    size_t i;
    float even; /* the weight of all particles, in even variants */
} xpbd_lanes;

XPBD_INLINE const uint32_t *lanes_id(const xpbd_lanes *at, int corner)
{
    return at->stream->id[corner] + at->i;
}
XPBD_INLINE vf lanes_rest(const xpbd_lanes *at, int k)
{
    return v_load(at->stream->rest[k] + at->i);
}
/** alpha~ = alpha / dt^2 */
XPBD_INLINE vf lanes_alpha(const xpbd_lanes *at)
{
    return v_mul(v_load(at->stream->compliance + at->i), v_set(at->pass->inverse_dt2));
}
/** gamma = (alpha beta + tau) / dt; in damped variants only */
XPBD_INLINE vf lanes_gamma(const xpbd_lanes *at)
{
    return v_mul(v_load(at->stream->damping + at->i), v_set(at->pass->inverse_dt));
}
/** k d_lambda where the stream has stiffness */
XPBD_INLINE vf lanes_soften(const xpbd_lanes *at, vf d_lambda, unsigned variant)
{
    return variant & XPBD_VARIANT_STIFF ? v_mul(v_load(at->stream->stiffness + at->i), d_lambda)
                                        : d_lambda;
}
XPBD_INLINE vf lanes_lambda(const xpbd_lanes *at, int row, unsigned variant)
{
    return variant & XPBD_VARIANT_FIRST ? v_set(0.0f) : v_load(at->stream->lambda[row] + at->i);
}
/** lambda += d_lambda. Averaged Jacobi moves the particles by a part of d_lambda only, and lambda
 *  takes the same part: C + alpha~ lambda would not be the residual otherwise. */
XPBD_INLINE void lanes_add_lambda(const xpbd_lanes *at, int row, vf lambda, vf d_lambda,
                                  unsigned variant)
{
    if (variant & XPBD_VARIANT_ACCUMULATE) {
        d_lambda = v_mul(v_load(at->stream->share + at->i), d_lambda);
    }
    v_store(at->stream->lambda[row] + at->i, v_add(lambda, d_lambda));
}
/** Leave a correction for gather.c. */
XPBD_INLINE void lanes_correct(const xpbd_lanes *at, int n_corners, int corner, vf4 correction)
{
    const size_t group = at->i / XPBD_GROUP, lane = at->i % XPBD_GROUP;
    const size_t slot = (group * (size_t)n_corners + (size_t)corner) * XPBD_GROUP + lane;
    p_store(at->stream->correction + 4 * slot, correction);
}

XPBD_INLINE xpbd_run_kind lanes_run(unsigned variant)
{
    return (xpbd_run_kind)(variant / XPBD_VARIANT_RUNS % XPBD_RUN_KINDS);
}
/** Load both corners of a constraint between two particles, and move them. */
XPBD_INLINE xpbd_pair lanes_pair(const xpbd_lanes *at, unsigned variant)
{
#ifdef XPBD_RUNS
    if (variant >= XPBD_VARIANT_RUNS) {
        return run_load(at->store, at->store->position, lanes_id(at, 0), lanes_id(at, 1),
                        lanes_run(variant), variant & XPBD_VARIANT_EVEN);
    }
#endif
    (void)variant;
    return pair_load(at->store, at->store->position, lanes_id(at, 0), lanes_id(at, 1));
}
XPBD_INLINE void lanes_move_pair(const xpbd_lanes *at, const xpbd_pair *pair, vf s,
                                 unsigned variant)
{
#ifdef XPBD_EVEN_RUNS
    if (variant & XPBD_VARIANT_EVEN) {
        run_move_even(at->store->position, lanes_id(at, 0), lanes_id(at, 1), pair, s,
                      v_set(at->even), lanes_run(variant));
        return;
    }
#endif
#ifdef XPBD_RUNS
    if (variant >= XPBD_VARIANT_RUNS) {
        run_move(at->store, at->store->position, lanes_id(at, 0), lanes_id(at, 1), pair, s,
                 lanes_run(variant));
        return;
    }
#endif
    (void)variant;
    pair_move(at->store, at->store->position, lanes_id(at, 0), lanes_id(at, 1), pair, s);
}

/** The sum of the weights of both corners; d: their difference. */
XPBD_INLINE vf lanes_pair_weight(const xpbd_lanes *at, vf4 d, unsigned variant)
{
    return variant & XPBD_VARIANT_EVEN ? v_set(at->even + at->even) : d.w;
}

/** Move a corner, which was loaded as p, by dx (a correction: with its weight). */
XPBD_INLINE void lanes_move(const xpbd_lanes *at, int n_corners, int corner, vf4 p, vf dx, vf dy,
                            vf dz, unsigned variant)
{
    if (variant & XPBD_VARIANT_ACCUMULATE) {
        lanes_correct(at, n_corners, corner, (vf4){dx, dy, dz, v_set(0.0f)});
    } else {
        point_store(at->store, at->store->position, lanes_id(at, corner),
                    (vf4){v_add(p.x, dx), v_add(p.y, dy), v_add(p.z, dz), p.w});
    }
}

#define XPBD_PROJECT_VARIANT(variant)                                                              \
    static void project_##variant(const xpbd_stream *stream, const xpbd_store *store,              \
                                  const xpbd_pass *pass, uint32_t begin, uint32_t end)             \
    {                                                                                              \
        project(stream, store, pass, begin, end, variant);                                         \
    }
#define XPBD_PROJECT_TABLE(name) XPBD_PROJECT_TABLE_WITH(name, NULL)
#define XPBD_PROJECT_TABLE_WITH(name, ...)                                                         \
    XPBD_PROJECT_VARIANT(0)                                                                        \
    XPBD_PROJECT_VARIANT(1)                                                                        \
    XPBD_PROJECT_VARIANT(2)                                                                        \
    XPBD_PROJECT_VARIANT(3)                                                                        \
    XPBD_PROJECT_VARIANT(4)                                                                        \
    XPBD_PROJECT_VARIANT(5)                                                                        \
    XPBD_PROJECT_VARIANT(6)                                                                        \
    XPBD_PROJECT_VARIANT(7)                                                                        \
    XPBD_PROJECT_VARIANT(8)                                                                        \
    XPBD_PROJECT_VARIANT(9)                                                                        \
    XPBD_PROJECT_VARIANT(10)                                                                       \
    XPBD_PROJECT_VARIANT(11)                                                                       \
    XPBD_PROJECT_VARIANT(12)                                                                       \
    XPBD_PROJECT_VARIANT(13)                                                                       \
    XPBD_PROJECT_VARIANT(14)                                                                       \
    XPBD_PROJECT_VARIANT(15)                                                                       \
    extern xpbd_project_fn *const XPBD_PROJECT_NAME(name)[XPBD_PROJECT_COUNT];                     \
    xpbd_project_fn *const XPBD_PROJECT_NAME(name)[XPBD_PROJECT_COUNT] = {                         \
        project_0,  project_1,  project_2,  project_3,  project_4,  project_5,                     \
        project_6,  project_7,  project_8,  project_9,  project_10, project_11,                    \
        project_12, project_13, project_14, project_15, __VA_ARGS__};                              \
    _Static_assert(XPBD_VARIANT_COUNT == 16, "a variant above is missing")

/* Copies of what the arguments point to: the stores of a kernel could change the originals, for all
 * that a compiler knows, and each pointer would be loaded again for every lane. */
#define XPBD_PROJECT_AT                                                                            \
    const xpbd_stream here = *stream;                                                              \
    const xpbd_store particles = *store;                                                           \
    const xpbd_pass times = *pass;                                                                 \
    xpbd_lanes at = {&here, &particles, &times, (size_t)begin * XPBD_GROUP, 0.0f};                 \
    const size_t stop = (size_t)end * XPBD_GROUP

#define XPBD_PROJECT_LOOP(qualifiers)                                                              \
    qualifiers void project(const xpbd_stream *stream, const xpbd_store *store,                    \
                            const xpbd_pass *pass, uint32_t begin, uint32_t end, unsigned variant) \
    {                                                                                              \
        XPBD_PROJECT_AT;                                                                           \
        for (; at.i < stop; at.i += XPBD_WIDTH) {                                                  \
            lanes(&at, variant);                                                                   \
        }                                                                                          \
    }

/** Kernels of one stage: void lanes(const xpbd_lanes *, unsigned variant). */
#define XPBD_PROJECT_LANES(name)                                                                   \
    XPBD_PROJECT_LOOP(XPBD_INLINE)                                                                 \
    XPBD_PROJECT_TABLE(name)

/** The same, compiled once: variants are told apart at run time. For types that do so much per lane
 *  that a few branches, always taken the same way, are lost in it. */
#define XPBD_PROJECT_LONG_LANES(name)                                                              \
    XPBD_PROJECT_LOOP(static __attribute__((noinline)))                                            \
    XPBD_PROJECT_TABLE(name)

/** Kernels of two stages, for types whose square roots and divisions take longer than their loads:
 *  xpbd_read read(const xpbd_lanes *, unsigned variant) reads particles, void write(const
 *  xpbd_lanes *, const xpbd_read *, unsigned variant) moves them. Reading the next lanes goes
 *  ahead of writing these, which hides the latency of both. One lane at a time there is nothing to
 *  hide: the lanes of an ordered plan depend on each other. */
#if XPBD_WIDTH > 1
#define XPBD_PROJECT_STAGES(name)                                                                  \
    XPBD_PROJECT_PIPELINE                                                                          \
    XPBD_PROJECT_TABLE(name)
/* The last lanes are read once more rather than written by code of their own, for which compilers
 * store what is read ahead in every round. */
#define XPBD_PROJECT_PIPELINE                                                                      \
    XPBD_INLINE void project(const xpbd_stream *stream, const xpbd_store *store,                   \
                             const xpbd_pass *pass, uint32_t begin, uint32_t end,                  \
                             unsigned variant)                                                     \
    {                                                                                              \
        XPBD_PROJECT_AT;                                                                           \
        if (at.i == stop) {                                                                        \
            return;                                                                                \
        }                                                                                          \
        if (variant & XPBD_VARIANT_EVEN) {                                                         \
            at.even = particles.position[here.id[0][at.i] + 3 * particles.plane];                  \
        }                                                                                          \
        const size_t last = stop - XPBD_WIDTH;                                                     \
        xpbd_lanes ahead = at;                                                                     \
        xpbd_read now = read(&at, variant);                                                        \
        for (;;) {                                                                                 \
            ahead.i = at.i < last ? at.i + XPBD_WIDTH : last;                                      \
            const xpbd_read next = read(&ahead, variant);                                          \
            write(&at, &now, variant);                                                             \
            if (at.i == last) {                                                                    \
                return;                                                                            \
            }                                                                                      \
            now = next;                                                                            \
            at.i = ahead.i;                                                                        \
        }                                                                                          \
    }
#else

#define XPBD_PROJECT_STAGES(name)                                                                  \
    XPBD_INLINE void lanes(const xpbd_lanes *at, unsigned variant)                                 \
    {                                                                                              \
        const xpbd_read now = read(at, variant);                                                   \
        write(at, &now, variant);                                                                  \
    }                                                                                              \
    XPBD_PROJECT_LANES(name)
#endif

/** The same, with kernels for runs where the layout has them, and for even ones where they pay. */
#ifdef XPBD_RUNS
#define XPBD_PROJECT_OF_RUNS                                                                       \
    XPBD_PROJECT_VARIANT(16)                                                                       \
    XPBD_PROJECT_VARIANT(17)                                                                       \
    XPBD_PROJECT_VARIANT(24)                                                                       \
    XPBD_PROJECT_VARIANT(25)                                                                       \
    XPBD_PROJECT_VARIANT(32)                                                                       \
    XPBD_PROJECT_VARIANT(33)                                                                       \
    XPBD_PROJECT_VARIANT(40)                                                                       \
    XPBD_PROJECT_VARIANT(41)                                                                       \
    XPBD_PROJECT_VARIANT(48)                                                                       \
    XPBD_PROJECT_VARIANT(49)                                                                       \
    XPBD_PROJECT_VARIANT(56)                                                                       \
    XPBD_PROJECT_VARIANT(57)
#define XPBD_PROJECT_RUN_ROWS                                                                      \
    project_16, project_17, project_24, project_25, project_32, project_33, project_40,            \
        project_41, project_48, project_49, project_56, project_57
#endif
#ifdef XPBD_EVEN_RUNS
#define XPBD_PROJECT_STAGES_RUNS(name)                                                             \
    XPBD_PROJECT_PIPELINE                                                                          \
    XPBD_PROJECT_OF_RUNS                                                                           \
    XPBD_PROJECT_VARIANT(80)                                                                       \
    XPBD_PROJECT_VARIANT(81)                                                                       \
    XPBD_PROJECT_VARIANT(88)                                                                       \
    XPBD_PROJECT_VARIANT(89)                                                                       \
    XPBD_PROJECT_VARIANT(96)                                                                       \
    XPBD_PROJECT_VARIANT(97)                                                                       \
    XPBD_PROJECT_VARIANT(104)                                                                      \
    XPBD_PROJECT_VARIANT(105)                                                                      \
    XPBD_PROJECT_VARIANT(112)                                                                      \
    XPBD_PROJECT_VARIANT(113)                                                                      \
    XPBD_PROJECT_VARIANT(120)                                                                      \
    XPBD_PROJECT_VARIANT(121)                                                                      \
    XPBD_PROJECT_TABLE_WITH(name, XPBD_PROJECT_RUN_ROWS, project_80, project_81, project_88,       \
                            project_89, project_96, project_97, project_104, project_105,          \
                            project_112, project_113, project_120, project_121)
#elif defined(XPBD_RUNS)
#define XPBD_PROJECT_STAGES_RUNS(name)                                                             \
    XPBD_PROJECT_PIPELINE                                                                          \
    XPBD_PROJECT_OF_RUNS                                                                           \
    XPBD_PROJECT_TABLE_WITH(name, XPBD_PROJECT_RUN_ROWS)
#else
#define XPBD_PROJECT_STAGES_RUNS(name) XPBD_PROJECT_STAGES(name)
#endif
_Static_assert(XPBD_RUN_KINDS == 4 && XPBD_VARIANT_EVEN == 64, "a variant above is missing");

#endif
