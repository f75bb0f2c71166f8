/* SPDX-License-Identifier: MIT
 *
 * Tetrahedra in trouble: inverted, collapsed, flat, tiny, listed the other way round; and the step
 * of a volume, which other engines have six times too short.
 */
#include "tests/support.h"
#include "tests/tet_bed.h"

#include <float.h>
#include <math.h>

static const uint32_t corners[4] = {0, 1, 2, 3}, turned[4] = {0, 1, 3, 2};

/* Newton's step for alpha 0 is -C w grad C / sum w |grad C|^2, with central differences of V. One
 * with six times the gradient goes a sixth of the way. */
static void test_volume_step_is_newtons(void **state)
{
    static const double F[3][3] = {{1.2, 0.1, 0}, {0, 0.9, 0.2}, {0.1, 0, 1.1}};
    (void)state;
    bed_constraint in[BED_LANES];
    bed_result out[BED_LANES];
    place(XPBD_TET_VOLUME, F, 1.0, in);
    project(XPBD_TET_VOLUME, in, out);
    double g[12], square = 0.0;
    for (int k = 0; k < 12; k++) {
        float up[4][3], down[4][3];
        memcpy(up, in[0].x, sizeof up);
        memcpy(down, in[0].x, sizeof down);
        up[k / 3][k % 3] += 0.125f;
        down[k / 3][k % 3] -= 0.125f;
        g[k] = (volume_of((const float(*)[3])up) - volume_of((const float(*)[3])down)) /
               ((double)up[k / 3][k % 3] - (double)down[k / 3][k % 3]);
        square += g[k] * g[k];
    }
    const double C = volume_of((const float(*)[3])in[0].x) - 1.0 / 6.0;
    for (int k = 0; k < 12; k++) {
        const double x = (double)in[0].x[k / 3][k % 3];
        assert_near((double)out[0].x[k / 3][k % 3], x - C * g[k] / square, 1e-6);
    }
}

/* Poses of -V0, of much less, and one that a |V| would call too large. */
static void test_inverted_volume_comes_back(void **state)
{
    static const double mirrored[][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}},
                                            {{1, 0, 0}, {0, 1, 0}, {0, 0, -8}},
                                            {{1, 0, 0}, {0, 1, 0}, {0, 0, -0.01}}};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(mirrored); i++) {
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        place(XPBD_TET_VOLUME, mirrored[i], 1.0, in);
        double before = volume_of((const float(*)[3])in[0].x);
        for (int time = 0; time < 30; time++) {
            project(XPBD_TET_VOLUME, in, out);
            const double after = volume_of((const float(*)[3])out[0].x);
            assert_true(after > before || before > 1.0 / 6.0 - 1e-6);
            before = after;
            memcpy(in[0].x, out[0].x, sizeof out[0].x);
        }
        assert_near(before, 1.0 / 6.0, 1e-6);
    }
}

/* In millimetres and micrometres sum w |grad C|^2 is 1e-13 and 1e-25: nothing may take that for
 * none. */
static void test_small_meshes_work(void **state)
{
    static const uint32_t types[] = {XPBD_TET_VOLUME, XPBD_TET_NEO_HOOKEAN, XPBD_TET_STVK};
    static const double sizes[] = {1e3, 1.0, 1e-3, 1e-6};
    static const double F[3][3] = {{1.2, 0.1, 0}, {0, 0.9, 0.2}, {0.1, 0, 1.1}};
    (void)state;
    for (uint32_t t = 0; t < COUNT_OF(types); t++) {
        for (uint32_t i = 0; i < COUNT_OF(sizes); i++) {
            bed_constraint in[BED_LANES];
            bed_result out[BED_LANES];
            place(types[t], F, sizes[i], in);
            for (int time = 0; time < 30; time++) {
                project(types[t], in, out);
                memcpy(in[0].x, out[0].x, sizeof out[0].x);
            }
            const double cube = sizes[i] * sizes[i] * sizes[i];
            assert_near(volume_of((const float(*)[3])out[0].x) / cube, 1.0 / 6.0, 1e-5);
        }
    }
}

/* Corners near a line, where Newton's step of a volume is 1e5 long, and near a plane, where that of
 * a strain is. They come back. */
static void test_needles_and_wafers_stay_near(void **state)
{
    static const double poses[][3][3] = {{{1, 0.7, 0.3}, {0, 1e-6, 0}, {0, 0, 1e-6}},
                                         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1e-6}}};
    static const uint32_t types[] = {XPBD_TET_VOLUME, XPBD_TET_NEO_HOOKEAN, XPBD_TET_STVK};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(poses) * COUNT_OF(types); i++) {
        const uint32_t type = types[i / COUNT_OF(poses)];
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        place(type, poses[i % COUNT_OF(poses)], 1.0, in);
        for (int time = 0; time < 200; time++) {
            project(type, in, out);
            for (int k = 0; k < 12; k++) {
                assert_below(fabs((double)out[0].x[k / 3][k % 3]), 100.0);
            }
            memcpy(in[0].x, out[0].x, sizeof out[0].x);
        }
        assert_near(volume_of((const float(*)[3])out[0].x), 1.0 / 6.0, 1e-5);
    }
}

