/* SPDX-License-Identifier: MIT
 *
 * Calls that step, read, save, load and record.
 */
#include "fuzz_calls.h"

#include <math.h>

xpbd_status calls_prepare(calls_game *game)
{
    return xpbd_world_prepare(game->world);
}

xpbd_status calls_step(calls_game *game)
{
    static const double plain[] = {1.0 / 64, 1.0 / 60, 1e-3, 0.5};
    static const double odd[] = {0, -1, 1e-9, 1e-12, 1000, 2000, INFINITY, NAN};
    const uint32_t byte = fuzz_byte(&game->in);
    const double dt = byte >= 240 ? odd[byte % 8] : plain[byte % 4];
    /* What constraints moved in a short step is a speed, and a long step takes it far: after some
       such pairs nothing fits a float. */
    game->shortest = game->shortest > 0 && game->shortest < dt ? game->shortest : dt;
    game->in.odd = game->in.odd || byte >= 240 || dt > 64 * game->shortest;
    return xpbd_world_step(game->world, dt);
}

/* One call more, of any kind, at the end of some substeps. */
static bool callback(void *user, xpbd_world *world, uint32_t substep)
{
    calls_game *game = user;
    FUZZ_CHECK(world == game->world && substep < 4);
    game->inside = true;
    if (fuzz_below(&game->in, 2))
        calls_make_one(game);
    game->inside = false;
    return !fuzz_rarely(&game->in, 8);
}

xpbd_status calls_set_callback(calls_game *game)
{
    return xpbd_world_set_substep_callback(game->world, fuzz_below(&game->in, 3) ? callback : NULL,
                                           game);
}

xpbd_status calls_add_port(calls_game *game)
{
    uint32_t port = 0;
    float force[3 * 4];
    const uint32_t index = fuzz_byte(&game->in);
    const xpbd_status status =
        fuzz_below(&game->in, 2)
            ? xpbd_world_add_particle_port(game->world, index, &port)
            : xpbd_world_add_constraint_port(game->world, calls_type(game), index, &port);
    if (status == XPBD_OK)
        FUZZ_CHECK(xpbd_world_read_port(game->world, port, force) == XPBD_OK);
    return status;
}

xpbd_status calls_clear_ports(calls_game *game)
{
    return xpbd_world_clear_ports(game->world);
}

xpbd_status calls_read(calls_game *game)
{
    xpbd_status status = XPBD_OK;
    float values[8 * 3];
    uint32_t first, count;
    (void)fuzz_check_world(game->world);
    calls_range(game, game->has.n_particles, &first, &count);
    if (fuzz_below(&game->in, 2))
        status = xpbd_world_read_positions(game->world, first, count, values, 0);
    return status;
}

xpbd_status calls_save(calls_game *game)
{
    uint8_t little[16];
    size_t size;
    if (game->inside || fuzz_rarely(&game->in, 4))
        return xpbd_world_save(game->world, sizeof little, little, &size);
    calls_save_to(game->world, game->kept);
    return XPBD_OK;
}

/* The snapshot that was kept, which may have been changed since. */
xpbd_status calls_load(calls_game *game)
{
    calls_saved *kept = game->kept;
    if (fuzz_rarely(&game->in, 4) && kept->size > 0) {
        const size_t where = (fuzz_byte(&game->in) | fuzz_byte(&game->in) << 8) % kept->size;
        kept->bytes[where] ^= (uint8_t)(1u << fuzz_below(&game->in, 8));
    }
    return xpbd_world_load(game->world, kept->size, kept->bytes);
}

/* Begin, end, or read one that may not be there. */
xpbd_status calls_record(calls_game *game)
{
    const uint32_t what = fuzz_below(&game->in, 4);
    size_t size;
    if (what == 0) {
        const xpbd_status stopped = xpbd_world_record_stop(game->world);
        game->heap.refused = true; /* it may be said now that there was no memory before */
        return stopped;
    }
    if (what == 1)
        return xpbd_world_read_record(game->world, 0, NULL, &size);
    const xpbd_status status = xpbd_world_record_start(game->world);
    game->recorded = game->recorded || status == XPBD_OK;
    return status;
}

void calls_check_record(const calls_game *game)
{
    static calls_saved record;
    xpbd_world_def def = fuzz_def(game->def.threads == 2 ? 1 : 2);
    xpbd_replay_report report;
    xpbd_error error;
    def.layout = game->has.layout[0] == 's' ? "aos4" : "soa";
    def.isa = "auto";
    const xpbd_status status =
        xpbd_world_read_record(game->world, CALLS_ROOM, record.bytes, &record.size);
    if (status != XPBD_OK) { /* without memory there may be none, or it is too long */
        fuzz_check_error(xpbd_world_error(game->world), status);
        return;
    }
    FUZZ_CHECK(xpbd_replay(record.size, record.bytes, &def, &report, &error) == XPBD_OK);
    if (report.differs)
        fprintf(stderr, "%s\n", report.text);
    FUZZ_CHECK(!report.differs);
}

/* A world that loads what this one saves goes on as it does: on another layout, with another
 * number of workers and another instruction set. */
xpbd_status calls_twin(calls_game *game)
{
    static calls_saved saved;
    xpbd_world *a, *b;
    xpbd_world_def def = fuzz_def(1), other = fuzz_def(2);
    if (game->inside || !fuzz_rarely(&game->in, 4))
        return XPBD_OK;
    calls_save_to(game->world, &saved);
    other.layout = "soa";
    other.isa = "auto";
    FUZZ_CHECK(xpbd_world_create(&def, &a, NULL) == XPBD_OK);
    FUZZ_CHECK(xpbd_world_create(&other, &b, NULL) == XPBD_OK);
    FUZZ_CHECK(xpbd_world_load(a, saved.size, saved.bytes) == XPBD_OK);
    FUZZ_CHECK(xpbd_world_load(b, saved.size, saved.bytes) == XPBD_OK);
    const xpbd_status status = xpbd_world_step(a, 1.0 / 64);
    FUZZ_CHECK(xpbd_world_step(b, 1.0 / 64) == status);
    /* Bits of what is no number are not promised. */
    if (fuzz_check_world(a) && !game->in.odd)
        FUZZ_CHECK(xpbd_world_hash(a) == xpbd_world_hash(b));
    xpbd_world_destroy(a);
    xpbd_world_destroy(b);
    return XPBD_OK;
}

xpbd_status calls_run_out(calls_game *game)
{
    game->heap.fail_in = 1 + fuzz_below(&game->in, 32);
    return XPBD_OK;
}
