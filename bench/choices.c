/* SPDX-License-Identifier: MIT */
#include "bench/choices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/scene.h"
#include "xpbd/xpbd.h"

static const char *type_name(uint32_t index)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)index);
    return info != NULL ? info->name : NULL;
}

const bench_axis bench_axis_type = {"constraint type", "constraint types", type_name, NULL};
const bench_axis bench_axis_scheduler = {"scheduler", "schedulers", xpbd_scheduler_name, NULL};
const bench_axis bench_axis_layout = {"layout", "layouts", xpbd_layout_name, NULL};
const bench_axis bench_axis_isa = {"ISA", "ISAs", xpbd_isa_name, xpbd_isa_available};
const bench_axis bench_axis_ordering = {"ordering", "orderings", xpbd_ordering_name, NULL};
const bench_axis bench_axis_pinning = {"pinning policy", "pinning policies", xpbd_pinning_name,
                                       NULL};

const char *bench_axis_find(const bench_axis *axis, const char *name)
{
    const char *known;
    for (uint32_t i = 0; (known = axis->name(i)) != NULL; i++) {
        if (strcmp(known, name) == 0) {
            return known;
        }
    }
    return NULL;
}

size_t bench_word_distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    size_t n = strlen(b);
    if (n > LONGEST || strlen(a) > LONGEST) {
        return SIZE_MAX;
    }
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[n];
}

void bench_axis_complain(const bench_axis *axis, const char *name)
{
    bench_text valid = {0};
    const char *known, *nearest = NULL;
    size_t least = 3; /* further away it is a guess, not a typing error */
    for (uint32_t i = 0; (known = axis->name(i)) != NULL; i++) {
        bool here = axis->available == NULL || axis->available(i);
        bench_text_add(&valid, "%s%s%s", i ? ", " : "", known,
                       here ? "" : " (not on this machine)");
        size_t distance = bench_word_distance(name, known);
        if (distance < least) {
            least = distance;
            nearest = known;
        }
    }
    fprintf(stderr, "bench: no %s is named '%s'", axis->what, name);
    if (nearest != NULL) {
        fprintf(stderr, "; did you mean '%s'?", nearest);
    }
    fprintf(stderr, "\nvalid %s: %s\n", axis->plural, valid.data ? valid.data : "none");
    bench_text_free(&valid);
}

bool bench_axis_check(const bench_axis *axis, const char *name)
{
    const char *known;
    for (uint32_t i = 0; (known = axis->name(i)) != NULL; i++) {
        if (strcmp(known, name) != 0) {
            continue;
        }
        if (axis->available == NULL || axis->available(i)) {
            return true;
        }
        fprintf(stderr, "bench: the %s '%s' is not available on this machine\n", axis->what, name);
        bench_list here = {0};
        bench_axis_all(axis, &here);
        fprintf(stderr, "valid %s:", axis->plural);
        for (size_t k = 0; k < here.n; k++) {
            fprintf(stderr, "%s %s", k ? "," : "", here.items[k]);
        }
        fputc('\n', stderr);
        bench_list_free(&here);
        return false;
    }
    bench_axis_complain(axis, name);
    return false;
}

void bench_axis_all(const bench_axis *axis, bench_list *list)
{
    const char *known;
    for (uint32_t i = 0; (known = axis->name(i)) != NULL; i++) {
        if (axis->available == NULL || axis->available(i)) {
            bench_list_add(list, known);
        }
    }
}

void bench_axis_print(const bench_axis *axis, const char *(*text)(uint32_t index))
{
    const char *name;
    printf("%s\n", axis->plural);
    for (uint32_t i = 0; (name = axis->name(i)) != NULL; i++) {
        const char *more = text != NULL ? text(i) : "";
        if (axis->available != NULL && !axis->available(i))
            more = "not available on this machine";
        printf(*more ? "  %-18s %s\n" : "  %s\n", name, more);
    }
    putchar('\n');
}

static const char *type_text(uint32_t index)
{
    return xpbd_constraint_type_info((xpbd_constraint_type)index)->source;
}

void bench_choices_print(void)
{
    puts("scenes (N is a number; each also as NAME-N-scrambled, and meshes by --mesh FILE)");
    const xpbd_scene_family *family;
    for (uint32_t i = 0; (family = xpbd_scene_list(i)) != NULL; i++) {
        char *name = bench_print("%s-N", family->name);
        printf("  %-18s N from %u to %u\n", name, family->smallest, family->largest);
        printf("  %-18s %s\n", "", family->text);
        free(name);
    }
    putchar('\n');
    bench_axis_print(&bench_axis_scheduler, xpbd_scheduler_summary);
    bench_axis_print(&bench_axis_layout, NULL);
    bench_axis_print(&bench_axis_isa, NULL);
    bench_axis_print(&bench_axis_ordering, NULL);
    bench_axis_print(&bench_axis_pinning, NULL);
    bench_axis_print(&bench_axis_type, type_text);
}
