/* SPDX-License-Identifier: MIT
 *
 * The room with all keys: what a world is made of. The model is what the caller added, in his
 * order. The build is what was made of it for solving; while there is one (`built`), positions and
 * velocities live in its store, and the model's copies are out of date.
 */
#ifndef XPBD_SOLVER_WORLD_H
#define XPBD_SOLVER_WORLD_H

#include "kernel/kernel.h"
#include "layouts/pack.h"
#include "layouts/trees.h"
#include "schedulers/schedulers.h"
#include "schedulers/team.h"
#include "solver/tune.h"

/** As a stiffness: the constraint has a compliance instead. */
#define XPBD_NO_STIFFNESS (-1.0f)

/** Of particles, of all constraints together, and of elements of a type: padded counts, lanes and
 *  record offsets stay in 32 bits, also the signed ones of gather instructions. */
#define XPBD_MOST (UINT32_C(1) << 28)

#define XPBD_COLUMN(field, ...) XPBD_COLUMN_##field,
typedef enum xpbd_column {
#include "solver/columns.def"
    XPBD_COLUMN_COUNT
} xpbd_column;
#undef XPBD_COLUMN

/** Constraints of one type in the caller's order. */
typedef struct xpbd_set {
    uint32_t count;
    xpbd_buffer particles, rest;
    xpbd_buffer offsets;      /* variable size: [count + 1] first element of each constraint */
    xpbd_buffer element_rest; /* variable size */
    xpbd_buffer columns[XPBD_COLUMN_COUNT];
    bool used[XPBD_COLUMN_COUNT]; /* of columns; one that is not has the value of columns.def */
    xpbd_buffer removed; /* uint8_t: 1 for those that were removed; in use with the first of them */
    uint32_t n_removed;
    float most_compliant; /* largest compliance: dt must not be so small that it overflows */
} xpbd_set;

/** A pinned particle on its way. */
typedef struct xpbd_move {
    uint32_t particle;
    float target[3];
} xpbd_move;

/** What became of a particle. Those that are gone have no mass; what they had decided about hubs,
 *  and still does, so that constraints that once joined them leave the colours as they are. */
enum { XPBD_REMOVED_FREE = 1, XPBD_REMOVED_PINNED = 2 };

typedef struct xpbd_model {
    uint32_t n_particles;
    xpbd_buffer position, velocity; /* [n][3] */
    xpbd_buffer inverse_mass;       /* [n] */
    xpbd_buffer force;              /* [n][3]; room is made with the first force */
    bool forced;
    xpbd_buffer removed; /* uint8_t: 0, or what it was removed as; in use with the first of them */
    uint32_t n_removed;
    xpbd_set sets[XPBD_CONSTRAINT_TYPE_COUNT];
    xpbd_buffer table;   /* uint64_t, reserved for checks of constraints of variable size */
    xpbd_buffer batches; /* xpbd_batch */
    uint32_t n_batches;
    xpbd_buffer moves; /* xpbd_move: n_moved that took place in the last step, then n_moves */
    uint32_t n_moved, n_moves;
    xpbd_buffer
        broken; /* xpbd_broken: in the last step. Room for all that can is made in advance */
    uint32_t n_broken;
} xpbd_model;

/** Numbers of tasks: types for every kind of run, then what is no kernel of a type. */
enum {
    XPBD_TASK_GATHER = XPBD_RUN_KINDS * XPBD_CONSTRAINT_TYPE_COUNT, /* Jacobi's */
    XPBD_TASK_TREES,                                                /* direct.h */
    XPBD_TASK_DECIDE,                                               /* chebyshev.h */
    XPBD_TASK_BLEND_POINTS,
    XPBD_TASK_BLEND /* + type */
};

/** Kernels of one kind of work of a plan. */
typedef struct xpbd_task {
    const xpbd_stream *stream;
    xpbd_project_fn *project[2]; /* first iteration, later ones */
    xpbd_project_fn *even[2];    /* the same for even runs; null: there are none */
} xpbd_task;

