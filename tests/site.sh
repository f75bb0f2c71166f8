#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The site is made without a warning and has a page for every constraint type and function; the
# committed pages of the types are those that docs/pages.py makes. $1 is docs/site.sh.
set -euo pipefail

scratch="$(mktemp -d "${TEST_TMPDIR:-/tmp}/site_sh.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT
fail() {
  echo "FAILED: $*"
  exit 1
}
pages() { /usr/bin/python3 docs/pages.py include "$1" "$scratch/pages"; }

pages docs/constraints.toml
diff -r <(cd docs/constraints && cat -- *) <(cd "$scratch/pages" && cat -- *) >"$scratch/diff" ||
  fail "docs/constraints is not what docs/constraints.toml makes, run ./bazelw run //docs:constraints: $(head -n 5 "$scratch/diff")"
types="$(sed -n 's/^XPBD_CONSTRAINT(\([A-Z_]*\), \([a-z_]*\),.*/\2/p; s/^XPBD_CONSTRAINT_VARIABLE([^,]*, [^,]*, [A-Z_]*, \([a-z_]*\),.*/\1/p' include/xpbd/constraints.def)"
[ "$(wc -w <<<"$types")" -ge 16 ] || fail "constraints.def was not understood: $types"

# What is missing or wrong in the descriptions is named.
sed '/^\[rope\]/,/^"""$/d' docs/constraints.toml >"$scratch/bad.toml"
! pages "$scratch/bad.toml" >"$scratch/out" 2>&1 || fail "a type without a description passed"
sed 's/^\[rope\]/[robe]/' docs/constraints.toml >"$scratch/bad.toml"
! pages "$scratch/bad.toml" >"$scratch/out" 2>&1 && grep -q 'the type rope has no description' "$scratch/out" || fail "$(cat "$scratch/out")"
sed '0,/^spring a b/s//sprung a b/' docs/constraints.toml >"$scratch/bad.toml"
! pages "$scratch/bad.toml" >"$scratch/out" 2>&1 && grep -q "distance, picture: 'sprung a b' is not understood" "$scratch/out" || fail "$(cat "$scratch/out")"

"$1" "$scratch/site" || fail "the site was not made"
for type in $types; do
  grep -q "<object\|<img src=\"$type.svg\"" "$scratch/site/page_$type.html" || fail "no picture on the page of $type"
  [ -s "$scratch/site/$type.svg" ] || fail "no file $type.svg"
done
for page in docs/guide/*.md; do
  page="$(basename "$page" .md)"
  [ "$page" = README ] || [ -s "$scratch/site/page_$page.html" ] || fail "docs/guide/$page.md is not in the list of docs/guide/README.md"
done
# All links lead somewhere.
cat "$scratch"/site/*.html | grep -o 'href="[^"#:]*' | sed 's/href="//' | sort -u | grep -v '^http' | while IFS= read -r link; do
  [ -z "$link" ] || [ -e "$scratch/site/$link" ] || fail "a link to $link, which is not there"
done
declared="$(cc -E -P -I include -include include/xpbd/build.h include/xpbd/scheduler.h | grep -ohE '\bxpbd_[a-z_]+\(' | tr -d '(' | sort -u)"
cat "$scratch"/site/*.html | grep memname >"$scratch/names"
for name in $declared; do
  grep -q "$name" "$scratch/names" || fail "$name is not on the site"
done
# Functions that pages and headers speak of are there.
for name in $(grep -ohE '\bxpbd_[a-z_]+\(\)' include/xpbd/*.h docs/guide/*.md docs/constraints/*.md | tr -d '()' | sort -u); do
  grep -qx "$name" <<<"$declared" || fail "$name() is spoken of and not declared"
done

refused() {
  local words="$1" code=0
  shift
  "$site" "$@" >"$scratch/out" 2>&1 || code=$?
  { [ "$code" = 2 ] && grep -q "$words" "$scratch/out"; } || fail "site $*: $code, $(cat "$scratch/out")"
}
site="$1"
refused "FOLDER is missing"
refused "unknown option '--out'" --out
refused "cannot write to /proc/site" /proc/site
echo "a page for each of $(wc -w <<<"$types") types"
