/* SPDX-License-Identifier: MIT
 *
 * Snapshots and records whose sums are right whatever is in them: a forger has read the source. A
 * fuzzer would never get past a sum of 64 bits by itself.
 */
#ifndef XPBD_TESTS_FUZZ_FORGE_H
#define XPBD_TESTS_FUZZ_FORGE_H

#include "fuzz.h"

/** Make the length of a file and the sums of its sections right, as far as there are sections,
 *  those of snapshots inside of it too. Substeps and iterations become few: a million of each is
 *  allowed, and is no fault, but takes its time. */
void fuzz_forge(uint8_t *bytes, size_t size);

#endif
