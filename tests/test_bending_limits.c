/* SPDX-License-Identifier: MIT
 *
 * Where bending ends: hinges and wings that are just long enough or too short, at the limits to the
 * bit, in kernels and in what is measured. What is at a limit is lost.
 */
#include "support.h"

#include "tests/kernel_bed.h"

#include <float.h>
#include <math.h>

static const float part = 1e-12f; /* of a hinge, as the square of a height in lengths */

/* On the scalar kernel, in the middle of lanes that are at rest. Seconds are 1. */
static bed_result project(xpbd_constraint_type type, unsigned variant, const bed_constraint *c)
{
    static bed_constraint in[BED_LANES];
    static bed_result out[BED_LANES];
    const xpbd_pass pass = {.dt = 1, .inverse_dt = 1, .inverse_dt2 = 1, .relaxation = 1};
    uint64_t seed = 1;
    for (int lane = 0; lane < BED_LANES; lane++)
        in[lane] = bed_make(type, 0, &seed);
    in[7] = *c;
    bed_run(type, XPBD_ISA_scalar, XPBD_LAYOUT_soa, variant, &pass, in, out);
    return out[7];
}

/* The hinge from 0 to e, its wings' tips at p and q. */
static bed_constraint hinge(const float *p, const float *q, const float *e)
{
    bed_constraint c = {.inverse_mass = {1, 1, 1, 1}, .rest = {1}, .compliance = 1};
    memcpy(c.x[0], p, sizeof c.x[0]);
    memcpy(c.x[1], q, sizeof c.x[1]);
    memcpy(c.x[3], e, sizeof c.x[3]);
    return c;
}

static bool has_angle(const bed_constraint *c)
{
    const bed_result r = project(XPBD_BEND_DIHEDRAL, XPBD_VARIANT_FIRST, c);
    bool moved = false;
    for (int k = 0; k < 4; k++)
        moved = moved || memcmp(r.x[k], c->x[k], sizeof r.x[k]) != 0;
    assert_true(moved == (r.lambda[0] < 0 || r.lambda[0] > 0));
    return moved;
}

static void test_wings_have_a_least_height(void **state)
{
    static const struct {
        float e, p[2], q[2]; /* p in the x-y plane, q in the x-z plane */
        bool good;
    } cases[] = {
        {1, {0, 1}, {0, 1}, true},
        /* a millionth of the lengths in a wing */
        {1, {0, 1.5e-6f}, {0, 1}, true},
        {1, {0, 0.7e-6f}, {0, 1}, false},
        {1, {2, 3e-6f}, {0, 1}, true},
        {1, {2, 1.5e-6f}, {0, 1}, false},
        {1, {0, 1}, {0, 1.5e-6f}, true},
        {1, {0, 1}, {0, 0.7e-6f}, false},
        {1, {0, 1}, {2, 3e-6f}, true},
        {1, {0, 1}, {2, 1.5e-6f}, false},
        /* a hinge that is a millionth of the wings */
        {1e-3f, {0, 600}, {0, 600}, true},
        {1e-3f, {0, 800}, {0, 800}, false},
        {1e-3f, {0, 800}, {0, 1}, true},
        {1e-3f, {0, 1100}, {0, 1}, false},
        {1e-3f, {0, 1}, {0, 800}, true},
        {1e-3f, {0, 1}, {0, 1100}, false},
    };
    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(cases); k++) {
        const float e[3] = {cases[k].e, 0, 0}, p[3] = {cases[k].p[0], cases[k].p[1], 0},
                    q[3] = {cases[k].q[0], 0, cases[k].q[1]};
        const bed_constraint c = hinge(p, q, e);
        double C, g[4][3];
        if (has_angle(&c) != cases[k].good ||
            bed_measure(XPBD_BEND_DIHEDRAL, c.x, c.rest, &C, g) != cases[k].good)
            fail_msg("case %u should %s an angle", k, cases[k].good ? "have" : "not have");
    }
}

