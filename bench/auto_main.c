/* SPDX-License-Identifier: MIT
 *
 * //bench:auto [ROUNDS [SCENE...]]: is what the library chooses by itself as good as the best that
 * can be chosen? Per scene a world with nothing chosen and worlds with all of it chosen, Gauss-
 * Seidel schedulers, layouts and thread counts, take a step each in turn. The ratios are of the
 * smallest times of their steps, the first ones, in which threads are measured, left out.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "bench/text.h"
#include "bench/trial.h"

enum { MOST_ROUNDS = 1000000, MOST_ROWS = 16, SETTLING = 60, ITERATIONS = 10 };

static const char *const SCHEDULERS[] = {"colored-gs", "slab-gs"};
static const char *const LAYOUTS[] = {"aos4", "soa"};
static const char *const SCENES[] = {
    "cloth-16",    "cloth-64",    "cloth-73",  "cloth-256", "cloth-256-scrambled",
    "tetblock-16", "tetblock-24", "rope-1000", "drape-64",  "softbody-10",
    "jelly-16",    "balloon-64",  "beam-48"};
enum { N_SCENES = sizeof SCENES / sizeof SCENES[0] };

typedef struct row {
    xpbd_world *world;
    double least;
    char name[80];
} row;

typedef struct rows {
    row at[MOST_ROWS]; /* the first is the automatic one */
    uint32_t n;
} rows;

static bool add(const xpbd_scene *scene, const xpbd_world_def *def, rows *to)
{
    row *r = &to->at[to->n++];
    *r = (row){.least = 1e30};
    return xpbd_world_create(def, &r->world, NULL) == XPBD_OK &&
           xpbd_scene_build(scene, r->world) == XPBD_OK && xpbd_world_prepare(r->world) == XPBD_OK;
}

static bool add_all(const xpbd_scene *scene, rows *to)
{
    xpbd_world_def def = xpbd_default_world_def();
    xpbd_world_summary summary;
    def.iterations = ITERATIONS;
    *to = (rows){0};
    if (!add(scene, &def, to) || xpbd_world_summarize(to->at[0].world, &summary) != XPBD_OK) {
        return false;
    }
    for (uint32_t k = 0; k < 8; k++) {
        def.scheduler = SCHEDULERS[k & 1];
        def.layout = LAYOUTS[k >> 1 & 1];
        def.threads = k >> 2 ? (int32_t)summary.threads_usable : 1;
        if (k >> 2 && summary.threads_usable == 1) {
            break;
        }
        if (!add(scene, &def, to)) {
            return false;
        }
        snprintf(to->at[to->n - 1].name, sizeof to->at[0].name, "%s/%s, %d threads", def.scheduler,
                 def.layout, def.threads);
    }
    return true;
}

static bool run(rows *of, uint32_t rounds)
{
    for (uint32_t round = 0; round < rounds + SETTLING; round++) {
        for (uint32_t k = 0; k < of->n; k++) {
            row *r = &of->at[k];
            const double start = xpbd_clock_seconds();
            if (xpbd_world_step(r->world, 1.0 / 60) != XPBD_OK) {
                fprintf(stderr, "auto: %s\n", xpbd_world_error(r->world)->text);
                return false;
            }
            const double took = xpbd_clock_seconds() - start;
            r->least = round >= SETTLING && took < r->least ? took : r->least;
        }
    }
    return true;
}

/* Returns how many times slower than the best the automatic choice is, 0 for none. */
static double tell(const xpbd_scene *scene, const rows *of)
{
    uint32_t best = 1, one = 1;
    const double n = bench_trial_constraints(scene);
    xpbd_world_summary summary;
    for (uint32_t k = 1; k < of->n; k++) {
        best = of->at[k].least < of->at[best].least ? k : best;
        one = k <= 4 && of->at[k].least < of->at[one].least ? k : one; /* on one thread */
    }
    if (xpbd_world_summarize(of->at[0].world, &summary) != XPBD_OK) {
        return 0.0;
    }
    const double ns = 1e9 / (n * ITERATIONS), mine = of->at[0].least;
    printf("%-20s %8.0f  %8.3f  %s/%s, %u of %u threads\n", scene->name, n, ns * mine,
           summary.scheduler, summary.layout, summary.threads_active, summary.threads);
    printf("%39.3f  best: %s; %.2f times\n", ns * of->at[best].least, of->at[best].name,
           mine / of->at[best].least);
    printf("%39.3f  best on one thread: %s; %.2f times\n", ns * of->at[one].least, of->at[one].name,
           mine / of->at[one].least);
    return mine / of->at[best].least;
}

static bool measure(const char *name, uint32_t rounds, double *worst)
{
    xpbd_scene scene;
    rows all = {0};
    char error[400];
    if (!xpbd_scene_make(name, &scene, error, sizeof error)) {
        fprintf(stderr, "auto: %s\n", error);
        return false;
    }
    const bool made = add_all(&scene, &all);
    if (!made) {
        fprintf(stderr, "auto: %s: no memory\n", name);
    }
    const bool ok = made && run(&all, rounds);
    const double ratio = ok ? tell(&scene, &all) : 0.0;
    *worst = ratio > *worst ? ratio : *worst;
    for (uint32_t k = 0; k < all.n; k++) {
        xpbd_world_destroy(all.at[k].world);
    }
    xpbd_scene_free(&scene);
    return ok;
}

int main(int argc, char **argv)
{
    bench_trial trial = {"auto", 100, MOST_ROUNDS, SCENES, N_SCENES};
    double worst = 0.0;
    bool ok = true;
    if (!bench_trial_read(&trial, argc, argv))
        return BENCH_EXIT_USAGE;
    printf("%-20s %8s  %8s\n", "scene", "", "ns");
    for (uint32_t k = 0; ok && k < trial.n_scenes; k++)
        ok = measure(trial.scenes[k], trial.rounds, &worst);
    if (ok) {
        printf("the automatic choice takes at most %.2f times as long as the best\n", worst);
    }
    return ok ? BENCH_EXIT_OK : BENCH_EXIT_WRONG;
}
