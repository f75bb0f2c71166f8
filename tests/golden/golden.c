/* SPDX-License-Identifier: MIT
 *
 * The rows of both tables, and how a scene is run.
 */
#include "tests/golden/golden.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "tests/golden/golden_bed.h"

typedef struct scene_row {
    const char *name;
    uint32_t size[2], substeps, iterations, steps;
    float relaxation, tolerance;
    void (*fill)(golden_bed *bed);
    void (*act)(golden_bed *bed, uint32_t step);
} scene_row;

static const scene_row scenes[] = {
#define GOLDEN_SCENE(name, small, large, substeps, iterations, steps, relaxation, tolerance)       \
    {#name,      {small, large}, substeps,           iterations,       steps,                      \
     relaxation, tolerance,      golden_fill_##name, golden_act_##name},
#include "tests/golden/golden_scenes.def"
#undef GOLDEN_SCENE
};
enum { N_SCENES = sizeof scenes / sizeof scenes[0] };

static const golden_row rows[] = {
#define GOLDEN(scene, scheduler, hash, reason) {scene, scheduler, UINT64_C(hash), reason},
#include "tests/golden/golden.def"
#undef GOLDEN
    {NULL, NULL, 0, NULL},
};

bool golden_scene_at(uint32_t index, golden_scene *out)
{
    if (index >= 2 * N_SCENES) {
        return false;
    }
    *out = (golden_scene){.large = index >= N_SCENES, .row = index % N_SCENES};
    out->n = scenes[out->row].size[out->large];
    (void)snprintf(out->name, sizeof out->name, "%s-%u", scenes[out->row].name, out->n);
    return true;
}

const golden_row *golden_row_at(uint32_t index)
{
    return index + 1 < sizeof rows / sizeof rows[0] ? &rows[index] : NULL;
}

const golden_row *golden_find(const char *scene, const char *scheduler)
{
    for (const golden_row *row = rows; row->scene; row++) {
        if (!strcmp(row->scene, scene) && !strcmp(row->scheduler, scheduler)) {
            return row;
        }
    }
    return NULL;
}

xpbd_world_def golden_def(const golden_scene *scene)
{
    const scene_row *row = &scenes[scene->row];
    xpbd_world_def def = xpbd_default_world_def();
    def.substeps = row->substeps;
    def.iterations = row->iterations;
    def.relaxation = row->relaxation;
    def.tolerance = row->tolerance;
    def.check_every = 2;
    def.threads = 1;
    return def;
}

static bool read_results(const golden_bed *bed, xpbd_constraint_type type, bool forces,
                         uint32_t first, uint32_t n, float *out)
{
    return (forces ? xpbd_world_read_forces : xpbd_world_read_lambdas)(bed->world, type, first, n,
                                                                       out, 0) == XPBD_OK;
}

/* Multipliers and forces of all constraints of a type: all at once, or of a type of variable size,
 * whose constraints are few, one by one. */
static uint64_t hash_results(const golden_bed *bed, xpbd_constraint_type type, uint32_t n,
                             uint64_t hash)
{
    enum { ELEMENTS_MAX = 512, FLOATS_MAX = 12 }; /* of a constraint, of an element */
    const bool variable = xpbd_constraint_type_info(type)->variable;
    const size_t most = FLOATS_MAX * (size_t)(variable ? ELEMENTS_MAX : n);
    float *out = malloc((most + 1) * sizeof *out);
    for (int forces = 0; out && forces < 2; forces++) {
        for (uint32_t i = 0; i < n; i += variable ? 1 : n) {
            memset(out, 0, most * sizeof *out);
            if (!read_results(bed, type, forces, i, variable ? 1 : n, out)) {
                hash = 0;
            }
            for (size_t k = 0; k < most; k++) {
                hash = xpbd_hash_float(hash, out[k]);
            }
        }
    }
    free(out);
    return out ? hash : 0;
}

/* All that a step has done. */
static void hash_world(golden_bed *bed, golden_result *result)
{
    xpbd_world_summary summary;
    xpbd_diagnostics d;
    uint32_t n_broken = 0;
    golden_try(bed, xpbd_world_summarize(bed->world, &summary));
    golden_try(bed, xpbd_world_diagnose(bed->world, &d));
    golden_try(bed, xpbd_world_read_broken(bed->world, 0, NULL, &n_broken));
    if (bed->status != XPBD_OK) {
        return;
    }
    if (d.n_nonfinite > 0) { /* equal hashes of nothing but NaN would prove nothing */
        (void)snprintf(result->text, sizeof result->text, "%llu particles are not finite",
                       (unsigned long long)d.n_nonfinite);
        return;
    }
    result->motion = xpbd_hash_word(xpbd_world_hash(bed->world), n_broken);
    result->hash = result->motion;
    for (uint32_t t = 0; t < XPBD_CONSTRAINT_TYPE_COUNT; t++) {
        result->has_type[t] = summary.n_constraints[t] > 0;
        result->hash =
            hash_results(bed, (xpbd_constraint_type)t, summary.n_constraints[t], result->hash);
    }
    result->threads = summary.threads;
    result->isa = summary.isa;
}

/* The whole life of a world, recorded where `record` is not null. */
static golden_result run(const golden_scene *scene, const xpbd_world_def *def, float mass,
                         void **record, size_t *size)
{
    const scene_row *row = &scenes[scene->row];
    golden_result result = {0};
    xpbd_error error;
    golden_bed bed = {.n = scene->n, .mass = mass};
    if (xpbd_world_create(def, &bed.world, &error) != XPBD_OK) {
        (void)snprintf(result.text, sizeof result.text, "%.180s", error.text);
        return result;
    }
    if (record) {
        golden_try(&bed, xpbd_world_record_start(bed.world));
    }
    row->fill(&bed);
    for (uint32_t step = 0; step < row->steps; step++) {
        row->act(&bed, step);
        golden_try(&bed, xpbd_world_step(bed.world, 1.0 / 60));
    }
    hash_world(&bed, &result);
    if (record) {
        golden_try(&bed, xpbd_world_record_stop(bed.world));
        golden_try(&bed, xpbd_world_read_record(bed.world, 0, NULL, size));
        *record = malloc(*size);
        if (golden_have(&bed, *record)) {
            golden_try(&bed, xpbd_world_read_record(bed.world, *size, *record, size));
        }
    }
    if (bed.status != XPBD_OK) {
        result.hash = 0;
        (void)snprintf(result.text, sizeof result.text, "%s: %.140s", xpbd_status_name(bed.status),
                       xpbd_world_error(bed.world)->text);
    }
    xpbd_world_destroy(bed.world);
    return result;
}

golden_result golden_run(const golden_scene *scene, const xpbd_world_def *def, float mass)
{
    return run(scene, def, mass, NULL, NULL);
}

golden_result golden_record(const golden_scene *scene, const xpbd_world_def *def, void **record,
                            size_t *size)
{
    *record = NULL;
    *size = 0;
    return run(scene, def, 1.0f, record, size);
}
