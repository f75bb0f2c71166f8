/* SPDX-License-Identifier: MIT
 *
 * Snapshots in files. One is written beside the file that it is to replace, brought to the disk,
 * and takes its name then: whoever looks, also after a loss of power, finds the old one or the new
 * one.
 */
#define _XOPEN_SOURCE 700 /* realpath(), fsync() */

#include "solver/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

static xpbd_status file_fault(const xpbd_world *world, const char *path, const char *what,
                              int error)
{
    char reason[96];
    if (strerror_r(error, reason, sizeof reason) != 0) {
        snprintf(reason, sizeof reason, "error %d", error);
    }
    /* The end of a long path says more than its beginning. */
    const size_t n = strlen(path), most = 120;
    const char *front = n > most ? "..." : "";
    return xpbd_fail(world, XPBD_ERROR_FILE, -1, 0, error, "%s%s: %s: %s", front,
                     n > most ? path + n - most : path, what, reason);
}

/* A file of a name that nobody has, in the same folder: only there can it take the place of `path`
 * in one go. The mode is that of the file which is there, or of any new file. */
static int open_beside(const char *path, const struct stat *old, char name[PATH_MAX + 48])
{
    int fd = -1;
    for (unsigned k = 0; fd < 0 && k < 1000; k++) {
        snprintf(name, PATH_MAX + 48, "%s.%ld-%u.tmp", path, (long)getpid(), k);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) {
            return -1;
        }
    }
    if (fd >= 0 && old && fchmod(fd, old->st_mode & 07777) != 0) {
        const int error = errno;
        close(fd);
        unlink(name);
        errno = error;
        return -1;
    }
    return fd;
}

static bool write_all(int fd, const unsigned char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t written = write(fd, bytes, n < SSIZE_MAX ? n : SSIZE_MAX);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* The name itself is on the disk when the folder is; a system that can not do that is not asked. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t n = slash ? (size_t)(slash - path) + 1 : 1;
    memcpy(folder, slash ? path : ".", n);
    folder[n] = 0;
    const int fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

static xpbd_status replace(const xpbd_world *world, const char *path, const unsigned char *bytes,
                           size_t n)
{
    char real[PATH_MAX], name[PATH_MAX + 48];
    struct stat old;
    if (!realpath(path, real)) { /* through links, which stay what they are */
        if (errno != ENOENT || strlen(path) >= sizeof real) {
            return file_fault(world, path, "can not be written", errno);
        }
        strcpy(real, path);
    }
    const bool exists = stat(real, &old) == 0;
    if (exists && !S_ISREG(old.st_mode)) {
        return file_fault(world, path, "is no regular file",
                          S_ISDIR(old.st_mode) ? EISDIR : EINVAL);
    }
    const int fd = open_beside(real, exists ? &old : NULL, name);
    if (fd < 0) {
        return file_fault(world, path, "no file can be made beside it", errno);
    }
    int error = write_all(fd, bytes, n) && fsync(fd) == 0 ? 0 : errno;
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    if (error == 0 && rename(name, real) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlink(name);
        return file_fault(world, path, "can not be written", error);
    }
    sync_folder(real);
    return XPBD_OK;
}

static xpbd_status check_path(const xpbd_world *world, const char *path)
{
    return path && *path ? XPBD_OK
           : path        ? file_fault(world, "\"\"", "is no name", ENOENT)
                         : xpbd_fail(world, XPBD_ERROR_NULL, -1, 0, 0.0, "path is null");
}

xpbd_status xpbd_world_save_file(const xpbd_world *world, const char *path)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(check_path(world, path));
    size_t size = 0;
    XPBD_TRY(xpbd_world_save(world, 0, NULL, &size));
    xpbd_memory memory = {.allocator = world->memory.allocator};
    unsigned char *bytes = xpbd_memory_alloc(&memory, size, 1);
    if (!bytes) {
        return xpbd_fail(world, XPBD_ERROR_MEMORY, -1, size, 0.0,
                         "no memory for a snapshot of %zu bytes", size);
    }
    xpbd_status status = xpbd_world_save(world, size, bytes, &size);
    if (status == XPBD_OK) {
        status = replace(world, path, bytes, size);
    }
    xpbd_memory_free(&memory, bytes, size, 1);
    return status;
}

/* Read n bytes; 0, or an error of the system. A file that has become shorter has none. */
static int read_all(int fd, unsigned char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t got = read(fd, bytes, n < SSIZE_MAX ? n : SSIZE_MAX);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return got == 0 ? EIO : errno;
        }
        bytes += got > 0 ? got : 0;
        n -= got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* The beginning is looked at before there is memory for all of it. */
static xpbd_status load_open(xpbd_world *world, const char *path, int fd, size_t size)
{
    unsigned char begin[32];
    const size_t n = size < sizeof begin ? size : sizeof begin;
    int error = read_all(fd, begin, n);
    if (error != 0) {
        return file_fault(world, path, "can not be read", error);
    }
    xpbd_reader from = {.data = begin,
                        .size = size,
                        .what = "snapshot",
                        .status = XPBD_ERROR_SNAPSHOT,
                        .world = world};
    XPBD_TRY(xpbd_open_file(&from, XPBD_SNAPSHOT_MAGIC, XPBD_SNAPSHOT_VERSION));
    unsigned char *bytes = xpbd_memory_alloc(&world->memory, size, 1);
    if (!bytes) {
        return xpbd_fail(world, XPBD_ERROR_MEMORY, -1, size, 0.0,
                         "no memory for a snapshot of %zu bytes", size);
    }
    memcpy(bytes, begin, n);
    error = read_all(fd, bytes + n, size - n);
    const xpbd_status status = error == 0 ? xpbd_world_load(world, size, bytes)
                                          : file_fault(world, path, "can not be read", error);
    xpbd_memory_free(&world->memory, bytes, size, 1);
    return status;
}

xpbd_status xpbd_world_load_file(xpbd_world *world, const char *path)
{
    struct stat info;
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(check_path(world, path));
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not hold us up */
    if (fd < 0 || fstat(fd, &info) != 0) {
        const int error = errno;
        if (fd >= 0) {
            close(fd);
        }
        return file_fault(world, path, "can not be read", error);
    }
    const xpbd_status status = S_ISREG(info.st_mode)
                                   ? load_open(world, path, fd, (size_t)info.st_size)
                                   : file_fault(world, path, "is no regular file",
                                                S_ISDIR(info.st_mode) ? EISDIR : EINVAL);
    close(fd);
    return status;
}
