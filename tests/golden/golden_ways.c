/* SPDX-License-Identifier: MIT
 *
 * See golden_ways.h.
 */
#include "tests/golden/golden_ways.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef const char *name_fn(uint32_t index);

/* Whether a list has a name; null has all of them. */
static bool has(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == '\0')) {
            return true;
        }
    }
    return !list;
}

static bool has_scene(const golden_ways *ways, const golden_scene *scene)
{
    return has(ways->scenes, scene->name) || has(ways->scenes, scene->large ? "large" : "small");
}

bool golden_has_row(const golden_ways *ways, const golden_scene *scene, const char *scheduler)
{
    return has_scene(ways, scene) && has(ways->schedulers, scheduler);
}

static const char *scene_name(uint32_t index)
{
    static golden_scene scene;
    return golden_scene_at(index, &scene) ? scene.name : NULL;
}

/* Each name of the list is one of `names`, or one of `others`. */
static bool check_list(const char *option, const char *list, name_fn *names, const char *others)
{
    while (list && *list) {
        char name[64];
        const size_t n = strcspn(list, ",");
        (void)snprintf(name, sizeof name, "%.*s", (int)(n < 63 ? n : 63), list);
        bool known = has(others, name);
        for (uint32_t i = 0; names(i) && !known; i++) {
            known = strcmp(names(i), name) == 0;
        }
        if (!known) {
            fprintf(stderr, "golden: %s: nothing is named '%s'\n", option, name);
            return false;
        }
        list += n + (list[n] == ',');
    }
    return true;
}

bool golden_check_names(const golden_ways *ways)
{
    return check_list("--scenes", ways->scenes, scene_name, "small,large") &&
           check_list("--schedulers", ways->schedulers, xpbd_scheduler_name, "") &&
           check_list("--isas", ways->isas, xpbd_isa_name, "auto") &&
           check_list("--layouts", ways->layouts, xpbd_layout_name, "") &&
           check_list("--pinnings", ways->pinnings, xpbd_pinning_name, "");
}

/* One run against its row. */
static void compare(const golden_scene *scene, const xpbd_world_def *def, golden_tally *tally)
{
    const golden_row *row = golden_find(scene->name, def->scheduler);
    const golden_result result = golden_run(scene, def, 1.0f);
    tally->n_runs++;
    if (result.threads > tally->threads) {
        tally->threads = result.threads;
    }
    if (row && result.hash == row->hash && result.text[0] == '\0') {
        return;
    }
    tally->n_different++;
    printf("%s, %s, %s, %s, %d threads, pinning %s: %016" PRIx64 " instead of %016" PRIx64 " %s\n",
           scene->name, def->scheduler, def->isa ? def->isa : "auto", def->layout, def->threads,
           def->pinning, result.hash, row ? row->hash : 0,
           row ? result.text : "(golden.def has no such row)");
}

/* All threads, layouts and pinnings of a scene, scheduler and instruction set. */
static void compare_isa(const golden_ways *ways, const golden_scene *scene, xpbd_world_def *def,
                        golden_tally *tally)
{
    for (uint32_t l = 0; (def->layout = xpbd_layout_name(l)); l++) {
        for (uint32_t p = 0; (def->pinning = xpbd_pinning_name(p)); p++) {
            if (!has(ways->layouts, def->layout) || !has(ways->pinnings, def->pinning)) {
                continue;
            }
            for (uint32_t t = 0; t < ways->n_threads; t++) {
                def->threads = ways->threads[t];
                compare(scene, def, tally);
            }
        }
    }
}

static void compare_scene(const golden_ways *ways, const golden_scene *scene, golden_tally *tally)
{
    xpbd_world_def def = golden_def(scene);
    for (uint32_t s = 0; (def.scheduler = xpbd_scheduler_name(s)); s++) {
        if (!has(ways->schedulers, def.scheduler)) {
            continue;
        }
        tally->n_rows++;
        def.isa = NULL;
        if (ways->isas && has(ways->isas, "auto")) {
            compare_isa(ways, scene, &def, tally);
        }
        for (uint32_t i = 0; (def.isa = xpbd_isa_name(i)); i++) {
            if (has(ways->isas, def.isa) && xpbd_isa_available(i)) {
                compare_isa(ways, scene, &def, tally);
            }
        }
    }
}

/* What "auto" is here. */
static const char *automatic_isa(void)
{
    xpbd_world *world;
    xpbd_world_summary summary = {0};
    if (xpbd_world_create(NULL, &world, NULL) != XPBD_OK) {
        return "none";
    }
    (void)xpbd_world_summarize(world, &summary);
    const char *isa = summary.isa;
    xpbd_world_destroy(world);
    return isa;
}

golden_tally golden_compare(const golden_ways *ways, bool verbose)
{
    golden_tally tally = {.isa = automatic_isa()};
    golden_scene scene;
    for (uint32_t i = 0; golden_scene_at(i, &scene); i++) {
        if (!has_scene(ways, &scene)) {
            continue;
        }
        const uint32_t before = tally.n_runs, different = tally.n_different;
        compare_scene(ways, &scene, &tally);
        if (verbose) {
            printf("%-10s %u runs, %u different\n", scene.name, tally.n_runs - before,
                   tally.n_different - different);
            (void)fflush(stdout);
        }
    }
    return tally;
}
