#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The golden program $1 writes the table $2 as it is where nothing has changed, byte for byte, and
# writes nothing where it was not asked well.
set -euo pipefail

golden="$1" table="$2"
scratch="$(mktemp -d "${TEST_TMPDIR:-/tmp}/update.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT
export BUILD_WORKSPACE_DIRECTORY="$scratch"

# refused PATTERN COMMAND...: fails and says why.
refused() {
  local pattern="$1"
  shift
  ! "$@" >"$scratch/out" 2>&1 || { echo "not refused: $*"; exit 1; }
  grep -q -e "$pattern" "$scratch/out" || { echo "expected '$pattern':"; cat "$scratch/out"; exit 1; }
}

refused 'golden.new: No such file' "$golden" --update --scenes ropes-6
mkdir -p "$scratch/tests/golden"
refused 'one line without' "$golden" --update --scenes ropes-6 --reason 'a "better" hash'
refused 'bazel run' env -u BUILD_WORKSPACE_DIRECTORY "$golden" --update --scenes ropes-6
refused "nothing is named 'ropes-7'" "$golden" --update --scenes ropes-7
refused 'not numbers from' "$golden" --threads 3-2
refused 'needs a value' "$golden" --scenes
[ -z "$(ls "$scratch/tests/golden")" ] || { echo "something was written"; exit 1; }
"$golden" --update --scenes ropes-6
cmp "$table" "$scratch/tests/golden/golden.def"
