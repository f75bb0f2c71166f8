/* SPDX-License-Identifier: MIT
 *
 * Time to accuracy: how long a step takes with each scheduler, number of substeps, of iterations
 * and relaxation, and how far its result is from two solutions that Newton's method finds in double
 * precision: that of implicit Euler with the same substeps (what iterations leave behind), and the
 * limit of small substeps (which has the error of the time step as well).
 */
#ifndef XPBD_BENCH_ACCURACY_ACCURACY_H
#define XPBD_BENCH_ACCURACY_ACCURACY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/context.h"
#include "bench/samples.h"
#include "bench/text.h"
#include "reference/reference.h"
#include "scenes/scene.h"

/* ------------------------------------------------------------------------------- options -- */

enum { ACC_LEVELS_MAX = 9, ACC_SOLVED_MAX = 8 };

/** How much is measured. Substeps are 1, 2, 4, ... 2^(n_levels - 1). */
typedef struct acc_plan {
    uint32_t n_levels;   /* at most ACC_LEVELS_MAX */
    uint32_t n_solved;   /* levels that Newton's method solves, 3 to ACC_SOLVED_MAX */
    uint32_t work;       /* most substeps times iterations */
    double step_s;       /* no more iterations are tried after a step that took longer */
    uint32_t lead;       /* steps of Newton's method before the one that is measured */
    uint32_t rounds;     /* samples per row */
    double sample_s;     /* a sample has as many steps as this takes, at least one */
    double scene_s;      /* after this no further round is begun */
    uint32_t n_omegas;   /* of schedulers that have a relaxation */
    const float *omegas; /* the first is 1 */
} acc_plan;

/** No fewer rounds than this, whatever they take. */
enum { ACC_ROUNDS_LEAST = 3 };

typedef struct acc_options {
    bool quick, list, help;
    bench_list scenes, schedulers;
    uint32_t threads, repeats;
    char *page, *rows; /* paths */
} acc_options;

/** Read the command line. False after a message on stderr that says what is valid. */
bool acc_options_parse(acc_options *options, int argc, char **argv);
void acc_options_free(acc_options *options);
void acc_options_help(void);
acc_plan acc_plan_of(const acc_options *options);

/* -------------------------------------------------------------------------------- problem -- */

enum { ACC_DOUBLE_ITERATIONS = 4 };

/** One step of 1/60 s of a scene, from a state in which it moves, and its solutions. */
typedef struct acc_problem {
    const char *name;
    xpbd_scene scene;
    uint32_t n_constraints, n_rows;
    double dt;
    float (*x)[3], (*v)[3]; /* where the step begins */
    ref_system *system;     /* the reference's; its state is scratch */
    uint32_t n_solved;
    double (*step[ACC_SOLVED_MAX])[3]; /* implicit Euler's end with 2^level substeps */
    double (*frame)[3];                /* extrapolated to substeps of no length */
    double motion;                     /* m, root mean square way of a free particle to `frame` */
    double doubt;                      /* of `frame`: what the extrapolation's last order changed */
    double level_error[ACC_SOLVED_MAX]; /* of step[]: the error of the time step alone */
    /* Errors of serial Gauss-Seidel in double precision, with ACC_DOUBLE_ITERATIONS, by level: what
       is worse in the library is rounding. No levels for scenes of energies and meshes. */
    uint32_t n_double;
    double in_double[ACC_LEVELS_MAX];
} acc_problem;

/** Make a problem. False with a line in `text` where Newton's method fails or the reference lacks
 *  something, and with an empty one after an interrupt. */
bool acc_problem_make(acc_problem *problem, const char *scene, const acc_plan *plan, char *text,
                      size_t size);
void acc_problem_free(acc_problem *problem);
/** The root mean square distance of free particles to a solution, over `motion`. */
double acc_distance(const acc_problem *problem, const float (*x)[3], const double (*solution)[3]);
/** Put the reference's system where the step begins. */
void acc_problem_rewind(acc_problem *problem);

