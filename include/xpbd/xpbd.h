/* SPDX-License-Identifier: MIT
 *
 * libxpbd: position-based dynamics with physical compliance (XPBD) on the CPU. This header is the
 * whole C API and its manual. SI units throughout; positions, velocities and forces are float
 * triples; whatever the caller added keeps its index until he asks for others by
 * xpbd_world_compact().
 *
 * Papers: [PBD07] Mueller et al. 2007, [XPBD16] Macklin, Mueller, Chentanez 2016,
 * [SMALL19] Macklin et al. 2019; docs/PAPERS.md.
 *
 * Errors   Functions return an xpbd_status. A call that fails changes nothing, and
 *          xpbd_world_error() tells what and where: constraint type, element and value.
 * Threads  A world is used by one thread at a time. Different worlds may be used from different
 *          threads at once; there is no shared state. Inside a step the library uses its own team.
 *          A forked process has a copy of every world that no thread was stepping. The thread that
 *          forked steps there with one thread if it had stepped with more before; others as ever.
 * Host     Nothing is printed, nothing exits; the caller's affinity mask, rounding mode and
 *          floating-point flags are as they were when a call returns.
 * Bits     Same scene, scheduler and ordering give the same bits on every instruction set, particle
 *          layout, thread count and compiler.
 */
#ifndef XPBD_XPBD_H
#define XPBD_XPBD_H

#include "xpbd/constraint_type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define XPBD_API __attribute__((visibility("default")))
#else
#define XPBD_API
#endif

#define XPBD_VERSION_MAJOR 0
#define XPBD_VERSION_MINOR 1
#define XPBD_VERSION_PATCH 0
#define XPBD_VERSION       (XPBD_VERSION_MAJOR * 10000 + XPBD_VERSION_MINOR * 100 + XPBD_VERSION_PATCH)

/** Largest team. More threads are cut to this; xpbd_world_summarize() has the real count. */
#define XPBD_THREADS_MAX 256

/** As a stride: the one element at the pointer stands for all elements. */
#define XPBD_SAME SIZE_MAX

/** Tell the version of the library that is linked: compare with XPBD_VERSION. */
XPBD_API uint32_t xpbd_version(void);

/* ------------------------------------------------------------------------------- status -- */

typedef enum xpbd_status {
#define XPBD_STATUS(ID, text) XPBD_##ID,
#include "xpbd/status.def"
#undef XPBD_STATUS
    XPBD_STATUS_COUNT
} xpbd_status;

/** Name a status as it is written in this header, for example "XPBD_ERROR_REST". Static text. */
XPBD_API const char *xpbd_status_name(xpbd_status status);
/** Describe a status in one sentence. Static text; unknown values have a text too. */
XPBD_API const char *xpbd_status_text(xpbd_status status);

/** What failed, and where. */
typedef struct xpbd_error {
    xpbd_status status;
    int32_t type;     /* constraint type, or -1 where none is concerned */
    uint64_t element; /* index of the particle or constraint (for adds: within the batch) */
    double value;     /* the value that was refused, where there is one */
    char text[256];   /* one line for people: all of the above in words */
} xpbd_error;

/* ----------------------------------------------------------------------- constraint types -- */

/** A row of constraints.def. */
typedef struct xpbd_constraint_info {
    const char *name;
    uint32_t n_particles;        /* per constraint */
    uint32_t n_rest;             /* floats of rest data per constraint */
    uint32_t n_rows;             /* multipliers lambda per constraint */
    const char *rest_text;       /* "name unit, name unit" */
    const char *compliance_unit; /* m/N for a length, ... */
    const char *source;          /* C(x), paper and equation */
    /* A type of variable size: a constraint consists of any number of elements. n_particles is of
       an element then, and n_rows too where rows_per_element is set. */
    bool variable;
    bool rows_per_element;
    uint32_t n_element_rest; /* floats of rest data per element, besides the n_rest */
} xpbd_constraint_info;

/** Describe a constraint type. Null for a value that is no type. Static memory. */
XPBD_API const xpbd_constraint_info *xpbd_constraint_type_info(xpbd_constraint_type type);

/* ----------------------------------------------------- names of what can be chosen, by index -- */
/* Each returns static text, and null past the last: for (i = 0; (s = xpbd_isa_name(i)); i++) */

XPBD_API const char *xpbd_scheduler_name(uint32_t index);
XPBD_API const char *xpbd_scheduler_summary(uint32_t index);
XPBD_API const char *xpbd_layout_name(uint32_t index);
XPBD_API const char *xpbd_isa_name(uint32_t index);
/** Tell whether this build and this processor can run the instruction set. */
XPBD_API bool xpbd_isa_available(uint32_t index);
XPBD_API const char *xpbd_ordering_name(uint32_t index);
XPBD_API const char *xpbd_pinning_name(uint32_t index);

/* -------------------------------------------------------------------------------- worlds -- */

typedef struct xpbd_world xpbd_world;
struct xpbd_scheduler; /* xpbd/scheduler.h: to write one's own */

/** Memory hooks. alloc returns memory aligned to `alignment` (a power of two, at most 64) or null.
 *  Called from the thread that calls the library; never from inside a step on a prepared world. */
typedef struct xpbd_allocator {
    void *(*alloc)(void *user, size_t size, size_t alignment);
    void (*free)(void *user, void *memory, size_t size);
    void *user;
} xpbd_allocator;

