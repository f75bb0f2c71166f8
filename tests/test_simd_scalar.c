/* SPDX-License-Identifier: MIT
 *
 * The vocabulary of the kernels for one lane, word by word: what every width is compared with
 * elsewhere. Also where a comparison is at its border, and what zeros and NaN make of it.
 */
#define XPBD_ISA_SCALAR 1
#include "support.h"

#include "base/simd.h"

#include <math.h>

static bool same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void assert_record(vp got, float x, float y, float z, float w)
{
    const float want[4] = {x, y, z, w};
    for (int k = 0; k < 4; k++) {
        if (!same(got.r[k], want[k]))
            fail_msg("component %d: %g instead of %g", k, (double)got.r[k], (double)want[k]);
    }
}

static const vp a = {{2, 3, 5, 7}}, b = {{11, -13, 17, 19}};

static void test_numbers(void **state)
{
    float number = 3;
    (void)state;
    assert_true(v_set(3) == 3 && v_load(&number) == 3);
    v_store(&number, 5);
    assert_true(number == 5);
    assert_true(v_add(2, 3) == 5 && v_sub(2, 3) == -1 && v_mul(2, 3) == 6 && v_div(3, 2) == 1.5f);
    assert_true(v_sqrt(9) == 3 && v_neg(3) == -3 && v_neg(-3) == 3);
    assert_true(v_abs(3) == 3 && v_abs(-3) == 3 && same(v_abs(-0.0f), 0.0f));
}

static void test_comparisons_and_masks(void **state)
{
    (void)state;
    assert_true(v_gt(3, 2) && v_lt(2, 3));
    assert_false(v_gt(2, 3) || v_lt(3, 2) || v_gt(2, 2) || v_lt(2, 2));
    assert_false(v_gt(NAN, 2) || v_gt(2, NAN) || v_lt(NAN, 2) || v_lt(2, NAN));
    assert_true(m_and(true, true));
    assert_false(m_and(true, false) || m_and(false, true) || m_and(false, false));
    assert_true(same(v_keep(true, 3), 3) && same(v_keep(false, 3), 0.0f));
    assert_true(same(v_keep(false, NAN), 0.0f));
    assert_true(v_select(true, 2, 3) == 2 && v_select(false, 2, 3) == 3);
    assert_true(v_div_where(true, 3, 2) == 1.5f && same(v_div_where(false, 3, 0), 0.0f));
}

/* The second one where they are alike or one of them is no number, as vector instructions do. */
static void test_least_and_most(void **state)
{
    (void)state;
    assert_true(v_max(2, 3) == 3 && v_max(3, 2) == 3 && v_min(2, 3) == 2 && v_min(3, 2) == 2);
    assert_true(same(v_max(0.0f, -0.0f), -0.0f) && same(v_max(-0.0f, 0.0f), 0.0f));
    assert_true(same(v_min(0.0f, -0.0f), -0.0f) && same(v_min(-0.0f, 0.0f), 0.0f));
    assert_true(v_max(NAN, 2) == 2 && v_min(NAN, 2) == 2);
    assert_true(isnan(v_max(2, NAN)) && isnan(v_min(2, NAN)));
}

static void test_packets(void **state)
{
    (void)state;
    assert_record(p_difference(a, b), -9, 16, -12, 26);
    assert_record(p_scale(a, 2), 4, 6, 10, 0);
    assert_record(p_weigh(a, b), 77, -91, 119, 133);
    assert_record(p_add(a, b), 13, -10, 22, 26);
    assert_record(p_sub(a, b), -9, 16, -12, -12);
    const vf4 c = p_components(a);
    assert_true(c.x == 2 && c.y == 3 && c.z == 5 && c.w == 7);
    assert_record(p_records(c), 2, 3, 5, 7);
}

static void test_gathering(void **state)
{
    static const uint32_t id = 8;
    float memory[44];
    (void)state;
    for (int k = 0; k < 44; k++)
        memory[k] = (float)k;
    assert_true(v_gather(memory, &id) == 8);
    assert_record(p_gather(memory, &id, 1), 8, 9, 10, 11);
    assert_record(p_gather(memory, &id, 4), 32, 33, 34, 35);
    v_scatter(memory, &id, -1);
    p_scatter(memory, &id, 2, a);
    p_scatter(memory, &id, 4, b);
    for (int k = 0; k < 44; k++) {
        const float want = k == 8              ? -1
                           : k >= 16 && k < 20 ? a.r[k - 16]
                           : k >= 32 && k < 36 ? b.r[k - 32]
                                               : (float)k;
        assert_true(memory[k] == want);
    }
}

static void test_one_record(void **state)
{
    _Alignas(16) float memory[6] = {2, 3, 5, 7, -1, -1};
    (void)state;
    assert_record(q_zero(), 0, 0, 0, 0);
    assert_record(q_load(memory), 2, 3, 5, 7);
    assert_record(q_add(a, b), 13, -10, 22, 26);
    assert_record(q_scale(a, 2), 4, 6, 10, 14);
    q_store(memory, b);
    assert_true(memory[0] == 11 && memory[1] == -13 && memory[2] == 17 && memory[3] == 19);
    assert_true(memory[4] == -1 && memory[5] == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),        cmocka_unit_test(test_comparisons_and_masks),
        cmocka_unit_test(test_least_and_most), cmocka_unit_test(test_packets),
        cmocka_unit_test(test_gathering),      cmocka_unit_test(test_one_record),
    };
    return RUN_GROUP("simd_scalar", tests);
}
