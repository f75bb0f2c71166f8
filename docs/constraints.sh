#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes a page and a picture for each constraint type, in docs/constraints of the tree.
set -euo pipefail
[ -n "${BUILD_WORKSPACE_DIRECTORY:-}" ] || { echo "run it by Bazel: ./bazelw run //docs:constraints" >&2; exit 2; }
cd "$BUILD_WORKSPACE_DIRECTORY"
# Debian's, which is new enough for TOML, whatever else is on the path.
exec /usr/bin/python3 docs/pages.py include docs/constraints.toml docs/constraints
