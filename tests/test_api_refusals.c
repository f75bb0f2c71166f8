/* SPDX-License-Identifier: MIT
 *
 * Proves that each call on a world refuses each kind of bad argument with its own status, that the
 * error names constraint type, element and value, and that a world on which many calls have failed
 * is bit for bit like its twin on which none has.
 */
#include "support.h"

#include <math.h>

static const float positions[4][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0.25f, 0}, {3, 0, 0.5f}};
static const float masses[4] = {0.0f, 1.0f, 0.5f, 2.0f};
static const uint32_t pairs[3][2] = {{0, 1}, {1, 2}, {2, 3}};
static const float lengths[3] = {0.75f, 1.0f, 1.25f};
static const uint32_t attached = 3;

static xpbd_world *make(void)
{
    xpbd_world_def def = kit_def(NULL);
    def.acceleration[1] = -10.0f;
    xpbd_world *world = kit_create(&def);
    kit_add_particles(world, 4, positions, masses);
    kit_add_distances(world, 3, pairs, lengths, 1e-3f);
    xpbd_constraints attach = {.particles = &attached};
    assert_ok(xpbd_world_add_constraints(world, XPBD_ATTACH, 1, &attach, NULL));
    return world;
}

typedef struct twins {
    xpbd_world *world; /* the one on which calls fail */
    xpbd_world *twin;
    uint64_t hash;
} twins;

static int set_up(void **state)
{
    twins *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->world = make();
    t->twin = make();
    kit_steps(t->world, 2, 0.01);
    kit_steps(t->twin, 2, 0.01);
    t->hash = xpbd_world_hash(t->world);
    *state = t;
    return 0;
}

/* What a failed call may have left behind shows at last in the following steps. */
static int tear_down(void **state)
{
    twins *t = *state;
    kit_steps(t->world, 3, 0.01);
    kit_steps(t->twin, 3, 0.01);
    assert_same_hash(xpbd_world_hash(t->world), xpbd_world_hash(t->twin), "steps after refusals");
    for (uint32_t i = 0; i < 3; i++) {
        float got = kit_lambda(t->world, i), want = kit_lambda(t->twin, i);
        assert_same_floats(&got, &want, 1);
    }
    xpbd_world_destroy(t->world);
    xpbd_world_destroy(t->twin);
    free(t);
    return 0;
}

enum { NO_TYPE = -1 };
#define NO_ELEMENT UINT64_MAX /* an error that concerns no single element */
#define NO_VALUE   (-0.5)     /* none that is refused below */

static void check(const twins *t, xpbd_status got, xpbd_status want, int32_t type, uint64_t element,
                  double value, int line)
{
    const xpbd_error *e = xpbd_world_error(t->world);
    char number[32];
    bool right = got == want && e->status == want && e->type == type && strlen(e->text) > 0;
    if (element != NO_ELEMENT) {
        snprintf(number, sizeof number, "%llu", (unsigned long long)element);
        right = right && e->element == element && strstr(e->text, number);
    }
    if (!isfinite(value) || value < NO_VALUE || value > NO_VALUE) {
        snprintf(number, sizeof number, "%g", fabs(value));
        bool same = isnan(value) ? isnan(e->value) : fabs(e->value - value) <= 0.0 || isinf(value);
        right = right && same && strstr(e->text, number);
    }
    if (type != NO_TYPE)
        right =
            right && strstr(e->text, xpbd_constraint_type_info((xpbd_constraint_type)type)->name);
    if (!right) {
        print_error("expected %s, type %d, element %llu, value %g; got %s with error %s, type %d, "
                    "element %llu, value %g, text '%s'\n",
                    xpbd_status_name(want), type, (unsigned long long)element, value,
                    xpbd_status_name(got), xpbd_status_name(e->status), e->type,
                    (unsigned long long)e->element, e->value, e->text);
        _fail(__FILE__, line);
    }
    kit_check_hash("after a refusal", xpbd_world_hash(t->world), t->hash, __FILE__, line);
}
#define REFUSED(t, call, want, type, element, value)                                               \
    check(t, call, want, type, element, value, __LINE__)

static const float bad_vectors[][2][3] = {
    {{0, 0, 0}, {NAN, 0, 0}}, {{0, 0, 0}, {0, -INFINITY, 0}}, {{0, 0, 0}, {0, 0, INFINITY}}};
static const double bad_components[] = {NAN, -INFINITY, INFINITY};

