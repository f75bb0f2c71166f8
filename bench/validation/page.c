/* SPDX-License-Identifier: MIT
 *
 * The page: one file that needs nothing else, dark and light, wide and narrow.
 */
#include "bench/validation/validation.h"

#include <math.h>

static const char style[] =
    "<style>\n"
    ":root{color-scheme:light dark;--ink:#1b1f24;--dim:#59636e;--paper:#fff;--panel:#f4f6f8;"
    "--line:#d5dae0;--good:#17692f;--bad:#b3261e;"
    "--c0:#1f6fb4;--c1:#c4560e;--c2:#2a8a3e;--c3:#a8328c;--c4:#6b4fbb;--c5:#8a6d00;--c6:#0f8a8a;"
    "--c7:#8c564b}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e8ec;--dim:#9aa5b1;--paper:#14181c;"
    "--panel:#1d2329;--line:#39424c;--good:#5fd083;--bad:#ff8a80;"
    "--c0:#6cb6ff;--c1:#ff9d5c;--c2:#6bd68a;--c3:#f08bd6;--c4:#b29cff;--c5:#e3c44a;--c6:#4fd6d6;"
    "--c7:#d3a79b}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:1080px;padding:24px 20px 60px;background:var(--paper);"
    "color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:0 0 8px}\n"
    "h2{font-size:1.2rem;line-height:1.3;margin:0 0 4px}\n"
    "section{border-top:1px solid var(--line);margin-top:32px;padding-top:24px}\n"
    "a{color:var(--c0)}p{margin:6px 0;max-width:75ch}.dim,.why{color:var(--dim)}\n"
    ".formula{font-family:ui-serif,Georgia,serif;font-size:1.05rem;background:var(--panel);"
    "padding:8px 12px;border-radius:6px;overflow-x:auto}\n"
    ".unknown{border-left:3px solid var(--c1);padding-left:10px}\n"
    ".table{overflow-x:auto;margin:12px 0}\n"
    "table{border-collapse:collapse;width:100%;font-size:.9rem}\n"
    "th,td{text-align:left;padding:5px 10px 5px 0;border-bottom:1px solid var(--line);"
    "vertical-align:top}\n"
    "th{color:var(--dim);font-weight:600}\n"
    "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    ".good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:700}\n"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));"
    "gap:16px;margin-top:12px}\n"
    "figure{margin:0;background:var(--panel);border-radius:8px;padding:12px;max-width:560px}\n"
    "figcaption{font-weight:600;font-size:.95rem;margin-bottom:4px}\n"
    "figure>svg{width:100%;height:auto;display:block}\n"
    "svg text{fill:var(--dim);font-size:12px}text.x{text-anchor:middle}text.y{text-anchor:end}\n"
    ".grid{stroke:var(--line);stroke-width:.7}\n"
    ".curve{fill:none;stroke-width:1.8;stroke-linejoin:round}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:2px 16px;list-style:none;margin:6px 0 0;padding:0;"
    "font-size:.85rem}.legend svg{width:24px;height:10px;margin-right:6px}\n"
    /* Narrow: each row a block, the quantity above its numbers and the reason below. */
    "@media(max-width:680px){body{padding:16px 14px 40px}.claims tr:first-child{display:none}"
    ".claims table,.claims tbody{display:block}"
    ".claims tr{display:flex;flex-wrap:wrap;gap:0 14px;padding:8px 0;"
    "border-bottom:1px solid var(--line)}"
    ".claims td{border:0;padding:0}.claims td:first-child,.claims td.why{flex:0 0 100%}"
    ".claims td.why{font-size:.8rem}.claims td:nth-child(2)::before{content:'claimed ';"
    "color:var(--dim)}.claims td:nth-child(3)::before{content:'measured ';color:var(--dim)}}\n";

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
    fprintf(out,
            "<!doctype html>\n<html lang=en><meta charset=utf-8>\n"
            "<meta name=viewport content='width=device-width,initial-scale=1'>\n"
            "<title>libxpbd: validation</title>\n%s",
            style);
    for (int c = 0; c < 8; c++) {
        fprintf(out, ".curve.c%d{stroke:var(--c%d)%s}.dot.c%d{fill:var(--c%d)}\n", c, c,
                c % 2 ? ";stroke-dasharray:7 3" : "", c, c);
    }
    fprintf(out, "</style>\n<h1>libxpbd: is it right?</h1>\n"
                 "<p>The library in single precision against papers, closed forms, and a reference "
                 "solver in double precision (implicit Euler by Newton’s method, no code in "
                 "common). Where nothing else is said: serial Gauss–Seidel, one thread.</p>\n");
    write_overview(out, reports);
    for (uint32_t i = 0; val_experiment_at(i); i++) {
        write_section(out, val_experiment_at(i), &reports[i]);
    }
    fprintf(out, "</html>\n");
}