/** Chains and trees that are solved at once, see direct.c. */
typedef struct xpbd_direct {
    xpbd_trees trees;
    const xpbd_model *model;
    struct xpbd_tree_link *link;   /* [links] */
    struct xpbd_tree_point *point; /* [points] */
    struct xpbd_tree_row *row;
    float *residual; /* [trees] the largest |h| that the last iteration has found */
    bool *lost;      /* [trees] for the rest of the substep */
} xpbd_direct;

/** The Chebyshev semi-iteration, see chebyshev.c. */
typedef struct xpbd_chebyshev {
    float (*d)[3]; /* [slot] what positions moved by in the last iteration */
    float *lambda[XPBD_CONSTRAINT_TYPE_COUNT][XPBD_ROWS_MAX]; /* before this one */
    float *d_lambda[XPBD_CONSTRAINT_TYPE_COUNT][XPBD_ROWS_MAX];
    float rho, omega, least; /* least: the smallest of the largest |h| */
    float keep, take;        /* weights of this iteration */
    uint32_t n, last;        /* iterations before this one, and before the last one */
    bool plain;              /* for the rest of the substep */
    atomic_uint most;        /* bits of the largest |h| of this iteration */
} xpbd_chebyshev;

/** What tells |h| from the change of lambda, see track.c. By record of lambda. */
typedef struct xpbd_track {
    bool on;
    bool stale; /* mobility is to be found anew */
    float dt;   /* that scale is for */
    float *mobility[XPBD_CONSTRAINT_TYPE_COUNT], *scale[XPBD_CONSTRAINT_TYPE_COUNT];
    float *of_group[XPBD_CONSTRAINT_TYPE_COUNT]; /* scale of 16 records that have the same, or -1 */
    float *before[XPBD_CONSTRAINT_TYPE_COUNT][XPBD_ROWS_MAX]; /* lambda before the sweep */
    double (*gradient)[3];                                    /* scratch, 0 outside its use */
    atomic_uint most[2];                                      /* bits of the largest |h| */
} xpbd_track;

/** What was over a limit in the substep that is looked at, see guard.c. */
typedef struct xpbd_guard_mark {
    double speed, force; /* 0: not that; INFINITY: no number */
} xpbd_guard_mark;

typedef struct xpbd_guarding {
    xpbd_guard_mark *mark; /* [slot]; null: there is no guard */
    atomic_uint first;     /* substep in which something was found first, + 1 */
    atomic_uint lost;      /* the last one in which a number was lost, + 1 */
    atomic_ullong n;       /* particles, in all substeps */
} xpbd_guarding;

/** What the guard says of a step. */
typedef struct xpbd_guarded {
    uint64_t n;
    uint32_t substep, particle, index;
    int32_t type;
    double speed, force, pull;
} xpbd_guarded;

/** How the iterations of the last step ended. */
typedef struct xpbd_progress {
    uint64_t n_iterations;
    uint32_t n_unfinished, n_late, n_substeps, n_threads;
    float residual;
    double seconds;
    xpbd_guarded guarded;
} xpbd_progress;

/** What limits the time of a step. */
typedef struct xpbd_budget {
    uint32_t microseconds; /* 0: nothing */
    double begin;          /* s, on the clock, of this step */
    bool late;             /* member 0 says so to all between two barriers */
} xpbd_budget;

