/* SPDX-License-Identifier: MIT
 *
 * What plots are made of.
 */
#include "bench/page/page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void *grown(void *memory, size_t count, size_t size)
{
    memory = realloc(memory, count * size);
    if (!memory) {
        abort();
    }
    return memory;
}

char *val_copy(const char *text)
{
    const size_t size = text ? strlen(text) + 1 : 0;
    return size ? memcpy(grown(NULL, size, 1), text, size) : NULL;
}

const char *val_text(const char *format, ...)
{
    static char text[8][256];
    static unsigned next;
    char *to = text[next++ % 8];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to, sizeof text[0], format, arguments);
    va_end(arguments);
    return to;
}

val_plot val_make_plot(const char *title, const char *x_label, const char *y_label, bool log_x,
                       bool log_y)
{
    return (val_plot){.title = val_copy(title),
                      .x_label = val_copy(x_label),
                      .y_label = val_copy(y_label),
                      .log_x = log_x,
                      .log_y = log_y};
}

val_curve *val_add_curve(val_plot *p, const char *name)
{
    if (p->n_curves == VAL_CURVES) {
        abort();
    }
    val_curve *c = &p->curve[p->n_curves++];
    *c = (val_curve){.name = val_copy(name)};
    return c;
}

void val_noted_point(val_curve *c, double x, double y, const char *note)
{
    if (c->n == c->room) {
        c->room = c->room ? 2 * c->room : 64;
        c->x = grown(c->x, c->room, sizeof *c->x);
        c->y = grown(c->y, c->room, sizeof *c->y);
        c->note = grown(c->note, c->room, sizeof *c->note);
    }
    c->note[c->n] = val_copy(note);
    c->x[c->n] = x;
    c->y[c->n++] = y;
}

void val_point(val_curve *c, double x, double y)
{
    val_noted_point(c, x, y, NULL);
}

void val_level(val_plot *p, double y)
{
    if (p->n_levels == VAL_LEVELS) {
        abort();
    }
    p->level[p->n_levels++] = y;
}

void val_clear_plot(val_plot *p)
{
    for (uint32_t c = 0; c < p->n_curves; c++) {
        for (uint32_t i = 0; i < p->curve[c].n; i++) {
            free(p->curve[c].note[i]);
        }
        free(p->curve[c].note);
        free(p->curve[c].name);
        free(p->curve[c].x);
        free(p->curve[c].y);
    }
    free(p->title);
    free(p->x_label);
    free(p->y_label);
    *p = (val_plot){0};
}
