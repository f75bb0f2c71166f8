/* SPDX-License-Identifier: MIT */
#include "bench/report/report_chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/report_html.h"
#include "bench/text.h"

enum { WIDTH = 480, HEIGHT = 300, LEFT = 60, RIGHT = 14, TOP = 16, BOTTOM = 44 };

typedef struct axis {
    double low, high; /* of log10 where log */
    bool log, powers_of_2;
    double from, to; /* in the picture */
} axis;

/* ---- making */

chart *chart_new(const char *title, const char *x_label, const char *y_label)
{
    chart *c = bench_alloc(1, sizeof *c);
    c->title = bench_strdup(title);
    c->x_label = x_label;
    c->y_label = y_label;
    return c;
}

chart_series *chart_add(chart *c, const char *label, const char *key, unsigned color,
                        chart_style style)
{
    c->series = bench_realloc(c->series, c->n + 1, sizeof *c->series);
    c->series[c->n] = (chart_series){
        .label = bench_strdup(label), .key = bench_strdup(key), .color = color % 9, .style = style};
    return &c->series[c->n++];
}

void chart_put(chart_series *s, double x, double y, double low, double high, const char *tip)
{
    s->points = bench_realloc(s->points, s->n + 1, sizeof *s->points);
    s->points[s->n++] = (chart_point){x, y, low, high, tip != NULL ? bench_strdup(tip) : NULL};
}

void chart_guide_at(chart *c, double x, const char *label)
{
    if (c->n_guides < sizeof c->guides / sizeof c->guides[0])
        c->guides[c->n_guides++] = (chart_guide){x, bench_strdup(label)};
}

static void destroy(chart *c)
{
    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = 0; k < c->series[i].n; k++)
            free(c->series[i].points[k].tip);
        free(c->series[i].points);
        free(c->series[i].label);
        free(c->series[i].key);
    }
    for (size_t i = 0; i < c->n_guides; i++)
        free(c->guides[i].label);
    free(c->series);
    free(c->title);
    free(c);
}

/* ---- axes */

static bool shown(const chart *c, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!c->log_x || x > 0) && (!c->log_y || y > 0);
}

size_t chart_size(const chart *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->series[i].n; k++)
            n += shown(c, c->series[i].points[k].x, c->series[i].points[k].y);
    return n;
}

static void widen(axis *a, double value)
{
    const double v = a->log ? log10(value) : value;
    a->low = fmin(a->low, v);
    a->high = fmax(a->high, v);
}

static axis axis_of(const chart *c, bool is_y)
{
    axis a = {INFINITY,
              -INFINITY,
              is_y ? c->log_y : c->log_x,
              !is_y && c->powers_of_2,
              is_y ? HEIGHT - BOTTOM : LEFT,
              is_y ? TOP : WIDTH - RIGHT};
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->series[i].n; k++) {
            const chart_point *p = &c->series[i].points[k];
            if (!shown(c, p->x, p->y))
                continue;
            widen(&a, is_y ? p->y : p->x);
        }
    if (is_y && c->from_zero && !a.log)
        a.low = fmin(a.low, 0);
    if (!(a.low < a.high)) {
        const double middle = isfinite(a.low) ? a.low : 0;
        a.low = middle - 0.3;
        a.high = middle + 0.3;
    }
    const double room = (is_y ? 0.05 : 0.03) * (a.high - a.low);
    a.low -= is_y && c->from_zero && !a.log ? 0 : room;
    a.high += room;
    return a;
}

static double place(const axis *a, double value)
{
    const double v = a->log ? log10(value) : value;
    return a->from + (v - a->low) / (a->high - a->low) * (a->to - a->from);
}

static void write_tick(FILE *out, const axis *a, bool is_y, double value)
{
    char text[32];
    const double at = place(a, value);
    html_number(text, fabs(value) < 1e-12 ? 0 : value);
    char *point = strchr(text, '.'); /* 5.00 k is 5 k */
    if (point != NULL) {
        size_t digits = strspn(point + 1, "0123456789"), keep = digits;
        while (keep > 0 && point[keep] == '0')
            keep--;
        memmove(keep > 0 ? point + 1 + keep : point, point + 1 + digits,
                strlen(point + 1 + digits) + 1);
    }
    if (is_y)
        html(out, "<path class=grid d='M%d %.1fH%d'/><text x=%d y=%.1f class=y>%s</text>\n", LEFT,
             at, WIDTH - RIGHT, LEFT - 6, at + 4, text);
    else
        html(out, "<path class=grid d='M%.1f %dV%d'/><text x=%.1f y=%d class=x>%s</text>\n", at,
             TOP, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 16, text);
}

static void write_log_ticks(FILE *out, const axis *a, bool is_y)
{
    const double decades = a->high - a->low;
    const double step = ceil(decades / 6);
    for (double decade = floor(a->low); decade <= a->high; decade += step < 1 ? 1 : step)
        for (int part = 1; part <= (decades < 2.5 ? 5 : 1); part += part == 1 ? 1 : 3) {
            const double value = part * pow(10, decade);
            if (log10(value) >= a->low && log10(value) <= a->high)
                write_tick(out, a, is_y, value);
        }
}

static void write_ticks(FILE *out, const axis *a, bool is_y)
{
    if (a->powers_of_2) {
        for (double value = 1; log10(value) <= a->high; value *= 2)
            if (log10(value) >= a->low)
                write_tick(out, a, is_y, value);
        return;
    }
    if (a->log) {
        write_log_ticks(out, a, is_y);
        return;
    }
    const double rough = (a->high - a->low) / 5, power = pow(10, floor(log10(rough)));
    const double part = rough / power;
    const double step = power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
    for (double t = ceil(a->low / step) * step; t <= a->high + 1e-9 * step; t += step)
        write_tick(out, a, is_y, fabs(t) < 1e-9 * step ? 0 : t);
}

