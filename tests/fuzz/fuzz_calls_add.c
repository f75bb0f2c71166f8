/* SPDX-License-Identifier: MIT
 *
 * Calls that add, and those that change what was added.
 */
#include "fuzz_calls.h"

#include "xpbd/build.h"

enum { MOST = 3, ELEMENTS = 6, CORNERS = 4, REST = 10 };

xpbd_constraint_type calls_type(calls_game *game)
{
    const uint32_t byte = fuzz_byte(&game->in);
    return (xpbd_constraint_type)(byte == 255 ? XPBD_CONSTRAINT_TYPE_COUNT
                                              : byte % XPBD_CONSTRAINT_TYPE_COUNT);
}

uint32_t calls_count(const calls_game *game, xpbd_constraint_type type)
{
    return (uint32_t)type < XPBD_CONSTRAINT_TYPE_COUNT ? game->has.n_constraints[type] : 0;
}

void calls_range(calls_game *game, uint32_t n, uint32_t *first, uint32_t *count)
{
    const uint32_t byte = fuzz_byte(&game->in);
    *first = byte == 255 ? UINT32_MAX : (byte >> 3) % (n + 1);
    *count = byte % 8 < n - *first ? byte % 8 : n - *first;
    if (byte >= 248)
        *count = byte == 254 ? UINT32_MAX : 3;
}

static size_t stride_of(calls_game *game, size_t n)
{
    const uint32_t byte = fuzz_byte(&game->in);
    return byte < 200 ? 0 : byte == 255 ? 3 : byte % 2 ? XPBD_SAME : 4 * n;
}

/* An array of n numbers, all of them taken one by one, or null. */
static const float *numbers(calls_game *game, float *to, size_t n, float (*number)(fuzz_bytes *in))
{
    for (size_t i = 0; i < n; i++)
        to[i] = number(&game->in);
    return to;
}

xpbd_status calls_add_particles(calls_game *game)
{
    float x[MOST * 2 * 3], v[MOST * 2 * 3], w[MOST * 2];
    uint32_t first = 77;
    uint32_t count = fuzz_below(&game->in, MOST * 2 + 1);
    if (game->has.n_particles + count > CALLS_MOST_PARTICLES)
        count = 0;
    const uint32_t bits = fuzz_byte(&game->in);
    xpbd_particles in = {.position = numbers(game, x, 3 * count, fuzz_number)};
    in.position_stride = bits & 4 ? stride_of(game, 3) : 0;
    in.velocity = bits & 1 ? numbers(game, v, 3 * count, fuzz_number) : NULL;
    in.inverse_mass = bits & 2 ? numbers(game, w, count, fuzz_amount) : NULL;
    if (bits == 255)
        in.position = NULL, count = 1;
    if (bits == 254)
        count = UINT32_MAX;
    const xpbd_status status = xpbd_world_add_particles(game->world, count, &in, &first);
    FUZZ_CHECK(first == (status == XPBD_OK ? game->has.n_particles : 77));
    return status;
}

/* Arrays of constraints, for `count` of them with `elements` in all. */
typedef struct arrays {
    uint32_t ids[MOST * ELEMENTS * CORNERS], sizes[MOST];
    float rest[MOST * REST], element_rest[MOST * ELEMENTS * 3];
    float columns[5][MOST];
} arrays;

static void give_columns(calls_game *game, uint32_t count, arrays *a, xpbd_constraints *in)
{
    const float **columns[] = {&in->compliance, &in->damping, &in->damping_time, &in->stiffness,
                               &in->break_force};
    size_t *strides[] = {&in->compliance_stride, &in->damping_stride, &in->damping_time_stride,
                         &in->stiffness_stride, &in->break_force_stride};
    const uint32_t bits = fuzz_byte(&game->in);
    for (uint32_t k = 0; k < 5; k++) {
        if (bits >> k & 1) {
            *columns[k] = numbers(game, a->columns[k], count, fuzz_amount);
            *strides[k] = bits & 64 ? stride_of(game, 1) : 0;
        }
    }
}

