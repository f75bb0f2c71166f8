/* SPDX-License-Identifier: MIT
 *
 * The types of variable size, mesh_volume and shape_match, as the generic kernel tests check those
 * of one element: gradients, momentum, rest poses, the same bits everywhere, degenerate input.
 */
#include "tests/support_clusters.h"

#include "kernel/kernel.h"

#include <math.h>

/* A mesh under the description's own reader. */
typedef struct reader {
    xpbd_elements elements;
    const uint32_t (*triangle)[3];
    double (*x)[3];
} reader;

static void read_triangle(const xpbd_elements *elements, uint32_t e, double (*x)[3], float *rest)
{
    const reader *r = (const reader *)(const void *)elements;
    (void)rest;
    for (int k = 0; k < 3; k++) {
        memcpy(x[k], r->x[r->triangle[e][k]], sizeof x[k]);
    }
}

/* Central differences; V is a cubic of each coordinate's own first power, so only rounding is left:
 * 1e-16 / 1e-4 of values around 4. */
static void test_N40_volume_gradient_is_the_derivative(void **state)
{
    (void)state;
    kit_surface mesh = kit_sphere(6, 7, 1.0f);
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of(XPBD_MESH_VOLUME);
    const float rest[2] = {3.0f, 1.25f};
    uint64_t seed = 3;
    reader r = {{mesh.n_triangles, read_triangle},
                (const uint32_t(*)[3])mesh.triangle,
                calloc(mesh.n, 3 * sizeof(double))};
    for (uint32_t k = 0; k < 3 * mesh.n; k++) {
        r.x[k / 3][k % 3] = (double)mesh.x[k / 3][k % 3] + (double)kit_uniform(&seed, -0.2f, 0.2f);
    }
    double fit[XPBD_FIT_MAX], up[XPBD_FIT_MAX], down[XPBD_FIT_MAX], C[1], g[3][3], x[3][3];
    double(*sum)[3] = calloc(mesh.n, 3 * sizeof(double));
    assert_true(ops->fit(&r.elements, rest, fit));
    for (uint32_t e = 0; e < mesh.n_triangles; e++) {
        read_triangle(&r.elements, e, x, NULL);
        ops->element(fit, (const double(*)[3])x, NULL, C, g);
        for (int k = 0; k < 9; k++) {
            sum[mesh.triangle[e][k / 3]][k % 3] += g[k / 3][k % 3];
        }
    }
    for (uint32_t k = 0; k < 3 * mesh.n; k++) {
        const double keep = r.x[k / 3][k % 3], step = 1e-4;
        r.x[k / 3][k % 3] = keep + step;
        ops->fit(&r.elements, rest, up);
        ops->element(up, (const double(*)[3])x, NULL, &up[0], g);
        r.x[k / 3][k % 3] = keep - step;
        ops->fit(&r.elements, rest, down);
        ops->element(down, (const double(*)[3])x, NULL, &down[0], g);
        r.x[k / 3][k % 3] = keep;
        assert_near(sum[k / 3][k % 3], (up[0] - down[0]) / (2.0 * step), 1e-9);
    }
    free(sum);
    free(r.x);
    kit_surface_free(&mesh);
}

/* A sphere with a volume, and a cluster of all its vertices. */
static xpbd_world *both(const xpbd_world_def *def, const kit_surface *mesh, float compliance,
                        float damping_time, float stretch, float (*start)[3])
{
    xpbd_world *world = kit_create(def);
    kit_add_particles(world, mesh->n, (const float(*)[3])mesh->x, mesh->w);
    xpbd_constraints c = {.compliance = &compliance,
                          .compliance_stride = XPBD_SAME,
                          .damping_time = &damping_time,
                          .damping_time_stride = XPBD_SAME};
    kit_add_volume(world, mesh, &c);
    kit_add_cluster(world, mesh->n, NULL, stretch, &c);
    if (start) {
        assert_ok(xpbd_world_set_positions(world, 0, mesh->n, start[0], 0));
    }
    return world;
}

