/* SPDX-License-Identifier: MIT
 *
 * //bench:tracking [SCENE [ITERATIONS [ROUNDS]]]: what it costs to know how far a solve has come,
 * and that nothing explodes.
 * Worlds of one scene take a step each in turn, one plain and the others with something to look at;
 * the ratios are of the smallest times of their steps. They have the same state throughout, or the
 * program says so and fails.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/arguments.h"
#include "bench/text.h"
#include "scenes/scene.h"

enum { MOST = 1000000 }; /* iterations, rounds */

#define NEVER 1e-30f /* a tolerance that no sweep meets */

/* What each world looks at: iterations per look, 0 for none. */
static const struct {
    const char *what;
    bool keep_prediction;
    uint32_t check_every;
    float max_speed, max_force; /* of a guard; 0: there is none */
} ROWS[] = {{"plain", false, 0, 0, 0},
            {"prediction kept for the imbalance", true, 0, 0, 0},
            {"tolerance, looked at every 10th iteration", false, 10, 0, 0},
            {"tolerance, looked at every 8th iteration (default)", false, 8, 0, 0},
            {"tolerance, looked at every 5th iteration", false, 5, 0, 0},
            {"tolerance, looked at every iteration", false, 1, 0, 0},
            {"guard of speeds", false, 0, 1e6f, INFINITY},
            {"guard of speeds and forces", false, 0, 1e6f, 1e30f}};
enum { N_ROWS = sizeof ROWS / sizeof ROWS[0] };

static xpbd_world *make(const xpbd_scene *scene, uint32_t row, uint32_t iterations, int32_t threads)
{
    xpbd_world *world = NULL;
    xpbd_world_def def = xpbd_default_world_def();
    def.iterations = iterations;
    def.threads = threads;
    def.keep_prediction = ROWS[row].keep_prediction;
    def.tolerance = ROWS[row].check_every ? NEVER : 0.0f;
    def.check_every = ROWS[row].check_every ? ROWS[row].check_every : 1;
    if (ROWS[row].max_speed > 0) {
        def.guard = XPBD_GUARD_CLAMP;
        def.max_speed = ROWS[row].max_speed;
        def.max_force = ROWS[row].max_force;
    }
    if (xpbd_world_create(&def, &world, NULL) == XPBD_OK &&
        xpbd_scene_build(scene, world) == XPBD_OK && xpbd_world_prepare(world) == XPBD_OK) {
        return world;
    }
    fprintf(stderr, "tracking: %s: no memory\n", scene->name);
    exit(1);
}

static bool measure(const xpbd_scene *scene, uint32_t iterations, uint32_t rounds, int32_t threads)
{
    xpbd_world *worlds[N_ROWS];
    double least[N_ROWS];
    bool same = true;
    for (uint32_t row = 0; row < N_ROWS; row++) {
        worlds[row] = make(scene, row, iterations, threads);
        least[row] = 1e30;
    }
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t row = 0; row < N_ROWS; row++) {
            const double start = xpbd_clock_seconds();
            if (xpbd_world_step(worlds[row], 1.0 / 60) != XPBD_OK) {
                fprintf(stderr, "tracking: %s\n", xpbd_world_error(worlds[row])->text);
                exit(1);
            }
            const double took = xpbd_clock_seconds() - start;
            least[row] = took < least[row] ? took : least[row];
        }
    }
    printf("%s, %u iterations, threads: %d, smallest of %u steps in turn\n", scene->name,
           iterations, threads, rounds);
    for (uint32_t row = 0; row < N_ROWS; row++) {
        const bool alike = xpbd_world_hash(worlds[row]) == xpbd_world_hash(worlds[0]);
        printf("    %-52s %9.1f us   %+6.2f %%%s\n", ROWS[row].what, 1e6 * least[row],
               100.0 * (least[row] / least[0] - 1.0), alike ? "" : "   ANOTHER STATE");
        same = same && alike;
        xpbd_world_destroy(worlds[row]);
    }
    return same;
}

int main(int argc, char **argv)
{
    uint32_t iterations = 10, rounds = 2000;
    xpbd_scene scene;
    char error[256];
    if (argc > 4 || (argc > 2 && !bench_argument_count("ITERATIONS", argv[2], MOST, &iterations)) ||
        (argc > 3 && !bench_argument_count("ROUNDS", argv[3], MOST, &rounds))) {
        fprintf(stderr, "usage: tracking [SCENE [ITERATIONS [ROUNDS]]]; cloth-64, 10 and 2000\n");
        return BENCH_EXIT_USAGE;
    }
    if (!xpbd_scene_make(argc > 1 ? argv[1] : "cloth-64", &scene, error, sizeof error)) {
        fprintf(stderr, "tracking: %s\n", error);
        return BENCH_EXIT_USAGE;
    }
    const bool same = measure(&scene, iterations, rounds, 1);
    const bool same_of_two = measure(&scene, iterations, rounds, 2);
    xpbd_scene_free(&scene);
    return same && same_of_two ? BENCH_EXIT_OK : BENCH_EXIT_WRONG;
}