static void test_A10_add_particles_refuses(void **state)
{
    static const float some[2][3] = {{5, 5, 5}, {6, 6, 6}};
    static const float bad_masses[][2] = {{1, -1}, {1, NAN}, {1, INFINITY}, {1, -INFINITY}};
    const twins *t = *state;
    xpbd_world *w = t->world;
    uint32_t first = 77;
    xpbd_particles p = {.position = some[0]};
    REFUSED(t, xpbd_world_add_particles(w, 1, NULL, &first), XPBD_ERROR_NULL, -1, NO_ELEMENT,
            NO_VALUE);
    assert_ok(xpbd_world_add_particles(w, 0, &p, NULL)); /* nothing is not too much */
    p.position_stride = XPBD_SAME;
    REFUSED(t, xpbd_world_add_particles(w, UINT32_MAX, &p, &first), XPBD_ERROR_COUNT, -1,
            NO_ELEMENT, NO_VALUE);
    REFUSED(t, xpbd_world_add_particles(w, UINT32_MAX - 3, &p, &first), XPBD_ERROR_COUNT, -1,
            NO_ELEMENT, NO_VALUE);
    p = (xpbd_particles){.position = NULL, .velocity = some[0]};
    REFUSED(t, xpbd_world_add_particles(w, 1, &p, &first), XPBD_ERROR_NULL, -1, NO_ELEMENT,
            NO_VALUE);
    for (uint32_t i = 0; i < COUNT_OF(bad_vectors); i++) {
        p = (xpbd_particles){.position = bad_vectors[i][0]};
        REFUSED(t, xpbd_world_add_particles(w, 2, &p, &first), XPBD_ERROR_POSITION, -1, 1,
                bad_components[i]);
        p = (xpbd_particles){.position = some[0], .velocity = bad_vectors[i][0]};
        REFUSED(t, xpbd_world_add_particles(w, 2, &p, &first), XPBD_ERROR_VELOCITY, -1, 1,
                bad_components[i]);
    }
    for (uint32_t i = 0; i < COUNT_OF(bad_masses); i++) {
        p = (xpbd_particles){.position = some[0], .inverse_mass = bad_masses[i]};
        REFUSED(t, xpbd_world_add_particles(w, 2, &p, &first), XPBD_ERROR_INVERSE_MASS, -1, 1,
                (double)bad_masses[i][1]);
    }
    xpbd_world_summary summary;
    assert_ok(xpbd_world_summarize(w, &summary));
    assert_int_equal(summary.n_particles, 4);
}

static void test_strides_below_the_element_are_refused(void **state)
{
    static const float zeros[64] = {0};
    static const uint32_t two_pairs[4] = {1, 2, 2, 3};
    static const size_t vector[] = {1, 4, 8, 11}, scalar[] = {1, 2, 3}, index[] = {1, 4, 7};
    const twins *t = *state;
    xpbd_world *w = t->world;
    for (uint32_t i = 0; i < COUNT_OF(vector); i++) {
        float out[16];
        xpbd_particles p = {.position = zeros, .position_stride = vector[i]};
        REFUSED(t, xpbd_world_add_particles(w, 2, &p, NULL), XPBD_ERROR_STRIDE, -1, NO_ELEMENT,
                NO_VALUE);
        p = (xpbd_particles){.position = zeros, .velocity = zeros, .velocity_stride = vector[i]};
        REFUSED(t, xpbd_world_add_particles(w, 2, &p, NULL), XPBD_ERROR_STRIDE, -1, NO_ELEMENT,
                NO_VALUE);
        REFUSED(t, xpbd_world_set_positions(w, 0, 2, zeros, vector[i]), XPBD_ERROR_STRIDE, -1,
                NO_ELEMENT, NO_VALUE);
        REFUSED(t, xpbd_world_set_velocities(w, 0, 2, zeros, vector[i]), XPBD_ERROR_STRIDE, -1,
                NO_ELEMENT, NO_VALUE);
        REFUSED(t, xpbd_world_set_forces(w, 0, 2, zeros, vector[i]), XPBD_ERROR_STRIDE, -1,
                NO_ELEMENT, NO_VALUE);
        REFUSED(t, xpbd_world_move_particles(w, 0, 1, zeros, vector[i]), XPBD_ERROR_STRIDE, -1,
                NO_ELEMENT, NO_VALUE);
        assert_status(xpbd_world_read_positions(w, 0, 2, out, vector[i]), XPBD_ERROR_STRIDE);
        assert_status(xpbd_world_read_velocities(w, 0, 2, out, vector[i]), XPBD_ERROR_STRIDE);
        assert_status(xpbd_world_read_forces(w, XPBD_DISTANCE, 0, 2, out, 2 * vector[i]),
                      XPBD_ERROR_STRIDE);
        assert_status(xpbd_world_read_lambdas(w, XPBD_ATTACH, 0, 1, out, vector[i]),
                      XPBD_ERROR_STRIDE);
    }
    for (uint32_t i = 0; i < COUNT_OF(scalar); i++) {
        xpbd_particles p = {
            .position = zeros, .inverse_mass = zeros, .inverse_mass_stride = scalar[i]};
        REFUSED(t, xpbd_world_add_particles(w, 2, &p, NULL), XPBD_ERROR_STRIDE, -1, NO_ELEMENT,
                NO_VALUE);
        REFUSED(t, xpbd_world_set_inverse_masses(w, 0, 2, zeros, scalar[i]), XPBD_ERROR_STRIDE, -1,
                NO_ELEMENT, NO_VALUE);
        xpbd_constraints c = {.particles = two_pairs, .particles_stride = index[i]};
        REFUSED(t, xpbd_world_add_constraints(w, XPBD_DISTANCE, 2, &c, NULL), XPBD_ERROR_STRIDE,
                XPBD_DISTANCE, NO_ELEMENT, NO_VALUE);
    }
}

