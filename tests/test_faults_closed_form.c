/* SPDX-License-Identifier: MIT
 *
 * One constraint alone, of every type: its first step against the closed form in double precision
 * over all ratios of masses, compliances and time steps; its fixed point, which iterations must
 * not stiffen; bits that scale with length and mass, so that no threshold is absolute; and damping
 * that looks at motion relative to the constraint. Faults known from other engines are named in
 * FORMULAS.md part 3.
 */
#include "tests/kernel_bed.h"
#include "tests/support.h"

#include <math.h>

static const xpbd_constraint_info *info_of(uint32_t type)
{
    return xpbd_constraint_type_info((xpbd_constraint_type)type);
}

static const xpbd_constraint_ops *ops_of(uint32_t type)
{
    return xpbd_constraint_ops_of((xpbd_constraint_type)type);
}

static void run(uint32_t type, unsigned variant, const xpbd_pass *pass, const bed_constraint *in,
                bed_result *out)
{
    bed_run(type, XPBD_ISA_scalar, XPBD_LAYOUT_soa, variant, pass, in, out);
}

static xpbd_pass pass_of(double dt)
{
    return (xpbd_pass){.dt = (float)dt,
                       .inverse_dt = (float)(1.0 / dt),
                       .inverse_dt2 = (float)(1.0 / (dt * dt)),
                       .relaxation = 1.0f};
}

/* alpha~ times the compliance matrix of the type. */
static void alpha_of(uint32_t type, const bed_constraint *c, const xpbd_pass *pass, double *S)
{
    const uint32_t n = info_of(type)->n_rows;
    for (uint32_t k = 0; k < n * n; k++) {
        S[k] = k % (n + 1) == 0 ? 1.0 : 0.0;
    }
    if (ops_of(type)->compliance) {
        ops_of(type)->compliance(c->rest, S);
    }
    for (uint32_t k = 0; k < n * n; k++) {
        S[k] *= (double)c->compliance * (double)pass->inverse_dt2;
    }
}

/* [XPBD16] eq. 18 with lambda 0: lambda = -(sum of w grad C grad C + alpha~)^-1 C by elimination.
 * Returns how much a relative error of the diagonal grows in that: the most that elimination takes
 * of an entry. far: the largest term of dx. */
static double solve(uint32_t type, const bed_constraint *c, const xpbd_pass *pass, double *C,
                    double *lambda, double (*dx)[3], double *far)
{
    const uint32_t n = info_of(type)->n_rows, corners = info_of(type)->n_particles;
    double g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3], A[XPBD_ROWS_MAX * XPBD_ROWS_MAX];
    double diagonal[XPBD_ROWS_MAX], growth = 1.0;
    assert_true(bed_measure(type, (const float(*)[3])c->x, c->rest, C, g));
    alpha_of(type, c, pass, A);
    for (uint32_t k = 0; k < n * n; k++) {
        for (uint32_t p = 0; p < 3 * corners; p++) {
            A[k] += (double)c->inverse_mass[p / 3] * g[k / n * corners + p / 3][p % 3] *
                    g[k % n * corners + p / 3][p % 3];
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        diagonal[k] = A[k * n + k];
        lambda[k] = -C[k];
    }
    for (uint32_t k = 0; k < n; k++) {
        growth = fmax(growth, diagonal[k] / A[k * n + k]);
        for (uint32_t i = k + 1; i < n; i++) {
            const double factor = A[i * n + k] / A[k * n + k];
            lambda[i] -= factor * lambda[k];
            for (uint32_t j = k; j < n; j++) {
                A[i * n + j] -= factor * A[k * n + j];
            }
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; j++) {
            lambda[k] -= A[k * n + j] * lambda[j];
        }
        lambda[k] /= A[k * n + k];
    }
    const int side = ops_of(type)->side;
    if (side != 0 && side * lambda[0] < 0.0) {
        lambda[0] = 0.0;
    }
    for (uint32_t p = 0; p < 3 * corners; p++) {
        dx[p / 3][p % 3] = 0.0;
        for (uint32_t k = 0; k < n; k++) {
            const double term =
                (double)c->inverse_mass[p / 3] * g[k * corners + p / 3][p % 3] * lambda[k];
            dx[p / 3][p % 3] += term;
            *far = fmax(*far, fabs(term));
        }
    }
    return growth;
}

