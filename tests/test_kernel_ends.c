/* SPDX-License-Identifier: MIT
 *
 * The kernels that are of no constraint, each alone: predict, finish, gather and change, on every
 * instruction set and layout, against their sentences in double precision. What is outside the
 * range that they are given stays as it was.
 */
#include "support.h"

#include "base/memory.h"
#include "kernel/kernel.h"

#include <math.h>

enum { UNITS = 4, FIRST = 1, LAST = 3, N = UNITS * XPBD_GROUP };

typedef void (*check_fn)(const xpbd_kernels *kernels, xpbd_layout layout, const char *name);

static void on_every_kernel(check_fn check)
{
    for (uint32_t isa = 0; xpbd_isa_name(isa); isa++) {
        for (uint32_t layout = 0; layout < XPBD_LAYOUT_COUNT && xpbd_isa_available(isa); layout++)
            check(xpbd_kernels_find((xpbd_isa)isa, (xpbd_layout)layout), (xpbd_layout)layout,
                  xpbd_isa_name(isa));
    }
}

/* A store of N particles at random, every third of them pinned. */
typedef struct ends {
    xpbd_memory memory;
    xpbd_arena arena;
    xpbd_store store;
    float x[N][3], v[N][3], f[N][3], before[N][3], w[N];
} ends;

static float *at(const ends *e, float *array, uint32_t i, uint32_t c)
{
    return xpbd_store_at(&e->store, array, i, c);
}

static void begin(ends *e, xpbd_layout layout, bool forced)
{
    uint64_t seed = 3;
    memset(e, 0, sizeof *e);
    xpbd_memory_init(&e->memory, NULL);
    e->arena.memory = &e->memory;
    assert_true(xpbd_store_init(&e->store, layout, N, 1, &e->arena));
    if (forced)
        e->store.force = xpbd_arena_zero(&e->arena, 4 * (size_t)e->store.n_slots, sizeof(float));
    for (uint32_t i = 0; i < N; i++) {
        e->w[i] = i % 3 == 0 ? 0.0f : kit_uniform(&seed, 0.5f, 2);
        *at(e, e->store.position, i, 3) = e->w[i];
        e->store.inverse_mass[i] = e->w[i];
        for (uint32_t c = 0; c < 3; c++) {
            e->x[i][c] = *at(e, e->store.position, i, c) = kit_uniform(&seed, -1, 1);
            e->v[i][c] = *at(e, e->store.velocity, i, c) = kit_uniform(&seed, -1, 1);
            e->before[i][c] = *at(e, e->store.previous, i, c) = kit_uniform(&seed, -1, 1);
            e->f[i][c] = forced ? kit_uniform(&seed, -5, 5) : 0;
            if (forced)
                *at(e, e->store.force, i, c) = e->f[i][c];
        }
    }
}

static bool inside(uint32_t i)
{
    return i >= FIRST * XPBD_GROUP && i < LAST * XPBD_GROUP;
}

/* Some two roundings of numbers up to 2. */
static void near(float got, double want, uint32_t i, const char *name)
{
    if (!(fabs((double)got - want) <= (inside(i) ? 5e-7 : 0.0)))
        fail_msg("%s, particle %u: %.9g instead of %.9g", name, i, (double)got, want);
}

static const xpbd_pass pass = {.dt = 0.25f,
                               .inverse_dt = 4.0f,
                               .inverse_dt2 = 16.0f,
                               .relaxation = 1.5f,
                               .acceleration = {1, -2, 3}};

static void check_predict(const xpbd_kernels *kernels, xpbd_layout layout, const char *name)
{
    for (int forced = 0; forced < 2; forced++) {
        ends e;
        begin(&e, layout, forced);
        kernels->predict(&e.store, &pass, FIRST, LAST);
        for (uint32_t i = 0; i < N; i++) {
            for (uint32_t c = 0; c < 3; c++) {
                const double dt = inside(i) ? 0.25 : 0.0;
                const double a = (double)pass.acceleration[c] + (double)e.w[i] * (double)e.f[i][c];
                const double v = (double)e.v[i][c] + (e.w[i] > 0 ? dt * a : 0.0);
                near(*at(&e, e.store.velocity, i, c), v, i, name);
                near(*at(&e, e.store.position, i, c), (double)e.x[i][c] + dt * v, i, name);
                near(*at(&e, e.store.previous, i, c), (double)(inside(i) ? e.x : e.before)[i][c], N,
                     name);
            }
            near(*at(&e, e.store.position, i, 3), (double)e.w[i], N, name);
        }
        xpbd_arena_free(&e.arena);
    }
}