/* ---- curves */

static const char *class_of(chart_style style)
{
    static const char *const CLASSES[] = {"", "", " dash", " dots", " dash"};
    return CLASSES[style];
}

/* Bars end where the picture does: one bad sample shall not set the scale. */
static double inside(const axis *y, double value)
{
    return fmin(fmax(place(y, value), TOP), HEIGHT - BOTTOM);
}

static void write_series(FILE *out, const chart *c, const chart_series *s, const axis *x,
                         const axis *y)
{
    bool open = false;
    html(out, "<g class=c%u", s->style == CHART_LIMIT ? 8 : s->color);
    if (s->key[0] != '\0')
        html(out, " data-k='%s'", s->key);
    fputs(">", out);
    if (s->style != CHART_POINTS) {
        html(out, "<path class='curve%s' d='", class_of(s->style));
        for (size_t i = 0; i < s->n; i++)
            if (shown(c, s->points[i].x, s->points[i].y)) {
                html(out, "%c%.1f %.1f", open ? 'L' : 'M', place(x, s->points[i].x),
                     place(y, s->points[i].y));
                open = true;
            }
        fputs("'/>\n", out);
    }
    for (size_t i = 0; i < s->n && s->style <= CHART_POINTS; i++) {
        const chart_point *p = &s->points[i];
        if (!shown(c, p->x, p->y))
            continue;
        const double at = place(x, p->x);
        if (p->low < p->high && shown(c, p->x, p->low) && shown(c, p->x, p->high))
            html(out, "<path class=bar d='M%.1f %.1fV%.1f'/>", at, inside(y, p->low),
                 inside(y, p->high));
        html(out, "<circle cx=%.1f cy=%.1f r=%.1f>", at, place(y, p->y), s->n > 12 ? 2.2 : 3.5);
        if (p->tip != NULL)
            html(out, "<title>%s</title>", p->tip);
        fputs("</circle>\n", out);
    }
    if (s->style == CHART_LIMIT && s->n > 0) {
        /* Limits can lie on each other: their labels stand in a row. */
        size_t before = 0;
        for (const chart_series *k = c->series; k < s; k++)
            before += k->style == CHART_LIMIT;
        const chart_point *p = &s->points[s->n * (before % 4) / 4];
        html(out, "<text x=%.1f y=%.1f>%s</text>", place(x, p->x) + 2, place(y, p->y) - 5,
             s->label);
    }
    fputs("</g>\n", out);
}

static void write_guides(FILE *out, const chart *c, const axis *x)
{
    for (size_t i = 0; i < c->n_guides; i++) {
        const double at = place(x, c->guides[i].x);
        if (!(c->guides[i].x > 0) || at < LEFT || at > WIDTH - RIGHT)
            continue;
        html(out, "<path class=guide d='M%.1f %dV%d'/>", at, TOP, HEIGHT - BOTTOM);
        html(out, "<text x=%.1f y=%d class=y>%s</text>\n", at - 4, TOP + 12 + 14 * (int)(i % 4),
             c->guides[i].label);
    }
}

static void write_legend(FILE *out, const chart *c)
{
    fputs("<ul class=legend>", out);
    for (size_t i = 0; i < c->n; i++) {
        const chart_series *s = &c->series[i];
        if (s->label[0] == '\0' || s->style == CHART_LIMIT || s->n == 0)
            continue;
        html(out, "<li class=c%u", s->color);
        if (s->key[0] != '\0')
            html(out, " data-k='%s'", s->key);
        if (s->style == CHART_POINTS)
            fputs("><svg viewBox='0 0 24 10'><circle cx=12 cy=5 r=3.5 /></svg>", out);
        else
            html(out, "><svg viewBox='0 0 24 10'><path class='curve%s' d='M1 5H23'/></svg>",
                 class_of(s->style));
        html(out, "%s\n", s->label);
    }
    fputs("</ul>", out);
}

void chart_end(chart *c, FILE *out, const char *machine, const char *scene)
{
    if (chart_size(c) == 0) {
        destroy(c);
        return;
    }
    const axis x = axis_of(c, false), y = axis_of(c, true);
    fputs("<figure class=chart", out);
    if (machine != NULL)
        html(out, " data-m='%s'", machine);
    if (scene != NULL)
        html(out, " data-s='%s'", scene);
    html(out,
         "><figcaption>%s</figcaption>\n<svg viewBox='0 0 %d %d' role=img>"
         "<title>%s</title>\n",
         c->title, WIDTH, HEIGHT, c->title);
    write_ticks(out, &x, false);
    write_ticks(out, &y, true);
    html(out, "<text x=%d y=%d class=x>%s</text>\n", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8,
         c->x_label);
    html(out, "<text x=12 y=%d class=x transform='rotate(-90 12 %d)'>%s</text>\n",
         (TOP + HEIGHT - BOTTOM) / 2, (TOP + HEIGHT - BOTTOM) / 2, c->y_label);
    write_guides(out, c, &x);
    for (size_t i = 0; i < c->n; i++)
        write_series(out, c, &c->series[i], &x, &y);
    fputs("</svg>\n", out);
    write_legend(out, c);
    fputs("</figure>\n", out);
    destroy(c);
}
