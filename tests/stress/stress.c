/* SPDX-License-Identifier: MIT
 *
 * stress SEED LIVES [LARGEST]: random worlds with random lives. Each is lived twice: by a twin on
 * one thread with the scalar kernels, and with whatever threads, layout and instruction set came
 * up, in several threads of the host at once, while signals rain. The hashes of both have to be the
 * same after every step. Then the process forks, and the child goes on. It prints a hash of all,
 * which stress.sh compares between environments.
 */
#define _DEFAULT_SOURCE
#include "tests/support.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOSTS = 3, STEPS = 12 };

static uint64_t first_seed = 1, n_lives = 7;
static uint32_t largest = 48;

/* ---- a life */

typedef struct life {
    uint64_t seed;
    bool twin;
    uint64_t hash[STEPS];
} life;

static uint32_t draw(uint64_t *seed, uint32_t n)
{
    return (uint32_t)(kit_random(seed) % n);
}

/* A sheet of springs, large enough for several threads or not, bends, and clusters. */
static void add_mesh(xpbd_world *w, uint64_t *seed)
{
    kit_scene mesh = kit_grid(4 + draw(seed, largest), 4 + draw(seed, largest), 0.1f,
                              KIT_STRUCTURAL | (draw(seed, 2) ? KIT_SHEAR : KIT_BEND));
    if (draw(seed, 2))
        kit_scramble(&mesh, *seed);
    mesh.w[draw(seed, mesh.n_particles)] = 0;
    kit_add_particles(w, mesh.n_particles, (const float(*)[3])mesh.x, mesh.w);
    kit_add_distances(w, mesh.n_pairs, (const uint32_t(*)[2])mesh.pair, NULL,
                      draw(seed, 2) ? 1e-5f : 0);
    for (uint32_t k = draw(seed, 200); k > 0 && mesh.n_particles > 8; k--) {
        const uint32_t p = draw(seed, mesh.n_particles - 8), five = 5;
        const uint32_t ids[5] = {p, p + 1, p + 3, p + 4, p + 7};
        const float alpha = 1e-2f;
        const bool cluster = draw(seed, 4) == 0;
        const xpbd_constraints c = {
            .particles = ids, .sizes = cluster ? &five : NULL, .compliance = &alpha};
        assert_ok(xpbd_world_add_constraints(w, cluster ? XPBD_SHAPE_MATCH : XPBD_BEND_ANGLE, 1, &c,
                                             NULL));
    }
    kit_scene_free(&mesh);
}

static void save_and_load(xpbd_world *w)
{
    size_t size = 0;
    assert_ok(xpbd_world_save(w, 0, NULL, &size));
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_ok(xpbd_world_save(w, size, bytes, &size));
    assert_ok(xpbd_world_load(w, size, bytes));
    free(bytes);
}

/* Refused ones, of what was removed, are part of the game: for both alike. */
static void edit(xpbd_world *w, uint64_t *seed)
{
    xpbd_world_summary s;
    assert_ok(xpbd_world_summarize(w, &s));
    const uint32_t n = s.n_particles, m = s.n_constraints[XPBD_DISTANCE];
    const uint32_t p = draw(seed, n), i = draw(seed, m), some = 1 + draw(seed, 40);
    const uint32_t count = i + some < m ? some : 1;
    const float mass = draw(seed, 2) ? 1.0f : 0.0f, alpha = kit_uniform(seed, 0, 1e-4f);
    const float v[3] = {kit_uniform(seed, -2, 2), 1, kit_uniform(seed, -2, 2)}, tau = 0.01f;
    const xpbd_constraints soft = {.compliance = &alpha,
                                   .compliance_stride = XPBD_SAME,
                                   .damping_time = &tau,
                                   .damping_time_stride = XPBD_SAME};
    uint32_t pair[2] = {p, (p + 1 + draw(seed, n - 1)) % n};
    float x[3];
    kit_position(w, p, x);
    x[1] += 0.05f;
    switch (draw(seed, 12)) {
    case 0:
        assert_ok(xpbd_world_add_particles(w, 1, &(xpbd_particles){.position = x}, &pair[1]));
        (void)xpbd_world_add_constraints(w, XPBD_DISTANCE, 1,
                                         &(xpbd_constraints){.particles = pair}, NULL);
        break;
    case 1:
        (void)xpbd_world_add_constraints(w, XPBD_ROPE, 1, &(xpbd_constraints){.particles = pair},
                                         NULL);
        break;
    case 2:
        assert_ok(xpbd_world_remove_constraints(w, XPBD_DISTANCE, i, count));
        break;
    case 3:
        assert_ok(xpbd_world_remove_particles(w, p, 1, NULL));
        break;
    case 4:
        assert_ok(xpbd_world_compact(w, NULL, NULL));
        break;
    case 5:
        (void)xpbd_world_set_inverse_masses(w, p, 1, &mass, 0);
        break;
    case 6:
        (void)xpbd_world_set_constraints(w, XPBD_DISTANCE, i, count, &soft);
        break;
    case 7:
        (void)xpbd_world_enable_constraints(w, XPBD_DISTANCE, i, count, mass > 0);
        break;
    case 8:
        (void)xpbd_world_set_velocities(w, p, 1, v, 0);
        break;
    case 9:
        assert_ok(xpbd_world_set_solver(w, 1 + p % 2, 1 + p % 5));
        break;
    case 10:
        assert_ok(xpbd_world_set_tolerance(w, mass > 0 ? 1e-4f : 0, 1 + p % 3));
        break;
    default:
        save_and_load(w);
    }
}

