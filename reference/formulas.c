/* SPDX-License-Identifier: MIT
 *
 * The constraint types once more, from their definitions in constraints.def and in the papers, as
 * functions of positions only: gradients and Hessians come from jet.h. Written without a look at
 * rounding, speed or degenerate poses.
 */
#include "reference/reference.h"

#include "reference/jet.h"

#include <string.h>

typedef void formula_fn(const ref_jet3 *x, const double *rest, ref_jet *C);

static void distance(const ref_jet3 *x, const double *rest, ref_jet *C)
{
    const ref_jet3 d = jet3_sub(&x[0], &x[1]);
    C[0] = jet_shift(jet_sqrt(jet3_dot(&d, &d)), -rest[0]);
}

static void attach(const ref_jet3 *x, const double *rest, ref_jet *C)
{
    for (int k = 0; k < 3; k++) {
        C[k] = jet_shift(x[0].c[k], -rest[k]);
    }
}

static void tie(const ref_jet3 *x, const double *weight, int n, ref_jet *C)
{
    for (int k = 0; k < 3; k++) {
        C[k] = x[0].c[k];
        for (int i = 0; i < n; i++) {
            C[k] = jet_combine(1.0, C[k], -weight[i], x[i + 1].c[k]);
        }
    }
}
static void tie_edge(const ref_jet3 *x, const double *rest, ref_jet *C)
{
    tie(x, rest, 2, C);
}
static void tie_triangle(const ref_jet3 *x, const double *rest, ref_jet *C)
{
    tie(x, rest, 3, C);
}

/* The angle between the normals of the triangles (0, 3, 2) and (1, 2, 3), counted about the hinge
 * from 2 to 3. */
static void bend_dihedral(const ref_jet3 *x, const double *rest, ref_jet *C)
{
    const double pi = 3.14159265358979323846;
    const ref_jet3 e = jet3_sub(&x[3], &x[2]);
    const ref_jet3 a = jet3_sub(&x[3], &x[0]), b = jet3_sub(&x[2], &x[0]);
    const ref_jet3 c = jet3_sub(&x[2], &x[1]), d = jet3_sub(&x[3], &x[1]);
    const ref_jet3 m = jet3_cross(&a, &b), n = jet3_cross(&c, &d), mn = jet3_cross(&m, &n);
    const ref_jet length = jet_sqrt(jet3_dot(&e, &e));
    C[0] = jet_atan2(jet_div(jet3_dot(&mn, &e), length), jet3_dot(&m, &n));
    C[0].v = remainder(C[0].v - rest[0], 2.0 * pi);
}

/* c (1 - c0 / |c|) of c = sum of K_i x_i */
static void curvature(const ref_jet3 *x, const double *K, int n, double c0, ref_jet *C)
{
    ref_jet3 c;
    for (int k = 0; k < 3; k++) {
        c.c[k] = jet_constant(0.0);
        for (int i = 0; i < n; i++) {
            c.c[k] = jet_combine(1.0, c.c[k], K[i], x[i].c[k]);
        }
        C[k] = c.c[k];
    }
    if (c0 > 0.0) {
        const ref_jet length = jet_sqrt(jet3_dot(&c, &c));
        const ref_jet part = jet_shift(jet_scale(jet_div(jet_constant(c0), length), -1.0), 1.0);
        for (int k = 0; k < 3; k++) {
            C[k] = jet_mul(c.c[k], part);
        }
    }
}
static void bend_isometric(const ref_jet3 *x, const double *rest, ref_jet *C)
{
    const double K[4] = {-rest[0] - rest[1] - rest[2], rest[0], rest[1], rest[2]};
    curvature(x, K, 4, rest[3], C);
}
static void bend_angle(const ref_jet3 *x, const double *rest, ref_jet *C)
{
    const double K[3] = {1.0 / rest[0], -1.0 / rest[0] - 1.0 / rest[1], 1.0 / rest[1]};
    curvature(x, K, 3, rest[2], C);
}

static ref_jet triple(const ref_jet3 *a, const ref_jet3 *b, const ref_jet3 *c)
{
    const ref_jet3 bc = jet3_cross(b, c);
    return jet3_dot(a, &bc);
}

static void tet_volume(const ref_jet3 *x, const double *rest, ref_jet *C)
{
    const ref_jet3 a = jet3_sub(&x[1], &x[0]), b = jet3_sub(&x[2], &x[0]);
    const ref_jet3 c = jet3_sub(&x[3], &x[0]);
    C[0] = jet_shift(jet_scale(triple(&a, &b, &c), 1.0 / 6.0), -rest[0]);
}