/** Threads of the host, instead of OpenMP's. A step calls parallel_for some times per iteration and
 *  substep, from the thread that steps.
 *  parallel_for  calls task(context, worker) once for each worker in [0, count), at the same time
 *                or not, in any order, on any threads, and returns when all of them have returned;
 *                what they wrote is visible then. The tasks neither wait for each other nor block
 *  workers       how many of them can run at the same time, at least 1: count is never larger.
 *  The bits are those of any other threads. */
typedef struct xpbd_task_system {
    void (*parallel_for)(void *user, uint32_t count, void (*task)(void *context, uint32_t worker),
                         void *context);
    void *user;
    uint32_t workers;
} xpbd_task_system;

typedef enum xpbd_log_level { XPBD_LOG_ERROR, XPBD_LOG_WARNING, XPBD_LOG_INFO } xpbd_log_level;

/** What is done about a particle that is too fast or pulled too hard, see xpbd_world_set_guard().
 */
typedef enum xpbd_guard { XPBD_GUARD_OFF, XPBD_GUARD_REPORT, XPBD_GUARD_CLAMP } xpbd_guard;

/** Where the library's remarks go: one line of text each, without a newline, valid during the call.
 *  ERROR is what a failed call left in xpbd_world_error(), WARNING what goes on but not as asked
 *  for, INFO what was chosen. `write` is called from the thread that calls the library, not during
 *  the parallel part of a step, and must not call the library. Null: silence. */
typedef struct xpbd_log {
    void (*write)(void *user, xpbd_log_level level, const char *text);
    void *user;
} xpbd_log;

/** Make it with xpbd_default_world_def(), change what is needed. Names are null or "auto" for the
 *  library's choice; the text is read during xpbd_world_create() only. */
typedef struct xpbd_world_def {
    uint32_t cookie;       /* set by xpbd_default_world_def() */
    uint32_t substeps;     /* per step, 1 ... 1,000,000; default 1 */
    uint32_t iterations;   /* per substep, 0 ... 1,000,000; default 10. 0 is prediction only */
    float acceleration[3]; /* m/s^2, of every particle with a mass; default (0, -9.81, 0) */
    const char *scheduler; /* xpbd_scheduler_name(); auto: slab-gs */
    const char *layout;    /* xpbd_layout_name(); auto: aos4. No influence on the bits */
    const char *isa;       /* xpbd_isa_name(); auto: the environment's XPBD_ISA, or the widest */
    const char *ordering;  /* xpbd_ordering_name(); auto: rcm where that shortens the strides */
    const char *pinning;   /* xpbd_pinning_name(); auto: none */
    int32_t threads;       /* 0: as many as the process may use (affinity, cgroup, OpenMP), and in
                              each step as many of them as turn out to be fastest */
    float relaxation;      /* omega in (0, 2), a factor on every correction; default 1. Over 1 makes
                              SOR of Gauss-Seidel, a few percent slower per iteration and with
                              omega = 2 / (1 + sqrt(1 - rho)), rho that of its sweeps, far fewer of
                              them; jacobi and jacobi-mass-splitting may diverge. No effect on a
                              stiffness, nor with tree-direct */
    float spectral_radius; /* of jacobi-chebyshev, rho in [0, 1): more reaches slower parts, and at
                              last nothing else; default 0: from `iterations`, at most 0.99 */
    bool plain_stiffness;  /* k as it is; else 1 - (1 - k)^(1 / iterations), which leaves a residual
                              of 1 - k whatever the iterations ([PBD07] sec. 3.3). Default false */
    bool keep_prediction;  /* for the imbalance in xpbd_diagnostics: 40 bytes per particle and a
                              copy of all positions per substep. Default false */
    float tolerance;       /* see xpbd_world_set_tolerance(); default 0: all iterations */
    uint32_t check_every;  /* see there; default 8 */
    uint32_t guard;        /* xpbd_guard, see xpbd_world_set_guard(); default XPBD_GUARD_OFF */
    float max_speed;       /* m/s, see there; default INFINITY */
    float max_force;       /* N, see there; default INFINITY */
    const struct xpbd_scheduler *custom_scheduler; /* instead of a name; must outlive the world */
    const xpbd_allocator *allocator; /* null: the C library's; the struct is copied, as the next */
    const xpbd_task_system *task_system; /* null: OpenMP's threads and the library's own barrier,
                                            which suits stages of some microseconds better */
    xpbd_log log;
} xpbd_world_def;

XPBD_API xpbd_world_def xpbd_default_world_def(void);

/** Make a world without particles.
 *  def    in   or null for the defaults
 *  world  out  null on failure
 *  error  out  or null; filled on failure (there is no world yet that could keep it)
 *  Returns     XPBD_OK; ERROR_NULL, ERROR_COOKIE, ERROR_MEMORY, ERROR_SUBSTEPS, ERROR_ITERATIONS,
 *              ERROR_ACCELERATION, ERROR_THREADS, ERROR_RELAXATION, ERROR_SPECTRAL_RADIUS,
 *              ERROR_TOLERANCE, ERROR_GUARD, ERROR_UNKNOWN_..., ERROR_UNAVAILABLE_ISA,
 *              ERROR_SCHEDULER, ERROR_TASK_SYSTEM */