static xpbd_world *make(uint64_t *seed, bool twin)
{
    uint32_t n = 0;
    while (xpbd_scheduler_name(n))
        n++;
    xpbd_world_def def = kit_def(xpbd_scheduler_name((uint32_t)(*seed % n))); /* all have a turn */
    const uint32_t layout = draw(seed, 2), threads = draw(seed, 10), isa = draw(seed, 8);
    const uint32_t pinning = draw(seed, 3);
    def.acceleration[1] = -9.81f;
    def.iterations = 4;
    def.guard = XPBD_GUARD_CLAMP, def.max_speed = 20;
    if (!twin) {
        def.layout = xpbd_layout_name(layout);
        def.isa = isa < 5 && xpbd_isa_available(isa) ? xpbd_isa_name(isa) : NULL;
        def.threads = (int32_t)threads; /* 0: automatic; more than there are processors */
        def.pinning = xpbd_pinning_name(pinning);
    } else {
        def.isa = "scalar";
    }
    return kit_create(&def);
}

static void live(life *l)
{
    uint64_t seed = l->seed;
    xpbd_world *w = make(&seed, l->twin);
    add_mesh(w, &seed);
    for (uint32_t step = 0; step < STEPS; step++) {
        for (uint32_t k = draw(&seed, 4); k > 0; k--)
            edit(w, &seed);
        const int32_t threads = (int32_t)draw(&seed, 9);
        if (!l->twin && step % 4 == 3)
            assert_ok(xpbd_world_set_threads(w, threads));
        kit_steps(w, 1, 1.0 / 60);
        l->hash[step] = xpbd_world_hash(w);
    }
    xpbd_world_destroy(w);
}

/* ---- all at once */

static life twins[256], others[256];

static void compare(const life *got, const life *want)
{
    for (uint32_t step = 0; step < STEPS; step++)
        if (got->hash[step] != want->hash[step])
            fail_msg("seed %llu, step %u: %016llx, and %016llx on one thread",
                     (unsigned long long)got->seed, step, (unsigned long long)got->hash[step],
                     (unsigned long long)want->hash[step]);
}

static void *host(void *context)
{
    const uint64_t h = (uint64_t)(uintptr_t)context;
    for (uint64_t k = h; k < n_lives; k += HOSTS)
        live(&others[k]);
    return NULL;
}

static void test_lives_are_those_of_their_twins(void **state)
{
    pthread_t hosts[HOSTS];
    uint64_t all = 0;
    (void)state;
    for (uint64_t k = 0; k < n_lives; k++) {
        twins[k] = (life){.seed = first_seed + k, .twin = true};
        others[k] = (life){.seed = first_seed + k};
        live(&twins[k]);
    }
    for (uintptr_t h = 0; h < HOSTS; h++)
        assert_int_equal(pthread_create(&hosts[h], NULL, host, (void *)h), 0);
    for (uint32_t h = 0; h < HOSTS; h++)
        assert_int_equal(pthread_join(hosts[h], NULL), 0);
    for (uint64_t k = 0; k < n_lives; k++) {
        compare(&others[k], &twins[k]);
        for (uint32_t step = 0; step < STEPS; step++)
            all = all * 31 + others[k].hash[step];
    }
    printf("seeds %llu ... %llu: hash %016llx\n", (unsigned long long)first_seed,
           (unsigned long long)(first_seed + n_lives - 1), (unsigned long long)all);
}

