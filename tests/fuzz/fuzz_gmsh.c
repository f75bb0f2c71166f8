/* SPDX-License-Identifier: MIT
 *
 * The reader of .msh files.
 */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const xpbd_mesh_file file = {"a.msh", data, size};
    fuzz_read_mesh(&file, 1, file.path);
    return 0;
}