static void test_strides_of_constraint_data_are_checked(void **state)
{
    static const float zeros[8] = {0};
    static const uint32_t two_pairs[4] = {1, 2, 2, 3};
    const twins *t = *state;
    const xpbd_constraints bad[3] = {
        {.particles = two_pairs, .rest = zeros, .rest_stride = 3},
        {.particles = two_pairs, .compliance = zeros, .compliance_stride = 3},
        {.particles = two_pairs, .damping = zeros, .damping_stride = 3}};
    for (uint32_t i = 0; i < COUNT_OF(bad); i++) {
        xpbd_constraints c = bad[i];
        REFUSED(t, xpbd_world_add_constraints(t->world, XPBD_DISTANCE, 2, &c, NULL),
                XPBD_ERROR_STRIDE, XPBD_DISTANCE, NO_ELEMENT, NO_VALUE);
        c.particles = NULL;
        REFUSED(t, xpbd_world_set_constraints(t->world, XPBD_DISTANCE, 0, 2, &c), XPBD_ERROR_STRIDE,
                XPBD_DISTANCE, NO_ELEMENT, NO_VALUE);
    }
    xpbd_constraints c = {.rest = zeros, .rest_stride = 8}; /* an attach target has 12 bytes */
    REFUSED(t, xpbd_world_set_constraints(t->world, XPBD_ATTACH, 0, 1, &c), XPBD_ERROR_STRIDE,
            XPBD_ATTACH, NO_ELEMENT, NO_VALUE);
}

static void test_A14_add_constraints_refuses_indices(void **state)
{
    static const uint32_t past_end[][2] = {{1, 2}, {2, 4}}, huge[][2] = {{1, 2}, {UINT32_MAX, 2}};
    static const uint32_t repeated[][2] = {{1, 2}, {2, 3}, {3, 3}};
    static const uint32_t lone = 4, fold[4] = {0, 1, 2, 2}, tet[4] = {0, 1, 2, 9};
    const twins *t = *state;
    xpbd_world *w = t->world;
    xpbd_constraints c = {.particles = past_end[0]};
    REFUSED(t, xpbd_world_add_constraints(w, XPBD_DISTANCE, 2, &c, NULL), XPBD_ERROR_PARTICLE_INDEX,
            XPBD_DISTANCE, 1, 4);
    c.particles = huge[0];
    REFUSED(t, xpbd_world_add_constraints(w, XPBD_DISTANCE, 2, &c, NULL), XPBD_ERROR_PARTICLE_INDEX,
            XPBD_DISTANCE, 1, NO_VALUE);
    assert_non_null(strstr(xpbd_world_error(w)->text, "4294967295"));
    c.particles = repeated[0];
    REFUSED(t, xpbd_world_add_constraints(w, XPBD_DISTANCE, 3, &c, NULL),
            XPBD_ERROR_PARTICLE_REPEATED, XPBD_DISTANCE, 2, 3);
    c.particles = &lone;
    REFUSED(t, xpbd_world_add_constraints(w, XPBD_ATTACH, 1, &c, NULL), XPBD_ERROR_PARTICLE_INDEX,
            XPBD_ATTACH, 0, 4);
    c.particles = fold;
    REFUSED(t, xpbd_world_add_constraints(w, XPBD_BEND_DIHEDRAL, 1, &c, NULL),
            XPBD_ERROR_PARTICLE_REPEATED, XPBD_BEND_DIHEDRAL, 0, 2);
    c.particles = tet;
    REFUSED(t, xpbd_world_add_constraints(w, XPBD_TET_VOLUME, 1, &c, NULL),
            XPBD_ERROR_PARTICLE_INDEX, XPBD_TET_VOLUME, 0, 9);
}

