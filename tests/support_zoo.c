/* SPDX-License-Identifier: MIT
 *
 * See support_zoo.h.
 */
#include "support_zoo.h"

#include <math.h>

/* Tetrahedra have to be the right way round. */
static bool is_inverted(const xpbd_world *world, uint32_t i)
{
    float x[4][3], d[3][3];
    assert_ok(xpbd_world_read_positions(world, i, 4, x[0], 0));
    for (int k = 0; k < 9; k++)
        d[k / 3][k % 3] = x[k / 3 + 1][k % 3] - x[0][k % 3];
    return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) +
               d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
               d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]) <
           0;
}

static void add_body(xpbd_world *world, uint32_t type, uint32_t i, bool rich)
{
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    uint32_t ids[12], four = 4;
    for (uint32_t k = 0; k < 12; k++)
        ids[k] = i + (type == XPBD_MESH_VOLUME ? faces[k / 3][k % 3] : k % 4);
    if (!info->variable && info->n_particles == 4 && is_inverted(world, i))
        ids[2] = i + 3, ids[3] = i + 2;
    const bool soft = i % 3 || type >= XPBD_TIE_EDGE; /* not all hard, or it blows up */
    const float alpha = soft ? 1e-2f * (float)(1 + i % 5) : 0.0f, beta = 0.1f, tau = 1e-3f;
    const float stiffness = 0.3f, limit = 400.0f + (float)i;
    xpbd_constraints c = {
        .particles = ids, .sizes = info->variable ? &four : NULL, .compliance = &alpha};
    if (rich && i % 4 == 1)
        c.damping = &beta, c.damping_time = &tau;
    if (rich && i % 7 == 3)
        c.stiffness = &stiffness;
    if (rich && i % 5 == 2)
        c.break_force = &limit;
    if (xpbd_world_add_constraints(world, (xpbd_constraint_type)type, 1, &c, NULL) != XPBD_OK)
        fail_msg("%s", xpbd_world_error(world)->text);
}

xpbd_world *kit_zoo(const xpbd_world_def *def, bool rich, const bool *without)
{
    static const float push[3] = {0.5f, 1.0f, -0.25f};
    float x[ZOO_PARTICLES][3], w[ZOO_PARTICLES];
    uint64_t seed = 11;
    for (uint32_t i = 0; i < ZOO_PARTICLES; i++) {
        x[i][0] = 0.3f * (float)i + kit_uniform(&seed, -0.05f, 0.05f);
        x[i][1] = (float)(i % 2) + kit_uniform(&seed, -0.1f, 0.1f);
        x[i][2] = (float)(i / 2 % 2) + kit_uniform(&seed, -0.1f, 0.1f);
        w[i] = i % 19 == 0 ? 0.0f : kit_uniform(&seed, 0.5f, 2.0f);
    }
    xpbd_world *world = kit_create(def);
    kit_add_particles(world, ZOO_PARTICLES, (const float(*)[3])x, w);
    for (uint32_t i = 0; i < ZOO_BODIES; i++)
        for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++)
            if (!without || !without[type * ZOO_BODIES + i])
                add_body(world, type, i, rich);
    for (uint32_t i = 0; i < ZOO_PARTICLES; i += 3)
        assert_ok(xpbd_world_set_velocities(world, i, 1, push, 0));
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT && rich; type += 2)
        assert_ok(xpbd_world_enable_constraints(world, (xpbd_constraint_type)type, 9, 3, false));
    return world;
}

bool *kit_zoo_third(uint64_t seed)
{
    bool *marked = calloc((size_t)XPBD_CONSTRAINT_TYPE_COUNT * ZOO_BODIES, sizeof *marked);
    assert_non_null(marked);
    for (uint32_t k = 0; k < XPBD_CONSTRAINT_TYPE_COUNT * ZOO_BODIES; k++)
        marked[k] = kit_random(&seed) % 3 == 0;
    return marked;
}

void kit_zoo_remove(xpbd_world *world, const bool *marked)
{
    for (uint32_t k = 0; k < XPBD_CONSTRAINT_TYPE_COUNT * ZOO_BODIES; k++)
        if (marked[k])
            assert_ok(xpbd_world_remove_constraints(world, (xpbd_constraint_type)(k / ZOO_BODIES),
                                                    k % ZOO_BODIES, 1));
}

static void same_floats(const float *got, const float *want, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++) {
        if (memcmp(got + i, want + i, sizeof *got))
            fail_msg("%s: value %zu: expected %a, got %a", what, i, (double)want[i],
                     (double)got[i]);
        if (!isfinite(want[i]))
            fail_msg("%s: value %zu is %g", what, i, (double)want[i]);
    }
}

/* Multipliers and forces of a type. */
static void same_results(const xpbd_world *got, const xpbd_world *want, uint32_t type, uint32_t n,
                         const char *what)
{
    const xpbd_constraint_type t = (xpbd_constraint_type)type;
    const size_t most = (size_t)n * 64; /* four elements of four corners, or of six rows */
    float *a = calloc(most + 1, sizeof *a), *b = calloc(most + 1, sizeof *b);
    assert_ok(xpbd_world_read_lambdas(got, t, 0, n, a, 0));
    assert_ok(xpbd_world_read_lambdas(want, t, 0, n, b, 0));
    same_floats(a, b, most, what);
    assert_ok(xpbd_world_read_forces(got, t, 0, n, a, 0));
    assert_ok(xpbd_world_read_forces(want, t, 0, n, b, 0));
    same_floats(a, b, most, what);
    free(a);
    free(b);
}

static void same_events(const xpbd_world *got, const xpbd_world *want, const char *what)
{
    xpbd_broken a[ZOO_BODIES * XPBD_CONSTRAINT_TYPE_COUNT],
        b[ZOO_BODIES * XPBD_CONSTRAINT_TYPE_COUNT];
    uint32_t n, m;
    assert_ok(xpbd_world_read_broken(got, COUNT_OF(a), a, &n));
    assert_ok(xpbd_world_read_broken(want, COUNT_OF(b), b, &m));
    assert_int_equal(n, m);
    for (uint32_t k = 0; k < n && k < COUNT_OF(a); k++)
        if (a[k].type != b[k].type || a[k].index != b[k].index)
            fail_msg("%s: what broke differs", what);
}

void kit_same_worlds(const xpbd_world *got, const xpbd_world *want, const char *what)
{
    xpbd_world_summary a, b;
    assert_ok(xpbd_world_summarize(got, &a));
    assert_ok(xpbd_world_summarize(want, &b));
    assert_int_equal(a.n_particles, b.n_particles);
    float(*x)[3] = kit_positions(got), (*y)[3] = kit_positions(want);
    same_floats(x[0], y[0], 3 * (size_t)a.n_particles, what);
    free(x);
    free(y);
    x = kit_velocities(got), y = kit_velocities(want);
    same_floats(x[0], y[0], 3 * (size_t)a.n_particles, what);
    free(x);
    free(y);
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        assert_int_equal(a.n_constraints[type], b.n_constraints[type]);
        assert_int_equal(a.n_removed_constraints[type], b.n_removed_constraints[type]);
        same_results(got, want, type, a.n_constraints[type], what);
    }
    same_events(got, want, what);
}
