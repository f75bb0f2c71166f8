#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The same bits by another compiler and optimisation: builds the library and the golden program with
# the compiler $1 and the flags $2, for scalar and AVX2 (--config=few-isas), and runs it once with
# each further argument, a line of options. Skips, and says so, where the compiler is missing.
set -euo pipefail
. tests/cross/build_golden.bash

compiler="$1" flags="$2"
shift 2
command -v "$compiler" >/dev/null || {
  echo "skipped, $compiler is missing"
  exit 0
}
[ "$(uname -m)" = x86_64 ] || {
  echo "skipped, this is no x86_64"
  exit 0
}
scratch="$(mktemp -d "${TEST_TMPDIR:-/tmp}/compiler.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT
build_golden "$scratch" "$compiler" "$flags -DXPBD_FEW_ISAS=1 -Wno-psabi" scalar avx2
"$compiler" -fopenmp "$scratch"/*.o -o "$scratch/golden" -lm
for options in "$@"; do
  echo "$compiler $flags: golden $options"
  # shellcheck disable=SC2086
  "$scratch/golden" $options
done