/* The product of both heights' squares is no less than a float can be: of 2^-31 and 2^-32 m. */
static void test_hinges_have_a_least_size(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        const float s = 0x1p-31f, h = k == 2 ? nextafterf(0x1p-32f, 1) : 0x1p-32f;
        const float e[3] = {s, 0, 0}, p[3] = {0, k == 1 ? 0.75f * s : s, 0}, q[3] = {0, 0, h};
        const bed_constraint a = hinge(p, q, e), b = hinge(q, p, e);
        assert_true(has_angle(&a) == (k == 2) && has_angle(&b) == (k == 2));
    }
    /* and the hinge's own: as short as that it has no direction, and no rest angle */
    for (int k = 0; k < 2; k++) {
        const float x[4][3] = {
            {0, 1, 0}, {0, 0, 1}, {0, 0, 0}, {k == 0 ? 0x1p-63f : nextafterf(0x1p-63f, 1), 0, 0}};
        float rest = NAN;
        xpbd_constraint_ops_of(XPBD_BEND_DIHEDRAL)->rest_of(x, &rest);
        assert_near(fabs((double)rest), k == 0 ? 0 : 1.5707963, 1e-6);
    }
}

/* a^2 + b^2 is `square` as floats round, b being small. */
static void float_legs(float square, float *a, float *b)
{
    *a = nextafterf(sqrtf(square), 0);
    while (*a * *a >= square)
        *a = nextafterf(*a, 0);
    *b = sqrtf(square - *a * *a);
    for (int k = 0; k < 1000 && *a * *a + *b * *b < square; k++)
        *b = nextafterf(*b, 1);
    assert_true(*a * *a + *b * *b == square);
}

static void double_legs(double square, double *a, double *b)
{
    *a = nextafter(sqrt(square), 0);
    while (*a * *a >= square)
        *a = nextafter(*a, 0);
    *b = sqrt(square - *a * *a);
    for (int k = 0; k < 1000 && *a * *a + *b * *b < square; k++)
        *b = nextafter(*b, 1);
    assert_true(*a * *a + *b * *b == square);
}

static void test_kernel_is_lost_at_its_limits(void **state)
{
    static const float low[3] = {0, -0.5f, 0.5f}, high[3] = {0, 0.5f, 0.5f};
    static const float one[3] = {1, 0, 0}, up[3] = {0, 0, 1};
    float a, b;
    (void)state;
    float_legs(part, &a, &b);
    for (int k = 0; k < 2; k++) {
        const float e[3] = {k ? nextafterf(a, 1) : a, b, 0};
        const float p[3] = {0, k ? nextafterf(a, 1) : a, b};
        const bed_constraint c = hinge(high, low, e), d = hinge(p, up, one), f = hinge(up, p, one);
        assert_true(has_angle(&c) == (k == 1));
        assert_true(has_angle(&d) == (k == 1));
        assert_true(has_angle(&f) == (k == 1));
    }
}

static void test_measure_is_lost_at_its_limits(void **state)
{
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of(XPBD_BEND_DIHEDRAL);
    const float flat = 0;
    double a, b, s, t, C, g[4][3];
    (void)state;
    double_legs((double)part, &a, &b);
    double_legs((double)part * (1 + (double)part), &s, &t);
    for (int k = 0; k < 2; k++) {
        const double e = k ? nextafter(a, 1) : a, h = k ? nextafter(s, 1) : s;
        const double hinges[][4][3] = {{{0, 0.5, 0.5}, {0, -0.5, 0.5}, {0}, {e, b, 0}},
                                       {{0, h, t}, {0, 0, 1}, {0}, {1, 0, 0}},
                                       {{0, 0, 1}, {0, h, t}, {0}, {1, 0, 0}}};
        for (int i = 0; i < 3; i++)
            assert_true(ops->measure(hinges[i], &flat, &C, g) == (k == 1));
    }
}

/* Folded onto itself is half a turn to one side, never to the other, whatever sign zeros have. */
static void test_folded_is_on_one_side(void **state)
{
    static const double z[] = {0.0, -0.0};
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of(XPBD_BEND_DIHEDRAL);
    const float flat = 0;
    (void)state;
    for (int k = 0; k < 16; k++) {
        const double y = k & 4 ? -1 : 1;
        const double x[4][3] = {
            {0.5, y, z[k & 1]}, {0.5, y, z[k / 2 % 2]}, {0}, {k & 8 ? -1 : 1, 0, 0}};
        double C, g[4][3];
        assert_true(ops->measure(x, &flat, &C, g));
        assert_near(C, 3.14159265358979323846, 0);
    }
}

/* A flat hinge, all pinned, of compliance 1: lambda is -C, the short way round; and of half a turn
 * to either side C is pi. */
