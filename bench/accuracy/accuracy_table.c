/* SPDX-License-Identifier: MIT
 *
 * The headline as text, a table per scene.
 */
#include "bench/accuracy/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ink.h"

static const char *error_of(const acc_result *r, const char *scheduler)
{
    for (size_t i = 0; i < r->n_series; i++) {
        if (strcmp(r->series[i].scheduler, scheduler) == 0 && r->series[i].error[0]) {
            return r->series[i].error;
        }
    }
    return NULL;
}

static void print_cell(const acc_result *r, const char *scheduler, acc_error kind, double target)
{
    const acc_row *row = acc_fastest(r, scheduler, kind, target, 0.0f);
    if (row) {
        char *setting = acc_setting_text(r, row, "x");
        /* ω has one column and two bytes */
        printf("  %9.4f  %-*s", row->ms_min, strstr(setting, "ω") ? 17 : 16, setting);
        free(setting);
    } else {
        printf("  %9s  %-16s", "-", "not reached");
    }
}

void acc_print(const acc_result *r, const bench_list *schedulers)
{
    const acc_problem *p = &r->problem;
    int width = (int)strlen("scheduler");
    for (size_t i = 0; i < schedulers->n; i++) {
        const int length = (int)strlen(schedulers->items[i]);
        width = length > width ? length : width;
    }
    printf(
        "\n%s%s%s: %u particles, %u constraints; particles move %.3g mm, the solution is in doubt "
        "by %.1e of that\n",
        bench_bold(), p->name, bench_plain(), p->scene.n_particles, p->n_constraints,
        1e3 * p->motion, p->doubt);
    for (int kind = ACC_FRAME; kind >= ACC_STEP; kind--) {
        printf("  %s\n", kind == ACC_FRAME
                             ? "ms, substeps x iterations to come that near to the motion itself"
                             : "the same to the implicit step of 1/60 s, with one substep");
        printf("  %-*s", width, "scheduler");
        for (int t = 0; t < ACC_TARGETS; t++) {
            printf("  %9.0e  %-16s", acc_target[t], "");
        }
        printf("  %9s\n", "least");
        for (size_t i = 0; i < schedulers->n; i++) {
            const char *name = schedulers->items[i], *error = error_of(r, name);
            printf("  %-*s", width, name);
            if (error) {
                printf("  %sfailed: %s%s\n", bench_red(), error, bench_plain());
                continue;
            }
            for (int t = 0; t < ACC_TARGETS; t++) {
                print_cell(r, name, (acc_error)kind, acc_target[t]);
            }
            const double least = acc_least(r, name, (acc_error)kind);
            if (isfinite(least)) {
                printf("  %9.1e\n", least);
            } else {
                printf("  %9s\n", "-");
            }
        }
    }
    fflush(stdout);
}