static const float alphas[] = {0.0f, 1e-12f, 1e-3f, 1e12f};
static const double steps[] = {1e-5, 0.01, 0.1};
static const float heavy[] = {1e-6f, 1.0f, 1e6f};

static void check_lane(uint32_t type, const bed_constraint *in, const bed_result *out,
                       const xpbd_pass *pass)
{
    double C[XPBD_ROWS_MAX], lambda[XPBD_ROWS_MAX], dx[XPBD_CORNERS_MAX][3], far = 1.0;
    const double growth = solve(type, in, pass, C, lambda, dx, &far);
    /* Elements enlarge their diagonals by 6e-5 (ELEMENT_RIDGE). */
    const double ridge = ops_of(type)->compliance ? 6.2e-5 : 0.0;
    const double error = 2.0 * growth * (ridge + 4e-6);
    for (uint32_t k = 0; k < 3 * info_of(type)->n_particles; k++) {
        const double got = (double)out->x[k / 3][k % 3] - (double)in->x[k / 3][k % 3];
        assert_true(isfinite(got));
        if (fabs(got - dx[k / 3][k % 3]) > 2e-7 + fmin(error, 1.0) * far) {
            fail_msg("%s, w %g, alpha %g, dt %g: corner %u moves by %.9g, not by %.9g",
                     info_of(type)->name, (double)in->inverse_mass[0], (double)in->compliance,
                     (double)pass->dt, k / 3, got, dx[k / 3][k % 3]);
        }
    }
    for (uint32_t row = 0; row < info_of(type)->n_rows && !ops_of(type)->compliance; row++) {
        double most = 0.0, violation = 0.0;
        for (uint32_t k = 0; k < info_of(type)->n_rows; k++) {
            most = fmax(most, fabs(lambda[k]));
            violation = fmax(violation, fabs(C[k]));
        }
        /* C is a difference of floats of size 1. */
        assert_near(out->lambda[row], lambda[row], most * (1e-5 + 1e-6 / violation));
    }
}

/* FORMULAS 2.5 no. 15: one corner a million times as heavy or as light as the others, alpha from 0
 * to 1e12, substeps from 10 microseconds to 0.1 s. */
static void test_first_step_is_the_closed_form(void **state)
{
    (void)state;
    BED_EACH_TYPE(type)
    {
        uint64_t seed = 11;
        for (uint32_t k = 0; k < COUNT_OF(alphas) * COUNT_OF(steps) * COUNT_OF(heavy); k++) {
            const xpbd_pass pass = pass_of(steps[k % COUNT_OF(steps)]);
            bed_constraint in[BED_LANES];
            bed_result out[BED_LANES];
            for (int lane = 0; lane < BED_LANES; lane++) {
                in[lane] = bed_make(type, 0.1, &seed);
                in[lane].inverse_mass[lane % 4] *= heavy[k / COUNT_OF(steps) % COUNT_OF(heavy)];
                in[lane].compliance = alphas[k / COUNT_OF(steps) / COUNT_OF(heavy)];
            }
            run(type, XPBD_VARIANT_FIRST, &pass, in, out);
            for (int lane = 0; lane < BED_LANES; lane++) {
                check_lane(type, &in[lane], &out[lane], &pass);
            }
        }
    }
}

/* FORMULAS 2.5 no. 15: corners on one spot, two on one, on a line, in a plane, mirrored; exactly or
 * but for 1e-7; with one mass a million times the others or a millionth, damped and not. Over 40
 * iterations nothing becomes infinite or NaN, nothing flies, and what is fixed stays. A step of an
 * element of equal masses is at most some 64 edges long (ELEMENT_RIDGE), so one may be thrown
 * farther on the way, but it is drawn back. */
