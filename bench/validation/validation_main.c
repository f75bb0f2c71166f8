/* SPDX-License-Identifier: MIT
 *
 * //bench:validation: run all experiments, write the page, and fail where a claim does.
 */
#include "bench/validation/validation.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: validation [--out FILE] [--quick] [EXPERIMENT...]\n"
    "  --out FILE   the page, default validation.html in the current folder\n"
    "  --quick      only what the tests do\n"
    "  EXPERIMENT   run these only, and write no page\n";

static bool is_wanted(const char *name, int n, char **names)
{
    bool wanted = n == 0;
    for (int i = 0; i < n; i++) {
        wanted = wanted || !strcmp(names[i], name);
    }
    return wanted;
}

static bool print_report(const val_experiment *e, const val_report *r)
{
    bool good = true;
    printf("%s\n", e->title);
    for (uint32_t i = 0; i < r->n_claims; i++) {
        const val_claim *c = &r->claim[i];
        static const char *const relation[] = {"=", "<=", ">=", ""};
        printf("  %-5s %-64s %-12.7g", val_holds(c) ? "" : "FAILS", c->what, c->measured);
        if (c->kind != VAL_SHOWN) {
            printf(" %s %.6g", relation[c->kind], c->claimed);
        }
        if (c->kind == VAL_NEAR) {
            printf(" +- %.2g", c->tolerance);
        }
        printf("\n");
        good = good && val_holds(c);
    }
    return good;
}

static bool write_page(const char *path, const val_report *reports)
{
    const char *folder = getenv("BUILD_WORKING_DIRECTORY");
    char full[4096];
    snprintf(full, sizeof full, "%s%s%s", folder && path[0] != '/' ? folder : "",
             folder && path[0] != '/' ? "/" : "", path);
    FILE *out = fopen(full, "w");
    if (!out) {
        perror(full);
        return false;
    }
    val_write_page(out, reports);
    const bool written = !ferror(out);
    if (fclose(out) != 0 || !written) {
        perror(full);
        return false;
    }
    printf("\nthe page: %s\n", full);
    return true;
}

int main(int argc, char **argv)
{
    const char *path = "validation.html";
    bool full = true, good = true;
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (!strcmp(argv[at], "--out") && at + 1 < argc) {
            path = argv[++at];
        } else if (!strcmp(argv[at], "--quick")) {
            full = false;
        } else {
            fputs(usage, stderr);
            return 2;
        }
    }
    uint32_t n = 0, ran = 0;
    while (val_experiment_at(n)) {
        n++;
    }
    val_report *reports = ref_zeroed(n, sizeof *reports);
    for (uint32_t i = 0; i < n; i++) {
        reports[i].full = full;
        if (is_wanted(val_experiment_at(i)->name, argc - at, argv + at)) {
            val_experiment_at(i)->run(&reports[i]);
            good = print_report(val_experiment_at(i), &reports[i]) && good;
            fflush(stdout);
            ran++;
        }
    }
    good = (at < argc || write_page(path, reports)) && good && ran > 0;
    for (uint32_t i = 0; i < n; i++) {
        val_clear(&reports[i]);
    }
    free(reports);
    return good ? 0 : 1;
}
