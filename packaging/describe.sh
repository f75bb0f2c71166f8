#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# describe.sh NM OBJECT OUT-FOLDER FILE...: fills the templates (*.in) among the files. The version
# is that of xpbd.h, which is among them too; the OpenMP library is the one whose symbols OBJECT asks for.
set -euo pipefail

nm="$1" object="$2" out="$3"
shift 3
for file in "$@"; do
  case "$file" in */xpbd/xpbd.h) header="$file" ;; esac
done

part() { sed -n "s/^#define XPBD_VERSION_$1 \\([0-9]*\\)\$/\\1/p" "$header"; }
major="$(part MAJOR)" minor="$(part MINOR)" patch="$(part PATCH)"
# While the major version is 0, every minor version may break programs that were linked before.
[ "$major" = 0 ] && abi="0.$minor" || abi="$major"

symbols="$("$nm" --undefined-only "$object")"
libraries="-lhwloc -lm"
case "$symbols" in
  *' __kmpc_'*) libraries="-lomp $libraries" ;;
  *' GOMP_'*) libraries="-lgomp $libraries" ;;
esac

for file in "$@"; do
  case "$file" in
    *.in)
      sed -e "s/@VERSION@/$major.$minor.$patch/" -e "s/@ABI@/$abi/" -e "s/@LIBRARIES@/$libraries/" \
        "$file" >"$out/$(basename "$file" .in)" ;;
  esac
done
