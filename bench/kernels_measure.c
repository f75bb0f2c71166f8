/* SPDX-License-Identifier: MIT */
#include "bench/kernels_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interrupt.h"
#include "bench/kernels_input.h"
#include "bench/progress.h"
#include "solver/world.h"

/* A world that is only a place for streams and particles; it is never stepped. */
typedef struct bed {
    xpbd_world *world;
    uint32_t type;
    float *position; /* what the store has before a pass */
    size_t n_position;
} bed;

typedef struct run {
    const bench_kernels_options *options;
    bench_kernel_result *result;
    bed *beds; /* by layout, as the options have them */
} run;

static const double SAMPLE_S = 0.001;

/* A compliance and time that leave neither C nor alpha~ lambda without effect. */
static const xpbd_pass PASS = {
    .dt = 0.01f, .inverse_dt = 100.0f, .inverse_dt2 = 10000.0f, .relaxation = 1.0f};
static const float COMPLIANCE = 1e-5f, DAMPING_TIME = 0.01f, NEVER = 1e30f;

static uint32_t n_rounds(const bench_kernels_options *options)
{
    return options->repeats > 0 ? options->repeats : options->quick ? 15 : 61;
}

/* ---- the bed */

/* Streams get room for damping and, by way of a limit that nothing reaches, for stiffness; kernels
 * without the variant's bit do not look at either. */
static xpbd_status add_all(bed *b, const bench_input *input)
{
    const xpbd_particles particles = {.position = input->rest};
    const xpbd_constraints constraints = {.particles = input->particles,
                                          .sizes = input->sizes,
                                          .compliance = &COMPLIANCE,
                                          .compliance_stride = XPBD_SAME,
                                          .damping_time = &DAMPING_TIME,
                                          .damping_time_stride = XPBD_SAME,
                                          .break_force = &NEVER,
                                          .break_force_stride = XPBD_SAME};
    XPBD_TRY(xpbd_world_add_particles(b->world, input->n_particles, &particles, NULL));
    XPBD_TRY(xpbd_world_add_constraints(b->world, (xpbd_constraint_type)b->type,
                                        input->n_constraints, &constraints, NULL));
    return xpbd_world_prepare(b->world);
}

/* Particles come from their places at rest, so that damping has a velocity to work on. */
static xpbd_status strain(bed *b, const bench_input *input)
{
    xpbd_store *store = &b->world->build.store;
    for (uint32_t i = 0; i < store->n; i++)
        for (uint32_t c = 0; c < 3; c++)
            *xpbd_store_at(store, store->previous, i, c) =
                *xpbd_store_at(store, store->position, i, c);
    XPBD_TRY(xpbd_world_set_positions(b->world, 0, input->n_particles, input->strained, 0));
    b->n_position = 4 * ((size_t)store->n_slots + XPBD_GROUP);
    b->position = bench_alloc(b->n_position, sizeof *b->position);
    memcpy(b->position, store->position, b->n_position * sizeof *b->position);
    return XPBD_OK;
}

static bool make_bed(bed *b, uint32_t type, const char *layout, const bench_input *input,
                     char error[256])
{
    xpbd_world_def def = xpbd_default_world_def();
    def.scheduler = "colored-gs";
    def.layout = layout;
    def.threads = 1;
    xpbd_error why = {0};
    *b = (bed){.type = type};
    if (xpbd_world_create(&def, &b->world, &why) == XPBD_OK && add_all(b, input) == XPBD_OK &&
        strain(b, input) == XPBD_OK)
        return true;
    snprintf(error, 256, "%s", b->world != NULL ? xpbd_world_error(b->world)->text : why.text);
    xpbd_world_destroy(b->world);
    b->world = NULL;
    return false;
}

/* As at the beginning of an iteration. The rotations that a kernel keeps to begin with are those
 * that it found in the pass before, as in the course of a substep. */
