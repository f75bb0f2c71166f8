/* SPDX-License-Identifier: MIT */
#ifndef BENCH_MEMORY_LIMIT_H
#define BENCH_MEMORY_LIMIT_H

#include <stdint.h>

/** Bytes that worlds may take together: half of what the machine and the control group have left,
 *  at least 256 MiB. */
uint64_t bench_memory_budget(void);

#endif
