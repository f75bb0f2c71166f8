/* SPDX-License-Identifier: MIT
 *
 * //bench:kernels: every kernel by itself, a row per constraint type, layout and instruction set.
 */
#include <stdlib.h>

#include "bench/interrupt.h"
#include "bench/kernels_measure.h"
#include "bench/kernels_results.h"
#include "bench/kernels_table.h"
#include "bench/progress.h"
#include "bench/result_file.h"

/* Measure all types, or those before an interrupt; returns how many have a result. */
static size_t measure_all(const bench_kernels_options *options, bench_kernel_result *results)
{
    const double guess = bench_kernels_guess(options);
    size_t n = 0;
    bench_progress_begin("type", guess * (double)options->types.n, options->types.n);
    while (n < options->types.n && !bench_interrupted()) {
        bench_progress_item(options->types.items[n], guess);
        bench_kernels_measure(options, options->types.items[n], &results[n]);
        bench_progress_end_item();
        bench_kernels_table_type(&results[n++]);
    }
    return n;
}

static bool is_wrong(const bench_kernel_result *result)
{
    for (size_t i = 0; i < result->n_rows; i++)
        if (result->rows[i].differs || result->rows[i].error[0] != '\0')
            return true;
    return false;
}

/* Measure, print and write; returns the exit code. */
static int measure(const bench_kernels_options *options, bench_context *context, const char *path)
{
    bench_kernels_table_begin(context);
    bench_kernel_result *results = bench_alloc(options->types.n, sizeof *results);
    const size_t n = measure_all(options, results);
    int code = bench_interrupted() ? BENCH_EXIT_INTERRUPTED : BENCH_EXIT_OK;
    for (size_t i = 0; i < n && code == BENCH_EXIT_OK; i++)
        code = is_wrong(&results[i]) ? BENCH_EXIT_WRONG : code;
    bench_context_add(context, "complete", "%s", bench_interrupted() ? "false" : "true");
    bench_context_end(context);
    const bool written = bench_kernels_results_write(path, context, results, n);
    bench_kernels_table_end(options, context, results, n, written ? path : NULL);
    for (size_t i = 0; i < n; i++)
        bench_kernels_result_free(&results[i]);
    free(results);
    return written || code != BENCH_EXIT_OK ? code : BENCH_EXIT_WRONG;
}

static int run(const bench_kernels_options *options, int argc, char **argv)
{
    bench_context context;
    bench_context_begin(&context, "//bench:kernels", argc, argv);
    bench_context_add(&context, "mode", "%s", options->quick ? "quick" : "default");
    bench_context_add(&context, "size", "%u", options->size);
    bench_context_add(&context, "pinning", "none");
    char *path = bench_result_file_path(options->out, &context);
    int code = BENCH_EXIT_USAGE;
    if (path != NULL) {
        bench_interrupt_install();
        code = measure(options, &context, path);
    }
    free(path);
    bench_context_free(&context);
    return code;
}

int main(int argc, char **argv)
{
    bench_kernels_options options;
    int code = BENCH_EXIT_OK;
    if (!bench_kernels_options_parse(&options, argc, argv))
        code = BENCH_EXIT_USAGE;
    else if (options.help)
        bench_kernels_options_help();
    else if (options.list)
        bench_kernels_options_list();
    else
        code = run(&options, argc, argv);
    bench_kernels_options_free(&options);
    return code;
}
