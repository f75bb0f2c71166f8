/* SPDX-License-Identifier: MIT */
#include "bench/kernels_table.h"

#include <stdio.h>
#include <string.h>

#include "bench/ink.h"

void bench_kernels_table_begin(const bench_context *context)
{
    printf("libxpbd %s on %s\n", bench_context_get(context, "libxpbd_version"),
           bench_context_get(context, "cpu_model"));
    printf("one thread, %s; %s, %s build\n", bench_context_get(context, "host_kind"),
           bench_context_get(context, "compiler"),
           bench_context_get(context, "libxpbd_build_type"));
    puts("ns of a kernel per constraint, or per element of a constraint that has many");
    bench_context_warn(context);
    fflush(stdout);
}

/* ---- one type */

static double speedup(const bench_kernel_row *row)
{
    return row->ns_min > 0 && row->ns_scalar > 0 && !row->differs ? row->ns_scalar / row->ns_min
                                                                  : 0;
}

static const char *ratio(char buffer[16], const bench_kernel_row *row)
{
    snprintf(buffer, 16, speedup(row) > 0 ? "%.2f" : "-", speedup(row));
    return buffer;
}

static void print_row(const bench_kernel_row *row)
{
    const char *color = row->differs || row->error[0] != '\0' ? bench_red() : "";
    const char *end = *color ? bench_plain() : "";
    char scalar[16];
    printf("%s  %-8s %-6s %-7s", color, row->variant, row->layout, row->isa);
    if (row->error[0] != '\0') {
        printf("  failed: %s%s\n", row->error, end);
        return;
    }
    printf(" %9.3f %9.3f %9.1f %9s  %08x%s%s\n", row->ns_min, row->ns_median, 1e3 / row->ns_min,
           ratio(scalar, row), (unsigned)(row->hash >> 32), row->differs ? "  HASH DIFFERS" : "",
           end);
}

void bench_kernels_table_type(const bench_kernel_result *result)
{
    char particles[32], constraints[32], elements[32];
    printf("\n%s%s%s: %s constraints", bench_bold(), result->type, bench_plain(),
           bench_count(constraints, result->n_constraints));
    if (result->n_elements != result->n_constraints)
        printf(" of %s elements", bench_count(elements, result->n_elements));
    printf(", %s particles: %s\n", bench_count(particles, result->n_particles), result->mesh);
    if (result->n_groups > 0)
        printf("  %u color%s, %.1f %% padding\n", result->n_stages,
               result->n_stages == 1 ? "" : "s",
               100.0 * result->n_padding / (16.0 * result->n_groups));
    printf("\n  %-8s %-6s %-7s %9s %9s %9s %9s  %s\n", "variant", "layout", "isa", "ns min",
           "median", "M / s", "x scalar", "hash");
    for (size_t i = 0; i < result->n_rows; i++)
        if (result->rows[i].n_samples > 0 || result->rows[i].error[0] != '\0')
            print_row(&result->rows[i]);
    fflush(stdout);
}

/* ---- all types */

static const bench_kernel_row *find(const bench_kernel_result *result, const char *variant,
                                    const char *layout, const char *isa)
{
    for (size_t i = 0; i < result->n_rows; i++) {
        const bench_kernel_row *row = &result->rows[i];
        if (strcmp(row->variant, variant) == 0 && strcmp(row->layout, layout) == 0 &&
            strcmp(row->isa, isa) == 0)
            return row->n_samples > 0 ? row : NULL;
    }
    return NULL;
}

static void print_short(const bench_kernels_options *options, const bench_kernel_result *results,
                        size_t n, const char *variant, const char *layout)
{
    printf("\n%s%s, %s%s: ns min, and how many times faster than scalar\n  %-18s", bench_bold(),
           variant, layout, bench_plain(), "");
    for (size_t k = 0; k < options->isas.n; k++)
        printf(" %16s", options->isas.items[k]);
    putchar('\n');
    for (size_t i = 0; i < n; i++) {
        printf("  %-18s", results[i].type);
        for (size_t k = 0; k < options->isas.n; k++) {
            const bench_kernel_row *row =
                find(&results[i], variant, layout, options->isas.items[k]);
            char text[16];
            if (row != NULL)
                printf(" %9.2f %6s", row->ns_min, ratio(text, row));
            else
                printf(" %9s %6s", "-", "-");
        }
        putchar('\n');
    }
}

typedef struct counts {
    size_t n, n_wide, n_few, n_differing, n_failed;
} counts;

static void count_row(counts *c, const bench_kernel_row *row)
{
    c->n += row->n_samples > 0;
    c->n_wide += row->ns_min > 0 && row->ns_median > 1.5 * row->ns_min;
    c->n_few += row->n_samples > 0 && row->n_samples < 5;
    c->n_differing += row->differs;
    c->n_failed += row->error[0] != '\0';
}

static void print_faults(const counts *c)
{
    if (c->n_differing > 0)
        printf("%sERROR: %zu of %zu state hashes differ between layouts or instruction sets.%s\n",
               bench_red(), c->n_differing, c->n, bench_plain());
    else if (c->n > 1)
        printf("State hashes of each type are equal for all layouts and instruction sets (%zu "
               "rows).\n",
               c->n);
    if (c->n_failed > 0)
        printf("%sERROR: rows that failed: %zu.%s\n", bench_red(), c->n_failed, bench_plain());
    if (c->n_wide > 0)
        printf("%sWarning: in %zu of %zu rows the median is more than 1.5 times the minimum: the "
               "machine was busy.%s\n",
               bench_yellow(), c->n_wide, c->n, bench_plain());
    if (c->n_few > 0)
        printf("Note: fewer than 5 samples in %zu of %zu rows, too few to judge the spread.\n",
               c->n_few, c->n);
}

void bench_kernels_table_end(const bench_kernels_options *options, const bench_context *context,
                             const bench_kernel_result *results, size_t n, const char *path)
{
    counts c = {0};
    size_t n_whole = 0;
    for (size_t v = 0; v < options->variants.n; v++)
        for (size_t l = 0; l < options->layouts.n && n > 0; l++)
            print_short(options, results, n, options->variants.items[v], options->layouts.items[l]);
    printf("\n");
    for (size_t i = 0; i < n; i++) {
        n_whole += results[i].complete;
        for (size_t k = 0; k < results[i].n_rows; k++)
            count_row(&c, &results[i].rows[k]);
    }
    if (n_whole < options->types.n)
        printf("%sIncomplete: %zu of %zu types were measured to the end.%s\n", bench_yellow(),
               n_whole, options->types.n, bench_plain());
    print_faults(&c);
    if (context->debug)
        printf("%sWarning: this was a debug build, its times say nothing.%s\n", bench_red(),
               bench_plain());
    if (path != NULL)
        printf("Results: %s\n", path);
    fflush(stdout);
}
