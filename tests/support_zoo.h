/* SPDX-License-Identifier: MIT
 *
 * A world with constraints of every type that share their particles, with and without damping,
 * stiffness and breaking, and what the tests of editing, snapshots and records do to it.
 */
#ifndef XPBD_TESTS_SUPPORT_ZOO_H
#define XPBD_TESTS_SUPPORT_ZOO_H

#include "support.h"

enum { ZOO_PARTICLES = 56, ZOO_BODIES = ZOO_PARTICLES - 3 };

/** Constraint i of every type joins particles i ... i + 3, or the first of them. Left out, and with
 *  them their indices: constraints of which `without` says so, [type * ZOO_BODIES + i]; null: none.
 *  rich: with damping, stiffness, breaking and what is switched off. */
xpbd_world *kit_zoo(const xpbd_world_def *def, bool rich, const bool *without);
/** A third of all constraints, at random: [type * ZOO_BODIES + i]. Free it. */
bool *kit_zoo_third(uint64_t seed);
/** Remove those marked. */
void kit_zoo_remove(xpbd_world *world, const bool *marked);
/** Fail unless all that can be read of two worlds is the same, and finite. */
void kit_same_worlds(const xpbd_world *got, const xpbd_world *want, const char *what);

#endif
