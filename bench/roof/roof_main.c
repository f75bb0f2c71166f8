/* SPDX-License-Identifier: MIT
 *
 * //bench:roof: the machine's limits by themselves.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/context.h"
#include "bench/options.h"
#include "bench/result_file.h"
#include "bench/results.h"
#include "bench/roof/roof.h"

/* It takes those options of the main job that mean something here. */
static int run(const bench_options *options, int argc, char **argv)
{
    bench_context context;
    bench_context_begin(&context, "//bench:roof", argc, argv);
    bench_context_add(&context, "pinning", "%s", options->pinnings.items[0]);
    char *path = bench_result_file_path(options->out, &context);
    if (path == NULL) {
        bench_context_free(&context);
        return BENCH_EXIT_USAGE;
    }
    bench_context_warn(&context);
    bench_extras rows = {0};
    roof_limits limits;
    roof_measure(options->threads, options->n_threads, options->pinnings.items[0],
                 options->mode == BENCH_QUICK, &limits, &rows);
    roof_print(&limits);
    bench_context_add(&context, "complete", "true");
    bench_context_end(&context);
    const bool written = bench_results_write(path, options, &context, NULL, 0, &rows);
    if (written)
        printf("Results: %s\n", path);
    bench_extras_free(&rows);
    bench_context_free(&context);
    free(path);
    return written ? BENCH_EXIT_OK : BENCH_EXIT_WRONG;
}

int main(int argc, char **argv)
{
    bench_options options;
    int code = BENCH_EXIT_OK;
    if (!bench_options_parse(&options, argc, argv)) {
        code = BENCH_EXIT_USAGE;
    } else if (options.help) {
        puts("Measure the limits of this machine: arithmetic, caches, memory, barrier.\n"
             "\n"
             "usage: bazel run //bench:roof -- [--quick] [--threads 1,2] [--pinning NAME] [--out "
             "DIR]");
    } else {
        code = run(&options, argc, argv);
    }
    bench_options_free(&options);
    return code;
}
