/* SPDX-License-Identifier: MIT
 *
 * What kernels of types of variable size share, by itself and on vectors of four: where a unit
 * begins and ends, sums in a tree whatever the width, and moves that leave pad lanes alone, as
 * their sink is shared with other threads.
 */
#define XPBD_ISA        sse2
#define XPBD_ISA_SSE2   1
#define XPBD_LAYOUT     soa
#define XPBD_LAYOUT_SOA 1
#include "tests/support.h"

#include "kernel/units.h"

/* Two units: one of 6 points in group 1, and one of 3 in groups 2 and 3, the last one being empty.
 * The places of points go backwards; the sink is at 0. */
enum { PLACES = 24, LANES = 4 * XPBD_GROUP };

typedef struct bed {
    _Alignas(64) float position[4 * PLACES], correction[4 * LANES];
    uint32_t point[LANES], first_group[4], first_point_group[4], n_points[3];
    xpbd_units units;
    xpbd_stream stream;
    xpbd_store store;
} bed;

static void make_bed(bed *b)
{
    *b = (bed){
        .first_group = {0, 5, 7, 11}, .first_point_group = {0, 1, 2, 4}, .n_points = {1, 6, 3}};
    for (uint32_t i = 0; i < 6; i++)
        b->point[XPBD_GROUP + i] = PLACES - 1 - i;
    for (uint32_t i = 0; i < 3; i++)
        b->point[2 * XPBD_GROUP + i] = 1 + i;
    for (uint32_t k = 0; k < 4 * PLACES; k++)
        b->position[k] = k % PLACES == 0 ? -0.0f : (float)k;
    b->units = (xpbd_units){.first_group = b->first_group,
                            .first_point_group = b->first_point_group,
                            .n_points = b->n_points,
                            .point = b->point};
    b->stream = (xpbd_stream){.n_groups = 3, .units = &b->units, .correction = b->correction};
    b->store = (xpbd_store){.position = b->position, .plane = PLACES, .step = 1, .n = PLACES};
}

static xpbd_unit unit_of(bed *b, uint32_t slot)
{
    static const xpbd_pass pass = {.dt = 1};
    return unit_at(&b->stream, &b->store, &pass, slot);
}

static void test_a_unit_has_its_range(void **state)
{
    bed b;
    (void)state;
    make_bed(&b);
    const xpbd_unit one = unit_of(&b, 1), two = unit_of(&b, 2);
    assert_true(one.slot == 1 && one.lane == 80 && one.end == 112);
    assert_true(one.point == 16 && one.point_end == 32 && one.n_points == 6);
    assert_true(two.slot == 2 && two.lane == 112 && two.end == 176);
    assert_true(two.point == 32 && two.point_end == 64 && two.n_points == 3);
    assert_true(one.stream == &b.stream && one.store == &b.store && one.units == &b.units);
}

/* Of lane i by (i, 10 i, 100 i), in one unit and then in the other. */
static void move_all(bed *b, unsigned variant)
{
    for (uint32_t slot = 1; slot < 3; slot++) {
        const xpbd_unit unit = unit_of(b, slot);
        for (size_t i = unit.point; i < unit.point_end; i += XPBD_WIDTH) {
            _Alignas(16) float d[3][XPBD_WIDTH];
            for (size_t k = 0; k < XPBD_WIDTH; k++) {
                const bool pad = i + k >= unit.point + unit.n_points;
                for (int c = 0; c < 3; c++)
                    d[c][k] = pad ? 0.0f : (float[]){1, 10, 100}[c] * (float)(i + k);
            }
            const vf4 p = point_load(&b->store, b->position, b->point + i);
            unit_move(&unit, i, p, (vf4){v_load(d[0]), v_load(d[1]), v_load(d[2]), v_set(0.0f)},
                      variant);
        }
    }
}

/* To the bit: 0 added to a sink at -0 would be 0. */
static void test_moves_leave_pad_lanes_alone(void **state)
{
    bed b, want;
    (void)state;
    make_bed(&b);
    make_bed(&want);
    for (uint32_t lane = XPBD_GROUP; lane < LANES; lane++) {
        const uint32_t place = b.point[lane];
        for (uint32_t c = 0; c < 3 && place != 0; c++)
            want.position[place + c * PLACES] += (float[]){1, 10, 100}[c] * (float)lane;
    }
    move_all(&b, 0);
    assert_memory_equal(b.position, want.position, sizeof b.position);
    assert_memory_equal(b.correction, want.correction, sizeof b.correction);
}

static void test_corrections_are_left_for_all_lanes(void **state)
{
    bed b, want;
    (void)state;
    make_bed(&b);
    make_bed(&want);
    for (uint32_t k = 0; k < 4 * LANES; k++) {
        const uint32_t c = k % 4;
        if (b.point[k / 4] != 0 && c < 3)
            want.correction[k] = (float[]){1, 10, 100}[c] * (float)(k / 4);
    }
    move_all(&b, XPBD_VARIANT_ACCUMULATE);
    assert_memory_equal(b.position, want.position, sizeof b.position);
    assert_memory_equal(b.correction, want.correction, sizeof b.correction);
}

/* Sixteen numbers that no other order adds up to the same float. */
static void test_sums_are_a_tree(void **state)
{
    uint64_t seed = 1;
    (void)state;
    xpbd_sum zero = sum_zero();
    assert_near(sum_fold(&zero), 0, 0);
    for (int run = 0; run < 50; run++) {
        _Alignas(16) float a[XPBD_GROUP], tree[XPBD_GROUP];
        xpbd_sum sum;
        for (int k = 0; k < XPBD_GROUP; k++)
            tree[k] = a[k] = kit_uniform(&seed, -1, 1);
        for (int k = 0; k < XPBD_PARTS; k++)
            sum.part[k] = v_load(a + k * XPBD_WIDTH);
        for (int half = 8; half > 0; half /= 2) {
            for (int k = 0; k < half; k++)
                tree[k] += tree[k + half];
        }
        assert_near(sum_fold(&sum), (double)tree[0], 0);
    }
    const vf4 p = {v_set(2), v_set(3), v_set(5), v_set(7)},
              q = {v_set(11), v_set(13), v_set(17), v_set(19)};
    _Alignas(16) float dot[XPBD_WIDTH];
    v_store(dot, v_dot(p, q));
    for (int k = 0; k < XPBD_WIDTH; k++)
        assert_near(dot[k], 22 + 39 + 85, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_unit_has_its_range),
        cmocka_unit_test(test_moves_leave_pad_lanes_alone),
        cmocka_unit_test(test_corrections_are_left_for_all_lanes),
        cmocka_unit_test(test_sums_are_a_tree),
    };
    return RUN_GROUP("unit_move", tests);
}
