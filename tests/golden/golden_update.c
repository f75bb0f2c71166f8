/* SPDX-License-Identifier: MIT
 *
 * Writing golden.def. A hash is what all ways agree on, or there is none: a table that was made of
 * one of them would make the fault the rule.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/golden/golden_ways.h"

static const char head[] =
    "/* SPDX-License-Identifier: MIT\n"
    " *\n"
    " * What the scenes of golden_scenes.def come to, on every machine. GOLDEN(scene, scheduler, "
    "hash,\n"
    " * reason): the reason says why the hash is not what it was before. Written by\n"
    " * ./bazelw run //tests/golden -- --update --reason \"...\"\n"
    " */\n";

/* The hash that a scene has in every way: each instruction set and layout, on few threads and on
 * many. 0, and says so, where two ways disagree. */
static uint64_t agreed(const golden_scene *scene, const char *scheduler)
{
    static const int32_t threads[] = {1, 3, 16};
    xpbd_world_def def = golden_def(scene);
    uint64_t hash = 0;
    def.scheduler = scheduler;
    for (uint32_t i = 0; (def.isa = xpbd_isa_name(i)); i++) {
        for (uint32_t l = 0; (def.layout = xpbd_layout_name(l)) && xpbd_isa_available(i); l++) {
            for (uint32_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
                def.threads = threads[t];
                const golden_result result = golden_run(scene, &def, 1.0f);
                if (result.hash == 0 || (hash != 0 && result.hash != hash)) {
                    fprintf(stderr,
                            "golden: %s, %s, %s, %s, %d threads: %016" PRIx64 ", others %016" PRIx64
                            " %s\n",
                            scene->name, scheduler, def.isa, def.layout, def.threads, result.hash,
                            hash, result.text);
                    return 0;
                }
                hash = result.hash;
            }
        }
    }
    return hash;
}

static bool write_row(FILE *out, const char *scene, const char *scheduler, uint64_t hash,
                      const char *reason)
{
    return fprintf(out, "GOLDEN(\"%s\", \"%s\", 0x%016" PRIx64 ", \"%s\")\n", scene, scheduler,
                   hash, reason) > 0;
}

/* A row with the hash that the scene has now. False if there is none to write. */
static bool renew_row(FILE *out, const golden_scene *scene, const char *scheduler,
                      const char *reason)
{
    const golden_row *row = golden_find(scene->name, scheduler);
    const uint64_t hash = agreed(scene, scheduler);
    if (hash == 0) {
        return false;
    }
    if (!row || row->hash == hash) {
        return write_row(out, scene->name, scheduler, hash, row ? row->reason : "the first");
    }
    printf("%s, %s: %016" PRIx64 " -> %016" PRIx64 "\n", scene->name, scheduler, row->hash, hash);
    if (!reason) {
        fprintf(stderr, "golden: %s, %s has changed: say why with --reason\n", scene->name,
                scheduler);
        return false;
    }
    return write_row(out, scene->name, scheduler, hash, reason);
}

static bool write_rows(FILE *out, const golden_ways *ways, const char *reason)
{
    golden_scene scene;
    const char *scheduler;
    bool ok = fputs(head, out) >= 0;
    for (uint32_t i = 0; golden_scene_at(i, &scene); i++) {
        for (uint32_t s = 0; (scheduler = xpbd_scheduler_name(s)); s++) {
            const golden_row *row = golden_find(scene.name, scheduler);
            if (golden_has_row(ways, &scene, scheduler)) {
                ok = renew_row(out, &scene, scheduler, reason) && ok;
            } else if (row) {
                ok = write_row(out, row->scene, row->scheduler, row->hash, row->reason) && ok;
            }
        }
    }
    return ok;
}

bool golden_update(const golden_ways *ways, const char *reason)
{
    const char *root = getenv("BUILD_WORKSPACE_DIRECTORY");
    char path[4096], beside[4096];
    if (!root) {
        fprintf(stderr, "golden: --update writes into the sources that bazel run is called in\n");
        return false;
    }
    if (reason && (strpbrk(reason, "\"\\\n") || reason[0] == '\0')) {
        fprintf(stderr, "golden: --reason: one line without \" and \\\n");
        return false;
    }
    (void)snprintf(path, sizeof path, "%s/tests/golden/golden.def", root);
    (void)snprintf(beside, sizeof beside, "%s/tests/golden/golden.new", root);
    FILE *out = fopen(beside, "w");
    if (!out) {
        perror(beside);
        return false;
    }
    bool ok = write_rows(out, ways, reason);
    ok = fclose(out) == 0 && ok;
    if (!ok || rename(beside, path) != 0) {
        fprintf(stderr, "golden: %s stays as it was\n", path);
        (void)remove(beside);
        return false;
    }
    printf("wrote %s\n", path);
    return true;
}
