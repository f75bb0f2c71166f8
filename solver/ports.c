/* SPDX-License-Identifier: MIT
 *
 * Force ports. Elements that pull at a watched particle are listed once per build; the forces come
 * from the plain descriptions in double precision, like those of xpbd_world_read_forces().
 */
#include "solver/ports.h"
#include "solver/measure.h"

#include <string.h>

static xpbd_port *port_at(const xpbd_world *world, uint32_t k)
{
    return (xpbd_port *)world->ports.list.data + k;
}

static xpbd_status add(xpbd_world *world, int32_t type, uint32_t index, uint32_t *number)
{
    xpbd_ports *ports = &world->ports;
    if (!number) {
        return xpbd_fail(world, XPBD_ERROR_NULL, type, index, 0.0, "port is null");
    }
    if (!xpbd_buffer_reserve(&world->memory, &ports->list, ports->n, (size_t)ports->n + 1,
                             sizeof(xpbd_port))) {
        return xpbd_fail(world, XPBD_ERROR_MEMORY, type, index, 0.0, "no memory for a port");
    }
    *port_at(world, ports->n) = (xpbd_port){.type = type, .index = index};
    *number = ports->n++;
    ports->stale = true;
    return XPBD_OK;
}

xpbd_status xpbd_world_add_particle_port(xpbd_world *world, uint32_t particle, uint32_t *port)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    XPBD_TRY(xpbd_check_range(world, -1, particle, 1, world->model.n_particles, "particles"));
    XPBD_TRY(xpbd_check_present(world, -1, particle, 1));
    return add(world, -1, particle, port);
}

xpbd_status xpbd_world_add_constraint_port(xpbd_world *world, xpbd_constraint_type type,
                                           uint32_t index, uint32_t *port)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    XPBD_TRY(xpbd_check_type(world, type));
    if (xpbd_constraint_type_info(type)->variable) {
        return xpbd_fail(world, XPBD_ERROR_TYPE, (int32_t)type, index, 0.0,
                         "a constraint of variable size can be watched at its particles only");
    }
    XPBD_TRY(xpbd_check_range(world, (int32_t)type, index, 1, world->model.sets[type].count,
                              "constraints"));
    XPBD_TRY(xpbd_check_present(world, (int32_t)type, index, 1));
    return add(world, (int32_t)type, index, port);
}

xpbd_status xpbd_world_clear_ports(xpbd_world *world)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    world->ports.n = world->ports.n_pulls = 0;
    world->ports.stale = false;
    return XPBD_OK;
}

xpbd_status xpbd_world_read_port(const xpbd_world *world, uint32_t port, float *force)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_range(world, -1, port, 1, world->ports.n, "ports"));
    if (!force) {
        return xpbd_fail(world, XPBD_ERROR_NULL, -1, port, 0.0, "force is null");
    }
    const xpbd_port *p = port_at(world, port);
    const uint32_t n =
        p->type < 0 ? 1 : xpbd_constraint_type_info((xpbd_constraint_type)p->type)->n_particles;
    memcpy(force, p->mean, n * sizeof p->mean[0]);
    return XPBD_OK;
}

/* Elements that pull at particles' ports: count them, or list them too. */
static uint32_t find_pulls(const xpbd_world *world, const uint32_t *first_port, xpbd_pull *pulls)
{
    uint32_t n = 0;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_set *set = &world->model.sets[type];
        const uint32_t corners = xpbd_constraint_type_info((xpbd_constraint_type)type)->n_particles;
        const uint32_t *p = set->particles.data;
        for (uint32_t i = 0; i < set->count; i++) {
            const uint32_t begin = xpbd_set_element(set, i), end = xpbd_set_element(set, i + 1);
            for (size_t k = (size_t)begin * corners; k < (size_t)end * corners; k++) {
                /* Two ports of one particle: the later ones follow it in the list of ports. */
                for (uint32_t port = first_port[p[k]]; port < world->ports.n; port++) {
                    const xpbd_port *at = port_at(world, port);
                    if (at->type >= 0 || at->index != p[k]) {
                        continue;
                    }
                    if (pulls) {
                        pulls[n] = (xpbd_pull){port, type, i, (uint32_t)(k / corners) - begin,
                                               (uint32_t)(k % corners)};
                    }
                    n++;
                }
            }
        }
    }
    return n;
}

