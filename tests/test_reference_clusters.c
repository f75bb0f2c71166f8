/* SPDX-License-Identifier: MIT
 *
 * Judges shape_match by the reference's, where centre and rotation are unknowns beside the members:
 * C is the same, holding the goals still is the right gradient of the energy, and steps of one
 * cluster are Newton's.
 */
#include "support_clusters.h"

#include "kernel/kernel.h"
#include "reference/reference.h"

#include <math.h>

enum { MEMBERS = 9, POSES = 10 };

typedef struct pose {
    float rest[MEMBERS][3], w[MEMBERS];
    double x[MEMBERS][3];
} pose;

/* A box of points, turned by up to two radians about any axis and pushed about by up to a tenth. */
static pose make_pose(uint64_t *seed, bool flat)
{
    pose p;
    double axis[3], length = 0.0;
    for (int k = 0; k < 3; k++) {
        axis[k] = (double)kit_uniform(seed, -1.0f, 1.0f);
        length += axis[k] * axis[k];
    }
    const double angle = (double)kit_uniform(seed, 0.0f, 2.0f), c = cos(angle), s = sin(angle);
    for (int i = 0; i < MEMBERS; i++) {
        double along = 0.0;
        p.w[i] = kit_uniform(seed, 0.5f, 4.0f);
        for (int k = 0; k < 3; k++) {
            p.rest[i][k] = flat && k == 1 ? 0.25f : kit_uniform(seed, -0.5f, 0.5f);
            axis[k] /= i ? 1.0 : sqrt(length);
        }
        for (int k = 0; k < 3; k++) {
            along += axis[k] * (double)p.rest[i][k];
        }
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            const double across = axis[l] * (double)p.rest[i][m] - axis[m] * (double)p.rest[i][l];
            const double turned =
                c * (double)p.rest[i][k] + s * across + (1.0 - c) * along * axis[k];
            p.x[i][k] = (double)((float)turned + kit_uniform(seed, -0.05f, 0.05f));
        }
    }
    return p;
}

static ref_system *make_system(const pose *p, double compliance)
{
    ref_system *s = ref_make();
    uint32_t member[MEMBERS];
    double rest[MEMBERS][3];
    for (uint32_t i = 0; i < MEMBERS; i++) {
        member[i] = ref_add_particle(s, p->x[i], NULL, (double)p->w[i]);
        for (int k = 0; k < 3; k++) {
            rest[i][k] = (double)p->rest[i][k];
        }
    }
    ref_add_shape_match(s, MEMBERS, member, (const double(*)[3])rest, compliance);
    return s;
}

static void evaluate(const ref_system *s, uint32_t element, ref_rows *out)
{
    const ref_element *e = &s->element[element];
    double x[REF_CORNERS][3];
    for (int i = 0; i < REF_CORNERS; i++) {
        memcpy(x[i], s->x[e->corner[i]], sizeof x[i]);
    }
    ref_evaluate(XPBD_SHAPE_MATCH, (const double(*)[3])x, e->rest, out);
}

/* As test_reference_formulas does for types of one size. */
static void test_derivatives_are_those_of_differences(void **state)
{
    const double step = 1e-5;
    uint64_t seed = 3;
    (void)state;
    for (int n = 0; n < POSES; n++) {
        const pose p = make_pose(&seed, false);
        ref_system *s = make_system(&p, 0.0);
        double *t = s->x[s->cluster[0].turn];
        for (int k = 0; k < 3; k++) {
            t[k] = (double)kit_uniform(&seed, -1.0f, 1.0f);
        }
        ref_rows at, up, down;
        evaluate(s, 0, &at);
        assert_int_equal(at.n_variables, 9);
        for (int i = 0; i < at.n_variables; i++) {
            double *value = &s->x[s->element[0].corner[i / 3]][i % 3];
            const double keep = *value;
            *value = keep + step;
            evaluate(s, 0, &up);
            *value = keep - step;
            evaluate(s, 0, &down);
            *value = keep;
            for (int r = 0; r < at.n_rows; r++) {
                assert_near((up.C[r] - down.C[r]) / (2 * step), at.gradient[r][i], 1e-8);
                for (int j = 0; j < at.n_variables; j++) {
                    assert_near((up.gradient[r][j] - down.gradient[r][j]) / (2 * step),
                                at.hessian[r][i][j], 1e-8);
                }
            }
        }
        ref_free(s);
    }
}

static const pose *measured;

static void read_member(const xpbd_elements *elements, uint32_t element, double (*x)[3],
                        float *element_rest)
{
    (void)elements;
    memcpy(x[0], measured->x[element], sizeof x[0]);
    if (element_rest) {
        memcpy(element_rest, measured->rest[element], sizeof measured->rest[element]);
    }
}

/* Both in double: some hundred operations on numbers of about 1, and an iteration that ends there.
 */
