/* SPDX-License-Identifier: MIT
 *
 * Reports: claims and curves, and the table of experiments.
 */
#include "bench/validation/validation.h"

#include <math.h>
#include <stdlib.h>

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
    r->formula = val_copy(formula);
    r->setting = val_copy(setting);
    r->unknown = val_copy(unknown);
}

static void add(val_report *r, const char *what, const char *why, val_claim claim)
{
    if (r->n_claims == r->claim_room) {
        r->claim_room = r->claim_room ? 2 * r->claim_room : 32;
        r->claim = ref_grown(r->claim, r->claim_room, sizeof *r->claim);
    }
    claim.what = val_copy(what);
    claim.why = val_copy(why);
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

val_plot *val_add_plot(val_report *r, const char *title, const char *x_label, const char *y_label,
                       bool log_x, bool log_y)
{
    if (r->n_plots == VAL_COUNT(r->plot)) {
        abort();
    }
    val_plot *p = &r->plot[r->n_plots++];
    *p = val_make_plot(title, x_label, y_label, log_x, log_y);
    return p;
}

void val_clear(val_report *r)
{
    for (uint32_t i = 0; i < r->n_claims; i++) {
        free(r->claim[i].what);
        free(r->claim[i].why);
    }
    for (uint32_t i = 0; i < r->n_plots; i++) {
        val_clear_plot(&r->plot[i]);
    }
    free(r->formula);
    free(r->setting);
    free(r->unknown);
    free(r->claim);
    *r = (val_report){.full = r->full};
}
