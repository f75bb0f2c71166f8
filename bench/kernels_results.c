/* SPDX-License-Identifier: MIT */
#include "bench/kernels_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result_file.h"

static int add_samples(gbench *file, const bench_kernel_result *result, const bench_kernel_row *row,
                       const gbench_run *common)
{
    int failed = 0;
    for (uint32_t i = 0; i < row->n_samples && !failed; i++) {
        const double wall = row->samples[i].wall_s;
        const double work = (double)result->n_elements * row->samples[i].steps;
        const double lanes = 16.0 * result->n_groups;
        const gbench_counter counters[] = {
            {"constraints", result->n_constraints},
            {"elements", result->n_elements},
            {"items_per_second", work / wall},
            {"ns_per_constraint", 1e9 * wall / work},
            {"ns_per_constraint_median", row->ns_median},
            {"ns_per_constraint_min", row->ns_min},
            {"padding", lanes > 0 ? result->n_padding / lanes : 0},
            {"particles", result->n_particles},
            {"speedup_over_scalar", row->ns_scalar > 0 ? row->ns_scalar / row->ns_min : NAN},
            {"stages", result->n_stages},
        };
        failed = bench_result_file_sample(file, common, row->samples, row->n_samples, i, counters,
                                          sizeof counters / sizeof counters[0]);
    }
    return failed;
}

static int add_result(gbench *file, const bench_kernel_result *result, int64_t *family)
{
    int failed = 0;
    for (size_t i = 0; i < result->n_rows && !failed; i++) {
        const bench_kernel_row *row = &result->rows[i];
        if (row->n_samples == 0 && row->error[0] == '\0')
            continue; /* not reached before the interrupt */
        const bool plain = strcmp(row->variant, "plain") == 0;
        char *name = bench_print("kernel/%s/%s/%s%s%s", result->type, row->layout, row->isa,
                                 plain ? "" : "/", plain ? "" : row->variant);
        char label[20] = "";
        if (row->has_hash)
            snprintf(label, sizeof label, "%016llx", (unsigned long long)row->hash);
        gbench_run run = {.name = name, .label = label, .family = (*family)++, .threads = 1};
        if (row->error[0] != '\0') {
            run.error = row->error;
            run.repetitions = 1;
            failed = gbench_row(file, &run);
        } else {
            failed = add_samples(file, result, row, &run);
        }
        free(name);
    }
    return failed;
}

bool bench_kernels_results_write(const char *path, const bench_context *context,
                                 const bench_kernel_result *results, size_t n)
{
    gbench *file = bench_result_file_open(context);
    int failed = file == NULL;
    int64_t family = 0;
    for (size_t i = 0; i < n && !failed; i++)
        failed = add_result(file, &results[i], &family);
    if (failed) {
        fprintf(stderr, "bench: out of memory, no results written\n");
        return false;
    }
    return bench_result_file_put(path, file);
}