static void test_library_measures_what_the_reference_does(void **state)
{
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of(XPBD_SHAPE_MATCH);
    const xpbd_elements elements = {MEMBERS, read_member};
    const float no_stretch = 0.0f;
    uint64_t seed = 5;
    (void)state;
    for (int n = 0; n < POSES; n++) {
        const pose p = make_pose(&seed, n % 3 == 0);
        ref_system *s = make_system(&p, 0.0);
        double fit[XPBD_FIT_MAX], C[3], gradient[3][3];
        measured = &p;
        assert_true(ops->fit(&elements, &no_stretch, fit));
        for (uint32_t i = 0; i < MEMBERS; i++) {
            ref_rows want;
            evaluate(s, i, &want);
            ops->element(fit, (const double(*)[3])p.x[i], p.rest[i], C, gradient);
            for (int r = 0; r < 3; r++) {
                assert_near(C[r], want.C[r], 1e-12);
                for (int k = 0; k < 3; k++) {
                    assert_near(gradient[r][k], want.gradient[r][k], 0.0);
                }
            }
        }
        ref_free(s);
    }
}

static double energy(ref_system *s)
{
    double sum = 0.0;
    ref_fit_clusters(s);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        ref_rows rows;
        evaluate(s, i, &rows);
        for (int r = 0; r < 3; r++) {
            sum += 0.5 * rows.C[r] * rows.C[r];
        }
    }
    return sum;
}

/* The goals move with the members, but to first order the energy does not feel it: they are where
 * it is least. */
static void test_energy_has_the_gradient_of_goals_that_stand_still(void **state)
{
    const double step = 1e-5;
    uint64_t seed = 8;
    (void)state;
    for (int n = 0; n < POSES; n++) {
        const pose p = make_pose(&seed, false);
        ref_system *s = make_system(&p, 0.0);
        for (uint32_t i = 0; i < 3 * MEMBERS; i++) {
            ref_rows rows;
            double *x = &s->x[i / 3][i % 3];
            const double keep = *x;
            *x = keep + step;
            const double up = energy(s);
            *x = keep - step;
            const double down = energy(s);
            *x = keep;
            ref_fit_clusters(s);
            evaluate(s, i / 3, &rows);
            assert_near((up - down) / (2 * step), rows.C[i % 3], 1e-8);
        }
        ref_free(s);
    }
}

static xpbd_world *make_world(const pose *p, const float (*v)[3], float compliance)
{
    xpbd_world *world;
    float x[MEMBERS][3];
    xpbd_world_def def = xpbd_default_world_def();
    def.scheduler = "serial-gs";
    def.threads = 1;
    def.iterations = 20;
    memset(def.acceleration, 0, sizeof def.acceleration);
    assert_ok(xpbd_world_create(&def, &world, NULL));
    assert_ok(xpbd_world_add_particles(
        world, MEMBERS, &(xpbd_particles){.position = p->rest[0], .inverse_mass = p->w}, NULL));
    kit_add_cluster(world, MEMBERS, NULL, 0.0f,
                    &(xpbd_constraints){.compliance = &compliance, .compliance_stride = XPBD_SAME});
    for (int i = 0; i < 3 * MEMBERS; i++) {
        x[i / 3][i % 3] = (float)p->x[i / 3][i % 3];
    }
    assert_ok(xpbd_world_set_positions(world, 0, MEMBERS, x[0], 0));
    assert_ok(xpbd_world_set_velocities(world, 0, MEMBERS, v[0], 0));
    return world;
}

/* One projection is the least of energy and inertia together, so that there is nothing of the
 * difference that other types have. In float: a few roundings at 1 m for each step, which
 * velocities carry on; and more than half a turn, so that the reference has to move its turns into
 * R0. */
static void test_steps_of_one_cluster_are_newtons(void **state)
{
    enum { STEPS = 30 };
    static const float compliance[3] = {0.0f, 1e-4f, 1e-2f};
    uint64_t seed = 12;
    (void)state;
    for (uint32_t a = 0; a < COUNT_OF(compliance); a++) {
        const pose p = make_pose(&seed, false);
        float v[MEMBERS][3], x[MEMBERS][3];
        ref_system *s = make_system(&p, (double)compliance[a]);
        for (int i = 0; i < MEMBERS; i++) { /* 8 rad/s about z, and away */
            v[i][0] = (float)(-8.0 * p.x[i][1]), v[i][1] = (float)(8.0 * p.x[i][0]), v[i][2] = 0.5f;
            for (int k = 0; k < 3; k++) {
                s->v[i][k] = (double)v[i][k];
            }
        }
        xpbd_world *world = make_world(&p, (const float(*)[3])v, compliance[a]);
        for (int step = 1; step <= STEPS; step++) {
            assert_true(ref_step(s, 1.0 / 60).converged);
            assert_ok(xpbd_world_step(world, 1.0 / 60));
            assert_ok(xpbd_world_read_positions(world, 0, MEMBERS, x[0], 0));
            for (int i = 0; i < 3 * MEMBERS; i++) {
                assert_near((double)x[i / 3][i % 3], s->x[i / 3][i % 3], 4 * 0x1p-24 * step * step);
            }
        }
        xpbd_world_destroy(world);
        ref_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives_are_those_of_differences),
        cmocka_unit_test(test_library_measures_what_the_reference_does),
        cmocka_unit_test(test_energy_has_the_gradient_of_goals_that_stand_still),
        cmocka_unit_test(test_steps_of_one_cluster_are_newtons),
    };
    return RUN_GROUP("reference_clusters", tests);
}
