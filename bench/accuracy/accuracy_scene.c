/* SPDX-License-Identifier: MIT
 *
 * A scene's section: what its solutions are worth, error over time, residuals over time, and the
 * rows of the fronts as a table.
 */
#include "bench/accuracy/accuracy_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const char *scene)
{
    const xpbd_scene_family *family;
    for (uint32_t i = 0; (family = xpbd_scene_list(i)); i++) {
        const size_t length = strlen(family->name);
        if (strncmp(scene, family->name, length) == 0 && scene[length] == '-') {
            return family->text;
        }
    }
    return "";
}

static void write_about(FILE *out, const acc_problem *p)
{
    fprintf(out, "<section id=%s><h2>%s</h2>\n<p class=dim>", p->name, p->name);
    val_write_text(out, text_of(p->name));
    fprintf(out,
            "</p>\n<p>%u particles, %u constraints. In the step that is measured particles move by "
            "%.3g mm. The limit of small substeps is in doubt by %.1e of that%s. Implicit Euler "
            "without "
            "any error of iterations is off by",
            p->scene.n_particles, p->n_constraints, 1e3 * p->motion, p->doubt,
            p->doubt > 0.3 * acc_target[ACC_TARGETS - 1]
                ? ", <strong>too much to judge 10⁻³</strong>"
                : "");
    for (uint32_t level = 0; level < p->n_solved; level++) {
        fprintf(out, "%s %.2g with %u", level ? "," : "", p->level_error[level], 1u << level);
    }
    fprintf(out, " substeps.</p>\n");
}

static bool is_plain(const acc_result *r, const acc_row *row)
{
    const float omega = r->series[row->series].omega; /* 0 where there is none */
    return !(omega > 0.0f && fabsf(omega - 1.0f) > 0.0f);
}

/* The error of serial-gs with as many iterations as the reference's sweeps; NAN where it was not
 * measured. */
static double serial_error(const acc_result *r, uint32_t level)
{
    for (size_t i = 0; i < r->n_rows; i++) {
        const acc_row *row = &r->rows[i];
        if (row->level == level && row->iterations == ACC_DOUBLE_ITERATIONS && is_plain(r, row) &&
            strcmp(r->series[row->series].scheduler, "serial-gs") == 0) {
            return row->error[ACC_FRAME];
        }
    }
    return NAN;
}

/* A cell; a dash where nothing was measured. */
static void write_number(FILE *out, double value)
{
    if (isfinite(value)) {
        fprintf(out, "<td class=n>%.2g", value);
    } else {
        fprintf(out, "<td class=n>–");
    }
}

static void write_rounding(FILE *out, const acc_result *r)
{
    const acc_problem *p = &r->problem;
    if (p->n_double == 0 || !isfinite(serial_error(r, 0))) {
        return;
    }
    fprintf(out,
            "<p>What rounding to float does to serial-gs with %d iterations: </p>\n"
            "<div class='table plain'><table><tr><th>substeps",
            ACC_DOUBLE_ITERATIONS);
    for (uint32_t level = 0; level < p->n_double; level++) {
        fprintf(out, "<th class=n>%u", 1u << level);
    }
    fprintf(out, "\n<tr><td>error of the step in double precision");
    for (uint32_t level = 0; level < p->n_double; level++) {
        write_number(out, p->in_double[level]);
    }
    fprintf(out, "\n<tr><td>the library’s");
    for (uint32_t level = 0; level < p->n_double; level++) {
        write_number(out, serial_error(r, level));
    }
    fprintf(out, "\n</table></div>\n");
}

static char *note_of(const acc_result *r, const acc_row *row, double value)
{
    char *setting = acc_setting_text(r, row, "×");
    char *note =
        bench_print("%s: %s, %.3g in %.3g ms (median %.3g)", r->series[row->series].scheduler,
                    setting, value, row->ms_min, row->ms_median);
    free(setting);
    return note;
}

static void add_point(val_curve *curve, const acc_result *r, const acc_row *row, double value)
{
    char *note = note_of(r, row, value);
    val_noted_point(curve, row->ms_min, value, note);
    free(note);
}

