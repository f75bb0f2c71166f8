#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The binary interface of the library (functions, types, sizes) against its description in xpbd.abi.
#
#   ./bazelw run //packaging:abi                   writes the description anew
#   ./bazelw run //packaging:abi -- --unreleased   even if the interface changed and its version did
#                                                  not: as long as nobody can have linked to it
#   abi.sh --check                                 compares, for the test
#
# Programs that were linked to libxpbd.so.N must run with all later libraries of that name. So a
# change that could break them needs a new one: XPBD_VERSION_MINOR while the major version is 0, then
# XPBD_VERSION_MAJOR. Additions need none.
set -euo pipefail

die() {
  echo "abi: $*" >&2
  exit 1
}
for program in abidw abidiff; do
  command -v "$program" >/dev/null || die "$program is missing: ./bazelw --setup-checks, or apt-get install abigail-tools"
done
files=.
for folder in "$0.runfiles"/*; do
  [ ! -f "$folder/packaging/libxpbd.so" ] || files="$folder"
done
library="$files/packaging/libxpbd.so" committed="$files/packaging/xpbd.abi"
scratch="$(mktemp -d "${TEST_TMPDIR:-${TMPDIR:-/tmp}}/abi.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT

# Public types only, and nothing that depends on where and by whom it was built.
abidw --exported-interfaces-only --headers-dir "$files/include" --drop-private-types --no-show-locs --no-corpus-path \
  --no-comp-dir-path --type-id-style hash --out-file "$scratch/new.abi" "$library" ||
  die "abidw cannot read $library"
grep -q '<function-decl' "$scratch/new.abi" || die "$library has no debug information; build with gcc, -c opt"

soname() { sed -n "s/.* soname='\\([^']*\\)'.*/\\1/p" "$1" | head -n 1; }
verdict=equal
if [ ! -s "$committed" ]; then
  verdict=none
elif ! abidiff "$committed" "$scratch/new.abi" >"$scratch/all.txt" 2>&1; then
  verdict=added
  abidiff --no-added-syms "$committed" "$scratch/new.abi" >"$scratch/changed.txt" 2>&1 || verdict=changed
  cat "$scratch/all.txt"
fi
if [ "$verdict" = changed ] && [ "$(soname "$committed")" != "$(soname "$scratch/new.abi")" ]; then
  verdict=renamed
fi

case "${1:-}" in
  --check)
    case "$verdict" in
      equal) echo "the binary interface is that of packaging/xpbd.abi" ;;
      changed) die "the binary interface changed and $(soname "$committed") did not: raise XPBD_VERSION_MINOR" \
        "(from 1.0 on XPBD_VERSION_MAJOR) in xpbd.h, then ./bazelw run //packaging:abi" ;;
      *) die "packaging/xpbd.abi is not up to date: ./bazelw run //packaging:abi" ;;
    esac ;;
  '' | --unreleased)
    [ "$verdict" != changed ] || [ "${1:-}" = --unreleased ] ||
      die "the binary interface changed and $(soname "$committed") did not: raise XPBD_VERSION_MINOR" \
        "(from 1.0 on XPBD_VERSION_MAJOR) in xpbd.h first, or say --unreleased"
    target="${BUILD_WORKSPACE_DIRECTORY:?run it by Bazel: ./bazelw run //packaging:abi}/packaging/xpbd.abi"
    cp "$scratch/new.abi" "$target"
    echo "wrote $target: $(grep -c "<elf-symbol .*type='func-type'" "$target") functions of $(soname "$target")" ;;
  *) die "unknown option '$1'" ;;
esac
