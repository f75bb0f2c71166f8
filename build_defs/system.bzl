# SPDX-License-Identifier: MIT
"""system_library: take a library from the system, or say which apt package is missing."""

# The target is always called :lib. Under bzlmod ctx.name is a long canonical name, so
# @hwloc//:hwloc would work with WORKSPACE only. `includes` gives -isystem, which keeps
# our warnings out of other people's headers.
_BUILD = """load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

cc_library(
    name = "lib",
    hdrs = glob({globs}, allow_empty = True),
    defines = {defines},
    includes = {includes},
    linkopts = {linkopts},
)
"""

def _fail_missing(ctx, what):
    fail("""

  libxpbd needs {what}, which was not found on this machine.
  Install it with:

      sudo apt-get install {apt}

  or let ./bazelw install all that is needed: ./bazelw --setup
""".format(what = what, apt = ctx.attr.apt))

def _query(ctx, pkg_config, what):
    result = ctx.execute([pkg_config, what, ctx.attr.pkg])
    return result.stdout.strip() if result.return_code == 0 else ""

def _words(text):
    return [word for word in text.split(" ") if word]

def _symlink_headers(ctx, includedir):
    globs = []
    for hdr in ctx.attr.hdrs:
        src = ctx.path(includedir + "/" + hdr)
        if not src.exists:
            _fail_missing(ctx, "%s (no %s)" % (ctx.attr.pkg or hdr, src))
        ctx.symlink(src, "include/" + hdr)
        globs += ["include/" + hdr, "include/" + hdr + "/**"]
    return globs

def _system_library_impl(ctx):
    includedir = "/usr/include"
    defines = []
    linkopts = []
    if ctx.attr.pkg:
        pkg_config = ctx.which("pkg-config")
        if pkg_config == None:
            fail("\n\n  libxpbd needs pkg-config: sudo apt-get install pkg-config, or ./bazelw --setup\n")
        want = ctx.attr.pkg
        if ctx.attr.min_version:
            want += " >= " + ctx.attr.min_version
        if ctx.execute([pkg_config, "--exists", want]).return_code != 0:
            have = _query(ctx, pkg_config, "--modversion")
            _fail_missing(ctx, want + (" (found only %s)" % have if have else ""))
        includedir = _query(ctx, pkg_config, "--variable=includedir") or includedir
        defines = [f[2:] for f in _words(_query(ctx, pkg_config, "--cflags")) if f.startswith("-D")]
        linkopts = _words(_query(ctx, pkg_config, "--libs"))
    ctx.file("BUILD", _BUILD.format(
        defines = defines,
        globs = _symlink_headers(ctx, includedir),
        includes = ["include"] + ["include/" + folder for folder in ctx.attr.includes],
        linkopts = linkopts + ctx.attr.linkopts,
    ))

system_library = repository_rule(
    implementation = _system_library_impl,
    doc = "A C library of the system as a Bazel repository with one target, :lib.",
    attrs = {
        "apt": attr.string(mandatory = True, doc = "Debian package to name when it is missing."),
        "hdrs": attr.string_list(doc = "Headers and header folders, below the include folder."),
        "includes": attr.string_list(doc = "Folders below the include folder to search, too."),
        "linkopts": attr.string_list(doc = "What the .pc file forgets."),
        "min_version": attr.string(doc = "Oldest version that will do."),
        "pkg": attr.string(doc = "pkg-config name; none: look for the headers only."),
    },
    configure = True,
    environ = ["PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR"],
    local = True,
)