static void test_predict_moves_by_forces_and_velocities(void **state)
{
    (void)state;
    on_every_kernel(check_predict);
}

/* Velocities of -0 become 0, as by any addition of zeros, where acceleration is -0 too. */
static void check_zeros(const xpbd_kernels *kernels, xpbd_layout layout, const char *name)
{
    const xpbd_pass still = {.dt = 0.25f, .inverse_dt = 4, .acceleration = {-0.0f, -0.0f, -0.0f}};
    ends e;
    begin(&e, layout, false);
    for (uint32_t k = 0; k < 3 * N; k++)
        *at(&e, e.store.velocity, k / 3, k % 3) = -0.0f;
    kernels->predict(&e.store, &still, 0, UNITS);
    for (uint32_t k = 0; k < 3 * N; k++) {
        const float v = *at(&e, e.store.velocity, k / 3, k % 3);
        if (!(fabsf(v) <= 0.0f) || signbit(v))
            fail_msg("%s, particle %u: a velocity of %g", name, k / 3, (double)v);
    }
    xpbd_arena_free(&e.arena);
}

static void test_predict_leaves_no_sign_to_zeros(void **state)
{
    (void)state;
    on_every_kernel(check_zeros);
}

static void check_finish(const xpbd_kernels *kernels, xpbd_layout layout, const char *name)
{
    ends e;
    begin(&e, layout, false);
    kernels->finish(&e.store, &pass, FIRST, LAST);
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            double v = (double)e.v[i][c];
            if (inside(i) && e.w[i] > 0)
                v = ((double)e.x[i][c] - (double)e.before[i][c]) / 0.25;
            /* the quotient of a difference of 2: four times its rounding */
            if (!(fabs((double)*at(&e, e.store.velocity, i, c) - v) <=
                  (inside(i) && e.w[i] > 0 ? 3e-6 : 0.0)))
                fail_msg("%s, particle %u: %.9g instead of %.9g", name, i,
                         (double)*at(&e, e.store.velocity, i, c), v);
            near(*at(&e, e.store.position, i, c), (double)e.x[i][c], N, name);
        }
        near(*at(&e, e.store.position, i, 3), (double)e.w[i], N, name);
    }
    xpbd_arena_free(&e.arena);
}

static void test_finish_is_the_way_over_the_time(void **state)
{
    (void)state;
    on_every_kernel(check_finish);
}

/* Particle i has i % 4 corrections; what is behind their z is no part of them. */
static void check_gather(const xpbd_kernels *kernels, xpbd_layout layout, const char *name)
{
    ends e;
    uint64_t seed = 4;
    uint32_t first[N + 1], slot[4 * N];
    begin(&e, layout, false);
    e.store.correction = xpbd_arena_zero(&e.arena, 4 * 4 * N, sizeof(float));
    for (uint32_t i = 0, n = 0; i <= N; i++) {
        first[i] = n;
        for (uint32_t k = 0; i < N && k < i % 4; k++, n++)
            slot[n] = (n * 7 + 3) % (4 * N - 1);
    }
    for (uint32_t k = 0; k < 4 * 4 * N; k++)
        e.store.correction[k] = kit_uniform(&seed, -1, 1);
    kernels->gather(&e.store, &pass, first, slot, FIRST, LAST);
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            double sum = 0;
            for (uint32_t k = first[i]; k < first[i + 1]; k++)
                sum += (double)e.store.correction[4 * slot[k] + c];
            const uint32_t n = first[i + 1] - first[i];
            near(*at(&e, e.store.position, i, c),
                 (double)e.x[i][c] + (inside(i) && n > 0 ? 1.5 / n * sum : 0.0), n > 0 ? i : N,
                 name);
        }
        near(*at(&e, e.store.position, i, 3), (double)e.w[i], N, name);
    }
    /* A range that ends past the last particle ends there. */
    const uint32_t last = 2 * XPBD_GROUP + 3;
    const float kept = *at(&e, e.store.position, last, 0);
    const float moved = *at(&e, e.store.position, last - 1, 0);
    e.store.n = last;
    kernels->gather(&e.store, &pass, first, slot, 2, 3);
    assert_true(first[last + 1] > first[last] && first[last] > first[last - 1]);
    near(*at(&e, e.store.position, last, 0), (double)kept, N, name);
    assert_true(fabsf(*at(&e, e.store.position, last - 1, 0) - moved) > 1e-4f);
    xpbd_arena_free(&e.arena);
}

