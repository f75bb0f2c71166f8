#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The README's program $1 prints what the README $2 says it prints.
set -euo pipefail

printed="$("$1")"
echo "$printed"
grep -qxF "    $printed" "$2" || {
  echo "README.md does not have this line, indented by four" >&2
  exit 1
}
