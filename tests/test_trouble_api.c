/* SPDX-License-Identifier: MIT
 *
 * Regression tests of faults at the border between library and user known from other engines:
 * index offsets, worlds with nothing in them, jumps of pinned bodies, unaligned buffers, signed
 * zeros, the host's locale. A test is named after its entry in the log of known trouble.
 */
#include "support_build.h"

#include <locale.h>
#include <math.h>

/* A bar of 8 corners, all pairs joined. `offset` is the index of its first particle. */
enum { BAR_PAIRS = 28 };

static void add_bar(xpbd_world *w, float at, uint32_t offset)
{
    float x[8][3];
    uint32_t pair[BAR_PAIRS][2], n = 0, first;
    for (uint32_t i = 0; i < 8; i++) {
        x[i][0] = at + (float)(i & 1) * 2;
        x[i][1] = (float)(i >> 1 & 1);
        x[i][2] = (float)(i >> 2);
        for (uint32_t j = 0; j < i; j++, n++) {
            pair[n][0] = offset + i;
            pair[n][1] = offset + j;
        }
    }
    assert_ok(xpbd_world_add_particles(w, 8, &(xpbd_particles){.position = x[0]}, &first));
    assert_int_equal(first, offset);
    assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, BAR_PAIRS,
                                         &(xpbd_constraints){.particles = pair[0]}, &first));
    assert_int_equal(first, offset / 8 * BAR_PAIRS);
}

static void test_A01_the_second_body_has_its_own_particles(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        xpbd_world_def def = kit_def(name);
        xpbd_world *w = kit_create(&def);
        add_bar(w, 0, 0);
        add_bar(w, 10, 8);
        float(*before)[3] = kit_positions(w);
        kit_steps(w, 10, 1.0 / 60);
        float(*after)[3] = kit_positions(w);
        assert_same_floats(after[0], before[0], 48);
        float stretched[8][3];
        for (int i = 0; i < 8; i++) {
            memcpy(stretched[i], before[8 + i], sizeof stretched[i]);
            stretched[i][0] = 10 + (before[8 + i][0] - 10) * 1.1f;
        }
        assert_ok(xpbd_world_set_positions(w, 8, 8, stretched[0], 0));
        kit_steps(w, 1, 1.0 / 60);
        free(after);
        after = kit_positions(w);
        assert_same_floats(after[0], before[0], 24);
        assert_below(after[9][0] - after[8][0], 2.2 - 0.05); /* it contracts */
        double middle = 0;
        for (int i = 8; i < 16; i++)
            middle += (double)after[i][0] / 8;
        /* all have valence 7, so averaging keeps it too; 70 roundings below 16 m */
        assert_near(middle, 11.1, 70 * 0x1p-21);
        for (uint32_t k = 0; k < BAR_PAIRS; k++) { /* constraint k of bar 2 is its own */
            assert_near(kit_lambda(w, k), 0.0, 0.0);
            const uint32_t *p = kit_constraint_particles(w, XPBD_DISTANCE, BAR_PAIRS + k);
            assert_true(p[0] >= 8 && p[0] <= 15 && p[1] >= 8 && p[1] <= 15);
        }
        float f[2][3];
        assert_ok(xpbd_world_read_forces(w, XPBD_DISTANCE, BAR_PAIRS, 1, f[0], 0));
        assert_true(f[0][0] < 0 && f[1][0] > 0); /* pair (9, 8): drawn together */
        free(before);
        free(after);
        xpbd_world_destroy(w);
    }
}

static void test_A05_a_world_with_nothing_to_solve_steps(void **state)
{
    static const float x[10][3] = {{0}};
    const char *scheduler, *layout;
    (void)state;
    for (uint32_t s = 0; (scheduler = xpbd_scheduler_name(s)); s++) {
        for (uint32_t l = 0; (layout = xpbd_layout_name(l)); l++) {
            for (int32_t threads = 1; threads <= 8; threads += 7) {
                xpbd_world_def def = kit_def(scheduler);
                def.acceleration[1] = -9.81f;
                def.layout = layout;
                def.threads = threads;
                xpbd_world *w = kit_create(&def);
                kit_steps(w, 3, 1.0 / 60);
                assert_ok(xpbd_world_prepare(w));
                kit_add_particles(w, 10, x, NULL);
                kit_steps(w, 60, 1.0 / 60);
                float(*at)[3] = kit_positions(w);
                for (int i = 0; i < 10; i++) {
                    assert_near(at[i][1], -4.98675, 2e-4); /* as in N23 */
                    assert_near(at[i][0], 0.0, 0.0);
                }
                free(at);
                xpbd_world_destroy(w);
            }
        }
    }
}

