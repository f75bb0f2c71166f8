/* SPDX-License-Identifier: MIT
 *
 * Ctrl-C: the first one lets the run stop after the current sample and keep what it has, a second
 * one ends the program at once.
 */
#ifndef BENCH_INTERRUPT_H
#define BENCH_INTERRUPT_H

#include <stdbool.h>

/** Take over SIGINT and SIGTERM. SIGPIPE is ignored: when the reader of the table goes away the
 *  results are still written. */
void bench_interrupt_install(void);
bool bench_interrupted(void);

#endif
