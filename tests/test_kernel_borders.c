/* SPDX-License-Identifier: MIT
 *
 * What kernels do exactly at their limits, where one comparison decides: weights that are just too
 * small to divide by, strains that are just noise, one-sided constraints that just do not hold. And
 * what descriptions say of poses and rest data at theirs.
 */
#include "tests/kernel_bed.h"
#include "tests/support.h"

#include <float.h>
#include <math.h>

/** One constraint in a substep of 1 s, alone among lanes that are all alike. */
static bed_result project(uint32_t type, unsigned variant, const bed_constraint *c)
{
    const xpbd_pass pass = {.dt = 1, .inverse_dt = 1, .inverse_dt2 = 1, .relaxation = 1};
    bed_constraint in[BED_LANES];
    bed_result out[BED_LANES];
    for (int lane = 0; lane < BED_LANES; lane++) {
        in[lane] = *c;
    }
    bed_run(type, XPBD_ISA_scalar, XPBD_LAYOUT_soa, variant, &pass, in, out);
    return out[7];
}

/** Does row `row` get a lambda? */
static bool acts(uint32_t type, const bed_constraint *c, int row)
{
    const bed_result out = project(type, XPBD_VARIANT_FIRST, c);
    for (int k = 0; k < XPBD_ROWS_MAX; k++) {
        assert_true(isfinite(out.lambda[k]));
    }
    return fabsf(out.lambda[row]) > 0.0f;
}

/* By masses alone and by compliance alone: sum w |grad C|^2 + alpha~ is exactly FLT_MIN. Of
 * elements 1 / V0 is 2 and the compliance a half of that; of tet_neo_hookean C_D^2 is 2 as well. */
static void test_weights_of_the_smallest_number_are_none(void **state)
{
    static const struct {
        uint32_t type;
        int row;
        bool by_mass;
        float part; /* of the compliance in what is divided by */
        bed_constraint c;
    } cases[] = {
        {XPBD_DISTANCE, 0, true, 1, {.x = {{1, 0, 0}}, .rest = {2}}},
        {XPBD_ROPE, 0, true, 1, {.x = {{1, 0, 0}}, .rest = {0.5f}}},
        {XPBD_TETHER, 0, true, 1, {.x = {{0, 1, 0}}, .rest = {0.5f}}},
        {XPBD_STRUT, 0, true, 1, {.x = {{0, 0, 1}}, .rest = {2}}},
        {XPBD_ATTACH, 1, true, 1, {.x = {{1, 2, 3}}, .rest = {1, 1, 3}}},
        {XPBD_TIE_EDGE, 0, true, 1, {.x = {{1, 2, 3}}, .rest = {0.5f, 0.5f}}},
        {XPBD_TIE_TRIANGLE, 2, true, 1, {.x = {{1, 2, 3}}, .rest = {0.5f, 0.25f, 0.25f}}},
        {XPBD_ATTACH, 1, false, 1, {.x = {{1, 2, 3}}, .rest = {1, 1, 3}}},
        {XPBD_TIE_EDGE, 0, false, 1, {.x = {{1, 2, 3}}, .rest = {0.5f, 0.5f}}},
        {XPBD_TET_VOLUME, 0, false, 1, {.x = {{0}, {1}, {0, 1}, {0, 0, 1}}, .rest = {1}}},
        {XPBD_TRI_FEM, 0, false, 2, {.x = {{0}, {2}, {0, 1}}, .rest = {1, 0, 0, 1, 1, 0, 1}}},
        {XPBD_TRI_FEM, 1, false, 2, {.x = {{0}, {1}, {0, 2}}, .rest = {1, 0, 0, 1, 1, 0, 1}}},
        {XPBD_TET_STVK,
         2,
         false,
         2,
         {.x = {{0}, {1}, {0, 1}, {0, 0, 6}}, .rest = {1, 0, 0, 0, 1, 0, 0, 0, 3, 0}}},
        {XPBD_TET_NEO_HOOKEAN, /* C_H alone */
         1,
         false,
         2,
         {.x = {{0}, {1}, {0, 1}, {0, 0, 6}}, .rest = {1, 0, 0, 0, 1, 0, 0, 0, 3, 1}}},
        {XPBD_TET_NEO_HOOKEAN, /* C_D, flat: C_H has twice as much */
         0,
         false,
         4,
         {.x = {{0}, {0}, {0, 1}, {0, 0, 3}}, .rest = {1, 0, 0, 0, 1, 0, 0, 0, 3, 0.25f}}},
    };
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        for (int above = 0; above < 2; above++) {
            bed_constraint c = cases[i].c;
            const float least = above ? 1.5f * FLT_MIN : FLT_MIN;
            c.inverse_mass[0] = cases[i].by_mass ? least : 0.0f;
            c.compliance = cases[i].by_mass ? 0.0f : least / cases[i].part;
            if (acts(cases[i].type, &c, cases[i].row) != above) {
                fail_msg("case %u: %s %s", i, xpbd_constraint_type_info(cases[i].type)->name,
                         above ? "does nothing" : "divides");
            }
        }
    }
}