/* ------------------------------------------------------------------------------- measuring -- */

typedef enum acc_error {
    ACC_STEP,  /* to implicit Euler with the same substeps, with one substep: of the solver alone */
    ACC_FRAME, /* to the limit of small substeps: of everything */
    ACC_ERRORS
} acc_error;

/** A scheduler with a relaxation; its world. */
typedef struct acc_series {
    const char *scheduler; /* static text */
    float omega;           /* 0 where it has no influence */
    xpbd_world *world;
    char error[256]; /* why it can not run the scene */
} acc_series;

typedef struct acc_row {
    uint32_t series, level, substeps, iterations;
    double error[ACC_ERRORS]; /* relative to the motion; not finite where it diverged, or where
                                 Newton's method has not solved this level */
    double worst;             /* m, largest distance of a particle to `frame` */
    ref_residual residual;    /* of the last substep */
    uint64_t hash;
    bool diverged;
    char fault[128]; /* what is wrong with the row; it is not timed then */
    double first_s;  /* the step that was judged, by the clock */
    uint32_t steps;  /* per sample */
    bench_sample *samples;
    uint32_t n_samples;
    double ms_min, ms_median; /* of one step; 0 without samples */
} acc_row;

typedef struct acc_result {
    acc_problem problem;
    acc_series *series;
    size_t n_series;
    acc_row *rows;
    size_t n_rows;
    uint32_t rounds; /* done */
    uint32_t threads;
    bool complete;
} acc_result;

/** Measure all rows of a problem, which becomes the result's. What was measured before an interrupt
 *  is kept. */
void acc_measure(acc_result *result, acc_problem *problem, const acc_options *options,
                 const acc_plan *plan);
void acc_result_free(acc_result *result);

/* sweep.c: all rows with their errors, without times; timing.c: times. */
void acc_sweep(acc_result *result, const acc_options *options, const acc_plan *plan);
void acc_time(acc_result *result, const acc_options *options, const acc_plan *plan);
/** Set the world's solver and put it where the step begins. */
bool acc_world_rewind(const acc_problem *problem, xpbd_world *world, uint32_t substeps,
                      uint32_t iterations);

/* -------------------------------------------------------------------------------- judging -- */

/** The errors that the headline is about. */
#define ACC_TARGETS 3
extern const double acc_target[ACC_TARGETS];
extern const char *const acc_target_text[ACC_TARGETS];

/** Find the fastest row of a scheduler with an error of at most `target`; null where there is none.
 *  ACC_STEP looks at one substep only. omega: only this one, or 0 for all. */
const acc_row *acc_fastest(const acc_result *result, const char *scheduler, acc_error kind,
                           double target, float omega);
/** The least error of a scheduler, INFINITY without rows. */
double acc_least(const acc_result *result, const char *scheduler, acc_error kind);
/** Find the rows of a scheduler that no other one of it beats in both time and `value`, in order of
 *  time. Returns how many; `front` has room for n_rows. */
size_t acc_front(const acc_result *result, const char *scheduler, bool one_substep,
                 double (*value)(const acc_row *row), const acc_row **front);
double acc_step_error(const acc_row *row);
double acc_frame_error(const acc_row *row);
double acc_residual_g(const acc_row *row);
double acc_residual_h(const acc_row *row);
/** Write "4 × 3, ω 1.5". */
char *acc_setting_text(const acc_result *result, const acc_row *row, const char *times);
/** The scheduler that worlds have by default. */
const char *acc_standard(void);
/** What the numbers say of a scheduler against that one, for all scenes: some sentences. The
 *  caller frees. */
char *acc_verdict(const acc_result *results, size_t n, const char *scheduler);

/* ------------------------------------------------------------------------------- reporting -- */

void acc_print(const acc_result *result, const bench_list *schedulers);
void acc_page_write(FILE *out, const bench_context *context, const acc_options *options,
                    const acc_result *results, size_t n);
bool acc_rows_write(const char *path, const bench_context *context, const acc_result *results,
                    size_t n);

#endif