static void test_rest_pose_stays_bit_for_bit(void **state)
{
    (void)state;
    const char *scheduler;
    for (uint32_t s = 0; (scheduler = xpbd_scheduler_name(s)); s++) {
        for (int k = 0; k < 4; k++) {
            kit_surface mesh = kit_sphere(5 + (uint32_t)k, 9, 0.3f);
            uint64_t seed = 5;
            for (uint32_t i = 0; i < mesh.n; i++) {
                mesh.w[i] = k == 3 && i % 3 == 0 ? 0.0f : kit_uniform(&seed, 0.1f, 3.0f);
                mesh.x[i][0] += kit_uniform(&seed, 100.0f, 100.01f);
            }
            xpbd_world_def def = kit_def(scheduler);
            xpbd_world *world = both(&def, &mesh, k & 1 ? 1e-4f : 0.0f, k & 2 ? 0.1f : 0.0f,
                                     0.4f * (float)k / 3, NULL);
            kit_steps(world, 3, 0.01);
            float(*x)[3] = kit_positions(world);
            assert_same_floats(x[0], mesh.x[0], 3 * mesh.n);
            free(x);
            xpbd_world_destroy(world);
            kit_surface_free(&mesh);
        }
    }
}

/* kind 0: the volume alone, 1: the cluster alone, 2: both. */
static void check_momentum(const xpbd_world_def *def, const kit_surface *mesh, int kind, int k,
                           float (*start)[3])
{
    const float compliance = k & 1 ? 1e-4f : 0.0f, damping_time = k & 2 ? 0.02f : 0.0f;
    xpbd_world *world = both(def, mesh, compliance, damping_time, k & 4 ? 0.5f : 0.0f, start);
    if (kind < 2) {
        const xpbd_constraint_type other = kind == 0 ? XPBD_SHAPE_MATCH : XPBD_MESH_VOLUME;
        assert_ok(xpbd_world_enable_constraints(world, other, 0, 1, false));
    }
    for (int step = 0; step < 3; step++) {
        kit_steps(world, 1, 0.01);
        xpbd_diagnostics d;
        assert_ok(xpbd_world_diagnose(world, &d));
        assert_int_equal(0, d.n_nonfinite);
        for (int c = 0; c < 3; c++) {
            assert_near(d.momentum[c], 0.0, 5e-3);
            if (kind < 2 && step == 0) {
                assert_near(d.angular_momentum[c], 0.0, 5e-3);
            }
        }
    }
    xpbd_world_destroy(world);
}

/* 42 vertices of 1 kg or so move by 0.1 m in 0.01 s: sums of about 500 kg m/s, which each of them
 * spoils by half an ulp of its place, 6e-8 m. Angular momentum is looked at where it has to be
 * exact: in a step from rest (implicit integration changes it by lambda x v), of one constraint
 * alone, and of one whose gradient turns in one iteration alone. */
static void test_free_clusters_keep_momentum(void **state)
{
    (void)state;
    static const char *const schedulers[] = {"serial-gs", "colored-gs", "jacobi-mass-splitting"};
    kit_surface mesh = kit_sphere(6, 8, 1.0f);
    uint64_t seed = 7;
    float(*start)[3] = calloc(mesh.n, sizeof *start);
    for (uint32_t i = 0; i < mesh.n; i++) {
        mesh.w[i] = kit_uniform(&seed, 0.1f, 3.0f);
        for (int c = 0; c < 3; c++) {
            start[i][c] = mesh.x[i][c] + kit_uniform(&seed, -0.1f, 0.1f);
        }
    }
    for (int s = 0; s < 3; s++) {
        for (int k = 0; k < 8; k++) {
            for (int kind = 0; kind < 3; kind++) {
                xpbd_world_def def = kit_def(schedulers[s]);
                def.iterations = kind == 0 ? 1 : 5;
                check_momentum(&def, &mesh, kind, k, start);
            }
        }
    }
    free(start);
    kit_surface_free(&mesh);
}

