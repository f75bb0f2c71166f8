/* SPDX-License-Identifier: MIT
 *
 * The linear system of a tree: from the leaves to the root and back. The formulas are in direct.c.
 */
#include "solver/direct_parts.h"

#include <math.h>

/* What is left of a pivot after cancellation, as a part of what it was made of. */
#define LEAST_PIVOT 1e-10

static void multiply(const double A[3][3], const double *b, double *out)
{
    for (uint32_t c = 0; c < 3; c++) {
        out[c] = tree_dot(A[c], b);
    }
}

/* Of a symmetric positive definite A, by L D L^T. */
static void invert(const double A[3][3], double inverse[3][3])
{
    const double l10 = A[1][0] / A[0][0], l20 = A[2][0] / A[0][0];
    const double d1 = A[1][1] - l10 * A[1][0];
    const double a21 = A[2][1] - l20 * A[1][0], l21 = a21 / d1;
    const double d2 = (A[2][2] - l20 * A[2][0]) - l21 * a21;
    for (uint32_t c = 0; c < 3; c++) {
        const double y0 = c == 0 ? 1.0 : 0.0;
        const double y1 = (c == 1 ? 1.0 : 0.0) - l10 * y0;
        const double y2 = ((c == 2 ? 1.0 : 0.0) - l20 * y0) - l21 * y1;
        inverse[2][c] = y2 / d2;
        inverse[1][c] = y1 / d1 - l21 * inverse[2][c];
        inverse[0][c] = (y0 / A[0][0] - l10 * inverse[1][c]) - l20 * inverse[2][c];
    }
}

/* Stiffness sideways of the links, for the multipliers as they are, or as the solve before would
 * make them. C of a row between two particles depends on their distance alone: only that does not
 * change with a rotation. */
void xpbd_tree_stiffen(const xpbd_direct *direct, uint32_t tree, bool as_they_are)
{
    for (uint32_t k = direct->trees.first_link[tree]; k < direct->trees.first_link[tree + 1]; k++) {
        xpbd_tree_link *at = &direct->link[k];
        const xpbd_tree_row *row = &direct->row[at->first_row];
        const double lambda = row->lambda + (as_they_are ? 0.0 : row->d_lambda);
        const double slope = sqrt(tree_dot(row->n, row->n));
        at->stiff = row->live && at->length > 0.0 && lambda < 0.0 && slope > 0.0;
        for (uint32_t c = 0; c < 3 && at->stiff; c++) {
            for (uint32_t e = 0; e < 3; e++) {
                const double along = row->n[c] / slope * (row->n[e] / slope);
                at->G[c][e] = -lambda * slope / at->length * ((c == e ? 1.0 : 0.0) - along);
            }
        }
    }
}

static void begin_points(const xpbd_direct *direct, uint32_t tree)
{
    for (uint32_t i = direct->trees.first_point[tree]; i < direct->trees.first_point[tree + 1];
         i++) {
        xpbd_tree_point *point = &direct->point[i];
        for (uint32_t c = 0; c < 3; c++) {
            point->r[c] = -point->g[c];
            point->f[c] = 0.0;
            for (uint32_t e = 0; e < 3; e++) {
                point->K[c][e] = c == e ? 1.0 / point->w : 0.0;
            }
        }
    }
    for (uint32_t k = direct->trees.first_link[tree]; k < direct->trees.first_link[tree + 1]; k++) {
        const xpbd_link *link = &direct->trees.link[k];
        const xpbd_tree_link *at = &direct->link[k];
        for (uint32_t c = 0; c < 9 && at->stiff; c++) {
            direct->point[link->parent].K[c / 3][c % 3] += at->G[c / 3][c % 3];
            if (link->child != XPBD_NO_POINT) {
                direct->point[link->child].K[c / 3][c % 3] += at->G[c / 3][c % 3];
            }
        }
    }
}

/* What a child's being held sideways means for its parent: K -= G B G, r += G d. */
static void pass_stiffness(const xpbd_tree_link *at, const xpbd_tree_point *child,
                           xpbd_tree_point *parent)
{
    double Gd[3], BG[3][3], column[3], out[3];
    multiply(at->G, child->d, Gd);
    for (uint32_t c = 0; c < 3; c++) {
        parent->r[c] += Gd[c];
        for (uint32_t e = 0; e < 3; e++) {
            column[e] = at->G[e][c];
        }
        multiply(child->B, column, out);
        for (uint32_t e = 0; e < 3; e++) {
            BG[e][c] = out[e];
        }
    }
    for (uint32_t c = 0; c < 3; c++) {
        for (uint32_t e = 0; e < 3; e++) {
            const double column_e[3] = {BG[0][e], BG[1][e], BG[2][e]};
            parent->K[c][e] -= tree_dot(at->G[c], column_e);
        }
    }
}

