/* SPDX-License-Identifier: MIT
 *
 * Proves what happens at the end of substeps: the callback sees each of them, may read and change
 * what needs no memory, and nothing else; ports give the mean of the forces; the log says what the
 * library has to say.
 */
#include "support.h"

#include <fenv.h>
#include <math.h>

enum { SIDE = 12 };

static xpbd_world *make_world(uint32_t substeps)
{
    kit_scene cloth = kit_grid(SIDE, SIDE, 0.1f, KIT_STRUCTURAL | KIT_SHEAR);
    cloth.w[0] = cloth.w[SIDE - 1] = 0;
    xpbd_world_def def = kit_def(NULL);
    def.acceleration[1] = -9.81f;
    def.substeps = substeps;
    def.iterations = 3;
    xpbd_world *w = kit_build(&def, &cloth, 1e-6f);
    kit_scene_free(&cloth);
    return w;
}

typedef struct seen {
    uint32_t n, stop_at;
    uint64_t hash[8];
    int rounding;
    float force;
} seen;

static bool look(void *user, xpbd_world *world, uint32_t substep)
{
    seen *s = user;
    float force[2][3];
    s->hash[s->n] = xpbd_world_hash(world);
    s->rounding = fegetround();
    if (xpbd_world_read_forces(world, XPBD_DISTANCE, 0, 1, force[0], 0) != XPBD_OK ||
        substep != s->n) {
        return false;
    }
    s->force = force[1][0];
    s->n++;
    return s->n != s->stop_at;
}

/* Four substeps are four steps of a quarter. */
static void test_a_callback_sees_every_substep(void **state)
{
    xpbd_world *w = make_world(4), *quarters = make_world(1);
    seen s = {0};
    (void)state;
    assert_ok(xpbd_world_set_substep_callback(w, look, &s));
    fesetround(FE_UPWARD);
    const xpbd_status status = xpbd_world_step(w, 1.0 / 64);
    const int after = fegetround();
    fesetround(FE_TONEAREST);
    assert_ok(status);
    assert_int_equal(after, FE_UPWARD);
    assert_int_equal(s.rounding, FE_UPWARD); /* the host's code runs as the host does */
    assert_int_equal(s.n, 4);
    for (uint32_t k = 0; k < 4; k++) {
        float force[2][3];
        kit_steps(quarters, 1, 1.0 / 256);
        assert_same_hash(s.hash[k], xpbd_world_hash(quarters), "substep");
        assert_ok(xpbd_world_read_forces(quarters, XPBD_DISTANCE, 0, 1, force[0], 0));
        if (k == 3) {
            assert_near(s.force, force[1][0], 0.0);
        }
    }
    xpbd_world_destroy(w);
    xpbd_world_destroy(quarters);
}

/* A pinned particle on its way stays where it is when the step ends early. */
static void test_a_callback_can_end_the_step(void **state)
{
    static const float target[3] = {-0.25f, 0.0f, 0.0f};
    xpbd_world *w = make_world(4);
    seen s = {.stop_at = 2};
    float x[3], v[3];
    (void)state;
    kit_position(w, 0, x);
    assert_near(x[0], 0.0, 0.0);
    assert_ok(xpbd_world_move_particles(w, 0, 1, target, 0));
    assert_ok(xpbd_world_set_substep_callback(w, look, &s));
    kit_steps(w, 1, 0.25);
    assert_int_equal(s.n, 2);
    kit_position(w, 0, x);
    assert_near(x[0], -0.125, 0.0);
    assert_ok(xpbd_world_set_substep_callback(w, NULL, NULL));
    kit_steps(w, 1, 0.25); /* it rests now */
    kit_position(w, 0, x);
    kit_velocity(w, 0, v);
    assert_near(x[0], -0.125, 0.0);
    assert_near(v[0], 0.0, 0.0);
    xpbd_world_destroy(w);
}

/* What was called inside, and what came back. */
typedef struct tried {
    uint32_t n_refused, n_done, n_wrong;
} tried;

static void note(tried *t, xpbd_status status, bool allowed)
{
    t->n_refused += status == XPBD_ERROR_INSIDE_STEP;
    t->n_done += status == XPBD_OK;
    t->n_wrong += status != (allowed ? XPBD_OK : XPBD_ERROR_INSIDE_STEP);
}

