/* SPDX-License-Identifier: MIT
 *
 * What a batch of constraints of variable size is checked for, and how it is written.
 */
#include "solver/variable.h"

#include <string.h>

xpbd_status xpbd_elements_check(const xpbd_world *world, xpbd_constraint_type type, uint32_t count,
                                uint32_t used, xpbd_constraints *in, uint32_t *total)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    const int32_t t = (int32_t)type;
    *total = count;
    if (!info->variable) {
        return !in->sizes && !in->element_rest
                   ? XPBD_OK
                   : xpbd_fail(world, XPBD_ERROR_SIZE, t, 0, 0.0,
                               "%s has to be null: this type has one element",
                               in->sizes ? "sizes" : "element_rest");
    }
    if (!in->sizes && count > 0) {
        return xpbd_fail(world, XPBD_ERROR_NULL, t, 0, 0.0, "sizes is null");
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (in->sizes[i] == 0) {
            return xpbd_fail(world, XPBD_ERROR_SIZE, t, i, 0.0,
                             "constraint %u of this batch has no elements", i);
        }
        sum += in->sizes[i];
    }
    if (sum > XPBD_MOST - used) {
        return xpbd_fail(world, XPBD_ERROR_COUNT, t, used, (double)sum,
                         "%llu elements more than %u are too many; the limit is %u",
                         (unsigned long long)sum, used, XPBD_MOST);
    }
    *total = (uint32_t)sum;
    return xpbd_elements_check_rest(world, type, *total, in);
}

xpbd_status xpbd_elements_check_rest(const xpbd_world *world, xpbd_constraint_type type,
                                     uint32_t total, xpbd_constraints *in)
{
    const uint32_t n = xpbd_constraint_type_info(type)->n_element_rest;
    const int32_t t = (int32_t)type;
    if (!in->element_rest) {
        return XPBD_OK;
    }
    if (n == 0) {
        return xpbd_fail(world, XPBD_ERROR_SIZE, t, 0, 0.0,
                         "element_rest has to be null: elements of this type have none");
    }
    XPBD_TRY(xpbd_check_array(world, t, in->element_rest, total, n, &in->element_rest_stride,
                              "element_rest"));
    for (uint32_t e = 0; e < total; e++) {
        for (uint32_t k = 0; k < n; k++) {
            const float value = xpbd_input(in->element_rest, in->element_rest_stride, e, k);
            if (!xpbd_is_finite(value)) {
                return xpbd_fail(world, XPBD_ERROR_REST, t, e, (double)value,
                                 "rest value %u of element %u of this call is %g", k, e,
                                 (double)value);
            }
        }
    }
    return XPBD_OK;
}

static void particles_of(const xpbd_constraints *in, uint32_t element, uint32_t n, uint32_t *p)
{
    memcpy(p, (const char *)in->particles + element * in->particles_stride, n * sizeof *p);
}

/* A set of numbers: open addressing in a table of a power of two, at most half full. */
typedef struct numbers {
    uint64_t *table; /* number + 1; 0: empty */
    uint64_t mask;
} numbers;

/* Find a number, or the place for it. */
static uint64_t *numbers_at(const numbers *set, uint64_t number)
{
    uint64_t at = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    while (set->table[at & set->mask] && set->table[at & set->mask] != number + 1) {
        at++;
    }
    return &set->table[at & set->mask];
}

static xpbd_status check_members(const xpbd_world *world, xpbd_constraint_type type, uint32_t i,
                                 uint32_t first, const xpbd_constraints *in, const numbers *set)
{
    for (uint32_t e = 0; e < in->sizes[i]; e++) {
        uint32_t p;
        particles_of(in, first + e, 1, &p);
        uint64_t *place = numbers_at(set, p);
        if (*place) {
            return xpbd_fail(world, XPBD_ERROR_PARTICLE_REPEATED, (int32_t)type, i, p,
                             "constraint %u of this batch names particle %u twice", i, p);
        }
        *place = (uint64_t)p + 1;
    }
    return XPBD_OK;
}

/* Every directed edge once, and its opposite too: then every edge has two triangles, which turn the
 * same way. Several surfaces in one constraint are fine, and so are surfaces that touch in a point.
 */
