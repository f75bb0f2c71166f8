#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The guide, a page per constraint type and the manual of the headers as a site that opens from disk.
# What Doxygen warns about is an error.
set -euo pipefail

die() {
  echo "site: $*" >&2
  exit 2
}
usage="./bazelw run //docs:site -- FOLDER"
case "${1:-}" in
  -h | --help)
    echo "Usage: $usage"
    echo "Writes the documentation as HTML to FOLDER, which is made if it is missing; begin with index.html."
    exit 0 ;;
  '') die "FOLDER is missing: $usage" ;;
  -*) die "unknown option '$1': $usage" ;;
esac
[ "$#" -eq 1 ] || die "one FOLDER is expected, and there is '$2' after '$1'"
command -v doxygen >/dev/null || die "doxygen is missing: ./bazelw --setup-checks, or apt-get install doxygen"
# Relative to where the user is, not to where Bazel runs this.
case "$1" in /*) out="$1" ;; *) out="${BUILD_WORKING_DIRECTORY:-$PWD}/$1" ;; esac
reason="$(mkdir -p "$out" 2>&1 && touch "$out/index.html" 2>&1)" || die "cannot write to $out: ${reason##*: }"

files=.
for folder in "$0.runfiles"/*; do
  [ ! -f "$folder/docs/Doxyfile" ] || files="$folder"
done
scratch="$(mktemp -d "${TEST_TMPDIR:-${TMPDIR:-/tmp}}/site.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tree"
cp -rL "$files/docs" "$files/include" "$scratch/tree"
cd "$scratch/tree"

# In the order of the guide's own list.
pages="$(sed -n 's/^| \[[^]]*\](\([^)]*\)).*/docs\/guide\/\1/p' docs/guide/README.md)"
cat >>docs/Doxyfile <<END
INPUT = docs/guide/README.md $(echo $pages) docs/constraints docs/PAPERS.md include/xpbd
OUTPUT_DIRECTORY = $scratch
END
doxygen docs/Doxyfile >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; die "doxygen failed"; }
if [ -s "$scratch/log" ]; then
  sed "s|$scratch/tree/||" "$scratch/log" >&2
  die "the lines above are Doxygen's warnings"
fi
cp -r "$scratch/html/." "$out"
echo "wrote $out/index.html"