static void give_rest(calls_game *game, const xpbd_constraint_info *info, uint32_t count,
                      uint32_t elements, arrays *a, xpbd_constraints *in)
{
    const uint32_t bits = fuzz_byte(&game->in);
    if (bits & 1) {
        in->rest = numbers(game, a->rest, (size_t)count * info->n_rest, fuzz_number);
        in->rest_stride = bits & 16 ? stride_of(game, info->n_rest) : 0;
    }
    if (bits & 2 && info->n_element_rest)
        in->element_rest =
            numbers(game, a->element_rest, (size_t)elements * info->n_element_rest, fuzz_number);
}

/* Four triangles around four particles, or any; rarely a particle that is not there. */
static void give_ids(calls_game *game, const xpbd_constraint_info *info, uint32_t elements,
                     arrays *a)
{
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const uint32_t n = game->has.n_particles, base = fuzz_byte(&game->in);
    for (uint32_t k = 0; k < elements * info->n_particles; k++) {
        uint32_t id = base % (n + 1) + k;
        if (base >= 192)
            id = fuzz_byte(&game->in);
        else if (info->variable && info->n_particles == 3)
            id = base % (n + 1) + faces[k / 3 % 4][k % 3];
        a->ids[k] = base == 255 ? id : n > 0 ? id % n : 0;
    }
}

xpbd_status calls_add_constraints(calls_game *game)
{
    static const xpbd_constraint_info none = {.n_particles = 2, .n_rest = 1};
    arrays a;
    const xpbd_constraint_type type = calls_type(game);
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    const uint32_t bits = fuzz_byte(&game->in);
    uint32_t count = bits % (MOST + 1), elements = count, first = 77;
    xpbd_constraints in = {.particles = a.ids};
    info = info ? info : &none;
    if (info->variable) {
        elements = 0;
        in.sizes = a.sizes;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t size = fuzz_byte(&game->in);
            a.sizes[i] = size == 255 ? 0 : size % 2 ? 4 : size % (ELEMENTS + 1);
            elements += a.sizes[i];
        }
    } else if (bits == 255) {
        in.sizes = a.sizes;
        a.sizes[0] = a.sizes[1] = a.sizes[2] = 1;
    }
    give_ids(game, info, elements, &a);
    give_rest(game, info, count, elements, &a, &in);
    give_columns(game, count, &a, &in);
    if (bits == 254)
        in.particles = NULL;
    if (bits == 253)
        count = UINT32_MAX;
    const uint32_t before = calls_count(game, type);
    const xpbd_status status = xpbd_world_add_constraints(game->world, type, count, &in, &first);
    FUZZ_CHECK(first == (status == XPBD_OK ? before : 77));
    return status;
}

/* Elements of constraints [first, first + count). */
static uint32_t count_elements(const calls_game *game, xpbd_constraint_type type, uint32_t first,
                               uint32_t count)
{
    float one[3 * ELEMENTS], mark;
    uint32_t n = 0;
    const uint32_t bytes[2] = {0x7fc12345, 0};
    memcpy(&mark, bytes, sizeof mark);
    for (uint32_t i = first; i < first + count; i++) {
        /* As many as are written to. */
        uint32_t k = 0, word = 0;
        for (uint32_t c = 0; c < 3 * ELEMENTS; c++)
            one[c] = mark;
        FUZZ_CHECK(xpbd_world_read_lambdas(game->world, type, i, 1, one, 0) == XPBD_OK);
        for (; k < ELEMENTS; k++) {
            memcpy(&word, &one[3 * k], sizeof word);
            if (word == bytes[0])
                break;
        }
        n += k;
    }
    return n;
}

