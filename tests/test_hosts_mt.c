/* SPDX-License-Identifier: MIT
 *
 * Proves that the library can be called from wherever a host has threads: from main, from plain
 * threads, from inside the host's own parallel region, from many threads with a world each, on
 * tiny scenes with many threads; always with the bits of a lone run.
 */
#define _POSIX_C_SOURCE 200809L /* alarm, pthread barriers */

#include "support.h"

#include <pthread.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { CALLERS = 8 };

static uint64_t simulate(int32_t threads, uint32_t steps)
{
    kit_scene cloth = kit_grid(32, 32, 0.05f, KIT_STRUCTURAL | KIT_SHEAR);
    cloth.w[0] = cloth.w[31] = 0;
    xpbd_world_def def = kit_def("colored-gs");
    def.threads = threads;
    def.iterations = 4;
    def.acceleration[1] = -9.81f;
    xpbd_world *w = kit_build(&def, &cloth, 1e-6f);
    kit_steps(w, steps, 1.0 / 60);
    const uint64_t hash = xpbd_world_hash(w);
    kit_scene_free(&cloth);
    xpbd_world_destroy(w);
    return hash;
}

/* cmocka's assertions belong to the main thread: others hand their result over. */
typedef struct caller {
    int32_t threads;
    uint32_t steps;
    uint64_t hash;
    long n_threads; /* of the process, while all callers are alive */
    pthread_barrier_t *together;
} caller;

static long count_threads(void)
{
    char line[128];
    long n = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "Threads: %ld", &n);
    if (f)
        fclose(f);
    return n;
}

static void *call(void *data)
{
    caller *c = data;
    c->hash = simulate(c->threads, c->steps);
    if (c->together) {
        pthread_barrier_wait(c->together);
        c->n_threads = count_threads();
        pthread_barrier_wait(c->together);
    }
    return NULL;
}

static void test_P09_calls_from_anywhere_give_the_same_bits(void **state)
{
    const uint64_t want = simulate(4, 10);
    (void)state;
    assert_same_hash(simulate(1, 10), want, "one thread");
    caller c = {.threads = 4, .steps = 10};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, call, &c), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_same_hash(c.hash, want, "a plain thread");
#ifdef _OPENMP
    uint64_t hashes[4] = {0};
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < 4; i++)
        hashes[i] = simulate(4, 10);
    for (int i = 0; i < 4; i++)
        assert_same_hash(hashes[i], want, "the host's parallel region");
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    assert_same_hash(simulate(4, 10), want, "after omp_set_num_threads(1)");
    assert_int_equal(omp_get_max_threads(), 1); /* the host's setting is the host's */
    omp_set_num_threads(before);
    omp_set_dynamic(1);
    assert_same_hash(simulate(4, 10), want, "with dynamic teams");
    omp_set_dynamic(0);
#else
    print_message("built without OpenMP: the host's parallel region was not tried\n");
#endif
    assert_same_hash(simulate(4, 10), want, "main again");
}

static void call_from_many(int32_t threads, uint32_t steps, uint64_t want, long most_threads)
{
    caller callers[CALLERS];
    pthread_t ids[CALLERS];
    pthread_barrier_t together;
    assert_int_equal(pthread_barrier_init(&together, NULL, CALLERS), 0);
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (caller){.threads = threads, .steps = steps, .together = &together};
        assert_int_equal(pthread_create(&ids[i], NULL, call, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_join(ids[i], NULL), 0);
    pthread_barrier_destroy(&together);
    for (int i = 0; i < CALLERS; i++) {
        assert_same_hash(callers[i].hash, want, "one of 8 threads");
        if (callers[i].n_threads)
            assert_in_range((uintmax_t)callers[i].n_threads, 1, (uintmax_t)most_threads);
    }
}

/* A world with one thread brings none of its own; with two, each caller has one helper. */
static void test_P11_threads_of_the_host_have_a_world_each(void **state)
{
    const long before = count_threads();
    const uint64_t want = simulate(1, 100);
    (void)state;
    call_from_many(1, 100, want, before + CALLERS);
    call_from_many(2, 100, want, before + 1 + 2 * CALLERS);
}

/* Many worlds, one after the other, must not use anything up. */
static void test_worlds_can_be_made_again_and_again(void **state)
{
    const uint64_t want = simulate(2, 1);
    (void)state;
    for (int i = 0; i < 100; i++)
        assert_same_hash(simulate(2, 1), want, "a later world");
}

/* A world may wander: made by one thread, stepped by another, destroyed by a third. */
typedef struct handed_over {
    xpbd_world *world;
    xpbd_status status;
} handed_over;

static void *step_elsewhere(void *data)
{
    handed_over *h = data;
    h->status = xpbd_world_step(h->world, 1.0 / 60);
    return NULL;
}

static void test_a_world_may_be_stepped_by_another_thread(void **state)
{
    kit_scene cloth = kit_grid(24, 24, 0.05f, KIT_STRUCTURAL | KIT_SHEAR);
    cloth.w[0] = 0;
    xpbd_world_def def = kit_def(NULL);
    def.threads = 3;
    def.acceleration[1] = -9.81f;
    xpbd_world *a = kit_build(&def, &cloth, 1e-6f), *b = kit_build(&def, &cloth, 1e-6f);
    (void)state;
    for (int i = 0; i < 6; i++) {
        handed_over h = {.world = a};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, step_elsewhere, &h), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_ok(h.status);
        kit_steps(a, 1, 1.0 / 60);
        kit_steps(b, 2, 1.0 / 60);
    }
    assert_same_hash(xpbd_world_hash(a), xpbd_world_hash(b), "a world that wandered");
    kit_scene_free(&cloth);
    xpbd_world_destroy(a);
    xpbd_world_destroy(b);
}

/* More threads than there is work: 10 particles, 8 x 8 cloth, 65 threads. */
static void test_R01_tiny_scenes_work_with_many_threads(void **state)
{
    static const int32_t threads[] = {2, 8, 65};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        for (int chain = 0; chain < 2; chain++) {
            kit_scene scene = chain ? kit_rope(10, 0.1f) : kit_grid(8, 8, 0.1f, KIT_STRUCTURAL);
            scene.w[0] = 0;
            uint64_t want = 0;
            for (uint32_t t = 0; t <= COUNT_OF(threads); t++) {
                xpbd_world_def def = kit_def(name);
                def.threads = t ? threads[t - 1] : 1;
                def.acceleration[1] = -9.81f;
                xpbd_world *w = kit_build(&def, &scene, 0.0f);
                kit_steps(w, 10, 1.0 / 60);
                if (t == 0)
                    want = xpbd_world_hash(w);
                assert_same_hash(xpbd_world_hash(w), want, name);
                xpbd_world_destroy(w);
            }
            kit_scene_free(&scene);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_P09_calls_from_anywhere_give_the_same_bits),
        cmocka_unit_test(test_P11_threads_of_the_host_have_a_world_each),
        cmocka_unit_test(test_worlds_can_be_made_again_and_again),
        cmocka_unit_test(test_a_world_may_be_stepped_by_another_thread),
        cmocka_unit_test(test_R01_tiny_scenes_work_with_many_threads),
    };
    alarm(280); /* a barrier that never opens ends as a failure, not as a hung build */
    return RUN_GROUP("hosts_mt", tests);
}
