/* SPDX-License-Identifier: MIT
 *
 * What was chosen for a world, and why, in words.
 */
#include "solver/build.h"

#include <stdarg.h>
#include <stdio.h>

/* Text that is cut where it does not fit, and counted all the same. */
typedef struct words {
    char *text;
    size_t size, used;
} words;

__attribute__((format(printf, 2, 3))) static void say(words *w, const char *format, ...)
{
    const size_t at = w->used < w->size ? w->used : w->size;
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(w->text ? w->text + at : NULL, w->size - at, format, arguments);
    va_end(arguments);
    w->used += n > 0 ? (size_t)n : 0;
}

static uint32_t count_constraints(const xpbd_world *world)
{
    const xpbd_tuples tuples = xpbd_world_tuples(world);
    return xpbd_tuples_count(&tuples);
}

static void say_scheduler(words *w, const xpbd_world *world)
{
    const xpbd_plan *plan = &world->build.plan;
    const char *who = world->choices.scheduler ? "automatic: one that is right for every scene and "
                                                 "needs few barriers"
                                               : "as asked for";
    say(w, "scheduler: %s (%s)", world->scheduler->name, who);
    if (world->scheduler->partition == XPBD_PARTITION_SLABS) {
        if (plan->n_strips == 0 && plan->n_stages > 0) {
            say(w,
                "; too many constraints join distant parts of this mesh, so it has one stage per "
                "colour instead of slabs");
        } else if (plan->n_strips <= 1) {
            say(w, "; the scene is one slab, it is too small for more");
        } else {
            const xpbd_stage *first = &plan->stages[0];
            uint64_t all = 0;
            for (uint32_t s = 0; s < plan->n_stages; s++) {
                all += plan->stages[s].work;
            }
            say(w, "; %u slabs have %.1f %% of the work inside them",
                first->strip_end - first->strip_begin, 100.0 * first->work / (double)all);
        }
    }
    say(w, "; %u stages an iteration\n", plan->n_stages);
}

static void say_order(words *w, const xpbd_world *world)
{
    const xpbd_build *build = &world->build;
    const xpbd_tuples tuples = xpbd_world_tuples(world);
    say(w,
        "ordering: %s (%s); the particles of a constraint are %.0f places apart in memory, "
        "on average\n",
        xpbd_ordering_name(build->order),
        world->order == XPBD_ORDER_COUNT ? "automatic: the caller's unless it is far from short "
                                           "and another is shorter by a third"
                                         : "as asked for",
        xpbd_order_span(&tuples, build->rank));
}

static void say_threads(words *w, const xpbd_world *world)
{
    const xpbd_tune *tune = &world->tune;
    const uint32_t n = world->team.plan.n_threads, useful = xpbd_sched_useful(&world->build.plan);
    say(w, "threads: %u of %u", world->team.n_active, n);
    if (world->threads_asked > 0) {
        say(w, " (as asked for)\n");
    } else if (n == 1) {
        say(w, " (there is no other)\n");
    } else if (tune->n <= 1) {
        say(w, " (automatic: no stage has work for %s)\n", useful > 1 ? "all" : "two");
    } else {
        say(w, " (automatic: the fastest of what was measured;");
        for (uint32_t k = 0; k < tune->n; k++) {
            if (tune->samples[k] > 0) {
                say(w, " %u: %.1f us an iteration%s", tune->threads[k], 1e6 * tune->seconds[k],
                    k + 1 < tune->n ? "," : "");
            } else {
                say(w, " %u: not measured yet%s", tune->threads[k], k + 1 < tune->n ? "," : "");
            }
        }
        say(w, ")\n");
    }
}

static void say_binding(words *w, const xpbd_world *world)
{
    const uint32_t n = atomic_load_explicit(&world->team.n_refused, memory_order_relaxed);
    if (world->pinning != XPBD_PINNING_none) {
        say(w, "pinning: %s (%s)\n", xpbd_pinning_name(world->pinning),
            n > 0 ? "refused in the last step" : world->team.plan.binding);
    }
}

xpbd_status xpbd_world_explain(const xpbd_world *world, char *text, size_t size, size_t *needed)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    if (!text && size > 0) {
        return xpbd_fail(world, XPBD_ERROR_NULL, -1, 0, 0.0, "text is null");
    }
    words w = {text, size, 0};
    if (!world->built) {
        say(&w, "not prepared yet: nothing is chosen\n");
    } else {
        say(&w, "%u particles, %u constraints, %llu bytes\n", world->model.n_particles,
            count_constraints(world), (unsigned long long)world->memory.bytes);
        say_scheduler(&w, world);
        say(&w, "layout: %s (%s)\n", xpbd_layout_name(world->layout),
            world->choices.layout
                ? "automatic: records of 16 bytes are loaded and stored as a whole, which was "
                  "faster with every instruction set"
                : "as asked for");
        say(&w, "instruction set: %s (%s)\n", xpbd_isa_name(world->isa),
            world->scheduler->partition == XPBD_PARTITION_SEQUENCE
                ? "constraints one after the other have no use for lanes"
            : world->choices.isa ? "automatic: the widest of this processor and this build"
                                 : "as asked for");
        say_order(&w, world);
        say_threads(&w, world);
        say_binding(&w, world);
    }
    if (needed) {
        *needed = w.used + 1;
    }
    return XPBD_OK;
}
