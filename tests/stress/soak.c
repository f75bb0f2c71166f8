/* SPDX-License-Identifier: MIT
 *
 * soak [STEPS]: proves that nothing adds up over a long run. Of all steps one half are of worlds
 * that are edited without end, with a scheduler each: memory, counts and state stay what they are.
 * The other half are of damped scenes that are left alone: their energy never grows, and what
 * comes to rest does not do so in denormal numbers, which are slow.
 */
#include "tests/support.h"

#include <malloc.h>
#include <math.h>
#include <time.h>

static uint64_t n_steps = 10000;

/* ---- scenes of several types */

enum { SIDE = 8, ROPE = 16, CLOTH = SIDE * SIDE, N = CLOTH + ROPE + 8 };

/* A cloth of springs and bends, a rope that hangs from it, and a cube of solids and a cluster. */
static void add_scene(xpbd_world *w, float compliance, float tau)
{
    static const uint32_t tets[5][4] = {
        {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
    kit_scene cloth = kit_grid(SIDE, SIDE, 0.1f, KIT_STRUCTURAL | KIT_SHEAR);
    const uint32_t corners = 8;
    float x[ROPE + 8][3], one[8], alpha = 2e-5f, limp = 0.3f;
    uint32_t link[ROPE][2], bend[ROPE - 1][3], solid[5][4], cluster[8];
    cloth.w[0] = cloth.w[SIDE - 1] = 0;
    kit_add_particles(w, CLOTH, (const float(*)[3])cloth.x, cloth.w);
    for (uint32_t i = 0; i < ROPE + 8; i++) {
        const uint32_t c = i - ROPE;
        x[i][0] = i < ROPE ? 0.7f : 1.5f + 0.2f * (float)(c % 2);
        x[i][1] = i < ROPE ? -0.1f * (float)(i + 1) : 0.2f * (float)(c / 2 % 2);
        x[i][2] = i < ROPE ? 0.7f : 0.2f * (float)(c / 4);
    }
    kit_add_particles(w, ROPE + 8, (const float(*)[3])x, NULL);
    for (uint32_t i = 0; i < ROPE; i++)
        link[i][0] = CLOTH + i - 1, link[i][1] = CLOTH + i;
    for (uint32_t i = 0; i < ROPE - 1; i++)
        for (uint32_t k = 0; k < 3; k++)
            bend[i][k] = CLOTH + i - 1 + k;
    for (uint32_t i = 0; i < 20; i++)
        solid[i / 4][i % 4] = CLOTH + ROPE + tets[i / 4][i % 4];
    for (uint32_t i = 0; i < 8; i++)
        cluster[i] = CLOTH + ROPE + i, one[i] = 0;
    /* The last of the cube hangs in the air. */
    assert_ok(xpbd_world_set_inverse_masses(w, N - 1, 1, one, 0));
    xpbd_constraints c = {.compliance = &compliance,
                          .compliance_stride = XPBD_SAME,
                          .damping_time = &tau,
                          .damping_time_stride = XPBD_SAME};
    c.particles = cloth.pair[0];
    assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, cloth.n_pairs, &c, NULL));
    c.particles = link[0];
    assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, ROPE, &c, NULL));
    c.compliance = &limp;
    c.particles = bend[0];
    assert_ok(xpbd_world_add_constraints(w, XPBD_BEND_ANGLE, ROPE - 1, &c, NULL));
    c.compliance = &alpha;
    c.particles = solid[0];
    if (xpbd_world_add_constraints(w, XPBD_TET_STVK, 5, &c, NULL) != XPBD_OK)
        fail_msg("%s", xpbd_world_error(w)->text);
    c.compliance = &compliance;
    c.particles = cluster, c.sizes = &corners;
    assert_ok(xpbd_world_add_constraints(w, XPBD_SHAPE_MATCH, 1, &c, NULL));
    kit_scene_free(&cloth);
}

static xpbd_world *make(const char *scheduler, float compliance, float tau,
                        const xpbd_allocator *allocator)
{
    xpbd_world_def def = kit_def(scheduler);
    /* What the iterations have not reached yet counts as energy that is stored, so all need enough
       of them. */
    def.substeps = 4, def.iterations = strstr(scheduler, "jacobi") ? 16 : 2;
    def.acceleration[1] = -9.81f;
    def.allocator = allocator;
    xpbd_world *w = kit_create(&def);
    add_scene(w, compliance, tau);
    return w;
}

/* ---- numbers */

