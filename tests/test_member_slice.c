/* SPDX-License-Identifier: MIT
 *
 * How units are dealt to the members of a team.
 */
#include "schedulers/team.h"
#include "tests/support.h"

static void test_slices_cover_all_units_once(void **state)
{
    (void)state;
    static const uint32_t NS[] = {0, 1, 2, 15, 16, 17, 1000, UINT32_MAX};
    static const uint32_t GRAINS[] = {0, 1, 16, 64, UINT32_MAX};
    for (uint32_t a = 0; a < COUNT_OF(NS); a++) {
        for (uint32_t b = 0; b < COUNT_OF(GRAINS); b++) {
            for (uint32_t count = 1; count <= XPBD_THREADS_MAX; count++) {
                uint32_t end = 0;
                for (uint32_t i = 0; i < count; i++) {
                    const xpbd_member member = {.index = i, .count = count};
                    const xpbd_range r = xpbd_member_slice(&member, NS[a], GRAINS[b]);
                    assert_int_equal(r.begin, end);
                    assert_true(r.end >= r.begin);
                    if (r.end < NS[a] && GRAINS[b])
                        assert_int_equal(r.end % GRAINS[b], 0);
                    end = r.end;
                }
                assert_int_equal(end, NS[a]);
            }
        }
    }
    const xpbd_member first = {.index = 0, .count = 8};
    assert_int_equal(xpbd_member_slice(&first, 10, 64).end, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slices_cover_all_units_once),
    };
    return RUN_GROUP("member_slice", tests);
}
