/* SPDX-License-Identifier: MIT
 *
 * What shape_match and mesh_volume do at their limits: weights that are just too small to divide
 * by, clusters that nothing can move; and what their descriptions say of poses that are stretched,
 * far away, on a line or collapsed.
 */
#include "tests/support_clusters.h"

#include "kernel/kernel.h"

#include <float.h>
#include <math.h>

enum { SMALL = 3, LARGE = 21, BOXES = 24, LANES = 3 * XPBD_GROUP, GUARD = XPBD_GROUP };

/* Two clusters that are pinned, lanes [0, 16) and [16, 48): what the kernel of a variant makes of
 * lambdas and corrections that were `left`. What is before and behind them is not its own. */
static void clear(unsigned variant, float left, float (*lambda)[LANES + 2 * GUARD],
                  float (*correction)[4])
{
    static float position[3][LANES], previous[3][LANES], w[LANES], zero[2];
    static float rest[3][LANES], scratch[2][4 * LANES], stretch[2];
    uint32_t first[3] = {0, 1, 3}, n[2] = {SMALL, LARGE}, point[LANES];
    double turn[8] = {0};
    for (uint32_t i = 0; i < LANES; i++) {
        point[i] = i;
        for (uint32_t c = 0; c < 3; c++) {
            rest[c][i] = (float)(i * i % 7 + c * i);
            position[c][i] = 2.0f * rest[c][i];
        }
    }
    xpbd_units units = {.first_group = first,
                        .n = n,
                        .first_point_group = first,
                        .n_points = n,
                        .point = point,
                        .element_rest = {rest[0], rest[1], rest[2]},
                        .point_scratch = {scratch[0], scratch[1]},
                        .state = turn};
    xpbd_stream stream = {.rest = {stretch},
                          .compliance = zero,
                          .damping = zero,
                          .share = w,
                          .correction = correction[GUARD],
                          .n_groups = 2,
                          .units = &units};
    const xpbd_store store = {.position = position[0],
                              .previous = previous[0],
                              .inverse_mass = w,
                              .plane = LANES,
                              .step = 1,
                              .n = LANES,
                              .n_slots = LANES};
    /* The weights are the fourth plane of positions. */
    static float all[4][LANES];
    memcpy(all, position, sizeof position);
    xpbd_store with_weights = store;
    with_weights.position = all[0];
    for (uint32_t row = 0; row < 3; row++) {
        stream.lambda[row] = lambda[row] + GUARD;
        for (uint32_t i = 0; i < LANES + 2 * GUARD; i++) {
            lambda[row][i] = left;
        }
    }
    for (uint32_t i = 0; i < 4 * (LANES + 2 * GUARD); i++) {
        correction[i / 4][i % 4] = left;
    }
    const xpbd_pass pass = {.dt = 1, .inverse_dt = 1, .inverse_dt2 = 1, .relaxation = 1};
    xpbd_kernels_find(XPBD_ISA_scalar, XPBD_LAYOUT_soa)
        ->project[XPBD_SHAPE_MATCH][variant](&stream, &with_weights, &pass, 0, 2);
    assert_same_floats(all[0], position[0], 3 * LANES);
}

/* Lambda is 0 from the first iteration on, and Jacobi has nothing to gather. */
static void test_pinned_clusters_leave_nothing(void **state)
{
    static float lambda[3][LANES + 2 * GUARD], correction[LANES + 2 * GUARD][4];
    (void)state;
    for (unsigned variant = 0; variant < XPBD_VARIANT_STIFF; variant++) {
        clear(variant, 5.0f, lambda, correction);
        for (uint32_t i = 0; i < LANES + 2 * GUARD; i++) {
            const bool own = i >= GUARD && i < LANES + GUARD;
            for (uint32_t k = 0; k < 4; k++) {
                const bool cleared = own && variant & XPBD_VARIANT_ACCUMULATE;
                assert_near(correction[i][k], cleared ? 0.0 : 5.0, 0.0);
            }
            for (uint32_t row = 0; row < 3; row++) {
                const bool cleared = own && variant & XPBD_VARIANT_FIRST;
                assert_near(lambda[row][i], cleared ? 0.0 : 5.0, 0.0);
            }
        }
    }
}

