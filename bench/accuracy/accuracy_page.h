/* SPDX-License-Identifier: MIT
 *
 * The two halves of the page.
 */
#ifndef XPBD_BENCH_ACCURACY_ACCURACY_PAGE_H
#define XPBD_BENCH_ACCURACY_ACCURACY_PAGE_H

#include <stdio.h>

#include "bench/accuracy/accuracy.h"
#include "bench/page/page.h"

/** Write the section of a scene: what it is, plots, and the rows that no other one beats. */
void acc_page_scene(FILE *out, const acc_options *options, const acc_result *result);

#endif