static void mesh_volume(const ref_jet3 *x, const double *rest, ref_jet *C)
{
    (void)rest;
    C[0] = jet_scale(triple(&x[0], &x[1], &x[2]), 1.0 / 6.0);
}

/* Columns of F = D_s D_m^-1 of n edges in n dimensions; D_m's columns are the rest edges. Returns
 * det D_m. */
static double deformation(const ref_jet3 *x, const double *edge, int n, ref_jet3 *F)
{
    double inverse[3][3], determinant = 0.0;
    if (n == 2) {
        determinant = edge[0] * edge[3] - edge[1] * edge[2];
        inverse[0][0] = edge[3] / determinant, inverse[0][1] = -edge[2] / determinant;
        inverse[1][0] = -edge[1] / determinant, inverse[1][1] = edge[0] / determinant;
    } else {
        for (int i = 0; i < 3; i++) {
            const double *a = edge + 3 * ((i + 1) % 3), *b = edge + 3 * ((i + 2) % 3);
            for (int k = 0; k < 3; k++) {
                inverse[i][k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
            }
        }
        determinant = edge[0] * inverse[0][0] + edge[1] * inverse[0][1] + edge[2] * inverse[0][2];
        for (int k = 0; k < 9; k++) {
            inverse[k / 3][k % 3] /= determinant;
        }
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < 3; k++) {
            F[j].c[k] = jet_constant(0.0);
            for (int i = 0; i < n; i++) {
                F[j].c[k] =
                    jet_combine(1.0, F[j].c[k], inverse[i][j], jet_sub(x[i + 1].c[k], x[0].c[k]));
            }
        }
    }
    return determinant;
}

static void tri_fem(const ref_jet3 *x, const double *rest, ref_jet *C)
{
    ref_jet3 F[2];
    deformation(x, rest, 2, F);
    C[0] = jet_scale(jet_shift(jet3_dot(&F[0], &F[0]), -1.0), 0.5);
    C[1] = jet_scale(jet_shift(jet3_dot(&F[1], &F[1]), -1.0), 0.5);
    C[2] = jet3_dot(&F[0], &F[1]);
}

static void tet_stvk(const ref_jet3 *x, const double *rest, ref_jet *C)
{
    ref_jet3 F[3];
    deformation(x, rest, 3, F);
    for (int i = 0; i < 3; i++) {
        C[i] = jet_scale(jet_shift(jet3_dot(&F[i], &F[i]), -1.0), 0.5);
        C[i + 3] = jet3_dot(&F[(i + 1) % 3], &F[(i + 2) % 3]);
    }
}

/* The energy of [NEO21] itself, for mu = 1, less what it has at rest: rows for it can be chosen in
 * several ways, and the library's are not the paper's. */
static void tet_neo_hookean(const ref_jet3 *x, const double *rest, ref_jet *C)
{
    ref_jet3 F[3];
    const double volume = deformation(x, rest, 3, F) / 6.0, lambda = rest[9] + 1.0;
    ref_jet trace = jet3_dot(&F[0], &F[0]);
    trace = jet_add(jet_add(trace, jet3_dot(&F[1], &F[1])), jet3_dot(&F[2], &F[2]));
    const ref_jet J = triple(&F[0], &F[1], &F[2]), j = jet_shift(J, -1.0 - 1.0 / lambda);
    const ref_jet bulk = jet_scale(jet_mul(j, j), 0.5 * lambda);
    C[0] = jet_add(jet_scale(jet_shift(trace, -3.0), 0.5), jet_shift(bulk, -0.5 / lambda));
    C[0] = jet_scale(C[0], volume);
}

/* The goals are those of least sum of |C|^2 over all centres and rotations. With both as unknowns
 * of their own that is stationarity in them, and the gradient to a member is exactly 1. */
static void shape_match(const ref_jet3 *x, const double *rest, ref_jet *C)
{
    const ref_jet3 *center = &x[1], *turn = &x[2];
    const ref_jet part =
        jet_div(jet_constant(1.0), jet_shift(jet_scale(jet3_dot(turn, turn), 0.25), 1.0));
    ref_jet3 a;
    for (int k = 0; k < 3; k++) {
        const double *row = rest + 3 + 3 * k;
        a.c[k] = jet_constant(row[0] * rest[0] + row[1] * rest[1] + row[2] * rest[2]);
    }
    const ref_jet3 once = jet3_cross(turn, &a), twice = jet3_cross(turn, &once);
    for (int k = 0; k < 3; k++) {
        const ref_jet moved = jet_mul(part, jet_combine(1.0, once.c[k], 0.5, twice.c[k]));
        C[k] = jet_sub(jet_sub(x[0].c[k], center->c[k]), jet_add(a.c[k], moved));
    }
}

