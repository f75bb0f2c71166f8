/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "bench/roof/roof.h"

#include <hwloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/topology.h"
#include "bench/choices.h"
#include "bench/memory_limit.h"
#include "bench/progress.h"
#include "bench/roof/roof_lanes.h"
#include "schedulers/team.h"

#define XPBD_ISA_ABSENT(isa)
#define XPBD_ISA_ROW(isa) extern const roof_lanes bench_roof_lanes__##isa;
#include "base/isas.def"
#undef XPBD_ISA_ROW
#undef XPBD_ISA_ABSENT

const roof_lanes *roof_lanes_find(const char *isa)
{
#define XPBD_ISA_ABSENT(name)
#define XPBD_ISA_ROW(name)                                                                         \
    if (strcmp(isa, #name) == 0)                                                                   \
        return &bench_roof_lanes__##name;
#include "base/isas.def"
#undef XPBD_ISA_ROW
#undef XPBD_ISA_ABSENT
    return NULL;
}

typedef struct run {
    roof_limits *limits;
    bench_extras *rows;
    const char *pinning;
    uint32_t repeats;
    double sample_s;
    size_t memory_bytes; /* of a thread's array that shall be in no cache */
} run;

static volatile float sink; /* what loops return goes here, so that they have to run */

static const char *const LEVELS[] = {"L1", "L2", "L3", "memory"};

/* ---- arithmetic */

typedef float chain_fn(uint64_t turns, float one);

/* Repeat a loop so often that a sample takes long enough; returns the best rate per second. */
static double measure_chain(const run *r, chain_fn *fn, const char *what, const char *isa,
                            double per_turn)
{
    uint64_t turns = 256;
    double seconds = 0;
    bench_extra *row = bench_extras_add(r->rows, 1, "roof/%s/%s/threads:1", what, isa);
    for (; seconds < 0.5 * r->sample_s && turns < UINT64_C(1) << 40; turns *= 2) {
        const double began = bench_seconds();
        sink = fn(turns, 1.0f);
        seconds = bench_seconds() - began;
    }
    double best = INFINITY;
    for (uint32_t i = 0; i < r->repeats; i++) {
        bench_sample sample = {.steps = 1};
        const double cpu = bench_cpu_seconds(), began = bench_seconds();
        sink = fn(turns, 1.0f);
        sample.wall_s = (bench_seconds() - began) / ((double)turns * per_turn);
        sample.cpu_s = (bench_cpu_seconds() - cpu) / ((double)turns * per_turn);
        best = fmin(best, sample.wall_s);
        bench_samples_add(&row->samples, &row->n_samples, &sample);
    }
    bench_extra_count(row, "items_per_second", 1 / best);
    return 1 / best;
}

enum { STORE_FLOATS = 4096 };
_Alignas(64) static float store_array[STORE_FLOATS];

/* The loop of stores in the form of the others: a turn goes over an array that fits L1. */
static const roof_lanes *store_lanes;
static float store_turns(uint64_t turns, float one)
{
    for (uint64_t i = 0; i < turns; i++)
        store_lanes->store(store_array, STORE_FLOATS, one + (float)i);
    return store_array[0];
}

static void measure_lanes(const run *r)
{
    bench_list isas = {0};
    bench_axis_all(&bench_axis_isa, &isas);
    for (size_t i = 0; i < isas.n && r->limits->n_lanes < ROOF_ISAS; i++) {
        const char *isa = bench_axis_find(&bench_axis_isa, isas.items[i]);
        const roof_lanes *lanes = roof_lanes_find(isa);
        if (lanes == NULL)
            continue;
        const double n = (double)lanes->width * ROOF_CHAINS;
        const size_t at = r->limits->n_lanes++;
        r->limits->lanes[at].isa = isa;
        r->limits->lanes[at].arithmetic =
            measure_chain(r, lanes->arithmetic, "arithmetic", isa, 2 * n);
        r->limits->lanes[at].root = measure_chain(r, lanes->root, "root", isa, n);
        r->limits->lanes[at].quotient = measure_chain(r, lanes->divide, "divide", isa, n);
        store_lanes = lanes;
        r->limits->lanes[at].record = measure_chain(r, store_turns, "store", isa, STORE_FLOATS / 4);
    }
    bench_list_free(&isas);
}

/* ---- memory and caches */

/* What a team does together: `passes` over an array of each member. */
typedef struct sweep {
    const run *r;
    const roof_lanes *lanes;
    bool update;
    size_t floats; /* of one member */
    float **arrays;
    uint32_t passes;
    double *seconds; /* by repeat, of the whole team */
    uint32_t count;  /* members that there really were */
} sweep;

static void pass_over(const sweep *s, uint32_t index, uint32_t passes)
{
    for (uint32_t i = 0; i < passes; i++) {
        if (s->update)
            s->lanes->update(s->arrays[index], s->floats, 1.0f);
        else
            sink = s->lanes->read(s->arrays[index], s->floats);
    }
}

static void sweep_member(void *ctx, xpbd_member *member)
{
    sweep *s = ctx;
    /* Touched first by the thread that uses it. */
    for (size_t i = 0; i < s->floats; i++)
        s->arrays[member->index][i] = 0.0f;
    if (member->index == 0) {
        const double began = bench_seconds();
        pass_over(s, 0, 1);
        const double one = bench_seconds() - began;
        s->passes = (uint32_t)fmin(fmax(1, s->r->sample_s / fmax(one, 1e-9)), 1e6);
        s->count = member->count;
    }
    for (uint32_t i = 0; i < s->r->repeats; i++) {
        xpbd_member_barrier(member);
        const double began = bench_seconds();
        pass_over(s, member->index, s->passes);
        xpbd_member_barrier(member);
        if (member->index == 0)
            s->seconds[i] = bench_seconds() - began;
    }
}

static xpbd_team *team_of(const run *r, uint32_t threads)
{
    xpbd_topology_plan plan;
    uint32_t pinning = 0;
    while (xpbd_topology_pinning_name(pinning) != NULL && r->pinning != NULL &&
           strcmp(xpbd_topology_pinning_name(pinning), r->pinning) != 0)
        pinning++;
    xpbd_team_plan((int32_t)threads, pinning, &plan);
    xpbd_team *team = aligned_alloc(64, (sizeof *team + 63) / 64 * 64);
    if (team != NULL)
        xpbd_team_init(team, &plan);
    return team;
}

/* The best rate of a team in bytes per second; 0 where there is no memory or no such team. */
static double measure_sweep(const run *r, xpbd_team *team, uint32_t threads, size_t bytes,
                            bool update, roof_level level)
{
    const size_t floats = bytes / sizeof(float) / ROOF_STRIDE * ROOF_STRIDE;
    sweep s = {.r = r, .update = update, .floats = floats};
    s.lanes = roof_lanes_find(r->limits->lanes[r->limits->n_lanes - 1].isa);
    s.arrays = bench_alloc(threads, sizeof *s.arrays);
    s.seconds = bench_alloc(r->repeats, sizeof *s.seconds);
    bool ok = s.lanes != NULL && floats > 0;
    for (uint32_t i = 0; i < threads && ok; i++) {
        s.arrays[i] = aligned_alloc(64, floats * sizeof(float));
        ok = s.arrays[i] != NULL;
    }
    double best = 0;
    if (ok)
        xpbd_team_run(team, sweep_member, &s);
    if (ok && s.count == threads) {
        const double moved = (update ? 2.0 : 1.0) * (double)(floats * sizeof(float)) * threads;
        bench_extra *row = bench_extras_add(r->rows, threads, "roof/%s/%s/threads:%u",
                                            update ? "update" : "read", LEVELS[level], threads);
        for (uint32_t i = 0; i < r->repeats; i++) {
            const bench_sample sample = {.wall_s = s.seconds[i], .steps = s.passes};
            best = fmax(best, moved * s.passes / s.seconds[i]);
            bench_samples_add(&row->samples, &row->n_samples, &sample);
        }
        bench_extra_count(row, "bytes_per_second", best);
        bench_extra_count(row, "bytes_per_thread", (double)(floats * sizeof(float)));
    }
    for (uint32_t i = 0; i < threads; i++)
        free(s.arrays[i]);
    free(s.arrays);
    free(s.seconds);
    return best;
}

/* ---- barrier */

enum { BARRIERS = 2000 };

typedef struct barriers {
    const run *r;
    double *seconds;
} barriers;

static void barrier_member(void *ctx, xpbd_member *member)
{
    const barriers *b = ctx;
    for (uint32_t i = 0; i < b->r->repeats; i++) {
        xpbd_member_barrier(member);
        const double began = bench_seconds();
        for (int k = 0; k < BARRIERS; k++)
            xpbd_member_barrier(member);
        if (member->index == 0)
            b->seconds[i] = bench_seconds() - began;
    }
}

static double measure_barrier(const run *r, xpbd_team *team, uint32_t threads)
{
    barriers b = {r, bench_alloc(r->repeats, sizeof *b.seconds)};
    bench_extra *row = bench_extras_add(r->rows, threads, "roof/barrier/team/threads:%u", threads);
    double best = INFINITY;
    xpbd_team_run(team, barrier_member, &b);
    for (uint32_t i = 0; i < r->repeats; i++) {
        const bench_sample sample = {.wall_s = b.seconds[i], .steps = BARRIERS};
        best = fmin(best, 1e9 * b.seconds[i] / BARRIERS);
        bench_samples_add(&row->samples, &row->n_samples, &sample);
    }
    free(b.seconds);
    return best;
}

/* ---- all */

/* What a core has of the caches. A virtual machine may claim a last level that is not there. */
static void find_caches(roof_limits *limits)
{
    static const hwloc_obj_type_t TYPES[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                             HWLOC_OBJ_L3CACHE};
    static const double USUAL[] = {32 << 10, 512 << 10, 8 << 20};
    hwloc_topology_t topology = xpbd_topology_load();
    for (int i = 0; i < ROOF_MEMORY; i++) {
        limits->cache_bytes[i] = USUAL[i];
        hwloc_obj_t cache = topology != NULL ? hwloc_get_obj_by_type(topology, TYPES[i], 0) : NULL;
        if (cache == NULL || cache->attr->cache.size == 0)
            continue;
        const int cores =
            hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE);
        limits->cache_bytes[i] = (double)cache->attr->cache.size / (cores > 0 ? cores : 1);
    }
    xpbd_topology_unload(topology);
}

/* Bytes of one thread's array in the middle of a level, so that neither edge matters. */
static size_t bytes_in(const run *r, roof_level level)
{
    const double *cache = r->limits->cache_bytes;
    const double bytes = level == ROOF_L1   ? 0.5 * cache[ROOF_L1]
                         : level == ROOF_L2 ? 0.5 * cache[ROOF_L2]
                         : level == ROOF_L3 ? fmin(0.5 * cache[ROOF_L3], 8 * cache[ROOF_L2])
                                            : (double)r->memory_bytes;
    return (size_t)bytes;
}

static void choose_memory(run *r, bool quick)
{
    const double most = quick ? 64 << 20 : 256 << 20;
    const double budget = (double)bench_memory_budget() / 2;
    const uint32_t threads = r->limits->threads[r->limits->n_threads - 1];
    const double wanted = fmax(4 * r->limits->cache_bytes[ROOF_L3], 32 << 20);
    r->memory_bytes = (size_t)fmin(fmin(wanted, most), budget / threads);
    if ((double)r->memory_bytes < 2 * r->limits->cache_bytes[ROOF_L3])
        snprintf(
            r->limits->note, sizeof r->limits->note,
            "memory was measured with %zu MiB per thread, which the last cache of %.0f MiB may "
            "hold in part",
            r->memory_bytes >> 20, r->limits->cache_bytes[ROOF_L3] / (1 << 20));
}

void roof_measure(const uint32_t *threads, size_t n_threads, const char *pinning, bool quick,
                  roof_limits *limits, bench_extras *rows)
{
    *limits = (roof_limits){.n_lanes = 0};
    run r = {.limits = limits, .rows = rows, .pinning = pinning, .repeats = quick ? 5 : 11};
    r.sample_s = quick ? 0.001 : 0.002;
    for (size_t i = 0; i < n_threads && limits->n_threads < ROOF_COUNTS; i++)
        limits->threads[limits->n_threads++] = threads[i];
    find_caches(limits);
    choose_memory(&r, quick);
    measure_lanes(&r);
    for (size_t i = 0; i < limits->n_threads; i++) {
        xpbd_team *team = team_of(&r, limits->threads[i]);
        if (team == NULL)
            continue;
        for (int level = 0; level < ROOF_LEVELS; level++) {
            const size_t bytes = bytes_in(&r, (roof_level)level);
            limits->read[level][i] =
                measure_sweep(&r, team, limits->threads[i], bytes, false, (roof_level)level);
            limits->update[level][i] =
                measure_sweep(&r, team, limits->threads[i], bytes, true, (roof_level)level);
        }
        if (limits->threads[i] > 1)
            limits->barrier_ns[i] = measure_barrier(&r, team, limits->threads[i]);
        free(team);
    }
}

void roof_print(const roof_limits *limits)
{
    printf("Limits of this machine, best samples\n\n  %-8s %12s %12s %12s %12s   billion / s, one "
           "thread\n",
           "isa", "sums, prod.", "roots", "quotients", "stored rec.");
    for (size_t i = 0; i < limits->n_lanes; i++)
        printf("  %-8s %12.2f %12.2f %12.2f %12.2f\n", limits->lanes[i].isa,
               1e-9 * limits->lanes[i].arithmetic, 1e-9 * limits->lanes[i].root,
               1e-9 * limits->lanes[i].quotient, 1e-9 * limits->lanes[i].record);
    printf("\n  %-8s", "threads");
    for (int level = 0; level < ROOF_LEVELS; level++)
        printf(" %8s read   update", LEVELS[level]);
    printf("   barrier\n");
    for (size_t i = 0; i < limits->n_threads; i++) {
        printf("  %-8u", limits->threads[i]);
        for (int level = 0; level < ROOF_LEVELS; level++)
            printf(" %13.1f %8.1f", 1e-9 * limits->read[level][i], 1e-9 * limits->update[level][i]);
        printf(limits->barrier_ns[i] > 0 ? "   %.0f ns\n" : "   -\n", limits->barrier_ns[i]);
    }
    printf("  GB / s of all threads together\n");
    if (limits->note[0] != '\0')
        printf("Note: %s.\n", limits->note);
}
