/* SPDX-License-Identifier: MIT
 *
 * What a tree lacks to its solution: g and h, see direct.c.
 */
#include "solver/direct_parts.h"

#include <math.h>

/* This part of a coordinate or multiplier is rounding. */
#define ROUNDING 0x1p-23

/* The particles of a link where they are now: the ends, and how they have moved in the substep. */
static void read_link(const xpbd_build *build, uint32_t k, double (*x)[3], double (*moved)[3])
{
    const xpbd_direct *direct = &build->direct;
    const xpbd_link *link = &direct->trees.link[k];
    const xpbd_tree_link *at = &direct->link[k];
    const uint32_t n = xpbd_constraint_type_info((xpbd_constraint_type)link->type)->n_particles;
    for (uint32_t corner = 0; corner < n; corner++) {
        const bool mine = corner == link->corner, pinned = !mine && link->child == XPBD_NO_POINT;
        const xpbd_tree_point *point = &direct->point[mine || pinned ? link->parent : link->child];
        double before[3] = {0.0, 0.0, 0.0};
        if (pinned) {
            tree_read_point(&build->store, build->store.position, at->other, x[corner]);
            tree_read_point(&build->store, build->store.previous, at->other, before);
        }
        for (uint32_t c = 0; c < 3; c++) {
            x[corner][c] = pinned ? x[corner][c] : point->x[c];
            moved[corner][c] = x[corner][c] - (pinned ? before[c] : point->before[c]);
        }
    }
}

/* C and its gradients at the points as they are now, and h. */
void xpbd_tree_measure_link(const xpbd_build *build, uint32_t k)
{
    const xpbd_direct *direct = &build->direct;
    const xpbd_link *link = &direct->trees.link[k];
    xpbd_tree_link *at = &direct->link[k];
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)link->type);
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of((xpbd_constraint_type)link->type);
    const uint32_t n = info->n_particles;
    const float *rest = direct->model->sets[link->type].rest.data;
    double x[2][3] = {{0}}, moved[2][3], C[XPBD_ROWS_MAX], gradient[2 * XPBD_ROWS_MAX][3];
    read_link(build, k, x, moved);
    const bool regular =
        ops->measure((const double(*)[3])x, rest + (size_t)link->index * info->n_rest, C, gradient);
    const double apart[3] = {x[0][0] - x[1][0], x[0][1] - x[1][1], x[0][2] - x[1][2]};
    at->length = n > 1 ? sqrt(tree_dot(apart, apart)) : 0.0;
    for (uint32_t r = 0; r < at->n_rows; r++) {
        xpbd_tree_row *row = &direct->row[at->first_row + r];
        double stretched = 0.0; /* grad C (x - x^n) */
        row->live = regular && row->k > 0.0;
        for (uint32_t corner = 0; corner < n; corner++) {
            double *to = corner == link->corner ? row->n : row->m;
            for (uint32_t c = 0; c < 3; c++) {
                to[c] = gradient[r * n + corner][c];
            }
            stretched += tree_dot(to, moved[corner]);
        }
        row->h = (C[r] + row->alpha * row->lambda) + row->gamma * stretched;
    }
}

static void pull(xpbd_tree_point *point, const double *gradient, double lambda)
{
    for (uint32_t c = 0; c < 3; c++) {
        point->g[c] -= gradient[c] * lambda;
    }
    point->pull += sqrt(tree_dot(gradient, gradient)) * fabs(lambda);
}

/* g of a tree's points from the gradients that its rows have. */
static void measure_points(const xpbd_direct *direct, uint32_t tree, double far,
                           xpbd_tree_lack *found)
{
    for (uint32_t i = direct->trees.first_point[tree]; i < direct->trees.first_point[tree + 1];
         i++) {
        xpbd_tree_point *point = &direct->point[i];
        for (uint32_t c = 0; c < 3; c++) {
            point->g[c] = point->u[c] / point->w;
        }
        point->pull = 0.0;
    }
    for (uint32_t k = direct->trees.first_link[tree]; k < direct->trees.first_link[tree + 1]; k++) {
        const xpbd_link *link = &direct->trees.link[k];
        const xpbd_tree_link *at = &direct->link[k];
        for (uint32_t r = at->first_row; r < at->first_row + at->n_rows; r++) {
            pull(&direct->point[link->parent], direct->row[r].n, direct->row[r].lambda);
            if (link->child != XPBD_NO_POINT) {
                pull(&direct->point[link->child], direct->row[r].m, direct->row[r].lambda);
            }
        }
    }
    for (uint32_t i = direct->trees.first_point[tree]; i < direct->trees.first_point[tree + 1];
         i++) {
        const xpbd_tree_point *point = &direct->point[i];
        const double noise = ROUNDING * (far / point->w + point->pull);
        const double square = tree_dot(point->g, point->g);
        found->merit += 0.5 * point->w * square;
        found->rounding = found->rounding && square <= 3.0 * noise * noise;
    }
}

double xpbd_tree_weight(const xpbd_direct *direct, const xpbd_link *link, const xpbd_tree_row *row)
{
    const double weight = direct->point[link->parent].w * tree_dot(row->n, row->n);
    return link->child == XPBD_NO_POINT
               ? weight
               : weight + direct->point[link->child].w * tree_dot(row->m, row->m);
}

xpbd_tree_lack xpbd_tree_measure(const xpbd_build *build, uint32_t tree)
{
    const xpbd_direct *direct = &build->direct;
    xpbd_tree_lack found = {.rounding = true};
    double far = 0.0;
    for (uint32_t i = direct->trees.first_point[tree]; i < direct->trees.first_point[tree + 1];
         i++) {
        for (uint32_t c = 0; c < 3; c++) {
            far = fmax(far, fabs(direct->point[i].x[c]));
        }
    }
    for (uint32_t k = direct->trees.first_link[tree]; k < direct->trees.first_link[tree + 1]; k++) {
        xpbd_tree_measure_link(build, k);
        const xpbd_tree_link *at = &direct->link[k];
        for (uint32_t r = at->first_row; r < at->first_row + at->n_rows; r++) {
            const xpbd_tree_row *row = &direct->row[r];
            const double h = row->live ? fabs(row->h) : 0.0;
            const double whole = xpbd_tree_weight(direct, &direct->trees.link[k], row) + row->alpha;
            found.h = (double)found.h >= h || isnan(found.h) ? found.h : (float)h;
            found.merit += whole > 0.0 ? 0.5 * h * h / whole : 0.0;
            found.rounding =
                found.rounding && h <= ROUNDING * (far + fabs(row->alpha * row->lambda));
        }
    }
    measure_points(direct, tree, far, &found);
    return found;
}