static bool try_all(void *user, xpbd_world *w, uint32_t substep)
{
    static const float x[3] = {0.5f, 0.5f, 0.5f}, zero[3] = {0, 0, 0}, one = 1.0f, half = 0.5f;
    static const uint32_t pair[2] = {1, 2};
    static const xpbd_reservation reservation = {.particles = 1};
    tried *t = user;
    uint32_t port;
    (void)substep;
    const uint64_t before = xpbd_world_hash(w);
    note(t, xpbd_world_step(w, 0.01), false);
    note(t, xpbd_world_prepare(w), false);
    note(t, xpbd_world_add_particles(w, 1, &(xpbd_particles){.position = x}, NULL), false);
    note(t,
         xpbd_world_add_constraints(w, XPBD_DISTANCE, 1, &(xpbd_constraints){.particles = pair},
                                    NULL),
         false);
    note(t, xpbd_world_reserve(w, &reservation), false);
    note(t, xpbd_world_enable_constraints(w, XPBD_DISTANCE, 0, 1, false), false);
    note(t, xpbd_world_set_inverse_masses(w, 5, 1, &one, 0), false);
    note(t, xpbd_world_move_particles(w, 0, 1, x, 0), false);
    note(t, xpbd_world_set_solver(w, 1, 1), false);
    note(t, xpbd_world_set_acceleration(w, zero), false);
    note(t, xpbd_world_set_threads(w, 1), false);
    note(t, xpbd_world_set_substep_callback(w, NULL, NULL), false);
    note(t, xpbd_world_add_particle_port(w, 0, &port), false);
    note(t, xpbd_world_add_constraint_port(w, XPBD_DISTANCE, 0, &port), false);
    note(t, xpbd_world_clear_ports(w), false);
    note(t, xpbd_world_set_forces(w, 0, 1, zero, 0), false); /* no forces yet */
    note(
        t,
        xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, 1, &(xpbd_constraints){.stiffness = &half}),
        false); /* no stiffness yet */
    xpbd_world_destroy(w);
    t->n_wrong += xpbd_world_hash(w) != before;
    note(t, xpbd_world_set_positions(w, 5, 1, x, 0), true);
    note(t, xpbd_world_set_velocities(w, 5, 1, x, 0), true);
    note(t, xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, 1, &(xpbd_constraints){.rest = &half}),
         true);
    t->n_wrong += xpbd_world_hash(w) == before;
    return true;
}

static void test_inside_a_step_only_what_needs_no_memory_works(void **state)
{
    xpbd_world *w = make_world(2);
    tried t = {0};
    float x[3];
    (void)state;
    assert_ok(xpbd_world_set_substep_callback(w, try_all, &t));
    kit_steps(w, 1, 1e-6); /* so short that nothing moves far */
    assert_int_equal(t.n_wrong, 0);
    assert_int_equal(t.n_refused, 2 * 17);
    assert_int_equal(t.n_done, 2 * 3);
    assert_non_null(strstr(xpbd_world_error(w)->text, "substep 1"));
    kit_position(w, 5, x);
    assert_near(x[1], 0.5, 1e-6);
    /* Outside, all is as before. */
    assert_ok(xpbd_world_set_substep_callback(w, NULL, NULL));
    assert_ok(xpbd_world_set_forces(w, 5, 1, x, 0));
    kit_steps(w, 1, 0.01);
    xpbd_world_destroy(w);
}

static bool put_hub(void *user, xpbd_world *world, uint32_t substep)
{
    const float x[3] = {0, (float)(substep + 1), 0};
    (void)user;
    return xpbd_world_set_positions(world, 0, 1, x, 0) == XPBD_OK;
}

/* A pinned particle of many constraints has copies: they follow within the step. */
static void test_a_hub_that_a_callback_moves_takes_its_copies_along(void **state)
{
    static const char *const names[] = {"serial-gs", "colored-gs"};
    float end[2][3];
    (void)state;
    for (uint32_t k = 0; k < 2; k++) {
        kit_scene star = kit_star(200);
        star.w[0] = 0;
        xpbd_world_def def = kit_def(names[k]);
        def.substeps = 3;
        def.iterations = 1;
        xpbd_world *w = kit_build(&def, &star, 0.0f);
        assert_ok(xpbd_world_set_substep_callback(w, put_hub, NULL));
        kit_steps(w, 1, 0.1);
        kit_position(w, 200, end[k]);
        kit_scene_free(&star);
        xpbd_world_destroy(w);
    }
    assert_same_floats(end[1], end[0], 3);
    assert_true(end[0][1] > 0.5f);
}

/* A weight on two springs in a row: what the hand at the pinned end feels is the weight of both
 * particles once it hangs still, and the ports of a constraint pull at both its ends. Half a unit
 * in the last place of 2 m is 5e-4 of the way that gravity makes in a substep, g dt^2, and
 * positions are rounded at the prediction and at each iteration that still moves them. */
