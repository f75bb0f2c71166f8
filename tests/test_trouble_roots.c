/* SPDX-License-Identifier: MIT
 *
 * Regression tests of faults between machines known from other engines: square roots that are
 * estimates, and sorts that leave equal keys in another order in another C library. A test is named
 * after its entry in the log of known trouble.
 */
#include "support_mesh.h"

#include "scenes/scene.h"

#include <math.h>

#if KIT_SANITIZED
enum { LENGTHS = 50000 };
#else
enum { LENGTHS = 250000 }; /* a million on four instruction sets */
#endif

/* Particle 2 k is drawn to twice its distance from particle 2 k + 1, which is pinned at the origin:
 * (x0 - x1) / |x0 - x1| times the rest length is where it ends. */
static void check_directions(const xpbd_world_def *def)
{
    float(*x)[3] = calloc(2 * LENGTHS, sizeof *x), *w = calloc(2 * LENGTHS, sizeof *w);
    float *rest = calloc(LENGTHS, sizeof *rest), (*got)[3] = calloc(2 * LENGTHS, sizeof *got);
    uint32_t(*pair)[2] = calloc(LENGTHS, sizeof *pair);
    assert_true(x && w && rest && got && pair);
    uint64_t seed = 1;
    for (uint32_t k = 0; k < LENGTHS; k++) {
        const double size = pow(10, (double)kit_uniform(&seed, -12, 12));
        for (int c = 0; c < 3; c++)
            x[2 * k][c] = (float)((double)kit_uniform(&seed, -1, 1) * size);
        if (k == 0) /* 1 / sqrt(10) */
            memcpy(x[0], (const float[3]){1, 3, 0}, sizeof x[0]);
        rest[k] = (float)(2 * sqrt(pow((double)x[2 * k][0], 2) + pow((double)x[2 * k][1], 2) +
                                   pow((double)x[2 * k][2], 2)));
        w[2 * k] = 1;
        pair[k][0] = 2 * k;
        pair[k][1] = 2 * k + 1;
    }
    xpbd_world *world = kit_create(def);
    kit_add_particles(world, 2 * LENGTHS, (const float(*)[3])x, w);
    kit_add_distances(world, LENGTHS, (const uint32_t(*)[2])pair, rest, 0.0f);
    kit_steps(world, 1, 1.0 / 60);
    assert_ok(xpbd_world_read_positions(world, 0, 2 * LENGTHS, got[0], 0));
    double worst = 0;
    for (uint32_t k = 0; k < LENGTHS; k++) {
        const float *d = x[2 * k];
        const double length =
            sqrt(pow((double)d[0], 2) + pow((double)d[1], 2) + pow((double)d[2], 2));
        for (int c = 0; c < 3; c++)
            worst =
                fmax(worst, fabs((double)got[2 * k][c] / (double)rest[k] - (double)d[c] / length));
    }
    assert_below(worst, 5e-7);
    assert_near((double)got[0][0] / (double)rest[0], 0.316227766, 5e-7 * 0.316227766);
    free(x), free(w), free(rest), free(got), free(pair);
    xpbd_world_destroy(world);
}

/* The end of a chain after a second of swinging is the same to the last bit. */
static uint64_t swing(const xpbd_world_def *def)
{
    kit_scene rope = kit_rope(50, 0.1f);
    xpbd_world_def with = *def;
    with.acceleration[1] = -9.81f;
    xpbd_world *w = kit_build(&with, &rope, 0.0f);
    kit_steps(w, 60, 1.0 / 60);
    const uint64_t hash = xpbd_world_hash(w);
    kit_scene_free(&rope);
    xpbd_world_destroy(w);
    return hash;
}

static void test_X01_lengths_are_no_estimates(void **state)
{
    const char *isa;
    xpbd_world_def def = kit_def(NULL);
    (void)state;
    def.isa = "scalar";
    const uint64_t want = swing(&def);
    for (uint32_t i = 0; (isa = xpbd_isa_name(i)); i++) {
        if (!xpbd_isa_available(i))
            continue;
        def.isa = isa;
        check_directions(&def);
        assert_same_hash(swing(&def), want, isa);
    }
}

/* ---- a C library whose sort leaves equal keys in the one order or the other */

static bool ties_reversed;
static uint32_t n_sorts;

__attribute__((visibility("default"))) void qsort(void *base, size_t n, size_t size,
                                                  int (*compare)(const void *, const void *))
{
    char *at = base, item[256];
    n_sorts++;
    assert_true(size <= sizeof item);
    for (size_t i = 1; i < n; i++) { /* by insertion, before or behind those that are equal */
        memcpy(item, at + i * size, size);
        size_t k = i;
        for (; k > 0; k--) {
            const int order = compare(at + (k - 1) * size, item);
            if (!(order > 0 || (order == 0 && ties_reversed)))
                break;
            memcpy(at + k * size, at + (k - 1) * size, size);
        }
        memcpy(at + k * size, item, size);
    }
}

/* A grid, in which all keys are alike, from a file. */
static uint64_t from_file(const char *scheduler, const char *ordering)
{
    enum { SIDE = 12 };
    static char text[20000];
    size_t at = 0;
    for (int k = 0; k < SIDE * SIDE; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "v %d 0 %d\n", k % SIDE, k / SIDE);
    for (int k = 0; k < SIDE * SIDE; k++)
        if (k % SIDE < SIDE - 1 && k / SIDE < SIDE - 1)
            at += (size_t)snprintf(text + at, sizeof text - at, "f %d %d %d %d\n", k + 1, k + 2,
                                   k + SIDE + 2, k + SIDE + 1);
    const char *path = kit_temporary("ties.obj");
    kit_write(path, text, at);
    xpbd_scene scene;
    char error[600];
    if (!xpbd_scene_from_mesh_file(path, false, &scene, error, sizeof error))
        fail_msg("%s", error);
    xpbd_world_def def = kit_def(scheduler);
    def.ordering = ordering;
    def.acceleration[1] = -9.81f;
    xpbd_world *w = kit_create(&def);
    assert_ok(xpbd_scene_build(&scene, w));
    kit_steps(w, 5, 1.0 / 60);
    const uint64_t hash = xpbd_world_hash(w);
    xpbd_scene_free(&scene);
    xpbd_world_destroy(w);
    return hash;
}

static void test_X08_equal_keys_are_told_apart(void **state)
{
    const char *scheduler, *ordering;
    (void)state;
    for (uint32_t s = 0; (scheduler = xpbd_scheduler_name(s)); s++) {
        for (uint32_t o = 0; (ordering = xpbd_ordering_name(o)); o++) {
            ties_reversed = false;
            const uint64_t want = from_file(scheduler, ordering);
            ties_reversed = true;
            assert_same_hash(from_file(scheduler, ordering), want, scheduler);
        }
    }
    assert_true(n_sorts > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_X01_lengths_are_no_estimates),
        cmocka_unit_test(test_X08_equal_keys_are_told_apart),
    };
    return RUN_GROUP("trouble_roots", tests);
}
