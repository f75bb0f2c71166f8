/* SPDX-License-Identifier: MIT
 *
 * The state hash: equal on every machine for equal values, so it is fed 32-bit words, not bytes,
 * and +0 and -0 count as one value. A multiply-and-rotate mix: it must be spread, not secret.
 */
#ifndef XPBD_BASE_HASH_H
#define XPBD_BASE_HASH_H

#include <stdint.h>
#include <string.h>

#define XPBD_HASH_SEED UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t xpbd_hash_word(uint64_t hash, uint32_t word)
{
    hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ (hash >> 32);
}

static inline uint64_t xpbd_hash_float(uint64_t hash, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return xpbd_hash_word(hash, word == UINT32_C(0x80000000) ? 0 : word);
}

#endif