static void test_the_kernel_turns_the_short_way(void **state)
{
    static const float pi = 0x1.921fb6p+1f, e[3] = {1, 0, 0}, p[3] = {0.5f, 1, 0};
    static const float flat[3] = {0.5f, -1, 0}, up[3] = {0.5f, 0, 1};
    (void)state;
    for (int k = -8; k <= 8; k++) {
        bed_constraint c = hinge(p, flat, e), d = hinge(p, up, e);
        memset(c.inverse_mass, 0, sizeof c.inverse_mass);
        memset(d.inverse_mass, 0, sizeof d.inverse_mass);
        c.rest[0] = d.rest[0] = (float)k / 8 * pi;
        const float got = project(XPBD_BEND_DIHEDRAL, XPBD_VARIANT_FIRST, &c).lambda[0];
        assert_near(got, k == 8 || k == -8 ? -(double)pi : (double)c.rest[0], 0);
        double C, g[4][3];
        assert_true(bed_measure(XPBD_BEND_DIHEDRAL, d.x, d.rest, &C, g));
        const float turned = project(XPBD_BEND_DIHEDRAL, XPBD_VARIANT_FIRST, &d).lambda[0];
        if (fabs(C) < 3.1)
            assert_near(turned, -C, 1e-6);
    }
}

/* All pinned: what is divided by is alpha alone, and nothing by the least normal number. */
static void test_the_least_denominator(void **state)
{
    static const xpbd_constraint_type types[] = {XPBD_BEND_ANGLE, XPBD_BEND_ISOMETRIC,
                                                 XPBD_BEND_DIHEDRAL};
    (void)state;
    for (uint32_t i = 0; i < 2 * COUNT_OF(types); i++) {
        uint64_t seed = 3;
        const uint32_t type = types[i / 2];
        bed_constraint c = bed_make(type, 0.1, &seed);
        memset(c.inverse_mass, 0, sizeof c.inverse_mass);
        c.compliance = i % 2 ? nextafterf(FLT_MIN, 1) : FLT_MIN;
        const bed_result r = project(type, XPBD_VARIANT_FIRST, &c);
        double C[3], g[12][3];
        assert_true(bed_measure(type, (const float(*)[3])c.x, c.rest, C, g));
        for (uint32_t row = 0; row < xpbd_constraint_type_info(type)->n_rows; row++) {
            const double want = i % 2 ? -C[row] / (double)c.compliance : 0;
            assert_near(r.lambda[row], want, 1e-4 / (double)FLT_MIN * (i % 2));
        }
    }
}

/* A bent line that is all but straight has lost its direction, and is not damped either: c is y. */
static void test_a_lost_direction_stays(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const float y = k % 2 ? nextafterf(1e-6f, 1) : 1e-6f;
        const bed_constraint c = {.x = {{0}, {1, 0, 0}, {2, y, 0}},
                                  .inverse_mass = {1, 1, 1},
                                  .rest = {1, 1, 1},
                                  .damping = 1};
        const bed_result r =
            project(XPBD_BEND_ANGLE,
                    k < 2 ? XPBD_VARIANT_FIRST : XPBD_VARIANT_FIRST | XPBD_VARIANT_DAMPED, &c);
        /* -(c - 1) / (1 + 4 + 1), and with damping -(c - 1 + c) / 12 */
        assert_near(r.lambda[1],
                    k % 2 == 0 ? 0
                    : k < 2    ? 1.0 / 6
                               : 1.0 / 12,
                    k % 2 == 0 ? 0 : 1e-6);
        assert_near(r.lambda[0], 0, 0);
    }
}

/* What positions of 1 m round away, four times over, is no bend: 4 2^-23 (2 + 1) 1; and of 2 m, on
 * either side of the origin, twice that. */
static void test_flat_is_flat(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const float least = 12 * FLT_EPSILON, y = k ? nextafterf(least, 1) : least;
        const float x[3][3] = {{-1, 0, 0}, {0, 0, 0}, {1, y, 0}};
        float rest[3];
        xpbd_constraint_ops_of(XPBD_BEND_ANGLE)->rest_of(x, rest);
        assert_true(rest[0] == 1 && rest[1] == 1 && rest[2] == (k ? y : 0));
        for (int sign = -1; sign <= 1; sign += 2) {
            const float s = (float)sign, far[3][3] = {{0}, {s, 0, 0}, {2 * s, s * 2 * y, 0}};
            xpbd_constraint_ops_of(XPBD_BEND_ANGLE)->rest_of(far, rest);
            assert_true(rest[2] == (k ? 2 * y : 0));
        }
    }
}

