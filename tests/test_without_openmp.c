/* SPDX-License-Identifier: MIT
 *
 * The library where the compiler has no OpenMP: this program has a team that was compiled without
 * it in the place of the library's own. One thread does all the work, the world says so, and the
 * result does not depend on how many were asked for.
 */
#include "support.h"

#ifdef _OPENMP
#error "this is to be compiled without -fopenmp, together with schedulers/team.c"
#endif

static uint64_t simulate(const char *scheduler, int32_t threads, uint32_t *used)
{
    kit_scene cloth = kit_grid(24, 24, 0.05f, KIT_STRUCTURAL | KIT_SHEAR);
    cloth.w[0] = cloth.w[23] = 0;
    xpbd_world_def def = kit_def(scheduler);
    def.threads = threads;
    def.acceleration[1] = -9.81f;
    xpbd_world *w = kit_build(&def, &cloth, 1e-6f);
    kit_steps(w, 5, 1.0 / 60);
    xpbd_world_summary summary;
    assert_ok(xpbd_world_summarize(w, &summary));
    assert_false(summary.oversubscribed);
    *used = (uint32_t)summary.threads;
    const uint64_t hash = xpbd_world_hash(w);
    kit_scene_free(&cloth);
    xpbd_world_destroy(w);
    return hash;
}

static void test_B02_without_openmp_one_thread_does_it_all(void **state)
{
    static const int32_t asked[] = {0, 1, 2, 64};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        uint64_t want = 0;
        for (uint32_t k = 0; k < COUNT_OF(asked); k++) {
            uint32_t used = 0;
            const uint64_t got = simulate(name, asked[k], &used);
            assert_int_equal(used, 1);
            want = k == 0 ? got : want;
            assert_same_hash(got, want, name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B02_without_openmp_one_thread_does_it_all),
    };
    return RUN_GROUP("without_openmp", tests);
}
