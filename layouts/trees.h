/* SPDX-License-Identifier: MIT
 *
 * Chains and trees: which constraints can be solved at once, by elimination from the leaves to the
 * root and back, in time and memory proportional to their number ([DEUL18]).
 *
 *     links    c0 c1 c2 c3 c4          constraints, from the root to the leaves
 *     points   p0 p1 p2 p3 p4          particles that can move, each where its first link is
 *
 *                  root p0 --c0-- p1 --c1-- p2 --c3-- [pinned]
 *                                  \--c2-- p3
 *
 * A link has a parent, and a child that hangs on it: none where its other particle is pinned or
 * where it has but one. Pinned particles join nothing, so that two ropes on one nail are two trees.
 * A constraint that closes a cycle is left to Gauss-Seidel. Where there are many, as in a cloth,
 * one tree among them is worth nothing and its order would be a sequence: then none is taken.
 */
#ifndef XPBD_LAYOUTS_TREES_H
#define XPBD_LAYOUTS_TREES_H

#include "layouts/partition.h"

#define XPBD_NO_POINT UINT32_MAX

typedef struct xpbd_link {
    uint32_t type, index;
    uint32_t parent, child; /* points; child XPBD_NO_POINT: none */
    uint32_t corner;        /* of the constraint, that is the parent */
} xpbd_link;

typedef struct xpbd_trees {
    uint32_t n;
    uint32_t *first_link;  /* [n + 1] */
    uint32_t *first_point; /* [n + 1] */
    xpbd_link *link;       /* parents before children */
    uint32_t *particle;    /* [points] the caller's index */
} xpbd_trees;

/** Find the trees that constraints of types with tuples->trees make, those that come first in
 *  `walk` joined first. Of one constraint alone none is made: Gauss-Seidel is exact there.
 *  movable  in   [n_particles] 0: pinned
 *  left     out  [xpbd_tuples_count()] the steps of `walk` that are in no tree, in its order
 *  n_left   out
 *  Returns       false without memory */
bool xpbd_trees_find(const xpbd_tuples *tuples, const xpbd_walk_step *walk, const uint8_t *movable,
                     xpbd_trees *trees, xpbd_walk_step *left, uint32_t *n_left, xpbd_arena *arena,
                     xpbd_arena *scratch);

/** Greedy colours of the constraints that are in no tree; behind them one stage with a bin per type
 *  of those that are, which have lanes there but no kernel (bins->n_idle). `walk` by rank or not.
 */
bool xpbd_partition_trees(const xpbd_tuples *tuples, const xpbd_walk_step *walk,
                          const uint32_t *rank, const uint8_t *movable, xpbd_trees *trees,
                          xpbd_bins *bins, xpbd_arena *arena, xpbd_arena *scratch);

#endif
