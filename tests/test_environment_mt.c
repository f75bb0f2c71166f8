/* SPDX-License-Identifier: MIT
 *
 * Proves that the caller's floating-point environment neither reaches the solver (also not the
 * threads it creates) nor is changed by it: rounding modes, flush-to-zero, raised and unmasked
 * exceptions, on a scene with subnormal numbers in it. The caller's affinity mask likewise.
 */
#define _GNU_SOURCE /* feenableexcept, sched_getaffinity */

#include "support.h"

#include <fenv.h>
#include <sched.h>
#include <unistd.h>

/* A cloth, and particles that move by subnormal amounts: flushed to zero they would stay. The test
 * itself must not round: coordinates are powers of two. */
static xpbd_world *make_world(const char *scheduler, int32_t threads)
{
    kit_scene cloth = kit_grid(16, 16, 0.125f, KIT_STRUCTURAL | KIT_SHEAR);
    cloth.w[0] = 0;
    static const float tiny_x[2][3] = {{0x1p-130f, 0, 0}, {0, 0x1p-140f, 0}};
    static const float tiny_v[2][3] = {{0x1p-127f, 0, 0}, {0, -0x1p-128f, 0}};
    static const float gravity[3] = {0, 0, 0}, push[3] = {0.3f, -0.7f, 0.1f};
    xpbd_world_def def = kit_def(scheduler);
    def.threads = threads;
    def.iterations = 4;
    xpbd_world *w = kit_build(&def, &cloth, 1e-5f);
    assert_ok(xpbd_world_set_acceleration(w, gravity));
    for (uint32_t i = 5; i < 256; i += 11)
        assert_ok(xpbd_world_set_velocities(w, i, 1, push, 0));
    assert_ok(xpbd_world_add_particles(
        w, 2, &(xpbd_particles){.position = tiny_x[0], .velocity = tiny_v[0]}, NULL));
    kit_scene_free(&cloth);
    return w;
}

/* The whole life in the environment that is set: adding, preparing, stepping, reading. */
static uint64_t run(const char *scheduler, int32_t threads)
{
    xpbd_world *w = make_world(scheduler, threads);
    kit_steps(w, 6, 1.0 / 60);
    const uint64_t hash = xpbd_world_hash(w);
    xpbd_world_destroy(w);
    return hash;
}

static void test_rounding_modes_stay_outside(void **state)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        const uint64_t want = run(name, 1);
        for (uint32_t i = 0; i < COUNT_OF(modes); i++) {
            for (int32_t threads = 1; threads <= 3; threads += 2) {
                fesetround(modes[i]);
                const uint64_t got = run(name, threads);
                const int after = fegetround();
                fesetround(FE_TONEAREST);
                assert_int_equal(after, modes[i]);
                assert_same_hash(got, want, name);
            }
        }
    }
}

/* Each call that computes, on its own: what was computed before in the default environment must
 * not be repaired by accident. */
static void test_each_call_shields_itself(void **state)
{
    static const float v[3] = {0.1f, 0.2f, 0.3f};
    xpbd_diagnostics d, e;
    (void)state;
    xpbd_world *a = make_world(NULL, 2), *b = make_world(NULL, 2);
    assert_ok(xpbd_world_prepare(a));
    fesetround(FE_UPWARD);
    assert_ok(xpbd_world_prepare(b));
    assert_int_equal(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    kit_steps(a, 2, 0.01);
    fesetround(FE_DOWNWARD);
    kit_steps(b, 2, 0.01);
    assert_int_equal(fegetround(), FE_DOWNWARD);
    fesetround(FE_TONEAREST);
    assert_same_hash(xpbd_world_hash(b), xpbd_world_hash(a), "steps, rounding downward");
    assert_ok(xpbd_world_set_velocities(a, 3, 1, v, 0));
    assert_ok(xpbd_world_diagnose(a, &d));
    float f[2][3], g[2][3];
    assert_ok(xpbd_world_read_forces(a, XPBD_DISTANCE, 7, 1, f[0], 0));
    fesetround(FE_UPWARD);
    assert_ok(xpbd_world_set_velocities(b, 3, 1, v, 0));
    assert_ok(xpbd_world_diagnose(b, &e));
    assert_ok(xpbd_world_read_forces(b, XPBD_DISTANCE, 7, 1, g[0], 0));
    assert_int_equal(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    assert_same_hash(xpbd_world_hash(b), xpbd_world_hash(a), "set_velocities, rounding upward");
    assert_same_floats(g[0], f[0], 6);
    assert_near(e.residual_rms, d.residual_rms, 0.0);
    assert_near(e.kinetic_energy, d.kinetic_energy, 0.0);
    for (int k = 0; k < 3; k++)
        assert_near(e.momentum[k], d.momentum[k], 0.0);
    xpbd_world_destroy(a);
    xpbd_world_destroy(b);
}

/* Values that are computed when they are set: damping, and stiffness by the iterations. */
static uint64_t change_and_read(int rounding)
{
    static const float alpha = 1.1e-5f, beta = 0.3f, tau = 0.0123f, k = 0.3f;
    const xpbd_constraints soft = {.compliance = &alpha,
                                   .damping = &beta,
                                   .damping_time = &tau,
                                   .compliance_stride = XPBD_SAME};
    float lambda;
    xpbd_world *w = make_world(NULL, 1);
    assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, 1, &soft));
    assert_ok(
        xpbd_world_set_constraints(w, XPBD_DISTANCE, 1, 1, &(xpbd_constraints){.stiffness = &k}));
    kit_steps(w, 1, 0.01);
    fesetround(rounding);
    for (uint32_t i = 5; i < 100; i++)
        assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, i, 1, &soft));
    for (uint32_t i = 100; i < 200; i++)
        assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, i, 1,
                                             &(xpbd_constraints){.stiffness = &k}));
    assert_ok(xpbd_world_set_solver(w, 1, 7));
    assert_ok(xpbd_world_read_lambdas(w, XPBD_DISTANCE, 7, 1, &lambda, 0));
    assert_int_equal(fegetround(), rounding);
    fesetround(FE_TONEAREST);
    kit_steps(w, 2, 0.01);
    const uint64_t hash = xpbd_world_hash(w);
    xpbd_world_destroy(w);
    return hash;
}