/* Noise is 2^-20 of a unit element. Strains of it are none, of more they are: a shear, a stretch of
 * J, and the C_D of a shear, the square of which is compared. */
static void test_strains_of_the_noise_are_none(void **state)
{
    static const struct {
        uint32_t type;
        int row, corner, component;
        float times; /* the coordinate over the strain */
    } cases[] = {{XPBD_TRI_FEM, 2, 2, 0, 1},        {XPBD_TRI_FEM, 2, 2, 0, -1},
                 {XPBD_TET_STVK, 3, 3, 1, 1},       {XPBD_TET_STVK, 4, 3, 0, -1},
                 {XPBD_TET_STVK, 5, 2, 0, 1},       {XPBD_TET_NEO_HOOKEAN, 1, 3, 2, 1},
                 {XPBD_TET_NEO_HOOKEAN, 0, 2, 0, 1}};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        for (int above = 0; above < 2; above++) {
            const bool flat = cases[i].type == XPBD_TRI_FEM;
            bed_constraint c = {.x = {{0}, {1}, {0, 1}, {0, 0, 1}},
                                .inverse_mass = {1, 1, 1, 1},
                                .rest = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.25f}};
            if (flat) {
                const float rest[] = {1, 0, 0, 1, 1, 0.25f, 0.5f};
                memcpy(c.rest, rest, sizeof rest);
            }
            c.x[cases[i].corner][cases[i].component] +=
                cases[i].times * (above ? 0x1p-19f : 0x1p-20f);
            assert_int_equal(acts(cases[i].type, &c, cases[i].row), above);
        }
    }
}

/* The noise is the largest sum of |rest edge| |B|, of which the products sum to 0 or 1, in units of
 * 2^-20. B by Cramer's rule. */
static void test_noise_is_a_bound_of_rounding(void **state)
{
    uint64_t seed = 4;
    (void)state;
    for (int pose = 0; pose < 200; pose++) {
        const int n = pose % 2 ? 2 : 3;
        const xpbd_constraint_ops *ops =
            xpbd_constraint_ops_of(n == 2 ? XPBD_TRI_FEM : XPBD_TET_STVK);
        float rest[XPBD_REST_MAX] = {0}, packed[XPBD_REST_MAX];
        double e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, B[3][3], det = 0.0, most = 0.0;
        for (int k = 0; k < n * n; k++) {
            rest[k] = (float)bed_random(&seed, -1, 1) + (k % (n + 1) == 0 ? 1.0f : 0.0f);
            e[k / n][k % n] = (double)rest[k];
        }
        for (int k = 0; k < 9; k++) { /* B[edge][column]: rows normal to the other two edges */
            const double *f = e[(k / 3 + 1) % 3], *g = e[(k / 3 + 2) % 3];
            B[k / 3][k % 3] = f[(k + 1) % 3] * g[(k + 2) % 3] - f[(k + 2) % 3] * g[(k + 1) % 3];
        }
        for (int k = 0; k < 3; k++) {
            det += e[0][k] * B[0][k];
        }
        if (det < 0.05) {
            continue;
        }
        rest[n == 2 ? 4 : 9] = rest[6] = n == 2 ? 1.0f : rest[6];
        for (int k = 0; k < n * n; k++) {
            double size = 0.0;
            for (int i = 0; i < n; i++) {
                size += fabs(e[i][k / n] * B[i][k % n] / det);
            }
            most = fmax(most, size);
        }
        rest[9] = n == 3 ? 0.25f : rest[9];
        ops->pack(rest, packed);
        assert_near((double)packed[n == 2 ? 8 : 10] / (most * 0x1p-20), 1.0, 1e-6);
    }
}

