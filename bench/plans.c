/* SPDX-License-Identifier: MIT */
#include "bench/plans.h"

#include "bench/text.h"
#include "solver/world.h"

enum { STAGES_MOST = 60, GROUPS_MOST = 4096 };

typedef struct stage_kind {
    uint64_t work, strips;
} stage_kind;

static stage_kind kind_of(const xpbd_stage *stage)
{
    return (stage_kind){stage->work, stage->strip_end - stage->strip_begin};
}

static void add_kind(bench_text *text, const stage_kind *kind, uint64_t count)
{
    bench_text_add(text, "%s%llu:%llu", text->length > 0 ? "," : "", (unsigned long long)kind->work,
                   (unsigned long long)kind->strips);
    if (count > 1)
        bench_text_add(text, "*%llu", (unsigned long long)count);
}

char *bench_plan_text(const xpbd_world *world)
{
    const xpbd_plan *plan = &world->build.plan;
    bench_text text = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < plan->n_stages && n < STAGES_MOST; n++) {
        const stage_kind kind = kind_of(&plan->stages[i]);
        uint32_t end = i + 1;
        while (end < plan->n_stages && kind_of(&plan->stages[end]).work == kind.work &&
               kind_of(&plan->stages[end]).strips == kind.strips)
            end++;
        add_kind(&text, &kind, end - i);
        i = end;
        /* Thousands of small colors: those that are left, as so many alike. */
        if (n + 1 == STAGES_MOST && i < plan->n_stages) {
            stage_kind mean = {0, 0};
            for (uint32_t k = i; k < plan->n_stages; k++)
                mean.work += plan->stages[k].work;
            mean.work /= plan->n_stages - i;
            add_kind(&text, &mean, plan->n_stages - i);
        }
    }
    if (plan->slab_strips)
        bench_text_add(&text, "~");
    if (plan->ordered) { /* one thread, whatever its stages */
        bench_text_free(&text);
        bench_text_add(&text, "1:1");
    }
    return text.data;
}

/* Lines of a group: particles lie in records of 16 bytes, or in four arrays of floats. */
static uint32_t lines_of_group(const xpbd_world *world, const xpbd_stream *stream,
                               uint32_t n_corners, size_t group)
{
    uint32_t seen[XPBD_GROUP * XPBD_CORNERS_MAX], n = 0;
    for (uint32_t c = 0; c < n_corners; c++)
        for (uint32_t i = 0; i < XPBD_GROUP; i++) {
            const uint32_t line = stream->id[c][group * XPBD_GROUP + i] / 16;
            uint32_t k = 0;
            while (k < n && seen[k] != line)
                k++;
            if (k == n)
                seen[n++] = line;
        }
    return world->layout == XPBD_LAYOUT_aos4 ? n : 4 * n;
}

/* Between slabs are groups without constraints: their ids are 0, which is then nobody's place. */
static bool is_gap(const xpbd_world *world, const xpbd_stream *stream, size_t group)
{
    return world->build.plan.slab_strips && stream->id[0][group * XPBD_GROUP] == 0;
}

double bench_plan_lines(const xpbd_world *world)
{
    size_t all = 0, looked_at = 0;
    double lines = 0;
    for (uint32_t t = 0; t < XPBD_CONSTRAINT_TYPE_COUNT; t++)
        all += xpbd_stream_lanes(&world->build.streams[t]) / XPBD_GROUP;
    const size_t step = all / GROUPS_MOST + 1;
    for (uint32_t t = 0; t < XPBD_CONSTRAINT_TYPE_COUNT; t++) {
        const xpbd_stream *stream = &world->build.streams[t];
        const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)t);
        for (size_t g = 0; g < xpbd_stream_lanes(stream) / XPBD_GROUP; g += step) {
            if (is_gap(world, stream, g))
                continue;
            lines += lines_of_group(world, stream, info->n_particles, g);
            looked_at++;
        }
    }
    return looked_at > 0 ? lines / (double)(looked_at * XPBD_GROUP) : 0;
}