static void diagonal(int n_rows, double *matrix)
{
    memset(matrix, 0, (size_t)(n_rows * n_rows) * sizeof *matrix);
    for (int i = 0; i < n_rows; i++) {
        matrix[i * n_rows + i] = 1.0;
    }
}

/* Inverse of the plane stress matrix of an orthotropic membrane, over the area. */
static void membrane_compliance(const double *rest, double *matrix)
{
    const double area = 0.5 * (rest[0] * rest[3] - rest[1] * rest[2]);
    memset(matrix, 0, 9 * sizeof *matrix);
    matrix[0] = 1.0 / area;
    matrix[4] = 1.0 / (rest[4] * area);
    matrix[1] = matrix[3] = -rest[5] / area;
    matrix[8] = 1.0 / (rest[6] * area);
}

/* Hooke's law of an isotropic solid with E = 1, over the volume. */
static void solid_compliance(const double *rest, double *matrix)
{
    const double *a = rest, *b = rest + 3, *c = rest + 6, nu = rest[9];
    const double volume = (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                           a[2] * (b[0] * c[1] - b[1] * c[0])) /
                          6.0;
    memset(matrix, 0, 36 * sizeof *matrix);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            matrix[6 * i + j] = (i == j ? 1.0 : -nu) / volume;
        }
        matrix[6 * (i + 3) + i + 3] = 2.0 * (1.0 + nu) / volume;
    }
}

static const struct {
    formula_fn *of;
    int corners, rows, side;
    bool energy;
    void (*compliance)(const double *rest, double *matrix);
} formula[XPBD_CONSTRAINT_TYPE_COUNT] = {
    [XPBD_DISTANCE] = {distance, 2, 1, 0, false, NULL},
    [XPBD_ATTACH] = {attach, 1, 3, 0, false, NULL},
    [XPBD_ROPE] = {distance, 2, 1, -1, false, NULL},
    [XPBD_STRUT] = {distance, 2, 1, 1, false, NULL},
    [XPBD_TETHER] = {distance, 2, 1, -1, false, NULL},
    [XPBD_TIE_EDGE] = {tie_edge, 3, 3, 0, false, NULL},
    [XPBD_TIE_TRIANGLE] = {tie_triangle, 4, 3, 0, false, NULL},
    [XPBD_BEND_DIHEDRAL] = {bend_dihedral, 4, 1, 0, false, NULL},
    [XPBD_BEND_ISOMETRIC] = {bend_isometric, 4, 3, 0, false, NULL},
    [XPBD_BEND_ANGLE] = {bend_angle, 3, 3, 0, false, NULL},
    [XPBD_TET_VOLUME] = {tet_volume, 4, 1, 0, false, NULL},
    [XPBD_MESH_VOLUME] = {mesh_volume, 3, 1, 0, false, NULL},
    [XPBD_SHAPE_MATCH] = {shape_match, 3, 3, 0, false, NULL},
    [XPBD_TRI_FEM] = {tri_fem, 3, 3, 0, false, membrane_compliance},
    [XPBD_TET_NEO_HOOKEAN] = {tet_neo_hookean, 4, 1, 0, true, NULL},
    [XPBD_TET_STVK] = {tet_stvk, 4, 6, 0, false, solid_compliance},
};

bool ref_knows(xpbd_constraint_type type)
{
    return formula[type].of != NULL;
}

int ref_side(xpbd_constraint_type type)
{
    return formula[type].side;
}

bool ref_is_energy(xpbd_constraint_type type)
{
    return formula[type].energy;
}

void ref_evaluate(xpbd_constraint_type type, const double (*x)[3], const double *rest,
                  ref_rows *out)
{
    ref_jet3 p[REF_CORNERS];
    ref_jet C[REF_ROWS];
    out->n_rows = formula[type].rows;
    out->n_variables = 3 * formula[type].corners;
    for (int i = 0; i < out->n_variables; i++) {
        p[i / 3].c[i % 3] = jet_variable(x[i / 3][i % 3], i, out->n_variables);
    }
    formula[type].of(p, rest, C);
    for (int r = 0; r < out->n_rows; r++) {
        out->C[r] = C[r].v;
        for (int i = 0, k = 0; i < out->n_variables; i++) {
            out->gradient[r][i] = C[r].d[i];
            for (int j = 0; j <= i; j++, k++) {
                out->hessian[r][i][j] = out->hessian[r][j][i] = C[r].h[k];
            }
        }
    }
}

void ref_compliance(xpbd_constraint_type type, const double *rest, double *matrix)
{
    if (formula[type].compliance) {
        formula[type].compliance(rest, matrix);
    } else {
        diagonal(formula[type].rows, matrix);
    }
}