/* Numerator and limit are one number, so that a constraint does not hold, and lambda, which what is
 * divided and multiplied again would miss, is exactly 0. */
static void test_one_sided_types_let_go_exactly(void **state)
{
    static const uint32_t types[] = {XPBD_ROPE, XPBD_TETHER, XPBD_STRUT};
    uint64_t seed = 6;
    int n = 0;
    (void)state;
    for (int i = 0; i < 3000; i++) {
        const uint32_t type = types[i % 3];
        const float side = type == XPBD_STRUT ? 1.0f : -1.0f;
        const float w = (float)bed_random(&seed, 0.5, 3.0);
        const float given = (float)bed_random(&seed, 0.05, 0.2), limit = given * w;
        const float length = type == XPBD_STRUT ? 0.75f : 0.5f;
        const float rest = length - side * limit;
        if (fabsf((rest - length) + side * limit) > 0.0f ||
            !(limit / (w * length) * length < given)) {
            continue;
        }
        bed_constraint c = {.x = {{length}}, .rest = {rest}, .inverse_mass = {w}};
        memcpy(c.previous, c.x, sizeof c.x);
        c.lambda[0] = side * given;
        for (unsigned damped = 0; damped < 2; damped++) {
            const bed_result out = project(type, damped ? XPBD_VARIANT_DAMPED : 0, &c);
            assert_near(out.lambda[0], 0.0, 0.0);
        }
        n++;
    }
    assert_true(n > 20);
}

static bool fits(xpbd_constraint_type type, const float *rest)
{
    return xpbd_constraint_ops_of(type)->rest_fault(rest) ==
           xpbd_constraint_type_info(type)->n_rest;
}

/* Elements thinner than 1e-6 of what their edges allow are refused, and edges whose product is no
 * more than FLT_MIN. */
static void test_elements_are_as_thin_as_they_may(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const float thin = k ? 1.01e-6f : 0.99e-6f;
        const float flat[7] = {3, 0, 5, 5 * thin, 1, 0, 1};
        const float turned[7] = {0, -3, 5 * thin, 5, 1, 0, 1};
        assert_int_equal(fits(XPBD_TRI_FEM, flat), k);
        assert_int_equal(fits(XPBD_TRI_FEM, turned), k);
        for (int turn = 0; turn < 3; turn++) {
            float thin_tet[10] = {0};
            static const float size[3] = {2, 3, 5};
            for (int e = 0; e < 3; e++) {
                thin_tet[3 * e + (e + turn) % 3] = size[e] * (e == 2 ? thin : 1.0f);
            }
            thin_tet[6 + turn] = size[2];
            assert_int_equal(fits(XPBD_TET_STVK, thin_tet), k);
            assert_int_equal(fits(XPBD_TET_NEO_HOOKEAN, thin_tet), k);
        }
    }
    /* Found by search: edges whose area is 1e-6 of their product to the last bit of a double. */
    const float a = 0x1.b494d6p+0f, b = 0x1.dc7af8p-49f, c = 0x1.955752p+0f, d = 0x1.a907ecp-20f;
    const float triangle[7] = {a, b, c, d, 1, 0, 1}, tet[10] = {a, 0, b, 0, 1, 0, c, 0, d, 0};
    assert_false(fits(XPBD_TRI_FEM, triangle));
    assert_false(fits(XPBD_TET_STVK, tet));
    for (int k = 0; k < 2; k++) {
        const float more = k ? 1.0f + 0x1p-20f : 1.0f;
        const float e = 0x1p-63f, f = 0x1p-42f;
        const float small[7] = {e * more, 0, 0, e, 1, 0, 1};
        const float solid[10] = {f * more, 0, 0, 0, f, 0, 0, 0, f, 0};
        assert_int_equal(fits(XPBD_TRI_FEM, small), k);
        assert_int_equal(fits(XPBD_TET_STVK, solid), k);
        assert_int_equal(fits(XPBD_TET_NEO_HOOKEAN, solid), k);
    }
}

/* The last number that is allowed and the first that is not, of material parameters and of others.
 */
