/* SPDX-License-Identifier: MIT
 *
 * The look of pages: one style sheet in the file, colors for both schemes, system fonts.
 */
#include "bench/page/page.h"

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
    ".level{stroke:var(--dim);stroke-width:1;stroke-dasharray:2 4}\n"
    ".curve{fill:none;stroke-width:1.8;stroke-linejoin:round}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:2px 16px;list-style:none;margin:6px 0 0;padding:0;"
    "font-size:.85rem}.legend svg{width:24px;height:10px;margin-right:6px}\n"
    "@media(max-width:680px){body{padding:16px 14px 40px}}\n";

/* Colors come again after eight curves, with other dashes. */
static const char *dashes(int curve)
{
    static const char *const text[] = {"", ";stroke-dasharray:7 3", ";stroke-dasharray:2 3",
                                       ";stroke-dasharray:9 3 2 3"};
    return text[curve % 2 + 2 * (curve / 8 % 2)];
}

void val_begin_page(FILE *out, const char *title)
{
    fprintf(out,
            "<!doctype html>\n<html lang=en><meta charset=utf-8>\n"
            "<meta name=viewport content='width=device-width,initial-scale=1'>\n"
            "<title>%s</title>\n%s",
            title, style);
    for (int c = 0; c < VAL_CURVES; c++) {
        fprintf(out, ".curve.c%d{stroke:var(--c%d)%s}.dot.c%d{fill:var(--c%d)}\n", c, c % 8,
                dashes(c), c, c % 8);
    }
    fprintf(out, "</style>\n");
}

void val_end_page(FILE *out)
{
    fprintf(out, "</html>\n");
}

void val_write_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}
