/* SPDX-License-Identifier: MIT
 *
 * Proves for every family of scenes, and for a mesh with volumes, what the main job relies on:
 * under each scheduler the state is the same on all instruction sets, layouts and thread counts,
 * and it stays finite.
 */
#include "support.h"

#include "scenes/scene.h"

enum { N_STEPS = 8 };

static uint64_t run(const xpbd_world_def *def, const xpbd_scene *scene)
{
    xpbd_world *world = kit_create(def);
    assert_ok(xpbd_scene_build(scene, world));
    kit_steps(world, N_STEPS, 1.0 / 60);
    xpbd_diagnostics d;
    assert_ok(xpbd_world_diagnose(world, &d));
    if (d.n_nonfinite != 0)
        fail_msg("%s, %s: %llu particles are not finite", scene->name, def->scheduler,
                 (unsigned long long)d.n_nonfinite);
    const uint64_t hash = xpbd_world_hash(world);
    xpbd_world_destroy(world);
    return hash;
}

static void check(const xpbd_scene *scene)
{
    const char *scheduler, *isa, *layout;
    for (uint32_t s = 0; (scheduler = xpbd_scheduler_name(s)); s++) {
        xpbd_world_def def = kit_def(scheduler);
        def.acceleration[1] = -9.81f;
        def.isa = "scalar";
        def.layout = "soa";
        def.threads = 1;
        const uint64_t want = run(&def, scene);
        for (uint32_t i = 0; (isa = xpbd_isa_name(i)); i++) {
            for (uint32_t l = 0; (layout = xpbd_layout_name(l)) && xpbd_isa_available(i); l++) {
                char text[128];
                def.isa = isa;
                def.layout = layout;
                def.threads = 1 + (int32_t)(i + l) % 2;
                snprintf(text, sizeof text, "%s, %s, %s, %s, %d threads", scene->name, scheduler,
                         isa, layout, def.threads);
                assert_same_hash(run(&def, scene), want, text);
            }
        }
    }
}

static void test_scenes_have_the_same_bits(void **state)
{
    const xpbd_scene_family *family;
    (void)state;
    for (uint32_t f = 0; (family = xpbd_scene_list(f)); f++) {
        for (int scrambled = 0; scrambled < 2; scrambled++) {
            char name[64];
            xpbd_scene scene;
            snprintf(name, sizeof name, "%s-%u%s", family->name, family->smallest + 7,
                     scrambled ? "-scrambled" : "");
            assert_true(xpbd_scene_make(name, &scene, NULL, 0));
            check(&scene);
            xpbd_scene_free(&scene);
        }
    }
}

static void test_mesh_with_volumes_has_the_same_bits(void **state)
{
    xpbd_scene scene;
    char error[256];
    (void)state;
    if (!xpbd_scene_from_mesh_file("tests/data/mesh/two_tets.node", true, &scene, error,
                                   sizeof error))
        fail_msg("%s", error);
    check(&scene);
    xpbd_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_have_the_same_bits),
        cmocka_unit_test(test_mesh_with_volumes_has_the_same_bits),
    };
    return RUN_GROUP("scene_bits", tests);
}
