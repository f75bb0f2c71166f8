/* SPDX-License-Identifier: MIT
 *
 * The record of a world in memory, for tests of records.
 */
#ifndef TESTS_SUPPORT_RECORDS_H
#define TESTS_SUPPORT_RECORDS_H

#include "support.h"

typedef struct record {
    size_t size;
    unsigned char *bytes; /* free() it */
} record;

static inline record read_record(const xpbd_world *w)
{
    record r;
    assert_ok(xpbd_world_read_record(w, 0, NULL, &r.size));
    r.bytes = malloc(r.size);
    assert_non_null(r.bytes);
    assert_ok(xpbd_world_read_record(w, r.size, r.bytes, &r.size));
    return r;
}

#endif