/* Pinned, in a substep of 1 s, so that alpha~ is the compliance: does anything get a lambda? */
static bool acts(xpbd_constraint_type type, float compliance)
{
    static const float x[4][3] = {{0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, w[4] = {0};
    static const float half[4][3] = {{0}, {0.5f, 0, 0}, {0, 0.5f, 0}, {0, 0, 0.5f}};
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    static const uint32_t members[4] = {0, 1, 2, 3}, four = 4;
    static const float volume[2] = {1.0f / 6, 0.5f}, stretch = 0;
    const bool mesh = type == XPBD_MESH_VOLUME;
    const xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = kit_create(&def);
    kit_add_particles(world, 4, x, w);
    const xpbd_constraints c = {.particles = mesh ? faces[0] : members,
                                .sizes = &four,
                                .rest = mesh ? volume : &stretch,
                                .element_rest = mesh ? NULL : half[0],
                                .compliance = &compliance};
    float lambda[12] = {0};
    assert_ok(xpbd_world_add_constraints(world, type, 1, &c, NULL));
    kit_steps(world, 1, 1.0);
    assert_ok(xpbd_world_read_lambdas(world, type, 0, 1, lambda, 0));
    xpbd_world_destroy(world);
    for (int k = 0; k < 12; k++) {
        assert_true(isfinite(lambda[k]));
    }
    return fabsf(lambda[0]) > 0.0f;
}

/* A ten thousandth of the largest weight is exactly FLT_MIN; with a mesh the weight is. */
static void test_weights_of_the_smallest_number_are_none(void **state)
{
    float least = FLT_MIN / 1e-4f;
    (void)state;
    for (int k = 0; k < 8; k++) {
        least = nextafterf(least, 1e-4f * least > FLT_MIN ? 0.0f : 1.0f);
        if (!(1e-4f * least < FLT_MIN) && !(1e-4f * least > FLT_MIN)) {
            break;
        }
    }
    assert_near(1e-4f * least, FLT_MIN, 0.0);
    assert_false(acts(XPBD_SHAPE_MATCH, least));
    assert_true(acts(XPBD_SHAPE_MATCH, 1.001f * least));
    assert_false(acts(XPBD_MESH_VOLUME, FLT_MIN));
    assert_true(acts(XPBD_MESH_VOLUME, 1.001f * FLT_MIN));
}

/* A mesh or a cluster under the descriptions' own reader. */
typedef struct reader {
    xpbd_elements elements;
    const kit_surface *mesh;
    double (*x)[3];
    float (*rest)[3];
} reader;

static void read_element(const xpbd_elements *elements, uint32_t e, double (*x)[3], float *rest)
{
    const reader *r = (const reader *)(const void *)elements;
    for (int k = 0; k < (r->mesh ? 3 : 1); k++) {
        memcpy(x[k], r->x[r->mesh ? r->mesh->triangle[e][k] : e], sizeof x[k]);
    }
    if (rest) {
        memcpy(rest, r->rest[e], sizeof r->rest[e]);
    }
}

/* Three boxes of members at x = R S r with a turn R and a stretch S along the axes of the boxes:
 * goals are at (1 - beta) R r + beta R S r / det(S)^(1/3), all from the centre. At 2^20 m
 * double knows a centre to 2^-33 m, but the map as exactly as at the origin. */
static void test_description_of_a_stretched_cluster(void **state)
{
    static const double s[3] = {1.5, 0.75, 1.25}, c = 0.8, d = 0.6;
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of(XPBD_SHAPE_MATCH);
    double turn[3][9];
    (void)state;
    for (int kind = 0; kind < 12; kind++) {
        const float beta = 0.5f * (float)(kind % 3);
        const double far = kind / 3 % 2 ? 0x1p20 : 0.0, root = cbrt(s[0] * s[1] * s[2]);
        const float far_rest = kind / 6 ? 0x1p18f : 0.0f;
        double x[BOXES][3], fit[XPBD_FIT_MAX], mean[2][3] = {{0}}, C[3], g[3][3];
        float rest[BOXES][3];
        for (int i = 0; i < BOXES; i++) {
            double r[3];
            for (int k = 0; k < 3; k++) {
                const float few = (i >> k & 1 ? 0.5f : -0.5f) * (1.0f + 0.25f * (float)(i / 8 + k));
                rest[i][k] = few + far_rest;
                r[k] = s[k] * (double)few;
            }
            const double turned[3] = {c * r[0] - d * r[1], d * r[0] + c * r[1], r[2]};
            for (int k = 0; k < 3; k++) {
                x[i][k] = round(turned[k] * 0x1p30) / 0x1p30 + far;
                mean[0][k] += (x[i][k] - far) / BOXES;
                mean[1][k] += ((double)rest[i][k] - (double)far_rest) / BOXES;
            }
        }
        const reader at = {{BOXES, read_element}, NULL, x, rest};
        assert_true(ops->fit(&at.elements, &beta, fit));
        for (int k = 0; k < 9; k++) {
            turn[kind % 3][k] = kind < 3 ? fit[6 + k] : turn[kind % 3][k];
            assert_near(fit[6 + k], turn[kind % 3][k], 1e-13);
        }
        for (int i = 0; i < BOXES; i++) {
            double r[3];
            for (int k = 0; k < 3; k++) {
                const double part = 1.0 - (double)beta + (double)beta * s[k] / root;
                r[k] = part * ((double)rest[i][k] - (double)far_rest - mean[1][k]);
            }
            const double goal[3] = {c * r[0] - d * r[1], d * r[0] + c * r[1], r[2]};
            ops->element(fit, (const double(*)[3])x[i], rest[i], C, g);
            for (int k = 0; k < 3; k++) {
                assert_near(C[k], x[i][k] - far - mean[0][k] - goal[k], 3e-9);
            }
        }
    }
}

/* A line at rest has many best rotations, and the nearest to none is none, along every axis. */
static void test_description_of_a_line_turns_by_nothing(void **state)
{
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of(XPBD_SHAPE_MATCH);
    const float no_stretch = 0;
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        double x[3][3] = {{0}}, fit[XPBD_FIT_MAX];
        float rest[3][3] = {{0}};
        for (int i = 0; i < 3; i++) {
            rest[i][axis] = (float)i;
            x[i][axis] = i;
        }
        const reader at = {{3, read_element}, NULL, x, rest};
        assert_true(ops->fit(&at.elements, &no_stretch, fit));
        for (int k = 0; k < 9; k++) {
            assert_near(fit[6 + k], k % 4 == 0 ? 1.0 : 0.0, 1e-12);
        }
    }
}

/* A mesh has a gradient while it has an area, of a micrometre too; on a line or in a point it has
 * none. */
static void test_description_of_a_collapsed_mesh(void **state)
{
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of(XPBD_MESH_VOLUME);
    const float rest[2] = {0, 1};
    kit_surface mesh = kit_sphere(4, 5, 1.0f);
    double x[32][3], fit[XPBD_FIT_MAX];
    (void)state;
    assert_true(mesh.n <= 32);
    const reader at = {{mesh.n_triangles, read_element}, &mesh, x, NULL};
    for (int kind = 0; kind < 4; kind++) {
        for (uint32_t k = 0; k < 3 * mesh.n; k++) { /* small, flat, a line, a point */
            x[k / 3][k % 3] = (int)(k % 3) < 3 - kind ? 1e-6 * (double)mesh.x[k / 3][k % 3] : 0.0;
        }
        assert_int_equal(ops->fit(&at.elements, rest, fit), kind < 2);
    }
    /* Normals of a closed mesh sum to 0, exactly where coordinates are of one bit: their sizes do
     * not. */
    uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const kit_surface tetrahedron = {.n = 4, .n_triangles = 4, .triangle = faces};
    const reader other = {{4, read_element}, &tetrahedron, x, NULL};
    for (uint32_t k = 0; k < 12; k++) {
        x[k / 3][k % 3] = k / 3 == k % 3 + 1 ? 1.0 : 0.0;
    }
    assert_true(ops->fit(&other.elements, rest, fit));
    kit_surface_free(&mesh);
}

/* Octahedra that damping has turned, and that are mirrored then: of many best rotations the one
 * closest to the cluster's own last one is taken, bit for bit the same whoever is beside it. */
static void turn_and_mirror(bool beside, float (*out)[3])
{
    static const uint32_t own[6] = {0, 1, 2, 3, 4, 5}, others[6] = {6, 7, 8, 9, 10, 11};
    static const float tau = 0.01f, still[12][3] = {{0}};
    const xpbd_constraints c = {.damping_time = &tau};
    float x[12][3] = {{0}}, turned[12][3], mirrored[12][3];
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t axis = i % 6 / 2;
        x[i][axis] = i % 2 ? 1.0f : -1.0f;
        const float *p = x[i], u = 0.8f * p[0] - 0.6f * p[1], v = 0.6f * p[0] + 0.8f * p[1];
        const float t[3] = {u, i < 6 ? 0.96f * v - 0.28f * p[2] : v,
                            i < 6 ? 0.28f * v + 0.96f * p[2] : p[2]};
        memcpy(turned[i], t, sizeof t);
        memcpy(mirrored[i], t, sizeof t);
        mirrored[i][2] = -t[2];
    }
    xpbd_world_def def = kit_def("serial-gs");
    def.iterations = 3;
    xpbd_world *world = kit_create(&def);
    kit_add_particles(world, 12, (const float(*)[3])x, NULL);
    if (beside) {
        kit_add_cluster(world, 6, others, 0.0f, &c);
    }
    kit_add_cluster(world, 6, own, 0.0f, &c);
    assert_ok(xpbd_world_set_positions(world, 0, 12, turned[0], 0));
    kit_steps(world, 1, 0.01);
    assert_ok(xpbd_world_set_positions(world, 0, 12, mirrored[0], 0));
    assert_ok(xpbd_world_set_velocities(world, 0, 12, still[0], 0));
    kit_steps(world, 1, 0.01);
    assert_ok(xpbd_world_read_positions(world, 0, 6, out[0], 0));
    xpbd_world_destroy(world);
}