static void test_rest_values_end_where_they_should(void **state)
{
    static const float tiny = 0x1p-149f;
    const struct {
        xpbd_constraint_type type;
        uint32_t place;
        float value;
        bool good;
    } cases[] = {
        {XPBD_TRI_FEM, 4, 0, false},        {XPBD_TRI_FEM, 4, tiny, true},
        {XPBD_TRI_FEM, 5, 2, false}, /* 4 times a ratio of 1/4 */
        {XPBD_TRI_FEM, 5, -2, false},       {XPBD_TRI_FEM, 5, nextafterf(2, 0), true},
        {XPBD_TRI_FEM, 6, 0, false},        {XPBD_TRI_FEM, 6, tiny, true},
        {XPBD_TET_STVK, 9, -1, false},      {XPBD_TET_STVK, 9, nextafterf(-1, 0), true},
        {XPBD_TET_STVK, 9, 0.5f, false},    {XPBD_TET_STVK, 9, nextafterf(0.5f, 0), true},
        {XPBD_TET_NEO_HOOKEAN, 9, 0, true}, {XPBD_TET_NEO_HOOKEAN, 9, -tiny, false},
        {XPBD_TET_VOLUME, 0, 0, false},     {XPBD_TET_VOLUME, 0, -0.0f, false},
        {XPBD_TET_VOLUME, 0, tiny, true},   {XPBD_TET_VOLUME, 0, -tiny, true},
        {XPBD_DISTANCE, 0, 0, true},        {XPBD_DISTANCE, 0, -tiny, false},
        {XPBD_MESH_VOLUME, 1, 0, true},     {XPBD_MESH_VOLUME, 1, -tiny, false},
        {XPBD_SHAPE_MATCH, 0, 0, true},     {XPBD_SHAPE_MATCH, 0, -tiny, false},
        {XPBD_SHAPE_MATCH, 0, 1, true},     {XPBD_SHAPE_MATCH, 0, nextafterf(1, 2), false},
    };
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        float rest[XPBD_REST_MAX] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.25f};
        if (cases[i].type == XPBD_TRI_FEM) {
            const float triangle[7] = {1, 0, 0, 1, 0.25f, 0, 1};
            memcpy(rest, triangle, sizeof triangle);
        }
        rest[cases[i].place] = cases[i].value;
        const uint32_t fault = xpbd_constraint_ops_of(cases[i].type)->rest_fault(rest);
        const uint32_t n_rest = xpbd_constraint_type_info(cases[i].type)->n_rest;
        if (fault != (cases[i].good ? n_rest : cases[i].place)) {
            fail_msg("%s: %g at %u gives %u", xpbd_constraint_type_info(cases[i].type)->name,
                     (double)cases[i].value, cases[i].place, fault);
        }
    }
}

/* A pose has a gradient unless something of it is gone altogether; the least of it is enough. */
static void test_gradients_are_there_until_they_vanish(void **state)
{
    static const struct {
        xpbd_constraint_type type;
        bool has;
        float x[4][3];
    } cases[] = {
        {XPBD_DISTANCE, false, {{1, 2, 3}, {1, 2, 3}}},
        {XPBD_DISTANCE, true, {{1, 2, 3}, {1, 2, 3.0000002f}}},
        {XPBD_TRI_FEM, false, {{0}, {0}, {0, 1, 0}}},
        {XPBD_TRI_FEM, false, {{0}, {1, 0, 0}, {0}}},
        {XPBD_TRI_FEM, true, {{0}, {1e-20f, 0, 0}, {1e-20f, 0, 0}}},
        {XPBD_TET_STVK, false, {{0}, {0}, {0, 1, 0}, {0, 0, 1}}},
        {XPBD_TET_STVK, false, {{0}, {1, 0, 0}, {0}, {0, 0, 1}}},
        {XPBD_TET_STVK, false, {{0}, {1, 0, 0}, {0, 1, 0}, {0}}},
        {XPBD_TET_STVK, true, {{0}, {1, 0, 0}, {-1, 0, 0}, {1, 0, 0}}},
        {XPBD_TET_NEO_HOOKEAN, false, {{0}}},
        {XPBD_TET_NEO_HOOKEAN, true, {{0}, {-1, 0, 0}}},
        {XPBD_TET_NEO_HOOKEAN, true, {{0}, {0}, {0}, {0, 0, 1}}},
        {XPBD_TET_VOLUME, false, {{0}}},
        {XPBD_TET_VOLUME, true, {{0}, {1e-4f, 0, 0}, {0, 1e-4f, 0}, {0, 0, 1e-4f}}},
        {XPBD_TET_VOLUME, false, {{0}, {1, 1, 1}, {2, 2, 2}, {4, 4, 4}}},
        {XPBD_TET_VOLUME, true, {{0}, {1, 0, 0}, {2, 1e-5f, 0}, {4, 0, 1e-5f}}},
    };
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        const float solid[XPBD_REST_MAX] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.25f};
        const float triangle[XPBD_REST_MAX] = {1, 0, 0, 1, 1, 0, 1};
        double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
        const float *rest = cases[i].type == XPBD_TRI_FEM ? triangle : solid;
        if (bed_measure(cases[i].type, cases[i].x, rest, C, g) != cases[i].has) {
            fail_msg("case %u: a gradient that is %s", i, cases[i].has ? "lost" : "found");
        }
        for (uint32_t k = 0; k < 3 * xpbd_constraint_type_info(cases[i].type)->n_particles; k++) {
            assert_true(isfinite(g[k / 3][k % 3]));
            assert_true(cases[i].type != XPBD_DISTANCE || cases[i].has ||
                        !(fabs(g[k / 3][k % 3]) > 0.0));
        }
    }
}

