#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# readme.sh PROGRAM PAGE...: every program prints what the page that it is from says it prints. No
# page of the guide has C that is not among them.
set -euo pipefail

pages=()
while [ "$#" -gt 0 ]; do
  printed="$("$1")"
  echo "$2: $printed"
  while IFS= read -r line; do
    grep -qxF "    $line" "$2" || { echo "$2 does not have this line, indented by four" >&2; exit 1; }
  done <<<"$printed"
  pages+=("$2")
  shift 2
done
for page in docs/guide/*.md; do
  ! grep -qx '```c' "$page" || [[ " ${pages[*]} " = *" $page "* ]] || { echo "the program of $page is not in tests/BUILD" >&2; exit 1; }
done