typedef struct xpbd_build {
    xpbd_arena arena;
    xpbd_order order;
    uint32_t *rank;   /* [n_particles] slot in the store */
    uint8_t *crowded; /* [n_particles] 1: a hub while it is pinned; null: no colours, no hubs */
    xpbd_store store;
    xpbd_packing packing;
    xpbd_stream streams[XPBD_CONSTRAINT_TYPE_COUNT];
    xpbd_units units[XPBD_CONSTRAINT_TYPE_COUNT]; /* of types of variable size */
    uint32_t *first_correction; /* Jacobi: [n_particles + 1] by slot in the store, see gather.c */
    uint32_t *correction_slot;
    uint8_t *way[XPBD_CONSTRAINT_TYPE_COUNT];  /* [n_groups] of types with runs: ways.h */
    bool any_way[XPBD_CONSTRAINT_TYPE_COUNT];  /* one is not XPBD_WAY_RUN */
    bool any_torn[XPBD_CONSTRAINT_TYPE_COUNT]; /* one is XPBD_WAY_TORN */
    bool even_known;                           /* ways tell which groups are even */
    uint32_t even_wait;                        /* steps before they are looked for */
    xpbd_task tasks[XPBD_TASK_GATHER];
    xpbd_plan plan, plan_later; /* later: iterations count from 1 */
    float *prediction;          /* x~ of the last substep, as in the store; null: not kept */
    bool predicted;             /* a step has filled it */
    double (*imbalance)[3];     /* scratch of imbalance.c, with prediction */
    xpbd_direct direct;
    xpbd_chebyshev chebyshev;
    xpbd_track track;
    xpbd_guarding guarding;
    xpbd_pass pass;
    const xpbd_kernels *kernels;
    atomic_bool any_broken; /* in this step */
} xpbd_build;

/** A place where a force is watched. */
typedef struct xpbd_port {
    int32_t type;   /* of the constraint; -1 for a particle */
    uint32_t index; /* of the constraint or particle; UINT32_MAX: compacting has left none */
    double sum[XPBD_CORNERS_MAX][3];
    float mean[XPBD_CORNERS_MAX][3]; /* over the last step */
} xpbd_port;

/** An element that pulls at a particle's port. */
typedef struct xpbd_pull {
    uint32_t port, type, index, element, corner;
} xpbd_pull;

typedef struct xpbd_ports {
    xpbd_buffer list, pulls;
    uint32_t n, n_pulls;
    bool stale; /* pulls are to be found anew */
} xpbd_ports;

/** What happens at the end of a substep besides. */
typedef struct xpbd_substep {
    xpbd_substep_fn *callback;
    void *user;
    bool stop;   /* the callback wants no more */
    bool inside; /* the callback runs */
    uint32_t n_done;
    fenv_t caller; /* the environment of the thread that steps */
} xpbd_substep;

/** What was left to the library. */
typedef struct xpbd_choices {
    bool scheduler, layout, isa;
} xpbd_choices;

struct xpbd_world {
    xpbd_team team; /* first: it wants a cache line */
    xpbd_tune tune;
    xpbd_choices choices;
    xpbd_log log;
    xpbd_task_system host; /* parallel_for is null where there is none */
    xpbd_ports ports;
    xpbd_substep substep;
    xpbd_memory memory;
    xpbd_error *error; /* apart, so that reading a const world can leave one */
    const xpbd_scheduler *scheduler;
    xpbd_layout layout;
    xpbd_isa isa;
    xpbd_isa isa_asked; /* the same, whatever the scheduler */
    xpbd_order order;   /* XPBD_ORDER_COUNT: automatic */
    xpbd_pinning pinning;
    int32_t threads_asked;
    uint32_t substeps, iterations;
    float acceleration[3];
    float relaxation, spectral_radius;
    float tolerance; /* 0: none */
    uint32_t check_every;
    bool plain_stiffness, keep_prediction;
    uint32_t guard; /* xpbd_guard */
    float max_speed, max_force;
    bool guard_told, refusal_told; /* the host knows of what goes on */
    xpbd_progress progress;
    xpbd_budget budget;
    xpbd_model model;
    bool built;
    bool stepped; /* lambda means something */
    xpbd_build build;
    struct xpbd_recorder *record; /* null: there is none */
};

/** Where positions or velocities are now: component c of the caller's particle i is at
 *  base[slot(i) * step + c * plane]. */
typedef struct xpbd_view {
    float *base;
    size_t step, plane;
    const uint32_t *rank; /* null: the caller's order */
} xpbd_view;

static inline float *xpbd_view_at(const xpbd_view *view, uint32_t i, uint32_t c)
{
    const size_t slot = view->rank ? view->rank[i] : i;
    return view->base + slot * view->step + c * view->plane;
}

