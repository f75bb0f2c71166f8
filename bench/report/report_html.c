/* SPDX-License-Identifier: MIT */
#include "bench/report/report_html.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/page/page.h"
#include "bench/text.h"

/* Write one conversion, `spec` with `length` letters; numbers can hold nothing to escape. */
static void convert(FILE *out, const char *spec, size_t length, va_list *arguments)
{
    char one[16];
    snprintf(one, sizeof one, "%.*s", (int)length, spec);
    const char kind = spec[length - 1];
    char *text = NULL;
    if (kind == 's')
        text = bench_strdup(va_arg(*arguments, const char *));
    else if (kind == 'c')
        text = bench_print("%c", va_arg(*arguments, int));
    else if (kind == 'd')
        text = bench_print("%d", va_arg(*arguments, int));
    else if (kind == 'u' && length > 1 && spec[length - 2] == 'z')
        text = bench_print("%zu", va_arg(*arguments, size_t));
    else if (kind == 'u')
        text = bench_print("%u", va_arg(*arguments, unsigned));
    else {
        /* The format is one of those in this folder, which the compiler has checked. */
        char number[64];
        const double value = va_arg(*arguments, double);
        const int precision = strchr(one, '.') != NULL ? atoi(strchr(one, '.') + 1) : 6;
        snprintf(number, sizeof number, kind == 'f' ? "%.*f" : "%.*g", precision, value);
        text = bench_strdup(number);
    }
    val_write_text(out, text);
    free(text);
}

void html(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at != '\0';) {
        const size_t plain = strcspn(at, "%");
        fwrite(at, 1, plain, out);
        at += plain;
        if (*at == '\0')
            break;
        if (at[1] == '%') {
            fputc('%', out);
            at += 2;
            continue;
        }
        const size_t length = 1 + strcspn(at + 1, "scdugf") + 1;
        convert(out, at, length, &arguments);
        at += length;
    }
    va_end(arguments);
}

const char *html_number(char buffer[32], double value)
{
    static const char *const SUFFIXES[] = {"", " k", " M", " G", " T"};
    int power = 0;
    double v = value;
    while (fabs(v) >= 999.5 && power < 4) {
        v /= 1000;
        power++;
    }
    const double size = fabs(v);
    if (!isfinite(value))
        snprintf(buffer, 32, "–");
    else if (size >= 0.001 || size == 0)
        snprintf(buffer, 32, "%.*f%s",
                 size >= 100  ? 0
                 : size >= 10 ? 1
                 : size >= 1  ? 2
                              : 3,
                 v, SUFFIXES[power]);
    else
        snprintf(buffer, 32, "%.2e", v);
    return buffer;
}

