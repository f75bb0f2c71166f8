/* SPDX-License-Identifier: MIT
 *
 * The sum over words that writing and reading share.
 */
#ifndef XPBD_SOLVER_CODEC_SUM_H
#define XPBD_SOLVER_CODEC_SUM_H

#include "base/hash.h"
#include "solver/codec.h"

/** Read a word, the lowest byte first. */
static inline uint32_t xpbd_word_at(const unsigned char *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
           (uint32_t)from[3] << 24;
}

/** Sum up n bytes, whole words. */
static inline uint64_t xpbd_sum_of(const unsigned char *bytes, size_t n)
{
    uint64_t sum = XPBD_HASH_SEED;
    for (size_t at = 0; at < n; at += 4) {
        sum = xpbd_hash_word(sum, xpbd_word_at(bytes + at));
    }
    return sum;
}

#endif
