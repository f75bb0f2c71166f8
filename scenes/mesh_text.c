/* SPDX-License-Identifier: MIT
 *
 * Loading and cutting up the text of mesh files. The file is read as a whole, because OBJ needs two
 * passes and because counts in headers can then be compared with what is really there before any
 * memory is asked for.
 */
#define _POSIX_C_SOURCE 200809L

#include "scenes/mesh_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file name may hold a line end; the message is one line all the same. */
static size_t put_path(const xpbd_mesh_fault *fault, const char *path)
{
    size_t n = 0;
    for (; path[n] && n + 1 < fault->size; n++) {
        unsigned char c = (unsigned char)path[n];
        fault->text[n] = c < 0x20 || c == 0x7f ? '?' : path[n];
    }
    fault->text[n] = 0;
    return n;
}

static void put_fault(const xpbd_mesh_fault *fault, const char *path, uint32_t line,
                      const char *format, va_list arguments)
{
    if (!fault->size)
        return;
    size_t n = put_path(fault, path);
    int more = line ? snprintf(fault->text + n, fault->size - n, ":%u: ", line)
                    : snprintf(fault->text + n, fault->size - n, ": ");
    n += more > 0 ? (size_t)more : 0;
    if (n < fault->size)
        (void)vsnprintf(fault->text + n, fault->size - n, format, arguments);
}

static bool fail_file(const char *path, const xpbd_mesh_fault *fault, const char *format, ...)
    XPBD_MESH_PRINTF(3, 4);

static bool fail_file(const char *path, const xpbd_mesh_fault *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_fault(fault, path, 0, format, arguments);
    va_end(arguments);
    return false;
}

bool xpbd_mesh_text_fail(const xpbd_mesh_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_fault(text->fault, text->path, text->line, format, arguments);
    va_end(arguments);
    return false;
}

bool xpbd_mesh_text_fail_at(const xpbd_mesh_text *text, uint32_t line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_fault(text->fault, text->path, line, format, arguments);
    va_end(arguments);
    return false;
}

static bool fail_open(const char *path, const xpbd_mesh_fault *fault, int reason)
{
    if (reason == ENOENT || reason == ENOTDIR)
        return fail_file(path, fault, "no such file");
    if (reason == ENOMEM)
        return fail_file(path, fault, "out of memory");
    if (reason == EACCES || reason == EPERM)
        return fail_file(path, fault, "permission denied");
    return fail_file(path, fault, "can not be opened (errno %d)", reason);
}

static bool check_size(const char *path, const xpbd_mesh_fault *fault, long long size)
{
    if (size <= 0)
        return fail_file(path, fault, "is empty");
    if (size >= XPBD_MESH_FILE_MAX)
        return fail_file(path, fault, "is too large: %lld bytes, the limit is %d", size,
                         XPBD_MESH_FILE_MAX);
    return true;
}

static const xpbd_mesh_file *find_file(const xpbd_mesh_disk *disk, const char *path)
{
    for (size_t k = 0; k < disk->n; k++) {
        if (!strcmp(disk->file[k].path, path))
            return &disk->file[k];
    }
    return NULL;
}

bool xpbd_mesh_text_check(const xpbd_mesh_disk *disk, const char *path,
                          const xpbd_mesh_fault *fault, size_t *size)
{
    if (disk->file) {
        const xpbd_mesh_file *file = find_file(disk, path);
        *size = file ? file->size : 0;
        return file ? check_size(path, fault, (long long)file->size)
                    : fail_open(path, fault, ENOENT);
    }
    struct stat status;
    if (stat(path, &status))
        return fail_open(path, fault, errno);
    if (S_ISDIR(status.st_mode))
        return fail_file(path, fault, "is a directory");
    /* Opening a pipe could wait for ever, and a device may never end. */
    if (!S_ISREG(status.st_mode))
        return fail_file(path, fault, "is not a regular file");
    *size = (size_t)status.st_size;
    return check_size(path, fault, (long long)status.st_size);
}

static bool load(const char *path, const xpbd_mesh_fault *fault, char *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail_open(path, fault, errno);
    /* A buffer would only be copied through, and is memory that can run out. */
    (void)setvbuf(file, NULL, _IONBF, 0);
    size_t n = fread(bytes, 1, size, file);
    (void)fclose(file);
    return n == size || fail_file(path, fault, "can not be read: %zu of %zu bytes came", n, size);
}