const char *html_bytes(char buffer[32], double value)
{
    static const char *const UNITS[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int power = 0;
    while (value >= 1024 && power < 4) {
        value /= 1024;
        power++;
    }
    if (!isfinite(value))
        snprintf(buffer, 32, "–");
    else
        snprintf(buffer, 32, "%.*f %s", value < 10 && power > 0 && value != floor(value) ? 1 : 0,
                 value, UNITS[power]);
    return buffer;
}

const char *html_time(char buffer[32], double ns)
{
    static const char *const UNITS[] = {"ns", "µs", "ms", "s"};
    int power = 0;
    for (; ns >= 999.5 && power < 3; power++)
        ns /= 1000;
    if (!isfinite(ns))
        snprintf(buffer, 32, "–");
    else
        snprintf(buffer, 32, "%.*f %s", ns >= 100 ? 0 : ns >= 10 ? 1 : 2, ns, UNITS[power]);
    return buffer;
}

/* ---- the page */

/* What this page has beyond the look of all pages: filters, tables that scroll, nested boxes. */
static const char STYLE[] =
    "<style>\n"
    ":root{--warn:#8a5a00;--c8:#59636e}\n"
    "@media(prefers-color-scheme:dark){:root{--warn:#f0b64a;--c8:#9aa5b1}}\n"
    "[hidden],.off{display:none!important}.warn{color:var(--warn)}\n"
    "body{max-width:1240px;overflow-wrap:break-word}h2{font-size:1.3rem;margin:0 0 "
    "6px}h3{font-size:1.05rem;"
    "margin:22px 0 6px}section{padding-top:20px;scroll-margin-top:80px}ul.notes{margin:8px "
    "0;padding-left:20px}\n"
    "table{width:auto;font-size:.88rem}th,td{padding:4px 14px 4px 0;white-space:nowrap}"
    "th{vertical-align:bottom}td.wrap{white-space:normal;min-width:16em;overflow-wrap:anywhere}"
    "code{font:.85em ui-monospace,monospace;overflow-wrap:anywhere}\n"
    ".plots{grid-template-columns:repeat(auto-fill,minmax(min(100%,380px),1fr));gap:14px;"
    "margin:12px 0}.small{grid-template-columns:repeat(auto-fill,minmax(min(100%,230px),1fr))}\n"
    "figure{max-width:none;min-width:0}figure>svg{max-width:640px}\n"
    ".guide{stroke:var(--dim);stroke-width:1;stroke-dasharray:2 3;fill:none}"
    ".dash{stroke-dasharray:6 4;stroke-width:1.3}.dots{stroke-dasharray:1.5 4;stroke-width:1.6;"
    "stroke-linecap:round}.bar{stroke-width:1.1;opacity:.55}\n"
    ".bars{width:100%;table-layout:fixed;font-size:.8rem}.bars td{border:0;padding:1px 4px 1px 0;"
    "overflow:hidden}.bars td:first-child{width:9.8em}.bars td:last-child{width:4.4em;"
    "text-align:right;font-variant-numeric:tabular-nums}.fill{display:block;height:11px;"
    "border-radius:2px}\n"
    "#filters{position:sticky;top:0;z-index:1;background:var(--paper);padding:8px 0;"
    "border-bottom:1px solid var(--line);max-height:40vh;overflow:auto;margin-top:14px}"
    "#filters div{display:flex;flex-wrap:wrap;gap:4px 6px;align-items:baseline;margin:3px 0}"
    "#filters b{font-size:.8rem;color:var(--dim);width:6em;font-weight:600}"
    "#filters button{font:inherit;font-size:.8rem;color:inherit;background:var(--panel);"
    "border:1px solid var(--line);border-radius:12px;padding:1px 10px;cursor:pointer}"
    "#filters button[aria-pressed=false]{opacity:.45;text-decoration:line-through}\n"
    "details{margin:8px 0}summary{cursor:pointer;color:var(--c0);font-size:.9rem}\n"
    ".box{border:1px solid var(--line);border-radius:5px;padding:3px 5px;margin:2px;"
    "font-size:.72rem;line-height:1.3}.box>.in{display:flex;flex-wrap:wrap}.box.pu{"
    "background:var(--c0);color:var(--paper);min-width:2.6em;text-align:center;border:0}"
    ".box.out{background:none;border:1px dashed var(--line);color:var(--dim)}"
    ".topology{background:var(--panel);border-radius:8px;padding:8px;overflow-x:auto}\n"
    "@media(max-width:680px){#filters{position:static;max-height:none}th,td{padding-right:10px}}\n"
    "@media print{#filters{display:none}}\n";

/* Rows, curves and figures carry what they are about (data-m machine, data-s scene, data-k
 * scheduler); a filter hides those of the values that are switched off. */
static const char SCRIPT[] =
    "<script>\n"
    "'use strict';\n"
    "(function(){\n"
    "const bar=document.getElementById('filters');\n"
    "if(!bar)return;\n"
    "const off={m:new Set(),s:new Set(),k:new Set()};\n"
    "function apply(){\n"
    " for(const e of document.querySelectorAll('[data-m],[data-s],[data-k]'))\n"
    "  e.classList.toggle('off',Object.keys(off).some(a=>a in "
    "e.dataset&&off[a].has(e.dataset[a])));\n"
    "}\n"
    "bar.addEventListener('click',function(event){\n"
    " const b=event.target.closest('button');\n"
    " if(!b)return;\n"
    " const "
    "set=off[b.dataset.axis],all=[...bar.querySelectorAll(`[data-axis=${b.dataset.axis}]`)];\n"
    " if(event.shiftKey||event.altKey){\n"
    "  for(const o of all)set.add(o.value);\n"
    "  set.delete(b.value);\n"
    " }else if(!set.delete(b.value))set.add(b.value);\n"
    " for(const o of all)o.setAttribute('aria-pressed',String(!set.has(o.value)));\n"
    " apply();\n"
    "});\n"
    "bar.hidden=false;\n"
    "})();\n"
    "</script>\n";

void html_begin(FILE *out, const char *title)
{
    val_begin_page(out, title);
    fputs(STYLE, out);
    for (int c = 0; c < 9; c++)
        html(out,
             ".c%d .curve,.c%d .bar{stroke:var(--c%d)}.c%d circle,.fill.c%d{fill:var(--c%d);"
             "background:var(--c%d)}\n",
             c, c, c, c, c, c, c);
    html(out, "</style>\n<h1>%s</h1>\n", title);
}

void html_end(FILE *out)
{
    fputs(SCRIPT, out);
    val_end_page(out);
}
