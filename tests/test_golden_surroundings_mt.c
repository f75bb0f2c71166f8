/* SPDX-License-Identifier: MIT
 *
 * Proves that nothing around a world reaches its bits: the caller's rounding mode and flushing of
 * denormals, during every call of the golden scenes; its locale; the unit of mass. What is in the
 * environment is tests/golden/surroundings.sh.
 */
#define _POSIX_C_SOURCE 200809L /* alarm */

#include "support.h"

#include <fenv.h>
#include <locale.h>
#include <unistd.h>

#include "tests/golden/golden.h"
#include "xpbd/build.h"

/* ---- the floating-point environment */

/* What a caller may have set; the last one is that of a program linked with -ffast-math. */
static const struct {
    const char *name;
    int rounding;
    bool flush;
} modes[] = {{"upward", FE_UPWARD, false},
             {"downward", FE_DOWNWARD, false},
             {"toward zero", FE_TOWARDZERO, false},
             {"denormals flushed", FE_TONEAREST, true}};

#if defined(__x86_64__) && defined(__GLIBC__)
enum { FLUSH = 0x8040 }; /* MXCSR: flush to zero, denormals are zero */
#endif

static void set_mode(uint32_t mode)
{
    fesetround(modes[mode].rounding);
#if defined(__x86_64__) && defined(__GLIBC__)
    fenv_t env;
    fegetenv(&env);
    env.__mxcsr |= modes[mode].flush ? FLUSH : 0;
    fesetenv(&env);
#endif
}

/* Whether the caller still has what he set; then sets the default. */
static bool leave_mode(uint32_t mode)
{
    bool same = fegetround() == modes[mode].rounding;
#if defined(__x86_64__) && defined(__GLIBC__)
    fenv_t env;
    fegetenv(&env);
    same = same && (env.__mxcsr & FLUSH) == (modes[mode].flush ? FLUSH : 0);
#endif
    fesetenv(FE_DFL_ENV);
    return same;
}

/* A record has the very numbers that were given: making them in another mode would give others. */
static void test_every_call_shields_itself_from_the_callers_mode(void **state)
{
    golden_scene scene;
    const char *scheduler;
    (void)state;
    for (uint32_t k = 0; golden_scene_at(k, &scene) && !scene.large; k++) {
        for (uint32_t s = 0; (scheduler = xpbd_scheduler_name(s)); s++) {
            void *record;
            size_t size;
            xpbd_world_def def = golden_def(&scene);
            def.scheduler = scheduler;
            const golden_result result = golden_record(&scene, &def, &record, &size);
            assert_non_null(record);
            assert_same_hash(result.hash, golden_find(scene.name, scheduler)->hash, "recorded");
            for (uint32_t m = 0; m < COUNT_OF(modes); m++) {
                if (KIT_SANITIZED && (k + s) % COUNT_OF(modes) != m) /* each of them somewhere */
                    continue;
                xpbd_replay_report report;
                def.threads = 1 + (int32_t)(m + s) % 2 * 2;
                set_mode(m);
                const xpbd_status status = xpbd_replay(size, record, &def, &report, NULL);
                const bool kept = leave_mode(m);
                assert_ok(status);
                if (report.differs || !kept)
                    fail_msg("%s, %s, %s: %s%s", scene.name, scheduler, modes[m].name, report.text,
                             kept ? "" : " and the caller's mode is another");
                assert_true(report.n_steps > 0);
            }
            free(record);
        }
    }
}

enum { SIDE = 6 };

/* A sheet, and with a fourth corner the tetrahedra that stand on it. */
static void make_mesh(float x[SIDE * SIDE][3], uint32_t corner[SIDE * SIDE][4], uint32_t *n)
{
    uint64_t seed = 3;
    *n = 0;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        x[i][0] = (float)(i % SIDE) + kit_uniform(&seed, -0.2f, 0.2f);
        x[i][1] = (float)(i / SIDE % 2) + kit_uniform(&seed, -0.2f, 0.2f);
        x[i][2] = (float)(i / SIDE) + kit_uniform(&seed, -0.2f, 0.2f);
        if (i % SIDE + 1 < SIDE && i / SIDE + 2 < SIDE) {
            const uint32_t four[4] = {i, i + SIDE, i + 1, i + 2 * SIDE};
            memcpy(corner[(*n)++], four, sizeof four);
        }
    }
}

