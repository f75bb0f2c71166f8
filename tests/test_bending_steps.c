/* SPDX-License-Identifier: MIT
 *
 * What one projection of each bending type does, on every instruction set and layout and in every
 * variant: damped, stiff, from a multiplier, or left for gather.c. Against the same formulas in
 * double precision, those of vectors of curvature written here, the angle of a hinge as its
 * description has it.
 */
#include "support.h"

#include "tests/kernel_bed.h"

#include <math.h>

/* What a projection starts from, row by row: C, the rate of it since the substep began, and along
 * which vector each particle moves. */
typedef struct rows {
    uint32_t n, corners;
    double C[3], rate[3], along[3][4][3], weight;
} rows;

static rows hinge_rows(const bed_constraint *c)
{
    rows r = {.n = 1, .corners = 4};
    assert_true(bed_measure(XPBD_BEND_DIHEDRAL, c->x, c->rest, r.C, r.along[0]));
    for (int k = 0; k < 12; k++) {
        const double g = r.along[0][k / 3][k % 3];
        r.weight += (double)c->inverse_mass[k / 3] * g * g;
        r.rate[0] += g * ((double)c->x[k / 3][k % 3] - (double)c->previous[k / 3][k % 3]);
    }
    return r;
}

/* c is the sum of K x. Of a curved rest only the part of its rate along itself counts. */
static rows curvature_rows(xpbd_constraint_type type, const bed_constraint *c)
{
    rows r = {.n = 3, .corners = type == XPBD_BEND_ANGLE ? 3 : 4};
    const double l0 = (double)c->rest[0], l2 = (double)c->rest[1];
    double K[4] = {1 / l0, -(1 / l0 + 1 / l2), 1 / l2, 0}, curvature[3] = {0};
    if (type == XPBD_BEND_ISOMETRIC) {
        for (int k = 1; k < 4; k++)
            K[k] = (double)c->rest[k - 1];
        K[0] = -K[1] - K[2] - K[3];
    }
    for (int k = 0; k < 12; k++) {
        const double x = (double)c->x[k / 3][k % 3];
        curvature[k % 3] += K[k / 3] * x;
        r.rate[k % 3] += K[k / 3] * (x - (double)c->previous[k / 3][k % 3]);
        r.along[k % 3][k / 3][k % 3] = K[k / 3];
        r.weight += k % 3 == 0 ? (double)c->inverse_mass[k / 3] * K[k / 3] * K[k / 3] : 0;
    }
    const double c0 = (double)c->rest[r.corners - 1];
    double square = 0, dot = 0;
    for (int k = 0; k < 3; k++) {
        square += curvature[k] * curvature[k];
        dot += curvature[k] * r.rate[k];
    }
    for (int k = 0; k < 3; k++) {
        r.C[k] = curvature[k] * (1 - c0 / sqrt(square));
        r.rate[k] = c0 > 0 ? dot / square * curvature[k] : r.rate[k];
    }
    return r;
}

static void near(double got, double want, double most, const char *name, int lane)
{
    if (!(fabs(got - want) <= 1e-5 * most))
        fail_msg("%s, lane %d: %.9g instead of %.9g", name, lane, got, want);
}

static void check_lane(const bed_constraint *in, const bed_result *out, const rows *r,
                       unsigned variant, const char *name, int lane)
{
    const bool damped = variant & XPBD_VARIANT_DAMPED, left = variant & XPBD_VARIANT_ACCUMULATE;
    const double alpha = (double)in->compliance * 1e4;
    const double gamma = damped ? (double)in->damping * 1e2 : 0;
    const double denominator = (1 + gamma) * r->weight + alpha;
    double moved[4][3] = {{0}}, most = 1;
    for (uint32_t row = 0; row < r->n; row++) {
        const double lambda = variant & XPBD_VARIANT_FIRST ? 0 : (double)in->lambda[row];
        double step = -(r->C[row] + alpha * lambda + gamma * r->rate[row]) / denominator;
        step *= variant & XPBD_VARIANT_STIFF ? (double)in->stiffness : 1;
        near((double)out->lambda[row], lambda + step * (left ? (double)in->share : 1), 1, name,
             lane);
        for (uint32_t k = 0; k < 12; k++)
            moved[k / 3][k % 3] +=
                (double)in->inverse_mass[k / 3] * r->along[row][k / 3][k % 3] * step;
    }
    for (uint32_t k = 0; k < 3 * r->corners; k++)
        most = fmax(most, fabs(moved[k / 3][k % 3]));
    for (uint32_t k = 0; k < 3 * r->corners; k++) {
        const double was = (double)in->x[k / 3][k % 3], d = moved[k / 3][k % 3];
        near((double)out->x[k / 3][k % 3], left ? was : was + d, left ? 0 : most, name, lane);
        if (left)
            near((double)out->correction[k / 3][k % 3], d, most, name, lane);
    }
}

