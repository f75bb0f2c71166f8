/* SPDX-License-Identifier: MIT
 *
 * All rows as Google Benchmark's JSON, each with its shortest sample: with all of them the file
 * would be ten times as long. docs/ACCURACY.md says what each number is.
 */
#include "bench/accuracy/accuracy.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/result_file.h"

static int add_row(gbench *file, const acc_result *r, const acc_row *row, int64_t family)
{
    const acc_series *series = &r->series[row->series];
    bench_text name = {0};
    char label[20];
    bench_text_add(&name, "accuracy/%s/%s/substeps:%u/iterations:%u", r->problem.name,
                   series->scheduler, row->substeps, row->iterations);
    if (series->omega > 0.0f) {
        bench_text_add(&name, "/omega:%g", (double)series->omega);
    }
    snprintf(label, sizeof label, "%016llx", (unsigned long long)row->hash);
    gbench_run run = {.name = name.data, .label = label, .family = family};
    run.threads = r->threads;
    const gbench_counter counters[] = {
        {"constraints", r->problem.n_constraints},
        {"frame_error", row->error[ACC_FRAME]},
        {"frame_error_max_m", row->worst},
        {"iterations_per_substep", row->iterations},
        {"ms_median", row->ms_median},
        {"ms_min", row->ms_min},
        {"omega", series->omega > 0.0f ? (double)series->omega : 1.0},
        {"particles", r->problem.scene.n_particles},
        {"residual_g", row->residual.g},
        {"residual_h", row->residual.h},
        {"residual_h_max", row->residual.h_max},
        {"residual_start", row->residual.start},
        {"samples", row->n_samples},
        {"step_error", row->error[ACC_STEP]},
        {"substeps", row->substeps},
    };
    int failed = 0;
    if (row->fault[0]) {
        run.error = row->fault;
        run.repetitions = 1;
        failed = gbench_row(file, &run);
    }
    if (!row->fault[0] && row->n_samples > 0) {
        double least, median;
        const uint32_t best =
            bench_samples_judge(row->samples, row->n_samples, 1.0, &least, &median);
        failed = bench_result_file_sample(file, &run, &row->samples[best], 1, 0, counters,
                                          sizeof counters / sizeof counters[0]);
    }
    bench_text_free(&name);
    return failed;
}

static int add_series(gbench *file, const acc_result *r, const acc_series *series, int64_t family)
{
    char *name = bench_print("accuracy/%s/%s", r->problem.name, series->scheduler);
    const gbench_run run = {
        .name = name, .error = series->error, .family = family, .repetitions = 1};
    const int failed = series->error[0] ? gbench_row(file, &run) : 0;
    free(name);
    return failed;
}

bool acc_rows_write(const char *path, const bench_context *context, const acc_result *results,
                    size_t n)
{
    gbench *file = bench_result_file_open(context);
    int failed = file == NULL;
    int64_t family = 0;
    for (size_t i = 0; i < n && !failed; i++) {
        for (size_t k = 0; k < results[i].n_series && !failed; k++) {
            failed = add_series(file, &results[i], &results[i].series[k], family++);
        }
        for (size_t k = 0; k < results[i].n_rows && !failed; k++) {
            failed = add_row(file, &results[i], &results[i].rows[k], family++);
        }
    }
    if (failed) {
        fprintf(stderr, "bench: out of memory, no rows written\n");
        return false;
    }
    return bench_result_file_put(path, file);
}
