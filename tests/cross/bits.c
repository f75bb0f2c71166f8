/* SPDX-License-Identifier: MIT
 *
 * Prints the hash of a small cloth after some steps, for every scheduler, layout and instruction
 * set that this processor has. What it prints must not depend on the processor.
 */
#include <stdio.h>
#include <xpbd/xpbd.h>

enum { N = 24, STEPS = 12 };

static float x[N * N][3], w[N * N];
static uint32_t pair[6 * N * N][2], corner[2] = {0, N - 1};

static uint32_t join(void)
{
    static const int step[6][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}, {0, 2}, {2, 0}};
    uint32_t n = 0;
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < N * N; i++) {
            const int row = i / N + step[k][0], column = i % N + step[k][1];
            if (row < N && column >= 0 && column < N) {
                pair[n][0] = (uint32_t)i;
                pair[n++][1] = (uint32_t)(row * N + column);
            }
        }
    }
    return n;
}

/* 0 where the world can not be made. */
static uint64_t run(const char *scheduler, const char *layout, const char *isa)
{
    const float compliance = 1e-6f, damping_time = 1e-3f, attach = 1e-4f;
    xpbd_world_def def = xpbd_default_world_def();
    def.scheduler = scheduler;
    def.layout = layout;
    def.isa = isa;
    xpbd_world *world;
    if (xpbd_world_create(&def, &world, NULL) != XPBD_OK) {
        return 0;
    }
    const uint32_t n = join();
    bool ok = xpbd_world_add_particles(world, N * N,
                                       &(xpbd_particles){.position = x[0], .inverse_mass = w},
                                       NULL) == XPBD_OK;
    ok = ok && xpbd_world_add_constraints(world, XPBD_DISTANCE, n,
                                          &(xpbd_constraints){.particles = pair[0],
                                                              .compliance = &compliance,
                                                              .compliance_stride = XPBD_SAME,
                                                              .damping_time = &damping_time,
                                                              .damping_time_stride = XPBD_SAME},
                                          NULL) == XPBD_OK;
    ok = ok && xpbd_world_add_constraints(world, XPBD_ATTACH, 2,
                                          &(xpbd_constraints){.particles = corner,
                                                              .compliance = &attach,
                                                              .compliance_stride = XPBD_SAME},
                                          NULL) == XPBD_OK;
    for (int step = 0; ok && step < STEPS; step++) {
        ok = xpbd_world_step(world, 1.0 / 60) == XPBD_OK;
    }
    const uint64_t hash = ok ? xpbd_world_hash(world) : 0;
    xpbd_world_destroy(world);
    return hash;
}

int main(void)
{
    for (int i = 0; i < N * N; i++) {
        x[i][0] = (float)(i % N) / (float)N;
        x[i][1] = (float)(i % 7) * 0.001f;
        x[i][2] = (float)(i / N) / (float)N;
        w[i] = (float)(1 + i % 3) * 500.0f;
    }
    const char *scheduler, *layout, *isa;
    for (uint32_t s = 0; (scheduler = xpbd_scheduler_name(s)); s++) {
        for (uint32_t k = 0; (isa = xpbd_isa_name(k)); k++) {
            for (uint32_t l = 0; (layout = xpbd_layout_name(l)) && xpbd_isa_available(k); l++) {
                printf("%s %016llx %s %s\n", scheduler,
                       (unsigned long long)run(scheduler, layout, isa), isa, layout);
            }
        }
    }
    return 0;
}
