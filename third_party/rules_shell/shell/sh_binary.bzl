# SPDX-License-Identifier: MIT
"""Stands in for rules_shell: the rule is built into Bazel 4."""

# buildifier: disable=native-sh-binary
sh_binary = native.sh_binary