static void test_rotations_are_of_their_own_cluster(void **state)
{
    float alone[6][3], together[6][3];
    (void)state;
    turn_and_mirror(false, alone);
    turn_and_mirror(true, together);
    assert_same_floats(together[0], alone[0], 18);
}

/* Where nobody says, clusters do not stretch, and balloons have no pressure. */
static void test_defaults_of_variable_types(void **state)
{
    static double x[1][3];
    float rest[2] = {7, 7};
    const reader none = {{0, read_element}, NULL, x, NULL};
    (void)state;
    xpbd_constraint_ops_of(XPBD_SHAPE_MATCH)->rest_of_elements(&none.elements, rest);
    assert_near(rest[0], 0.0, 0.0);
    xpbd_constraint_ops_of(XPBD_MESH_VOLUME)->rest_of_elements(&none.elements, rest);
    assert_near(rest[0], 0.0, 0.0);
    assert_near(rest[1], 1.0, 0.0);
}

/* Taken relative to a corner, a volume far away loses nothing: places have 20 bits behind the
 * point, and 2^20 m are exact. */
static void test_description_of_a_volume_far_away(void **state)
{
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of(XPBD_MESH_VOLUME);
    const float rest[2] = {0, 1};
    kit_surface mesh = kit_sphere(4, 5, 1.0f);
    double x[32][3], near[XPBD_FIT_MAX], far[XPBD_FIT_MAX];
    (void)state;
    const reader at = {{mesh.n_triangles, read_element}, &mesh, x, NULL};
    for (uint32_t k = 0; k < 3 * mesh.n; k++) {
        x[k / 3][k % 3] = round(0x1p20 * (double)mesh.x[k / 3][k % 3]) / 0x1p20;
    }
    assert_true(ops->fit(&at.elements, rest, near));
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t i = 0; i < mesh.n; i++) {
            x[i][axis] += 0x1p20;
        }
        assert_true(ops->fit(&at.elements, rest, far));
        assert_near(far[0], near[0], 1e-14);
    }
    kit_surface_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pinned_clusters_leave_nothing),
        cmocka_unit_test(test_weights_of_the_smallest_number_are_none),
        cmocka_unit_test(test_description_of_a_stretched_cluster),
        cmocka_unit_test(test_description_of_a_line_turns_by_nothing),
        cmocka_unit_test(test_description_of_a_collapsed_mesh),
        cmocka_unit_test(test_description_of_a_volume_far_away),
        cmocka_unit_test(test_rotations_are_of_their_own_cluster),
        cmocka_unit_test(test_defaults_of_variable_types),
    };
    return RUN_GROUP("cluster_borders", tests);
}
