/* SPDX-License-Identifier: MIT */
#include "bench/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ink.h"

/* ---- head */

void bench_table_begin(const bench_options *options, const bench_context *context)
{
    printf("libxpbd %s on %s\n", bench_context_get(context, "libxpbd_version"),
           bench_context_get(context, "cpu_model"));
    printf("%u usable processor%s, %s; pinning %s; %s, %s build\n", context->n_usable,
           context->n_usable == 1 ? "" : "s", bench_context_get(context, "host_kind"),
           bench_context_get(context, "pinning"), bench_context_get(context, "compiler"),
           bench_context_get(context, "libxpbd_build_type"));
    printf("%u substep%s of %u iteration%s; ns/c is the time of a whole step per constraint and "
           "iteration\n",
           options->substeps, options->substeps == 1 ? "" : "s", options->iterations,
           options->iterations == 1 ? "" : "s");
    bench_context_warn(context);
    fflush(stdout);
}

/* ---- one scene */

static const bench_row *fastest(const bench_result *result, uint32_t threads)
{
    const bench_row *best = NULL;
    for (size_t i = 0; i < result->n_rows; i++) {
        const bench_row *row = &result->rows[i];
        if (row->ns_min > 0 && !row->differs && (threads == 0 || row->what.threads == threads) &&
            (best == NULL || row->ns_min < best->ns_min))
            best = row;
    }
    return best;
}

static int widest_scheduler(const bench_result *result)
{
    int width = (int)strlen("scheduler");
    for (size_t i = 0; i < result->n_rows; i++) {
        const int length = (int)strlen(result->rows[i].what.scheduler);
        width = length > width ? length : width;
    }
    return width;
}

/* Stages and padding are the scheduler's: say them once for each. */
static void print_plans(const bench_result *result, int width)
{
    for (size_t i = 0; i < result->n_rows; i++) {
        const bench_row *row = &result->rows[i];
        bool seen = row->n_groups == 0;
        for (size_t k = 0; k < i && !seen; k++)
            seen = result->rows[k].n_groups > 0 &&
                   strcmp(result->rows[k].what.scheduler, row->what.scheduler) == 0;
        if (seen)
            continue;
        printf("  %-*s %4u stage%s  %5.1f %% padding  %s order\n", width, row->what.scheduler,
               row->n_stages, row->n_stages == 1 ? " " : "s",
               100.0 * row->n_padding / (16.0 * row->n_groups), row->ordering);
    }
}

/* A ratio, or a dash where there is nothing to compare with. */
static const char *ratio(char buffer[16], double reference, double value)
{
    if (reference > 0 && value > 0)
        snprintf(buffer, 16, "%.2f", reference / value);
    else
        snprintf(buffer, 16, "-");
    return buffer;
}

/* several: there are rows that differ in nothing but pinning */
static void print_row(const bench_row *row, int width, bool best, bool several)
{
    char serial[16], one[16];
    const bench_case *what = &row->what;
    const double compared = row->differs ? 0 : row->ns_min; /* else it is another computation */
    const char *colour = row->differs || row->error[0] != '\0' ? bench_red()
                         : best                                ? bench_bold()
                                                               : "";
    const char *end = *colour ? bench_plain() : "";
    printf("%s  %-*s %-6s %-7s %7u%c", colour, width, what->scheduler, what->layout, what->isa,
           what->threads, row->oversubscribed ? '*' : ' ');
    if (row->error[0] != '\0') {
        printf("  failed: %s%s\n", row->error, end);
        return;
    }
    printf(" %9.3f %9.3f %9.1f %9s %9s %10.3g  %08x%s%s%s%s\n", row->ns_min, row->ns_median,
           1e3 / row->ns_min, ratio(serial, row->ns_reference, compared),
           ratio(one, row->ns_one_thread, compared), row->residual_rms, (unsigned)(row->hash >> 32),
           row->differs ? "  HASH DIFFERS" : "", several ? "  " : "", several ? what->pinning : "",
           end);
}

static bool has_pinnings(const bench_result *result)
{
    for (size_t i = 1; i < result->n_rows; i++)
        if (strcmp(result->rows[i].what.pinning, result->rows[0].what.pinning) != 0)
            return true;
    return false;
}

void bench_table_scene(const bench_result *result)
{
    char particles[32], constraints[32];
    printf("\n%s%s%s: %s particles, %s constraints\n", bench_bold(), result->name, bench_plain(),
           bench_count(particles, result->n_particles),
           bench_count(constraints, result->n_constraints));
    if (result->note[0] != '\0')
        printf("  note: %s\n", result->note);
    const int width = widest_scheduler(result);
    print_plans(result, width);
    printf("\n  %-*s %19s %9s %19s\n", width + 24, "", "ns per constraint", "million",
           "speed-up against");
    printf("  %-*s %-6s %-7s %7s  %9s %9s %9s %9s %9s %10s  %s\n", width, "scheduler", "layout",
           "isa", "threads", "min", "median", "/ s", "serial", "1 thread", "residual", "hash");
    const bench_row *best = fastest(result, 0);
    bool oversubscribed = false;
    const char *last = NULL;
    for (size_t i = 0; i < result->n_rows; i++) {
        const bench_row *row = &result->rows[i];
        if (row->n_samples == 0 && row->error[0] == '\0')
            continue;
        if (last != NULL && strcmp(last, row->what.scheduler) != 0)
            putchar('\n');
        last = row->what.scheduler;
        print_row(row, width, row == best, has_pinnings(result));
        oversubscribed = oversubscribed || row->oversubscribed;
    }
    if (oversubscribed)
        printf("  * more threads than usable processors\n");
    fflush(stdout);
}