static void eliminate_row(const xpbd_direct *direct, const xpbd_link *link,
                          const xpbd_tree_link *at, xpbd_tree_row *row)
{
    xpbd_tree_point *parent = &direct->point[link->parent];
    const double damped = 1.0 + row->gamma;
    double Bm[3], GBm[3];
    row->s = row->alpha / damped;
    row->y = -row->k * row->h / damped;
    const double whole = row->s + xpbd_tree_weight(direct, link, row);
    for (uint32_t c = 0; c < 3; c++) {
        row->q[c] = row->n[c];
    }
    if (link->child != XPBD_NO_POINT) {
        const xpbd_tree_point *child = &direct->point[link->child];
        multiply(child->B, row->m, Bm);
        row->s += tree_dot(row->m, Bm);
        row->y -= tree_dot(row->m, child->d);
        if (at->stiff) {
            multiply(at->G, Bm, GBm);
            for (uint32_t c = 0; c < 3; c++) {
                row->q[c] += GBm[c];
            }
        }
    }
    multiply(parent->B, row->q, row->Bq);
    row->s += tree_dot(row->q, row->Bq);
    row->y -= tree_dot(row->q, parent->d);
    row->live = row->s > LEAST_PIVOT * whole;
    for (uint32_t c = 0; c < 3 && row->live; c++) {
        parent->d[c] += row->Bq[c] * (row->y / row->s);
        for (uint32_t e = 0; e < 3; e++) {
            parent->B[c][e] -= row->Bq[c] * row->Bq[e] / row->s;
        }
    }
}

/* Links of a point are side by side, and those of its children behind them. */
static void eliminate(const xpbd_direct *direct, uint32_t tree)
{
    const xpbd_link *links = direct->trees.link;
    uint32_t k = direct->trees.first_link[tree + 1];
    for (uint32_t i = direct->trees.first_point[tree + 1]; i-- > direct->trees.first_point[tree];) {
        xpbd_tree_point *point = &direct->point[i];
        const uint32_t end = k;
        for (; k > direct->trees.first_link[tree] && links[k - 1].parent == i; k--) {
            if (links[k - 1].child != XPBD_NO_POINT && direct->link[k - 1].stiff) {
                pass_stiffness(&direct->link[k - 1], &direct->point[links[k - 1].child], point);
            }
        }
        invert((const double(*)[3])point->K, point->B);
        multiply((const double(*)[3])point->B, point->r, point->d);
        for (uint32_t c = 0; c < 3; c++) {
            point->d0[c] = point->d[c];
            for (uint32_t e = 0; e < 3; e++) {
                point->B0[c][e] = point->B[c][e];
            }
        }
        for (uint32_t l = end; l-- > k;) {
            const xpbd_tree_link *at = &direct->link[l];
            for (uint32_t r = at->first_row + at->n_rows; r-- > at->first_row;) {
                if (direct->row[r].live) {
                    eliminate_row(direct, &links[l], at, &direct->row[r]);
                }
            }
        }
    }
}

/* A point's rows from its own force, then its children's forces. */
static void substitute(const xpbd_direct *direct, uint32_t tree)
{
    const xpbd_link *links = direct->trees.link;
    uint32_t k = direct->trees.first_link[tree];
    for (uint32_t i = direct->trees.first_point[tree]; i < direct->trees.first_point[tree + 1];
         i++) {
        xpbd_tree_point *point = &direct->point[i];
        const uint32_t begin = k, last = direct->trees.first_link[tree + 1];
        for (; k < last && links[k].parent == i; k++) {
            const xpbd_tree_link *at = &direct->link[k];
            for (uint32_t r = at->first_row; r < at->first_row + at->n_rows; r++) {
                xpbd_tree_row *row = &direct->row[r];
                row->d_lambda = row->live ? (row->y - tree_dot(row->Bq, point->f)) / row->s : 0.0;
                for (uint32_t c = 0; c < 3 && row->live; c++) {
                    point->f[c] += row->q[c] * row->d_lambda;
                }
            }
        }
        multiply((const double(*)[3])point->B0, point->f, point->dx);
        for (uint32_t c = 0; c < 3; c++) {
            point->dx[c] += point->d0[c];
        }
        for (uint32_t l = begin; l < k; l++) {
            const xpbd_tree_link *at = &direct->link[l];
            xpbd_tree_point *child =
                links[l].child != XPBD_NO_POINT ? &direct->point[links[l].child] : NULL;
            for (uint32_t r = at->first_row; child && r < at->first_row + at->n_rows; r++) {
                for (uint32_t c = 0; c < 3; c++) {
                    child->f[c] += direct->row[r].m[c] * direct->row[r].d_lambda;
                }
            }
            for (uint32_t c = 0; child && at->stiff && c < 3; c++) {
                child->f[c] += tree_dot(at->G[c], point->dx);
            }
        }
    }
}

void xpbd_tree_solve(const xpbd_direct *direct, uint32_t tree)
{
    begin_points(direct, tree);
    eliminate(direct, tree);
    substitute(direct, tree);
}