XPBD_API xpbd_status xpbd_world_create(const xpbd_world_def *def, xpbd_world **world,
                                       xpbd_error *error);
/** Free a world and all that belongs to it. Null is allowed. */
XPBD_API void xpbd_world_destroy(xpbd_world *world);
/** Tell what the last failed call on this world was refused for. Never null; status XPBD_OK when
 *  none has failed. Valid until the next call on the world. */
XPBD_API const xpbd_error *xpbd_world_error(const xpbd_world *world);

/* ------------------------------------------------------------------------ adding, bulk -- */
/* Arrays stay the caller's and are read during the call only. They need the alignment of float,
 * no more. A stride is in bytes from one element to the next; 0 means tightly packed; XPBD_SAME
 * means that the first element stands for all. */

typedef struct xpbd_particles {
    const float *position; /* [count][3] m */
    size_t position_stride;
    const float *velocity; /* [count][3] m/s; null: at rest */
    size_t velocity_stride;
    const float *inverse_mass; /* [count] 1/kg; null: 1; 0 pins the particle */
    size_t inverse_mass_stride;
} xpbd_particles;

/** Add particles at the end of the caller's order.
 *  first  out  or null: index of the first one added
 *  Returns     XPBD_OK; ERROR_NULL, ERROR_COUNT, ERROR_STRIDE, ERROR_POSITION, ERROR_VELOCITY,
 *              ERROR_INVERSE_MASS, ERROR_MEMORY
 *  Cost        O(count); the next step prepares the world anew */
XPBD_API xpbd_status xpbd_world_add_particles(xpbd_world *world, uint32_t count,
                                              const xpbd_particles *particles, uint32_t *first);

/* A type of variable size (xpbd_constraint_info.variable) takes `sizes` in addition, and wherever
 * this header says so one record per *element*: those of the first constraint, those of the second,
 * and so on, `elements` in all. */
typedef struct xpbd_constraints {
    const uint32_t *particles; /* [count][n_particles] indices in the caller's order; variable size:
                                  [elements][n_particles] */
    size_t particles_stride;
    const float *rest; /* [count][n_rest]; null: what the positions are at the call */
    size_t rest_stride;
    const float *compliance; /* [count] alpha in the type's unit; null: 0, infinitely stiff */
    size_t compliance_stride;
    const float *damping; /* [count] beta in N s/m for a length ([XPBD16] eq. 26); null: 0.
                             No effect where the compliance is 0: gamma = alpha beta / dt */
    size_t damping_stride;
    const float *damping_time; /* [count] tau in s, of any type; null: 0. Adds tau / dt to gamma:
                                  damping that works at compliance 0 too */
    size_t damping_time_stride;
    const float *stiffness; /* [count] k in [0, 1] of [PBD07] eq. 1: a fraction of the correction
                               instead of a compliance, which is then 0, as is the damping. Its
                               effect depends on time step and iterations. Null: XPBD */
    size_t stiffness_stride;
    const float *break_force; /* [count] largest |lambda| / dt^2: N for a length; null or INFINITY:
                                 never. A constraint above it at the end of a substep breaks: it
                                 is off from then on, see xpbd_world_read_broken() */
    size_t break_force_stride;
    const uint32_t *sizes; /* [count] elements of each, tightly packed, at least 1. Variable size
                              only, else null */
    const float *element_rest; /* [elements][n_element_rest]; null: as `rest` */
    size_t element_rest_stride;
} xpbd_constraints;

/** Add constraints of one type. serial-gs solves them in the order in which they were added.
 *  first  out  or null: index of the first one added, counted per type
 *  Returns     XPBD_OK; ERROR_NULL, ERROR_COUNT, ERROR_STRIDE, ERROR_TYPE, ERROR_PARTICLE_INDEX,
 *              ERROR_PARTICLE_REPEATED (within an element, or within a constraint whose elements
 *              are single particles), ERROR_SIZE, ERROR_MESH_OPEN, ERROR_REST, ERROR_COMPLIANCE,
 *              ERROR_DAMPING, ERROR_MEMORY. Of a mesh the value is the triangle, counted within
 *              its constraint
 *  Cost        O(count + elements); the next step prepares the world anew */
XPBD_API xpbd_status xpbd_world_add_constraints(xpbd_world *world, xpbd_constraint_type type,
                                                uint32_t count, const xpbd_constraints *constraints,
                                                uint32_t *first);

/** What is going to be added to a world, besides what it has. All 0 by default. */
typedef struct xpbd_reservation {
    uint32_t particles;
    uint32_t batches; /* calls of xpbd_world_add_constraints() */
    struct {
        uint32_t count;    /* constraints of the type */
        uint32_t elements; /* of them all; types of variable size only, else 0 */
        /* Arrays that will be given: each is memory of its own. */
        bool compliance, damping, damping_time, stiffness, break_force;
    } of[XPBD_CONSTRAINT_TYPE_COUNT];
} xpbd_reservation;

/** Make room in advance: as long as no more is added than this, in no more calls and with no other
 *  arrays, neither xpbd_world_add_particles() nor xpbd_world_add_constraints() asks for memory. So
 *  something that is made of many calls can be added as a whole or not at all. Two reservations in
 *  a row do not add up. What is not used stays with the world.
 *  Returns     XPBD_OK; ERROR_NULL, ERROR_COUNT, ERROR_SIZE (elements of a type that has none, or
 *              fewer than constraints), ERROR_MEMORY: then there may be room for some of it. State,
 *              counts and what is prepared stay as they were in any case
 *  Cost        O(what the world has), and nothing where there is room already */
