/* SPDX-License-Identifier: MIT
 *
 * Meshes for the tests of the builders, and what a world holds: see support_build.h. There is no
 * public call that reads indices and compliances back, so that is the solver's own record.
 */
#include "support_build.h"

#include "solver/check.h"

#include <math.h>

static kit_mesh make(uint32_t n_vertices, uint32_t n_elements, uint32_t corners)
{
    kit_mesh mesh = {.n_vertices = n_vertices, .n_elements = n_elements};
    mesh.x = malloc(n_vertices * sizeof *mesh.x);
    mesh.elements = malloc((size_t)n_elements * corners * sizeof *mesh.elements);
    assert_true(mesh.x && mesh.elements);
    return mesh;
}

/* Cut a quad a b / c d (c above a) along b-c, or along a-d. */
static uint32_t *cut(uint32_t *out, uint32_t a, uint32_t b, uint32_t c, uint32_t d, bool other)
{
    const uint32_t along_bc[6] = {a, b, c, b, d, c}, along_ad[6] = {a, b, d, a, d, c};
    memcpy(out, other ? along_ad : along_bc, sizeof along_bc);
    return out + 6;
}

kit_mesh kit_sheet(uint32_t columns, uint32_t rows, float size, kit_diagonals diagonals)
{
    kit_mesh mesh = make((columns + 1) * (rows + 1), 2 * columns * rows, 3);
    const bool equilateral = diagonals == KIT_EQUILATERAL;
    const float row = equilateral ? size * sqrtf(0.75f) : size;
    for (uint32_t v = 0; v < mesh.n_vertices; v++) {
        const uint32_t i = v % (columns + 1), j = v / (columns + 1);
        const float shift = equilateral && j % 2 ? 0.5f : 0.0f;
        mesh.x[v][0] = ((float)i + shift) * size;
        mesh.x[v][1] = 0;
        mesh.x[v][2] = (float)j * row;
    }
    uint32_t *out = mesh.elements;
    for (uint32_t j = 0; j < rows; j++) {
        for (uint32_t i = 0; i < columns; i++) {
            const uint32_t a = j * (columns + 1) + i, c = a + columns + 1;
            const bool other = equilateral                    ? j % 2 == 1
                               : diagonals == KIT_ALTERNATING ? (i + j) % 2 == 1
                                                              : false;
            out = cut(out, a, a + 1, c, c + 1, other);
        }
    }
    return mesh;
}

kit_mesh kit_solid(uint32_t nx, uint32_t ny, uint32_t nz, float size)
{
    /* All six share the diagonal from corner 0 to corner 7, and neighbouring cubes fit. */
    static const uint8_t six[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                      {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    kit_mesh mesh = make((nx + 1) * (ny + 1) * (nz + 1), 6 * nx * ny * nz, 4);
    for (uint32_t v = 0; v < mesh.n_vertices; v++) {
        mesh.x[v][0] = (float)(v % (nx + 1)) * size;
        mesh.x[v][1] = (float)(v / (nx + 1) % (ny + 1)) * size;
        mesh.x[v][2] = (float)(v / (nx + 1) / (ny + 1)) * size;
    }
    uint32_t *out = mesh.elements;
    for (uint32_t c = 0; c < nx * ny * nz; c++) {
        const uint32_t i = c % nx, j = c / nx % ny, k = c / nx / ny;
        for (uint32_t t = 0; t < 6; t++) {
            for (uint32_t n = 0; n < 4; n++) {
                const uint32_t bit = six[t][n];
                *out++ =
                    ((k + (bit >> 2)) * (ny + 1) + j + (bit >> 1 & 1)) * (nx + 1) + i + (bit & 1);
            }
        }
    }
    return mesh;
}

void kit_mesh_free(kit_mesh *mesh)
{
    free(mesh->x);
    free(mesh->elements);
    *mesh = (kit_mesh){0};
}

xpbd_build_mesh kit_mesh_input(const kit_mesh *mesh)
{
    return (xpbd_build_mesh){.n_vertices = mesh->n_vertices,
                             .position = mesh->x[0],
                             .n_elements = mesh->n_elements,
                             .elements = mesh->elements};
}

static const xpbd_set *set_of(const xpbd_world *world, xpbd_constraint_type type, uint32_t index)
{
    assert_true((unsigned)type < XPBD_CONSTRAINT_TYPE_COUNT);
    assert_true(index < world->model.sets[type].count);
    return &world->model.sets[type];
}

const uint32_t *kit_constraint_particles(const xpbd_world *world, xpbd_constraint_type type,
                                         uint32_t index)
{
    const uint32_t *all = set_of(world, type, index)->particles.data;
    return all + (size_t)index * xpbd_constraint_type_info(type)->n_particles;
}

float kit_constraint_rest(const xpbd_world *world, xpbd_constraint_type type, uint32_t index,
                          uint32_t k)
{
    const float *all = set_of(world, type, index)->rest.data;
    return all[(size_t)index * xpbd_constraint_type_info(type)->n_rest + k];
}

float kit_constraint_compliance(const xpbd_world *world, xpbd_constraint_type type, uint32_t index)
{
    return xpbd_column_at(set_of(world, type, index), XPBD_COLUMN_compliance, index);
}

float kit_inverse_mass(const xpbd_world *world, uint32_t particle)
{
    assert_true(particle < world->model.n_particles);
    return ((const float *)world->model.inverse_mass.data)[particle];
}

uint32_t kit_n_particles(const xpbd_world *world)
{
    return world->model.n_particles;
}

uint32_t kit_n_constraints(const xpbd_world *world)
{
    uint32_t n = 0;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++)
        n += world->model.sets[type].count;
    return n;
}

void kit_check_contains(const char *said, const char *text)
{
    if (!strstr(said, text))
        fail_msg("\"%s\" does not say \"%s\"", said, text);
}
