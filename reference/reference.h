/* SPDX-License-Identifier: MIT
 *
 * What the library is judged by: implicit Euler by Newton's method on g and h ([XPBD16] eq. 8 to
 * 14), explicit integrators, and a direct solve, in double precision. Nothing here calls the
 * library; of its header it takes the names of the constraint types and the meaning of their rest
 * data. Never linked into the library.
 */
#ifndef XPBD_REFERENCE_REFERENCE_H
#define XPBD_REFERENCE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xpbd/xpbd.h"

enum { REF_CORNERS = 4, REF_ROWS = 6, REF_REST = 12 };

/** C of one element and its derivatives: coordinate 3 i + k is k of its particle i. */
typedef struct ref_rows {
    int n_rows, n_variables;
    double C[REF_ROWS];
    double gradient[REF_ROWS][3 * REF_CORNERS];
    double hessian[REF_ROWS][3 * REF_CORNERS][3 * REF_CORNERS];
} ref_rows;

/** Tell whether the reference has a formula for the type. */
bool ref_knows(xpbd_constraint_type type);
/** Tell which lambda a type allows: 0 any, -1 lambda <= 0 and C <= 0, 1 the other way round. */
int ref_side(xpbd_constraint_type type);
/** Evaluate a constraint type, or an element of mesh_volume: V of its tetrahedron with the origin.
 *  An energy type (tet_neo_hookean) has one row, its energy in J for a compliance of 1. A member of
 *  a shape_match has three corners: itself, the centre c and the turn t of its cluster, and
 *  C = x - (c + R(t) R0 r) with R(t) = 1 + ([t] + [t]^2 / 2) / (1 + t^2 / 4), the rotation about t
 * by 2 atan(|t| / 2). Its rest: r from the cluster's centre, R0 row by row. */
void ref_evaluate(xpbd_constraint_type type, const double (*x)[3], const double *rest,
                  ref_rows *out);
bool ref_is_energy(xpbd_constraint_type type);
/** The compliance [n_rows][n_rows] of a constraint whose compliance parameter is 1. */
void ref_compliance(xpbd_constraint_type type, const double *rest, double *matrix);

/** Several elements may share the rows of one constraint: their C add up (mesh_volume). */
typedef struct ref_element {
    xpbd_constraint_type type;
    uint32_t corner[REF_CORNERS];
    double rest[REF_REST];
    uint32_t constraint;
} ref_element;

typedef struct ref_constraint {
    xpbd_constraint_type type;
    uint32_t row; /* its first row */
    int n_rows;   /* 0 for an energy */
    int side;
    double offset; /* subtracted from the C of its row */
    double stiffness;
    double compliance[REF_ROWS][REF_ROWS];
} ref_constraint;

/** Particles and constraints. Make it with ref_make(), free it with ref_free(). */
typedef struct ref_system {
    uint32_t n_particles, n_constraints, n_elements, n_rows;
    uint32_t particle_room, constraint_room, element_room, row_room;
    double (*x)[3], (*v)[3];
    double *w;          /* 1/kg; 0 is pinned */
    bool *massless;     /* no inertia: only constraints say where it is, w is its weight in norms */
    double (*force)[3]; /* N, on each */
    double *lambda;     /* [n_rows] of the last step */
    double gravity[3];  /* m/s^2 */
    bool plane;         /* z stays as it is */
    ref_constraint *constraint;
    ref_element *element;
    uint32_t n_clusters, cluster_room;
    struct ref_cluster {
        uint32_t center, turn;         /* its massless particles */
        uint32_t first_element, count; /* its members */
    } * cluster;
} ref_system;

ref_system *ref_make(void);
void ref_free(ref_system *system);
uint32_t ref_add_particle(ref_system *system, const double x[3], const double v[3], double w);
/** Add a constraint of one element. Returns its index. */
uint32_t ref_add_constraint(ref_system *system, xpbd_constraint_type type, const uint32_t *corner,
                            const double *rest, double compliance);
/** Add a closed mesh that keeps the volume `rest_volume`. */
uint32_t ref_add_mesh_volume(ref_system *system, uint32_t n_triangles,
                             const uint32_t (*triangle)[3], double rest_volume, double compliance);
/** Add a shape_match cluster without stretch: member[i] belongs at rest[i]. It adds two massless
 *  particles at the end, so that clusters come after all particles, and each member is a constraint
 *  of its own. Needs three members that are not on a line. Returns the index of the first. */
uint32_t ref_add_shape_match(ref_system *system, uint32_t n, const uint32_t *member,
                             const double (*rest)[3], double compliance);
/** Put centre and rotation of all clusters where the sum of |C|^2 over their members is least. The
 *  members may not be turned inside out. */
