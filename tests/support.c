/* SPDX-License-Identifier: MIT
 *
 * Assertions, random numbers and shorthand for worlds: see support.h. The scenes are in
 * support_scenes.c.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include "support.h"

#include <math.h>

void kit_check_status(const char *call, xpbd_status got, xpbd_status want, const char *file,
                      int line)
{
    if (got == want)
        return;
    print_error("%s: expected %s, got %s\n", call, xpbd_status_name(want), xpbd_status_name(got));
    _fail(file, line);
}

void kit_check_near(const char *what, double got, double want, double tolerance, const char *file,
                    int line)
{
    if (fabs(got - want) <= tolerance)
        return;
    print_error("%s: expected %.9g within %.3g, got %.9g (off by %.3g)\n", what, want, tolerance,
                got, got - want);
    _fail(file, line);
}

void kit_check_below(const char *what, double got, double limit, const char *file, int line)
{
    if (got < limit)
        return;
    print_error("%s: expected less than %.9g, got %.9g\n", what, limit, got);
    _fail(file, line);
}

void kit_check_floats(const char *what, const float *got, const float *want, size_t count,
                      const char *file, int line)
{
    for (size_t i = 0; i < count; i++) {
        if (!memcmp(got + i, want + i, sizeof(float)))
            continue;
        print_error("%s: float %zu: expected %a, got %a\n", what, i, (double)want[i],
                    (double)got[i]);
        _fail(file, line);
    }
}

void kit_check_hash(const char *run, uint64_t got, uint64_t want, const char *file, int line)
{
    if (got == want)
        return;
    print_error("%s: expected state %016llx, got %016llx\n", run, (unsigned long long)want,
                (unsigned long long)got);
    _fail(file, line);
}

uint64_t kit_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

float kit_uniform(uint64_t *state, float low, float high)
{
    float unit = (float)(kit_random(state) >> 40) * 0x1p-24f;
    return low + (high - low) * unit;
}

xpbd_world_def kit_def(const char *scheduler)
{
    xpbd_world_def def = xpbd_default_world_def();
    def.scheduler = scheduler;
    def.threads = 1;
    def.acceleration[1] = 0.0f;
    return def;
}

xpbd_world *kit_create(const xpbd_world_def *def)
{
    xpbd_world *world = NULL;
    xpbd_error error;
    xpbd_status status = xpbd_world_create(def, &world, &error);
    if (status != XPBD_OK)
        print_error("%s\n", error.text);
    assert_ok(status);
    assert_non_null(world);
    return world;
}

void kit_add_particles(xpbd_world *world, uint32_t n, const float (*x)[3], const float *w)
{
    xpbd_particles particles = {.position = x[0], .inverse_mass = w};
    assert_ok(xpbd_world_add_particles(world, n, &particles, NULL));
}

void kit_add_distances(xpbd_world *world, uint32_t n, const uint32_t (*pair)[2], const float *rest,
                       float compliance)
{
    xpbd_constraints constraints = {.particles = pair[0],
                                    .rest = rest,
                                    .compliance = &compliance,
                                    .compliance_stride = XPBD_SAME};
    assert_ok(xpbd_world_add_constraints(world, XPBD_DISTANCE, n, &constraints, NULL));
}

xpbd_world *kit_build(const xpbd_world_def *def, const kit_scene *scene, float compliance)
{
    xpbd_world *world = kit_create(def);
    kit_add_particles(world, scene->n_particles, (const float(*)[3])scene->x, scene->w);
    kit_add_distances(world, scene->n_pairs, (const uint32_t(*)[2])scene->pair, NULL, compliance);
    return world;
}

xpbd_world *kit_spring(const xpbd_world_def *def, float x, float compliance, float damping)
{
    const float positions[2][3] = {{0.0f, 0.0f, 0.0f}, {x, 0.0f, 0.0f}};
    const float masses[2] = {0.0f, 1.0f};
    const uint32_t pair[2] = {0, 1};
    const float rest = 1.0f;
    xpbd_world *world = kit_create(def);
    kit_add_particles(world, 2, positions, masses);
    xpbd_constraints constraints = {
        .particles = pair, .rest = &rest, .compliance = &compliance, .damping = &damping};
    assert_ok(xpbd_world_add_constraints(world, XPBD_DISTANCE, 1, &constraints, NULL));
    return world;
}

void kit_steps(xpbd_world *world, uint32_t n, double dt)
{
    for (uint32_t i = 0; i < n; i++)
        assert_ok(xpbd_world_step(world, dt));
}

static uint32_t count_particles(const xpbd_world *world)
{
    xpbd_world_summary summary;
    assert_ok(xpbd_world_summarize(world, &summary));
    return summary.n_particles;
}

float (*kit_positions(const xpbd_world *world))[3]
{
    uint32_t n = count_particles(world);
    float(*out)[3] = calloc(n, sizeof *out);
    assert_non_null(out);
    assert_ok(xpbd_world_read_positions(world, 0, n, out[0], 0));
    return out;
}

float (*kit_velocities(const xpbd_world *world))[3]
{
    uint32_t n = count_particles(world);
    float(*out)[3] = calloc(n, sizeof *out);
    assert_non_null(out);
    assert_ok(xpbd_world_read_velocities(world, 0, n, out[0], 0));
    return out;
}

void kit_position(const xpbd_world *world, uint32_t particle, float out[3])
{
    assert_ok(xpbd_world_read_positions(world, particle, 1, out, 0));
}

void kit_velocity(const xpbd_world *world, uint32_t particle, float out[3])
{
    assert_ok(xpbd_world_read_velocities(world, particle, 1, out, 0));
}

float kit_lambda(const xpbd_world *world, uint32_t distance)
{
    float lambda;
    assert_ok(xpbd_world_read_lambdas(world, XPBD_DISTANCE, distance, 1, &lambda, 0));
    return lambda;
}
