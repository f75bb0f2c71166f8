/* SPDX-License-Identifier: MIT
 *
 * Every kernel (type x ISA x layout x variant) gives the bits of the scalar kernel on soa, also
 * where there is no direction to move in; and a constraint gives the same bits in whichever lane it
 * sits.
 */
#include "tests/kernel_bed.h"
#include "tests/support.h"

#include <string.h>

/* Ordinary poses, and some of all that can be odd: coincident corners, pinned ones, masses and
 * compliances of extreme size, coordinates of both zeros. */
static void make_all(uint32_t type, bed_constraint in[BED_LANES])
{
    uint64_t seed = 11;
    for (int lane = 0; lane < BED_LANES; lane++) {
        bed_constraint *at = &in[lane];
        *at = bed_make(type, 0.5, &seed);
        switch (lane % 12) {
        case 0:
            memcpy(at->x[1], at->x[0], sizeof at->x[0]);
            break;
        case 1:
            at->inverse_mass[0] = 0.0f;
            break;
        case 2:
            memset(at->inverse_mass, 0, sizeof at->inverse_mass);
            at->compliance = 0.0f;
            break;
        case 3:
            at->inverse_mass[0] = 1e-6f;
            at->inverse_mass[1] = 1e6f;
            break;
        case 4:
            at->compliance = 1e12f;
            break;
        case 5:
            at->compliance = 1e-12f;
            break;
        case 6:
            at->x[0][0] = 0.0f;
            at->x[1][0] = -0.0f;
            break;
        default:
            break;
        }
    }
}

static void test_all_kernels_give_the_same_bits(void **state)
{
    (void)state;
    const xpbd_pass pass = bed_pass();
    int n = 0;
    BED_EACH_TYPE(type)
    {
        bed_constraint in[BED_LANES];
        make_all(type, in);
        for (unsigned variant = 0; variant < XPBD_VARIANT_COUNT; variant++) {
            bed_result expected[BED_LANES], result[BED_LANES];
            bed_run(type, XPBD_ISA_scalar, XPBD_LAYOUT_soa, variant, &pass, in, expected);
            for (uint32_t isa = 0; isa < XPBD_ISA_COUNT; isa++) {
                for (uint32_t layout = 0; layout < XPBD_LAYOUT_COUNT; layout++) {
                    if (!xpbd_cpu_has((xpbd_isa)isa)) {
                        continue;
                    }
                    bed_run(type, (xpbd_isa)isa, (xpbd_layout)layout, variant, &pass, in, result);
                    n++;
                    for (int lane = 0; lane < BED_LANES; lane++) {
                        if (memcmp(&expected[lane], &result[lane], sizeof result[lane]) != 0) {
                            fail_msg("%s: lane %d differs from scalar soa",
                                     bed_name(type, (xpbd_isa)isa, (xpbd_layout)layout, variant),
                                     lane);
                        }
                    }
                }
            }
        }
    }
    print_message("%d kernels compared\n", n);
}

static void test_X04_lane_does_not_matter(void **state)
{
    (void)state;
    const xpbd_pass pass = bed_pass();
    const xpbd_isa isa = xpbd_cpu_widest();
    BED_EACH_TYPE(type)
    {
        bed_constraint in[BED_LANES], turned[BED_LANES];
        bed_result out[BED_LANES], out_turned[BED_LANES];
        make_all(type, in);
        bed_run(type, isa, XPBD_LAYOUT_aos4, XPBD_VARIANT_DAMPED, &pass, in, out);
        for (int turn = 1; turn < XPBD_GROUP; turn++) {
            for (int lane = 0; lane < BED_LANES; lane++) {
                turned[(lane + turn) % BED_LANES] = in[lane];
            }
            bed_run(type, isa, XPBD_LAYOUT_aos4, XPBD_VARIANT_DAMPED, &pass, turned, out_turned);
            for (int lane = 0; lane < BED_LANES; lane++) {
                assert_memory_equal(&out[lane], &out_turned[(lane + turn) % BED_LANES],
                                    sizeof out[lane]);
            }
        }
    }
}

/* A damping of 0 in a damped stream is no damping at all, a stiffness of 1 in a stiff one changes
 * nothing. */
static void test_variants_agree_where_they_overlap(void **state)
{
    (void)state;
    const xpbd_pass pass = bed_pass();
    const xpbd_isa isa = xpbd_cpu_widest();
    BED_EACH_TYPE(type)
    {
        bed_constraint in[BED_LANES];
        bed_result plain[BED_LANES], damped[BED_LANES], first[BED_LANES];
        make_all(type, in);
        for (int lane = 0; lane < BED_LANES; lane++) {
            in[lane].damping = 0.0f;
            in[lane].stiffness = 1.0f;
        }
        bed_run(type, isa, XPBD_LAYOUT_aos4, 0, &pass, in, plain);
        bed_run(type, isa, XPBD_LAYOUT_aos4, XPBD_VARIANT_DAMPED, &pass, in, damped);
        assert_memory_equal(plain, damped, sizeof plain);
        bed_run(type, isa, XPBD_LAYOUT_aos4, XPBD_VARIANT_STIFF, &pass, in, damped);
        assert_memory_equal(plain, damped, sizeof plain);
        for (int lane = 0; lane < BED_LANES; lane++) {
            memset(in[lane].lambda, 0, sizeof in[lane].lambda);
        }
        bed_run(type, isa, XPBD_LAYOUT_aos4, 0, &pass, in, plain);
        bed_run(type, isa, XPBD_LAYOUT_aos4, XPBD_VARIANT_FIRST, &pass, in, first);
        assert_memory_equal(plain, first, sizeof plain);
    }
}

/* A stiffness of 0 is how a constraint is switched off. */
static void test_stiffness_zero_moves_nothing(void **state)
{
    (void)state;
    const xpbd_pass pass = bed_pass();
    BED_EACH_TYPE(type)
    {
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        make_all(type, in);
        for (int lane = 0; lane < BED_LANES; lane++) {
            in[lane].stiffness = 0.0f;
        }
        bed_run(type, xpbd_cpu_widest(), XPBD_LAYOUT_aos4, XPBD_VARIANT_STIFF | XPBD_VARIANT_FIRST,
                &pass, in, out);
        for (int lane = 0; lane < BED_LANES; lane++) {
            const uint32_t corners =
                xpbd_constraint_type_info((xpbd_constraint_type)type)->n_particles;
            for (uint32_t k = 0; k < 3 * corners; k++) {
                assert_true(in[lane].x[k / 3][k % 3] == out[lane].x[k / 3][k % 3]);
            }
            assert_true(out[lane].lambda[0] == 0.0f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kernels_give_the_same_bits),
        cmocka_unit_test(test_X04_lane_does_not_matter),
        cmocka_unit_test(test_variants_agree_where_they_overlap),
        cmocka_unit_test(test_stiffness_zero_moves_nothing),
    };
    return RUN_GROUP("kernel_bits", tests);
}
