# SPDX-License-Identifier: MIT
"""cc_common, where newer versions of rules_cc have it."""

load(":native.bzl", "native_cc_common")

cc_common = native_cc_common
