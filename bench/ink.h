/* SPDX-License-Identifier: MIT
 *
 * Colors of a table: escape sequences on a terminal, empty texts elsewhere and where the user wants
 * none (NO_COLOR, see no-color.org).
 */
#ifndef BENCH_INK_H
#define BENCH_INK_H

const char *bench_red(void);
const char *bench_yellow(void);
const char *bench_bold(void);
const char *bench_plain(void);

#endif
