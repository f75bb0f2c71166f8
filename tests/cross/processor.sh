#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The same bits on another processor family: builds the library and the golden program for the
# triple $1 and runs it under qemu, once with each further argument, a line of options. Skips, and
# says what is missing, without cross compiler or emulator.
set -euo pipefail
. tests/cross/build_golden.bash

triple="$1"
shift
case "$triple" in
  aarch64-linux-gnu) qemu=qemu-aarch64-static libc=libc6-dev-arm64-cross isas="scalar neon" ;;
  riscv64-linux-gnu) qemu=qemu-riscv64-static libc=libc6-dev-riscv64-cross isas=scalar ;;
  powerpc64le-linux-gnu) qemu=qemu-ppc64le-static libc=libc6-dev-ppc64el-cross isas=scalar ;;
  *)
    echo "no row for $triple"
    exit 1
    ;;
esac
for program in "$triple-gcc" "$qemu"; do
  command -v "$program" >/dev/null || {
    echo "skipped, $program is missing: apt-get install gcc-$triple $libc qemu-user-static"
    exit 0
  }
done

scratch="$(mktemp -d "${TEST_TMPDIR:-/tmp}/cross.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT
# -O1 is half the time of -O2, and the bits do not depend on it.
# shellcheck disable=SC2086
build_golden "$scratch" "$triple-gcc" "-O1 -Wno-psabi -Wno-unknown-pragmas" $isas
"$triple-gcc" -static -fopenmp "$scratch"/*.o -o "$scratch/golden" -lm
for options in "$@"; do
  echo "$triple: golden $options"
  # shellcheck disable=SC2086
  OMP_WAIT_POLICY=passive "$qemu" "$scratch/golden" --expect-isa "${isas##* }" $options
done