void ref_fit_clusters(ref_system *system);
/** Move the turn of each cluster into the R0 of its members: after every step, as the turn has no
 *  number for half a turn. */
void ref_turn_clusters(ref_system *system);

/** Where a Newton solve ended. */
typedef struct ref_solution {
    bool converged;
    uint32_t iterations;
    double g, h;      /* sqrt(g^T W g) in kg^(1/2) m, and the largest |h|, at the end */
    double merit[64]; /* the merit before each iteration, and at the end */
} ref_solution;

/** Step implicit Euler: solve g = M (x - x~) - grad C^T lambda = 0, h = C + alpha / dt^2 lambda = 0
 *  with x~ = x + dt v + dt^2 (gravity + w force), then v = (x - x_before) / dt. Newton's method
 * with the exact K = M - sum lambda_j Hessian C_j, a line search on 1/2 g^T W g + 1/2 h^T D h, D
 * the inverse of the diagonal of grad C W grad C^T + alpha / dt^2, and a sparse LU factorization.
 */
ref_solution ref_step(ref_system *system, double dt);
/** The same from a first guess of the end: x [n_particles], lambda [n_rows]; null for x~ and 0. */
ref_solution ref_step_from(ref_system *system, double dt, const double (*x)[3],
                           const double *lambda);
/** Solve for the state of rest: the same equations without M (x - x~) but with the load. Pinned
 *  particles have to hold it. */
ref_solution ref_rest(ref_system *system, double dt);
/** Step by sweeps of Gauss-Seidel over the constraints in the order of addition, [XPBD16] algorithm
 *  1. Not for energies, mesh_volume and shape_match. */
void ref_xpbd(ref_system *system, double dt, uint32_t iterations);

/** How far a state is from the solution of a step. g, h and start have the same unit, kg^(1/2) m,
 *  whatever the constraint types, so that they can be compared and added. */
typedef struct ref_residual {
    double g;     /* sqrt(g^T W g), [XPBD16] eq. 8; of energies their forces instead of lambda */
    double h;     /* sqrt(h^T D h), eq. 9, with the D of ref_step(); 0 where there are no rows */
    double h_max; /* the largest |h|, in the unit of its row */
    double start; /* the root of the sum of both squares at x = x~, lambda = 0 */
} ref_residual;

/** Measure a state of somebody else's: x and lambda at the end of a step of dt that began with the
 *  system's x and v. */
ref_residual ref_residuals(const ref_system *system, const double (*x)[3], const double *lambda,
                           double dt);

/** 1/2 m v^2, and -m gravity x + 1/2 C^T alpha^-1 C where alpha > 0. */
double ref_energy(const ref_system *system);
/** Accelerations of free particles: gravity + w (force - grad C^T alpha^-1 C). */
void ref_acceleration(const ref_system *system, double (*a)[3]);

/** Integrators of x'' = a(x): what happens in one step. Constraints are springs of 1 / alpha. */
typedef enum ref_integrator {
    REF_FORWARD_EULER,    /* x += dt v, v += dt a(x before) */
    REF_BACKWARD_EULER,   /* ref_step() */
    REF_SYMPLECTIC_EULER, /* v += dt a(x), x += dt v */
    REF_VERLET,           /* x_(n+1) = 2 x_n - x_(n-1) + dt^2 a(x_n); v is (x_n - x_(n-1)) / dt */
    REF_INTEGRATOR_COUNT
} ref_integrator;
const char *ref_integrator_name(ref_integrator integrator);
void ref_integrate(ref_system *system, ref_integrator integrator, double dt);

/** Spectral radius of sweeps over the rows of a symmetric matrix A [n][n], by vector iteration. */
typedef enum ref_sweep {
    REF_SWEEP_JACOBI,    /* x -= omega D^-1 (A x) */
    REF_SWEEP_SERIAL,    /* row after row, each times omega */
    REF_SWEEP_TWO_COLORS /* even rows, then odd ones */
} ref_sweep;
/** diagonal: what Jacobi divides by, or null for that of A. */
double ref_spectral_radius(ref_sweep sweep, uint32_t n, const double *A, const double *diagonal,
                           double omega);

/** A sparse matrix, gathered entry by entry; what falls on one place adds up. */
typedef struct ref_sparse {
    uint32_t n, n_entries, room;
    struct ref_entry {
        uint32_t row, column;
        double value;
    } * entry;
} ref_sparse;
void ref_sparse_add(ref_sparse *A, uint32_t row, uint32_t column, double value);
/** Solve A x = b in place. False where A is singular. */
bool ref_sparse_solve(const ref_sparse *A, double *b);

/** calloc, realloc that do not return without memory. */
void *ref_zeroed(size_t count, size_t size);
void *ref_grown(void *memory, size_t count, size_t size);

#endif