/* ---- summary */

static void print_fastest(const bench_result *result, uint32_t threads, int width)
{
    const bench_row *row = fastest(result, threads);
    char serial[16];
    if (row == NULL)
        return;
    char *what = bench_print("%s/%s/%s", row->what.scheduler, row->what.layout, row->what.isa);
    printf("  %-*s %7u  %-32s %9.3f %9.1f %9s %10.3g\n", width, result->name, row->what.threads,
           what, row->ns_min, 1e3 / row->ns_min, ratio(serial, row->ns_reference, row->ns_min),
           row->residual_rms);
    free(what);
}

static void print_summary(const bench_result *results, size_t n)
{
    int width = 5;
    for (size_t i = 0; i < n; i++)
        width = (int)strlen(results[i].name) > width ? (int)strlen(results[i].name) : width;
    printf("\n%sFastest%s per constraint, on one thread and on any number; see how the residuals "
           "differ\n",
           bench_bold(), bench_plain());
    printf("  %-*s %7s  %-32s %9s %9s %9s %10s\n", width, "scene", "threads", "configuration",
           "ns min", "M / s", "x serial", "residual");
    for (size_t i = 0; i < n; i++) {
        const bench_row *one = fastest(&results[i], 1), *any = fastest(&results[i], 0);
        if (one != NULL)
            print_fastest(&results[i], 1, width);
        if (any != NULL && any != one)
            print_fastest(&results[i], 0, width);
    }
}

/* "1 row", "2 rows" */
static const char *rows(char buffer[32], size_t n)
{
    snprintf(buffer, 32, "%zu row%s", n, n == 1 ? "" : "s");
    return buffer;
}

/* Rows whose median is far above their minimum: something else was running. */
static void print_spread(const bench_result *results, size_t n)
{
    size_t n_rows = 0, n_wide = 0, n_few = 0, n_disturbed = 0;
    char text[32];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < results[i].n_rows; k++) {
            const bench_row *row = &results[i].rows[k];
            n_rows += row->n_samples > 0;
            n_few += row->n_samples > 0 && row->n_samples < 5;
            n_disturbed += row->n_samples > 0 && row->disturbed;
            n_wide += row->ns_min > 0 && row->ns_median > 1.5 * row->ns_min;
        }
    }
    if (n_wide > 0)
        printf("%sWarning: in %zu of %zu rows the median is more than 1.5 times the minimum: the "
               "machine was busy.%s\n",
               bench_yellow(), n_wide, n_rows, bench_plain());
    if (n_disturbed > 0)
        printf("%sWarning: %s of one thread never had a processor alone: the minimum is too "
               "high.%s\n",
               bench_yellow(), rows(text, n_disturbed), bench_plain());
    if (n_few > 0)
        printf("Note: fewer than 5 samples in %s, too few to judge the spread.\n",
               rows(text, n_few));
}

static void print_hashes(const bench_result *results, size_t n)
{
    size_t n_hashes = 0, n_differing = 0, n_failed = 0;
    char text[32];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < results[i].n_rows; k++) {
            const bench_row *row = &results[i].rows[k];
            n_hashes += row->has_hash;
            n_differing += row->differs;
            n_failed += row->error[0] != '\0';
        }
    }
    if (n_differing > 0)
        printf("%sERROR: %zu of %zu state hashes differ between layouts, instruction sets or "
               "thread counts.%s\n",
               bench_red(), n_differing, n_hashes, bench_plain());
    else if (n_hashes > 1)
        printf("State hashes are equal for all layouts, instruction sets and thread counts "
               "(%s).\n",
               rows(text, n_hashes));
    if (n_failed > 0)
        printf("%sERROR: %s failed.%s\n", bench_red(), rows(text, n_failed), bench_plain());
}

void bench_table_end(const bench_context *context, const bench_result *results, size_t n,
                     size_t n_scenes, const char *path)
{
    size_t n_whole = 0;
    for (size_t i = 0; i < n; i++)
        n_whole += results[i].complete;
    if (n > 0)
        print_summary(results, n);
    printf("\n");
    if (n_whole < n_scenes)
        printf("%sIncomplete: %zu of %zu scenes were measured to the end.%s\n", bench_yellow(),
               n_whole, n_scenes, bench_plain());
    print_hashes(results, n);
    print_spread(results, n);
    const char *effect = bench_context_get(context, "pinning_effect");
    if (strcmp(bench_context_get(context, "pinning"), "none") != 0 && strcmp(effect, "bound") != 0)
        printf("%sWarning: threads were not bound: %s.%s\n", bench_yellow(), effect, bench_plain());
    if (context->debug)
        printf("%sWarning: this was a debug build, its times say nothing.%s\n", bench_red(),
               bench_plain());
    if (path != NULL)
        printf("Results: %s\n", path);
    fflush(stdout);
}
