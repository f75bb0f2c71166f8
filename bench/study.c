/* SPDX-License-Identifier: MIT */
#include "bench/study.h"

#include <hwloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/topology.h"
#include "bench/choices.h"
#include "scenes/scene.h"

static const char *const NAMES[] = {"none", "strong", "weak", "size", "schedulers", "pinning"};
static const char *const TEXTS[] = {
    "all schedulers, layouts and instruction sets on one and on all processors",
    "the same scenes on more and more threads",
    "scenes that grow with the threads",
    "a cloth and a block of tetrahedra from a thousand constraints to millions",
    "everything with everything, and what iterations bring",
    "threads bound in every way, and not at all",
};

const char *bench_study_name(uint32_t index)
{
    return index < sizeof NAMES / sizeof NAMES[0] ? NAMES[index] : NULL;
}

const char *bench_study_text(uint32_t index)
{
    return index < sizeof TEXTS / sizeof TEXTS[0] ? TEXTS[index] : "";
}

static const char *text_of(const char *study)
{
    uint32_t i = 0;
    while (strcmp(NAMES[i], study) != 0)
        i++;
    return TEXTS[i];
}

/* ---- scenes */

static uint64_t constraints_of(const char *family, uint32_t n)
{
    char error[256], *name = bench_print("%s-%u", family, n);
    xpbd_scene scene;
    uint64_t count = 0;
    if (xpbd_scene_make(name, &scene, error, sizeof error)) {
        for (uint32_t i = 0; i < scene.n_batches; i++)
            count += scene.batches[i].n_elements;
        xpbd_scene_free(&scene);
    }
    free(name);
    return count;
}

static const xpbd_scene_family *family_of(const char *name)
{
    const xpbd_scene_family *family;
    for (uint32_t i = 0; (family = xpbd_scene_list(i)) != NULL; i++)
        if (strcmp(family->name, name) == 0)
            return family;
    return NULL;
}

/* The N of a family that has about so many constraints: counts grow as a power of N, which two
 * that are large enough to have little of an edge tell. 0 where there is none. */
static uint32_t size_for(const char *name, double constraints)
{
    const xpbd_scene_family *family = family_of(name);
    enum { SMALL = 12, ENOUGH = 20000 };
    if (family == NULL)
        return 0;
    uint32_t n = SMALL;
    double one = (double)constraints_of(name, n);
    while (one > 0 && one < ENOUGH && one < 0.25 * constraints)
        one = (double)constraints_of(name, n *= 2);
    const double two = (double)constraints_of(name, 2 * n);
    if (!(one > 0) || !(two > one))
        return 0;
    const double size = n * pow(constraints / one, log(2) / log(two / one));
    return (uint32_t)fmin(fmax(round(size), family->smallest), family->largest);
}

static void add_scene(bench_options *options, const char *family, double constraints)
{
    const uint32_t n = size_for(family, constraints);
    char *name = bench_print("%s-%u", family, n);
    if (n > 0 && !bench_list_has(&options->scenes, name))
        bench_list_add(&options->scenes, name);
    free(name);
}

static void add_sizes(bench_options *options)
{
    const double most = options->mode == BENCH_QUICK    ? 1e5
                        : options->mode == BENCH_NORMAL ? 1e6
                                                        : 1e7;
    for (double n = 1e3; n <= 1.01 * most; n *= sqrt(10))
        add_scene(options, "cloth", n);
    for (double n = 1e3; n <= 1.01 * most; n *= sqrt(10))
        add_scene(options, "tetblock", n);
}

/* One scene per thread count. A scene that was named is the one of one thread. */
static bool grow_scenes(bench_options *options)
{
    double each = options->mode == BENCH_QUICK ? 2.5e4 : 1e5;
    char family[64] = "cloth";
    if (options->scenes.n > 1 || options->meshes.n > 0) {
        fprintf(stderr, "bench: --study weak: name one generated scene, the one for one thread\n");
        return false;
    }
    if (options->scenes.n == 1) {
        const char *name = options->scenes.items[0];
        const size_t length = strcspn(name, "-");
        const uint32_t n = (uint32_t)strtoul(name + length + (name[length] == '-'), NULL, 10);
        snprintf(family, sizeof family, "%.*s", (int)length, name);
        each = (double)constraints_of(family, n);
        if (each <= 0 || strstr(name, "scrambled") != NULL) {
            fprintf(stderr, "bench: --study weak: no scene like '%s' can be made larger\n", name);
            return false;
        }
        bench_list_free(&options->scenes);
    }
    for (size_t i = 0; i < options->n_threads; i++) {
        const size_t before = options->scenes.n;
        add_scene(options, family, each * options->threads[i]);
        if (options->scenes.n == before) {
            fprintf(stderr, "bench: --study weak: '%s' can not be made for %u threads\n", family,
                    options->threads[i]);
            return false;
        }
    }
    return true;
}

uint32_t bench_study_threads(const bench_options *options, size_t scene)
{
    return strcmp(options->study, "weak") == 0 && scene < options->n_threads
               ? options->threads[scene]
               : 0;
}

/* ---- defaults */

static void fill_words(bench_list *list, const char *const *words)
{
    const bool empty = list->n == 0;
    for (; empty && *words != NULL; words++)
        bench_list_add(list, *words);
}

/* The layout that is made for this, and the widest instruction set. */
static void fill_best(bench_options *options)
{
    static const char *const LAYOUT[] = {"aos4", NULL};
    fill_words(&options->layouts, LAYOUT);
    if (options->isas.n > 0)
        return;
    bench_list isas = {0};
    bench_axis_all(&bench_axis_isa, &isas);
    bench_list_add(&options->isas, isas.items[isas.n - 1]);
    bench_list_free(&isas);
}