/* All three builders, in a mode; they take the modulus in numbers that do not end in binary. */
static uint64_t build_in(uint32_t mode, bool *kept)
{
    static const uint32_t pinned[2] = {0, SIDE * SIDE - 1};
    float x[SIDE * SIDE][3];
    uint32_t corner[SIDE * SIDE][4], n;
    make_mesh(x, corner, &n);
    xpbd_world *w = kit_create(NULL);
    xpbd_triangles_def sheet = xpbd_default_triangles_def();
    xpbd_tetrahedra_def solid = xpbd_default_tetrahedra_def();
    xpbd_polyline_def rod = xpbd_default_polyline_def();
    sheet.young_modulus = 1.1e5f, sheet.area_density = 0.7f;
    sheet.options.tethers = true, sheet.options.damping_ratio = 0.3f;
    solid.young_modulus = 1.3e5f, solid.model = XPBD_SOLID_EDGES_AND_VOLUMES;
    xpbd_build_mesh mesh = {.n_vertices = SIDE * SIDE,
                            .position = x[0],
                            .n_elements = n,
                            .elements = corner[0],
                            .elements_stride = sizeof corner[0],
                            .n_pinned = 2,
                            .pinned = pinned};
    xpbd_built built;
    xpbd_status status[4];
    if (mode < COUNT_OF(modes))
        set_mode(mode);
    status[0] = xpbd_build_triangles(w, &mesh, &sheet, &built);
    sheet.stretch = XPBD_SHEET_FEM, sheet.bend = XPBD_SHEET_ISOMETRIC;
    status[1] = xpbd_build_triangles(w, &mesh, &sheet, &built);
    status[2] = xpbd_build_tetrahedra(w, &mesh, &solid, &built);
    mesh.n_elements = 0, mesh.elements = NULL;
    status[3] = xpbd_build_polyline(w, &mesh, &rod, &built);
    *kept = mode >= COUNT_OF(modes) || leave_mode(mode);
    for (uint32_t i = 0; i < COUNT_OF(status); i++)
        assert_ok(status[i]);
    kit_steps(w, 5, 1.0 / 60);
    const uint64_t hash = xpbd_world_hash(w);
    xpbd_world_destroy(w);
    return hash;
}

static void test_builders_shield_themselves_from_the_callers_mode(void **state)
{
    bool kept;
    const uint64_t want = build_in(UINT32_MAX, &kept);
    (void)state;
    for (uint32_t m = 0; m < COUNT_OF(modes); m++) {
        assert_same_hash(build_in(m, &kept), want, modes[m].name);
        assert_true(kept);
    }
}

/* ---- the locale */

/* A decimal comma where the system has one, which surroundings.sh makes where it has not; "" is
 * what the environment asks for. */
static void test_the_locale_does_not_matter(void **state)
{
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "C.UTF-8", ""};
    golden_scene scene;
    uint32_t n_schedulers = 0;
    (void)state;
    while (xpbd_scheduler_name(n_schedulers))
        n_schedulers++;
    for (uint32_t l = 0; l < COUNT_OF(locales); l++) {
        if (!setlocale(LC_ALL, locales[l]))
            continue;
        for (uint32_t k = 0; golden_scene_at(k, &scene) && !scene.large; k++) {
            xpbd_world_def def = golden_def(&scene);
            def.scheduler = xpbd_scheduler_name((k + l) % n_schedulers);
            const golden_result result = golden_run(&scene, &def, 1.0f);
            assert_same_hash(result.hash, golden_find(scene.name, def.scheduler)->hash, locales[l]);
        }
    }
    setlocale(LC_ALL, "C");
}

/* ---- the unit of mass */

/* Masses 2^10 times as large and compliances 2^-10 times: forces and multipliers are 2^10 times
 * what they were, and nothing moves otherwise. A threshold in kg or m/N would show here. */
static void test_masses_and_compliances_scale(void **state)
{
    static const float masses[] = {0x1p10f, 0x1p-10f};
    golden_scene scene;
    (void)state;
    for (uint32_t k = 0; golden_scene_at(k, &scene) && !scene.large; k++) {
        xpbd_world_def def = golden_def(&scene);
        for (uint32_t s = 0; (def.scheduler = xpbd_scheduler_name(s)); s++) {
            const golden_result want = golden_run(&scene, &def, 1.0f);
            assert_same_hash(want.hash, golden_find(scene.name, def.scheduler)->hash, scene.name);
            for (uint32_t m = 0; m < COUNT_OF(masses); m++) {
                char way[96];
                const golden_result got = golden_run(&scene, &def, masses[m]);
                snprintf(way, sizeof way, "%s, %s, masses times %g", scene.name, def.scheduler,
                         (double)masses[m]);
                assert_same_hash(got.motion, want.motion, way);
                assert_int_not_equal(got.hash, want.hash); /* they were scaled */
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_call_shields_itself_from_the_callers_mode),
        cmocka_unit_test(test_builders_shield_themselves_from_the_callers_mode),
        cmocka_unit_test(test_the_locale_does_not_matter),
        cmocka_unit_test(test_masses_and_compliances_scale),
    };
    alarm(280); /* a barrier that never opens ends as a failure, not as a hung build */
    return RUN_GROUP("golden_surroundings_mt", tests);
}
