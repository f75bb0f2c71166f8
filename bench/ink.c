/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "bench/ink.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool in_color(void)
{
    const char *refused = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) == 1 && (refused == NULL || refused[0] == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

const char *bench_red(void)
{
    return in_color() ? "\033[31;1m" : "";
}

const char *bench_yellow(void)
{
    return in_color() ? "\033[33m" : "";
}

const char *bench_bold(void)
{
    return in_color() ? "\033[1m" : "";
}

const char *bench_plain(void)
{
    return in_color() ? "\033[0m" : "";
}