static void test_changes_shield_themselves(void **state)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const uint64_t want = change_and_read(FE_TONEAREST);
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(modes); i++)
        assert_same_hash(change_and_read(modes[i]), want, "changes, another rounding");
}

#if defined(__x86_64__) && defined(__GLIBC__)
static const unsigned flush_bits = 0x8040; /* MXCSR: flush to zero, denormals are zero */
#endif

/* A host that was linked with -ffast-math, or an audio engine. */
static void test_flush_to_zero_stays_outside(void **state)
{
    (void)state;
#if defined(__x86_64__) && defined(__GLIBC__)
    const char *name;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        const uint64_t want = run(name, 1);
        for (int32_t threads = 1; threads <= 3; threads += 2) {
            fenv_t normal, flushing, after;
            fegetenv(&normal);
            flushing = normal;
            flushing.__mxcsr |= flush_bits;
            fesetenv(&flushing);
            volatile float tiny = 0x1p-126f, half = tiny / 2; /* volatile: computed here */
            const uint64_t got = run(name, threads);
            fegetenv(&after);
            fesetenv(&normal);
            assert_near(half, 0.0, 0.0); /* it was in force */
            assert_int_equal(after.__mxcsr & flush_bits, flush_bits);
            assert_same_hash(got, want, name);
        }
    }
#else
    skip();
#endif
}

static void test_exception_flags_stay_as_they_were(void **state)
{
    static const int raised[] = {0, FE_DIVBYZERO | FE_INVALID, FE_INEXACT, FE_ALL_EXCEPT};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        for (uint32_t i = 0; i < COUNT_OF(raised); i++) {
            xpbd_diagnostics d;
            xpbd_world *w = make_world(name, 2);
            feclearexcept(FE_ALL_EXCEPT);
            if (raised[i])
                feraiseexcept(raised[i]);
            const int before = fetestexcept(FE_ALL_EXCEPT);
            const xpbd_status status = xpbd_world_step(w, 1.0 / 60);
            const int after_step = fetestexcept(FE_ALL_EXCEPT);
            const xpbd_status diagnosed = xpbd_world_diagnose(w, &d);
            const int after_diagnose = fetestexcept(FE_ALL_EXCEPT);
            float lambda;
            const xpbd_status read = xpbd_world_read_lambdas(w, XPBD_DISTANCE, 0, 1, &lambda, 0);
            const int after_read = fetestexcept(FE_ALL_EXCEPT);
            feclearexcept(FE_ALL_EXCEPT);
            assert_ok(status);
            assert_ok(diagnosed);
            assert_int_equal(after_step, before);
            assert_int_equal(after_diagnose, before);
            assert_ok(read);
            assert_int_equal(after_read, before);
            xpbd_world_destroy(w);
        }
    }
}

/* A host that hunts its own faults with trapping exceptions: pad lanes and the discarded side of a
 * branch-free choice may divide by zero, which is not the host's concern. */
static void test_trapping_exceptions_are_not_tripped(void **state)
{
    (void)state;
#if defined(__x86_64__) && defined(__GLIBC__)
    const char *name;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        for (int32_t threads = 1; threads <= 3; threads += 2) {
            const uint64_t want = run(name, 1);
            feclearexcept(FE_ALL_EXCEPT);
            feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
            const uint64_t got = run(name, threads);
            const int enabled = fedisableexcept(FE_ALL_EXCEPT);
            feclearexcept(FE_ALL_EXCEPT);
            assert_true(enabled & FE_DIVBYZERO && enabled & FE_INVALID);
            assert_same_hash(got, want, name);
        }
    }
#else
    skip();
#endif
}

static void test_T11_the_callers_mask_stays_as_it_was(void **state)
{
    const char *name, *pinning;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        for (uint32_t p = 0; (pinning = xpbd_pinning_name(p)); p++) {
            cpu_set_t before, after;
            kit_scene cloth = kit_grid(16, 16, 0.1f, KIT_STRUCTURAL | KIT_SHEAR);
            xpbd_world_def def = kit_def(name);
            def.threads = 2;
            def.pinning = pinning;
            assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
            xpbd_world *w = kit_build(&def, &cloth, 0.0f);
            for (int i = 0; i < 3; i++) {
                kit_steps(w, 1, 1.0 / 60);
                assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
                assert_true(CPU_EQUAL(&before, &after));
            }
            xpbd_world_destroy(w);
            assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
            assert_true(CPU_EQUAL(&before, &after));
            kit_scene_free(&cloth);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounding_modes_stay_outside),
        cmocka_unit_test(test_each_call_shields_itself),
        cmocka_unit_test(test_changes_shield_themselves),
        cmocka_unit_test(test_flush_to_zero_stays_outside),
        cmocka_unit_test(test_exception_flags_stay_as_they_were),
        cmocka_unit_test(test_trapping_exceptions_are_not_tripped),
        cmocka_unit_test(test_T11_the_callers_mask_stays_as_it_was),
    };
    alarm(280); /* a barrier that never opens ends as a failure, not as a hung build */
    return RUN_GROUP("environment_mt", tests);
}
