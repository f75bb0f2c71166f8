/* SPDX-License-Identifier: MIT
 *
 * Run-time choice of the instruction set. The compiler's own cpuid helper also checks that the
 * operating system saves the wide registers.
 */
#include "base/cpu.h"

#define XPBD_ISA_ROW(name) [XPBD_ISA_##name] = true,
#define XPBD_ISA_ABSENT(name)
static const bool built[XPBD_ISA_COUNT] = {
#include "base/isas.def"
};
#undef XPBD_ISA_ROW
#undef XPBD_ISA_ABSENT

#if defined(__x86_64__)
static bool x86_has(xpbd_isa isa)
{
    __builtin_cpu_init();
    switch (isa) {
    case XPBD_ISA_avx512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    case XPBD_ISA_avx2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    default:
        return isa == XPBD_ISA_scalar || isa == XPBD_ISA_sse2;
    }
}
#endif

bool xpbd_cpu_has(xpbd_isa isa)
{
    if (!built[isa]) {
        return false;
    }
#if defined(__x86_64__)
    return x86_has(isa);
#elif defined(__aarch64__)
    return isa == XPBD_ISA_scalar || isa == XPBD_ISA_neon;
#else
    return isa == XPBD_ISA_scalar;
#endif
}

xpbd_isa xpbd_cpu_widest(void)
{
    uint32_t isa = XPBD_ISA_COUNT - 1;
    while (!xpbd_cpu_has((xpbd_isa)isa)) {
        isa--;
    }
    return (xpbd_isa)isa;
}
