/* SPDX-License-Identifier: MIT
 *
 * Proves that generated scenes have the particles and constraints that their names promise, begin
 * at rest and are the same bits everywhere. Refused names are in test_scene_names.c, shapes in
 * test_scene_shapes.c, meshes and worlds in test_scene_build.c.
 */
#include "support_memory.h"

#include <math.h>

#include "scenes/scene.h"

static xpbd_scene make(const char *name)
{
    xpbd_scene scene;
    char error[512] = "left as it was";
    if (!xpbd_scene_make(name, &scene, error, sizeof error))
        fail_msg("%s: %s", name, error);
    assert_string_equal(error, "");
    assert_string_equal(scene.name, name);
    return scene;
}

static uint32_t n_constraints(const xpbd_scene *scene)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < scene->n_batches; b++)
        n += scene->batches[b].count;
    return n;
}

static uint32_t n_fixed(const xpbd_scene *scene)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < scene->n_particles; i++)
        n += scene->inverse_masses[i] == 0.0f;
    return n;
}

static double distance(const xpbd_scene *scene, const uint32_t *pair)
{
    const float *a = scene->positions + 3 * (size_t)pair[0];
    const float *b = scene->positions + 3 * (size_t)pair[1];
    double sum = 0.0;
    for (size_t k = 0; k < 3; k++)
        sum += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    return sqrt(sum);
}

typedef struct element {
    uint32_t type;
    uint32_t corners[4]; /* ascending; unused ones 0 */
} element;

static int compare_elements(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(element));
}

/* What a constraint joins, whatever its order. */
static element element_of(const xpbd_scene *scene, const xpbd_scene_batch *batch, size_t e)
{
    const uint32_t n = xpbd_constraint_type_info(batch->type)->n_particles;
    element out = {.type = batch->type};
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t particle = batch->particles[e * n + k];
        assert_true(particle < scene->n_particles);
        uint32_t at = k;
        for (; at > 0 && out.corners[at - 1] > particle; at--)
            out.corners[at] = out.corners[at - 1];
        out.corners[at] = particle;
        assert_true(at == 0 || out.corners[at - 1] != particle);
    }
    return out;
}

/* No two constraints of a type may join the same particles. */
static void check_elements_are_unique(const xpbd_scene *scene)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < scene->n_batches; b++)
        n += scene->batches[b].n_elements;
    element *all = malloc(n * sizeof *all);
    assert_non_null(all);
    size_t at = 0;
    for (uint32_t b = 0; b < scene->n_batches; b++)
        for (size_t e = 0; e < scene->batches[b].n_elements; e++)
            all[at++] = element_of(scene, &scene->batches[b], e);
    qsort(all, n, sizeof *all, compare_elements);
    for (size_t k = 1; k < n; k++)
        assert_true(compare_elements(&all[k], &all[k - 1]) != 0);
    free(all);
}

static void check_batch(const xpbd_scene *scene, const xpbd_scene_batch *batch)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(batch->type);
    uint32_t n_elements = 0;
    assert_non_null(info);
    assert_true(batch->count > 0);
    assert_true(batch->compliance >= 0.0f && batch->damping == 0.0f);
    assert_true((batch->sizes != NULL) == info->variable);
    for (uint32_t k = 0; k < batch->count; k++)
        n_elements += batch->sizes ? batch->sizes[k] : 1;
    assert_int_equal(batch->n_elements, n_elements);
    for (size_t k = 0; batch->rest && k < (size_t)batch->count * info->n_rest; k++)
        assert_true(isfinite(batch->rest[k]));
    for (size_t k = 0; batch->type == XPBD_DISTANCE && k < batch->count; k++) {
        assert_true(batch->rest[k] > 0.0f);
        assert_true(batch->rest[k] == (float)distance(scene, batch->particles + 2 * k));
    }
}

/* What holds for every scene. */
static void check_scene(const xpbd_scene *scene)
{
    check_elements_are_unique(scene);
    assert_true(n_fixed(scene) > 0 && n_fixed(scene) < scene->n_particles);
    for (size_t i = 0; i < scene->n_particles; i++) {
        assert_true(isfinite(scene->inverse_masses[i]) && scene->inverse_masses[i] >= 0.0f);
        for (size_t k = 0; k < 3; k++)
            assert_true(isfinite(scene->positions[3 * i + k]));
    }
    for (uint32_t b = 0; b < scene->n_batches; b++)
        check_batch(scene, &scene->batches[b]);
    assert_true(scene->gravity[0] == 0.0f && scene->gravity[1] < 0.0f);
}

static void test_every_family_at_every_small_size(void **state)
{
    (void)state;
    const xpbd_scene_family *family;
    for (uint32_t f = 0; (family = xpbd_scene_list(f)); f++) {
        assert_true(strlen(family->text) > 0);
        for (uint32_t n = family->smallest; n < family->smallest + 6; n++) {
            for (int scrambled = 0; scrambled < 2; scrambled++) {
                char name[64];
                (void)snprintf(name, sizeof name, "%s-%u%s", family->name, n,
                               scrambled ? "-scrambled" : "");
                xpbd_scene scene = make(name);
                check_scene(&scene);
                xpbd_scene_free(&scene);
                assert_null(scene.positions);
            }
        }
    }
}

