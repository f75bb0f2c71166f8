/* SPDX-License-Identifier: MIT
 *
 * Newton's method on a whole tree at once ([XPBD16] eq. 11, [DEUL18] for the tree): with u what the
 * tree has moved its particles by since the substep began, and J = grad C where they are now,
 *
 *     K dx - J^T d_lambda     = -(M u - J^T lambda)      g of eq. 8, the tree's part of it
 *     J dx + alpha~ d_lambda  = -(C + alpha~ lambda)     h
 *
 * K = M + the second derivatives of C times -lambda where they are positive: a link under tension
 * holds its particles sideways, with |lambda| / length ([TOURNIER15]). [XPBD16] sec. 4 leaves them
 * out and takes g for 0; links that are short for their tension then swing further out in every
 * iteration. For the first iteration lambda is found without them, then the step with them.
 *
 * Elimination from the leaves to the root and back needs no matrix but those [3][3] of a particle.
 * Once all below it is eliminated, a particle gives way to a force f as dx = d + B f. A row with
 * gradient n at its parent, m at its child, and the sideways stiffness G between them finds
 *
 *     q = n + G B_child m,   pivot s = alpha~ + m . B_child m + q . B q     (D of L D L^T)
 *     residual y = -h - m . d_child - q . d
 *     then     d += B q y / s,   B -= B q (B q)^T / s
 *
 * and on the way back, with f what was eliminated later, d_lambda = (y - B q . f) / s. Nothing is
 * divided by a compliance or an inverse mass: alpha 0 and any ratio of masses will do.
 *
 *     paper    alpha~ = alpha / dt^2    gamma
 *     here     alpha                    gamma    rows of eq. 26 are divided by 1 + gamma
 *
 * A step makes the merit, g and h in units of energy, a small part of what it was, mostly. Where it
 * does not, as for a straight rope with a heavy end that is let go, more steps follow at once: the
 * way leads over states that are far worse (a line search would never get there), and a few steps
 * later it is down. If it is not, the substep goes on with sweeps of Gauss-Seidel over the tree.
 *
 * Left out, as the kernels do: rows that are off (stiffness 0) or without a gradient, and those
 * whose pivot is lost in rounding: others hold their particles already. A tree whose g and h are
 * rounding of its coordinates and multipliers stays as it is.
 */
#include "solver/direct_parts.h"

#include <math.h>

/* Twelve are needed with a mass of 100,000 kg on links of 1 kg, six with 1,000 kg, mostly one. */
enum { MOST_STEPS = 16 };

bool xpbd_direct_takes(xpbd_constraint_type type)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of(type);
    return !info->variable && !ops->compliance && ops->side == 0 &&
           (info->n_particles == 1 || (info->n_particles == 2 && info->n_rows == 1));
}

bool xpbd_direct_turns(const xpbd_world *world, uint32_t particle, float inverse_mass)
{
    const float before = ((const float *)world->model.inverse_mass.data)[particle];
    return world->scheduler->partition == XPBD_PARTITION_TREES &&
           (before > 0.0f) != (inverse_mass > 0.0f);
}

uint8_t *xpbd_direct_movable(const xpbd_world *world, xpbd_arena *arena)
{
    const float *w = world->model.inverse_mass.data;
    uint8_t *movable = xpbd_arena_alloc(arena, world->model.n_particles, 1);
    for (uint32_t i = 0; movable && i < world->model.n_particles; i++) {
        movable[i] = w[i] > 0.0f;
    }
    return movable;
}

