/* SPDX-License-Identifier: MIT */
#include "bench/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/choices.h"

enum { COUNT_MAX = 1000000, REPEATS_MAX = 10000 };

/* Paths are meant from where the user typed the command; bazel runs programs elsewhere. */
static char *user_path(const char *path)
{
    const char *folder = getenv("BUILD_WORKING_DIRECTORY");
    if (path[0] == '/' || folder == NULL || folder[0] == '\0')
        return bench_strdup(path);
    return bench_print("%s/%s", folder, path);
}

static bool parse_count(const char *option, const char *text, uint32_t most, uint32_t *value)
{
    char *end = NULL;
    errno = 0;
    const long number = strtol(text, &end, 10);
    const bool digits = text[0] >= '0' && text[0] <= '9'; /* no sign, no blank */
    if (digits && *end == '\0' && errno == 0 && number >= 1 && number <= (long)most) {
        *value = (uint32_t)number;
        return true;
    }
    fprintf(stderr, "bench: %s: '%s' is not a number from 1 to %u\n", option, text, most);
    return false;
}

/* Hand the words of a comma list, without blanks around them, to `take`. */
static bool each_word(bench_options *options, const char *option, const char *text,
                      bool (*take)(bench_options *options, const char *option, const char *word))
{
    char *copy = bench_strdup(text);
    bool ok = true;
    for (char *word = copy, *next; ok && word != NULL; word = next) {
        next = strchr(word, ',');
        if (next != NULL)
            *next++ = '\0';
        word += strspn(word, " ");
        word[strcspn(word, " ")] = '\0';
        if (word[0] == '\0') {
            fprintf(stderr, "bench: %s: a name is empty in '%s'\n", option, text);
            ok = false;
        } else {
            ok = take(options, option, word);
        }
    }
    free(copy);
    return ok;
}

static void add_once(bench_list *list, const char *item)
{
    if (!bench_list_has(list, item))
        bench_list_add(list, item);
}

static bool take_scene(bench_options *options, const char *option, const char *word)
{
    (void)option;
    add_once(&options->scenes, word);
    return true;
}

static bool take_scheduler(bench_options *options, const char *option, const char *word)
{
    (void)option;
    add_once(&options->schedulers, word);
    return bench_axis_check(&bench_axis_scheduler, word);
}

static bool take_layout(bench_options *options, const char *option, const char *word)
{
    (void)option;
    add_once(&options->layouts, word);
    return bench_axis_check(&bench_axis_layout, word);
}

static bool take_isa(bench_options *options, const char *option, const char *word)
{
    (void)option;
    add_once(&options->isas, word);
    return bench_axis_check(&bench_axis_isa, word);
}

/* Insert in ascending order: the first of a group of rows is then the one that the others are
 * compared with. */
static void add_threads(bench_options *options, uint32_t threads)
{
    size_t at = 0;
    while (at < options->n_threads && options->threads[at] < threads)
        at++;
    if (at < options->n_threads && options->threads[at] == threads)
        return;
    for (size_t i = options->n_threads; i > at; i--)
        options->threads[i] = options->threads[i - 1];
    options->threads[at] = threads;
    options->n_threads++; /* at most XPBD_THREADS_MAX different ones exist */
}

static bool take_threads(bench_options *options, const char *option, const char *word)
{
    uint32_t threads;
    if (!parse_count(option, word, XPBD_THREADS_MAX, &threads))
        return false;
    add_threads(options, threads);
    return true;
}

/* ---- the options, one row each */

static bool set_quick(bench_options *options, const char *option, const char *value)
{
    (void)option, (void)value;
    options->mode = BENCH_QUICK;
    return true;
}

static bool set_full(bench_options *options, const char *option, const char *value)
{
    (void)option, (void)value;
    options->mode = BENCH_FULL;
    return true;
}

static bool set_scenes(bench_options *options, const char *option, const char *value)
{
    return each_word(options, option, value, take_scene);
}

static bool set_mesh(bench_options *options, const char *option, const char *value)
{
    if (value[0] == '\0') {
        fprintf(stderr, "bench: %s: the file name is empty\n", option);
        return false;
    }
    char *path = user_path(value);
    add_once(&options->meshes, path);
    free(path);
    return true;
}

static bool set_schedulers(bench_options *options, const char *option, const char *value)
{
    return each_word(options, option, value, take_scheduler);
}

