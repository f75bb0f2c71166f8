/* SPDX-License-Identifier: MIT
 *
 * Calls that change settings, particles and what there is.
 */
#include "fuzz_calls.h"

xpbd_status calls_reserve(calls_game *game)
{
    xpbd_reservation r = {.particles = fuzz_byte(&game->in), .batches = fuzz_byte(&game->in)};
    const xpbd_constraint_type type = calls_type(game);
    if ((uint32_t)type < XPBD_CONSTRAINT_TYPE_COUNT) {
        const uint32_t bits = fuzz_byte(&game->in);
        r.of[type].count = bits % 16;
        r.of[type].elements = fuzz_byte(&game->in) % 64;
        r.of[type].compliance = bits & 16;
        r.of[type].stiffness = bits & 32;
        r.of[type].break_force = bits & 64;
    }
    if (r.particles == 255)
        r.particles = UINT32_MAX;
    return xpbd_world_reserve(game->world, &r);
}

xpbd_status calls_enable(calls_game *game)
{
    uint32_t first, count;
    const xpbd_constraint_type type = calls_type(game);
    calls_range(game, calls_count(game, type), &first, &count);
    return xpbd_world_enable_constraints(game->world, type, first, count, fuzz_below(&game->in, 2));
}

xpbd_status calls_set_particles(calls_game *game)
{
    static xpbd_status (*const calls[])(xpbd_world * world, uint32_t first, uint32_t count,
                                        const float *array, size_t stride) = {
        xpbd_world_set_positions, xpbd_world_set_velocities, xpbd_world_set_inverse_masses,
        xpbd_world_set_forces, xpbd_world_move_particles};
    float values[7 * 3];
    uint32_t first, count;
    const uint32_t k = fuzz_below(&game->in, 5);
    calls_range(game, game->has.n_particles, &first, &count);
    for (uint32_t i = 0; i < 3 * count && i < 7 * 3; i++)
        values[i] = k == 2 ? fuzz_amount(&game->in) : fuzz_number(&game->in);
    return calls[k](game->world, first, count, count == 3 && first == 1 ? NULL : values, 0);
}

xpbd_status calls_set_solver(calls_game *game)
{
    const uint32_t bits = fuzz_byte(&game->in);
    return bits == 255   ? xpbd_world_set_solver(game->world, UINT32_MAX, 1)
           : bits == 254 ? xpbd_world_set_solver(game->world, 1, UINT32_MAX)
                         : xpbd_world_set_solver(game->world, bits % 4, bits / 4 % 5);
}

xpbd_status calls_set_tolerance(calls_game *game)
{
    const float tolerance = fuzz_amount(&game->in);
    return xpbd_world_set_tolerance(game->world, tolerance, fuzz_below(&game->in, 4));
}

xpbd_status calls_set_limits(calls_game *game)
{
    const uint32_t k = fuzz_below(&game->in, 5);
    if (k > 1) {
        return xpbd_world_set_guard(game->world, (xpbd_guard)(k - 2), 9.0f, k == 4 ? 1e3f : 1e9f);
    }
    /* So long that no machine is late, as a result that depends on it could not be repeated. */
    return xpbd_world_set_budget(game->world, k ? UINT32_MAX : 0);
}

xpbd_status calls_set_acceleration(calls_game *game)
{
    const float a[3] = {fuzz_number(&game->in), fuzz_number(&game->in), fuzz_number(&game->in)};
    return xpbd_world_set_acceleration(game->world, a);
}

xpbd_status calls_set_threads(calls_game *game)
{
    const uint32_t n = fuzz_below(&game->in, 4);
    return xpbd_world_set_threads(game->world, n == 3 ? -1 : (int32_t)n);
}

xpbd_status calls_remove_constraints(calls_game *game)
{
    uint32_t first, count;
    const xpbd_constraint_type type = calls_type(game);
    calls_range(game, calls_count(game, type), &first, &count);
    return xpbd_world_remove_constraints(game->world, type, first, count);
}

xpbd_status calls_remove_particles(calls_game *game)
{
    uint32_t first, count, n = 0, before = 0, after = 0;
    xpbd_world_summary now;
    calls_range(game, game->has.n_particles, &first, &count);
    const xpbd_status status = xpbd_world_remove_particles(game->world, first, count, &n);
    FUZZ_CHECK(xpbd_world_summarize(game->world, &now) == XPBD_OK || game->inside);
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT && !game->inside; type++) {
        before += game->has.n_removed_constraints[type];
        after += now.n_removed_constraints[type];
    }
    FUZZ_CHECK(game->inside || after - before == n);
    return status;
}

/* Old indices to new ones, in the same order. */
static void check_map(const uint32_t *map, uint32_t before, uint32_t after)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < before; i++) {
        FUZZ_CHECK(map[i] == UINT32_MAX || map[i] == n);
        n += map[i] != UINT32_MAX;
    }
    FUZZ_CHECK(n == after);
}

xpbd_status calls_compact(calls_game *game)
{
    uint32_t particles[CALLS_MOST_PARTICLES], distances[256] = {0};
    uint32_t *maps[XPBD_CONSTRAINT_TYPE_COUNT] = {[XPBD_DISTANCE] = distances};
    xpbd_world_summary now;
    const bool fits = game->has.n_constraints[XPBD_DISTANCE] <= 256;
    const xpbd_status status =
        xpbd_world_compact(game->world, particles, fits ? (uint32_t *const *)maps : NULL);
    if (status == XPBD_OK) {
        FUZZ_CHECK(xpbd_world_summarize(game->world, &now) == XPBD_OK);
        FUZZ_CHECK(now.n_removed_particles == 0);
        check_map(particles, game->has.n_particles, now.n_particles);
        if (fits)
            check_map(distances, game->has.n_constraints[XPBD_DISTANCE],
                      now.n_constraints[XPBD_DISTANCE]);
    }
    return status;
}