static void restore(const bed *b)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)b->type);
    const xpbd_build *build = &b->world->build;
    const xpbd_stream *stream = &build->streams[b->type];
    const size_t n = info->rows_per_element ? xpbd_stream_lanes(stream) : xpbd_stream_slots(stream);
    memcpy(build->store.position, b->position, b->n_position * sizeof *b->position);
    for (uint32_t row = 0; row < info->n_rows; row++)
        memset(stream->lambda[row], 0, n * sizeof *stream->lambda[row]);
}

static xpbd_project_fn *kernel_of(const bed *b, const bench_kernel_row *row)
{
    const xpbd_kernels *kernels = NULL;
    for (uint32_t i = 0; i < XPBD_ISA_COUNT; i++)
        if (strcmp(xpbd_isa_name(i), row->isa) == 0)
            kernels = xpbd_kernels_find((xpbd_isa)i, b->world->layout);
    return kernels != NULL ? kernels->project[b->type][bench_variant_bits(row->variant)] : NULL;
}

static void pass(const bed *b, xpbd_project_fn *project)
{
    const xpbd_build *build = &b->world->build;
    for (uint32_t k = 0; k < build->plan.n_blocks; k++) {
        const xpbd_block *block = &build->plan.blocks[k];
        project(&build->streams[b->type], &build->store, &PASS, block->begin, block->end);
    }
}

/* ---- rows */

static bed *bed_of(const run *r, const bench_kernel_row *row)
{
    for (size_t i = 0; i < r->options->layouts.n; i++)
        if (strcmp(r->options->layouts.items[i], row->layout) == 0)
            return &r->beds[i];
    return NULL;
}

/* Two passes from the beginning, the second of which reads what the first has written. */
static void hash_row(const run *r, bench_kernel_row *row)
{
    const bed *b = bed_of(r, row);
    xpbd_project_fn *project = kernel_of(b, row);
    const xpbd_units *units = b->world->build.streams[b->type].units;
    if (units != NULL)
        memset(units->state, 0, 4 * r->result->n_constraints * sizeof *units->state);
    restore(b);
    pass(b, project);
    pass(b, project);
    xpbd_diagnostics state;
    if (xpbd_world_diagnose(b->world, &state) != XPBD_OK || state.n_nonfinite > 0) {
        snprintf(row->error, sizeof row->error, "the state is not finite after two passes");
        return;
    }
    row->hash = xpbd_world_hash(b->world);
    row->has_hash = true;
    for (bench_kernel_row *first = r->result->rows; first < row; first++) {
        if (first->has_hash && strcmp(first->variant, row->variant) == 0) {
            row->differs = first->hash != row->hash;
            break;
        }
    }
    restore(b);
    const double began = bench_seconds();
    pass(b, project);
    const double passes = ceil(SAMPLE_S / fmax(bench_seconds() - began, 1e-7));
    row->passes = (uint32_t)fmin(fmax(passes, 1.0), 1e6);
}

static void take_sample(const run *r, bench_kernel_row *row)
{
    const bed *b = bed_of(r, row);
    xpbd_project_fn *project = kernel_of(b, row);
    bench_sample sample = {.steps = row->passes};
    restore(b);
    pass(b, project); /* the row before has emptied the caches, and trained the branches */
    const double cpu = bench_cpu_seconds();
    const double wall = bench_seconds();
    double outside = 0;
    for (uint32_t i = 0; i < row->passes; i++) {
        const double before = bench_seconds();
        restore(b);
        outside += bench_seconds() - before;
        pass(b, project);
    }
    sample.wall_s = bench_seconds() - wall - outside;
    sample.cpu_s = bench_cpu_seconds() - cpu - outside;
    bench_samples_add(&row->samples, &row->n_samples, &sample);
}

/* A B C ... A B C ... */
static void run_rounds(const run *r)
{
    bench_kernel_result *result = r->result;
    const uint32_t rounds = n_rounds(r->options);
    for (uint32_t round = 0; round < rounds && !bench_interrupted(); round++) {
        for (size_t i = 0; i < result->n_rows && !bench_interrupted(); i++)
            if (result->rows[i].error[0] == '\0')
                take_sample(r, &result->rows[i]);
        bench_progress_part((round + 1.0) / rounds);
    }
}