static void test_ports_feel_the_weight(void **state)
{
    static const float x[3][3] = {{0, 0, 0}, {0, -1, 0}, {0, -2, 0}}, w[3] = {0, 2.0f, 0.5f};
    static const uint32_t pair[2][2] = {{0, 1}, {1, 2}};
    static const float compliance = 1e-3f, damping_time = 0.05f;
    xpbd_world_def def = kit_def(NULL);
    uint32_t hand, again, middle, spring;
    float f[2][3];
    (void)state;
    def.acceleration[1] = -9.81f;
    def.substeps = 2;
    xpbd_world *world = kit_create(&def);
    kit_add_particles(world, 3, x, w);
    const xpbd_constraints springs = {.particles = pair[0],
                                      .compliance = &compliance,
                                      .compliance_stride = XPBD_SAME,
                                      .damping_time = &damping_time,
                                      .damping_time_stride = XPBD_SAME};
    assert_ok(xpbd_world_add_constraints(world, XPBD_DISTANCE, 2, &springs, NULL));
    assert_ok(xpbd_world_add_particle_port(world, 0, &hand));
    assert_ok(xpbd_world_add_particle_port(world, 1, &middle));
    assert_ok(xpbd_world_add_constraint_port(world, XPBD_DISTANCE, 1, &spring));
    assert_ok(xpbd_world_add_particle_port(world, 0, &again));
    assert_ok(xpbd_world_read_port(world, hand, f[0]));
    assert_near(f[0][1], 0.0, 0.0);
    kit_steps(world, 400, 0.01);
    assert_ok(xpbd_world_read_port(world, hand, f[0]));
    assert_near(f[0][1], -2.5 * 9.81, 2.5 * 9.81 * 2e-3);
    assert_ok(xpbd_world_read_port(world, again, f[1]));
    assert_same_floats(f[1], f[0], 3);
    assert_ok(xpbd_world_read_port(world, middle, f[0])); /* carries itself: 0.5 kg */
    assert_near(f[0][1], 0.5 * 9.81, 2.5 * 9.81 * 2e-3);
    assert_ok(xpbd_world_read_port(world, spring, f[0]));
    assert_near(f[0][1], -2.0 * 9.81, 2.0 * 9.81 * 2e-3);
    assert_near(f[1][1], 2.0 * 9.81, 2.0 * 9.81 * 2e-3);
    xpbd_world_destroy(world);
}

/* The mean over the substeps, against the forces that a callback reads in each. */
typedef struct sums {
    double force[2][3];
    uint32_t n, stop_at;
} sums;

static bool add_forces(void *user, xpbd_world *world, uint32_t substep)
{
    sums *s = user;
    float force[2][3];
    (void)substep;
    s->n += xpbd_world_read_forces(world, XPBD_DISTANCE, 7, 1, force[0], 0) == XPBD_OK;
    for (uint32_t k = 0; k < 6; k++) {
        s->force[k / 3][k % 3] += (double)force[k / 3][k % 3];
    }
    return s->n != s->stop_at;
}

static void test_a_port_is_the_mean_over_the_substeps(void **state)
{
    xpbd_world *w = make_world(7);
    uint32_t port;
    float f[2][3], most = 0;
    (void)state;
    assert_ok(xpbd_world_add_constraint_port(w, XPBD_DISTANCE, 7, &port));
    for (uint32_t step = 0; step < 5; step++) {
        /* One of the steps ends early: it has a mean over fewer. */
        sums s = {.stop_at = step == 3 ? 4 : 0};
        assert_ok(xpbd_world_set_substep_callback(w, add_forces, &s));
        kit_steps(w, 1, 1.0 / 60);
        assert_int_equal(s.n, step == 3 ? 4 : 7);
        assert_ok(xpbd_world_read_port(w, port, f[0]));
        for (uint32_t k = 0; k < 6; k++) {
            const double want = s.force[k / 3][k % 3] / s.n;
            assert_near(f[k / 3][k % 3], want, 1e-6 * (fabs(want) + 1e-3));
            most = fmaxf(most, fabsf(f[k / 3][k % 3]));
        }
    }
    assert_true(most > 0.01f); /* there was something to feel */
    xpbd_world_destroy(w);
}

/* Elements of one constraint that meet at the particle; what is added later counts as well. */
static void test_a_port_follows_what_is_added(void **state)
{
    static const float at[3] = {0, -0.3f, 0}, one = 1.0f;
    xpbd_world *w = make_world(1);
    uint32_t port, first;
    float alone[3], both[3], force[2][3];
    (void)state;
    assert_ok(xpbd_world_add_particle_port(w, 0, &port));
    kit_steps(w, 3, 1.0 / 60);
    assert_ok(xpbd_world_read_port(w, port, alone));
    assert_ok(xpbd_world_add_particles(
        w, 1, &(xpbd_particles){.position = at, .inverse_mass = &one}, &first));
    const uint32_t pair[2] = {0, first};
    uint32_t thread;
    assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, 1,
                                         &(xpbd_constraints){.particles = pair}, &thread));
    kit_steps(w, 1, 1.0 / 60);
    assert_ok(xpbd_world_read_port(w, port, both));
    assert_ok(xpbd_world_read_forces(w, XPBD_DISTANCE, thread, 1, force[0], 0));
    assert_near(force[0][1], -9.81, 0.01);
    assert_true(both[1] < alone[1] - 5.0f);
    xpbd_world_destroy(w);
}

