/* SPDX-License-Identifier: MIT
 *
 * Runs scenes in every way that must not matter, and compares what they come to with golden.def. It
 * is linked without test framework, so that it can be built for any processor and run by itself.
 * With --update it writes golden.def anew instead (golden_update.c).
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/golden/golden_ways.h"

static const char usage[] =
    "usage: golden [OPTION]...\n"
    "Runs the scenes of golden_scenes.def and compares them with golden.def. Options that are\n"
    "left out: all of them; of threads 1, of instruction sets all that there are here.\n"
    "  --scenes NAME,...      small: all small ones, large: all large ones\n"
    "  --schedulers NAME,...\n"
    "  --isas NAME,...        auto: the library's choice\n"
    "  --layouts NAME,...\n"
    "  --pinnings NAME,...\n"
    "  --threads N,... or N-M 0: the library's choice\n"
    "  --expect-isa NAME      fail unless that is the library's choice\n"
    "  --update --reason TEXT write these rows anew; the text says why they have changed\n";

/* "1,2,16" and "1-16", up to XPBD_THREADS_MAX. */
static bool parse_threads(const char *text, golden_ways *ways)
{
    ways->n_threads = 0;
    for (const char *at = text; *at;) {
        char *end;
        const unsigned long from = strtoul(at, &end, 10);
        unsigned long to = from;
        if (end == at) {
            return false;
        }
        if (*end == '-') {
            at = end + 1;
            to = strtoul(at, &end, 10);
            if (end == at) {
                return false;
            }
        }
        if (to < from || to > XPBD_THREADS_MAX || (*end && *end != ',')) {
            return false;
        }
        for (unsigned long n = from; n <= to; n++) {
            if (ways->n_threads == GOLDEN_THREADS_MAX) {
                return false;
            }
            ways->threads[ways->n_threads++] = (int32_t)n;
        }
        at = *end ? end + 1 : end;
    }
    return ways->n_threads > 0;
}

typedef struct arguments {
    golden_ways ways;
    const char *expect_isa, *reason;
    bool update;
} arguments;

static bool parse(int argc, char **argv, arguments *out)
{
    const struct {
        const char *name;
        const char **value;
    } lists[] = {{"--scenes", &out->ways.scenes},     {"--schedulers", &out->ways.schedulers},
                 {"--isas", &out->ways.isas},         {"--layouts", &out->ways.layouts},
                 {"--pinnings", &out->ways.pinnings}, {"--expect-isa", &out->expect_isa},
                 {"--reason", &out->reason}};
    const char *threads = "1";
    for (int i = 1; i < argc; i++) {
        const char **value = NULL;
        for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
            value = strcmp(argv[i], lists[k].name) ? value : lists[k].value;
        }
        value = strcmp(argv[i], "--threads") ? value : &threads;
        if (!strcmp(argv[i], "--update")) {
            out->update = true;
        } else if (value && i + 1 < argc) {
            *value = argv[++i];
        } else {
            fprintf(stderr, "golden: %s %s\n%s", argv[i], value ? "needs a value" : "is no option",
                    usage);
            return false;
        }
    }
    if (!parse_threads(threads, &out->ways)) {
        fprintf(stderr, "golden: --threads %s: not numbers from 0 to %d\n", threads,
                XPBD_THREADS_MAX);
        return false;
    }
    return golden_check_names(&out->ways);
}

int main(int argc, char **argv)
{
    arguments in = {0};
    /* As hosts do that write numbers for people: a decimal comma is no business of the library's.
     */
    const char *locale = setlocale(LC_ALL, "");
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return 0;
    }
    if (!parse(argc, argv, &in)) {
        return 2;
    }
    if (in.update) {
        return golden_update(&in.ways, in.reason) ? 0 : 1;
    }
    const golden_tally tally = golden_compare(&in.ways, true);
    printf("%u runs of %u rows, %u different; up to %u threads; locale %s; automatic choice: %s\n",
           tally.n_runs, tally.n_rows, tally.n_different, tally.threads,
           locale ? locale : "unknown", tally.isa);
    if (in.expect_isa && strcmp(in.expect_isa, tally.isa) != 0) {
        printf("expected %s as the automatic choice\n", in.expect_isa);
        return 1;
    }
    return tally.n_different > 0 || tally.n_runs == 0;
}