static void test_gather_takes_the_mean(void **state)
{
    (void)state;
    on_every_kernel(check_gather);
}

/* The largest is in one lane and group in turn, in one with its own scales or with one for all; far
 * larger ones are outside. */
static void check_change(const xpbd_kernels *kernels, xpbd_layout layout, const char *name)
{
    (void)layout;
    _Alignas(64) float now[N], before[N], scale[N];
    float of_group[UNITS + 1];
    for (uint32_t most = FIRST * XPBD_GROUP; most < LAST * XPBD_GROUP; most++) {
        for (uint32_t k = 0; k < 6; k++) {
            for (uint32_t i = 0; i < N; i++) {
                now[i] = inside(i) ? 1.0f : 1e6f;
                before[i] = 2.0f;
                scale[i] = 0.5f;
            }
            for (uint32_t g = 0; g <= UNITS; g++)
                of_group[g] = k % 3 == 0 ? -1.0f : k % 3 == 1 ? 0.5f : 0.0f;
            now[most] = k < 3 ? 9.0f : -5.0f;
            of_group[most / XPBD_GROUP] = k % 3 == 0 ? -1.0f : 0.25f;
            scale[most] = k % 3 == 0 ? 0.75f : 1e6f;
            const float got = kernels->change(now, before, scale, of_group, FIRST, LAST);
            const double want = 7.0 * (k % 3 == 0 ? 0.75 : 0.25);
            if (!(fabs((double)got - want) <= 0.0))
                fail_msg("%s, lane %u, %u: %g instead of %g", name, most, k, (double)got, want);
        }
        now[most] = NAN;
        assert_true(isnan(kernels->change(now, before, scale, of_group, FIRST, LAST)));
        now[most] = -INFINITY;
        assert_false(kernels->change(now, before, scale, of_group, FIRST, LAST) < INFINITY);
    }
    /* Groups of weight 0 count for nothing, whatever their lanes weigh. */
    for (uint32_t g = 0; g <= UNITS; g++)
        of_group[g] = 0.0f;
    for (uint32_t i = 0; i < N; i++)
        now[i] = 5.0f;
    assert_near(kernels->change(now, before, scale, of_group, 0, UNITS), 0.0, 0.0);
    assert_near(kernels->change(now, before, scale, of_group, 1, 1), 0.0, 0.0);
}

static void test_change_finds_the_largest(void **state)
{
    (void)state;
    on_every_kernel(check_change);
}

static void test_types_end(void **state)
{
    (void)state;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
        assert_true(info && info->name && xpbd_constraint_ops_of((xpbd_constraint_type)type));
    }
    assert_null(xpbd_constraint_type_info(XPBD_CONSTRAINT_TYPE_COUNT));
    assert_null(xpbd_constraint_type_info((xpbd_constraint_type)-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predict_moves_by_forces_and_velocities),
        cmocka_unit_test(test_predict_leaves_no_sign_to_zeros),
        cmocka_unit_test(test_finish_is_the_way_over_the_time),
        cmocka_unit_test(test_gather_takes_the_mean),
        cmocka_unit_test(test_change_finds_the_largest),
        cmocka_unit_test(test_types_end),
    };
    return RUN_GROUP("kernel_ends", tests);
}
