/* SPDX-License-Identifier: MIT
 *
 * Every type of one element in all variants: with lambda from iterations before, damping against
 * where the substep began, stiffness, and corrections that are left for Jacobi. What is expected is
 * [XPBD16] eq. 18 and 26, solved in double precision from the type's description:
 *
 *     ((1 + gamma) sum w g g^T + alpha~) d_lambda = -C - alpha~ lambda - gamma g (x - x^n)
 */
#include "tests/kernel_bed.h"
#include "tests/support.h"

#include <math.h>

typedef struct rows {
    uint32_t n, corners;
    double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
    double A[XPBD_ROWS_MAX][XPBD_ROWS_MAX], r[XPBD_ROWS_MAX];
} rows;

/* The elements enlarge the diagonal of what they solve, see ELEMENT_RIDGE. */
static double ridge_of(uint32_t type)
{
    const bool has = type == XPBD_TRI_FEM || type == XPBD_TET_STVK || type == XPBD_TET_NEO_HOOKEAN;
    return has ? 1.0 + 0x1p-14 : 1.0;
}

static void compliance_of(uint32_t type, const float *rest, double *matrix)
{
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of((xpbd_constraint_type)type);
    const uint32_t n = xpbd_constraint_type_info((xpbd_constraint_type)type)->n_rows;
    memset(matrix, 0, XPBD_ROWS_MAX * XPBD_ROWS_MAX * sizeof *matrix);
    for (uint32_t k = 0; k < n; k++) {
        matrix[k * n + k] = 1.0;
    }
    if (ops->compliance) {
        ops->compliance(rest, matrix);
    }
}

/* What the diagonal of an element's row is at least, see ELEMENT_FLOOR: a 1024th of what it is in
 * the rest pose; of C_D, which has no gradient there, that of C_H; of a volume see tet_volume. */
static void floors_of(uint32_t type, const bed_constraint *c, double floors[XPBD_ROWS_MAX])
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    const uint32_t n = info->n_particles, width = type == XPBD_TRI_FEM ? 2 : 3;
    double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
    float x[XPBD_CORNERS_MAX][3] = {{0}};
    memset(floors, 0, XPBD_ROWS_MAX * sizeof *floors);
    for (uint32_t k = 0; k < n && type == XPBD_TET_VOLUME; k++) {
        floors[0] += (double)c->inverse_mass[k] * pow(fabs((double)c->rest[0]), 4.0 / 3.0) / 1024.0;
    }
    if (ridge_of(type) <= 1.0) {
        return;
    }
    for (uint32_t k = 0; k < width * width; k++) {
        x[1 + k / width][k % width] = c->rest[k];
    }
    bed_measure(type, (const float(*)[3])x, c->rest, C, g);
    for (uint32_t i = 0; i < info->n_rows; i++) {
        const uint32_t row = type == XPBD_TET_NEO_HOOKEAN ? 1 : i;
        for (uint32_t k = 0; k < 3 * n; k++) {
            const double slope = g[row * n + k / 3][k % 3];
            floors[i] += (double)c->inverse_mass[k / 3] * slope * slope / 1024.0;
        }
    }
}

/* A d_lambda = r of one constraint. */
static void set_up(uint32_t type, const bed_constraint *c, const double *lambda, double gamma,
                   rows *s)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    const double alpha = (double)c->compliance * (double)bed_pass().inverse_dt2;
    double S[XPBD_ROWS_MAX * XPBD_ROWS_MAX], floors[XPBD_ROWS_MAX];
    s->n = info->n_rows;
    s->corners = info->n_particles;
    assert_true(bed_measure(type, c->x, c->rest, s->C, s->g));
    compliance_of(type, c->rest, S);
    floors_of(type, c, floors);
    for (uint32_t i = 0; i < s->n; i++) {
        s->r[i] = -s->C[i];
        for (uint32_t k = 0; k < 3 * s->corners; k++) {
            s->r[i] -= gamma * s->g[i * s->corners + k / 3][k % 3] *
                       ((double)c->x[k / 3][k % 3] - (double)c->previous[k / 3][k % 3]);
        }
        for (uint32_t j = 0; j < s->n; j++) {
            double sum = 0.0;
            for (uint32_t k = 0; k < 3 * s->corners; k++) {
                sum += (double)c->inverse_mass[k / 3] * s->g[i * s->corners + k / 3][k % 3] *
                       s->g[j * s->corners + k / 3][k % 3];
            }
            s->r[i] -= alpha * S[i * s->n + j] * lambda[j];
            sum = i == j ? ridge_of(type) * fmax(sum, floors[i]) : sum;
            s->A[i][j] = (1.0 + gamma) * sum + alpha * S[i * s->n + j];
        }
    }
}