/* Coordinates are multiples of 1/8 before and after: teleported, the cloth is still exactly at
 * rest.
 */
static void test_A11_teleporting_a_body_gives_it_no_velocity(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        kit_scene cloth = kit_grid(8, 8, 0.125f, KIT_STRUCTURAL | KIT_SHEAR);
        cloth.w[0] = 0;
        xpbd_world_def def = kit_def(name);
        xpbd_world *w = kit_build(&def, &cloth, 0.0f);
        static const float zeros[64 * 3] = {0};
        kit_steps(w, 3, 1.0 / 60);
        for (uint32_t i = 0; i < 64; i++)
            cloth.x[i][0] += 100.0f;
        assert_ok(xpbd_world_set_positions(w, 0, 64, cloth.x[0], 0));
        for (int round = 0; round < 5; round++) {
            float(*v)[3] = kit_velocities(w), (*x)[3] = kit_positions(w);
            assert_same_floats(v[0], zeros, 64 * 3);
            assert_same_floats(x[0], cloth.x[0], 64 * 3);
            free(v);
            free(x);
            kit_steps(w, 1, 1.0 / 60);
        }
        kit_scene_free(&cloth);
        xpbd_world_destroy(w);
    }
}

static void test_A11_a_kinematic_particle_pulls_gently(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        kit_scene cloth = kit_grid(8, 8, 0.125f, KIT_STRUCTURAL | KIT_SHEAR);
        cloth.w[0] = 0;
        xpbd_world_def def = kit_def(name);
        xpbd_world *w = kit_build(&def, &cloth, 0.0f);
        for (int i = 1; i <= 10; i++) {
            const float target[3] = {0.1f * (float)i, 0, 0};
            float at[3];
            assert_ok(xpbd_world_move_particles(w, 0, 1, target, 0));
            kit_steps(w, 1, 1.0 / 60);
            kit_position(w, 0, at);
            assert_same_floats(at, target, 3);
            float(*v)[3] = kit_velocities(w);
            assert_near(v[0][0], 6.0, 60 * 0x1p-23 + 1e-5); /* targets are rounded below 1 m */
            for (int k = 1; k < 64; k++)
                assert_below(sqrt(v[k][0] * (double)v[k][0] + v[k][1] * (double)v[k][1] +
                                  v[k][2] * (double)v[k][2]),
                             12.0);
            free(v);
        }
        kit_scene_free(&cloth);
        xpbd_world_destroy(w);
    }
}

/* Every array at every alignment of 4 bytes, with a stride that is no multiple of 8 or 16. */
static void test_X07_unaligned_buffers_give_the_same_bits(void **state)
{
    static const size_t offsets[] = {4, 8, 12, 20};
    (void)state;
    for (uint32_t n = 1; n <= 17; n++) {
        kit_scene scene = kit_pairs(n, n);
        const float rest = 1.0f;
        xpbd_world_def def = kit_def(NULL);
        xpbd_world *plain = kit_create(&def);
        const uint32_t count = scene.n_particles;
        kit_add_particles(plain, count, (const float(*)[3])scene.x, scene.w);
        xpbd_constraints c = {.particles = scene.pair[0], .rest = &rest, .rest_stride = XPBD_SAME};
        assert_ok(xpbd_world_add_constraints(plain, XPBD_DISTANCE, n, &c, NULL));
        kit_steps(plain, 3, 1.0 / 60);
        float(*want)[3] = kit_positions(plain);
        for (uint32_t o = 0; o < COUNT_OF(offsets); o++) {
            const size_t stride = 20;
            unsigned char *buffer = aligned_alloc(64, 64 * count), *base = buffer + offsets[o];
            assert_non_null(buffer);
            for (uint32_t i = 0; i < count; i++) {
                memcpy(base + i * stride, scene.x[i], 12);
                memcpy(base + i * stride + 12, &scene.w[i], 4);
                memcpy(base + i * stride + 16, &scene.pair[i / 2][i % 2], 4);
            }
            xpbd_world *w = kit_create(&def);
            xpbd_particles p = {.position = (const float *)(const void *)base,
                                .position_stride = stride,
                                .inverse_mass = (const float *)(const void *)(base + 12),
                                .inverse_mass_stride = stride};
            assert_ok(xpbd_world_add_particles(w, count, &p, NULL));
            /* The indices of a constraint are packed: copy them behind the particles. */
            unsigned char *indices = base + (count - 1) * stride + 20;
            memcpy(indices, scene.pair[0], n * sizeof scene.pair[0]);
            c.particles = (const uint32_t *)(const void *)indices;
            assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, n, &c, NULL));
            kit_steps(w, 3, 1.0 / 60);
            assert_ok(xpbd_world_read_positions(w, 0, count, (float *)(void *)base, stride));
            for (uint32_t i = 0; i < count; i++)
                assert_memory_equal(base + i * stride, want[i], 12);
            free(buffer);
            xpbd_world_destroy(w);
        }
        free(want);
        kit_scene_free(&scene);
        xpbd_world_destroy(plain);
    }
}