/* C_D of a solid has a kink at rest, where it is taken to have no gradient. */
static void test_distortion_has_no_gradient_at_rest(void **state)
{
    static const float x[4][3] = {{0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const float rest[10] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1};
    double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
    (void)state;
    assert_true(bed_measure(XPBD_TET_NEO_HOOKEAN, x, rest, C, g));
    for (int k = 0; k < 12; k++) {
        assert_near(g[k / 3][k % 3], 0.0, 0.0);
        const double want = k / 3 == 0 ? -1.0 : k / 3 - 1 == k % 3 ? 1.0 : 0.0;
        assert_near(g[4 + k / 3][k % 3], want, 0.0);
    }
}

/* What is added to the rest data of a pose, and what a pose without a triangle has. */
static void test_rest_data_have_their_defaults(void **state)
{
    static const float spot[4][3] = {{1, 2, 3}, {1, 2, 3}, {1, 3, 3}, {1, 2, 4}};
    static const float none[7] = {0, 0, 0, 0, 1, 0.3f, 1.0f / 2.6f};
    float rest[XPBD_REST_MAX], packed[XPBD_REST_MAX];
    double matrix[36];
    (void)state;
    xpbd_constraint_ops_of(XPBD_TRI_FEM)->rest_of(spot, rest);
    assert_same_floats(rest, none, 7);
    xpbd_constraint_ops_of(XPBD_TET_STVK)->rest_of(spot, rest);
    assert_near(rest[9], 0.3f, 0.0);
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of(XPBD_TET_NEO_HOOKEAN);
    ops->rest_of(spot, rest);
    assert_near(rest[9], 4.0, 0.0);
    /* A ratio of 0 counts as 1e-6. */
    const float unit[10] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    ops->pack(unit, packed);
    ops->compliance(unit, matrix);
    assert_near(packed[11], 1e6, 0.1);
    assert_near(matrix[3], 6e6, 0.1);
}

/* The floor of a volume is |V0|^(4/3) / 1024, of any size and sign. */
static void test_floor_is_a_power_of_the_volume(void **state)
{
    (void)state;
    for (int e = -120; e < 90; e++) {
        for (int k = 0; k < 2; k++) {
            const float rest = (k ? -1.0f : 1.0f) * ldexpf(1.0f + 0.3f * (float)k, e);
            float packed[2];
            xpbd_constraint_ops_of(XPBD_TET_VOLUME)->pack(&rest, packed);
            const double want = pow(fabs((double)rest), 4.0 / 3.0) / 1024.0;
            assert_near(packed[0], rest, 0.0);
            if (want > (double)FLT_MIN) {
                assert_near((double)packed[1] / want, 1.0, 1e-7);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_of_the_smallest_number_are_none),
        cmocka_unit_test(test_strains_of_the_noise_are_none),
        cmocka_unit_test(test_noise_is_a_bound_of_rounding),
        cmocka_unit_test(test_one_sided_types_let_go_exactly),
        cmocka_unit_test(test_elements_are_as_thin_as_they_may),
        cmocka_unit_test(test_rest_values_end_where_they_should),
        cmocka_unit_test(test_gradients_are_there_until_they_vanish),
        cmocka_unit_test(test_distortion_has_no_gradient_at_rest),
        cmocka_unit_test(test_rest_data_have_their_defaults),
        cmocka_unit_test(test_floor_is_a_power_of_the_volume),
    };
    return RUN_GROUP("kernel_borders", tests);
}
