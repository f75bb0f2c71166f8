/* SPDX-License-Identifier: MIT
 *
 * Curves as inline SVG. Colors and fonts are the page's, by class.
 */
#include "bench/page/page.h"

#include <math.h>

enum { WIDTH = 480, HEIGHT = 300, LEFT = 62, RIGHT = 14, TOP = 12, BOTTOM = 44 };

typedef struct axis {
    double low, high; /* of log10 where log */
    bool log;
    double from, to; /* in the picture */
} axis;

static double value_of(bool log, double v)
{
    return log ? log10(v) : v;
}

static bool shown(const val_plot *p, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!p->log_x || x > 0.0) && (!p->log_y || y > 0.0);
}

static axis fit(const val_plot *p, bool is_y)
{
    axis a = {INFINITY, -INFINITY, is_y ? p->log_y : p->log_x, is_y ? HEIGHT - BOTTOM : LEFT,
              is_y ? TOP : WIDTH - RIGHT};
    for (uint32_t c = 0; c < p->n_curves; c++) {
        for (uint32_t i = 0; i < p->curve[c].n; i++) {
            if (shown(p, p->curve[c].x[i], p->curve[c].y[i])) {
                const double v = value_of(a.log, is_y ? p->curve[c].y[i] : p->curve[c].x[i]);
                a.low = fmin(a.low, v);
                a.high = fmax(a.high, v);
            }
        }
    }
    for (uint32_t k = 0; k < p->n_levels && is_y && shown(p, 1.0, p->level[k]); k++) {
        a.low = fmin(a.low, value_of(a.log, p->level[k]));
        a.high = fmax(a.high, value_of(a.log, p->level[k]));
    }
    if (!(a.low < a.high)) {
        a.low = isfinite(a.low) ? a.low - 0.5 : 0.0;
        a.high = a.low + 1.0;
    }
    const double room = is_y ? 0.04 * (a.high - a.low) : 0.0;
    a.low -= room;
    a.high += room;
    return a;
}

static double place(const axis *a, double v)
{
    return a->from + (value_of(a->log, v) - a->low) / (a->high - a->low) * (a->to - a->from);
}

/* 1, 2 or 5 times a power of ten, such that there are about five; whole decades of a log axis. */
static double spacing(const axis *a)
{
    const double rough = (a->high - a->low) / 5.0, power = pow(10.0, floor(log10(rough)));
    const double part = rough / power;
    const double nice = power * (part < 1.5 ? 1.0 : part < 3.5 ? 2.0 : part < 7.5 ? 5.0 : 10.0);
    return a->log ? fmax(1.0, ceil(nice)) : nice;
}

static void write_tick(FILE *out, const axis *a, bool is_y, double t, double value)
{
    const double at = a->from + (t - a->low) / (a->high - a->low) * (a->to - a->from);
    if (is_y) {
        fprintf(out, "<path class=grid d='M%d %.1fH%d'/><text x=%d y=%.1f class=y>%.4g</text>\n",
                LEFT, at, WIDTH - RIGHT, LEFT - 6, at + 4.0, value);
    } else {
        fprintf(out, "<path class=grid d='M%.1f %dV%d'/><text x=%.1f y=%d class=x>%.4g</text>\n",
                at, TOP, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 16, value);
    }
}

static void write_ticks(FILE *out, const axis *a, bool is_y)
{
    const double step = spacing(a);
    if (a->log && a->high - a->low < 2.5) {
        /* Less than some decades: their 2 and 5 as well. */
        for (double decade = floor(a->low); decade <= a->high; decade += 1.0) {
            for (int part = 1; part <= 5; part += part == 1 ? 1 : 3) {
                const double t = decade + log10(part);
                if (t >= a->low && t <= a->high) {
                    write_tick(out, a, is_y, t, pow(10.0, t));
                }
            }
        }
        return;
    }
    for (double t = ceil(a->low / step) * step; t <= a->high + 1e-9 * step; t += step) {
        write_tick(out, a, is_y, t, a->log ? pow(10.0, t) : fabs(t) < 1e-9 * step ? 0 : t);
    }
}

static void write_curve(FILE *out, const val_plot *p, uint32_t c, const axis *x, const axis *y)
{
    const val_curve *curve = &p->curve[c];
    bool open = false;
    fprintf(out, "<path class='curve c%u' d='", c);
    for (uint32_t i = 0; i < curve->n; i++) {
        if (shown(p, curve->x[i], curve->y[i])) {
            fprintf(out, "%c%.1f %.1f", open ? 'L' : 'M', place(x, curve->x[i]),
                    place(y, curve->y[i]));
            open = true;
        }
    }
    fprintf(out, "'/>\n");
    const bool dots = curve->n <= 12 || (curve->note && curve->note[0]);
    for (uint32_t i = 0; i < curve->n && dots; i++) {
        if (shown(p, curve->x[i], curve->y[i])) {
            const char *note = curve->note ? curve->note[i] : NULL;
            fprintf(out, "<circle class='dot c%u' cx=%.1f cy=%.1f r=3", c, place(x, curve->x[i]),
                    place(y, curve->y[i]));
            if (note) {
                fprintf(out, "><title>");
                val_write_text(out, note);
                fprintf(out, "</title></circle>");
            } else {
                fprintf(out, " />");
            }
        }
    }
}

void val_write_plot(FILE *out, const val_plot *p)
{
    const axis x = fit(p, false), y = fit(p, true);
    fprintf(out,
            "<figure><figcaption>%s</figcaption>\n<svg viewBox='0 0 %d %d' role=img>"
            "<title>%s</title>\n",
            p->title, WIDTH, HEIGHT, p->title);
    write_ticks(out, &x, false);
    write_ticks(out, &y, true);
    for (uint32_t k = 0; k < p->n_levels && shown(p, 1.0, p->level[k]); k++) {
        fprintf(out, "<path class=level d='M%d %.1fH%d'/>\n", LEFT, place(&y, p->level[k]),
                WIDTH - RIGHT);
    }
    fprintf(out, "<text x=%d y=%d class=x>%s</text>\n", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8,
            p->x_label);
    fprintf(out, "<text x=14 y=%d class=x transform='rotate(-90 14 %d)'>%s</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2, (TOP + HEIGHT - BOTTOM) / 2, p->y_label);
    for (uint32_t c = 0; c < p->n_curves; c++) {
        write_curve(out, p, c, &x, &y);
    }
    fprintf(out, "</svg>\n<ul class=legend>");
    for (uint32_t c = 0; c < p->n_curves; c++) {
        fprintf(out, "<li><svg viewBox='0 0 24 10'><path class='curve c%u' d='M1 5H23'/></svg>%s",
                c, p->curve[c].name);
    }
    fprintf(out, "</ul></figure>\n");
}