/* Corners on a line up to rounding, all free or three of them pinned: strains want of three
 * directions what can not be. Whatever they settle on, nothing may fly: a
 * step is at most 64 times a strain of 5 or so. */
static void test_contradicting_strains_stay_near(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 200; i++) {
        const uint32_t type = i < 100 ? XPBD_TET_STVK : XPBD_TET_NEO_HOOKEAN;
        double F[3][3];
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        for (int k = 0; k < 9; k++) {
            F[k / 3][k % 3] = bed_random(&seed, -1.0, 1.0) * (i % 2 == 0 && k >= 3 ? 1e-7 : 1.0);
        }
        place(type, F, 1.0, in);
        for (int k = 0; k < 3 && i % 2 == 1; k++) {
            in[0].inverse_mass[k] = 0.0f;
        }
        for (int time = 0; time < 20; time++) {
            project(type, in, out);
            for (int k = 0; k < 12; k++) {
                assert_below(fabs((double)out[0].x[k / 3][k % 3]), 400.0);
            }
            memcpy(in[0].x, out[0].x, sizeof out[0].x);
        }
    }
}

/* Mirrored, flattened and crushed neo-Hookean elements at compliance 0. */
static void test_neo_hookean_comes_back(void **state)
{
    static const double poses[][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}},
                                         {{1, 0.2, 0}, {0, 1, 0.1}, {0, 0, -3}},
                                         {{1, 0, 0.3}, {0, 1, 0.2}, {0, 0, 0}},
                                         {{-1, 0, 0}, {0, -1, 0.1}, {0.1, 0, -1}},
                                         {{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}},
                                         /* where the gradient of C_D vanishes */
                                         {{0.5437, 0, 0}, {0, 0.5437, 0}, {0, 0, 0.5436}}};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(poses); i++) {
        bed_constraint in[BED_LANES];
        bed_result out[BED_LANES];
        place(XPBD_TET_NEO_HOOKEAN, poses[i], 1.0, in);
        double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
        for (int time = 0; time < 200; time++) {
            project(XPBD_TET_NEO_HOOKEAN, in, out);
            memcpy(in[0].x, out[0].x, sizeof out[0].x);
            for (int k = 0; k < 12; k++) {
                assert_below(fabs((double)in[0].x[k / 3][k % 3]), 20.0);
            }
        }
        bed_measure(XPBD_TET_NEO_HOOKEAN, (const float(*)[3])in[0].x, in[0].rest, C, g);
        assert_near(C[0], 0.0, 1e-4);
        assert_near(C[1], 0.0, 1e-4);
    }
}

/** Is there a lambda of C_D at edges (a, b, 0) and two of no length? */
static bool distorts(float a, float b, float inverse_mass, float compliance)
{
    const xpbd_pass pass = {.dt = 1, .inverse_dt = 1, .inverse_dt2 = 1, .relaxation = 1};
    bed_constraint in[BED_LANES];
    bed_result out[BED_LANES];
    uint64_t seed = 1;
    for (int lane = 0; lane < BED_LANES; lane++) {
        in[lane] = bed_make(XPBD_TET_NEO_HOOKEAN, 0.0, &seed);
    }
    in[0] = (bed_constraint){
        .x = {{0}, {a, b, 0}}, .rest = {1, 0, 0, 0, 1, 0, 0, 0, 3, 1}, .compliance = compliance};
    for (int k = 0; k < 4; k++) {
        in[0].inverse_mass[k] = inverse_mass;
    }
    bed_run(XPBD_TET_NEO_HOOKEAN, XPBD_ISA_scalar, XPBD_LAYOUT_soa, XPBD_VARIANT_FIRST, &pass, in,
            out);
    assert_true(isfinite(out[0].lambda[0]));
    return fabsf(out[0].lambda[0]) > 0.0f;
}

/* On a line C_D^2 is the square of the edge: of no use from exactly 1e24 on, as is a pivot of
 * alpha~ C_D^2 that is the greatest float (alpha~ is twice the compliance here). */
static void test_neo_hookean_distorts_up_to_its_limits(void **state)
{
    const float a = 1e12f;
    float b = 0.0f;
    (void)state;
    while (a * a + b * b < 1e24f) {
        b += 0x1p24f;
    }
    assert_near(a * a + b * b, 1e24f, 0.0);
    assert_false(distorts(a, b, 1.0f, 0.0f));
    assert_true(distorts(0.999f * a, b, 1.0f, 0.0f));
    assert_false(distorts(0x1p18f, 0.0f, 0.0f, FLT_MAX * 0x1p-37f));
    assert_true(distorts(0x1p18f, 0.0f, 0.0f, 0.999f * FLT_MAX * 0x1p-37f));
}

