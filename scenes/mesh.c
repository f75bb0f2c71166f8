/* SPDX-License-Identifier: MIT
 *
 * Reading a mesh file: which reader, in which locale, and what is left behind when it fails.
 */
#define _POSIX_C_SOURCE 200809L

#include "scenes/mesh.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include "scenes/mesh_build.h"

typedef struct mesh_format {
    const char *extension;
    bool (*read)(const char *path, xpbd_mesh_builder *builder, const xpbd_mesh_fault *fault);
} mesh_format;

static const mesh_format formats[] = {
#define XPBD_MESH_FORMAT(extension, reader) {extension, xpbd_mesh_read_##reader},
#include "scenes/formats.def"
#undef XPBD_MESH_FORMAT
};

#define XPBD_MESH_FORMAT(extension, reader) " " extension
static const char extensions[] =
#include "scenes/formats.def"
    ;
#undef XPBD_MESH_FORMAT

static bool ends_with(const char *path, const char *extension)
{
    size_t n = strlen(path), m = strlen(extension);
    if (n <= m)
        return false;
    for (size_t k = 0; k < m; k++) {
        char c = path[n - m + k];
        if ((c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c) != extension[k])
            return false;
    }
    return true;
}

static const mesh_format *find_format(const char *path)
{
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        if (ends_with(path, formats[k].extension))
            return &formats[k];
    }
    return NULL;
}

static bool read_file(const char *path, xpbd_mesh_builder *builder, const xpbd_mesh_fault *fault)
{
    const xpbd_mesh_text nowhere = {.path = path, .fault = fault};
    size_t size = 0;
    if (!xpbd_mesh_text_check(&builder->disk, path, fault, &size))
        return false;
    const mesh_format *format = find_format(path);
    if (!format)
        return xpbd_mesh_text_fail(&nowhere, "is not a mesh by its name; known are%s", extensions);
    /* Hosts with a graphical interface set locales in which strtod() stops at a point. Only this
     * thread is switched, and only while it reads. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return xpbd_mesh_text_fail(&nowhere, "out of memory");
    locale_t callers = uselocale(plain);
    bool read = format->read(path, builder, fault) && xpbd_mesh_finish(builder, path, fault);
    (void)uselocale(callers);
    freelocale(plain);
    return read;
}

static bool read_from(xpbd_mesh_disk disk, const char *path, xpbd_mesh *mesh, char *error,
                      size_t error_size)
{
    const xpbd_mesh_fault fault = {error, error ? error_size : 0};
    if (fault.size)
        error[0] = 0;
    *mesh = (xpbd_mesh){0};
    xpbd_mesh_builder builder = {.disk = disk, .mesh = mesh};
    bool done = read_file(path, &builder, &fault);
    xpbd_mesh_builder_close(&builder);
    if (!done)
        xpbd_mesh_free(mesh);
    return done;
}

bool xpbd_mesh_read(const char *path, xpbd_mesh *mesh, char *error, size_t error_size)
{
    return read_from((xpbd_mesh_disk){0}, path, mesh, error, error_size);
}

bool xpbd_mesh_read_files(const xpbd_mesh_file *files, size_t n, const char *path, xpbd_mesh *mesh,
                          char *error, size_t error_size)
{
    static const xpbd_mesh_file none;
    return read_from((xpbd_mesh_disk){files ? files : &none, files ? n : 0}, path, mesh, error,
                     error_size);
}

void xpbd_mesh_free(xpbd_mesh *mesh)
{
    free(mesh->points);
    free(mesh->triangles);
    free(mesh->tets);
    free(mesh->edges);
    *mesh = (xpbd_mesh){0};
}