static void test_degenerate_poses_stay_near(void **state)
{
    static const float shrink[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-1, 1, 1}};
    (void)state;
    BED_EACH_TYPE(type)
    {
        uint64_t seed = 16;
        for (uint32_t k = 0; k < 5 * 2 * COUNT_OF(alphas) * COUNT_OF(steps); k++) {
            const xpbd_pass pass = pass_of(steps[k / 10 % COUNT_OF(steps)]);
            const unsigned damped = k % 2 * XPBD_VARIANT_DAMPED;
            bed_constraint in[BED_LANES], start[BED_LANES];
            bed_result out[BED_LANES];
            for (uint32_t lane = 0; lane < BED_LANES; lane++) {
                bed_constraint *c = &in[lane];
                *c = bed_make(type, 0.3, &seed);
                for (int i = 0; i < 3 * XPBD_CORNERS_MAX; i++) {
                    const double jitter = lane % 2 ? bed_random(&seed, -1e-7, 1e-7) : 0.0;
                    if (k / 2 % 5 < COUNT_OF(shrink)) {
                        c->x[i / 3][i % 3] *= shrink[k / 2 % 5][i % 3];
                    } else if (i < 3) {
                        c->x[0][i] = c->x[lane % 3 + 1][i];
                    }
                    c->x[i / 3][i % 3] += (float)jitter;
                    c->previous[i / 3][i % 3] = c->x[i / 3][i % 3] + (float)jitter;
                }
                c->inverse_mass[lane % 4] *= heavy[lane / 4 % COUNT_OF(heavy)];
                c->inverse_mass[(lane + 1) % 4] *= lane % 5 == 0 ? 0.0f : 1.0f;
                c->compliance = alphas[k / 10 / COUNT_OF(steps)];
            }
            memcpy(start, in, sizeof start);
            for (int time = 0; time < 40; time++) {
                const float far = ops_of(type)->compliance && time < 39 ? 2e4f : 1e3f;
                run(type, time == 0 ? damped + XPBD_VARIANT_FIRST : damped, &pass, in, out);
                for (int lane = 0; lane < BED_LANES; lane++) {
                    memcpy(in[lane].x, out[lane].x, sizeof in[lane].x);
                    memcpy(in[lane].lambda, out[lane].lambda, sizeof in[lane].lambda);
                    for (uint32_t i = 0; i < 3 * info_of(type)->n_particles; i++) {
                        if (!(fabsf(in[lane].x[i / 3][i % 3]) < far)) {
                            fail_msg("%s, pose %u, alpha %g, dt %g, lane %d: corner %u at %g",
                                     info_of(type)->name, k / 2 % 5, (double)in[lane].compliance,
                                     (double)pass.dt, lane, i / 3,
                                     (double)in[lane].x[i / 3][i % 3]);
                        }
                    }
                    for (uint32_t row = 0; row < info_of(type)->n_rows; row++) {
                        assert_true(isfinite(in[lane].lambda[row]));
                    }
                }
            }
            for (int lane = 0; lane < BED_LANES; lane += 5) {
                const uint32_t fixed = (uint32_t)(lane + 1) % 4;
                if (fixed < info_of(type)->n_particles) {
                    assert_same_floats(in[lane].x[fixed], start[lane].x[fixed], 3);
                }
            }
        }
    }
}

/* FORMULAS part 3 no. 1, for every type: iterations lead to C + alpha~ lambda = 0. Where lambda is
 * zeroed in each of them they lead to C = 0. alpha~ is of the size of the weights, so that C stays
 * far from 0. */
static void test_F1_iterations_end_at_the_compliant_solution(void **state)
{
    (void)state;
    BED_EACH_TYPE(type)
    {
        uint64_t seed = 12;
        const xpbd_pass pass = pass_of(0.01);
        const uint32_t n = info_of(type)->n_rows;
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        for (int lane = 0; lane < BED_LANES; lane++) {
            in[lane] = bed_make(type, 0.05, &seed);
            in[lane].compliance = 1e-4f;
        }
        for (unsigned time = 0; time < 60; time++) {
            run(type, time == 0 ? XPBD_VARIANT_FIRST : 0, &pass, in, out);
            for (int lane = 0; lane < BED_LANES; lane++) {
                memcpy(in[lane].x, out[lane].x, sizeof in[lane].x);
                memcpy(in[lane].lambda, out[lane].lambda, sizeof in[lane].lambda);
            }
        }
        double violated = 0.0;
        for (int lane = 0; lane < BED_LANES; lane++) {
            double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
            double S[XPBD_ROWS_MAX * XPBD_ROWS_MAX];
            bed_measure(type, (const float(*)[3])in[lane].x, in[lane].rest, C, g);
            alpha_of(type, &in[lane], &pass, S);
            for (uint32_t row = 0; row < n; row++) {
                double pull = 0.0;
                for (uint32_t k = 0; k < n; k++) {
                    pull += S[row * n + k] * (double)in[lane].lambda[k];
                }
                assert_near(bed_residual(type, C[row] + pull, 0.0, (double)in[lane].lambda[row]),
                            0.0, 3e-6);
                violated = fmax(violated, fabs(C[row]));
            }
        }
        assert_true(violated > 1e-3);
    }
}

