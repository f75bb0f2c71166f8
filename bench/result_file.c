/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* fsync(), mkstemp() */
#include "bench/result_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/text.h"

/* ---- path */

/* Make a folder and those above it. */
static bool make_folder(const char *folder)
{
    char *path = bench_strdup(folder);
    for (char *at = path + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        (void)mkdir(path, 0777); /* what matters is whether the last one is there */
        *at = '/';
    }
    struct stat status;
    bool ok = mkdir(path, 0777) == 0;
    if (!ok && errno == EEXIST) {
        ok = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
        if (!ok)
            errno = ENOTDIR;
    }
    free(path);
    return ok;
}

/* Open a temporary file in the folder of the path with the rights of a normal one. */
static int open_beside(const char *path, char **name)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash != NULL ? (int)(slash - path) : 1;
    *name = bench_print("%.*s/.bench-XXXXXX", folder, slash != NULL ? path : ".");
    const int fd = mkstemp(*name);
    if (fd >= 0) {
        const mode_t mask = umask(0);
        umask(mask);
        (void)fchmod(fd, 0666 & ~mask);
    }
    return fd;
}

static bool can_write(const char *path)
{
    char *name = NULL;
    const int fd = open_beside(path, &name);
    const int error = errno;
    if (fd >= 0) {
        close(fd);
        unlink(name);
    }
    free(name);
    errno = error;
    return fd >= 0;
}

/* The processor's name in small letters, "amd-epyc-9r14": it says what machine, not whose. */
static char *machine_name(const bench_context *context)
{
    const char *model = bench_context_get(context, "cpu_model");
    char *name = bench_alloc(64, 1);
    size_t n = 0;
    for (; *model != '\0' && *model != '@' && n < 40; model++) {
        if (isalnum((unsigned char)*model))
            name[n++] = (char)tolower((unsigned char)*model);
        else if (*model == '(') /* "(R)", "(TM)" */
            model += strcspn(model, ")") < strlen(model) ? strcspn(model, ")") : 0;
        else if (n > 0 && name[n - 1] != '-')
            name[n++] = '-';
    }
    while (n > 0 && name[n - 1] == '-')
        n--;
    name[n] = '\0';
    return name;
}

char *bench_result_file_path(const char *folder, const bench_context *context)
{
    char *own = NULL;
    if (folder == NULL)
        folder = own = bench_print("%s/results", bench_source_folder());
    const time_t now = time(NULL);
    struct tm local;
    char date[32] = "undated";
    if (localtime_r(&now, &local) != NULL)
        strftime(date, sizeof date, "%Y%m%d-%H%M%S", &local);
    char *machine = machine_name(context);
    char *path = bench_print("%s/%s-%s.json", folder, date, machine);
    for (int i = 2; access(path, F_OK) == 0 && i < 100; i++) { /* two runs in one second */
        free(path);
        path = bench_print("%s/%s-%s-%d.json", folder, date, machine, i);
    }
    free(machine);
    if (!make_folder(folder) || !can_write(path)) {
        fprintf(stderr, "bench: no results can be written to %s: %s\n", folder, strerror(errno));
        free(path);
        path = NULL;
    }
    free(own);
    return path;
}

/* ---- file */

int bench_result_file_sample(gbench *file, const gbench_run *common, const bench_sample *samples,
                             uint32_t n, uint32_t i, const gbench_counter *counters,
                             size_t n_counters)
{
    gbench_run run = *common;
    run.repetition = i;
    run.repetitions = n;
    run.iterations = samples[i].steps;
    run.real_s = samples[i].wall_s;
    run.cpu_s = samples[i].cpu_s;
    run.counters = counters;
    run.n_counters = n_counters;
    return gbench_row(file, &run);
}

bool bench_result_file_put(const char *path, gbench *file)
{
    char *name = NULL;
    const int fd = open_beside(path, &name);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool ok = out != NULL;
    if (!ok) {
        const int error = errno;
        (void)gbench_close(file, NULL);
        errno = error;
    } else {
        ok = gbench_close(file, out) == 0 && fflush(out) == 0 && fsync(fd) == 0;
        const int error = errno;
        ok = fclose(out) == 0 && ok;
        errno = ok ? 0 : error;
    }
    ok = ok && rename(name, path) == 0;
    if (!ok) {
        fprintf(stderr, "bench: the results could not be written to %s: %s\n", path,
                strerror(errno));
        if (fd >= 0)
            unlink(name);
    }
    free(name);
    return ok;
}

gbench *bench_result_file_open(const bench_context *context)
{
    for (size_t i = 0; i < context->n; i++)
        gbench_context(context->facts[i].key, context->facts[i].value);
    return gbench_open();
}
