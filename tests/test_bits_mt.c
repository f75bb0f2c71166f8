/* SPDX-License-Identifier: MIT
 *
 * Proves the promise of equal bits under every ordering: within one scheduler the same state hash
 * after N_STEPS steps on every instruction set, particle layout and pinning policy, for regular and
 * scrambled scenes with distances and attachments, damping, forces, pins and a moving pin. Many
 * threads and all types of constraints are in test_golden_mt.c.
 */
#define _POSIX_C_SOURCE 200809L /* alarm */

#include "support.h"

#include <unistd.h>

static const struct {
    const char *name;
    bool scrambled;
} scenes[] = {{"cloth", false}, {"cloth", true}, {"block", false},
              {"block", true},  {"rope", false}, {"rope", true}};

static kit_scene make_scene(uint32_t s)
{
    kit_scene scene;
    if (!strcmp(scenes[s].name, "cloth"))
        scene = kit_grid(20, 17, 0.1f, KIT_STRUCTURAL | KIT_SHEAR | KIT_BEND);
    else if (!strcmp(scenes[s].name, "block"))
        scene = kit_block(6, 0.3f);
    else
        scene = kit_rope(333, 0.05f);
    scene.w[0] = 0;
    scene.w[scene.n_particles / 2] = 0;
    if (scenes[s].scrambled)
        kit_scramble(&scene, 11 + s);
    return scene;
}

/* Compliance and damping differ from constraint to constraint; every 20th particle is attached. */
static xpbd_world *make_world(const xpbd_world_def *def, const kit_scene *s)
{
    uint64_t seed = 9;
    const uint32_t n_attached = s->n_particles / 20;
    float *soft = calloc(s->n_pairs, sizeof *soft), *damped = calloc(s->n_pairs, sizeof *damped);
    uint32_t *attached = calloc(n_attached, sizeof *attached);
    float(*force)[3] = calloc(s->n_particles, sizeof *force);
    assert_true(soft && damped && attached && force);
    for (uint32_t i = 0; i < s->n_pairs; i++) {
        soft[i] = i % 3 ? kit_uniform(&seed, 0, 1e-4f) : 0;
        damped[i] = i % 5 ? 0 : kit_uniform(&seed, 0, 10);
    }
    for (uint32_t i = 0; i < n_attached; i++)
        attached[i] = 20 * i + 7;
    for (uint32_t i = 0; i < s->n_particles; i++)
        for (int k = 0; k < 3; k++)
            force[i][k] = kit_uniform(&seed, -1, 1);
    xpbd_world *w = kit_create(def);
    kit_add_particles(w, s->n_particles, (const float(*)[3])s->x, s->w);
    xpbd_constraints c = {.particles = s->pair[0], .compliance = soft, .damping = damped};
    assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, s->n_pairs, &c, NULL));
    c = (xpbd_constraints){.particles = attached, .compliance = soft};
    assert_ok(xpbd_world_add_constraints(w, XPBD_ATTACH, n_attached, &c, NULL));
    assert_ok(xpbd_world_set_forces(w, 0, s->n_particles, force[0], 0));
    free(soft);
    free(damped);
    free(attached);
    free(force);
    return w;
}

static uint32_t first_pin(const kit_scene *s)
{
    uint32_t i = 0;
    while (s->w[i] > 0.0f)
        i++;
    return i;
}

/* Sanitizers need to see each kind of step once. */
#if KIT_SANITIZED
enum { N_STEPS = 6 };
#else
enum { N_STEPS = 20 };
#endif

/* In two of the steps a pin moves. */
static uint64_t run(const xpbd_world_def *def, const kit_scene *s)
{
    xpbd_world *w = make_world(def, s);
    const uint32_t pin = first_pin(s);
    float target[3];
    memcpy(target, s->x[pin], sizeof target);
    for (uint32_t i = 0; i < N_STEPS; i++) {
        if (i == 4 || i == 5) {
            target[0] += 0.02f;
            assert_ok(xpbd_world_move_particles(w, pin, 1, target, 0));
        }
        kit_steps(w, 1, 1.0 / 60);
    }
    xpbd_diagnostics d;
    assert_ok(xpbd_world_diagnose(w, &d));
    assert_int_equal(d.n_nonfinite, 0); /* equal hashes of nothing but NaN would prove nothing */
    const uint64_t hash = xpbd_world_hash(w);
    xpbd_world_destroy(w);
    return hash;
}