xpbd_status calls_set_constraints(calls_game *game)
{
    arrays a;
    uint32_t first, count;
    const xpbd_constraint_type type = calls_type(game);
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    const uint32_t n = calls_count(game, type);
    calls_range(game, n, &first, &count);
    xpbd_constraints in = {0};
    if (count > MOST && count <= n)
        count = MOST;
    if (info && first <= n && count <= n - first) {
        const bool each = info->n_element_rest > 0;
        give_rest(game, info, count, each ? count_elements(game, type, first, count) : 0, &a, &in);
    }
    give_columns(game, count <= MOST ? count : MOST, &a, &in);
    return xpbd_world_set_constraints(game->world, type, first, count, &in);
}

static void give_options(calls_game *game, xpbd_build_options *options)
{
    const uint32_t bits = fuzz_byte(&game->in);
    options->weld = bits & 1;
    options->weld_distance = bits & 2 ? fuzz_amount(&game->in) : 0.0f;
    options->tethers = bits & 4;
    options->damping_ratio = bits & 8 ? fuzz_amount(&game->in) : 0.0f;
    options->allocator = game->def.allocator;
    for (uint32_t k = 0; k < XPBD_FAULT_COUNT && bits & 16; k++)
        options->policy[k] = (xpbd_fault_policy)(fuzz_byte(&game->in) % 5 == 4);
}

static xpbd_status build(calls_game *game, const xpbd_build_mesh *mesh, uint32_t corners,
                         xpbd_built *built)
{
    const uint32_t kind = fuzz_byte(&game->in);
    xpbd_triangles_def sheet = xpbd_default_triangles_def();
    xpbd_tetrahedra_def solid = xpbd_default_tetrahedra_def();
    xpbd_polyline_def rod = xpbd_default_polyline_def();
    if (corners == 3) {
        give_options(game, &sheet.options);
        sheet.stretch = (xpbd_sheet_stretch)(kind % 3);
        sheet.bend = (xpbd_sheet_bend)(kind / 3 % 4);
        sheet.thickness = kind & 128 ? fuzz_amount(&game->in) : sheet.thickness;
        return xpbd_build_triangles(game->world, mesh, &sheet, built);
    }
    if (corners == 4) {
        give_options(game, &solid.options);
        solid.model = (xpbd_solid_model)(kind % 4);
        solid.poisson_ratio = kind & 128 ? fuzz_amount(&game->in) : solid.poisson_ratio;
        return xpbd_build_tetrahedra(game->world, mesh, &solid, built);
    }
    give_options(game, &rod.options);
    rod.bend = kind & 1;
    rod.radius = kind & 128 ? fuzz_amount(&game->in) : rod.radius;
    return xpbd_build_polyline(game->world, mesh, &rod, built);
}

xpbd_status calls_build(calls_game *game)
{
    float x[6 * 3];
    uint32_t elements[4 * 4], particle_of[6], pinned[1];
    xpbd_built built;
    const uint32_t corners = 2 + fuzz_below(&game->in, 3);
    xpbd_build_mesh mesh = {.n_vertices = fuzz_below(&game->in, 7), .particle_of = particle_of};
    mesh.n_elements = fuzz_below(&game->in, 5);
    mesh.position = numbers(game, x, 3 * mesh.n_vertices, fuzz_number);
    mesh.elements = elements;
    for (uint32_t k = 0; k < mesh.n_elements * corners; k++) {
        const uint32_t id = fuzz_byte(&game->in);
        elements[k] = id < 250 && mesh.n_vertices > 0 ? id % mesh.n_vertices : id;
    }
    pinned[0] = fuzz_below(&game->in, 8);
    mesh.n_pinned = pinned[0] < 7;
    mesh.pinned = pinned;
    if (game->has.n_particles + mesh.n_vertices > CALLS_MOST_PARTICLES)
        return XPBD_OK;
    const xpbd_status status = build(game, &mesh, corners, &built);
    FUZZ_CHECK(built.error.status == status);
    if (status != XPBD_OK) {
        fuzz_check_error(&built.error, status);
        FUZZ_CHECK(built.n_particles + built.stretch.count + built.bend.count == 0);
    }
    return status;
}