/* Gauss's elimination; the matrix is positive definite. */
static void solve(rows *s)
{
    for (uint32_t k = 0; k < s->n; k++) {
        for (uint32_t i = k + 1; i < s->n; i++) {
            const double l = s->A[i][k] / s->A[k][k];
            for (uint32_t j = k; j < s->n; j++) {
                s->A[i][j] -= l * s->A[k][j];
            }
            s->r[i] -= l * s->r[k];
        }
    }
    for (uint32_t k = s->n; k-- > 0;) {
        for (uint32_t j = k + 1; j < s->n; j++) {
            s->r[k] -= s->A[k][j] * s->r[j];
        }
        s->r[k] /= s->A[k][k];
    }
}

/* d_lambda of all rows. One that has but one side holds where that leaves lambda with its sign, and
 * if it is damped, would without damping as well; else it takes back what it gave. */
static void expect(uint32_t type, const bed_constraint *c, const double *lambda, unsigned variant,
                   rows *s)
{
    const int side = xpbd_constraint_ops_of((xpbd_constraint_type)type)->side;
    const double k = variant & XPBD_VARIANT_STIFF ? (double)c->stiffness : 1.0;
    double undamped = side;
    if (side && variant & XPBD_VARIANT_DAMPED) {
        set_up(type, c, lambda, 0.0, s);
        solve(s);
        undamped = lambda[0] + s->r[0];
    }
    const double gamma = (double)c->damping * (double)bed_pass().inverse_dt;
    set_up(type, c, lambda, variant & XPBD_VARIANT_DAMPED ? gamma : 0.0, s);
    solve(s);
    for (uint32_t row = 0; row < s->n; row++) {
        s->r[row] *= k;
    }
    if (side && !(side * (lambda[0] + s->r[0]) > 0.0 && side * undamped > 0.0)) {
        s->r[0] = -lambda[0];
    }
}

/* Floats solve systems of up to six rows, whose condition is some 100: errors of some 1e-5 of the
 * largest d_lambda. Moving by what they found is as exact as in test_kernels.c. */
static void check(uint32_t type, unsigned variant, double tolerance, const bed_constraint *in,
                  const bed_result *out)
{
    const double share = variant & XPBD_VARIANT_ACCUMULATE ? (double)in->share : 1.0;
    const char *name = bed_name(type, XPBD_ISA_scalar, XPBD_LAYOUT_soa, variant);
    double lambda[XPBD_ROWS_MAX], most = 0.02;
    rows s;
    for (int row = 0; row < XPBD_ROWS_MAX; row++) {
        lambda[row] = variant & XPBD_VARIANT_FIRST ? 0.0 : (double)in->lambda[row];
    }
    expect(type, in, lambda, variant, &s);
    for (uint32_t row = 0; row < s.n; row++) {
        most = fmax(most, fabs(s.r[row]) + fabs(lambda[row]));
    }
    for (uint32_t row = 0; row < s.n; row++) {
        const double got = ((double)out->lambda[row] - lambda[row]) / share;
        if (!(fabs(got - s.r[row]) <= tolerance * most)) {
            fail_msg("%s, row %u: lambda by %.9g instead of %.9g", name, row, got, s.r[row]);
        }
        s.r[row] = got;
    }
    for (uint32_t k = 0; k < 3 * s.corners; k++) {
        const double x = (double)in->x[k / 3][k % 3];
        double want = 0.0, size = fmax(1.0, most);
        for (uint32_t row = 0; row < s.n; row++) {
            const double term =
                (double)in->inverse_mass[k / 3] * s.g[row * s.corners + k / 3][k % 3] * s.r[row];
            want += term;
            size = fmax(size, fabs(term));
        }
        const double moved = (double)out->x[k / 3][k % 3] - x;
        const double left = (double)out->correction[k / 3][k % 3];
        const bool leaves = variant & XPBD_VARIANT_ACCUMULATE;
        if (!(fabs((leaves ? left : moved) - want) <= 5e-6 * size) ||
            !(fabs(leaves ? moved : left) <= 0.0)) {
            fail_msg("%s, corner %u: moved by %.9g, left %.9g, instead of %.9g", name, k / 3, moved,
                     left, want);
        }
    }
}

/* A pose with a material; of what bends by a vector a flat one, as a curved one steps along other
 * gradients (curvature.h) and has tests of its own. */
