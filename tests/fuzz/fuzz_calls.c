/* SPDX-License-Identifier: MIT
 *
 * Sequences of calls on a world of a few particles: whatever is asked for, the answer is a status,
 * a refusal changes nothing, a request for memory that fails is no more than that, what can be read
 * agrees with itself, and what was recorded happens again with the same bits.
 */
#include "fuzz_calls.h"

static void *heap_alloc(void *user, size_t size, size_t alignment)
{
    calls_heap *heap = user;
    if (heap->fail_in > 0 && --heap->fail_in == 0) {
        heap->refused = true;
        return NULL;
    }
    FUZZ_CHECK(size > 0 && size < 16 << 20);
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    FUZZ_CHECK(memory);
    memset(memory, 0xa5, size); /* nobody may count on zeros */
    heap->n_live++;
    return memory;
}

static void heap_free(void *user, void *memory, size_t size)
{
    calls_heap *heap = user;
    (void)size;
    heap->n_live--;
    free(memory);
}

const calls_row calls_rows[] = {
    {calls_add_particles, CALLS_CHANGE},
    {calls_add_particles, CALLS_CHANGE},
    {calls_add_constraints, CALLS_CHANGE},
    {calls_add_constraints, CALLS_CHANGE},
    {calls_add_constraints, CALLS_CHANGE},
    {calls_add_constraints, CALLS_CHANGE},
    {calls_set_constraints, CALLS_CHANGE},
    {calls_set_constraints, CALLS_CHANGE},
    {calls_build, CALLS_BUILD},
    {calls_reserve, CALLS_KEEP},
    {calls_enable, CALLS_CHANGE},
    {calls_set_particles, CALLS_CHANGE},
    {calls_set_particles, CALLS_CHANGE},
    {calls_set_solver, CALLS_CHANGE},
    {calls_set_tolerance, CALLS_CHANGE},
    {calls_set_limits, CALLS_CHANGE},
    {calls_set_acceleration, CALLS_CHANGE},
    {calls_set_threads, CALLS_KEEP},
    {calls_remove_constraints, CALLS_CHANGE},
    {calls_remove_particles, CALLS_CHANGE},
    {calls_compact, CALLS_CHANGE},
    {calls_prepare, CALLS_KEEP},
    {calls_step, CALLS_CHANGE},
    {calls_step, CALLS_CHANGE},
    {calls_step, CALLS_CHANGE},
    {calls_set_callback, CALLS_KEEP},
    {calls_add_port, CALLS_KEEP},
    {calls_clear_ports, CALLS_KEEP},
    {calls_read, CALLS_KEEP},
    {calls_save, CALLS_KEEP},
    {calls_load, CALLS_CHANGE},
    {calls_record, CALLS_KEEP},
    {calls_twin, CALLS_KEEP},
    {calls_run_out, CALLS_KEEP},
};
const uint32_t calls_n_rows = sizeof calls_rows / sizeof calls_rows[0];

void calls_save_to(const xpbd_world *world, calls_saved *to)
{
    FUZZ_CHECK(xpbd_world_save(world, CALLS_ROOM, to->bytes, &to->size) == XPBD_OK);
}

/* What the state was before the call, and is after it. */
static calls_saved states[2];
static unsigned at;

static void look(calls_game *game)
{
    const uint32_t n = game->has.n_particles;
    FUZZ_CHECK(xpbd_world_summarize(game->world, &game->has) == XPBD_OK);
    FUZZ_CHECK(game->has.n_removed_particles <= game->has.n_particles);
    for (uint32_t i = 0; i < game->has.n_particles && n > 0 && !game->lost; i++) {
        float x[3], v[3];
        FUZZ_CHECK(xpbd_world_read_positions(game->world, i, 1, x, 0) == XPBD_OK);
        FUZZ_CHECK(xpbd_world_read_velocities(game->world, i, 1, v, 0) == XPBD_OK);
        for (int c = 0; c < 3; c++)
            game->lost = game->lost || !(x[c] - x[c] == 0) || !(v[c] - v[c] == 0);
    }
}