/* Half of the rests are flat. */
static void check_type(xpbd_constraint_type type, xpbd_isa isa, xpbd_layout layout)
{
    const xpbd_pass pass = bed_pass();
    for (unsigned variant = 0; variant < XPBD_VARIANT_COUNT; variant++) {
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        uint64_t seed = 1 + variant;
        for (int lane = 0; lane < BED_LANES; lane++) {
            in[lane] = bed_make(type, 0.5, &seed);
            if (lane % 2)
                in[lane].rest[type == XPBD_BEND_ANGLE       ? 2
                              : type == XPBD_BEND_ISOMETRIC ? 3
                                                            : 0] = 0;
        }
        bed_run(type, isa, layout, variant, &pass, in, out);
        for (int lane = 0; lane < BED_LANES; lane++) {
            const rows r = type == XPBD_BEND_DIHEDRAL ? hinge_rows(&in[lane])
                                                      : curvature_rows(type, &in[lane]);
            check_lane(&in[lane], &out[lane], &r, variant, bed_name(type, isa, layout, variant),
                       lane);
        }
    }
}

static void test_every_variant_takes_its_step(void **state)
{
    static const xpbd_constraint_type types[] = {XPBD_BEND_ANGLE, XPBD_BEND_ISOMETRIC,
                                                 XPBD_BEND_DIHEDRAL};
    (void)state;
    for (uint32_t isa = 0; xpbd_isa_name(isa); isa++) {
        for (uint32_t k = 0; k < 3 * XPBD_LAYOUT_COUNT && xpbd_isa_available(isa); k++)
            check_type(types[k % 3], (xpbd_isa)isa, (xpbd_layout)(k / 3));
    }
}

/* Folded onto itself, with wings of heights 1 and 5/4 that can hardly move: what the hinge weighs
 * is a part of (1 - 4/5)^2, and its step is that of a sixteenth of all masses in the higher wing's
 * tip, in whatever order they come. */
static void test_a_folded_hinge_has_a_floor(void **state)
{
    static const float light[][4] = {
        {0, 0, 1, 1}, {0.01f, 0, 1, 1}, {0, 0.01f, 1, 1}, {0, 0, 1, 0.5f}, {0, 0, 0.5f, 1}};
    const xpbd_pass pass = bed_pass();
    bed_constraint in[BED_LANES];
    bed_result out[BED_LANES];
    uint64_t seed = 2;
    (void)state;
    for (int lane = 0; lane < BED_LANES; lane++) {
        const double h0 = lane % 2 ? 1.25 : 1;
        bed_constraint *c = &in[lane];
        *c = bed_make(XPBD_BEND_DIHEDRAL, 0, &seed);
        memset(c->x, 0, sizeof c->x);
        c->x[0][0] = c->x[1][0] = 0.5f;
        c->x[0][1] = (float)h0;
        c->x[1][1] = (float)(2.25 - h0);
        c->x[3][0] = 1;
        memcpy(c->inverse_mass, light[(uint32_t)lane % COUNT_OF(light)], sizeof light[0]);
        c->rest[0] = 2.5f;
        c->compliance = 0;
    }
    bed_run(XPBD_BEND_DIHEDRAL, XPBD_ISA_scalar, XPBD_LAYOUT_soa, XPBD_VARIANT_FIRST, &pass, in,
            out);
    for (int lane = 0; lane < BED_LANES; lane++) {
        const float *w = in[lane].inverse_mass;
        const double all = (double)w[0] + (double)w[1] + (double)w[2] + (double)w[3];
        const double want = -(3.14159265358979 - 2.5) / (all / 16 / (1.25 * 1.25));
        assert_near(out[lane].lambda[0], want, 1e-5 * fabs(want));
    }
}

/* At rest and not moving, damping has nothing to brake, to the bit. */
static void test_damping_leaves_what_stands_still(void **state)
{
    const xpbd_pass pass = bed_pass();
    bed_constraint in[BED_LANES];
    bed_result out[BED_LANES];
    uint64_t seed = 3;
    (void)state;
    for (int run = 0; run < 10; run++) {
        for (int lane = 0; lane < BED_LANES; lane++) {
            in[lane] = bed_make(XPBD_BEND_DIHEDRAL, 0, &seed);
            in[lane].damping = 1;
            memcpy(in[lane].previous, in[lane].x, sizeof in[lane].x);
        }
        bed_run(XPBD_BEND_DIHEDRAL, XPBD_ISA_scalar, XPBD_LAYOUT_soa,
                XPBD_VARIANT_FIRST | XPBD_VARIANT_DAMPED, &pass, in, out);
        for (int lane = 0; lane < BED_LANES; lane++)
            assert_near(out[lane].lambda[0], 0, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant_takes_its_step),
        cmocka_unit_test(test_a_folded_hinge_has_a_floor),
        cmocka_unit_test(test_damping_leaves_what_stands_still),
    };
    return RUN_GROUP("bending_steps", tests);
}