bool xpbd_direct_init(xpbd_world *world)
{
    xpbd_build *build = &world->build;
    xpbd_direct *direct = &build->direct;
    const xpbd_trees *trees = &direct->trees;
    const xpbd_tuples tuples = xpbd_world_tuples(world);
    const uint32_t n_links = trees->n ? trees->first_link[trees->n] : 0;
    const uint32_t n_points = trees->n ? trees->first_point[trees->n] : 0;
    uint32_t n_rows = 0;
    direct->model = &world->model;
    direct->link = xpbd_arena_alloc(&build->arena, n_links, sizeof *direct->link);
    direct->point = xpbd_arena_zero(&build->arena, n_points, sizeof *direct->point);
    direct->residual = xpbd_arena_zero(&build->arena, trees->n, sizeof(float));
    direct->lost = xpbd_arena_zero(&build->arena, trees->n, sizeof(bool));
    if (build->arena.failed) {
        return false;
    }
    for (uint32_t i = 0; i < n_points; i++) {
        direct->point[i].slot = build->rank[trees->particle[i]];
    }
    for (uint32_t k = 0; k < n_links; k++) {
        const xpbd_link *link = &trees->link[k];
        const uint32_t rows = xpbd_constraint_type_info((xpbd_constraint_type)link->type)->n_rows;
        uint32_t n;
        const uint32_t *p = xpbd_tuples_at(&tuples, link->type, link->index, &n);
        direct->link[k] =
            (xpbd_tree_link){.slot = build->packing.slot[tuples.first[link->type] + link->index],
                             .other = n > 1 ? build->rank[p[1 - link->corner]] : 0,
                             .first_row = n_rows,
                             .n_rows = rows};
        n_rows += rows;
    }
    direct->row = xpbd_arena_zero(&build->arena, n_rows, sizeof *direct->row);
    return !build->arena.failed;
}

uint32_t xpbd_direct_slot(const xpbd_build *build, uint32_t link)
{
    return build->direct.link[link].slot;
}

uint32_t xpbd_direct_weight(const xpbd_build *build, uint32_t tree)
{
    /* A link takes about as long as four lane groups. */
    const uint32_t *first = build->direct.trees.first_link;
    return 4 * (first[tree + 1] - first[tree]);
}

static void load_points(const xpbd_build *build, uint32_t tree, bool first)
{
    const xpbd_direct *direct = &build->direct;
    const xpbd_store *store = &build->store;
    for (uint32_t i = direct->trees.first_point[tree]; i < direct->trees.first_point[tree + 1];
         i++) {
        xpbd_tree_point *point = &direct->point[i];
        point->w = (double)store->inverse_mass[point->slot];
        tree_read_point(store, store->position, point->slot, point->x);
        tree_read_point(store, store->previous, point->slot, point->before);
        for (uint32_t c = 0; c < 3; c++) {
            point->u0[c] = first ? 0.0 : point->u0[c];
            point->u[c] = point->u0[c];
        }
    }
}

static void load_rows(const xpbd_build *build, uint32_t tree, bool first)
{
    const xpbd_direct *direct = &build->direct;
    const xpbd_pass *pass = &build->pass;
    for (uint32_t k = direct->trees.first_link[tree]; k < direct->trees.first_link[tree + 1]; k++) {
        const xpbd_tree_link *at = &direct->link[k];
        const xpbd_stream *stream = &build->streams[direct->trees.link[k].type];
        const uint32_t slot = at->slot;
        for (uint32_t r = 0; r < at->n_rows; r++) {
            xpbd_tree_row *row = &direct->row[at->first_row + r];
            row->alpha = (double)stream->compliance[slot] * (double)pass->inverse_dt2;
            row->gamma =
                stream->damping ? (double)stream->damping[slot] * (double)pass->inverse_dt : 0.0;
            row->k = stream->stiffness ? (double)stream->stiffness[slot] : 1.0;
            row->lambda = first || !(row->k > 0.0) ? 0.0 : (double)stream->lambda[r][slot];
            row->d_lambda = 0.0;
        }
    }
}

static void move_tree(const xpbd_direct *direct, uint32_t tree)
{
    for (uint32_t i = direct->trees.first_point[tree]; i < direct->trees.first_point[tree + 1];
         i++) {
        xpbd_tree_point *point = &direct->point[i];
        for (uint32_t c = 0; c < 3; c++) {
            point->x[c] += point->dx[c];
            point->u[c] += point->dx[c];
        }
    }
    for (uint32_t k = direct->trees.first_link[tree]; k < direct->trees.first_link[tree + 1]; k++) {
        const xpbd_tree_link *at = &direct->link[k];
        for (uint32_t r = at->first_row; r < at->first_row + at->n_rows; r++) {
            direct->row[r].lambda += direct->row[r].d_lambda;
        }
    }
}