static bool set_layouts(bench_options *options, const char *option, const char *value)
{
    return each_word(options, option, value, take_layout);
}

static bool set_isas(bench_options *options, const char *option, const char *value)
{
    return each_word(options, option, value, take_isa);
}

static bool set_threads(bench_options *options, const char *option, const char *value)
{
    return each_word(options, option, value, take_threads);
}

static bool set_iterations(bench_options *options, const char *option, const char *value)
{
    return parse_count(option, value, COUNT_MAX, &options->iterations);
}

static bool set_substeps(bench_options *options, const char *option, const char *value)
{
    return parse_count(option, value, COUNT_MAX, &options->substeps);
}

static bool set_repeats(bench_options *options, const char *option, const char *value)
{
    return parse_count(option, value, REPEATS_MAX, &options->repeats);
}

static bool set_pinning(bench_options *options, const char *option, const char *value)
{
    (void)option;
    options->pinning = bench_axis_find(&bench_axis_pinning, value);
    return bench_axis_check(&bench_axis_pinning, value);
}

static bool set_out(bench_options *options, const char *option, const char *value)
{
    if (value[0] == '\0') {
        fprintf(stderr, "bench: %s: the folder name is empty\n", option);
        return false;
    }
    free(options->out);
    options->out = user_path(value);
    return true;
}

static bool set_list(bench_options *options, const char *option, const char *value)
{
    (void)option, (void)value;
    options->list = true;
    return true;
}

static bool set_help(bench_options *options, const char *option, const char *value)
{
    (void)option, (void)value;
    options->help = true;
    return true;
}

static const struct row {
    const char *name;
    const char *value; /* what stands after it, null for nothing */
    const char *text;
    bool (*set)(bench_options *options, const char *option, const char *value);
} ROWS[] = {
    {"--quick", NULL, "three small scenes in under a minute", set_quick},
    {"--full", NULL, "large scenes too: millions of constraints, long", set_full},
    {"--scenes", "a,b", "run these scenes; --list has their names", set_scenes},
    {"--mesh", "FILE",
     "run a mesh: .obj, .node/.ele, .msh; may be repeated.\n"
     "Without --scenes only the meshes run",
     set_mesh},
    {"--schedulers", "a,b", "only these; default all", set_schedulers},
    {"--layouts", "a,b", "only these; default all", set_layouts},
    {"--isas", "a,b", "only these; default all that this processor has", set_isas},
    {"--threads", "1,2", "default: 1, 2, 4, ... and all that may be used", set_threads},
    {"--iterations", "N", "per substep; default 10", set_iterations},
    {"--substeps", "N", "per step; default 1", set_substeps},
    {"--repeats", "N", "samples per row; default by mode, 5 at least", set_repeats},
    {"--pinning", "NAME", "where threads are bound; default compact", set_pinning},
    {"--out", "DIR", "folder of the result file; default results/ in the source tree", set_out},
    {"--list", NULL, "name everything that can be chosen, and stop", set_list},
    {"--help", NULL, "print this, and stop", set_help},
};
enum { N_ROWS = sizeof ROWS / sizeof ROWS[0] };

void bench_options_help(void)
{
    puts("Measure how fast the schedulers of libxpbd solve constraints on this machine.\n"
         "\n"
         "usage: bazel run //bench:all -- [options]      (--option value or --option=value)\n");
    for (size_t i = 0; i < N_ROWS; i++) {
        char *left = bench_print("%s%s%s", ROWS[i].name, ROWS[i].value ? " " : "",
                                 ROWS[i].value ? ROWS[i].value : "");
        const char *text = ROWS[i].text;
        const int n = (int)strcspn(text, "\n");
        printf("  %-18s %.*s\n", left, n, text);
        if (text[n] != '\0')
            printf("  %-18s %s\n", "", text + n + 1);
        free(left);
    }
    puts("\n"
         "A table goes to standard output, the results to a file of Google Benchmark's format.\n"
         "Ctrl-C ends early and keeps what was measured; a second one ends at once.\n"
         "Exit code: 0 fine, 1 state hashes differ or a row failed, 2 refused, 130 interrupted.");
}