static xpbd_status check_closed(const xpbd_world *world, xpbd_constraint_type type, uint32_t i,
                                uint32_t first, const xpbd_constraints *in, const numbers *set)
{
    for (int opposite = 0; opposite < 2; opposite++) {
        for (uint32_t k = 0; k < 3 * in->sizes[i]; k++) {
            uint32_t p[3];
            particles_of(in, first + k / 3, 3, p);
            const uint64_t a = p[k % 3], b = p[(k + 1) % 3];
            uint64_t *place = numbers_at(set, opposite ? b << 32 | a : a << 32 | b);
            if (opposite ? *place == 0 : *place != 0) {
                return xpbd_fail(world, XPBD_ERROR_MESH_OPEN, (int32_t)type, i, k / 3,
                                 "constraint %u of this batch: the edge from %u to %u of triangle "
                                 "%u %s",
                                 i, p[k % 3], p[(k + 1) % 3], k / 3,
                                 opposite ? "has no triangle on its other side"
                                          : "is one of another triangle in the same direction");
            }
            *place = opposite ? *place : (a << 32 | b) + 1;
        }
    }
    return XPBD_OK;
}

/* Types whose elements are single particles, or have to be closed surfaces. */
static bool is_checked(xpbd_constraint_type type)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    return info->variable && (info->n_particles == 1 || xpbd_constraint_ops_of(type)->closed);
}

/* Places of a table for the particles or edges of a constraint: see numbers. */
static size_t table_room(uint32_t elements, uint32_t corners)
{
    size_t room = 4;
    while (room < 2 * (uint64_t)elements * corners) {
        room *= 2;
    }
    return room;
}

xpbd_status xpbd_elements_check_shapes(xpbd_world *world, xpbd_constraint_type type, uint32_t count,
                                       const xpbd_constraints *in)
{
    const uint32_t corners = xpbd_constraint_type_info(type)->n_particles;
    const bool closed = xpbd_constraint_ops_of(type)->closed;
    if (!is_checked(type) || count == 0) {
        return XPBD_OK;
    }
    uint32_t most = 1;
    for (uint32_t i = 0; i < count; i++) {
        most = in->sizes[i] > most ? in->sizes[i] : most;
    }
    const size_t room = table_room(most, corners);
    const xpbd_buffer *reserved = &world->model.table;
    const bool own = reserved->capacity < room;
    uint64_t *table = own ? xpbd_memory_alloc(&world->memory, room, sizeof *table) : reserved->data;
    if (!table) {
        return xpbd_fail(world, XPBD_ERROR_MEMORY, (int32_t)type, count, 0.0,
                         "no memory to check %u constraints", count);
    }
    xpbd_status status = XPBD_OK;
    uint32_t first = 0;
    for (uint32_t i = 0; i < count && status == XPBD_OK; i++) {
        numbers set = {table, 3};
        while (set.mask + 1 < 2 * (uint64_t)in->sizes[i] * corners) {
            set.mask = 2 * set.mask + 1;
        }
        memset(table, 0, (size_t)(set.mask + 1) * sizeof *table);
        status = closed ? check_closed(world, type, i, first, in, &set)
                        : check_members(world, type, i, first, in, &set);
        first += in->sizes[i];
    }
    if (own) {
        xpbd_memory_free(&world->memory, table, room, sizeof *table);
    }
    return status;
}

bool xpbd_elements_reserve_check(xpbd_world *world, xpbd_constraint_type type, uint32_t total)
{
    const uint32_t corners = xpbd_constraint_type_info(type)->n_particles;
    return !is_checked(type) || xpbd_buffer_reserve(&world->memory, &world->model.table, 0,
                                                    table_room(total, corners), sizeof(uint64_t));
}

/* The rest data of an element: the caller's, or where its particles are. */
static void element_rest_of(const xpbd_world *world, xpbd_constraint_type type, uint32_t element,
                            const xpbd_constraints *in, float *rest)
{
    const uint32_t n = xpbd_constraint_type_info(type)->n_element_rest;
    const xpbd_view view = xpbd_view_positions(world);
    uint32_t p[XPBD_CORNERS_MAX];
    particles_of(in, element, xpbd_constraint_type_info(type)->n_particles, p);
    for (uint32_t k = 0; k < n; k++) {
        rest[k] = in->element_rest
                      ? xpbd_input(in->element_rest, in->element_rest_stride, element, k)
                      : *xpbd_view_at(&view, p[k / 3], k % 3);
    }
}

