# SPDX-License-Identifier: MIT
"""Stands in for rules_cc: the rules are built into Bazel 4, the loads are for newer versions."""

# buildifier: disable=native-cc-binary
cc_binary = native.cc_binary

# buildifier: disable=native-cc-library
cc_library = native.cc_library

# buildifier: disable=native-cc-test
cc_test = native.cc_test
cc_import = native.cc_import
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
