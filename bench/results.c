/* SPDX-License-Identifier: MIT */
#include "bench/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/result_file.h"

static int add_samples(gbench *file, const bench_options *options, const bench_result *result,
                       const bench_row *row, const gbench_run *common)
{
    const double projections = bench_projections(options, result);
    const bench_needs *needs = &row->needs;
    const double known = needs->known ? 1 : NAN; /* what is no number is left out */
    int failed = 0;
    for (uint32_t i = 0; i < row->n_samples && !failed; i++) {
        const double wall = row->samples[i].wall_s;
        const double work = projections * row->samples[i].steps;
        const double lanes = 16.0 * row->n_groups;
        const gbench_counter counters[] = {
            {"accesses_per_constraint", known * needs->accesses},
            {"bound_ns_arithmetic", known * needs->bound_ns[BENCH_BOUND_ARITHMETIC]},
            {"bound_ns_cache", known * needs->bound_ns[BENCH_BOUND_CACHE]},
            {"bound_ns_divide", known * needs->bound_ns[BENCH_BOUND_DIVIDE]},
            {"bound_ns_memory", known * needs->bound_ns[BENCH_BOUND_MEMORY]},
            {"bytes_per_constraint", known * needs->moved},
            {"constraints", (double)result->n_constraints},
            {"divisions_per_constraint", known * needs->divisions},
            {"fixed_steps", result->fixed_steps},
            {"items_per_second", work / wall},
            {"iterations_per_substep", options->iterations},
            {"level", known * needs->level},
            {"lines_per_constraint", row->lines > 0 ? row->lines : NAN},
            {"ns_per_constraint", 1e9 * wall / work},
            {"ns_per_constraint_median", row->ns_median},
            {"ns_per_constraint_min", row->ns_min},
            {"operations_per_constraint", known * needs->operations},
            {"oversubscribed", row->oversubscribed},
            {"padding", lanes > 0 ? row->n_padding / lanes : 0},
            {"particles", result->n_particles},
            {"residual_rms", row->residual_rms},
            {"roof_percent", known * 100 * needs->reached},
            {"solve_bytes", known * needs->scene},
            {"stages", row->n_stages},
            {"substeps", options->substeps},
            {"world_bytes", (double)row->bytes},
        };
        failed = bench_result_file_sample(file, common, row->samples, row->n_samples, i, counters,
                                          sizeof counters / sizeof counters[0]);
    }
    return failed;
}

static int add_extra(gbench *file, const bench_extra *extra, int64_t family)
{
    const gbench_run run = {.name = extra->name, .family = family, .threads = extra->threads};
    int failed = 0;
    for (uint32_t i = 0; i < extra->n_samples && !failed; i++)
        failed = bench_result_file_sample(file, &run, extra->samples, extra->n_samples, i,
                                          extra->counters, extra->n_counters);
    return failed;
}

static int add_result(gbench *file, const bench_options *options, const bench_result *result,
                      int64_t *family)
{
    int failed = 0;
    for (size_t i = 0; i < result->n_rows && !failed; i++) {
        const bench_row *row = &result->rows[i];
        const bench_case *what = &row->what;
        if (row->n_samples == 0 && row->error[0] == '\0')
            continue; /* not reached before the interrupt */
        const bool several = options->pinnings.n > 1;
        char *name = bench_print("solve/%s/%s/%s/%s/threads:%u%s%s", result->name, what->scheduler,
                                 what->layout, what->isa, what->threads, several ? "/pinning:" : "",
                                 several ? what->pinning : "");
        char label[20] = "";
        if (row->has_hash)
            snprintf(label, sizeof label, "%016llx", (unsigned long long)row->hash);
        gbench_run run = {.name = name, .label = label, .family = (*family)++};
        run.threads = what->threads;
        if (row->error[0] != '\0') {
            run.error = row->error;
            run.repetitions = 1;
            failed = gbench_row(file, &run);
        } else {
            failed = add_samples(file, options, result, row, &run);
        }
        free(name);
    }
    return failed;
}

bool bench_results_write(const char *path, const bench_options *options,
                         const bench_context *context, const bench_result *results, size_t n,
                         const bench_extras *extras)
{
    gbench *file = bench_result_file_open(context);
    int failed = file == NULL;
    int64_t family = 0;
    for (size_t i = 0; i < n && !failed; i++)
        failed = add_result(file, options, &results[i], &family);
    for (size_t i = 0; i < extras->n && !failed; i++)
        failed = add_extra(file, &extras->items[i], family++);
    if (failed) {
        fprintf(stderr, "bench: out of memory, no results written\n");
        return false;
    }
    return bench_result_file_put(path, file);
}
