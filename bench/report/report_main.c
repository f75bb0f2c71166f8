/* SPDX-License-Identifier: MIT
 *
 * //bench:report: one page out of any number of result files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/arguments.h"
#include "bench/report/report.h"

typedef struct options {
    char *out;
    bool help;
} options;

static bool set_out(void *to, const char *option, const char *value)
{
    return bench_argument_path(option, value, "file", &((options *)to)->out);
}

static bool set_help(void *to, const char *option, const char *value)
{
    (void)option, (void)value;
    ((options *)to)->help = true;
    return true;
}

static const bench_argument ROWS[] = {
    {"--out", "FILE", "the page; default report.html in the current folder", set_out},
    {"--help", NULL, "print this, and stop", set_help},
};
enum { N_ROWS = sizeof ROWS / sizeof ROWS[0] };

static void print_help(void)
{
    puts("Make one page out of result files of //bench:all and //bench:kernels.\n"
         "\n"
         "usage: bazel run //bench:report -- FILE.json... [options]\n");
    bench_arguments_print(ROWS, N_ROWS);
    puts(
        "\n"
        "Files that can not be used are named with what is wrong; the others are reported.\n"
        "Exit code: 0 all files are in the page, 1 some are not or it was not written, 2 refused.");
}

static int run(const options *o, const bench_list *files)
{
    size_t n_used = 0;
    if (!report_make((const char *const *)files->items, files->n, o->out, &n_used))
        return BENCH_EXIT_WRONG;
    printf("Report: %s\n", o->out);
    return n_used == files->n ? BENCH_EXIT_OK : BENCH_EXIT_WRONG;
}

int main(int argc, char **argv)
{
    options o = {.out = NULL};
    bench_list files = {0};
    int code = BENCH_EXIT_USAGE;
    const bool parsed = bench_arguments_parse_files(ROWS, N_ROWS, &o, &files, argc, argv);
    if (parsed && o.help) {
        print_help();
        code = BENCH_EXIT_OK;
    } else if (parsed && files.n == 0) {
        fprintf(stderr, "bench: no result file is named\n"
                        "usage: bazel run //bench:report -- FILE.json... [--out FILE]\n");
    } else if (parsed &&
               (o.out != NULL || bench_argument_path("--out", "report.html", "file", &o.out))) {
        code = run(&o, &files);
    }
    bench_list_free(&files);
    free(o.out);
    return code;
}
