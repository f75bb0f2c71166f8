/* SPDX-License-Identifier: MIT
 *
 * Runs a fuzz target once on each input that is kept: those that show its ways, and those that
 * once broke something.
 */
#include "fuzz.h"

/* In memory of exactly that size: asan sees who reads further. */
static bool run(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    size_t n = 0;
    bool done = false;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        const long size = ftell(file);
        rewind(file);
        n = size > 0 ? (size_t)size : 0;
        bytes = malloc(n > 0 ? n : 1);
        done = size >= 0 && bytes && fread(bytes, 1, n, file) == n;
    }
    if (file)
        fclose(file);
    printf("%s\n", path);
    fflush(stdout); /* before it may abort */
    if (done)
        (void)LLVMFuzzerTestOneInput(bytes, n);
    else
        fprintf(stderr, "%s can not be read\n", path);
    free(bytes);
    return done;
}

int main(int argc, char **argv)
{
    int n = 0;
    for (int i = 1; i < argc; i++)
        n += run(argv[i]);
    printf("%d inputs\n", n);
    return n > 0 && n == argc - 1 ? 0 : 1;
}