static void complain_unknown(const char *word)
{
    const size_t length = strcspn(word, "=");
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), word);
    const char *nearest = NULL;
    size_t least = 3; /* further away it is no typing error */
    bench_text valid = {0};
    for (size_t i = 0; i < N_ROWS; i++) {
        const size_t distance = bench_word_distance(name, ROWS[i].name);
        if (distance < least) {
            least = distance;
            nearest = ROWS[i].name;
        }
        bench_text_add(&valid, " %s", ROWS[i].name);
    }
    fprintf(stderr, "bench: no option is named '%s'", name);
    if (nearest != NULL)
        fprintf(stderr, "; did you mean '%s'?", nearest);
    fprintf(stderr, "\nvalid options:%s\n", valid.data);
    bench_text_free(&valid);
}

/* Set what argv[*at] says; moves *at on where the value is a word of its own. */
static bool parse_one(bench_options *options, int argc, char **argv, int *at)
{
    const char *word = strcmp(argv[*at], "-h") == 0 ? "--help" : argv[*at];
    const size_t length = strcspn(word, "=");
    for (size_t i = 0; i < N_ROWS; i++) {
        const struct row *row = &ROWS[i];
        if (strlen(row->name) != length || strncmp(row->name, word, length) != 0)
            continue;
        const char *value = word[length] == '=' ? word + length + 1 : NULL;
        if (row->value == NULL && value != NULL) {
            fprintf(stderr, "bench: %s takes no value\n", row->name);
            return false;
        }
        if (row->value != NULL && value == NULL) {
            if (*at + 1 >= argc) {
                fprintf(stderr, "bench: %s needs a value: %s %s\n", row->name, row->name,
                        row->value);
                return false;
            }
            value = argv[++*at];
        }
        return row->set(options, row->name, value);
    }
    complain_unknown(word);
    return false;
}

static void add_words(bench_list *list, const char *const *words)
{
    for (; *words != NULL; words++)
        bench_list_add(list, *words);
}

static void default_scenes(bench_options *options)
{
    static const char *const QUICK[] = {"cloth-64", "tetblock-16", "rope-1000", NULL};
    static const char *const NORMAL[] = {"cloth-64",    "cloth-64-scrambled",    "cloth-256",
                                         "tetblock-16", "tetblock-16-scrambled", "rope-1000",
                                         NULL};
    static const char *const FULL[] = {"cloth-256-scrambled", "cloth-1024", "tetblock-64", NULL};
    add_words(&options->scenes, options->mode == BENCH_QUICK ? QUICK : NORMAL);
    if (options->mode == BENCH_FULL)
        add_words(&options->scenes, FULL);
}

static void default_threads(bench_options *options)
{
    xpbd_world *world = NULL;
    xpbd_world_summary summary = {.threads_usable = 1};
    if (xpbd_world_create(NULL, &world, NULL) == XPBD_OK)
        (void)xpbd_world_summarize(world, &summary);
    xpbd_world_destroy(world);
    uint32_t usable = summary.threads_usable;
    usable = usable < 1 ? 1 : usable > XPBD_THREADS_MAX ? XPBD_THREADS_MAX : usable;
    for (uint32_t n = 1; n < usable; n *= 2)
        add_threads(options, n);
    add_threads(options, usable);
}

bool bench_options_parse(bench_options *options, int argc, char **argv)
{
    *options = (bench_options){.mode = BENCH_NORMAL, .iterations = 10, .substeps = 1};
    options->pinning = bench_axis_find(&bench_axis_pinning, "compact");
    for (int i = 1; i < argc; i++)
        if (!parse_one(options, argc, argv, &i))
            return false;
    if (options->list || options->help)
        return true;
    if (options->scenes.n == 0 && options->meshes.n == 0)
        default_scenes(options);
    if (options->schedulers.n == 0)
        bench_axis_all(&bench_axis_scheduler, &options->schedulers);
    if (options->layouts.n == 0)
        bench_axis_all(&bench_axis_layout, &options->layouts);
    if (options->isas.n == 0)
        bench_axis_all(&bench_axis_isa, &options->isas);
    if (options->n_threads == 0)
        default_threads(options);
    return true;
}

void bench_options_free(bench_options *options)
{
    bench_list_free(&options->scenes);
    bench_list_free(&options->meshes);
    bench_list_free(&options->schedulers);
    bench_list_free(&options->layouts);
    bench_list_free(&options->isas);
    free(options->out);
}