XPBD_API xpbd_status xpbd_world_reserve(xpbd_world *world, const xpbd_reservation *reservation);

/* -------------------------------------------------------------------- changing, bulk -- */

/** Change rest data, compliance or damping of constraints [first, first + count). Arrays that are
 *  null stay as they are; `particles` and `sizes` must be null. This is how an attach target moves.
 *  Returns     XPBD_OK; ERROR_NULL, ERROR_TYPE, ERROR_RANGE, ERROR_STRIDE, ERROR_SIZE, ERROR_REST,
 *              ERROR_COMPLIANCE, ERROR_DAMPING
 *  Cost        O(count + elements); prepares anew only where damping, stiffness, breaking or
 * switching off appears in a type that had none */
XPBD_API xpbd_status xpbd_world_set_constraints(xpbd_world *world, xpbd_constraint_type type,
                                                uint32_t first, uint32_t count,
                                                const xpbd_constraints *constraints);
/** Switch constraints [first, first + count) off or on again. One that is off moves nothing, has a
 *  lambda of 0 and keeps its index; a broken one is on again. Cost as xpbd_world_set_constraints()
 */
XPBD_API xpbd_status xpbd_world_enable_constraints(xpbd_world *world, xpbd_constraint_type type,
                                                   uint32_t first, uint32_t count, bool enabled);
/** Put particles elsewhere at once (teleport): velocities stay as they are. [count][3] m. */
XPBD_API xpbd_status xpbd_world_set_positions(xpbd_world *world, uint32_t first, uint32_t count,
                                              const float *position, size_t stride);
/** Give particles other velocities. [count][3] m/s. A pinned particle moves with its velocity. */
XPBD_API xpbd_status xpbd_world_set_velocities(xpbd_world *world, uint32_t first, uint32_t count,
                                               const float *velocity, size_t stride);
/** Pin (0) and release particles. [count] 1/kg. A particle that is pinned by this loses its
 *  velocity. The next step prepares the world anew with the Jacobi schedulers and with tree-direct,
 *  and where a particle of more than 32 constraints is pinned or released. */
XPBD_API xpbd_status xpbd_world_set_inverse_masses(xpbd_world *world, uint32_t first,
                                                   uint32_t count, const float *inverse_mass,
                                                   size_t stride);
/** Set the force on particles, in force until changed. [count][3] N; pinned ones feel nothing. */
XPBD_API xpbd_status xpbd_world_set_forces(xpbd_world *world, uint32_t first, uint32_t count,
                                           const float *force, size_t stride);
/** Move pinned particles in the next step: they go in a straight line through its substeps, end
 *  exactly at `target`, and their velocity reads (target - start) / dt. After that they rest.
 *  Returns     XPBD_OK; ERROR_NOT_PINNED for a particle with a mass (use an attach constraint) */
XPBD_API xpbd_status xpbd_world_move_particles(xpbd_world *world, uint32_t first, uint32_t count,
                                               const float *target, size_t stride);
/** Change substeps per step and iterations per substep. */
XPBD_API xpbd_status xpbd_world_set_solver(xpbd_world *world, uint32_t substeps,
                                           uint32_t iterations);
/** Stop the iterations of a substep early: after every `check_every`-th one, and not in between,
 *  the largest |C + alpha~ lambda| that constraints had when this sweep came to them is compared
 *  with `tolerance`; below it the substep is done. `iterations` is the most there are. 0: all of
 *  them, nothing is looked at. xpbd_diagnostics says how many there were.
 *      In the unit of C: m for a length, rad, m^3, ... one number for all types of the scene.
 *      Taken from the change of lambda in that one sweep, |d_lambda| times the diagonal of
 *  grad C M^-1 grad C^T + alpha~, which is |C + alpha~ lambda| where rows are one or do not depend
 *  on each other and |grad C| is constant; blocks are rounded up by the norm of their matrix, and
 *  gradients that change count as they were when the world was prepared or the constraint was
 *  changed last. With damping it has the damping force, with a stiffness it is |C|. What is off, or
 *  one-sided and does not hold, has none. The largest number, not a mean: the same decision on all
 *  instruction sets, layouts and thread counts.
 *  Returns     XPBD_OK; ERROR_TOLERANCE for a tolerance that is negative or no number, or
 *              check_every 0
 *  Cost        two passes over lambda in the iterations that are looked at; prepares anew where
 *              the tolerance was 0 */
XPBD_API xpbd_status xpbd_world_set_tolerance(xpbd_world *world, float tolerance,
                                              uint32_t check_every);
