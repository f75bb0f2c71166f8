/* SPDX-License-Identifier: MIT
 *
 * From a row of isas.def and one of layouts.def to the kernels compiled for them, and from a row of
 * constraints.def to what it says.
 */
#include "kernel/kernel.h"

#include "xpbd/xpbd.h"

#define EACH_LAYOUT(isa) TABLE(isa, soa) TABLE(isa, aos4)
_Static_assert(XPBD_LAYOUT_COUNT == 2, "a layout is missing in EACH_LAYOUT");

#define XPBD_ISA_ABSENT(isa)
#define XPBD_ISA_ROW(isa)  EACH_LAYOUT(isa)
#define TABLE(isa, layout) extern const xpbd_kernels xpbd_kernel_table__##isa##_##layout;
#include "base/isas.def"
#undef TABLE
#undef XPBD_ISA_ROW
#undef XPBD_ISA_ABSENT

#define XPBD_ISA_ABSENT(isa)
#define XPBD_ISA_ROW(isa)  [XPBD_ISA_##isa] = {EACH_LAYOUT(isa)},
#define TABLE(isa, layout) [XPBD_LAYOUT_##layout] = &xpbd_kernel_table__##isa##_##layout,
static const xpbd_kernels *const tables[XPBD_ISA_COUNT][XPBD_LAYOUT_COUNT] = {
#include "base/isas.def"
};
#undef TABLE
#undef XPBD_ISA_ROW
#undef XPBD_ISA_ABSENT

const xpbd_kernels *xpbd_kernels_find(xpbd_isa isa, xpbd_layout layout)
{
    return tables[isa][layout];
}

#define XPBD_CONSTRAINT(...)
#define XPBD_CONSTRAINT_VARIABLE(element_rest, each, ID, name, ...)                                \
    _Static_assert((element_rest) <= XPBD_ELEMENT_REST_MAX, "units have no room for " #name);
#include "xpbd/constraints.def"
#undef XPBD_CONSTRAINT

#define XPBD_CONSTRAINT(ID, name, ...) extern const xpbd_constraint_ops xpbd_ops_##name;
#include "xpbd/constraints.def"
#undef XPBD_CONSTRAINT

const xpbd_constraint_ops *xpbd_constraint_ops_of(xpbd_constraint_type type)
{
    static const xpbd_constraint_ops *const ops[] = {
#define XPBD_CONSTRAINT(ID, name, ...) &xpbd_ops_##name,
#include "xpbd/constraints.def"
#undef XPBD_CONSTRAINT
    };
    return ops[type];
}

const xpbd_constraint_info *xpbd_constraint_type_info(xpbd_constraint_type type)
{
    static const xpbd_constraint_info info[] = {
#define XPBD_CONSTRAINT(ID, name, particles, rest, rows, rest_text, unit, source)                  \
    {#name, particles, rest, rows, rest_text, unit, source, false, false, 0},
#define XPBD_CONSTRAINT_VARIABLE(element_rest, each, ID, name, particles, rest, rows, rest_text,   \
                                 unit, source)                                                     \
    {#name, particles, rest, rows, rest_text, unit, source, true, each, element_rest},
#include "xpbd/constraints.def"
#undef XPBD_CONSTRAINT
    };
    return (unsigned)type < XPBD_CONSTRAINT_TYPE_COUNT ? &info[type] : NULL;
}