/* As in the log of known trouble: either winding of a volume is at rest in its own pose, and of an
 * element with edges the wrong one is refused by its number. */
static void test_N07_other_winding(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        const xpbd_world_def def = kit_def(NULL);
        xpbd_world *world = kit_create(&def);
        kit_add_particles(world, 4, unit_tet, NULL);
        xpbd_constraints c = {.particles = i == 0 ? corners : turned};
        assert_ok(xpbd_world_add_constraints(world, XPBD_TET_VOLUME, 1, &c, NULL));
        kit_steps(world, 100, 0.01);
        float x[4][3];
        assert_ok(xpbd_world_read_positions(world, 0, 4, x[0], 0));
        assert_same_floats(x[0], unit_tet[0], 12);
        static const xpbd_constraint_type types[] = {XPBD_TET_NEO_HOOKEAN, XPBD_TET_STVK};
        for (uint32_t t = 0; t < 2; t++) {
            uint32_t both[2][4];
            memcpy(both[0], corners, sizeof both[0]);
            memcpy(both[1], i == 0 ? corners : turned, sizeof both[1]);
            c.particles = both[0];
            assert_status(xpbd_world_add_constraints(world, types[t], 2, &c, NULL),
                          i == 0 ? XPBD_OK : XPBD_ERROR_REST);
            if (i == 1) {
                assert_int_equal(xpbd_world_error(world)->element, 1);
            }
        }
        xpbd_world_destroy(world);
    }
}

static void test_N08_flat_elements_are_refused(void **state)
{
    static const float x[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}};
    static const uint32_t tets[2][4] = {{0, 1, 2, 4}, {0, 1, 2, 3}};
    static const xpbd_constraint_type types[] = {XPBD_TET_VOLUME, XPBD_TET_NEO_HOOKEAN,
                                                 XPBD_TET_STVK};
    (void)state;
    for (uint32_t t = 0; t < 3; t++) {
        const xpbd_world_def def = kit_def(NULL);
        xpbd_world *world = kit_create(&def);
        kit_add_particles(world, 5, x, NULL);
        xpbd_constraints c = {.particles = tets[0]};
        assert_status(xpbd_world_add_constraints(world, types[t], 2, &c, NULL), XPBD_ERROR_REST);
        assert_int_equal(xpbd_world_error(world)->element, 1);
        kit_steps(world, 10, 0.01);
        float now[5][3];
        assert_ok(xpbd_world_read_positions(world, 0, 5, now[0], 0));
        assert_same_floats(now[0], x[0], 15);
        xpbd_world_destroy(world);
    }
}

/* Four corners on one spot: nothing to do, counted; 1e-30 m^3 is an element. */
static void test_collapsed_elements_are_counted(void **state)
{
    static const xpbd_constraint_type types[] = {XPBD_TET_VOLUME, XPBD_TET_NEO_HOOKEAN,
                                                 XPBD_TET_STVK};
    static const float spot[4][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    (void)state;
    for (uint32_t t = 0; t < 3; t++) {
        const xpbd_world_def def = kit_def(NULL);
        xpbd_world *world = kit_create(&def);
        kit_add_particles(world, 4, spot, NULL);
        float rest[10] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.3f};
        if (t == 0) {
            rest[0] = 1e-30f;
        }
        xpbd_constraints c = {.particles = corners, .rest = rest};
        assert_ok(xpbd_world_add_constraints(world, types[t], 1, &c, NULL));
        kit_steps(world, 10, 0.01);
        xpbd_diagnostics d;
        assert_ok(xpbd_world_diagnose(world, &d));
        assert_int_equal(d.n_degenerate, 1);
        assert_int_equal(d.n_nonfinite, 0);
        float now[4][3];
        assert_ok(xpbd_world_read_positions(world, 0, 4, now[0], 0));
        assert_same_floats(now[0], spot[0], 12);
        xpbd_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volume_step_is_newtons),
        cmocka_unit_test(test_inverted_volume_comes_back),
        cmocka_unit_test(test_small_meshes_work),
        cmocka_unit_test(test_needles_and_wafers_stay_near),
        cmocka_unit_test(test_contradicting_strains_stay_near),
        cmocka_unit_test(test_neo_hookean_comes_back),
        cmocka_unit_test(test_neo_hookean_distorts_up_to_its_limits),
        cmocka_unit_test(test_N07_other_winding),
        cmocka_unit_test(test_N08_flat_elements_are_refused),
        cmocka_unit_test(test_collapsed_elements_are_counted),
    };
    return RUN_GROUP("tet_faults", tests);
}
