# SPDX-License-Identifier: MIT
"""CcInfo, where newer versions of rules_cc have it."""

load(":native.bzl", "native_cc_info")

CcInfo = native_cc_info