static void test_A10_add_constraints_refuses(void **state)
{
    static const uint32_t two[][2] = {{1, 2}, {2, 3}};
    static const float bad[][2] = {{1, -1}, {1, NAN}, {1, INFINITY}, {1, -INFINITY}};
    static const int no_types[] = {-1, XPBD_CONSTRAINT_TYPE_COUNT, 1000};
    const twins *t = *state;
    xpbd_world *w = t->world;
    xpbd_constraints c = {.particles = two[0]};
    REFUSED(t, xpbd_world_add_constraints(w, XPBD_DISTANCE, 2, NULL, NULL), XPBD_ERROR_NULL, -1,
            NO_ELEMENT, NO_VALUE);
    for (uint32_t i = 0; i < COUNT_OF(no_types); i++) {
        assert_status(xpbd_world_add_constraints(w, (xpbd_constraint_type)no_types[i], 1, &c, NULL),
                      XPBD_ERROR_TYPE);
        assert_status(xpbd_world_set_constraints(w, (xpbd_constraint_type)no_types[i], 0, 1, &c),
                      XPBD_ERROR_TYPE);
    }
    assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, 0, &c, NULL));
    c.particles_stride = XPBD_SAME;
    REFUSED(t, xpbd_world_add_constraints(w, XPBD_DISTANCE, UINT32_MAX, &c, NULL), XPBD_ERROR_COUNT,
            XPBD_DISTANCE, NO_ELEMENT, NO_VALUE);
    c = (xpbd_constraints){.particles = NULL, .rest = lengths};
    REFUSED(t, xpbd_world_add_constraints(w, XPBD_DISTANCE, 2, &c, NULL), XPBD_ERROR_NULL,
            XPBD_DISTANCE, NO_ELEMENT, NO_VALUE);
    for (uint32_t i = 0; i < COUNT_OF(bad); i++) {
        c = (xpbd_constraints){.particles = two[0], .rest = bad[i]};
        REFUSED(t, xpbd_world_add_constraints(w, XPBD_DISTANCE, 2, &c, NULL), XPBD_ERROR_REST,
                XPBD_DISTANCE, 1, (double)bad[i][1]);
        c = (xpbd_constraints){.particles = two[0], .compliance = bad[i]};
        REFUSED(t, xpbd_world_add_constraints(w, XPBD_DISTANCE, 2, &c, NULL), XPBD_ERROR_COMPLIANCE,
                XPBD_DISTANCE, 1, (double)bad[i][1]);
        c = (xpbd_constraints){.particles = two[0], .damping = bad[i]};
        REFUSED(t, xpbd_world_add_constraints(w, XPBD_DISTANCE, 2, &c, NULL), XPBD_ERROR_DAMPING,
                XPBD_DISTANCE, 1, (double)bad[i][1]);
    }
    for (uint32_t i = 0; i < COUNT_OF(bad_vectors); i++) {
        c = (xpbd_constraints){.particles = two[0], .rest = bad_vectors[i][0]};
        REFUSED(t, xpbd_world_add_constraints(w, XPBD_ATTACH, 2, &c, NULL), XPBD_ERROR_REST,
                XPBD_ATTACH, 1, bad_components[i]);
    }
    xpbd_world_summary summary;
    assert_ok(xpbd_world_summarize(w, &summary));
    assert_int_equal(summary.n_constraints[XPBD_DISTANCE], 3);
    assert_int_equal(summary.n_constraints[XPBD_ATTACH], 1);
}

