/* SPDX-License-Identifier: MIT
 *
 * reopen LIBRARY: opens the shared library, steps a world on several threads, closes it, and does
 * so again and again, as hosts of plug-ins do. Threads of OpenMP that sleep outlive a close.
 */
#include "xpbd/xpbd.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>

enum { SIDE = 40, N = SIDE * SIDE, ROUNDS = 20 };

static float x[N][3];
static uint32_t pair[2 * N][2];

/* A function of the library; a cast would be no C. */
static bool find(void *library, const char *name, void *to)
{
    void *at = dlsym(library, name);
    memcpy(to, &at, sizeof at);
    return at != NULL;
}

static bool simulate(void *library, uint64_t *hash)
{
    xpbd_world_def (*def_of)(void);
    xpbd_status (*create)(const xpbd_world_def *, xpbd_world **, xpbd_error *);
    xpbd_status (*particles)(xpbd_world *, uint32_t, const xpbd_particles *, uint32_t *);
    xpbd_status (*constraints)(xpbd_world *, xpbd_constraint_type, uint32_t,
                               const xpbd_constraints *, uint32_t *);
    xpbd_status (*step)(xpbd_world *, double);
    uint64_t (*hash_of)(const xpbd_world *);
    void (*destroy)(xpbd_world *);
    xpbd_world *world;
    uint32_t n = 0;
    if (!find(library, "xpbd_default_world_def", &def_of) ||
        !find(library, "xpbd_world_create", &create) ||
        !find(library, "xpbd_world_add_particles", &particles) ||
        !find(library, "xpbd_world_add_constraints", &constraints) ||
        !find(library, "xpbd_world_step", &step) || !find(library, "xpbd_world_hash", &hash_of) ||
        !find(library, "xpbd_world_destroy", &destroy)) {
        return false;
    }
    for (uint32_t i = 0; i < N; i++) {
        x[i][0] = 0.1f * (float)(i % SIDE), x[i][1] = 0.001f * (float)(i * 7 % 13);
        x[i][2] = 0.1f * (float)(i / SIDE);
        if (i % SIDE < SIDE - 1)
            pair[n][0] = i, pair[n++][1] = i + 1;
        if (i + SIDE < N)
            pair[n][0] = i, pair[n++][1] = i + SIDE;
    }
    xpbd_world_def def = def_of();
    def.threads = 4;
    bool ok = create(&def, &world, NULL) == XPBD_OK;
    ok = ok && particles(world, N, &(xpbd_particles){.position = x[0]}, NULL) == XPBD_OK;
    ok = ok && constraints(world, XPBD_DISTANCE, n, &(xpbd_constraints){.particles = pair[0]},
                           NULL) == XPBD_OK;
    for (int i = 0; ok && i < 3; i++)
        ok = step(world, 1.0 / 60) == XPBD_OK;
    *hash = ok ? hash_of(world) : 0;
    destroy(world);
    return ok;
}

int main(int argc, char **argv)
{
    uint64_t hash, first = 0;
    for (int round = 0; argc == 2 && round < ROUNDS; round++) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library || !simulate(library, &hash)) {
            fprintf(stderr, "reopen: round %d: %s\n", round, library ? "no world" : dlerror());
            return 1;
        }
        dlclose(library);
        if (round % 5 == 0) /* until those that spin sleep, and without */
            thrd_sleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        first = round ? first : hash;
        if (hash != first) {
            fprintf(stderr, "reopen: round %d has another hash\n", round);
            return 1;
        }
    }
    printf("opened and closed %d times: hash %016llx\n", ROUNDS, (unsigned long long)first);
    return argc == 2 ? 0 : 2;
}
