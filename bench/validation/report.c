/* SPDX-License-Identifier: MIT
 *
 * Reports: claims and curves, and the table of experiments.
 */
#include "bench/validation/validation.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define VAL_EXPERIMENT(name, title, source) void val_run_##name(val_report *report);
#include "bench/validation/experiments.def"
#undef VAL_EXPERIMENT

static const val_experiment experiment[] = {
#define VAL_EXPERIMENT(name, title, source) {#name, title, source, val_run_##name},
#include "bench/validation/experiments.def"
#undef VAL_EXPERIMENT
};

const val_experiment *val_experiment_at(uint32_t index)
{
    return index < VAL_COUNT(experiment) ? &experiment[index] : NULL;
}

static char *copy(const char *text)
{
    const size_t size = text ? strlen(text) + 1 : 0;
    char *to = size ? ref_zeroed(size, 1) : NULL;
    if (to) {
        memcpy(to, text, size);
    }
    return to;
}

bool val_holds(const val_claim *c)
{
    switch (c->kind) {
    case VAL_NEAR:
        return fabs(c->measured - c->claimed) <= c->tolerance;
    case VAL_AT_MOST:
        return c->measured <= c->claimed;
    case VAL_AT_LEAST:
        return c->measured >= c->claimed;
    default:
        return true;
    }
}

void val_about(val_report *r, const char *formula, const char *setting, const char *unknown)
{
    r->formula = copy(formula);
    r->setting = copy(setting);
    r->unknown = copy(unknown);
}

static void add(val_report *r, const char *what, const char *why, val_claim claim)
{
    if (r->n_claims == r->claim_room) {
        r->claim_room = r->claim_room ? 2 * r->claim_room : 32;
        r->claim = ref_grown(r->claim, r->claim_room, sizeof *r->claim);
    }
    claim.what = copy(what);
    claim.why = copy(why);
    r->claim[r->n_claims++] = claim;
}

void val_near(val_report *r, const char *what, double claimed, double measured, double tolerance,
              const char *why)
{
    add(r, what, why, (val_claim){NULL, NULL, VAL_NEAR, claimed, measured, tolerance});
}
void val_at_most(val_report *r, const char *what, double limit, double measured, const char *why)
{
    add(r, what, why, (val_claim){NULL, NULL, VAL_AT_MOST, limit, measured, 0.0});
}
void val_at_least(val_report *r, const char *what, double limit, double measured, const char *why)
{
    add(r, what, why, (val_claim){NULL, NULL, VAL_AT_LEAST, limit, measured, 0.0});
}
void val_show(val_report *r, const char *what, double measured, const char *why)
{
    add(r, what, why, (val_claim){NULL, NULL, VAL_SHOWN, NAN, measured, 0.0});
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

val_plot *val_add_plot(val_report *r, const char *title, const char *x_label, const char *y_label,
                       bool log_x, bool log_y)
{
    if (r->n_plots == VAL_COUNT(r->plot)) {
        abort();
    }
    val_plot *p = &r->plot[r->n_plots++];
    *p = (val_plot){.title = copy(title),
                    .x_label = copy(x_label),
                    .y_label = copy(y_label),
                    .log_x = log_x,
                    .log_y = log_y};
    return p;
}

val_curve *val_add_curve(val_plot *p, const char *name)
{
    if (p->n_curves == VAL_COUNT(p->curve)) {
        abort();
    }
    val_curve *c = &p->curve[p->n_curves++];
    *c = (val_curve){.name = copy(name)};
    return c;
}

void val_point(val_curve *c, double x, double y)
{
    if (c->n == c->room) {
        c->room = c->room ? 2 * c->room : 64;
        c->x = ref_grown(c->x, c->room, sizeof *c->x);
        c->y = ref_grown(c->y, c->room, sizeof *c->y);
    }
    c->x[c->n] = x;
    c->y[c->n++] = y;
}

void val_clear(val_report *r)
{
    for (uint32_t i = 0; i < r->n_claims; i++) {
        free(r->claim[i].what);
        free(r->claim[i].why);
    }
    for (uint32_t i = 0; i < r->n_plots; i++) {
        val_plot *p = &r->plot[i];
        for (uint32_t c = 0; c < p->n_curves; c++) {
            free(p->curve[c].name);
            free(p->curve[c].x);
            free(p->curve[c].y);
        }
        free(p->title);
        free(p->x_label);
        free(p->y_label);
    }
    free(r->formula);
    free(r->setting);
    free(r->unknown);
    free(r->claim);
    *r = (val_report){.full = r->full};
}