static void test_A10_set_constraints_refuses(void **state)
{
    static const float bad[][2] = {{1, -1}, {1, NAN}, {1, INFINITY}, {1, -INFINITY}};
    const twins *t = *state;
    xpbd_world *w = t->world;
    REFUSED(t, xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, 1, NULL), XPBD_ERROR_NULL, -1,
            NO_ELEMENT, NO_VALUE);
    for (uint32_t i = 0; i < COUNT_OF(bad); i++) {
        xpbd_constraints c = {.rest = bad[i]};
        REFUSED(t, xpbd_world_set_constraints(w, XPBD_DISTANCE, 1, 2, &c), XPBD_ERROR_REST,
                XPBD_DISTANCE, 2, (double)bad[i][1]);
        c = (xpbd_constraints){.rest = lengths, .compliance = bad[i]};
        REFUSED(t, xpbd_world_set_constraints(w, XPBD_DISTANCE, 1, 2, &c), XPBD_ERROR_COMPLIANCE,
                XPBD_DISTANCE, 2, (double)bad[i][1]);
        c = (xpbd_constraints){.rest = lengths, .damping = bad[i]};
        REFUSED(t, xpbd_world_set_constraints(w, XPBD_DISTANCE, 1, 2, &c), XPBD_ERROR_DAMPING,
                XPBD_DISTANCE, 2, (double)bad[i][1]);
    }
    for (uint32_t i = 0; i < COUNT_OF(bad_vectors); i++) {
        xpbd_constraints c = {.rest = bad_vectors[i][1]};
        REFUSED(t, xpbd_world_set_constraints(w, XPBD_ATTACH, 0, 1, &c), XPBD_ERROR_REST,
                XPBD_ATTACH, 0, bad_components[i]);
    }
    xpbd_constraints c = {.rest = lengths, .particles = pairs[0]};
    assert_int_not_equal(xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, 1, &c), XPBD_OK);
    assert_same_hash(xpbd_world_hash(w), t->hash, "particles given to set_constraints");
}

static void test_A10_set_state_refuses_values(void **state)
{
    static const float bad_masses[][2] = {{1, -1}, {1, NAN}, {1, INFINITY}, {1, -INFINITY}};
    const twins *t = *state;
    xpbd_world *w = t->world;
    for (uint32_t i = 0; i < COUNT_OF(bad_vectors); i++) {
        const float *v = bad_vectors[i][0];
        REFUSED(t, xpbd_world_set_positions(w, 1, 2, v, 0), XPBD_ERROR_POSITION, -1, 2,
                bad_components[i]);
        REFUSED(t, xpbd_world_set_velocities(w, 1, 2, v, 0), XPBD_ERROR_VELOCITY, -1, 2,
                bad_components[i]);
        REFUSED(t, xpbd_world_set_forces(w, 1, 2, v, 0), XPBD_ERROR_FORCE, -1, 2,
                bad_components[i]);
        REFUSED(t, xpbd_world_move_particles(w, 0, 1, bad_vectors[i][1], 0), XPBD_ERROR_POSITION,
                -1, 0, bad_components[i]);
        REFUSED(t, xpbd_world_set_acceleration(w, bad_vectors[i][1]), XPBD_ERROR_ACCELERATION, -1,
                NO_ELEMENT, bad_components[i]);
    }
    for (uint32_t i = 0; i < COUNT_OF(bad_masses); i++)
        REFUSED(t, xpbd_world_set_inverse_masses(w, 1, 2, bad_masses[i], 0),
                XPBD_ERROR_INVERSE_MASS, -1, 2, (double)bad_masses[i][1]);
    REFUSED(t, xpbd_world_move_particles(w, 0, 2, positions[0], 0), XPBD_ERROR_NOT_PINNED, -1, 1,
            NO_VALUE);
    REFUSED(t, xpbd_world_set_solver(w, 0, 10), XPBD_ERROR_SUBSTEPS, -1, NO_ELEMENT, 0);
    REFUSED(t, xpbd_world_set_solver(w, 1000001, 10), XPBD_ERROR_SUBSTEPS, -1, NO_ELEMENT,
            NO_VALUE);
    REFUSED(t, xpbd_world_set_solver(w, 1, 1000001), XPBD_ERROR_ITERATIONS, -1, NO_ELEMENT,
            NO_VALUE);
    REFUSED(t, xpbd_world_set_threads(w, -1), XPBD_ERROR_THREADS, -1, NO_ELEMENT, -1);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_A10_add_particles_refuses),
        CASE(test_strides_below_the_element_are_refused),
        CASE(test_strides_of_constraint_data_are_checked),
        CASE(test_A14_add_constraints_refuses_indices),
        CASE(test_A10_add_constraints_refuses),
        CASE(test_A10_set_constraints_refuses),
        CASE(test_A10_set_state_refuses_values),
    };
    return RUN_GROUP("api_refusals", tests);
}