/* The power of a metre in each rest value, from its unit in the table. */
static void rest_powers(uint32_t type, int powers[XPBD_REST_MAX])
{
    static const struct {
        const char *unit;
        int power;
    } units[] = {{"m", 1}, {"m^3", 3}, {"1/m", -1}, {"rad", 0}, {"1", 0}};
    char text[512];
    uint32_t n = 0;
    strncpy(text, info_of(type)->rest_text, sizeof text - 1);
    text[sizeof text - 1] = 0;
    for (char *item = strtok(text, ","); item; item = strtok(NULL, ",")) {
        const char *unit = strrchr(item, ' ') + 1;
        uint32_t k = 0;
        while (k < COUNT_OF(units) && strcmp(units[k].unit, unit)) {
            k++;
        }
        assert_true(k < COUNT_OF(units) && n < info_of(type)->n_rest);
        powers[n++] = units[k].power;
    }
    assert_int_equal(n, info_of(type)->n_rest);
}

/* Masses and times stay, so a newton is a metre: m/N has no power of one left. */
static int compliance_power(uint32_t type)
{
    static const struct {
        const char *unit;
        int power;
    } units[] = {{"m/N", 0}, {"rad/(N m)", -2}, {"1/(N m)", -2}, {"m^5/N", 4}, {"m^2/N", 1}};
    for (uint32_t k = 0; k < COUNT_OF(units); k++) {
        if (!strcmp(units[k].unit, info_of(type)->compliance_unit)) {
            return units[k].power;
        }
    }
    fail_msg("%s: unit %s", info_of(type)->name, info_of(type)->compliance_unit);
    return 0;
}

/* FORMULAS part 3 no. 5: in other units of length and mass, powers of two, the same bits. A
 * threshold with a unit shows as soon as it is passed: between metres and micrometres, grams and
 * tons. */
static void test_F5_bits_scale_with_length_and_mass(void **state)
{
    static const int lengths[] = {20, 10, -10, -20}, masses[] = {0, 12, -12, 20};
    (void)state;
    BED_EACH_TYPE(type)
    {
        int powers[XPBD_REST_MAX];
        rest_powers(type, powers);
        for (uint32_t k = 0; k < 2 * COUNT_OF(lengths); k++) {
            uint64_t seed = 13;
            const int length = lengths[k / 2], mass = masses[k / 2];
            const unsigned variant =
                k % 2 ? XPBD_VARIANT_FIRST | XPBD_VARIANT_DAMPED : XPBD_VARIANT_FIRST;
            const xpbd_pass pass = pass_of(0.0625);
            bed_constraint in[BED_LANES], scaled[BED_LANES];
            bed_result want[BED_LANES], got[BED_LANES];
            for (int lane = 0; lane < BED_LANES; lane++) {
                in[lane] = bed_make(type, 0.3, &seed);
                in[lane].compliance = lane % 3 ? in[lane].compliance : 0.0f;
                scaled[lane] = in[lane];
                for (int c = 0; c < 3 * XPBD_CORNERS_MAX; c++) {
                    float *x = &scaled[lane].x[c / 3][c % 3];
                    float *previous = &scaled[lane].previous[c / 3][c % 3];
                    *x = ldexpf(*x, length);
                    *previous = ldexpf(*previous, length);
                }
                for (int c = 0; c < XPBD_CORNERS_MAX; c++) {
                    scaled[lane].inverse_mass[c] = ldexpf(in[lane].inverse_mass[c], -mass);
                }
                for (uint32_t r = 0; r < info_of(type)->n_rest; r++) {
                    scaled[lane].rest[r] = ldexpf(in[lane].rest[r], powers[r] * length);
                }
                scaled[lane].compliance =
                    ldexpf(in[lane].compliance, compliance_power(type) * length - mass);
            }
            run(type, variant, &pass, in, want);
            run(type, variant, &pass, scaled, got);
            for (int lane = 0; lane < BED_LANES; lane++) {
                for (uint32_t c = 0; c < 3 * info_of(type)->n_particles; c++) {
                    const float x = ldexpf(got[lane].x[c / 3][c % 3], -length);
                    if (memcmp(&x, &want[lane].x[c / 3][c % 3], sizeof x) != 0) {
                        fail_msg("%s, 2^%d m, 2^%d kg, lane %d: %.9g became %.9g",
                                 info_of(type)->name, length, mass, lane,
                                 (double)want[lane].x[c / 3][c % 3], (double)x);
                    }
                }
            }
        }
    }
}