/* The machine that hwloc makes of a line; null after a message on stderr. */
static struct hwloc_topology *synthetic_of(const bench_options *options)
{
    hwloc_topology_t topology = NULL;
    if (hwloc_topology_init(&topology) == 0 &&
        hwloc_topology_set_synthetic(topology, options->synthetic) == 0 &&
        hwloc_topology_load(topology) == 0)
        return topology;
    fprintf(stderr,
            "bench: --synthetic: '%s' is no topology that hwloc knows; for example \"pack:2 numa:2 "
            "core:8 pu:2\"\n",
            options->synthetic);
    if (topology != NULL)
        hwloc_topology_destroy(topology);
    return NULL;
}

static bool fill_threads(bench_options *options, bool ends_only)
{
    bench_ladder ladder;
    if (options->synthetic == NULL) {
        bench_ladder_here(&ladder);
    } else {
        struct hwloc_topology *topology = synthetic_of(options);
        if (topology == NULL)
            return false;
        bench_ladder_make(topology, 0, 0, &ladder);
        hwloc_topology_destroy(topology);
    }
    for (size_t i = 0; i < ladder.n && options->n_threads < XPBD_THREADS_MAX; i++)
        if (!ends_only || i == 0 || i + 1 == ladder.n)
            options->threads[options->n_threads++] = ladder.threads[i];
    return true;
}

bool bench_study_fill(bench_options *options)
{
    static const char *const SCENES[] = {"cloth-256", "tetblock-24", "softbody-16", NULL};
    static const char *const QUICK[] = {"cloth-64", "tetblock-16", NULL};
    static const char *const GAUSS_SEIDEL[] = {"slab-gs", "colored-gs", NULL};
    static const char *const PARALLEL[] = {"slab-gs", "colored-gs", "jacobi", NULL};
    const char *study = options->study;
    const bool size = strcmp(study, "size") == 0;
    const bool varied = strcmp(study, "none") != 0;
    if (options->n_threads == 0 && (varied || options->synthetic != NULL) &&
        !fill_threads(options, size || strcmp(study, "schedulers") == 0))
        return false;
    if (!varied)
        return true;
    if (strcmp(study, "weak") == 0 && !grow_scenes(options))
        return false;
    if (size && options->scenes.n == 0 && options->meshes.n == 0)
        add_sizes(options);
    if (options->scenes.n == 0 && options->meshes.n == 0)
        fill_words(&options->scenes, options->mode == BENCH_QUICK ? QUICK : SCENES);
    if (strcmp(study, "schedulers") == 0)
        return true;
    fill_words(&options->schedulers, size ? GAUSS_SEIDEL : PARALLEL);
    fill_best(options);
    if (strcmp(study, "pinning") == 0 && options->pinnings.n == 0)
        bench_axis_all(&bench_axis_pinning, &options->pinnings);
    return true;
}

/* ---- a plan for another machine */

static void print_list(const char *what, const bench_list *list)
{
    printf("%s:", what);
    for (size_t i = 0; i < list->n; i++)
        printf("%s %s", i > 0 ? "," : "", list->items[i]);
    putchar('\n');
}

static const char *why_of(const bench_ladder *ladder, uint32_t threads)
{
    for (size_t i = 0; i < ladder->n; i++)
        if (ladder->threads[i] == threads)
            return ladder->why[i];
    return threads > ladder->usable ? "more than there are" : "";
}

static void print_places(struct hwloc_topology *topology, const bench_options *options,
                         const bench_ladder *ladder, const char *pinning)
{
    uint32_t policy = 0;
    while (xpbd_topology_pinning_name(policy) != NULL &&
           strcmp(xpbd_topology_pinning_name(policy), pinning) != 0)
        policy++;
    const xpbd_topology_limits limits = {.n_cpus = ladder->usable};
    printf("\nthreads bound by %s, as processors' numbers\n", pinning);
    for (size_t i = 0; i < options->n_threads; i++) {
        xpbd_topology_plan plan;
        const char *why = why_of(ladder, options->threads[i]);
        xpbd_topology_plan_on(topology, &limits, (int32_t)options->threads[i], policy, &plan);
        printf("  %4u ", options->threads[i]);
        for (uint32_t k = 0; k < plan.n_threads;) { /* neighbours as first-last */
            uint32_t end = k;
            while (end + 1 < plan.n_threads && plan.cpu[end + 1] == plan.cpu[end] + 1)
                end++;
            printf(" %d", plan.cpu[k]);
            if (end > k)
                printf("-%d", plan.cpu[end]);
            k = end + 1;
        }
        printf("%s%s\n", why[0] != '\0' ? "    " : "", why);
    }
}

bool bench_study_print(const bench_options *options)
{
    struct hwloc_topology *topology = synthetic_of(options);
    if (topology == NULL)
        return false;
    bench_ladder ladder;
    bench_ladder_make(topology, 0, 0, &ladder);
    printf("plan for \"%s\": %u processors; nothing is measured\n", options->synthetic,
           ladder.usable);
    printf("study: %s, %s\n", options->study, text_of(options->study));
    print_list("scenes", &options->scenes);
    print_list("schedulers", &options->schedulers);
    print_list("layouts", &options->layouts);
    print_list("ISAs, as on this processor", &options->isas);
    for (size_t i = 0; i < options->pinnings.n; i++)
        if (strcmp(options->pinnings.items[i], "none") != 0)
            print_places(topology, options, &ladder, options->pinnings.items[i]);
    hwloc_topology_destroy(topology);
    return true;
}