static void test_X09_signed_zeros_are_the_same_state(void **state)
{
    static const float plus[2][3] = {{0, 0, 0}, {0, 1, 0}},
                       minus[2][3] = {{-0.0f, -0.0f, -0.0f}, {-0.0f, 1, -0.0f}};
    static const float masses[2] = {1, -0.0f}; /* minus zero is no negative mass: it pins */
    static const uint32_t pair[1][2] = {{0, 1}};
    const char *isa;
    (void)state;
    for (uint32_t i = 0; (isa = xpbd_isa_name(i)); i++) {
        if (!xpbd_isa_available(i))
            continue;
        xpbd_world_def def = kit_def(NULL);
        def.isa = isa;
        def.acceleration[1] = -9.81f;
        xpbd_world *a = kit_create(&def), *b = kit_create(&def);
        xpbd_particles p = {.position = plus[0], .velocity = minus[0], .inverse_mass = masses};
        assert_ok(xpbd_world_add_particles(a, 2, &p, NULL));
        p = (xpbd_particles){.position = minus[0], .velocity = plus[0], .inverse_mass = masses};
        assert_ok(xpbd_world_add_particles(b, 2, &p, NULL));
        kit_add_distances(a, 1, pair, NULL, 0.0f);
        kit_add_distances(b, 1, pair, NULL, 0.0f);
        static const float nothing[3] = {0};
        assert_ok(xpbd_world_set_velocities(a, 1, 1, nothing, 0));
        assert_ok(xpbd_world_set_velocities(b, 1, 1, nothing, 0));
        assert_ok(xpbd_world_set_velocities(a, 0, 1, minus[0], 0));
        assert_ok(xpbd_world_set_velocities(b, 0, 1, plus[0], 0));
        assert_same_hash(xpbd_world_hash(a), xpbd_world_hash(b), isa);
        kit_steps(a, 10, 1.0 / 60);
        kit_steps(b, 10, 1.0 / 60);
        assert_same_hash(xpbd_world_hash(a), xpbd_world_hash(b), isa);
        float x[3];
        kit_position(a, 1, x);
        assert_same_floats(x, plus[1], 3); /* pinned */
        xpbd_world_destroy(a);
        xpbd_world_destroy(b);
    }
}

/* Where the machine has such a locale: numbers in texts have a point, the locale stays. */
static void test_F06_a_comma_locale_changes_nothing(void **state)
{
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *locale = NULL;
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(locales) && !locale; i++)
        locale = setlocale(LC_ALL, locales[i]);
    if (!locale || strcmp(localeconv()->decimal_point, ",") != 0) {
        setlocale(LC_ALL, "C");
        skip();
    }
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_spring(&def, 1.5f, 0.01f, 0.0f);
    static const float bad = -1.5f;
    kit_steps(w, 1, 0.1);
    float x[3];
    kit_position(w, 1, x);
    assert_near(x[0], 1.25, 0.0);
    assert_status(xpbd_world_set_inverse_masses(w, 1, 1, &bad, 0), XPBD_ERROR_INVERSE_MASS);
    assert_non_null(strstr(xpbd_world_error(w)->text, "-1.5"));
    assert_string_equal(localeconv()->decimal_point, ",");
    xpbd_world_destroy(w);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_A01_the_second_body_has_its_own_particles),
        cmocka_unit_test(test_A05_a_world_with_nothing_to_solve_steps),
        cmocka_unit_test(test_A11_teleporting_a_body_gives_it_no_velocity),
        cmocka_unit_test(test_A11_a_kinematic_particle_pulls_gently),
        cmocka_unit_test(test_X07_unaligned_buffers_give_the_same_bits),
        cmocka_unit_test(test_X09_signed_zeros_are_the_same_state),
        cmocka_unit_test(test_F06_a_comma_locale_changes_nothing),
    };
    return RUN_GROUP("trouble_api", tests);
}