/* Rest data of 0.1 mm and of 8 km have the same digits. */
static void test_rest_data_have_no_scale(void **state)
{
    static const xpbd_constraint_type types[] = {XPBD_BEND_ANGLE, XPBD_BEND_ISOMETRIC,
                                                 XPBD_BEND_DIHEDRAL};
    static const float x[4][3] = {{0, 1, 0}, {1, -1, 2e-4f}, {0}, {1, 0, 1e-4f}};
    static const int power[3][4] = {{1, 1, 0, 0}, {-1, -1, -1, 0}, {0, 0, 0, 0}};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        for (int size = -13; size <= 13; size += 13) {
            const xpbd_constraint_ops *ops = xpbd_constraint_ops_of(types[i]);
            float scaled[4][3], rest[4] = {0}, got[4] = {0};
            for (int k = 0; k < 12; k++)
                scaled[k / 3][k % 3] = ldexpf(x[k / 3][k % 3], size);
            ops->rest_of(x, rest);
            ops->rest_of((const float(*)[3])scaled, got);
            const uint32_t n = xpbd_constraint_type_info(types[i])->n_rest;
            for (uint32_t k = 0; k < n; k++)
                assert_true(got[k] == ldexpf(rest[k], size * power[i][k]));
            assert_true(rest[n - 1] > 0 || rest[n - 1] < 0);
        }
    }
}

static double distance(const float *a, const float *b)
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    return sqrt(square);
}

/* From lengths alone: the cotangent of the angle at b is (ab^2 + bc^2 - ac^2) / (4 area), and the
 * area is Heron's. */
static double cotangent(const float *a, const float *b, const float *c, double *area)
{
    const double x = distance(a, b), y = distance(b, c), z = distance(c, a), s = (x + y + z) / 2;
    *area = sqrt(s * (s - x) * (s - y) * (s - z));
    return (x * x + y * y - z * z) / (4 * *area);
}

static void test_isometric_rest_data_are_cotangents(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (int run = 0; run < 50; run++) {
        const bed_constraint c = bed_make(XPBD_BEND_ISOMETRIC, 1, &seed);
        const float(*x)[3] = c.x;
        float rest[4];
        double A0, A1;
        xpbd_constraint_ops_of(XPBD_BEND_ISOMETRIC)->rest_of(x, rest);
        const double at_2 = cotangent(x[0], x[2], x[3], &A0),
                     at_3 = cotangent(x[0], x[3], x[2], &A0);
        const double to_2 = cotangent(x[1], x[2], x[3], &A1),
                     to_3 = cotangent(x[1], x[3], x[2], &A1);
        const double scale = sqrt(3 / (A0 + A1));
        assert_near(rest[0], -scale * (to_2 + to_3), 1e-5);
        assert_near(rest[1], scale * (at_3 + to_3), 1e-5);
        assert_near(rest[2], scale * (at_2 + to_2), 1e-5);
        const double K[4] = {-scale * (at_2 + at_3), -scale * (to_2 + to_3), scale * (at_3 + to_3),
                             scale * (at_2 + to_2)};
        double square = 0;
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int i = 0; i < 4; i++)
                sum += K[i] * (double)x[i][k];
            square += sum * sum;
        }
        assert_near(rest[3], sqrt(square), 1e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wings_have_a_least_height),
        cmocka_unit_test(test_hinges_have_a_least_size),
        cmocka_unit_test(test_kernel_is_lost_at_its_limits),
        cmocka_unit_test(test_measure_is_lost_at_its_limits),
        cmocka_unit_test(test_folded_is_on_one_side),
        cmocka_unit_test(test_the_kernel_turns_the_short_way),
        cmocka_unit_test(test_the_least_denominator),
        cmocka_unit_test(test_a_lost_direction_stays),
        cmocka_unit_test(test_flat_is_flat),
        cmocka_unit_test(test_rest_data_have_no_scale),
        cmocka_unit_test(test_isometric_rest_data_are_cotangents),
    };
    return RUN_GROUP("bending_limits", tests);
}