/** Watch for explosions: at the end of every substep particles that have a mass are looked at, and
 *  those over a limit are counted and named, with the constraint that did it, in
 *  xpbd_step_report and as a warning in the log. The step goes on and returns XPBD_OK.
 *      A speed is over the limit above max_speed, and where it, or the position, is no number. A
 *  force is what all constraints of a particle together put on it, taken from how far they moved
 *  it: |x - x~| / (w dt^2). INFINITY, the default of both, is a limit for what is no number only.
 *      XPBD_GUARD_CLAMP puts them back to the limit, their direction kept, before the next substep
 *  and before anybody can read them: the position is where that velocity leads, or that force. A
 *  particle that is no number goes back to where the substep began, at rest. Momentum and energy
 *  are lost in this; pinned particles go where the caller says, at any speed. The bits are the same
 *  everywhere, as those of the solver.
 *  guard   XPBD_GUARD_OFF: nothing is looked at
 *  Returns     XPBD_OK; ERROR_GUARD for a limit that is not positive or an unknown guard
 *  Cost        a barrier per substep and a pass over the velocities; with a finite max_force one
 *              over positions too; 16 bytes per particle. Prepares anew where the guard was off */
XPBD_API xpbd_status xpbd_world_set_guard(xpbd_world *world, xpbd_guard guard, float max_speed,
                                          float max_force);
/** Limit the time that a step iterates, in microseconds; 0, the default, is no limit. Each substep
 *  has an equal share, beginning with the step; when it is over, the substep ends after the
 *  iteration that runs (with a tolerance, after those up to the next look at it), and every substep
 *  has one at least. xpbd_world_read_report() says how many there were. Then the result depends on
 *  the time that the machine took: it is the only option of which the bits do.
 *  Returns     XPBD_OK; ERROR_NULL, ERROR_INSIDE_STEP, ERROR_BUDGET while a record is made
 *  Cost        two barriers and a look at the clock per iteration */
XPBD_API xpbd_status xpbd_world_set_budget(xpbd_world *world, uint32_t microseconds);
/** Change the acceleration of all particles that have a mass, in m/s^2. */
XPBD_API xpbd_status xpbd_world_set_acceleration(xpbd_world *world, const float acceleration[3]);
/** Change the number of threads, 0 for automatic. The bits do not depend on it. */
XPBD_API xpbd_status xpbd_world_set_threads(xpbd_world *world, int32_t threads);

/* -------------------------------------------------------------------- removing, bulk -- */
/* What is removed is gone for good. It keeps its index, which is not used again, so that those of
 * everything else stay valid; whatever would change it is refused with ERROR_REMOVED, reading it is
 * allowed. Removing it once more does nothing. xpbd_world_compact() gives the memory back. */

/** Remove constraints [first, first + count). They act no more, their lambda and forces read 0, and
 *  they count nowhere in diagnostics. All others stay in the order in which they are solved.
 *  Returns     XPBD_OK; ERROR_NULL, ERROR_TYPE, ERROR_RANGE, ERROR_MEMORY (of the first of a type)
 *  Cost        O(count), without a new preparation but with tree-direct and the Jacobi schedulers;
 *              some 20 to 150 ns each. Scattered through a grid they slow its steps, see
 *              docs/PERFORMANCE.md; switched off or compacted they do not */
XPBD_API xpbd_status xpbd_world_remove_constraints(xpbd_world *world, xpbd_constraint_type type,
                                                   uint32_t first, uint32_t count);
/** Remove particles [first, first + count), and all constraints that name one of them. They stay
 *  where they are, at rest and without mass; no constraint may name them any more.
 *  n_constraints  out  or null: how many constraints went with them
 *  Returns     XPBD_OK; ERROR_NULL, ERROR_RANGE, ERROR_MEMORY
 *  Cost        O(count + constraints of the world), whatever the count; else as above */
XPBD_API xpbd_status xpbd_world_remove_particles(xpbd_world *world, uint32_t first, uint32_t count,
                                                 uint32_t *n_constraints);
/** Tell what was removed.
 *  type        a constraint type, or -1 for particles
 *  out    out  [count]
 *  Returns     XPBD_OK; ERROR_NULL, ERROR_TYPE, ERROR_RANGE */
XPBD_API xpbd_status xpbd_world_read_removed(const xpbd_world *world, int32_t type, uint32_t first,
                                             uint32_t count, bool *out);
/** Give back the memory of what was removed, and number what is left anew, in the same order. This
 *  is the one call after which indices are others. Positions, velocities and all values are kept;
 *  the next step prepares the world anew, and may so solve constraints in another order. Force
 *  ports follow what they watch; those of what was removed read 0 from the next step on.
 *  particle_map     out  or null: [particles before] the new index; UINT32_MAX: was removed
 *  constraint_maps  out  or null: for each type null or the same for its constraints
 *  Returns     XPBD_OK; ERROR_NULL, ERROR_MEMORY: then nothing has changed, the maps included
 *  Cost        O(particles + constraints); nothing but the maps where nothing was removed */
XPBD_API xpbd_status xpbd_world_compact(xpbd_world *world, uint32_t *particle_map,
                                        uint32_t *const *constraint_maps);

/* -------------------------------------------------------------------------- stepping -- */

/** Order, partition and pack what was added. Called by the first step after an addition too; call
 *  it to choose the time of that cost, or to have a step that can neither allocate nor fail for
 *  want of memory.
 *  Returns     XPBD_OK; ERROR_MEMORY. The state is unchanged in any case */
XPBD_API xpbd_status xpbd_world_prepare(xpbd_world *world);

