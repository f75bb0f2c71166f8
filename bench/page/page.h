/* SPDX-License-Identifier: MIT
 *
 * Pages of results: one file that needs nothing else, dark and light, wide and narrow, without
 * scripts. Here is what they share: head and look, and plots as inline SVG.
 */
#ifndef XPBD_BENCH_PAGE_PAGE_H
#define XPBD_BENCH_PAGE_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { VAL_CURVES = 16, VAL_LEVELS = 4 };

typedef struct val_curve {
    char *name;
    uint32_t n, room;
    double *x, *y;
    char **note; /* of each point, shown under the pointer; null where there is none */
} val_curve;

typedef struct val_plot {
    char *title, *x_label, *y_label;
    bool log_x, log_y;
    uint32_t n_curves, n_levels;
    val_curve curve[VAL_CURVES];
    double level[VAL_LEVELS]; /* of y, to be marked by a line */
} val_plot;

val_plot val_make_plot(const char *title, const char *x_label, const char *y_label, bool log_x,
                       bool log_y);
/** Add a curve. Aborts where there are VAL_CURVES already. */
val_curve *val_add_curve(val_plot *plot, const char *name);
void val_point(val_curve *curve, double x, double y);
/** As val_point(), with a line of text for the reader; such curves have a dot at each point. */
void val_noted_point(val_curve *curve, double x, double y, const char *note);
/** Mark a height; it is always inside the picture. */
void val_level(val_plot *plot, double y);
void val_clear_plot(val_plot *plot);

/** Text in a buffer that lasts until the eighth call from here: for names with numbers in them. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
const char *
val_text(const char *format, ...);
/** Copy a text; null stays null. */
char *val_copy(const char *text);

/** Begin a page, up to its first heading. */
void val_begin_page(FILE *out, const char *title);
void val_end_page(FILE *out);
/** Write one plot as SVG. Names and titles are HTML already. */
void val_write_plot(FILE *out, const val_plot *plot);
/** Write text that may have any character in it. */
void val_write_text(FILE *out, const char *text);

#endif
