#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs coverage.py beside it on a copy, as gcovr finds sources by where they really are.
set -euo pipefail

scratch="$(mktemp -d "${TEST_TMPDIR:-/tmp}/coverage.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT
cp -rL . "$scratch/tree"
cd "$scratch/tree"
/usr/bin/python3 -B tests/coverage/coverage.py --build "$scratch/build" --html "${TEST_UNDECLARED_OUTPUTS_DIR:-$scratch/html}" "$@"