/* Everything at once: pinned vertices, overlapping clusters of all sizes, damping, stiffness, a
 * constraint that is off, one that breaks. */
static uint64_t run_mixed(const xpbd_world_def *def, const kit_surface *mesh)
{
    static const uint32_t sizes[] = {1, 2, 15, 16, 17, 31, 33, 48};
    xpbd_world *world = kit_create(def);
    kit_add_particles(world, mesh->n, (const float(*)[3])mesh->x, mesh->w);
    const float factor[2] = {0.9f, 1.4f};
    xpbd_constraints balloon = {.rest = factor, .compliance = &factor[0]};
    const float soft = 1e-3f, tau = 0.01f, beta = 0.3f, weak = 40.0f, k = 0.6f;
    balloon.compliance = &soft;
    balloon.damping_time = &tau;
    kit_add_volume(world, mesh, &balloon);
    uint32_t first = 0;
    for (uint32_t i = 0; i < COUNT_OF(sizes); i++) {
        uint32_t member[48];
        for (uint32_t e = 0; e < sizes[i]; e++) {
            member[e] = (first + 7 * e) % mesh->n;
        }
        first += 5;
        xpbd_constraints c = {.damping_time = &tau};
        c.compliance = i % 2 ? &soft : NULL;
        c.stiffness = i == 4 ? &k : NULL;
        c.break_force = i == 5 ? &weak : NULL;
        kit_add_cluster(world, sizes[i], member, i % 3 ? beta : 0.0f, &c);
    }
    assert_ok(xpbd_world_enable_constraints(world, XPBD_SHAPE_MATCH, 2, 1, false));
    kit_steps(world, 4, 1.0 / 60.0);
    assert_ok(xpbd_world_enable_constraints(world, XPBD_SHAPE_MATCH, 2, 1, true));
    kit_steps(world, 4, 1.0 / 60.0);
    const uint64_t hash = xpbd_world_hash(world);
    xpbd_diagnostics d;
    assert_ok(xpbd_world_diagnose(world, &d));
    assert_int_equal(0, d.n_nonfinite);
    xpbd_world_destroy(world);
    return hash;
}

static void test_same_bits_on_all_instruction_sets_layouts_and_threads(void **state)
{
    (void)state;
    kit_surface mesh = kit_sphere(9, 13, 1.0f);
    uint64_t seed = 11;
    for (uint32_t i = 0; i < mesh.n; i++) {
        mesh.w[i] = i % 17 == 3 ? 0.0f : kit_uniform(&seed, 0.2f, 3.0f);
    }
    const char *scheduler, *isa, *layout;
    for (uint32_t s = 0; (scheduler = xpbd_scheduler_name(s)); s++) {
        xpbd_world_def def = kit_def(scheduler);
        def.acceleration[1] = -9.81f;
        def.isa = "scalar";
        def.layout = "soa";
        const uint64_t want = run_mixed(&def, &mesh);
        for (uint32_t i = 0; (isa = xpbd_isa_name(i)); i++) {
            for (uint32_t l = 0; xpbd_isa_available(i) && (layout = xpbd_layout_name(l)); l++) {
                def.isa = isa;
                def.layout = layout;
                def.threads = 1 + (int32_t)(i + l) % 2;
                char run[96];
                snprintf(run, sizeof run, "%s %s %s", scheduler, isa, layout);
                assert_same_hash(run_mixed(&def, &mesh), want, run);
            }
        }
    }
    kit_surface_free(&mesh);
}

