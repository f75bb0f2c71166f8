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
} xpbd_lanes;

XPBD_INLINE const uint32_t *lanes_id(const xpbd_lanes *at, int corner)
{
    return at->stream->id[corner] + at->i;
}
XPBD_INLINE vf lanes_rest(const xpbd_lanes *at, int k)
{
    return v_load(at->stream->rest[k] + at->i);
}
XPBD_INLINE vf lanes_compliance(const xpbd_lanes *at)
{
    return v_load(at->stream->compliance + at->i);
}
XPBD_INLINE vf lanes_damping(const xpbd_lanes *at)
{
    return v_load(at->stream->damping + at->i);
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

#define XPBD_PROJECT_VARIANT(variant)                                                              \
    static void project_##variant(const xpbd_stream *stream, const xpbd_store *store,              \
                                  const xpbd_pass *pass, uint32_t begin, uint32_t end)             \
    {                                                                                              \
        project(stream, store, pass, begin, end, variant);                                         \
    }
#define XPBD_PROJECT_TABLE(name)                                                                   \
    XPBD_PROJECT_VARIANT(0)                                                                        \
    XPBD_PROJECT_VARIANT(1)                                                                        \
    XPBD_PROJECT_VARIANT(2)                                                                        \
    XPBD_PROJECT_VARIANT(3)                                                                        \
    XPBD_PROJECT_VARIANT(4)                                                                        \
    XPBD_PROJECT_VARIANT(5)                                                                        \
    XPBD_PROJECT_VARIANT(6)                                                                        \
    XPBD_PROJECT_VARIANT(7)                                                                        \
    extern xpbd_project_fn *const XPBD_PROJECT_NAME(name)[XPBD_VARIANT_COUNT];                     \
    xpbd_project_fn *const XPBD_PROJECT_NAME(name)[XPBD_VARIANT_COUNT] = {                         \
        project_0, project_1, project_2, project_3, project_4, project_5, project_6, project_7};   \
    _Static_assert(XPBD_VARIANT_COUNT == 8, "a variant above is missing")

/** Kernels of one stage: void lanes(const xpbd_lanes *, unsigned variant). */
#define XPBD_PROJECT_LANES(name)                                                                   \
    XPBD_INLINE void project(const xpbd_stream *stream, const xpbd_store *store,                   \
                             const xpbd_pass *pass, uint32_t begin, uint32_t end,                  \
                             unsigned variant)                                                     \
    {                                                                                              \
        xpbd_lanes at = {stream, store, pass, 0};                                                  \
        for (at.i = (size_t)begin * XPBD_GROUP; at.i < (size_t)end * XPBD_GROUP;                   \
             at.i += XPBD_WIDTH) {                                                                 \
            lanes(&at, variant);                                                                   \
        }                                                                                          \
    }                                                                                              \
    XPBD_PROJECT_TABLE(name)

/** Kernels of two stages, for types whose square roots and divisions take longer than their loads:
 *  xpbd_read read(const xpbd_lanes *, unsigned variant) reads particles, void write(const
 *  xpbd_lanes *, const xpbd_read *, unsigned variant) moves them. Reading the next lanes goes
 *  ahead of writing these, which hides the latency of both. One lane at a time there is nothing to
 *  hide: the lanes of an ordered plan depend on each other. */
#if XPBD_WIDTH > 1
#define XPBD_PROJECT_STAGES(name)                                                                  \
    XPBD_INLINE void project(const xpbd_stream *stream, const xpbd_store *store,                   \
                             const xpbd_pass *pass, uint32_t begin, uint32_t end,                  \
                             unsigned variant)                                                     \
    {                                                                                              \
        if (begin == end) {                                                                        \
            return;                                                                                \
        }                                                                                          \
        xpbd_lanes at = {stream, store, pass, (size_t)begin * XPBD_GROUP};                         \
        xpbd_lanes ahead = at;                                                                     \
        xpbd_read now = read(&at, variant);                                                        \
        while (ahead.i += XPBD_WIDTH, ahead.i < (size_t)end * XPBD_GROUP) {                        \
            const xpbd_read next = read(&ahead, variant);                                          \
            write(&at, &now, variant);                                                             \
            now = next;                                                                            \
            at.i = ahead.i;                                                                        \
        }                                                                                          \
        write(&at, &now, variant);                                                                 \
    }                                                                                              \
    XPBD_PROJECT_TABLE(name)
#else
#define XPBD_PROJECT_STAGES(name)                                                                  \
    XPBD_INLINE void lanes(const xpbd_lanes *at, unsigned variant)                                 \
    {                                                                                              \
        const xpbd_read now = read(at, variant);                                                   \
        write(at, &now, variant);                                                                  \
    }                                                                                              \
    XPBD_PROJECT_LANES(name)
#endif

#endif
