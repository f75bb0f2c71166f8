/* SPDX-License-Identifier: MIT
 *
 * What the fuzz targets share. A target is one function that takes bytes, which may be anything,
 * and aborts when what it saw is not as promised. With --config=fuzz libFuzzer calls it; in every
 * other configuration corpus_main.c does, with the inputs that are kept.
 */
#ifndef XPBD_TESTS_FUZZ_H
#define XPBD_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xpbd/xpbd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Not assert(): it is to look in every build. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/** What a target decides by; what is not there reads as 0. */
typedef struct fuzz_bytes {
    const uint8_t *at, *end;
    bool odd; /* a number was taken that no scene has */
} fuzz_bytes;

static inline uint32_t fuzz_byte(fuzz_bytes *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

/** Take a number below n, 1 ... 256. */
static inline uint32_t fuzz_below(fuzz_bytes *in, uint32_t n)
{
    return fuzz_byte(in) % n;
}

/** Take true in about one case of n. */
static inline bool fuzz_rarely(fuzz_bytes *in, uint32_t n)
{
    return fuzz_byte(in) % n == n - 1;
}

/** Take a float: a plain one in [-3, 3), or with one in 16 something that is not. */
float fuzz_number(fuzz_bytes *in);
/** The same in [0, 3). */
float fuzz_amount(fuzz_bytes *in);

/** How many inputs were taken: read, loaded, run to their end. Inputs that are kept and none of
 *  which is taken any more show nothing but the first refusal; corpus_main.c tells. */
extern uint64_t fuzz_taken;

/** Fail unless the error is of this status, and says something. */
void fuzz_check_error(const xpbd_error *error, xpbd_status status);
/** A definition for worlds of a few particles: scalar, and on the caller's thread although there
 *  may be two workers, as nothing is asked of the system then. */
xpbd_world_def fuzz_def(uint32_t workers);
/** Read all that can be read, and check that it agrees with itself. Tells whether all of it is
 *  finite. */
bool fuzz_check_world(const xpbd_world *world);

#endif