xpbd_status xpbd_elements_check_pose(const xpbd_world *world, xpbd_constraint_type type,
                                     uint32_t total, const xpbd_constraints *in)
{
    const uint32_t n = xpbd_constraint_type_info(type)->n_element_rest;
    for (uint32_t e = 0; n > 0 && !in->element_rest && e < total; e++) {
        float rest[XPBD_ELEMENT_REST_MAX];
        element_rest_of(world, type, e, in, rest);
        for (uint32_t k = 0; k < n; k++) {
            if (!xpbd_is_finite(rest[k])) {
                return xpbd_fail(world, XPBD_ERROR_REST, (int32_t)type, e, (double)rest[k],
                                 "rest value %u of element %u of this call is %g: its particle is "
                                 "there",
                                 k, e, (double)rest[k]);
            }
        }
    }
    return XPBD_OK;
}

/* Elements of a batch, which are not in the model yet. */
typedef struct incoming {
    xpbd_elements elements; /* first: its reader finds the rest behind it */
    const xpbd_world *world;
    const xpbd_constraints *in;
    xpbd_constraint_type type;
    uint32_t first;
} incoming;

static void read_incoming(const xpbd_elements *elements, uint32_t element, double (*x)[3],
                          float *element_rest)
{
    const incoming *at = (const incoming *)(const void *)elements;
    const uint32_t n = xpbd_constraint_type_info(at->type)->n_particles;
    const xpbd_view view = xpbd_view_positions(at->world);
    uint32_t p[XPBD_CORNERS_MAX];
    particles_of(at->in, at->first + element, n, p);
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t c = 0; c < 3; c++) {
            x[k][c] = (double)*xpbd_view_at(&view, p[k], c);
        }
    }
    if (element_rest) {
        element_rest_of(at->world, at->type, at->first + element, at->in, element_rest);
    }
}

void xpbd_elements_rest(const xpbd_world *world, xpbd_constraint_type type, uint32_t first,
                        uint32_t n, const xpbd_constraints *in, float *rest)
{
    const incoming at = {{n, read_incoming}, world, in, type, first};
    xpbd_constraint_ops_of(type)->rest_of_elements(&at.elements, rest);
}

bool xpbd_elements_reserve(xpbd_world *world, xpbd_constraint_type type, uint32_t count,
                           uint32_t total)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    xpbd_set *set = &world->model.sets[type];
    const size_t n = set->count, used = xpbd_set_element(set, set->count);
    if (!info->variable) {
        return true;
    }
    const bool fresh = !set->offsets.data;
    if (!xpbd_buffer_reserve(&world->memory, &set->offsets, fresh ? 0 : n + 1, n + 1 + count,
                             sizeof(uint32_t))) {
        return false;
    }
    if (fresh) {
        *(uint32_t *)set->offsets.data = 0;
    }
    return info->n_element_rest == 0 ||
           xpbd_buffer_reserve(&world->memory, &set->element_rest, used, used + total,
                               info->n_element_rest * sizeof(float));
}

void xpbd_elements_append(xpbd_world *world, xpbd_constraint_type type, uint32_t count,
                          const xpbd_constraints *in)
{
    xpbd_set *set = &world->model.sets[type];
    const uint32_t used = xpbd_set_element(set, set->count);
    uint32_t *offsets = set->offsets.data;
    if (!offsets) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t n = set->count + i;
        offsets[n + 1] = offsets[n] + in->sizes[i];
    }
    xpbd_elements_write_rest(world, type, used, offsets[set->count + count] - used, in);
}

void xpbd_elements_write_rest(xpbd_world *world, xpbd_constraint_type type, uint32_t first,
                              uint32_t total, const xpbd_constraints *in)
{
    const uint32_t n = xpbd_constraint_type_info(type)->n_element_rest;
    float *rest = world->model.sets[type].element_rest.data;
    for (uint32_t e = 0; n > 0 && e < total; e++) {
        for (uint32_t k = 0; k < n && in->element_rest; k++) {
            rest[(size_t)(first + e) * n + k] =
                xpbd_input(in->element_rest, in->element_rest_stride, e, k);
        }
        if (!in->element_rest) {
            element_rest_of(world, type, e, in, rest + (size_t)(first + e) * n);
        }
    }
}