/* One link after the other, from the root on. */
static void sweep_tree(const xpbd_build *build, uint32_t tree)
{
    const xpbd_direct *direct = &build->direct;
    for (uint32_t k = direct->trees.first_link[tree]; k < direct->trees.first_link[tree + 1]; k++) {
        const xpbd_link *link = &direct->trees.link[k];
        const xpbd_tree_link *at = &direct->link[k];
        xpbd_tree_point *parent = &direct->point[link->parent];
        xpbd_tree_point *child = link->child != XPBD_NO_POINT ? &direct->point[link->child] : NULL;
        xpbd_tree_measure_link(build, k);
        for (uint32_t r = at->first_row; r < at->first_row + at->n_rows; r++) {
            xpbd_tree_row *row = &direct->row[r];
            const double whole =
                (1.0 + row->gamma) * xpbd_tree_weight(direct, link, row) + row->alpha;
            const double d_lambda = row->live && whole > 0.0 ? -row->k * row->h / whole : 0.0;
            row->lambda += d_lambda;
            for (uint32_t c = 0; c < 3; c++) {
                parent->x[c] += parent->w * row->n[c] * d_lambda;
                parent->u[c] += parent->w * row->n[c] * d_lambda;
                if (child) {
                    child->x[c] += child->w * row->m[c] * d_lambda;
                    child->u[c] += child->w * row->m[c] * d_lambda;
                }
            }
        }
    }
}

static void store_tree(const xpbd_build *build, uint32_t tree)
{
    const xpbd_direct *direct = &build->direct;
    const xpbd_store *store = &build->store;
    for (uint32_t i = direct->trees.first_point[tree]; i < direct->trees.first_point[tree + 1];
         i++) {
        xpbd_tree_point *point = &direct->point[i];
        for (uint32_t c = 0; c < 3; c++) {
            float *x = xpbd_store_at(store, store->position, point->slot, c);
            const float moved = (float)point->x[c];
            point->u0[c] += (double)moved - (double)*x; /* what is left of it after rounding */
            *x = moved;
        }
    }
    for (uint32_t k = direct->trees.first_link[tree]; k < direct->trees.first_link[tree + 1]; k++) {
        const xpbd_tree_link *at = &direct->link[k];
        const xpbd_stream *stream = &build->streams[direct->trees.link[k].type];
        for (uint32_t r = 0; r < at->n_rows; r++) {
            stream->lambda[r][at->slot] = (float)direct->row[at->first_row + r].lambda;
        }
    }
}

/* Newton's method until the merit is a quarter of what it was; false: it does not get there. */
static bool descend(const xpbd_build *build, uint32_t tree, bool first, double merit)
{
    const xpbd_direct *direct = &build->direct;
    double now = merit;
    for (int step = 0; step < MOST_STEPS && now < INFINITY; step++) {
        for (int solve = first && step == 0 ? 0 : 1; solve < 2; solve++) {
            xpbd_tree_stiffen(direct, tree, solve == 0 || step > 0 || !first);
            xpbd_tree_solve(direct, tree);
        }
        move_tree(direct, tree);
        now = xpbd_tree_measure(build, tree).merit;
        if (now <= 0.25 * merit) {
            return true;
        }
    }
    return false;
}

void xpbd_direct_solve(const xpbd_build *build, uint32_t begin, uint32_t end, bool first)
{
    for (uint32_t tree = begin; tree < end; tree++) {
        bool *lost = &build->direct.lost[tree];
        load_points(build, tree, first);
        load_rows(build, tree, first);
        const xpbd_tree_lack before = xpbd_tree_measure(build, tree);
        build->direct.residual[tree] = before.h;
        *lost = *lost && !first;
        if (!before.rounding && !*lost) {
            *lost = !descend(build, tree, first, before.merit);
            if (*lost) {
                load_points(build, tree, first);
                load_rows(build, tree, first);
            }
        }
        if (!before.rounding && *lost) {
            sweep_tree(build, tree);
        }
        store_tree(build, tree);
    }
}
