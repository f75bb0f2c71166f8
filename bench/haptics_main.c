/* SPDX-License-Identifier: MIT
 *
 * //bench:haptics: how long a hand waits for its force. A tool that is held at a pinned particle of
 * a scene moves to and fro; at each tick of 1 kHz it is put where the hand is, the world takes one
 * step, and the mean force at the particle is read.
 */
#define _POSIX_C_SOURCE 200809L /* clock_nanosleep */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/arguments.h"
#include "bench/interrupt.h"
#include "bench/result_file.h"
#include "scenes/scene.h"

enum { MOST_SECONDS = 3600, MOST_RATE = 20000 };

#define AMPLITUDE_M  0.005
#define FREQUENCY_HZ 2.0
#define PI           3.14159265358979323846

typedef struct haptics_options {
    char *scene;
    uint32_t seconds, rate, substeps, iterations, threads;
    bool help;
} haptics_options;

static bool set_scene(void *to, const char *option, const char *value)
{
    haptics_options *options = to;
    (void)option;
    free(options->scene);
    options->scene = bench_strdup(value);
    return true;
}

static bool set_seconds(void *to, const char *option, const char *value)
{
    return bench_argument_count(option, value, MOST_SECONDS, &((haptics_options *)to)->seconds);
}

static bool set_rate(void *to, const char *option, const char *value)
{
    return bench_argument_count(option, value, MOST_RATE, &((haptics_options *)to)->rate);
}

static bool set_substeps(void *to, const char *option, const char *value)
{
    return bench_argument_count(option, value, 1000, &((haptics_options *)to)->substeps);
}

static bool set_iterations(void *to, const char *option, const char *value)
{
    return bench_argument_count(option, value, 1000, &((haptics_options *)to)->iterations);
}

static bool set_threads(void *to, const char *option, const char *value)
{
    return bench_argument_count(option, value, XPBD_THREADS_MAX, &((haptics_options *)to)->threads);
}

static bool set_help(void *to, const char *option, const char *value)
{
    (void)option, (void)value;
    ((haptics_options *)to)->help = true;
    return true;
}

static const bench_argument ROWS[] = {
    {"--scene", "NAME", "what the tool pulls at; default softbody-4", set_scene},
    {"--seconds", "N", "how long; default 10", set_seconds},
    {"--rate", "HZ", "ticks per second; default 1000", set_rate},
    {"--substeps", "N", "per tick; default 2", set_substeps},
    {"--iterations", "N", "per substep; default 5", set_iterations},
    {"--threads", "N", "default 1: a small scene gains nothing by more", set_threads},
    {"--help", NULL, "print this, and stop", set_help},
};
enum { N_ROWS = sizeof ROWS / sizeof ROWS[0] };

static void print_help(void)
{
    puts(
        "Measure the time from a tick of the hand's clock until the force at a pinned particle is\n"
        "known: with waking up, and the step alone.\n"
        "\n"
        "usage: bazel run //bench:haptics -- [options]  (--option value or --option=value)\n");
    bench_arguments_print(ROWS, N_ROWS);
    puts("\nCtrl-C ends early and prints what there is.\n"
         "Exit code: 0 fine, 1 a step failed, 2 refused, 130 interrupted.");
}

