/* SPDX-License-Identifier: MIT
 *
 * Reading a command line whose options are rows of a table: what the programs here share.
 */
#ifndef BENCH_ARGUMENTS_H
#define BENCH_ARGUMENTS_H

#include "bench/choices.h"

/** An option. `set` gets the program's options and returns false after a message on stderr. */
typedef struct bench_argument {
    const char *name;  /* "--threads" */
    const char *value; /* what stands after it, null for nothing */
    const char *text;  /* for --help; a line break in it begins a second line */
    bool (*set)(void *options, const char *option, const char *value);
} bench_argument;

/** Set what the command line says.
 *  Returns  false after a message on stderr that says what is wrong and what is valid */
bool bench_arguments_parse(const bench_argument *rows, size_t n, void *options, int argc,
                           char **argv);
/** The same of a program that also takes files: what does not begin with a dash is the name of one,
 *  meant from where the user typed the command, and is added to the list. */
bool bench_arguments_parse_files(const bench_argument *rows, size_t n, void *options,
                                 bench_list *files, int argc, char **argv);
/** Print the rows as a list for --help. */
void bench_arguments_print(const bench_argument *rows, size_t n);

/* What setters need; each returns false after a message on stderr. */

/** Read a whole number from 1 to `most`. */
bool bench_argument_count(const char *option, const char *text, uint32_t most, uint32_t *value);
/** Hand the words of a comma list, without blanks around them, to `take`. */
bool bench_argument_words(const char *option, const char *text,
                          bool (*take)(void *user, const char *option, const char *word),
                          void *user);
/** Add the words of a comma list to a list, each once; all have to be names of an axis. */
bool bench_argument_names(const bench_axis *axis, const char *option, const char *text,
                          bench_list *list);
/** Set a path, which is meant from where the user typed the command. */
bool bench_argument_path(const char *option, const char *text, const char *what, char **path);

#endif