/* Those of a state that are too small for the exponent of a float. */
static uint32_t count_denormals(const xpbd_world *w)
{
    xpbd_world_summary s;
    assert_ok(xpbd_world_summarize(w, &s));
    float(*x)[3] = kit_positions(w), (*v)[3] = kit_velocities(w);
    uint32_t n = 0;
    for (uint32_t i = 0; i < 3 * s.n_particles; i++) {
        n += fpclassify(x[i / 3][i % 3]) == FP_SUBNORMAL;
        n += fpclassify(v[i / 3][i % 3]) == FP_SUBNORMAL;
    }
    free(x);
    free(v);
    float lambda[512];
    const uint32_t links = s.n_constraints[XPBD_DISTANCE];
    for (uint32_t first = 0; first < links; first += 512) {
        const uint32_t some = links - first < 512 ? links - first : 512;
        assert_ok(xpbd_world_read_lambdas(w, XPBD_DISTANCE, first, some, lambda, 0));
        for (uint32_t i = 0; i < some; i++)
            n += fpclassify(lambda[i]) == FP_SUBNORMAL;
    }
    return n;
}

static void check_finite(const xpbd_world *w, const char *name, uint64_t step)
{
    xpbd_diagnostics d;
    assert_ok(xpbd_world_diagnose(w, &d));
    if (d.n_nonfinite > 0)
        fail_msg("%s: particle %u is no number after %llu steps", name, d.first_nonfinite,
                 (unsigned long long)step);
}

/* ---- edits without end */

typedef struct ledger {
    size_t live, most;
} ledger;

static void *count_alloc(void *user, size_t size, size_t alignment)
{
    ledger *l = user;
    l->live += size;
    l->most = l->live > l->most ? l->live : l->most;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void count_free(void *user, void *memory, size_t size)
{
    ((ledger *)user)->live -= memory ? size : 0;
    free(memory);
}

/* Something is hung on, shaken, changed and cut off again. */
static void edit(xpbd_world *w, uint64_t *seed)
{
    const uint32_t p = (uint32_t)(kit_random(seed) % N);
    float x[3], v[3], w1[1] = {1}, w0[1] = {0};
    const float alpha = kit_uniform(seed, 1e-5f, 1e-3f), force = 300;
    kit_position(w, p, x);
    for (uint32_t k = 0; k < 3; k++)
        v[k] = kit_uniform(seed, -2, 2), x[k] += 0.1f * v[k];
    const xpbd_constraints soft = {.compliance = &alpha, .break_force = &force};
    switch (kit_random(seed) % 8) {
    case 0:
        assert_ok(xpbd_world_set_velocities(w, p, 1, v, 0));
        break;
    case 1:
        assert_ok(xpbd_world_set_forces(w, p, 1, v, 0));
        break;
    case 2:
        assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, p, 1, &soft));
        break;
    case 3:
        assert_ok(xpbd_world_enable_constraints(w, XPBD_DISTANCE, p, 1, p % 2));
        break;
    case 4:
        if (p != 0 && p != SIDE - 1 && p != N - 1) /* or all of it falls for ever */
            assert_ok(xpbd_world_set_inverse_masses(w, p, 1, kit_random(seed) % 3 ? w1 : w0, 0));
        break;
    default: {
        uint32_t first, pair[2] = {p, 0};
        assert_ok(xpbd_world_add_particles(w, 1, &(xpbd_particles){.position = x}, &first));
        pair[1] = first;
        assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, 1,
                                             &(xpbd_constraints){.particles = pair}, NULL));
        kit_steps(w, 1, 1.0 / 60);
        assert_ok(xpbd_world_remove_particles(w, first, 1, NULL));
    }
    }
    if (kit_random(seed) % 4 == 0)
        assert_ok(xpbd_world_compact(w, NULL, NULL));
}

/* All that has changed is put back: what is left is memory. */
static void tidy(xpbd_world *w)
{
    assert_ok(xpbd_world_compact(w, NULL, NULL));
    assert_ok(xpbd_world_enable_constraints(w, XPBD_DISTANCE, 0, N, true));
    kit_steps(w, 1, 1.0 / 60);
}

static size_t resident(void)
{
    unsigned long all = 0, here = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    const bool read = f && fscanf(f, "%lu %lu", &all, &here) == 2;
    if (f)
        fclose(f);
    return read ? here * 4096 : 0;
}

/* The most that is held depends on what was there when something was prepared: a piece of memory of
 * 64 KiB more or less, or two. */
enum { CHECKS = 20, CHUNKS = 2 << 16 };