void calls_make_one(calls_game *game)
{
    const calls_row *row = &calls_rows[fuzz_below(&game->in, calls_n_rows)];
    const bool inside = game->inside;
    game->heap.refused = false;
    const xpbd_status status = row->call(game);
    FUZZ_CHECK((uint32_t)status < XPBD_STATUS_COUNT);
    if (status != XPBD_OK && row->kind != CALLS_BUILD)
        fuzz_check_error(xpbd_world_error(game->world), status);
    FUZZ_CHECK(status != XPBD_ERROR_MEMORY || game->heap.refused || inside);
    if (inside)
        return;
    look(game);
    calls_save_to(game->world, &states[!at]);
    if (status != XPBD_OK || row->kind == CALLS_KEEP) {
        FUZZ_CHECK(states[0].size == states[1].size);
        FUZZ_CHECK(!memcmp(states[0].bytes, states[1].bytes, states[0].size));
    }
    at = !at;
}

static const char *name_of(fuzz_bytes *in, const char *(*names)(uint32_t))
{
    uint32_t n = 0;
    while (names(n))
        n++;
    const uint32_t byte = fuzz_byte(in);
    return byte == 255 ? "no such" : byte % (n + 1) < n ? names(byte % (n + 1)) : NULL;
}

/* Two workers of a host in one case of four. Not threads of the library's own: on a busy machine a
 * barrier takes longer than all calls, and tests of threads have the thread sanitizer. */
static void choose(calls_game *game)
{
    fuzz_bytes *in = &game->in;
    const uint32_t threads = fuzz_byte(in);
    xpbd_world_def *def = &game->def;
    *def = fuzz_def(threads % 4 == 3 ? 2 : 1);
    def->scheduler = name_of(in, xpbd_scheduler_name);
    def->layout = name_of(in, xpbd_layout_name);
    def->ordering = name_of(in, xpbd_ordering_name);
    const uint32_t bits = fuzz_byte(in);
    def->plain_stiffness = bits & 1;
    def->keep_prediction = bits & 2;
    def->substeps = 1 + (bits >> 2 & 1);
    def->iterations = bits >> 3 & 3;
    def->tolerance = bits & 32 ? fuzz_amount(in) : 0.0f;
    def->check_every = bits & 32 ? fuzz_below(in, 4) : 1;
    def->relaxation = bits & 64 ? fuzz_amount(in) : 1.0f;
    def->spectral_radius = bits & 128 ? fuzz_amount(in) / 3.0f : 0.0f;
}

static bool begin(calls_game *game, const xpbd_allocator *allocator)
{
    xpbd_error error;
    choose(game);
    game->def.allocator = allocator;
    const xpbd_status status = xpbd_world_create(&game->def, &game->world, &error);
    if (status != XPBD_OK) {
        fuzz_check_error(&error, status);
        FUZZ_CHECK(!game->world);
        return false;
    }
    calls_save_to(game->world, &states[at]);
    look(game);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static calls_saved kept;
    calls_game game = {.in = {.at = data, .end = data + size}, .kept = &kept};
    const xpbd_allocator allocator = {heap_alloc, heap_free, &game.heap};
    kept.size = 0;
    if (begin(&game, &allocator)) {
        for (int n = 0; n < 16 && game.in.at < game.in.end; n++)
            calls_make_one(&game);
        game.heap.fail_in = 0;
        const bool finite = fuzz_check_world(game.world);
        /* What only has numbers that a scene can have stays finite. */
        FUZZ_CHECK(finite || game.in.odd);
        fuzz_taken++;
        if (game.recorded && !game.lost && !game.in.odd)
            calls_check_record(&game);
    }
    xpbd_world_destroy(game.world);
    FUZZ_CHECK(game.heap.n_live == 0);
    return 0;
}
