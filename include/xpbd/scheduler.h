/* SPDX-License-Identifier: MIT
 *
 * For those who write a scheduler of their own: the plan it is given, the team that runs it, and
 * the row that describes it. A scheduler knows ranges of work and when they may run, never what
 * the work is. The library's own schedulers use little but this header: slab-gs has its members
 * wait for each other without a barrier.
 *
 *     plan   = stages, one after the other, with a barrier between them
 *     stage  = blocks that touch disjoint particles and may run at the same time
 *     strip  = in a plan of slabs: blocks of a stage that one thread runs from first to last;
 * strips of a stage touch disjoint particles. A stage has strips, or blocks as above block  = units
 * [begin, end) of one kind of work: lane groups of 16 constraints of one type, single constraints
 * of a type of variable size, whole trees of constraints, or, after a Jacobi stage, 16 particles
 * that gather their corrections
 *
 * Units of a block are independent of each other too, so any split of a stage over the team gives
 * the same bits; in a strip and in an ordered plan they are not, and one thread runs them in
 * sequence.
 */
#ifndef XPBD_SCHEDULER_H
#define XPBD_SCHEDULER_H

#include "xpbd/xpbd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XPBD_SCHEDULER_COOKIE 0x58534331u

/** How constraints are divided into stages. */
typedef enum xpbd_partition {
    XPBD_PARTITION_SEQUENCE, /* one ordered stage, as the caller added them */
    XPBD_PARTITION_COLORS,   /* a stage per colour of the greedy colouring */
    XPBD_PARTITION_FREE,     /* all in one stage: for updates that are not in place */
    XPBD_PARTITION_SLABS,    /* strips: regions of the mesh, then what joins them */
    XPBD_PARTITION_TREES     /* colours, then one stage of chains and trees, each solved at once */
} xpbd_partition;

/** What a constraint does with its correction. */
typedef enum xpbd_update {
    XPBD_UPDATE_IN_PLACE,   /* Gauss-Seidel: moves its particles at once */
    XPBD_UPDATE_AVERAGED,   /* Jacobi: a particle gathers omega / n of its n corrections */
    XPBD_UPDATE_MASS_SPLIT, /* Jacobi on n-fold split masses: keeps momentum ([MASS12]) */
    XPBD_UPDATE_CHEBYSHEV   /* the same, extrapolated from the last two iterations ([CHEB15]) */
} xpbd_update;

typedef struct xpbd_block {
    uint32_t begin, end; /* units */
    uint32_t task;       /* what to do with them: the solver's own number */
    uint32_t weight;     /* work in one of them, in lane groups: 1, or more where units are large */
} xpbd_block;

typedef struct xpbd_strip {
    uint32_t begin, end; /* blocks */
    uint32_t n_units;    /* of all its blocks together */
} xpbd_strip;

typedef struct xpbd_stage {
    uint32_t begin, end;             /* blocks */
    uint32_t n_units;                /* of all its blocks together */
    uint32_t work;                   /* the same, each unit times the weight of its block */
    uint32_t strip_begin, strip_end; /* its strips, which have all of its blocks; or none */
} xpbd_stage;

typedef struct xpbd_plan {
    const xpbd_stage *stages;
    const xpbd_block *blocks;
    const xpbd_strip *strips;
    uint32_t n_stages;
    uint32_t n_blocks;
    uint32_t n_strips;
    /* Where a plan of slabs has a stage of strips inside slabs, one of strips between neighbours,
       and no more, else null: [2 n_slabs] the strip inside slab s, then the strip that joins slabs
       s and s + 1; UINT32_MAX: none. A strip between slabs shares particles with these two and no
       others. */
    const uint32_t *slab_strips;
    uint32_t n_slabs;
    bool ordered; /* blocks and their units depend on those before them */
    /* The solver's own; a scheduler calls xpbd_plan_run. */
    void (*run)(void *solver, const xpbd_block *block, uint32_t begin, uint32_t end,
                uint32_t iteration);
    void *solver;
    void *progress; /* of each of slab_strips, while they run */
} xpbd_plan;

/** A thread of the team, while it is inside xpbd_scheduler.solve. */
typedef struct xpbd_member {
    uint32_t index; /* 0 ... count - 1; 0 is the caller of the step */
    uint32_t count;
    void *team;
    uint32_t epoch; /* the barrier's own */
} xpbd_member;

/** Run units [begin, end) of a block. iteration counts from 0 in every substep and must be true:
 *  the first iteration starts from lambda = 0. */
XPBD_API void xpbd_plan_run(const xpbd_plan *plan, const xpbd_block *block, uint32_t begin,
                            uint32_t end, uint32_t iteration);
/** Run units [begin, end) of a stage, counted through its blocks from 0 to n_units. */
XPBD_API void xpbd_plan_run_stage(const xpbd_plan *plan, const xpbd_stage *stage, uint32_t begin,
                                  uint32_t end, uint32_t iteration);
/** Run the units of a stage that have the middle of their work in [begin, end), counted through its
 *  blocks from 0 to `work`: any cut of that range runs every unit once. */
XPBD_API void xpbd_plan_run_work(const xpbd_plan *plan, const xpbd_stage *stage, uint32_t begin,
                                 uint32_t end, uint32_t iteration);
/** Run a strip. */
XPBD_API void xpbd_plan_run_strip(const xpbd_plan *plan, const xpbd_strip *strip,
                                  uint32_t iteration);
/** Do units [begin, end) of something. */
typedef void xpbd_range_fn(void *context, uint32_t begin, uint32_t end);
/** Divide units [0, n) among the team in multiples of `grain` (0 counts as 1): fn is called with
 *  this member's part, if it has one. A team that is the host's (xpbd_task_system) has one member
 *  only, and its parts are done by the host's threads, at the same time, before this returns.
 *  Either way all of [0, n) is done after the next barrier. A scheduler that divides its work with
 *  this runs on as many threads as there are in both cases; one that looks at member->index and
 *  count runs on one of the host's. */
XPBD_API void xpbd_member_share(xpbd_member *member, uint32_t n, uint32_t grain, xpbd_range_fn *fn,
                                void *context);
/** Wait until every member of the team is here. What they wrote is visible after it. */
XPBD_API void xpbd_member_barrier(xpbd_member *member);

/** A scheduler. solve runs on every member of the team at once and must have run every stage
 *  `iterations` times when the last of them returns; the library has a barrier before and after. */
typedef struct xpbd_scheduler {
    uint32_t cookie; /* XPBD_SCHEDULER_COOKIE */
    const char *name;
    const char *summary;
    xpbd_partition partition;
    xpbd_update update;
    void (*solve)(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations);
} xpbd_scheduler;

#ifdef __cplusplus
}
#endif
#endif
