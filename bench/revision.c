/* SPDX-License-Identifier: MIT
 *
 * Which commit the sources are: asked of git where it is installed, else read from its files.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/context.h"
#include "bench/text.h"

extern char **environ;

const char *bench_source_folder(void)
{
    const char *folder = getenv("BUILD_WORKSPACE_DIRECTORY");
    return folder != NULL && folder[0] != '\0' ? folder : ".";
}

static char *read_pipe(int fd)
{
    bench_text text = {0};
    char chunk[512];
    ssize_t n;
    bench_text_add(&text, "%s", "");
    while ((n = read(fd, chunk, sizeof chunk - 1)) > 0) {
        chunk[n] = '\0';
        bench_text_add(&text, "%s", chunk);
    }
    return text.data ? text.data : bench_strdup("");
}

/* Run a program without a shell and return what it prints; null if it fails. */
static char *output_of(char *const *arguments)
{
    int ends[2];
    if (pipe(ends) != 0)
        return NULL;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    pid_t child;
    const int failed = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char *text = failed ? NULL : read_pipe(ends[0]);
    close(ends[0]);
    int status = -1;
    if (!failed && (waitpid(child, &status, 0) != child || status != 0)) {
        free(text);
        return NULL;
    }
    return text;
}

static char *ask_git(const char *folder)
{
    char *copy = bench_strdup(folder);
    char *const head[] = {"git", "-C", copy, "rev-parse", "--verify", "HEAD", NULL};
    char *const changes[] = {"git",         "--no-optional-locks",  "-C", copy, "status",
                             "--porcelain", "--untracked-files=no", NULL};
    char *commit = output_of(head);
    char *changed = commit ? output_of(changes) : NULL;
    char *revision = NULL;
    if (commit != NULL && changed != NULL) {
        commit[strcspn(commit, "\n")] = '\0';
        revision = bench_print("%s%s", commit, changed[0] ? "-modified" : "");
    }
    free(copy);
    free(commit);
    free(changed);
    return revision;
}

/* The first line of folder/name, null if there is none. */
static char *first_line(const char *folder, const char *name)
{
    char *path = bench_print("%s/%s", folder, name);
    char *text = bench_read_file(path);
    free(path);
    if (text != NULL)
        text[strcspn(text, "\r\n")] = '\0';
    return text;
}

/* Look a reference up in packed-refs: lines "<commit> <reference>". */
static char *packed(const char *git, const char *reference)
{
    char *path = bench_print("%s/packed-refs", git);
    char *text = bench_read_file(path);
    free(path);
    char *found = NULL;
    for (char *line = text; line != NULL && found == NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        const size_t commit = strcspn(line, " \n");
        const size_t length = strlen(reference);
        if (line[commit] == ' ' && strncmp(line + commit + 1, reference, length) == 0 &&
            (line[commit + 1 + length] == '\n' || line[commit + 1 + length] == '\0'))
            found = bench_print("%.*s", (int)commit, line);
    }
    free(text);
    return found;
}

static bool is_commit(const char *text)
{
    const size_t n = text != NULL ? strspn(text, "0123456789abcdef") : 0;
    return n >= 40 && text[n] == '\0';
}

static char *read_git_files(const char *folder)
{
    char *git = bench_print("%s/.git", folder);
    char *head = first_line(git, "HEAD");
    char *commit = NULL;
    static const char PREFIX[] = "ref: ";
    if (head != NULL && strncmp(head, PREFIX, sizeof PREFIX - 1) == 0) {
        const char *reference = head + sizeof PREFIX - 1;
        commit = first_line(git, reference);
        if (!is_commit(commit)) {
            free(commit);
            commit = packed(git, reference);
        }
    } else if (is_commit(head)) {
        commit = bench_strdup(head);
    }
    free(head);
    free(git);
    return commit;
}

char *bench_revision(const char *folder)
{
    /* Started elsewhere, the current folder may be somebody else's repository. */
    char *header = first_line(folder, "include/xpbd/xpbd.h");
    const bool ours = header != NULL;
    free(header);
    char *revision = ours ? ask_git(folder) : NULL;
    char *commit = ours && revision == NULL ? read_git_files(folder) : NULL;
    if (commit != NULL)
        revision = bench_print("%s-unchecked", commit); /* files may differ from it */
    free(commit);
    return revision != NULL ? revision : bench_strdup("unknown");
}