/** Advance by dt seconds: per substep predict, solve, velocities ([XPBD16] algorithm 1).
 *  lambda is zeroed once per substep, and alpha / dt^2 uses the substep ([SMALL19] algorithm 1).
 *  Returns     XPBD_OK; ERROR_TIME_STEP where a substep is shorter than 1e-9 s or longer than
 *              1000 s, or so short that a compliance / dt^2 overflows; what xpbd_world_prepare()
 *              returns. After an error the state is what it was
 *  Threads     the team of this world works inside the call; it may be called from inside the
 *              caller's own parallel region (each thread with a world of its own)
 *  Cost        O(substeps (iterations constraints + particles)) */
XPBD_API xpbd_status xpbd_world_step(xpbd_world *world, double dt);

/** Called at the end of each substep, on the thread that steps and in its floating-point
 *  environment, while the others wait. Inside it the world can be read by all functions of the next
 *  section, and xpbd_world_set_positions(), _velocities(), _forces() and _constraints() work as
 *  far as they need no memory and no new preparation; everything else returns ERROR_INSIDE_STEP,
 *  xpbd_world_destroy() does nothing. It must return: no longjmp, no exception.
 *  substep  counts from 0 in every step
 *  Returns  true to go on, false to end the step after this substep */
typedef bool xpbd_substep_fn(void *user, xpbd_world *world, uint32_t substep);

/** Have a function called at the end of each substep; null for none. Costs two barriers more.
 *  Returns  XPBD_OK, ERROR_NULL, ERROR_INSIDE_STEP */
XPBD_API xpbd_status xpbd_world_set_substep_callback(xpbd_world *world, xpbd_substep_fn *callback,
                                                     void *user);

/* -------------------------------------------------------------------------- force ports -- */
/* Forces that somebody feels or controls by: those of a particle or of a constraint, summed in
 * double and averaged over the substeps of the last step. A step costs as much more as the
 * constraints at the port need to be measured once per substep, and two barriers. */

/** Watch a particle: the sum of the forces of all its constraints, which for a pinned one is what
 *  the scene pulls at it with.
 *  port  out  number for xpbd_world_read_port(); counts from 0
 *  Returns    XPBD_OK; ERROR_NULL, ERROR_RANGE, ERROR_MEMORY, ERROR_INSIDE_STEP
 *  Cost       the next step looks through all constraints once, as after each addition */
XPBD_API xpbd_status xpbd_world_add_particle_port(xpbd_world *world, uint32_t particle,
                                                  uint32_t *port);
/** Watch a constraint: the forces on each of its particles. Types of variable size can be watched
 *  at their particles only.
 *  Returns  as above, and ERROR_TYPE */
XPBD_API xpbd_status xpbd_world_add_constraint_port(xpbd_world *world, xpbd_constraint_type type,
                                                    uint32_t index, uint32_t *port);
/** Read the mean force of the last step, in N; 0 before the first.
 *  force  out  [3] for a particle, [n_particles][3] for a constraint
 *  Returns     XPBD_OK; ERROR_NULL, ERROR_RANGE */
XPBD_API xpbd_status xpbd_world_read_port(const xpbd_world *world, uint32_t port, float *force);
/** Forget all ports. */
XPBD_API xpbd_status xpbd_world_clear_ports(xpbd_world *world);

/* --------------------------------------------------------------------------- reading -- */
/* Bulk, in the caller's order, into the caller's memory: `out` has `count` elements, `stride`
 * bytes apart (0: tightly packed). Each returns XPBD_OK, ERROR_NULL, ERROR_TYPE, ERROR_RANGE or
 * ERROR_STRIDE. */

XPBD_API xpbd_status xpbd_world_read_positions(const xpbd_world *world, uint32_t first,
                                               uint32_t count, float *out, size_t stride);
XPBD_API xpbd_status xpbd_world_read_velocities(const xpbd_world *world, uint32_t first,
                                                uint32_t count, float *out, size_t stride);
/** Read the multipliers of the last substep: [count][n_rows], or where rows_per_element is set
 *  [elements][n_rows] of constraints [first, first + count). 0 before the first step. */
XPBD_API xpbd_status xpbd_world_read_lambdas(const xpbd_world *world, xpbd_constraint_type type,
                                             uint32_t first, uint32_t count, float *out,
                                             size_t stride);
/** Read the forces that constraints put on their particles in the last substep, in N:
 *  [count][n_particles][3], f = lambda grad C / dt^2 ([XPBD16] sec. 5). 0 before the first step.
 *  Of a type of variable size [elements][n_particles][3]: the forces on a particle that several
 *  elements share add up. */
XPBD_API xpbd_status xpbd_world_read_forces(const xpbd_world *world, xpbd_constraint_type type,
                                            uint32_t first, uint32_t count, float *out,
                                            size_t stride);
/** A constraint that broke. */
typedef struct xpbd_broken {
    xpbd_constraint_type type;
    uint32_t index;
} xpbd_broken;

/** List what broke in the last step, by type and index whatever the threads did.
 *  out       out  [capacity]; may be null where capacity is 0
 *  n         out  how many broke, also where that is more than capacity
 *  Returns        XPBD_OK, ERROR_NULL */
XPBD_API xpbd_status xpbd_world_read_broken(const xpbd_world *world, uint32_t capacity,
                                            xpbd_broken *out, uint32_t *n);
/** Hash positions and velocities in the caller's order (+0 and -0 are alike). Equal states give
 *  equal hashes on every machine. 0 for a null world. */
XPBD_API uint64_t xpbd_world_hash(const xpbd_world *world);