/* The front of each scheduler. */
static void write_errors(FILE *out, const acc_options *options, const acc_result *r, acc_error kind)
{
    val_plot plot =
        val_make_plot(kind == ACC_FRAME ? "Error of the step, best substeps, iterations and ω"
                                        : "Error of the solver, one substep, best ω",
                      "ms", "error / motion", true, true);
    const acc_row **front = bench_alloc(r->n_rows, sizeof *front);
    for (int t = 0; t < ACC_TARGETS; t++) {
        val_level(&plot, acc_target[t]);
    }
    for (size_t k = 0; k < options->schedulers.n && plot.n_curves < VAL_CURVES; k++) {
        const size_t n = acc_front(r, options->schedulers.items[k], kind == ACC_STEP,
                                   kind == ACC_FRAME ? acc_frame_error : acc_step_error, front);
        val_curve *curve = val_add_curve(&plot, options->schedulers.items[k]);
        for (size_t i = 0; i < n; i++) {
            add_point(curve, r, front[i], front[i]->error[kind]);
        }
    }
    val_write_plot(out, &plot);
    val_clear_plot(&plot);
    free(front);
}

/* Iteration after iteration at omega 1: a front would hide that g rises first. */
static void write_residuals(FILE *out, const acc_options *options, const acc_result *r,
                            const char *title, double (*value)(const acc_row *row))
{
    val_plot plot = val_make_plot(title, "ms", "over the start", true, true);
    for (size_t k = 0; k < options->schedulers.n && plot.n_curves < VAL_CURVES; k++) {
        val_curve *curve = val_add_curve(&plot, options->schedulers.items[k]);
        for (size_t i = 0; i < r->n_rows; i++) {
            const acc_row *row = &r->rows[i];
            const acc_series *s = &r->series[row->series];
            if (row->level == 0 && row->ms_min > 0.0 && is_plain(r, row) &&
                strcmp(s->scheduler, options->schedulers.items[k]) == 0) {
                add_point(curve, r, row, value(row));
            }
        }
    }
    val_write_plot(out, &plot);
    val_clear_plot(&plot);
}

static void write_rows(FILE *out, const acc_options *options, const acc_result *r)
{
    const acc_row **front = bench_alloc(r->n_rows, sizeof *front);
    fprintf(out, "<details><summary>The points of the first plot as a table</summary>\n"
                 "<div class='table plain'><table><tr><th>scheduler<th>substeps × iterations"
                 "<th class=n>ms<th class=n>median<th class=n>error of the step"
                 "<th class=n>largest, mm<th class=n>error of the solver<th class=n>‖g‖<th class=n>"
                 "‖h‖\n");
    for (size_t k = 0; k < options->schedulers.n; k++) {
        const size_t n = acc_front(r, options->schedulers.items[k], false, acc_frame_error, front);
        for (size_t i = 0; i < n; i++) {
            const acc_row *row = front[i];
            char *setting = acc_setting_text(r, row, "×");
            fprintf(out,
                    "<tr><td>%s<td>%s<td class=n>%.4g<td class=n>%.4g<td class=n>%.3g"
                    "<td class=n>%.3g",
                    options->schedulers.items[k], setting, row->ms_min, row->ms_median,
                    row->error[ACC_FRAME], 1e3 * row->worst);
            write_number(out, row->error[ACC_STEP]);
            write_number(out, acc_residual_g(row));
            write_number(out, acc_residual_h(row));
            fprintf(out, "\n");
            free(setting);
        }
    }
    fprintf(out, "</table></div></details>\n");
    free(front);
}

void acc_page_scene(FILE *out, const acc_options *options, const acc_result *r)
{
    write_about(out, &r->problem);
    fprintf(out, "<div class=plots>\n");
    write_errors(out, options, r, ACC_FRAME);
    write_errors(out, options, r, ACC_STEP);
    write_residuals(out, options, r, "‖g‖, one substep, ω = 1", acc_residual_g);
    if (r->problem.n_rows > 0) {
        write_residuals(out, options, r, "‖h‖, one substep, ω = 1", acc_residual_h);
    }
    fprintf(out, "</div>\n");
    write_rounding(out, r);
    write_rows(out, options, r);
    fprintf(out, "</section>\n");
}
