/* SPDX-License-Identifier: MIT
 *
 * A cloth on the threads of the host: libxpbd starts none of its own. Needs nothing but the
 * installed library and the pool beside this file.
 */
#include "pool.h"

#include <stdio.h>
#include <xpbd/xpbd.h>

enum { SIDE = 64, WORKERS = 2 };

/* Threads between particle and its neighbours to the right and below. */
static uint32_t weave(float (*x)[3], float *w, uint32_t (*pair)[2])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint32_t row = i / SIDE, column = i % SIDE;
        x[i][0] = 0.02f * (float)column;
        x[i][1] = 0.0f;
        x[i][2] = 0.02f * (float)row;
        w[i] = row == 0 ? 0.0f : 1000.0f; /* the first row is pinned, the others weigh 1 g */
        if (column + 1 < SIDE) {
            pair[n][0] = i;
            pair[n++][1] = i + 1;
        }
        if (row + 1 < SIDE) {
            pair[n][0] = i;
            pair[n++][1] = i + SIDE;
        }
    }
    return n;
}

int main(void)
{
    static float x[SIDE * SIDE][3], w[SIDE * SIDE];
    static uint32_t pair[2 * SIDE * SIDE][2];
    const uint32_t n = weave(x, w, pair);
    pool *p = pool_start(WORKERS);
    if (!p) {
        fprintf(stderr, "no threads\n");
        return 1;
    }
    const xpbd_task_system tasks = {pool_for, p, WORKERS};
    xpbd_world_def def = xpbd_default_world_def();
    def.task_system = &tasks;
    def.substeps = 10;
    def.iterations = 1;
    xpbd_world *world;
    xpbd_error error;
    if (xpbd_world_create(&def, &world, &error) != XPBD_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const xpbd_particles particles = {.position = x[0], .inverse_mass = w};
    const xpbd_constraints threads = {.particles = pair[0]};
    xpbd_status status = xpbd_world_add_particles(world, SIDE * SIDE, &particles, NULL);
    if (status == XPBD_OK) {
        status = xpbd_world_add_constraints(world, XPBD_DISTANCE, n, &threads, NULL);
    }
    for (int step = 0; step < 60 && status == XPBD_OK; step++) {
        status = xpbd_world_step(world, 1.0 / 60.0);
    }
    if (status == XPBD_OK) {
        status = xpbd_world_read_positions(world, 0, SIDE * SIDE, x[0], 0);
    }
    if (status != XPBD_OK) {
        fprintf(stderr, "%s\n", xpbd_world_error(world)->text);
    } else {
        printf("a corner is at %.3f %.3f %.3f m, the hash is %016llx\n",
               (double)x[SIDE * SIDE - 1][0], (double)x[SIDE * SIDE - 1][1],
               (double)x[SIDE * SIDE - 1][2], (unsigned long long)xpbd_world_hash(world));
    }
    xpbd_world_destroy(world);
    pool_stop(p);
    return status != XPBD_OK;
}