static void test_ports_that_are_none_are_refused(void **state)
{
    xpbd_world *w = make_world(1);
    uint32_t port = 77;
    float f[6];
    (void)state;
    assert_status(xpbd_world_add_particle_port(NULL, 0, &port), XPBD_ERROR_NULL);
    assert_status(xpbd_world_add_particle_port(w, SIDE * SIDE, &port), XPBD_ERROR_RANGE);
    assert_status(xpbd_world_add_particle_port(w, 0, NULL), XPBD_ERROR_NULL);
    assert_status(xpbd_world_add_constraint_port(w, XPBD_CONSTRAINT_TYPE_COUNT, 0, &port),
                  XPBD_ERROR_TYPE);
    assert_status(xpbd_world_add_constraint_port(w, XPBD_MESH_VOLUME, 0, &port), XPBD_ERROR_TYPE);
    assert_status(xpbd_world_add_constraint_port(w, XPBD_ROPE, 0, &port), XPBD_ERROR_RANGE);
    assert_status(xpbd_world_read_port(w, 0, f), XPBD_ERROR_RANGE);
    assert_int_equal(port, 77);
    assert_ok(xpbd_world_add_particle_port(w, 0, &port));
    assert_int_equal(port, 0);
    assert_status(xpbd_world_read_port(w, 0, NULL), XPBD_ERROR_NULL);
    assert_ok(xpbd_world_clear_ports(w));
    assert_status(xpbd_world_read_port(w, 0, f), XPBD_ERROR_RANGE);
    assert_status(xpbd_world_clear_ports(NULL), XPBD_ERROR_NULL);
    kit_steps(w, 1, 0.01);
    xpbd_world_destroy(w);
}

typedef struct lines {
    uint32_t n[3];
    char last[3][256];
} lines;

static void write_line(void *user, xpbd_log_level level, const char *text)
{
    lines *l = user;
    l->n[level]++;
    snprintf(l->last[level], sizeof l->last[level], "%s", text);
}

static void test_the_log_says_what_fails_and_what_was_made(void **state)
{
    lines l = {{0}, {""}};
    xpbd_world_def def = kit_def("colored-gs");
    xpbd_world *w;
    (void)state;
    def.log = (xpbd_log){write_line, &l};
    def.threads = XPBD_THREADS_MAX; /* more than there are processors, on most machines */
    w = kit_create(&def);
    xpbd_world_summary summary;
    assert_ok(xpbd_world_summarize(w, &summary));
    assert_int_equal(l.n[XPBD_LOG_WARNING], summary.oversubscribed);
    assert_ok(xpbd_world_set_threads(w, 1));
    assert_int_equal(l.n[XPBD_LOG_ERROR], 0);
    assert_status(xpbd_world_set_threads(w, -3), XPBD_ERROR_THREADS);
    assert_int_equal(l.n[XPBD_LOG_ERROR], 1);
    assert_string_equal(l.last[XPBD_LOG_ERROR], xpbd_world_error(w)->text);
    kit_steps(w, 2, 0.01);
    assert_int_equal(l.n[XPBD_LOG_INFO], 1);
    assert_non_null(strstr(l.last[XPBD_LOG_INFO], "colored-gs"));
    def.scheduler = "nonsense"; /* before there is a world */
    assert_status(xpbd_world_create(&def, &(xpbd_world *){NULL}, NULL),
                  XPBD_ERROR_UNKNOWN_SCHEDULER);
    assert_int_equal(l.n[XPBD_LOG_ERROR], 2);
    xpbd_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_callback_sees_every_substep),
        cmocka_unit_test(test_a_callback_can_end_the_step),
        cmocka_unit_test(test_inside_a_step_only_what_needs_no_memory_works),
        cmocka_unit_test(test_a_hub_that_a_callback_moves_takes_its_copies_along),
        cmocka_unit_test(test_ports_feel_the_weight),
        cmocka_unit_test(test_a_port_is_the_mean_over_the_substeps),
        cmocka_unit_test(test_a_port_follows_what_is_added),
        cmocka_unit_test(test_ports_that_are_none_are_refused),
        cmocka_unit_test(test_the_log_says_what_fails_and_what_was_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
