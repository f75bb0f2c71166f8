/* SPDX-License-Identifier: MIT
 *
 * Validation: experiments that compare the library with papers, closed forms and the reference
 * solver. Each is a row of experiments.def and a function that fills a report; the tests and the
 * page run the same functions.
 */
#ifndef XPBD_BENCH_VALIDATION_VALIDATION_H
#define XPBD_BENCH_VALIDATION_VALIDATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/page/page.h"
#include "reference/reference.h"
#include "xpbd/xpbd.h"

#define VAL_PI           3.14159265358979323846
#define VAL_COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* ---------------------------------------------------------------------------------- reports -- */

typedef enum val_kind {
    VAL_NEAR,     /* |measured - claimed| <= tolerance */
    VAL_AT_MOST,  /* measured <= claimed */
    VAL_AT_LEAST, /* measured >= claimed */
    VAL_SHOWN     /* for the reader: nothing is claimed */
} val_kind;

typedef struct val_claim {
    char *what, *why; /* why: where the number or its tolerance comes from */
    val_kind kind;
    double claimed, measured, tolerance;
} val_claim;

typedef struct val_report {
    bool full; /* also what is too slow for a test */
    char *formula, *setting, *unknown;
    uint32_t n_claims, n_plots, claim_room;
    val_claim *claim;
    val_plot plot[4];
} val_report;

bool val_holds(const val_claim *claim);
/** Describe the experiment: HTML. unknown: what the paper does not say, or null. */
void val_about(val_report *report, const char *formula, const char *setting, const char *unknown);
void val_near(val_report *report, const char *what, double claimed, double measured,
              double tolerance, const char *why);
void val_at_most(val_report *report, const char *what, double limit, double measured,
                 const char *why);
void val_at_least(val_report *report, const char *what, double limit, double measured,
                  const char *why);
void val_show(val_report *report, const char *what, double measured, const char *why);
val_plot *val_add_plot(val_report *report, const char *title, const char *x_label,
                       const char *y_label, bool log_x, bool log_y);
void val_clear(val_report *report);

/* ------------------------------------------------------------------------------ experiments -- */

typedef struct val_experiment {
    const char *name, *title, *source;
    void (*run)(val_report *report);
} val_experiment;

/** Null past the last. */
const val_experiment *val_experiment_at(uint32_t index);
/** Write the page. */
void val_write_page(FILE *out, const val_report *reports);

/* ----------------------------------------------------------------------------------- models -- */

/** A scene that the library and the reference get alike: the same floats. */
typedef struct val_model {
    uint32_t n, n_items, n_triangles, room, item_room;
    float (*x)[3], (*v)[3], *w;
    struct val_item {
        xpbd_constraint_type type;
        uint32_t corner[4];
        float rest[REF_REST], compliance;
    } * item;
    uint32_t (*triangle)[3]; /* of one closed mesh, or null */
    float volume[2], volume_compliance;
    float gravity[3];
    bool plane;         /* the reference leaves z alone; the library sees no force there */
    float stiffness;    /* of PBD, instead of compliances, where above 0 */
    float damping;      /* beta of all */
    float damping_time; /* tau of all, of the library only: states of rest do not depend on it */
} val_model;

val_model *val_model_make(void);
void val_model_free(val_model *model);
uint32_t val_particle(val_model *model, double x, double y, double z, double w);
/** Join particles; rest as xpbd_constraints.rest. */
void val_join(val_model *model, xpbd_constraint_type type, const uint32_t *corner,
              const float *rest, double compliance);
/** Join two at a length. */
void val_spring(val_model *model, uint32_t a, uint32_t b, double length, double compliance);
/** Add a mesh_volume of all triangles; the array is the model's from then on. */
void val_enclose(val_model *model, uint32_t n, uint32_t (*triangle)[3], double volume,
                 double factor, double compliance);
/** Fill a rectangle of columns x rows cells with tri_fem, alternating diagonals; the particles of
 *  column 0 are pinned. Eh in N/m, density in kg/m^2. Particle j (columns + 1) + i. */
void val_strip(val_model *model, uint32_t columns, uint32_t rows, double length, double height,
               double Eh, double nu, double density);

/** Run one thread of the named scheduler on it. */
xpbd_world *val_world(const val_model *model, const char *scheduler, uint32_t substeps,
                      uint32_t iterations);
ref_system *val_reference(const val_model *model);
/** Steps, and what can go wrong in one, in one call. */
void val_steps(xpbd_world *world, uint32_t n, double dt);
/** Steps with a drag from outside: `keep` is the part of all velocities that is left after each.
 *  Where they end at rest, it has no influence. */
void val_settle(xpbd_world *world, uint32_t n_particles, uint32_t n, double dt, double keep);
/** All positions; the caller frees. */
float (*val_positions(const xpbd_world *world, uint32_t n))[3];
/** Put world and reference into the same state. */
void val_copy_state(xpbd_world *world, const ref_system *system);
/** The largest distance between a particle here and there. */
double val_distance(const xpbd_world *world, const ref_system *system);
/** The only multiplier, or the first row of several, of a constraint. */
double val_lambda(const xpbd_world *world, xpbd_constraint_type type, uint32_t index);
/** Fit y[i + 1] = trace y[i] - det y[i - 1], which a linear oscillation obeys. */
void val_fit_oscillation(const double *y, uint32_t n, double *trace, double *det);

#endif