static void finish_rows(bench_kernel_result *result)
{
    for (size_t i = 0; i < result->n_rows; i++) {
        bench_kernel_row *row = &result->rows[i];
        if (row->n_samples > 0)
            (void)bench_samples_judge(row->samples, row->n_samples, result->n_elements,
                                      &row->ns_min, &row->ns_median);
    }
    for (size_t i = 0; i < result->n_rows; i++) {
        for (size_t k = 0; k < result->n_rows; k++) {
            const bench_kernel_row *other = &result->rows[k];
            if (strcmp(other->isa, "scalar") == 0 &&
                strcmp(other->layout, result->rows[i].layout) == 0 &&
                strcmp(other->variant, result->rows[i].variant) == 0)
                result->rows[i].ns_scalar = other->ns_min;
        }
    }
}

/* ---- a type */

double bench_kernels_guess(const bench_kernels_options *options)
{
    const double n_layouts = (double)options->layouts.n;
    const double n_rows = n_layouts * (double)(options->isas.n * options->variants.n);
    const double sample_s = 2 * SAMPLE_S + 3e-8 * options->size;
    return n_rows * n_rounds(options) * sample_s + 2e-6 * options->size * n_layouts;
}

static void make_rows(run *r)
{
    const bench_kernels_options *options = r->options;
    bench_kernel_result *result = r->result;
    result->n_rows = options->variants.n * options->layouts.n * options->isas.n;
    result->rows = bench_alloc(result->n_rows, sizeof *result->rows);
    for (size_t i = 0; i < result->n_rows; i++) {
        const size_t rest = i / options->isas.n;
        result->rows[i] = (bench_kernel_row){
            .isa = options->isas.items[i % options->isas.n],
            .layout = options->layouts.items[rest % options->layouts.n],
            .variant = options->variants.items[rest / options->layouts.n],
        };
    }
}

static void make_beds(run *r, uint32_t type)
{
    bench_kernel_result *result = r->result;
    bench_input input;
    bench_input_make((xpbd_constraint_type)type, r->options->size, &input);
    result->mesh = input.text;
    result->n_particles = input.n_particles;
    result->n_constraints = input.n_constraints;
    result->n_elements = input.n_elements;
    for (size_t i = 0; i < r->options->layouts.n; i++) {
        char error[256];
        xpbd_world_summary summary;
        const char *layout = r->options->layouts.items[i];
        const bool made = make_bed(&r->beds[i], type, layout, &input, error);
        for (size_t k = 0; k < result->n_rows && !made; k++)
            if (strcmp(result->rows[k].layout, layout) == 0)
                memcpy(result->rows[k].error, error, sizeof error);
        if (made && xpbd_world_summarize(r->beds[i].world, &summary) == XPBD_OK) {
            result->n_stages = summary.n_stages;
            result->n_groups = summary.n_groups;
            result->n_padding = summary.n_padding;
        }
    }
    bench_input_free(&input);
}

void bench_kernels_measure(const bench_kernels_options *options, const char *type,
                           bench_kernel_result *result)
{
    uint32_t index = 0;
    while (strcmp(bench_axis_type.name(index), type) != 0)
        index++;
    *result = (bench_kernel_result){.type = type};
    run r = {.options = options, .result = result};
    r.beds = bench_alloc(options->layouts.n, sizeof *r.beds);
    make_rows(&r);
    make_beds(&r, index);
    for (size_t i = 0; i < result->n_rows && !bench_interrupted(); i++)
        if (result->rows[i].error[0] == '\0')
            hash_row(&r, &result->rows[i]);
    run_rounds(&r);
    finish_rows(result);
    result->complete = !bench_interrupted();
    for (size_t i = 0; i < options->layouts.n; i++) {
        xpbd_world_destroy(r.beds[i].world);
        free(r.beds[i].position);
    }
    free(r.beds);
}

void bench_kernels_result_free(bench_kernel_result *result)
{
    for (size_t i = 0; i < result->n_rows; i++)
        free(result->rows[i].samples);
    free(result->rows);
    *result = (bench_kernel_result){0};
}
