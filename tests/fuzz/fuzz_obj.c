/* SPDX-License-Identifier: MIT
 *
 * The reader of .obj files.
 */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const xpbd_mesh_file file = {"a.obj", data, size};
    fuzz_read_mesh(&file, 1, file.path);
    return 0;
}
