/* SPDX-License-Identifier: MIT
 *
 * Runs a record again and says whether anything is different here: //bench:replay -- FILE. A
 * record is what xpbd_world_read_record() gives, in a file. Exit code 0: all states are equal,
 * 1: one differs, 2: there is no such file, or it is no record.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xpbd/xpbd.h>

/* The whole file, which the caller frees; null with errno set. */
static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    size_t room = 0;
    *size = 0;
    while (file && !ferror(file) && !feof(file)) {
        if (*size == room) {
            room = room ? 2 * room : 1 << 16;
            unsigned char *larger = realloc(bytes, room);
            if (!larger) {
                errno = ENOMEM;
                break;
            }
            bytes = larger;
        }
        *size += fread(bytes + *size, 1, room - *size, file);
    }
    const bool whole = file && feof(file);
    const int error = errno;
    if (file) {
        fclose(file);
    }
    if (!whole) {
        free(bytes);
        errno = error;
        return NULL;
    }
    return bytes;
}

int main(int argc, char **argv)
{
    xpbd_world_def def = xpbd_default_world_def();
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "replay FILE [LAYOUT [INSTRUCTION SET]]\n");
        return 2;
    }
    def.layout = argc > 2 ? argv[2] : NULL;
    def.isa = argc > 3 ? argv[3] : NULL;
    size_t size;
    unsigned char *bytes = read_file(argv[1], &size);
    if (!bytes) {
        fprintf(stderr, "replay: %s: %s\n", argv[1], strerror(errno));
        return 2;
    }
    xpbd_replay_report report;
    xpbd_error error;
    const xpbd_status status = xpbd_replay(size, bytes, &def, &report, &error);
    free(bytes);
    if (status != XPBD_OK) {
        fprintf(stderr, "replay: %s: %s\n", argv[1], error.text);
        return 2;
    }
    printf("%s: %s\n", argv[1], report.text);
    return report.differs ? 1 : 0;
}