/* FORMULAS part 3 no. 8, for every type: what is computed from differences has the same multipliers
 * 10 km away, to the bit. Coordinates are multiples of 1/64 here, so that they are floats there. */
static void test_F8_multipliers_are_the_same_far_away(void **state)
{
    static const float far[3] = {8192, -8192, 4096};
    (void)state;
    BED_EACH_TYPE(type)
    {
        uint64_t seed = 15;
        const xpbd_pass pass = pass_of(0.01);
        bed_constraint in[BED_LANES], away[BED_LANES];
        bed_result want[BED_LANES], got[BED_LANES];
        for (int lane = 0; lane < BED_LANES; lane++) {
            in[lane] = bed_make(type, 0.3, &seed);
            for (int c = 0; c < 3 * XPBD_CORNERS_MAX; c++) {
                float *x = &in[lane].x[c / 3][c % 3], *previous = &in[lane].previous[c / 3][c % 3];
                *x = (float)(int)(64.0f * *x) / 64.0f;
                *previous = (float)(int)(64.0f * *previous) / 64.0f;
            }
            for (int c = 0; c < 3 && type == XPBD_ATTACH; c++) {
                in[lane].rest[c] = (float)(int)(64.0f * in[lane].rest[c]) / 64.0f;
            }
            away[lane] = in[lane];
            for (int c = 0; c < 3 * XPBD_CORNERS_MAX; c++) {
                away[lane].x[c / 3][c % 3] += far[c % 3];
                away[lane].previous[c / 3][c % 3] += far[c % 3];
            }
            for (int c = 0; c < 3 && type == XPBD_ATTACH; c++) {
                away[lane].rest[c] += far[c];
            }
        }
        run(type, XPBD_VARIANT_FIRST | XPBD_VARIANT_DAMPED, &pass, in, want);
        run(type, XPBD_VARIANT_FIRST | XPBD_VARIANT_DAMPED, &pass, away, got);
        for (int lane = 0; lane < BED_LANES; lane++) {
            assert_same_floats(got[lane].lambda, want[lane].lambda, info_of(type)->n_rows);
        }
    }
}

/* N18 for every type that holds particles to each other: a substep that has only carried a
 * constraint at rest to another place gives damping nothing to do. The way is a multiple of 1/64,
 * as are the poses of types that round; of others a coordinate loses half an ulp to it, 2^-24, and
 * an element two of them over an edge. */
static void test_N18_damping_does_not_see_translation(void **state)
{
    static const float way[3] = {1.0f, -0.5f, 2.25f};
    (void)state;
    BED_EACH_TYPE(type)
    {
        if (type == XPBD_ATTACH) {
            continue; /* holds to a place */
        }
        uint64_t seed = 14;
        const xpbd_pass pass = pass_of(0.01);
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        for (int lane = 0; lane < BED_LANES; lane++) {
            in[lane] = bed_make(type, 0.0, &seed);
            in[lane].damping = 1e3f;
            for (int c = 0; c < 3 * XPBD_CORNERS_MAX; c++) {
                in[lane].previous[c / 3][c % 3] = in[lane].x[c / 3][c % 3] - way[c % 3];
            }
        }
        run(type, XPBD_VARIANT_FIRST | XPBD_VARIANT_DAMPED, &pass, in, out);
        for (int lane = 0; lane < BED_LANES; lane++) {
            for (uint32_t c = 0; c < 3 * info_of(type)->n_particles; c++) {
                assert_near(out[lane].x[c / 3][c % 3], in[lane].x[c / 3][c % 3], 3e-6);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_step_is_the_closed_form),
        cmocka_unit_test(test_degenerate_poses_stay_near),
        cmocka_unit_test(test_F1_iterations_end_at_the_compliant_solution),
        cmocka_unit_test(test_F5_bits_scale_with_length_and_mass),
        cmocka_unit_test(test_F8_multipliers_are_the_same_far_away),
        cmocka_unit_test(test_N18_damping_does_not_see_translation),
    };
    return RUN_GROUP("faults_closed_form", tests);
}
