/* SPDX-License-Identifier: MIT
 *
 * The page: one file that needs nothing else, dark and light, wide and narrow.
 */
#include "bench/validation/validation.h"

static const char style[] =
    "<style>\n"
    /* Narrow: each row a block, the quantity above its numbers and the reason below. */
    "@media(max-width:680px){.claims tr:first-child{display:none}"
    ".claims table,.claims tbody{display:block}"
    ".claims tr{display:flex;flex-wrap:wrap;gap:0 14px;padding:8px 0;"
    "border-bottom:1px solid var(--line)}"
    ".claims td{border:0;padding:0}.claims td:first-child,.claims td.why{flex:0 0 100%}"
    ".claims td.why{font-size:.8rem}"
    ".claims td:nth-child(2)::before{content:'claimed ';color:var(--dim)}"
    ".claims td:nth-child(3)::before{content:'measured ';color:var(--dim)}}\n"
    "</style>\n";

static const char *rule(val_kind kind)
{
    static const char *const text[] = {"", "≤ ", "≥ ", ""};
    return text[kind];
}

static void write_claim(FILE *out, const val_claim *c)
{
    fprintf(out, "<tr><td>%s<td class=n>", c->what);
    if (c->kind == VAL_SHOWN) {
        fprintf(out, "–");
    } else {
        fprintf(out, "%s%.6g", rule(c->kind), c->claimed);
    }
    if (c->kind == VAL_NEAR) {
        fprintf(out, " ± %.2g", c->tolerance);
    }
    fprintf(out, "<td class=n>%.7g<td>%s<td class=why>%s\n", c->measured,
            c->kind == VAL_SHOWN ? "<span class=dim>shown</span>"
            : val_holds(c)       ? "<span class=good>holds</span>"
                                 : "<span class=bad>FAILS</span>",
            c->why ? c->why : "");
}

static void count(const val_report *r, uint32_t *claimed, uint32_t *held)
{
    *claimed = *held = 0;
    for (uint32_t i = 0; i < r->n_claims; i++) {
        *claimed += r->claim[i].kind != VAL_SHOWN;
        *held += r->claim[i].kind != VAL_SHOWN && val_holds(&r->claim[i]);
    }
}

static void write_section(FILE *out, const val_experiment *e, const val_report *r)
{
    fprintf(out, "<section id=%s><h2>%s</h2>\n<p class=dim>%s</p>\n", e->name, e->title, e->source);
    fprintf(out, "<p class=formula>%s</p>\n<p>%s</p>\n", r->formula, r->setting);
    if (r->unknown) {
        fprintf(out, "<p class=unknown>Not in the paper: %s</p>\n", r->unknown);
    }
    fprintf(
        out,
        "<div class='table claims'><table><tr><th>quantity<th class=n>claimed<th class=n>measured"
        "<th><th>where the number comes from\n");
    for (uint32_t i = 0; i < r->n_claims; i++) {
        write_claim(out, &r->claim[i]);
    }
    fprintf(out, "</table></div>\n<div class=plots>\n");
    for (uint32_t i = 0; i < r->n_plots; i++) {
        val_write_plot(out, &r->plot[i]);
    }
    fprintf(out, "</div></section>\n");
}

static void write_overview(FILE *out, const val_report *reports)
{
    uint32_t claimed, held, all_claimed = 0, all_held = 0;
    for (uint32_t i = 0; val_experiment_at(i); i++) {
        count(&reports[i], &claimed, &held);
        all_claimed += claimed;
        all_held += held;
    }
    fprintf(out, "<p class=%s>%u of %u claims hold.</p>\n",
            all_held == all_claimed ? "good" : "bad", all_held, all_claimed);
    fprintf(out, "<div class=table><table><tr><th>experiment<th class=n>claims<th class=n>hold\n");
    for (uint32_t i = 0; val_experiment_at(i); i++) {
        const val_experiment *e = val_experiment_at(i);
        count(&reports[i], &claimed, &held);
        fprintf(out, "<tr><td><a href='#%s'>%s</a><td class=n>%u<td class='n %s'>%u\n", e->name,
                e->title, claimed, held == claimed ? "good" : "bad", held);
    }
    fprintf(out, "</table></div>\n");
}

void val_write_page(FILE *out, const val_report *reports)
{
    val_begin_page(out, "libxpbd: validation");
    fprintf(out,
            "%s<h1>libxpbd: is it right?</h1>\n"
            "<p>The library in single precision against papers, closed forms, and a reference "
            "solver in double precision (implicit Euler by Newton’s method, no code in "
            "common). Where nothing else is said: serial Gauss–Seidel, one thread.</p>\n",
            style);
    write_overview(out, reports);
    for (uint32_t i = 0; val_experiment_at(i); i++) {
        write_section(out, val_experiment_at(i), &reports[i]);
    }
    val_end_page(out);
}
