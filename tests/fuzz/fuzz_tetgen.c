/* SPDX-License-Identifier: MIT
 *
 * The reader of pairs of .node and .ele files. An input has both, with a line "---" between them;
 * where there is none, one file of the pair is missing.
 */
#include "fuzz_mesh.h"

static const char between[] = "---\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t n = sizeof between - 1;
    size_t at = 0;
    while (at + n <= size && memcmp(data + at, between, n) != 0)
        at++;
    const bool pair = at + n <= size;
    const xpbd_mesh_file files[] = {{"a.node", data, pair ? at : size},
                                    {"a.ele", data + at + n, pair ? size - at - n : 0}};
    if (pair) {
        fuzz_read_mesh(files, 2, "a.ele");
    } else {
        const xpbd_mesh_file lone[] = {files[0], {"a.ele", "", 0}};
        fuzz_read_mesh(lone, 2, "a.node");
    }
    return 0;
}