static bed_constraint make(uint32_t type, uint64_t *seed)
{
    bed_constraint c = bed_make(type, 0.5, seed);
    const int side = xpbd_constraint_ops_of((xpbd_constraint_type)type)->side;
    if (type == XPBD_BEND_ANGLE || type == XPBD_BEND_ISOMETRIC) {
        c.rest[xpbd_constraint_type_info((xpbd_constraint_type)type)->n_rest - 1] = 0.0f;
    }
    if (type == XPBD_TRI_FEM) { /* warp and weft anywhere, and of any cloth */
        const double angle = bed_random(seed, 0.0, 6.0), u = cos(angle), v = sin(angle);
        for (int k = 0; k < 4; k += 2) {
            const double a = (double)c.rest[k], b = (double)c.rest[k + 1];
            c.rest[k] = (float)(u * a - v * b);
            c.rest[k + 1] = (float)(v * a + u * b);
        }
        for (int k = 4; k < 7; k++) {
            c.rest[k] = (float)bed_random(seed, 0.2, 0.9);
        }
    }
    if (type == XPBD_TET_STVK || type == XPBD_TET_NEO_HOOKEAN) {
        c.rest[9] = (float)bed_random(seed, 0.1, 0.45);
    }
    c.lambda[0] = side ? (float)side * fabsf(c.lambda[0]) : c.lambda[0];
    return c;
}

/* Free or with a pinned corner, compliant or not, from many poses. */
static void test_all_variants_solve_their_equation(void **state)
{
    const xpbd_pass pass = bed_pass();
    (void)state;
    BED_EACH_TYPE(type)
    {
        const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
        uint64_t seed = 13;
        for (unsigned variant = 0; variant < XPBD_VARIANT_COUNT; variant++) {
            bed_constraint in[BED_LANES];
            bed_result out[BED_LANES];
            for (uint32_t lane = 0; lane < BED_LANES; lane++) {
                in[lane] = make(type, &seed);
                if (lane % 4 == 1 && info->n_particles > 1) {
                    in[lane].inverse_mass[lane / 4 % info->n_particles] = 0.0f;
                }
                if (lane % 5 == 2) {
                    in[lane].compliance = 0.0f;
                }
            }
            bed_run(type, XPBD_ISA_scalar, XPBD_LAYOUT_soa, variant, &pass, in, out);
            for (uint32_t lane = 0; lane < BED_LANES; lane++) {
                check(type, variant, 2e-5, &in[lane], &out[lane]);
            }
        }
    }
}

/* Elements crushed to a thousandth, onto a plane, a line or a point, where floors stand in for
 * gradients. No damping: elements differ in whether it counts before or after the floor. */
static void test_crushed_elements_have_floors(void **state)
{
    static const uint32_t types[] = {XPBD_TRI_FEM, XPBD_TET_VOLUME, XPBD_TET_STVK,
                                     XPBD_TET_NEO_HOOKEAN};
    const xpbd_pass pass = bed_pass();
    (void)state;
    for (uint32_t i = 0; i < 10 * COUNT_OF(types); i++) {
        const uint32_t type = types[i / 10];
        const unsigned variant = i % 2 ? XPBD_VARIANT_FIRST : 0;
        /* C_D vanishes in a point, too: some 1e-7 of rounding is its square there. */
        const float thin = type == XPBD_TET_NEO_HOOKEAN && i % 10 >= 8 ? 0.03f : 1e-3f;
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        uint64_t seed = 19;
        for (uint32_t lane = 0; lane < BED_LANES; lane++) {
            in[lane] = make(type, &seed);
            in[lane].compliance = 1e-7f * (float)(1 + lane % 5);
            for (int row = 0; row < XPBD_ROWS_MAX; row++) { /* of the size of what strains get */
                in[lane].lambda[row] *= 500.0f;
            }
            for (uint32_t k = 0; k < 3 * XPBD_CORNERS_MAX; k++) {
                const bool kept = i % 10 < 2 ? k % 3 < 2 : k % 3 == i % 10 / 2 - 1;
                in[lane].x[k / 3][k % 3] *= kept ? 1.0f : thin;
            }
        }
        bed_run(type, XPBD_ISA_scalar, XPBD_LAYOUT_soa, variant, &pass, in, out);
        for (uint32_t lane = 0; lane < BED_LANES; lane++) {
            check(type, variant, 1e-3, &in[lane], &out[lane]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_variants_solve_their_equation),
        cmocka_unit_test(test_crushed_elements_have_floors),
    };
    return RUN_GROUP("kernel_variants", tests);
}