/* ---- the world and the hand */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_until(double at)
{
    struct timespec t = {.tv_sec = (time_t)at};
    t.tv_nsec = (long)(1e9 * (at - (double)t.tv_sec));
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

typedef struct hand {
    xpbd_world *world;
    uint32_t particle, port;
    float at[3]; /* m */
} hand;

/* False after a message on stderr. */
static bool take_hold(const haptics_options *options, const xpbd_scene *scene, hand *h)
{
    xpbd_world_def def = xpbd_default_world_def();
    def.substeps = options->substeps;
    def.iterations = options->iterations;
    def.threads = (int32_t)options->threads;
    xpbd_error error;
    if (xpbd_world_create(&def, &h->world, &error) != XPBD_OK) {
        fprintf(stderr, "bench: %s\n", error.text);
        return false;
    }
    while (h->particle < scene->n_particles && scene->inverse_masses[h->particle] > 0.0f)
        h->particle++;
    if (h->particle == scene->n_particles) {
        fprintf(stderr, "bench: --scene: '%s' has no pinned particle to hold\n", scene->name);
        return false;
    }
    memcpy(h->at, scene->positions + 3 * (size_t)h->particle, sizeof h->at);
    if (xpbd_scene_build(scene, h->world) != XPBD_OK ||
        xpbd_world_add_particle_port(h->world, h->particle, &h->port) != XPBD_OK ||
        xpbd_world_prepare(h->world) != XPBD_OK) {
        fprintf(stderr, "bench: %s\n", xpbd_world_error(h->world)->text);
        return false;
    }
    return true;
}

/* One tick; false where a call fails. */
static bool feel(const hand *h, double t, double dt, float force[3])
{
    const float target[3] = {
        h->at[0], h->at[1] + (float)(AMPLITUDE_M * sin(2 * PI * FREQUENCY_HZ * t)), h->at[2]};
    return xpbd_world_move_particles(h->world, h->particle, 1, target, 0) == XPBD_OK &&
           xpbd_world_step(h->world, dt) == XPBD_OK &&
           xpbd_world_read_port(h->world, h->port, force) == XPBD_OK;
}

/* ---- figures */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_percentiles(const char *what, double *seconds, size_t n)
{
    static const double parts[] = {0.5, 0.99, 0.999, 1.0};
    qsort(seconds, n, sizeof *seconds, compare);
    printf("%-28s", what);
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        const size_t at = (size_t)ceil(parts[k] * (double)n);
        printf(" %9.1f", 1e6 * seconds[at > 0 ? at - 1 : 0]);
    }
    putchar('\n');
}

static int run(const haptics_options *options, const xpbd_scene *scene, const hand *h)
{
    const double dt = 1.0 / options->rate;
    const size_t n = (size_t)options->seconds * options->rate;
    double *waits = bench_alloc(n, sizeof *waits), *steps = bench_alloc(n, sizeof *steps);
    float force[3] = {0, 0, 0}, most = 0.0f;
    size_t done = 0, missed = 0;
    int code = BENCH_EXIT_OK;
    double tick = seconds_now() + dt;
    while (done < n && !bench_interrupted() && code == BENCH_EXIT_OK) {
        sleep_until(tick);
        const double begin = seconds_now();
        if (!feel(h, (double)done * dt, dt, force))
            code = BENCH_EXIT_WRONG;
        const double end = seconds_now();
        most = fmaxf(most, fabsf(force[1]));
        waits[done] = end - tick;
        steps[done++] = end - begin;
        for (tick += dt; tick < end; tick += dt)
            missed++;
    }
    if (code == BENCH_EXIT_WRONG)
        fprintf(stderr, "bench: %s\n", xpbd_world_error(h->world)->text);
    uint64_t n_constraints = 0;
    for (uint32_t b = 0; b < scene->n_batches; b++)
        n_constraints += scene->batches[b].count;
    printf("%s: %u particles, %llu constraints, %u substeps of %u iterations, %u thread%s\n",
           scene->name, scene->n_particles, (unsigned long long)n_constraints, options->substeps,
           options->iterations, options->threads, options->threads == 1 ? "" : "s");
    printf("%zu ticks at %u Hz, %zu missed; largest force %.3g N\n\n", done, options->rate, missed,
           (double)most);
    printf("%-28s %9s %9s %9s %9s\n", "us", "p50", "p99", "p99.9", "max");
    if (done > 0) {
        print_percentiles("tick until force", waits, done);
        print_percentiles("step and reading alone", steps, done);
    }
    free(waits);
    free(steps);
    return code == BENCH_EXIT_OK && bench_interrupted() ? BENCH_EXIT_INTERRUPTED : code;
}

int main(int argc, char **argv)
{
    haptics_options options = {
        .seconds = 10, .rate = 1000, .substeps = 2, .iterations = 5, .threads = 1};
    options.scene = bench_strdup("softbody-4");
    xpbd_scene scene = {0};
    hand h = {0};
    char error[256];
    int code = BENCH_EXIT_USAGE;
    if (bench_arguments_parse(ROWS, N_ROWS, &options, argc, argv)) {
        if (options.help) {
            print_help();
            code = BENCH_EXIT_OK;
        } else if (!xpbd_scene_make(options.scene, &scene, error, sizeof error)) {
            fprintf(stderr, "bench: --scene: %s\n", error);
        } else if (take_hold(&options, &scene, &h)) {
            bench_interrupt_install();
            code = run(&options, &scene, &h);
        }
    }
    xpbd_world_destroy(h.world);
    xpbd_scene_free(&scene);
    free(options.scene);
    return code;
}