bool xpbd_mesh_text_open(xpbd_mesh_text *text, const xpbd_mesh_disk *disk, const char *path,
                         const xpbd_mesh_fault *fault)
{
    size_t size = 0;
    if (!xpbd_mesh_text_check(disk, path, fault, &size))
        return false;
    char *bytes = malloc(size + 1);
    if (!bytes)
        return fail_file(path, fault, "out of memory");
    if (disk->file) {
        memcpy(bytes, find_file(disk, path)->bytes, size);
    } else if (!load(path, fault, bytes, size)) {
        free(bytes);
        return false;
    }
    bytes[size] = 0;
    *text = (xpbd_mesh_text){.path = path, .fault = fault, .bytes = bytes, .end = bytes + size};
    xpbd_mesh_text_rewind(text);
    if (size >= 2 && (!memcmp(bytes, "\xff\xfe", 2) || !memcmp(bytes, "\xfe\xff", 2))) {
        free(bytes);
        return fail_file(path, fault, "is UTF-16; ASCII or UTF-8 is needed");
    }
    return true;
}

void xpbd_mesh_text_close(xpbd_mesh_text *text)
{
    free(text->bytes);
    *text = (xpbd_mesh_text){0};
}

void xpbd_mesh_text_rewind(xpbd_mesh_text *text)
{
    text->at = text->bytes;
    text->line = text->statement = 1;
    if (text->end - text->at >= 3 && !memcmp(text->at, "\xef\xbb\xbf", 3))
        text->at += 3;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/* Bytes of the line end at `at`, 0 if there is none. */
static size_t line_end(const xpbd_mesh_text *text, const char *at)
{
    if (at == text->end)
        return 0;
    if (*at == '\r')
        return at + 1 < text->end && at[1] == '\n' ? 2 : 1;
    return *at == '\n';
}

/* Bytes of a backslash and the line end that it hides, 0 if there is none. */
static size_t continuation(const xpbd_mesh_text *text, const char *at)
{
    if (!text->continued || at == text->end || *at != '\\')
        return 0;
    size_t n = line_end(text, at + 1);
    return n ? n + 1 : 0;
}

static void skip_blanks(xpbd_mesh_text *text)
{
    while (text->at < text->end) {
        size_t joined = continuation(text, text->at);
        if (!joined && !is_blank(*text->at))
            break;
        text->at += joined ? joined : 1;
        text->line += joined > 0;
    }
}

bool xpbd_mesh_text_start(xpbd_mesh_text *text)
{
    for (;;) {
        skip_blanks(text);
        size_t n = line_end(text, text->at);
        if (n) {
            text->at += n;
            text->line++;
        } else if (text->at < text->end && *text->at == '#') {
            xpbd_mesh_text_skip(text);
        } else {
            break;
        }
    }
    if (text->at == text->end) {
        text->line = text->statement;
        return false;
    }
    text->statement = text->line;
    return true;
}

bool xpbd_mesh_text_word(xpbd_mesh_text *text, xpbd_mesh_word *word)
{
    skip_blanks(text);
    const char *begin = text->at;
    while (text->at < text->end && !is_blank(*text->at) && *text->at != '#' &&
           !line_end(text, text->at) && !continuation(text, text->at))
        text->at++;
    *word = (xpbd_mesh_word){begin, (size_t)(text->at - begin)};
    return word->length > 0;
}

void xpbd_mesh_text_skip(xpbd_mesh_text *text)
{
    /* A backslash at the end of a comment joins nothing: comments hold paths of directories. */
    bool comment = false;
    while (text->at < text->end && !line_end(text, text->at)) {
        comment = comment || *text->at == '#';
        size_t joined = comment ? 0 : continuation(text, text->at);
        text->at += joined ? joined : 1;
        text->line += joined > 0;
    }
}

bool xpbd_mesh_text_done(xpbd_mesh_text *text)
{
    xpbd_mesh_word word;
    if (!xpbd_mesh_text_word(text, &word))
        return true;
    return xpbd_mesh_text_fail(text, "'%s' is more than belongs on this line",
                               xpbd_mesh_word_quote(word).text);
}
