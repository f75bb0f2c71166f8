/* SPDX-License-Identifier: MIT
 *
 * Snapshots and records in memory, for their tests.
 */
#ifndef TESTS_SUPPORT_BYTES_H
#define TESTS_SUPPORT_BYTES_H

#include "support.h"

/** free() the bytes. */
typedef struct kit_bytes {
    size_t size;
    unsigned char *bytes;
} kit_bytes;

/** Have all of what xpbd_world_save() or xpbd_world_read_record() writes. */
static inline kit_bytes kit_bytes_of(const xpbd_world *w,
                                     xpbd_status (*write)(const xpbd_world *world, size_t capacity,
                                                          void *out, size_t *size))
{
    kit_bytes b;
    assert_ok(write(w, 0, NULL, &b.size));
    b.bytes = malloc(b.size);
    assert_non_null(b.bytes);
    assert_ok(write(w, b.size, b.bytes, &b.size));
    return b;
}

#endif