/* N04: nothing to move; N27: nothing to tell a rotation from. */
static void test_N04_all_pinned(void **state)
{
    (void)state;
    kit_surface mesh = kit_sphere(4, 5, 1.0f);
    memset(mesh.w, 0, mesh.n * sizeof *mesh.w);
    xpbd_world_def def = kit_def(NULL);
    def.acceleration[1] = -9.81f;
    xpbd_world *world = both(&def, &mesh, 0.0f, 0.0f, 0.0f, NULL);
    const float rest[2] = {2.0f, 2.0f};
    const xpbd_constraints c = {.rest = rest};
    assert_ok(xpbd_world_set_constraints(world, XPBD_MESH_VOLUME, 0, 1, &c));
    kit_steps(world, 10, 1.0 / 60.0);
    float(*x)[3] = kit_positions(world), lambda;
    assert_same_floats(x[0], mesh.x[0], 3 * mesh.n);
    assert_ok(xpbd_world_read_lambdas(world, XPBD_MESH_VOLUME, 0, 1, &lambda, 0));
    assert_true(lambda == 0.0f);
    float *lambdas = calloc(mesh.n, 3 * sizeof *lambdas);
    assert_ok(xpbd_world_read_lambdas(world, XPBD_SHAPE_MATCH, 0, 1, lambdas, 0));
    for (uint32_t k = 0; k < 3 * mesh.n; k++) {
        assert_true(lambdas[k] == 0.0f);
    }
    free(lambdas);
    free(x);
    xpbd_world_destroy(world);
    kit_surface_free(&mesh);
}

static void test_N27_clusters_without_a_rotation(void **state)
{
    (void)state;
    static const struct {
        uint32_t n;
        float x[4][3];
    } groups[] = {{1, {{1, 2, 3}}},
                  {2, {{1, 2, 3}, {2, 2, 3.5f}}},
                  {4, {{0, 0, 0}, {0.1f, 0.2f, 0.3f}, {0.2f, 0.4f, 0.6f}, {0.4f, 0.8f, 1.2f}}},
                  {4, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}},
                  {4, {{5, 5, 5}, {5, 5, 5}, {5, 5, 5}, {5, 5, 5}}}};
    static const uint32_t members[] = {0, 1, 2, 3};
    for (uint32_t k = 0; k < COUNT_OF(groups); k++) {
        for (int turned = 0; turned < 2; turned++) {
            xpbd_world_def def = kit_def(NULL);
            xpbd_world *world = kit_create(&def);
            kit_add_particles(world, groups[k].n, groups[k].x, NULL);
            const xpbd_constraints c = {0};
            kit_add_cluster(world, groups[k].n, members, 0.5f, &c);
            float want[4][3];
            for (uint32_t i = 0; i < groups[k].n; i++) {
                /* by 90 degrees about z */
                const float *p = groups[k].x[i];
                const float quarter[3] = {-p[1], p[0], p[2]};
                memcpy(want[i], turned ? quarter : p, sizeof want[i]);
            }
            assert_ok(xpbd_world_set_positions(world, 0, groups[k].n, want[0], 0));
            /* Rounding leaves a velocity of 1e-5 m/s behind, which nothing takes away. */
            kit_steps(world, turned ? 1 : 100, 1.0 / 60.0);
            for (uint32_t i = 0; i < groups[k].n; i++) {
                float x[3];
                kit_position(world, i, x);
                for (int c2 = 0; c2 < 3; c2++) {
                    assert_near(x[c2], want[i][c2], turned ? 1e-5 : 1e-6);
                }
            }
            xpbd_world_destroy(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_N40_volume_gradient_is_the_derivative),
        cmocka_unit_test(test_rest_pose_stays_bit_for_bit),
        cmocka_unit_test(test_free_clusters_keep_momentum),
        cmocka_unit_test(test_same_bits_on_all_instruction_sets_layouts_and_threads),
        cmocka_unit_test(test_N04_all_pinned),
        cmocka_unit_test(test_N27_clusters_without_a_rotation),
    };
    return RUN_GROUP("clusters", tests);
}
