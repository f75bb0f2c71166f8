/* SPDX-License-Identifier: MIT
 *
 * Loading snapshots, as they come and with right sums. One that is refused leaves the world as it
 * was; one that is not is a world that can be read, saved and loaded again, and goes on as that one
 * does.
 */
#include "fuzz_forge.h"

enum { ROOM = 1 << 16 };

typedef struct saved {
    size_t size;
    uint8_t bytes[ROOM];
} saved;

static void save(const xpbd_world *world, saved *to)
{
    FUZZ_CHECK(xpbd_world_save(world, 0, NULL, &to->size) == XPBD_OK && to->size <= ROOM);
    FUZZ_CHECK(xpbd_world_save(world, to->size, to->bytes, &to->size) == XPBD_OK);
}

static bool same(const saved *a, const saved *b)
{
    return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

static xpbd_world *create(void)
{
    const xpbd_world_def def = fuzz_def(1);
    xpbd_world *world;
    FUZZ_CHECK(xpbd_world_create(&def, &world, NULL) == XPBD_OK);
    return world;
}

static void fill(xpbd_world *world)
{
    static const float x[2][3] = {{0, 0, 0}, {1, 0, 0}};
    static const uint32_t pair[2] = {0, 1};
    const xpbd_particles p = {.position = x[0]};
    const xpbd_constraints c = {.particles = pair};
    FUZZ_CHECK(xpbd_world_add_particles(world, 2, &p, NULL) == XPBD_OK);
    FUZZ_CHECK(xpbd_world_add_constraints(world, XPBD_DISTANCE, 1, &c, NULL) == XPBD_OK);
}

/* What was loaded is a world like others. */
static void use(xpbd_world *world)
{
    static saved a, b;
    xpbd_world *other = create();
    (void)fuzz_check_world(world);
    save(world, &a);
    FUZZ_CHECK(xpbd_world_load(other, a.size, a.bytes) == XPBD_OK);
    save(other, &b);
    FUZZ_CHECK(same(&a, &b));
    FUZZ_CHECK(xpbd_world_set_solver(world, 1, 2) == XPBD_OK);
    FUZZ_CHECK(xpbd_world_set_solver(other, 1, 2) == XPBD_OK);
    const xpbd_status status = xpbd_world_step(world, 1.0 / 64);
    FUZZ_CHECK(xpbd_world_step(other, 1.0 / 64) == status);
    FUZZ_CHECK(xpbd_world_hash(world) == xpbd_world_hash(other));
    if (status != XPBD_OK)
        fuzz_check_error(xpbd_world_error(world), status);
    (void)fuzz_check_world(world);
    xpbd_world_destroy(other);
}

/* Tells whether it was loaded. */
static bool load(xpbd_world *world, const uint8_t *bytes, size_t size)
{
    static saved before, after;
    save(world, &before);
    const xpbd_status status = xpbd_world_load(world, size, bytes);
    if (status == XPBD_OK) {
        use(world);
        fuzz_taken++;
        return true;
    }
    fuzz_check_error(xpbd_world_error(world), status);
    FUZZ_CHECK(status != XPBD_ERROR_MEMORY);
    save(world, &after);
    FUZZ_CHECK(same(&before, &after));
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > ROOM / 2)
        return 0;
    xpbd_world *world = create();
    fill(world);
    uint8_t *forged = malloc(size + 1);
    FUZZ_CHECK(forged);
    memcpy(forged, data, size);
    fuzz_forge(forged, size);
    if (!load(world, data, size) && memcmp(forged, data, size) != 0)
        (void)load(world, forged, size);
    free(forged);
    xpbd_world_destroy(world);
    return 0;
}