static xpbd_world_def base_def(const char *scheduler)
{
    xpbd_world_def def = kit_def(scheduler);
    def.acceleration[1] = -9.81f;
    def.iterations = 3;
    def.isa = "scalar";
    def.layout = "soa";
    return def;
}

static void expect(const xpbd_world_def *def, const kit_scene *scene, uint32_t s, uint64_t want)
{
    char text[160];
    snprintf(text, sizeof text, "%s%s, %s, %s, %s, %d threads, pinning %s, ordering %s",
             scenes[s].name, scenes[s].scrambled ? " scrambled" : "", def->scheduler, def->layout,
             def->isa ? def->isa : "auto", def->threads, def->pinning ? def->pinning : "auto",
             def->ordering ? def->ordering : "auto");
    assert_same_hash(run(def, scene), want, text);
}

static void test_bits_do_not_depend_on_isa_and_layout(void **state)
{
    const char *scheduler, *isa, *layout, *ordering;
    (void)state;
    for (uint32_t s = 0; s < COUNT_OF(scenes); s++) {
        kit_scene scene = make_scene(s);
        for (uint32_t c = 0; (scheduler = xpbd_scheduler_name(c)); c++) {
            for (uint32_t o = 0; (ordering = xpbd_ordering_name(o)); o++) {
                xpbd_world_def def = base_def(scheduler);
                def.ordering = ordering;
                const uint64_t want = run(&def, &scene);
                for (uint32_t i = 0; (isa = xpbd_isa_name(i)); i++) {
                    for (uint32_t l = 0; (layout = xpbd_layout_name(l)); l++) {
                        def.isa = isa;
                        def.layout = layout;
                        if (xpbd_isa_available(i))
                            expect(&def, &scene, s, want);
                    }
                }
            }
        }
        kit_scene_free(&scene);
    }
}

static void test_bits_do_not_depend_on_pinning(void **state)
{
    const char *scheduler, *pinning;
    (void)state;
    for (uint32_t s = 1; s < COUNT_OF(scenes); s += 2) {
        kit_scene scene = make_scene(s);
        for (uint32_t c = 0; (scheduler = xpbd_scheduler_name(c)); c++) {
            xpbd_world_def def = base_def(scheduler);
            const uint64_t want = run(&def, &scene);
            for (uint32_t p = 0; (pinning = xpbd_pinning_name(p)); p++) {
                for (int32_t threads = 2; threads <= 3; threads++) {
                    def.pinning = pinning;
                    def.threads = threads;
                    expect(&def, &scene, s, want);
                }
            }
        }
        kit_scene_free(&scene);
    }
}

/* The reference solves in the caller's order, whatever the library does to particles in memory. */
static void test_serial_bits_do_not_depend_on_the_ordering(void **state)
{
    const char *ordering;
    (void)state;
    for (uint32_t s = 0; s < COUNT_OF(scenes); s++) {
        kit_scene scene = make_scene(s);
        xpbd_world_def def = base_def("serial-gs");
        def.ordering = "natural";
        const uint64_t want = run(&def, &scene);
        for (uint32_t o = 0; (ordering = xpbd_ordering_name(o)); o++) {
            def.ordering = ordering;
            expect(&def, &scene, s, want);
        }
        kit_scene_free(&scene);
    }
}

/* Schedulers that differ must not hash alike: the tests above would prove nothing if the hash did
 * not see the motion. A cloth has no trees, so that tree-direct is colored-gs there; a rope is one.
 */
static void test_hash_sees_the_order_of_the_solve(void **state)
{
    kit_scene cloth = make_scene(1), rope = make_scene(5);
    const char *scheduler;
    uint64_t hashes[64];
    uint32_t n = 0;
    (void)state;
    for (; (scheduler = xpbd_scheduler_name(n)) && n < COUNT_OF(hashes); n++) {
        xpbd_world_def def = base_def(scheduler);
        hashes[n] = run(&def, &cloth) ^ run(&def, &rope);
        for (uint32_t i = 0; i < n; i++)
            assert_int_not_equal(hashes[i], hashes[n]);
    }
    kit_scene_free(&cloth);
    kit_scene_free(&rope);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits_do_not_depend_on_isa_and_layout),
        cmocka_unit_test(test_bits_do_not_depend_on_pinning),
        cmocka_unit_test(test_serial_bits_do_not_depend_on_the_ordering),
        cmocka_unit_test(test_hash_sees_the_order_of_the_solve),
    };
    alarm(280); /* a barrier that never opens ends as a failure, not as a hung build */
    return RUN_GROUP("bits_mt", tests);
}
