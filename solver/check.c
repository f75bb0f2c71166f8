/* SPDX-License-Identifier: MIT
 *
 * Values from the caller: finite, of the right sign, in range. NaN is caught by its bits, so that
 * no compiler flag can talk the check away.
 */
#include "solver/check.h"

xpbd_status xpbd_check_vectors(const xpbd_world *world, xpbd_status status, const float *array,
                               size_t stride, uint32_t count, const char *what)
{
    for (uint32_t i = 0; array && i < count; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            const float value = xpbd_input(array, stride, i, c);
            if (!xpbd_is_finite(value)) {
                return xpbd_fail(world, status, -1, i, (double)value,
                                 "%c of %s %u of this call is %g", "xyz"[c], what, i,
                                 (double)value);
            }
        }
    }
    return XPBD_OK;
}

xpbd_status xpbd_check_positive(const xpbd_world *world, xpbd_status status, int32_t type,
                                const float *array, size_t stride, uint32_t count, const char *what)
{
    for (uint32_t i = 0; array && i < count; i++) {
        const float value = xpbd_input(array, stride, i, 0);
        if (!xpbd_is_finite(value) || value < 0.0f) {
            return xpbd_fail(world, status, type, i, (double)value, "%s %u of this call is %g",
                             what, i, (double)value);
        }
    }
    return XPBD_OK;
}

xpbd_status xpbd_check_parameters(const xpbd_world *world, xpbd_constraint_type type,
                                  uint32_t count, xpbd_constraints *in)
{
    const int32_t t = (int32_t)type;
    if (in->rest) {
        XPBD_TRY(xpbd_check_array(world, t, in->rest, count,
                                  xpbd_constraint_type_info(type)->n_rest, &in->rest_stride,
                                  "rest"));
    }
    if (in->compliance) {
        XPBD_TRY(xpbd_check_array(world, t, in->compliance, count, 1, &in->compliance_stride,
                                  "compliance"));
    }
    if (in->damping) {
        XPBD_TRY(xpbd_check_array(world, t, in->damping, count, 1, &in->damping_stride, "damping"));
    }
    XPBD_TRY(xpbd_check_positive(world, XPBD_ERROR_COMPLIANCE, t, in->compliance,
                                 in->compliance_stride, count, "compliance"));
    return xpbd_check_positive(world, XPBD_ERROR_DAMPING, t, in->damping, in->damping_stride, count,
                               "damping");
}

xpbd_status xpbd_check_rest(const xpbd_world *world, xpbd_constraint_type type, uint32_t i,
                            const float *rest)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    uint32_t bad = info->n_rest;
    for (uint32_t k = info->n_rest; k-- > 0;) {
        bad = xpbd_is_finite(rest[k]) ? bad : k;
    }
    if (bad == info->n_rest) {
        bad = xpbd_constraint_ops_of(type)->rest_fault(rest);
    }
    if (bad < info->n_rest) {
        return xpbd_fail(world, XPBD_ERROR_REST, (int32_t)type, i, (double)rest[bad],
                         "rest value %u (of: %s) of constraint %u of this call is %g", bad,
                         info->rest_text, i, (double)rest[bad]);
    }
    return XPBD_OK;
}

void xpbd_set_parameters(xpbd_set *set, uint32_t first, uint32_t count, const xpbd_constraints *in)
{
    float *compliance = set->compliance.data, *damping = set->damping.data;
    for (uint32_t i = 0; in->compliance && i < count; i++) {
        const float value = xpbd_input(in->compliance, in->compliance_stride, i, 0);
        compliance[first + i] = value;
        set->most_compliant = value > set->most_compliant ? value : set->most_compliant;
    }
    for (uint32_t i = 0; in->damping && i < count; i++) {
        damping[first + i] = xpbd_input(in->damping, in->damping_stride, i, 0);
        set->damped = set->damped || damping[first + i] > 0.0f;
    }
}
