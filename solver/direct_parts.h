/* SPDX-License-Identifier: MIT
 *
 * What the parts of direct.c share: a tree at work. What it is all about is said there.
 */
#ifndef XPBD_SOLVER_DIRECT_PARTS_H
#define XPBD_SOLVER_DIRECT_PARTS_H

#include "solver/direct.h"

/** Of every particle of a tree. */
typedef struct xpbd_tree_point {
    uint32_t slot; /* in the store */
    double w;
    double x[3], before[3]; /* now, and at the start of the substep */
    double u[3], u0[3];     /* moved by the tree in this substep, now and before the iteration */
    double B[3][3], d[3];   /* answer to a force, everything below eliminated */
    double B0[3][3], d0[3]; /* the same, before its own rows were */
    double K[3][3], r[3];   /* what B0 and d0 are made of */
    double f[3], dx[3];
    double g[3];
    double pull; /* sum of the |lambda grad C| that g is made of */
} xpbd_tree_point;

typedef struct xpbd_tree_row {
    double n[3], m[3]; /* gradients of parent and child */
    double alpha, gamma, k;
    double lambda, d_lambda;
    double h; /* C + alpha~ lambda, and with damping gamma grad C (x - x^n) */
    double q[3], Bq[3], y, s;
    bool live;
} xpbd_tree_row;

/** A link at work. */
typedef struct xpbd_tree_link {
    uint32_t slot;  /* in the stream of its type */
    uint32_t other; /* slot in the store of the corner that is no parent */
    uint32_t first_row, n_rows;
    double length;  /* between its particles; 0: it has one */
    double G[3][3]; /* sideways stiffness */
    bool stiff;     /* G is not 0 */
} xpbd_tree_link;

/** What a tree lacks to its solution. */
typedef struct xpbd_tree_lack {
    double merit; /* 1/2 g^T W g + 1/2 h^T D h */
    float h;      /* the largest |h| */
    bool rounding;
} xpbd_tree_lack;

static inline double tree_dot(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static inline void tree_read_point(const xpbd_store *store, float *array, uint32_t slot, double *x)
{
    for (uint32_t c = 0; c < 3; c++) {
        x[c] = (double)*xpbd_store_at(store, array, slot, c);
    }
}

/** w grad C grad C of a row, without compliance and damping. */
double xpbd_tree_weight(const xpbd_direct *direct, const xpbd_link *link, const xpbd_tree_row *row);
/** Measure C, its gradients and h of a link where its points are now. */
void xpbd_tree_measure_link(const xpbd_build *build, uint32_t k);
/** Measure all links of a tree, and g. */
xpbd_tree_lack xpbd_tree_measure(const xpbd_build *build, uint32_t tree);
/** Find the sideways stiffness of the links of a tree that is measured: for the multipliers as they
 *  are, or as the solve before would make them. */
void xpbd_tree_stiffen(const xpbd_direct *direct, uint32_t tree, bool as_they_are);
/** Solve for dx and d_lambda of a tree that is measured and stiffened. */
void xpbd_tree_solve(const xpbd_direct *direct, uint32_t tree);

#endif
