# SPDX-License-Identifier: MIT
"""xpbd_public_library: link everything, show the public headers only."""

load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

def _xpbd_public_library_impl(ctx):
    # In the order of the attribute: what is named first may use symbols of what follows.
    infos = [dep[CcInfo] for dep in ctx.attr.implementation]
    linking = cc_common.merge_cc_infos(direct_cc_infos = infos).linking_context
    archives = []
    for linker_input in linking.linker_inputs.to_list():
        for library in linker_input.libraries:
            archive = library.static_library or library.pic_static_library
            if archive:
                archives.append(archive)
    return [
        DefaultInfo(files = depset(archives)),
        CcInfo(
            compilation_context = ctx.attr.headers[CcInfo].compilation_context,
            linking_context = linking,
        ),
    ]

# cc_library would hand the headers of its dependencies on: whoever depends on the public library
# could include those of the rooms. implementation_deps came with later versions of Bazel.
xpbd_public_library = rule(
    implementation = _xpbd_public_library_impl,
    attrs = {
        "headers": attr.label(mandatory = True, providers = [CcInfo]),
        "implementation": attr.label_list(mandatory = True, providers = [CcInfo]),
    },
    provides = [CcInfo],
)
