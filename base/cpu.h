/* SPDX-License-Identifier: MIT
 *
 * Which instruction sets this processor and this build have.
 */
#ifndef XPBD_BASE_CPU_H
#define XPBD_BASE_CPU_H

#include <stdbool.h>
#include <stdint.h>

#define XPBD_ISA_ROW(name)    XPBD_ISA_##name,
#define XPBD_ISA_ABSENT(name) XPBD_ISA_##name,
typedef enum xpbd_isa {
#include "base/isas.def"
    XPBD_ISA_COUNT
} xpbd_isa;
#undef XPBD_ISA_ROW
#undef XPBD_ISA_ABSENT

/** Tell whether kernels of this instruction set are in the build and run on this processor. */
bool xpbd_cpu_has(xpbd_isa isa);
/** Find the widest instruction set that xpbd_cpu_has(). */
xpbd_isa xpbd_cpu_widest(void);

#endif
