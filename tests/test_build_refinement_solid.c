/* SPDX-License-Identifier: MIT
 *
 * The same hanging beam from coarser and finer tetrahedra: it gets longer by
 * rho g L^2 / (2 E).
 */
#include "support_build.h"

#include <math.h>

/* 1 m x 1/4 m x 1/4 m of E = 1 MPa and 1000 kg/m^3, held at its upper end.
 * Returns how much longer it gets, as a fraction of the formula. */
static double hang(uint32_t n, xpbd_solid_model model, float nu)
{
    const uint32_t across = n / 4, per_layer = (across + 1) * (across + 1);
    kit_mesh mesh = kit_solid(across, across, n, 1.0f / (float)n);
    uint32_t pins[32];
    assert_true(per_layer <= COUNT_OF(pins));
    for (uint32_t p = 0; p < per_layer; p++)
        pins[p] = p;
    xpbd_build_mesh input = kit_mesh_input(&mesh);
    input.n_pinned = per_layer;
    input.pinned = pins;
    xpbd_tetrahedra_def def = xpbd_default_tetrahedra_def();
    def.model = model;
    def.young_modulus = 1e6f;
    def.poisson_ratio = nu;
    def.options.damping_ratio = 0.4f;
    def.options.damping_frequency = 8;
    xpbd_world_def world_def = kit_def(NULL);
    world_def.iterations = 25;
    world_def.acceleration[2] = 9.81f; /* layers go up in z, and it hangs that way */
    xpbd_world *w = kit_create(&world_def);
    xpbd_built built;
    assert_ok(xpbd_build_tetrahedra(w, &input, &def, &built));
    kit_steps(w, (uint32_t)(0.6 / (0.012 / n)), 0.012 / n);
    float(*x)[3] = kit_positions(w);
    double mean = 0;
    for (uint32_t p = mesh.n_vertices - per_layer; p < mesh.n_vertices; p++)
        mean += ((double)x[p][2] - 1.0) / per_layer;
    free(x);
    xpbd_world_destroy(w);
    kit_mesh_free(&mesh);
    return mean / (1000 * 9.81 / (2 * 1e6));
}

static void check(xpbd_solid_model model, const char *name, float nu, double want, double tolerance)
{
    for (uint32_t n = 4; n <= 12; n += 4) {
        const double ratio = hang(n, model, nu);
        print_message("    %s, nu %g, %u elements long: %.4f of the formula\n", name, (double)nu, n,
                      ratio);
        assert_near(ratio, want, tolerance);
    }
}

/* The upper end can not get narrower: that costs some percent where nu is not 0. StVK gets stiffer
 * with strain, by 1 % at 1/2 %. */
static void test_a_hanging_beam_of_elements(void **state)
{
    (void)state;
    check(XPBD_SOLID_NEO_HOOKEAN, "neo-Hookean", 0.001f, 1.0, 0.01);
    check(XPBD_SOLID_STVK, "StVK", 0, 0.99, 0.01);
    check(XPBD_SOLID_NEO_HOOKEAN, "neo-Hookean", 0.3f, 0.96, 0.025);
    check(XPBD_SOLID_STVK, "StVK", 0.3f, 0.95, 0.025);
}

/* Of cubes cut in six: their edges are along the axes more than in other directions. */
static void test_a_hanging_beam_of_edges(void **state)
{
    (void)state;
    check(XPBD_SOLID_EDGES, "edges", 0.25f, 0.94, 0.045);
    check(XPBD_SOLID_EDGES_AND_VOLUMES, "edges and volumes", 0.35f, 0.82, 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_hanging_beam_of_elements),
        cmocka_unit_test(test_a_hanging_beam_of_edges),
    };
    return RUN_GROUP("build_refinement_solid", tests);
}
