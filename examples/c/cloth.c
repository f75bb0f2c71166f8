/* SPDX-License-Identifier: MIT
 *
 * A cloth of 32 x 32 particles that hangs by two corners, in C99. Positions are read into the
 * vertices of a renderer, which have more in them than a position.
 */
#include <stdio.h>
#include <xpbd/xpbd.h>

enum { N = 32 };

typedef struct vertex {
    float position[3];
    float color[4];
} vertex;

static vertex vertices[N * N];
static float inverse_mass[N * N];
static uint32_t springs[2 * N * N][2];

static uint32_t make_sheet(void)
{
    uint32_t i, n = 0;
    for (i = 0; i < N * N; i++) { /* a square of 1 m, level, pinned at two corners */
        vertices[i].position[0] = (float)(i % N) / N;
        vertices[i].position[2] = (float)(i / N) / N;
        inverse_mass[i] = i == 0 || i == N - 1 ? 0 : 1000; /* 1/kg */
        if (i % N < N - 1) {
            springs[n][0] = i;
            springs[n++][1] = i + 1;
        }
        if (i / N < N - 1) {
            springs[n][0] = i;
            springs[n++][1] = i + N;
        }
    }
    return n;
}

static xpbd_status simulate(xpbd_world *world, uint32_t n_springs)
{
    const float compliance = 1e-6f; /* m/N, of all springs */
    xpbd_particles particles = {0};
    xpbd_constraints constraints = {0};
    xpbd_status status;
    int step;

    particles.position = vertices[0].position;
    particles.position_stride = sizeof(vertex);
    particles.inverse_mass = inverse_mass;
    status = xpbd_world_add_particles(world, N * N, &particles, NULL);
    if (status != XPBD_OK)
        return status;

    constraints.particles = springs[0];
    constraints.compliance = &compliance;
    constraints.compliance_stride = XPBD_SAME;
    status = xpbd_world_add_constraints(world, XPBD_DISTANCE, n_springs, &constraints, NULL);
    for (step = 0; step < 120 && status == XPBD_OK; step++)
        status = xpbd_world_step(world, 1.0 / 60);
    if (status != XPBD_OK)
        return status;
    return xpbd_world_read_positions(world, 0, N * N, vertices[0].position, sizeof(vertex));
}

int main(void)
{
    xpbd_world *world;
    xpbd_error error;
    xpbd_status status;
    xpbd_world_def def = xpbd_default_world_def();

    if (xpbd_version() / 100 != XPBD_VERSION / 100) {
        fprintf(stderr, "compiled for another version of libxpbd\n");
        return 1;
    }
    def.substeps = 20;
    def.iterations = 1;
    if (xpbd_world_create(&def, &world, &error) != XPBD_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    status = simulate(world, make_sheet());
    if (status == XPBD_OK)
        printf("after 2 s the middle of the lower edge is at %.2f m, state %016llx\n",
               (double)vertices[N * N - N / 2].position[1],
               (unsigned long long)xpbd_world_hash(world));
    else
        fprintf(stderr, "%s\n", xpbd_world_error(world)->text);
    xpbd_world_destroy(world);
    return status != XPBD_OK;
}