/** What was chosen and built. Text is static or lives as long as the world. */
typedef struct xpbd_world_summary {
    uint32_t n_particles;
    uint32_t n_constraints[XPBD_CONSTRAINT_TYPE_COUNT];
    uint32_t n_removed_particles; /* of those above, until xpbd_world_compact() */
    uint32_t n_removed_constraints[XPBD_CONSTRAINT_TYPE_COUNT];
    const char *scheduler, *layout, *isa, *ordering, *pinning;
    uint32_t threads;        /* the team's size */
    uint32_t threads_active; /* of them, those that the last step used */
    uint32_t threads_usable; /* what the process may use: affinity mask and cgroup quota */
    bool oversubscribed;     /* more threads than that */
    const char *binding;     /* what pinning really does here: "none", "bound", or why not */
    /* The rest is 0 until the world is prepared. */
    uint32_t n_stages;  /* per iteration: each ends in one barrier */
    uint32_t n_groups;  /* lane groups of 16 constraints, or of 16 elements of one */
    uint32_t n_padding; /* lanes of these groups that hold none */
    uint64_t bytes;     /* memory held by the world */
} xpbd_world_summary;

XPBD_API xpbd_status xpbd_world_summarize(const xpbd_world *world, xpbd_world_summary *summary);

/** Tell what was chosen for the world as it is prepared, and why, in lines of text: scheduler,
 *  layout, instruction set, ordering, threads and what they were measured to take.
 *  text    out  [size], always ended by 0 where there is room; may be null where size is 0
 *  needed  out  or null: the size that would hold all of it
 *  Returns      XPBD_OK, ERROR_NULL
 *  Cost         O(constraints) */
XPBD_API xpbd_status xpbd_world_explain(const xpbd_world *world, char *text, size_t size,
                                        size_t *needed);

/** What the last step did. All 0 before the first, where no type is said to be -1. */
typedef struct xpbd_step_report {
    double seconds;        /* that it took, without preparing */
    uint32_t threads;      /* that worked at it */
    uint32_t substeps;     /* done: fewer than asked for where a callback ended the step */
    uint64_t iterations;   /* of all of them together */
    uint32_t n_late;       /* substeps that the budget cut short */
    uint32_t n_unfinished; /* substeps that ended above the tolerance; 0 where it is 0 */
    double sweep_residual; /* what xpbd_world_set_tolerance() compared last; 0 if nothing yet */
    /* What xpbd_world_set_guard() has found. Of the first substep with anything the particle that
       was farthest over its limit, the lowest if several, and of all constraints of the particles
       over a limit there the one that pulled hardest at one of them, the first by type and index
       if several. */
    uint64_t n_guarded;     /* times a particle was over a limit, in all substeps; 0: none was,
                               and the rest says nothing */
    uint32_t guard_substep; /* counts from 0 */
    uint32_t guard_particle;
    double guard_speed; /* m/s, of this particle before it was clamped; INFINITY: no number */
    double guard_force; /* N, that constraints put on it; 0 where max_force is INFINITY */
    int32_t guard_type; /* the constraint; -1: none pulled */
    uint32_t guard_index;
    double guard_pull; /* N, its force on one of these particles; INFINITY: no number */
} xpbd_step_report;

/** Read it.
 *  Returns      XPBD_OK, ERROR_NULL */
XPBD_API xpbd_status xpbd_world_read_report(const xpbd_world *world, xpbd_step_report *report);

/** How good the state is. Sums are in double and in the caller's order. Constraints that are
 * switched off, broken or removed count nowhere. One-sided ones that do not hold (C on the allowed
 * side, lambda 0) have a residual and an energy of 0, and are never degenerate or infeasible. Where
 * there is a stiffness, alpha is 0: a residual of |C| and no energy. */
typedef struct xpbd_diagnostics {
    double residual_max, residual_rms; /* |C + alpha / dt^2 lambda| over all rows, [XPBD16] eq. 9.
                                          Of the last substep; before the first step |C|. Of finite
                                          elements alpha stands for their compliance matrix */
    int32_t worst_type;                /* constraint with the largest residual, -1 if none */
    uint32_t worst_index;
    double kinetic_energy;         /* J, 1/2 m v^2 of particles that have a mass */
    double constraint_energy;      /* J, 1/2 C^T alpha^-1 C where alpha > 0 */
    double momentum[3];            /* kg m/s */
    double angular_momentum[3];    /* kg m^2/s about the origin */
    uint64_t n_nonfinite;          /* particles whose position or velocity is not finite */
    uint32_t first_nonfinite;      /* the lowest of them */
    uint64_t n_degenerate;         /* constraints without a gradient: the solver skips them */
    int32_t first_degenerate_type; /* -1 if none */
    uint32_t first_degenerate_index;
    uint64_t n_infeasible;         /* all particles pinned, alpha 0 and C not 0 */
    int32_t first_infeasible_type; /* -1 if none */
    uint32_t first_infeasible_index;
    bool has_imbalance; /* keep_prediction was set, and a step was made since the world was
                           prepared: else the next three are 0 */
    double imbalance_max, imbalance_rms; /* N, |M (x - x~) - grad C^T lambda| / dt^2 of particles
                                            that have a mass, at the end of the last substep,
                                            [XPBD16] eq. 8 with x~ as in its algorithm 1: what the
                                            forces on a particle lack to its acceleration */
    uint32_t imbalance_particle;         /* with the largest of them, the lowest if several */
    uint64_t n_iterations;               /* of the last step, all its substeps together */
    uint32_t n_unfinished; /* substeps that ended above the tolerance; 0 where it is 0 */
    double sweep_residual; /* what xpbd_world_set_tolerance() compared last; 0 if nothing yet */
} xpbd_diagnostics;

