#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs mutation.py beside it on a copy, as Bazel's links lead back to files that are not mutated.
set -euo pipefail

scratch="$(mktemp -d "${TEST_TMPDIR:-/tmp}/mutation.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT
cp -rL . "$scratch/tree"
cd "$scratch/tree"
/usr/bin/python3 -B tests/mutation/mutation.py --build "$scratch/build" "$@"
