/* SPDX-License-Identifier: MIT */
#include "bench/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values */

bool bench_argument_count(const char *option, const char *text, uint32_t most, uint32_t *value)
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

bool bench_argument_words(const char *option, const char *text,
                          bool (*take)(void *user, const char *option, const char *word),
                          void *user)
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
            ok = take(user, option, word);
        }
    }
    free(copy);
    return ok;
}

typedef struct names {
    const bench_axis *axis;
    bench_list *list;
} names;

static bool take_name(void *user, const char *option, const char *word)
{
    const names *to = user;
    (void)option;
    if (!bench_list_has(to->list, word))
        bench_list_add(to->list, word);
    return bench_axis_check(to->axis, word);
}

bool bench_argument_names(const bench_axis *axis, const char *option, const char *text,
                          bench_list *list)
{
    names to = {axis, list};
    return bench_argument_words(option, text, take_name, &to);
}

/* Bazel runs programs elsewhere than where the user typed the command. */
bool bench_argument_path(const char *option, const char *text, const char *what, char **path)
{
    if (text[0] == '\0') {
        fprintf(stderr, "bench: %s: the %s name is empty\n", option, what);
        return false;
    }
    const char *folder = getenv("BUILD_WORKING_DIRECTORY");
    const bool here = text[0] == '/' || folder == NULL || folder[0] == '\0';
    free(*path);
    *path = here ? bench_strdup(text) : bench_print("%s/%s", folder, text);
    return true;
}

/* ---- the table */

void bench_arguments_print(const bench_argument *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *left = bench_print("%s%s%s", rows[i].name, rows[i].value ? " " : "",
                                 rows[i].value ? rows[i].value : "");
        const char *text = rows[i].text;
        const int length = (int)strcspn(text, "\n");
        printf("  %-18s %.*s\n", left, length, text);
        if (text[length] != '\0')
            printf("  %-18s %s\n", "", text + length + 1);
        free(left);
    }
}

static void complain_unknown(const bench_argument *rows, size_t n, const char *word)
{
    const size_t length = strcspn(word, "=");
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), word);
    const char *nearest = NULL;
    size_t least = 3; /* further away it is no typing error */
    bench_text valid = {0};
    for (size_t i = 0; i < n; i++) {
        const size_t distance = bench_word_distance(name, rows[i].name);
        if (distance < least) {
            least = distance;
            nearest = rows[i].name;
        }
        bench_text_add(&valid, " %s", rows[i].name);
    }
    fprintf(stderr, "bench: no option is named '%s'", name);
    if (nearest != NULL)
        fprintf(stderr, "; did you mean '%s'?", nearest);
    fprintf(stderr, "\nvalid options:%s\n", valid.data);
    bench_text_free(&valid);
}

/* Set what argv[*at] says; moves *at on where the value is a word of its own. */
static bool parse_one(const bench_argument *rows, size_t n, void *options, int argc, char **argv,
                      int *at)
{
    const char *word = strcmp(argv[*at], "-h") == 0 ? "--help" : argv[*at];
    const size_t length = strcspn(word, "=");
    for (size_t i = 0; i < n; i++) {
        const bench_argument *row = &rows[i];
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
    complain_unknown(rows, n, word);
    return false;
}

static bool take_file(bench_list *files, const char *word)
{
    char *path = NULL;
    if (!bench_argument_path("", word, "file", &path))
        return false;
    bench_list_add(files, path);
    free(path);
    return true;
}

bool bench_arguments_parse_files(const bench_argument *rows, size_t n, void *options,
                                 bench_list *files, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const bool file = files != NULL && argv[i][0] != '-';
        if (file ? !take_file(files, argv[i]) : !parse_one(rows, n, options, argc, argv, &i))
            return false;
    }
    return true;
}

bool bench_arguments_parse(const bench_argument *rows, size_t n, void *options, int argc,
                           char **argv)
{
    return bench_arguments_parse_files(rows, n, options, NULL, argc, argv);
}
