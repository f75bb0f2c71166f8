/* SPDX-License-Identifier: MIT
 *
 * Curves as inline SVG, to be read without scripts: each series with its scheduler for the
 * filters, each point with its numbers as a tip.
 */
#ifndef BENCH_REPORT_REPORT_CHART_H
#define BENCH_REPORT_REPORT_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum chart_style {
    CHART_MEASURED,  /* a line through its points */
    CHART_POINTS,    /* points only */
    CHART_FITTED,    /* dashed */
    CHART_PREDICTED, /* dotted: nobody has measured that */
    CHART_LIMIT      /* dashed, in the color of text, with its label on it */
} chart_style;

typedef struct chart_point {
    double x, y, low, high; /* a bar from low to high where they differ */
    char *tip;              /* or null */
} chart_point;

typedef struct chart_series {
    char *label;
    char *key; /* the scheduler, "" for what no filter hides */
    unsigned color;
    chart_style style;
    chart_point *points;
    size_t n;
} chart_series;

typedef struct chart_guide {
    double x;
    char *label;
} chart_guide;

typedef struct chart {
    char *title;
    const char *x_label, *y_label; /* static text */
    bool log_x, log_y, from_zero, powers_of_2;
    chart_series *series;
    size_t n;
    chart_guide guides[12]; /* upright lines; more are left out */
    size_t n_guides;
} chart;

/** Begin a chart; all texts that are not static are copied. */
chart *chart_new(const char *title, const char *x_label, const char *y_label);
chart_series *chart_add(chart *c, const char *label, const char *key, unsigned color,
                        chart_style style);
void chart_put(chart_series *s, double x, double y, double low, double high, const char *tip);
void chart_guide_at(chart *c, double x, const char *label);
/** Tell how many points can be drawn. */
size_t chart_size(const chart *c);
/** Write it as a figure, unless there is nothing to draw, and free it. Machine and scene are for
 * the filters, each may be null. */
void chart_end(chart *c, FILE *out, const char *machine, const char *scene);

#endif
