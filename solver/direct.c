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
#include "solver/direct.h"

#include <math.h>

/* What is left of a pivot after cancellation, as a part of what it was made of. */
#define LEAST_PIVOT 1e-10
/* This part of a coordinate or multiplier is rounding. */
#define ROUNDING 0x1p-23

/* Twelve are needed with a mass of 100,000 kg on links of 1 kg, six with 1,000 kg, mostly one. */
enum { MOST_STEPS = 16 };

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

static void read_point(const xpbd_store *store, float *array, uint32_t slot, double *x)
{
    for (uint32_t c = 0; c < 3; c++) {
        x[c] = (double)*xpbd_store_at(store, array, slot, c);
    }
}

static double dot(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void multiply(const double A[3][3], const double *b, double *out)
{
    for (uint32_t c = 0; c < 3; c++) {
        out[c] = dot(A[c], b);
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
            read_point(&build->store, build->store.position, at->other, x[corner]);
            read_point(&build->store, build->store.previous, at->other, before);
        }
        for (uint32_t c = 0; c < 3; c++) {
            x[corner][c] = pinned ? x[corner][c] : point->x[c];
            moved[corner][c] = x[corner][c] - (pinned ? before[c] : point->before[c]);
        }
    }
}

/* C and its gradients at the points as they are now, and h. */
static void measure_link(const xpbd_build *build, uint32_t k)
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
    at->length = n > 1 ? sqrt(dot(apart, apart)) : 0.0;
    for (uint32_t r = 0; r < at->n_rows; r++) {
        xpbd_tree_row *row = &direct->row[at->first_row + r];
        double stretched = 0.0; /* grad C (x - x^n) */
        row->live = regular && row->k > 0.0;
        for (uint32_t corner = 0; corner < n; corner++) {
            double *to = corner == link->corner ? row->n : row->m;
            for (uint32_t c = 0; c < 3; c++) {
                to[c] = gradient[r * n + corner][c];
            }
            stretched += dot(to, moved[corner]);
        }
        row->h = (C[r] + row->alpha * row->lambda) + row->gamma * stretched;
    }
}

/** What a tree lacks to its solution. */
typedef struct lack {
    double merit; /* 1/2 g^T W g + 1/2 h^T D h */
    float h;      /* the largest |h| */
    bool rounding;
} lack;

static void pull(xpbd_tree_point *point, const double *gradient, double lambda)
{
    for (uint32_t c = 0; c < 3; c++) {
        point->g[c] -= gradient[c] * lambda;
    }
    point->pull += sqrt(dot(gradient, gradient)) * fabs(lambda);
}

/* g of a tree's points from the gradients that its rows have. */
static void measure_points(const xpbd_direct *direct, uint32_t tree, double far, lack *found)
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
        const double square = dot(point->g, point->g);
        found->merit += 0.5 * point->w * square;
        found->rounding = found->rounding && square <= 3.0 * noise * noise;
    }
}

static double weight_of(const xpbd_direct *direct, const xpbd_link *link, const xpbd_tree_row *row)
{
    const double weight = direct->point[link->parent].w * dot(row->n, row->n);
    return link->child == XPBD_NO_POINT
               ? weight
               : weight + direct->point[link->child].w * dot(row->m, row->m);
}

static lack measure_tree(const xpbd_build *build, uint32_t tree)
{
    const xpbd_direct *direct = &build->direct;
    lack found = {.rounding = true};
    double far = 0.0;
    for (uint32_t i = direct->trees.first_point[tree]; i < direct->trees.first_point[tree + 1];
         i++) {
        for (uint32_t c = 0; c < 3; c++) {
            far = fmax(far, fabs(direct->point[i].x[c]));
        }
    }
    for (uint32_t k = direct->trees.first_link[tree]; k < direct->trees.first_link[tree + 1]; k++) {
        measure_link(build, k);
        const xpbd_tree_link *at = &direct->link[k];
        for (uint32_t r = at->first_row; r < at->first_row + at->n_rows; r++) {
            const xpbd_tree_row *row = &direct->row[r];
            const double h = row->live ? fabs(row->h) : 0.0;
            const double whole = weight_of(direct, &direct->trees.link[k], row) + row->alpha;
            found.h = (double)found.h >= h || isnan(found.h) ? found.h : (float)h;
            found.merit += whole > 0.0 ? 0.5 * h * h / whole : 0.0;
            found.rounding =
                found.rounding && h <= ROUNDING * (far + fabs(row->alpha * row->lambda));
        }
    }
    measure_points(direct, tree, far, &found);
    return found;
}

static void load_points(const xpbd_build *build, uint32_t tree, bool first)
{
    const xpbd_direct *direct = &build->direct;
    const xpbd_store *store = &build->store;
    for (uint32_t i = direct->trees.first_point[tree]; i < direct->trees.first_point[tree + 1];
         i++) {
        xpbd_tree_point *point = &direct->point[i];
        point->w = (double)store->inverse_mass[point->slot];
        read_point(store, store->position, point->slot, point->x);
        read_point(store, store->previous, point->slot, point->before);
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

/* Stiffness sideways of the links, for the multipliers as they are, or as the solve before would
 * make them. C of a row between two particles depends on their distance alone: only that does not
 * change with a rotation. */
static void stiffen(const xpbd_direct *direct, uint32_t tree, bool as_they_are)
{
    for (uint32_t k = direct->trees.first_link[tree]; k < direct->trees.first_link[tree + 1]; k++) {
        xpbd_tree_link *at = &direct->link[k];
        const xpbd_tree_row *row = &direct->row[at->first_row];
        const double lambda = row->lambda + (as_they_are ? 0.0 : row->d_lambda);
        const double slope = sqrt(dot(row->n, row->n));
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
            parent->K[c][e] -= dot(at->G[c], column_e);
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
    const double whole = row->s + weight_of(direct, link, row);
    for (uint32_t c = 0; c < 3; c++) {
        row->q[c] = row->n[c];
    }
    if (link->child != XPBD_NO_POINT) {
        const xpbd_tree_point *child = &direct->point[link->child];
        multiply(child->B, row->m, Bm);
        row->s += dot(row->m, Bm);
        row->y -= dot(row->m, child->d);
        if (at->stiff) {
            multiply(at->G, Bm, GBm);
            for (uint32_t c = 0; c < 3; c++) {
                row->q[c] += GBm[c];
            }
        }
    }
    multiply(parent->B, row->q, row->Bq);
    row->s += dot(row->q, row->Bq);
    row->y -= dot(row->q, parent->d);
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
                row->d_lambda = row->live ? (row->y - dot(row->Bq, point->f)) / row->s : 0.0;
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
                child->f[c] += dot(at->G[c], point->dx);
            }
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
        measure_link(build, k);
        for (uint32_t r = at->first_row; r < at->first_row + at->n_rows; r++) {
            xpbd_tree_row *row = &direct->row[r];
            const double whole = (1.0 + row->gamma) * weight_of(direct, link, row) + row->alpha;
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
            stiffen(direct, tree, solve == 0 || step > 0 || !first);
            begin_points(direct, tree);
            eliminate(direct, tree);
            substitute(direct, tree);
        }
        move_tree(direct, tree);
        now = measure_tree(build, tree).merit;
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
        const lack before = measure_tree(build, tree);
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