bool xpbd_ports_find(xpbd_world *world)
{
    xpbd_ports *ports = &world->ports;
    if (!ports->stale) {
        return true;
    }
    xpbd_arena scratch = {.memory = &world->memory};
    const uint32_t n = world->model.n_particles;
    uint32_t *first_port = xpbd_arena_alloc(&scratch, n, sizeof *first_port);
    bool found = first_port;
    if (found) {
        memset(first_port, 0xff, n * sizeof *first_port);
        for (uint32_t k = ports->n; k-- > 0;) {
            if (port_at(world, k)->type < 0 && port_at(world, k)->index < n) {
                first_port[port_at(world, k)->index] = k;
            }
        }
        const uint32_t n_pulls = find_pulls(world, first_port, NULL);
        found = xpbd_buffer_reserve(&world->memory, &ports->pulls, 0, n_pulls, sizeof(xpbd_pull));
        if (found) {
            ports->n_pulls = find_pulls(world, first_port, ports->pulls.data);
            ports->stale = false;
        }
    }
    xpbd_arena_free(&scratch);
    return found;
}

void xpbd_ports_begin(xpbd_world *world)
{
    for (uint32_t k = 0; k < world->ports.n; k++) {
        memset(port_at(world, k)->sum, 0, sizeof port_at(world, k)->sum);
    }
}

void xpbd_ports_measure(xpbd_world *world)
{
    const double inverse_dt2 = (double)world->build.pass.inverse_dt2;
    double force[XPBD_CORNERS_MAX][3];
    const xpbd_pull *pulls = world->ports.pulls.data;
    for (uint32_t k = 0; k < world->ports.n_pulls; k++) {
        const xpbd_pull *pull = &pulls[k];
        const xpbd_measure measure = xpbd_measure_begin(world, pull->type, pull->index);
        xpbd_measure_force(&measure, pull->element, inverse_dt2, force);
        for (uint32_t c = 0; c < 3; c++) {
            port_at(world, pull->port)->sum[0][c] += force[pull->corner][c];
        }
    }
    for (uint32_t k = 0; k < world->ports.n; k++) {
        xpbd_port *port = port_at(world, k);
        if (port->type < 0 || port->index == UINT32_MAX) {
            continue;
        }
        const xpbd_measure measure = xpbd_measure_begin(world, (uint32_t)port->type, port->index);
        xpbd_measure_force(&measure, 0, inverse_dt2, force);
        const uint32_t n = xpbd_constraint_type_info((xpbd_constraint_type)port->type)->n_particles;
        for (uint32_t i = 0; i < 3 * n; i++) {
            port->sum[i / 3][i % 3] += force[i / 3][i % 3];
        }
    }
}

void xpbd_ports_end(xpbd_world *world)
{
    for (uint32_t k = 0; k < world->ports.n; k++) {
        xpbd_port *port = port_at(world, k);
        for (uint32_t i = 0; i < 3 * XPBD_CORNERS_MAX; i++) {
            port->mean[i / 3][i % 3] = (float)(port->sum[i / 3][i % 3] / world->substep.n_done);
        }
    }
}

void xpbd_ports_renumber(xpbd_world *world, const uint32_t *particle, uint32_t *const *constraint)
{
    for (uint32_t k = 0; k < world->ports.n; k++) {
        xpbd_port *port = port_at(world, k);
        if (port->index != UINT32_MAX) {
            port->index =
                port->type < 0 ? particle[port->index] : constraint[port->type][port->index];
        }
    }
    world->ports.stale = world->ports.n > 0;
}

void xpbd_ports_free(xpbd_world *world)
{
    xpbd_buffer_free(&world->memory, &world->ports.list, sizeof(xpbd_port));
    xpbd_buffer_free(&world->memory, &world->ports.pulls, sizeof(xpbd_pull));
}
