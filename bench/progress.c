/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "bench/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static struct progress {
    bool terminal;
    double began, shown;     /* clock */
    double guess, done;      /* guessed seconds: of all items, of those that have ended */
    double item_guess, part; /* of this item */
    size_t n, item;
    const char *what, *name;
} now; /* the program has one stderr */

double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_duration(double seconds)
{
    const int s = seconds < 1 ? 1 : seconds < 1e6 ? (int)(seconds + 0.5) : 1000000;
    if (s < 60)
        fprintf(stderr, "%d s", s);
    else if (s < 3600)
        fprintf(stderr, "%d min %02d s", s / 60, s % 60);
    else
        fprintf(stderr, "%d h %02d min", s / 3600, s / 60 % 60);
}

static void print_left(void)
{
    const double done = now.done + now.part * now.item_guess;
    const double passed = bench_seconds() - now.began;
    /* The guess is all there is at first; what has been seen counts more and more. */
    const double doubt = 0.02 * now.guess + 0.5;
    const double rate = (passed + doubt) / (done + doubt);
    fputs("about ", stderr);
    print_duration((now.guess - done) * rate);
    fputs(" left", stderr);
}

void bench_progress_begin(const char *what, double guess_s, size_t n)
{
    now = (struct progress){.what = what, .guess = guess_s, .n = n, .began = bench_seconds()};
    now.terminal = isatty(STDERR_FILENO) == 1;
}

void bench_progress_item(const char *name, double guess_s)
{
    now.name = name;
    now.item++;
    now.item_guess = guess_s;
    now.part = 0;
    now.shown = 0;
    if (now.terminal)
        return;
    fprintf(stderr, "%s %zu of %zu: %s, ", now.what, now.item, now.n, name);
    print_left();
    fputc('\n', stderr);
}

void bench_progress_part(double part)
{
    now.part = part;
    if (!now.terminal)
        return;
    const double time = bench_seconds();
    if (time - now.shown < 0.25)
        return;
    now.shown = time;
    fprintf(stderr, "\r\033[K%s (%s %zu of %zu): %2.0f %%, ", now.name, now.what, now.item, now.n,
            100 * part);
    print_left();
    fflush(stderr);
}

void bench_progress_end_item(void)
{
    now.done += now.item_guess;
    now.part = 0;
    if (now.terminal) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