/** Measure the state in double precision, independently of the solver's kernels.
 *  Cost        O(particles + constraints), on the calling thread */
XPBD_API xpbd_status xpbd_world_diagnose(const xpbd_world *world, xpbd_diagnostics *diagnostics);

/* ------------------------------------------------------------------------- snapshots -- */
/* A snapshot is all of a scene and its state: going on from it gives the same bits as not having
 * stopped, and multipliers, forces and what broke read as before. It may be taken on one machine
 * and loaded on another, whatever the processor and its byte order. From the snapshot come the
 * scheduler and ordering, substeps, iterations, acceleration, relaxation and the meaning of
 * stiffness; layout, instruction set, threads, pinning and allocator stay those of the world that
 * loads. Constraint types, schedulers and orderings are found by name. Version 1; others are
 * refused. */

/** Write a snapshot into the caller's memory.
 *  out    out  [capacity] bytes; may be null where capacity is 0
 *  size   out  bytes of the snapshot, also where that is more than capacity
 *  Returns     XPBD_OK, also for a capacity of 0, which asks for the size; ERROR_NULL,
 *              ERROR_CAPACITY: what is in `out` then is no snapshot
 *  Cost        O(particles + constraints) */
XPBD_API xpbd_status xpbd_world_save(const xpbd_world *world, size_t capacity, void *out,
                                     size_t *size);
/** Replace all that a world has by a snapshot. Whatever is wrong with it is found before the world
 *  changes: each section has a sum of 64 bits, no length in it is believed before as much is there,
 *  and the scene goes through the same checks as what a caller adds.
 *  data   in   [size] bytes, aligned to nothing
 *  Returns     XPBD_OK; ERROR_NULL; ERROR_SNAPSHOT: the error says which byte and section, and
 *              what; ERROR_UNKNOWN_SCHEDULER, ERROR_UNKNOWN_ORDERING; ERROR_MEMORY. A custom
 *              scheduler has to be that of this world, by its name. Force ports are forgotten
 *  Cost        as adding the scene; a world that had been stepped is prepared too */
XPBD_API xpbd_status xpbd_world_load(xpbd_world *world, size_t size, const void *data);
/** Write a snapshot to a file. A file that is there is replaced as a whole or stays as it was,
 *  whatever happens meanwhile, and keeps its permissions.
 *  Returns     XPBD_OK; ERROR_NULL; ERROR_MEMORY; ERROR_FILE: the error has the path and the reason
 *              that the system gives */
XPBD_API xpbd_status xpbd_world_save_file(const xpbd_world *world, const char *path);
/** Load a snapshot from a file. Returns what xpbd_world_load() does, and ERROR_FILE. */
XPBD_API xpbd_status xpbd_world_load_file(xpbd_world *world, const char *path);

/* --------------------------------------------------------------------------- records -- */
/* A record is a snapshot and all calls after it that changed the world, those of a substep callback
 * included, with a hash of the state after every step. Running it again, on another machine or with
 * another version of the library, tells the first step that is not the same. */

/** Begin a record; one that is there is dropped. While it lasts calls take memory, steps too, and a
 *  step costs a pass over the particles more.
 *  Returns     XPBD_OK, ERROR_NULL, ERROR_MEMORY, ERROR_BUDGET where steps are limited in time */
XPBD_API xpbd_status xpbd_world_record_start(xpbd_world *world);
/** End the record, which can be read until the next begins.
 *  Returns     XPBD_OK, ERROR_NULL; ERROR_RECORD where none was going on; ERROR_MEMORY where it
 *              has ended before, for want of memory: all calls until then are in it */
XPBD_API xpbd_status xpbd_world_record_stop(xpbd_world *world);
/** Read the record, as far as it has come. As xpbd_world_save(); ERROR_RECORD where there is none
 */
XPBD_API xpbd_status xpbd_world_read_record(const xpbd_world *world, size_t capacity, void *out,
                                            size_t *size);

/** What running a record again has shown. */
typedef struct xpbd_replay_report {
    uint64_t n_calls, n_steps; /* that were run */
    bool differs;              /* the last of them did not do what it had done */
    uint64_t recorded, hash;   /* of that step, or both 0: then a call was refused, text says why */
    char text[256];            /* one line for people */
} xpbd_replay_report;

/** Run a record in a world of its own, until its end or the first difference.
 *  def    in   or null for the defaults: layout, instruction set, threads, pinning, allocator and
 *              custom scheduler are used
 *  report out  what was found
 *  error  out  or null; filled on failure
 *  Returns     XPBD_OK, whether there is a difference or not; ERROR_NULL; ERROR_RECORD: damaged,
 *              the error says where; what xpbd_world_create() and xpbd_world_load() return */
XPBD_API xpbd_status xpbd_replay(size_t size, const void *data, const xpbd_world_def *def,
                                 xpbd_replay_report *report, xpbd_error *error);

#ifdef __cplusplus
}
#endif
#endif