/* ---- signals */

static atomic_uint n_signals;

static void count_signal(int number)
{
    (void)number;
    atomic_fetch_add_explicit(&n_signals, 1, memory_order_relaxed);
}

/* One that interrupts system calls, which are a sleep at a barrier, and one that restarts them. */
static void test_signals_do_no_harm(void **state)
{
    static const int flags[] = {0, SA_RESTART};
    (void)state;
    const uint64_t n = n_lives < 3 ? n_lives : 3;
    for (uint32_t f = 0; f < COUNT_OF(flags); f++) {
        struct sigaction action = {.sa_handler = count_signal, .sa_flags = flags[f]}, before;
        const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
        atomic_store(&n_signals, 0);
        assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
        assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
        for (uint64_t k = 0; k < n; k++) {
            life again = {.seed = first_seed + k};
            live(&again);
            compare(&again, &twins[k]);
        }
        assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
        assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
        assert_true(atomic_load(&n_signals) > 0);
    }
}

/* ---- fork */

typedef struct offspring {
    uint64_t old, fresh, other; /* hashes of what it went on with, made, and made in a thread */
    uint32_t threads;
} offspring;

static xpbd_world *make_sheet(int32_t threads)
{
    xpbd_world_def def = kit_def("colored-gs");
    kit_scene sheet = kit_grid(48, 48, 0.1f, KIT_STRUCTURAL | KIT_SHEAR);
    sheet.w[0] = 0;
    def.threads = threads;
    def.acceleration[1] = -9.81f;
    xpbd_world *w = kit_build(&def, &sheet, 1e-5f);
    kit_scene_free(&sheet);
    return w;
}

static void *make_and_step(void *hash)
{
    xpbd_world *w = make_sheet(4);
    kit_steps(w, 3, 1.0 / 60);
    *(uint64_t *)hash = xpbd_world_hash(w);
    xpbd_world_destroy(w);
    return NULL;
}

static offspring go_on(xpbd_world *old)
{
    offspring o = {0};
    pthread_t thread;
    xpbd_world_summary s;
    kit_steps(old, 3, 1.0 / 60);
    o.old = xpbd_world_hash(old);
    xpbd_world_summarize(old, &s);
    o.threads = s.threads_active;
    make_and_step(&o.fresh);
    if (pthread_create(&thread, NULL, make_and_step, &o.other) == 0)
        pthread_join(thread, NULL);
    return o;
}

static void test_a_forked_process_goes_on(void **state)
{
    int ends[2], status = 0;
    offspring child = {0};
    (void)state;
    if (KIT_RACE_CHECKED)
        skip(); /* its runtime ends a child that starts a thread */
    xpbd_world *w = make_sheet(4);
    kit_steps(w, 3, 1.0 / 60);
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(60); /* hangs end */
        child = go_on(w);
        _exit(write(ends[1], &child, sizeof child) == sizeof child ? 0 : 1);
    }
    assert_true(pid > 0);
    const offspring here = go_on(w);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the forked process ended with status %d", status);
    assert_int_equal(read(ends[0], &child, sizeof child), sizeof child);
    assert_same_hash(child.old, here.old, "a world from before the fork");
    assert_same_hash(child.fresh, here.fresh, "a world from after it");
    assert_same_hash(child.other, here.other, "a world of a thread from after it");
    /* Where the environment allows more: the thread that forked has lost the others. */
    if (here.threads > 1)
        assert_int_equal(child.threads, 1);
    close(ends[0]);
    close(ends[1]);
    xpbd_world_destroy(w);
}

int main(int argc, char **argv)
{
    first_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : first_seed;
    n_lives = argc > 2 ? strtoull(argv[2], NULL, 10) : n_lives;
    largest = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : largest;
    if (n_lives < 1 || n_lives > COUNT_OF(twins) || largest < 1 || largest > 1000) {
        fprintf(stderr, "usage: stress [SEED [LIVES [LARGEST]]]; 1 ... 256 lives\n");
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lives_are_those_of_their_twins),
        cmocka_unit_test(test_signals_do_no_harm),
        cmocka_unit_test(test_a_forked_process_goes_on),
    };
    return RUN_GROUP("stress", tests);
}
