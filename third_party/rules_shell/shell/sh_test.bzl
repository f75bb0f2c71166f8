# SPDX-License-Identifier: MIT
"""Stands in for rules_shell: the rule is built into Bazel 4."""

# buildifier: disable=native-sh-test
sh_test = native.sh_test
