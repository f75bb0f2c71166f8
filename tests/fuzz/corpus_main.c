/* SPDX-License-Identifier: MIT
 *
 * Runs a fuzz target once on each input that is kept: those that show its ways, and those that
 * once broke something. A part of them has to be taken: when a format changes and they do not, all
 * are refused at the first sight, and show nothing.
 */
#include "fuzz.h"

#include <inttypes.h>

enum { LEAST_TAKEN = 20 }; /* one of so many */

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
    printf("%d inputs, %" PRIu64 " taken\n", n, fuzz_taken);
    if ((int)fuzz_taken < n / LEAST_TAKEN)
        fprintf(stderr, "too few: has the format changed? tests/fuzz/widen.py\n");
    return n > 0 && n == argc - 1 && (int)fuzz_taken >= n / LEAST_TAKEN ? 0 : 1;
}