xpbd_view xpbd_view_positions(const xpbd_world *world);
xpbd_view xpbd_view_velocities(const xpbd_world *world);
/** Find the first element of a constraint in the arrays of its set; of constraints of one element
 *  that is its index. i may be set->count: then it counts all elements. */
static inline uint32_t xpbd_set_element(const xpbd_set *set, uint32_t i)
{
    const uint32_t *offsets = set->offsets.data;
    return offsets ? offsets[i] : i;
}
/** Tell whether a constraint was removed. */
static inline bool xpbd_set_lacks(const xpbd_set *set, uint32_t i)
{
    return set->n_removed > 0 && ((const uint8_t *)set->removed.data)[i];
}
/** Tell whether a particle was removed. */
static inline bool xpbd_model_lacks(const xpbd_model *model, uint32_t i)
{
    return model->n_removed > 0 && ((const uint8_t *)model->removed.data)[i];
}
/** Find the constraints as layouts see them. Removed ones are among them: the order of all others
 *  must not depend on when they were removed. */
xpbd_tuples xpbd_world_tuples(const xpbd_world *world);
/** Choose all rows that a definition names, or leaves to the library. */
xpbd_status xpbd_world_choose(xpbd_world *world, const xpbd_world_def *def);
/** Tell whether a world has a scheduler of the caller's own. */
bool xpbd_world_is_custom(const xpbd_world *world);
/** Begin to choose the number of threads, for the build and the team as they are. */
void xpbd_world_tune(xpbd_world *world);
/** Forget moves of particles in a range: those that took place in the last step (their velocity is
 *  not to be taken away again), and with `coming` also those of the next one. */
void xpbd_model_forget_moves(xpbd_model *model, uint32_t first, uint32_t count, bool coming);
/** Free all that a model has. */
void xpbd_model_free(xpbd_memory *memory, xpbd_model *model);
/** Drop the build, after saving the state to the model. The next step builds anew. */
void xpbd_world_unbuild(xpbd_world *world);

/** Leave an error for xpbd_world_error() and return its status. type -1: none concerned. */
xpbd_status xpbd_fail(const xpbd_world *world, xpbd_status status, int32_t type, uint64_t element,
                      double value, const char *format, ...) __attribute__((format(printf, 6, 7)));

/** Tell the host something, if he listens. */
void xpbd_tell(const xpbd_world *world, xpbd_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Refuse what cannot be done from inside a step. */
xpbd_status xpbd_check_outside(const xpbd_world *world);
/** Check a range of elements; `what` names them in the error. */
xpbd_status xpbd_check_range(const xpbd_world *world, int32_t type, uint32_t first, uint32_t count,
                             uint32_t n, const char *what);
/** Check that no constraint of a range, or with type -1 no particle, was removed. The range is
 *  checked already. */
xpbd_status xpbd_check_present(const xpbd_world *world, int32_t type, uint32_t first,
                               uint32_t count);
/** Check a constraint type. */
xpbd_status xpbd_check_type(const xpbd_world *world, xpbd_constraint_type type);
/** Check an array of n floats per element, and turn the caller's stride into the real one. A null
 *  array with count 0 is allowed. */
xpbd_status xpbd_check_array(const xpbd_world *world, int32_t type, const void *array,
                             uint32_t count, uint32_t n, size_t *stride, const char *what);

/** Tell whether a float is neither infinite nor NaN, whatever the compiler was told about NaNs. */
static inline bool xpbd_is_finite(float value)
{
    uint32_t word;
    __builtin_memcpy(&word, &value, sizeof word);
    return (word & UINT32_C(0x7f800000)) != UINT32_C(0x7f800000);
}
/** Read float k of element i of a caller's array, which may be aligned to nothing. */
static inline float xpbd_input(const float *array, size_t stride, size_t i, uint32_t k)
{
    float value;
    __builtin_memcpy(&value, (const char *)array + i * stride + k * sizeof value, sizeof value);
    return value;
}

#define XPBD_TRY(expression)                                                                       \
    do {                                                                                           \
        const xpbd_status status_ = (expression);                                                  \
        if (status_ != XPBD_OK) {                                                                  \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

#endif