static void check_counts(const char *name, uint32_t n_particles, const uint32_t counts[3],
                         uint32_t fixed)
{
    xpbd_scene scene = make(name);
    assert_int_equal(scene.n_particles, n_particles);
    for (uint32_t b = 0; b < 3; b++)
        assert_int_equal(b < scene.n_batches ? scene.batches[b].n_elements : 0, counts[b]);
    assert_int_equal(n_fixed(&scene), fixed);
    xpbd_scene_free(&scene);
}

static void test_counts(void **state)
{
    (void)state;
    check_counts("cloth-64", 4096, (uint32_t[]){8064, 7938, 7936}, 2);
    check_counts("cloth-64-scrambled", 4096, (uint32_t[]){8064, 7938, 7936}, 2);
    check_counts("cloth-256", 65536, (uint32_t[]){130560, 130050, 130048}, 2);
    check_counts("cloth-2", 4, (uint32_t[]){4, 2, 0}, 2);
    check_counts("tetblock-16", 4096, (uint32_t[]){25695, 0, 0}, 256);
    check_counts("tetblock-2", 8, (uint32_t[]){19, 0, 0}, 4);
    check_counts("rope-1000", 1000, (uint32_t[]){999, 998, 0}, 1);
    check_counts("rope-2", 2, (uint32_t[]){1, 0, 0}, 1);
    check_counts("drape-64", 4096, (uint32_t[]){8064, 3969, 11781}, 2);
    check_counts("drape-2", 4, (uint32_t[]){4, 1, 1}, 2);
    check_counts("softbody-16", 4096, (uint32_t[]){20250, 0, 0}, 256);
    check_counts("softbody-2-scrambled", 8, (uint32_t[]){6, 0, 0}, 4);
    check_counts("jelly-16", 4096, (uint32_t[]){25695, 20250, 0}, 256);
    check_counts("jelly-27-scrambled", 19683, (uint32_t[]){129194, 105456, 0}, 729);
    check_counts("weight-1000", 1000, (uint32_t[]){999, 0, 0}, 1);
    check_counts("weight-2-scrambled", 2, (uint32_t[]){1, 0, 0}, 1);
    check_counts("beam-16", 153, (uint32_t[]){384, 0, 0}, 9);
    check_counts("beam-2", 12, (uint32_t[]){12, 0, 0}, 4);
    check_counts("balloon-64", 4098, (uint32_t[]){12288, 8192, 0}, 1);
    check_counts("balloon-63-scrambled", 4098, (uint32_t[]){12288, 8192, 0}, 1);
    check_counts("balloon-2", 6, (uint32_t[]){12, 8, 0}, 1);
    xpbd_scene scene = make("cloth-64");
    assert_int_equal(n_constraints(&scene), 23938);
    xpbd_scene_free(&scene);
    scene = make("cloth-256");
    assert_int_equal(n_constraints(&scene), 390658);
    xpbd_scene_free(&scene);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static int compare_particles(const void *a, const void *b)
{
    for (size_t k = 0; k < 4; k++) {
        int order = compare_floats((const float *)a + k, (const float *)b + k);
        if (order)
            return order;
    }
    return 0;
}

/* x, y, z, w of all particles, sorted. */
static float *sorted_particles(const xpbd_scene *scene)
{
    float *rows = malloc(scene->n_particles * 4 * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < scene->n_particles; i++) {
        memcpy(rows + 4 * i, scene->positions + 3 * i, 3 * sizeof *rows);
        rows[4 * i + 3] = scene->inverse_masses[i];
    }
    qsort(rows, scene->n_particles, 4 * sizeof *rows, compare_particles);
    return rows;
}

static void check_scrambled(const char *plain_name, const char *name)
{
    xpbd_scene plain = make(plain_name), scene = make(name);
    assert_int_equal(scene.n_particles, plain.n_particles);
    assert_int_equal(scene.n_batches, plain.n_batches);
    float *want = sorted_particles(&plain), *got = sorted_particles(&scene);
    assert_same_floats(got, want, 4 * (size_t)plain.n_particles);
    free(want);
    free(got);
    size_t at_home = 0;
    for (size_t i = 0; i < plain.n_particles; i++)
        at_home += !memcmp(scene.positions + 3 * i, plain.positions + 3 * i, 3 * sizeof(float));
    assert_true(at_home < plain.n_particles / 10);
    for (uint32_t b = 0; b < plain.n_batches; b++) {
        xpbd_scene_batch *p = &plain.batches[b], *s = &scene.batches[b];
        const xpbd_constraint_info *info = xpbd_constraint_type_info(p->type);
        const uint32_t n = info->n_particles;
        assert_int_equal(s->type, p->type);
        assert_int_equal(s->count, p->count);
        assert_int_equal(s->n_elements, p->n_elements);
        assert_true(s->compliance == p->compliance);
        /* Neighbours in the list no longer share particles: the order is random too. */
        size_t n_near = 0;
        for (size_t k = 1; k < s->n_elements; k++)
            n_near += s->particles[n * k] == s->particles[n * k - 1] ||
                      s->particles[n * k] == s->particles[n * (k - 1)];
        assert_true(n_near < s->n_elements / 10);
        assert_true((s->rest == NULL) == (p->rest == NULL));
        if (!p->rest)
            continue;
        qsort(p->rest, (size_t)p->count * info->n_rest, sizeof(float), compare_floats);
        qsort(s->rest, (size_t)s->count * info->n_rest, sizeof(float), compare_floats);
        assert_same_floats(s->rest, p->rest, (size_t)p->count * info->n_rest);
    }
    xpbd_scene_free(&plain);
    xpbd_scene_free(&scene);
}

static void test_scrambled_is_a_permutation(void **state)
{
    (void)state;
    check_scrambled("cloth-20", "cloth-20-scrambled");
    check_scrambled("tetblock-8", "tetblock-8-scrambled");
    check_scrambled("rope-300", "rope-300-scrambled");
    check_scrambled("drape-20", "drape-20-scrambled");
    check_scrambled("softbody-6", "softbody-6-scrambled");
    check_scrambled("balloon-20", "balloon-20-scrambled");
}

static uint64_t hash_words(uint64_t hash, const void *words, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        uint32_t word;
        memcpy(&word, (const char *)words + 4 * k, 4);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t hash_scene(const xpbd_scene *scene)
{
    uint64_t hash =
        hash_words(0xcbf29ce484222325u, scene->positions, 3 * (size_t)scene->n_particles);
    hash = hash_words(hash, scene->inverse_masses, scene->n_particles);
    for (uint32_t b = 0; b < scene->n_batches; b++) {
        const xpbd_scene_batch *batch = &scene->batches[b];
        const xpbd_constraint_info *info = xpbd_constraint_type_info(batch->type);
        hash = hash_words(hash, batch->particles, (size_t)batch->n_elements * info->n_particles);
        if (batch->rest)
            hash = hash_words(hash, batch->rest, (size_t)batch->count * info->n_rest);
        hash = hash_words(hash, &batch->compliance, 1);
    }
    return hash;
}

static void test_scenes_are_the_same_bits_everywhere(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t want;
    } rows[] = {
        {"cloth-8", 0x05622eb7946daed6u},
        {"cloth-8-scrambled", 0xce736a3e060d3e05u},
        {"tetblock-4", 0x926e509de7df1825u},
        {"rope-100", 0x09aad2159d8deed9u},
        {"tetblock-4-scrambled", 0xc2b9d0ab5c88ed13u},
        {"rope-100-scrambled", 0x3ef86af6cbdd14d0u},
        {"drape-8", 0x8abdc705944ad38fu},
        {"drape-8-scrambled", 0xefed050ac3c3810au},
        {"softbody-4", 0xa3abced5a1126291u},
        {"softbody-4-scrambled", 0xca403e1088d7cc9du},
        {"jelly-4", 0x6cc21d61cd09d682u},
        {"jelly-4-scrambled", 0x14f178b0e2f0d5c2u},
        {"weight-8", 0xffb4f8c68104a3b5u},
        {"weight-8-scrambled", 0x46fdc65868260827u},
        {"beam-16", 0xb0a60f3f12cfac3cu},
        {"beam-16-scrambled", 0x04f45d879fe839bbu},
        {"balloon-8", 0xf0354dff2919111du},
        {"balloon-8-scrambled", 0xc0bb55bdcd11d07du},
    };
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        xpbd_scene scene = make(rows[k].name);
        assert_same_hash(hash_scene(&scene), rows[k].want, rows[k].name);
        xpbd_scene_free(&scene);
    }
}

static bool attempt(const void *name)
{
    xpbd_scene scene;
    char error[300];
    bool made = xpbd_scene_make(name, &scene, error, sizeof error);
    assert_true(made || strstr(error, "out of memory"));
    if (made)
        xpbd_scene_free(&scene);
    return made;
}

static void test_memory_that_runs_out(void **state)
{
    (void)state;
    static const char *const names[] = {
        "cloth-4-scrambled",    "tetblock-3-scrambled", "rope-5-scrambled", "drape-4-scrambled",
        "softbody-3-scrambled", "balloon-5-scrambled",  "jelly-3-scrambled"};
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        uint64_t n = kit_fail_each_allocation(attempt, names[k]);
        if (n == 0)
            skip();
        assert_true(n >= 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_family_at_every_small_size),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_scrambled_is_a_permutation),
        cmocka_unit_test(test_scenes_are_the_same_bits_everywhere),
        cmocka_unit_test(test_memory_that_runs_out),
    };
    return RUN_GROUP("scenes", tests);
}
