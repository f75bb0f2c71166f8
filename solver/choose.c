/* SPDX-License-Identifier: MIT
 *
 * What can be chosen by name for a world, and the choice.
 */
#include "solver/check.h"
#include "solver/world.h"

#include <stdlib.h>
#include <string.h>

#define XPBD_ISA_ROW(name)    #name,
#define XPBD_ISA_ABSENT(name) #name,
static const char *const isa_names[] = {
#include "base/isas.def"
};
#undef XPBD_ISA_ROW
#undef XPBD_ISA_ABSENT

const char *xpbd_isa_name(uint32_t index)
{
    return index < XPBD_ISA_COUNT ? isa_names[index] : NULL;
}
bool xpbd_isa_available(uint32_t index)
{
    return index < XPBD_ISA_COUNT && xpbd_cpu_has((xpbd_isa)index);
}
const char *xpbd_layout_name(uint32_t index)
{
    return xpbd_layout_row_name(index);
}
const char *xpbd_ordering_name(uint32_t index)
{
    return xpbd_order_row_name(index);
}
const char *xpbd_pinning_name(uint32_t index)
{
    return xpbd_topology_pinning_name(index);
}

static bool is_automatic(const char *name)
{
    return !name || strcmp(name, "auto") == 0;
}

/* Find a name; `automatic` for null and "auto"; UINT32_MAX for an unknown one. */
static uint32_t find(const char *name, const char *(*row)(uint32_t), uint32_t automatic)
{
    if (is_automatic(name)) {
        return automatic;
    }
    for (uint32_t i = 0; row(i); i++) {
        if (strcmp(name, row(i)) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

static xpbd_status unknown(const xpbd_world *world, xpbd_status status, const char *what,
                           const char *name, const char *(*row)(uint32_t))
{
    char list[160] = "";
    for (uint32_t i = 0; row(i); i++) {
        if (strlen(list) + strlen(row(i)) + 3 < sizeof list) {
            strcat(list, i ? ", " : "");
            strcat(list, row(i));
        }
    }
    return xpbd_fail(world, status, -1, 0, 0.0, "no %s is called \"%.40s\"; there are: %s", what,
                     name, list);
}

static xpbd_status choose_isa(xpbd_world *world, const char *name)
{
    const char *wanted = name;
    const bool automatic = is_automatic(name);
    if (automatic) {
        wanted = getenv("XPBD_ISA");
        wanted = wanted && *wanted ? wanted : NULL;
    }
    const uint32_t isa = find(wanted, xpbd_isa_name, xpbd_cpu_widest());
    if (isa == UINT32_MAX) {
        return unknown(world, XPBD_ERROR_UNKNOWN_ISA,
                       automatic ? "instruction set (XPBD_ISA)" : "instruction set", wanted,
                       xpbd_isa_name);
    }
    if (!xpbd_cpu_has((xpbd_isa)isa)) {
        return xpbd_fail(world, XPBD_ERROR_UNAVAILABLE_ISA, -1, 0, 0.0,
                         "%s is not available on this processor or not in this build",
                         xpbd_isa_name(isa));
    }
    world->isa = world->isa_asked = (xpbd_isa)isa;
    world->choices.isa = automatic && !wanted;
    return XPBD_OK;
}

static xpbd_status choose_scheduler(xpbd_world *world, const xpbd_world_def *def)
{
    const xpbd_scheduler *custom = def->custom_scheduler;
    if (custom) {
        if (custom->cookie != XPBD_SCHEDULER_COOKIE || !custom->name || !custom->solve ||
            (unsigned)custom->partition > XPBD_PARTITION_TREES ||
            (unsigned)custom->update > XPBD_UPDATE_CHEBYSHEV ||
            (custom->partition == XPBD_PARTITION_FREE) !=
                (custom->update != XPBD_UPDATE_IN_PLACE)) {
            return xpbd_fail(world, XPBD_ERROR_SCHEDULER, -1, 0, 0.0,
                             "custom scheduler: a wrong cookie, no name or solve, or a partition "
                             "that does not go with its update");
        }
        world->scheduler = custom;
        return XPBD_OK;
    }
    /* The second row of schedulers.def is the automatic choice: it is right for every scene. */
    const uint32_t row = find(def->scheduler, xpbd_scheduler_name, 1);
    if (row == UINT32_MAX) {
        return unknown(world, XPBD_ERROR_UNKNOWN_SCHEDULER, "scheduler", def->scheduler,
                       xpbd_scheduler_name);
    }
    world->scheduler = xpbd_sched_row(row);
    return XPBD_OK;
}

xpbd_status xpbd_world_choose(xpbd_world *world, const xpbd_world_def *def)
{
    XPBD_TRY(choose_scheduler(world, def));
    XPBD_TRY(choose_isa(world, def->isa));
    const uint32_t layout = find(def->layout, xpbd_layout_name, XPBD_LAYOUT_aos4);
    if (layout == UINT32_MAX) {
        return unknown(world, XPBD_ERROR_UNKNOWN_LAYOUT, "layout", def->layout, xpbd_layout_name);
    }
    const uint32_t order = find(def->ordering, xpbd_ordering_name, XPBD_ORDER_COUNT);
    if (order == UINT32_MAX) {
        return unknown(world, XPBD_ERROR_UNKNOWN_ORDERING, "ordering", def->ordering,
                       xpbd_ordering_name);
    }
    const uint32_t pinning = find(def->pinning, xpbd_pinning_name, 0);
    if (pinning == UINT32_MAX) {
        return unknown(world, XPBD_ERROR_UNKNOWN_PINNING, "pinning", def->pinning,
                       xpbd_pinning_name);
    }
    if (world->scheduler->partition == XPBD_PARTITION_SEQUENCE) {
        world->isa = XPBD_ISA_scalar; /* the lanes of a sequence depend on each other */
    }
    world->layout = (xpbd_layout)layout;
    world->choices.scheduler = !def->custom_scheduler && is_automatic(def->scheduler);
    world->choices.layout = is_automatic(def->layout);
    world->order = (xpbd_order)order;
    world->pinning = (xpbd_pinning)pinning;
    return XPBD_OK;
}
