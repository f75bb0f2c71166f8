/* SPDX-License-Identifier: MIT
 *
 * Writing HTML such that text from a file can never become markup: every %s is escaped.
 */
#ifndef BENCH_REPORT_REPORT_HTML_H
#define BENCH_REPORT_REPORT_HTML_H

#include <stdio.h>

/** As fprintf(), with what %s gives escaped for text and for attributes in single quotes. Knows
 *  %s, %c, %d, %u, %zu, %f, %g and %% with flags, width and precision in digits. */
void html(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Begin the page up to its heading. The title is HTML already. */
void html_begin(FILE *out, const char *title);
/** End it, with its script. */
void html_end(FILE *out);

/** Write a number with a sensible count of digits, "1.4 M", into the buffer, and return it. */
const char *html_number(char buffer[32], double value);
/** The same of bytes: "48 KiB". */
const char *html_bytes(char buffer[32], double value);
/** The same of nanoseconds: "1.4 ms". */
const char *html_time(char buffer[32], double ns);

#endif
