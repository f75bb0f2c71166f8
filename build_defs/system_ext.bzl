# SPDX-License-Identifier: MIT
"""Bzlmod entry point (Bazel 7 and newer) to the libraries of deps.bzl. Never run; see MODULE.bazel."""

load(":deps.bzl", "system_libraries")

def _system_impl(_ctx):
    system_libraries()

system = module_extension(implementation = _system_impl)