static void test_edits_without_end(void **state)
{
    const uint64_t each = n_steps / 2 / 7;
    uint32_t n_denormal = 0;
    size_t first_resident = 0;
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        ledger l = {0};
        const xpbd_allocator allocator = {count_alloc, count_free, &l};
        xpbd_world *w = make(name, 1e-4f, 0.01f, &allocator);
        uint64_t seed = 1000 + s;
        /* What was cut off falls, and is a kilometre away when it is hung on again. */
        assert_ok(xpbd_world_set_guard(w, XPBD_GUARD_CLAMP, 30, INFINITY));
        size_t half_live = 0, half_most = 0;
        for (uint64_t check = 0; check < CHECKS; check++) {
            for (uint64_t k = 0; k < each / CHECKS; k++) {
                kit_steps(w, 1, 1.0 / 60);
                if (k % 16 == 0)
                    edit(w, &seed);
            }
            tidy(w);
            check_finite(w, name, (check + 1) * (each / CHECKS));
            const uint32_t n = count_denormals(w);
            n_denormal = n > n_denormal ? n : n_denormal;
            if (check < CHECKS / 2) {
                half_live = l.live > half_live ? l.live : half_live;
                half_most = l.most > half_most ? l.most : half_most;
            } else if (l.live > half_live || l.most > half_most + CHUNKS) {
                fail_msg("%s: %zu bytes, at most %zu, after %zu and %zu in the first half", name,
                         l.live, l.most, half_live, half_most);
            }
        }
        print_message("%-24s %llu steps with edits, %zu bytes held, %zu at most\n", name,
                      (unsigned long long)(each / CHECKS * CHECKS), l.live, l.most);
        xpbd_world_destroy(w);
        assert_int_equal(l.live, 0);
        malloc_trim(0);
        const size_t now = resident();
        first_resident = s == 0 ? now : first_resident;
        if (!KIT_SANITIZED &&
            now > first_resident + (size_t)(8 << 20)) /* they keep what is freed */
            fail_msg("%s: %zu bytes resident, %zu after the first world", name, now,
                     first_resident);
    }
    print_message("at most %u denormal numbers in a state\n", n_denormal);
}

/* ---- damped scenes */

static double energy_of(const xpbd_world *w, const float *mass)
{
    xpbd_diagnostics d;
    assert_ok(xpbd_world_diagnose(w, &d));
    float(*x)[3] = kit_positions(w);
    double sum = d.kinetic_energy + d.constraint_energy;
    for (uint32_t i = 0; i < N; i++)
        sum += 9.81 * (double)mass[i] * ((double)x[i][1] + 4);
    free(x);
    return sum;
}

/* The most of every window is compared with that of the one before: within one the energy goes to
 * and fro between what is measured and what is not. */
enum { MOST_WINDOWS = 40, SHORTEST_WINDOW = 250 };

static void test_damped_scenes_only_lose_energy(void **state)
{
    const uint64_t share = n_steps / 2 / 7, many = share / SHORTEST_WINDOW;
    const uint64_t n_windows = many < 1 ? 1 : many < MOST_WINDOWS ? many : MOST_WINDOWS;
    const uint64_t each = share / n_windows;
    static const float push[3] = {0.7f, 0.4f, -0.9f};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        xpbd_world *w = make(name, 1e-3f, 0.02f, NULL);
        float mass[N];
        for (uint32_t i = 0; i < N; i++) /* of all that have one, see add_scene() */
            mass[i] = i != 0 && i != SIDE - 1 && i != N - 1;
        for (uint32_t i = 1; i < N - 1; i += 5)
            if (mass[i] > 0)
                assert_ok(xpbd_world_set_velocities(w, i, 1, push, 0));
        const double start = energy_of(w, mass);
        double before = start, most = 0;
        uint32_t n_denormal = 0;
        for (uint32_t window = 0; window < n_windows; window++) {
            most = 0;
            for (uint64_t k = 0; k < each; k++) {
                kit_steps(w, 1, 1.0 / 60);
                if (k % 8 == 0)
                    most = fmax(most, energy_of(w, mass));
            }
            if (!(most <= before + 1e-6 * start))
                fail_msg("%s: %.9g J in window %u, %.9g J before", name, most, window, before);
            before = most;
            n_denormal = count_denormals(w);
        }
        xpbd_diagnostics d;
        assert_ok(xpbd_world_diagnose(w, &d));
        print_message("%-24s %llu steps, %.6f J at first, %.6f J at last, of it %.2g J of motion; "
                      "%u denormal numbers\n",
                      name, (unsigned long long)(each * n_windows), start, most, d.kinetic_energy,
                      n_denormal);
        assert_below(n_denormal, 1 + N / 20);
        check_finite(w, name, each * n_windows);
        xpbd_world_destroy(w);
    }
}

int main(int argc, char **argv)
{
    n_steps = argc > 1 ? strtoull(argv[1], NULL, 10) : n_steps;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edits_without_end),
        cmocka_unit_test(test_damped_scenes_only_lose_energy),
    };
    return RUN_GROUP("soak", tests);
}
