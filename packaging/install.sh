#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs headers, shared and static library, and what pkg-config, CMake and Bazel want to know.
set -euo pipefail

usage() {
  cat <<'END'
Usage: [DESTDIR=FOLDER] ./bazelw run //:install -- PREFIX

Installs libxpbd below PREFIX, an absolute path such as /usr/local or "$HOME/.local":

  include/xpbd/            the headers
  lib/                     libxpbd.so, libxpbd.a
  lib/pkgconfig/xpbd.pc    for pkg-config
  lib/cmake/xpbd/          for CMake's find_package(xpbd)
  share/xpbd/bazel/        for Bazel's local_repository
  share/doc/xpbd/LICENSE

The tree may be moved as a whole afterwards. With DESTDIR it is put below DESTDIR/PREFIX, from where a
package is made.
END
}
die() {
  echo "install: $*" >&2
  exit 2
}

[ "$#" -gt 0 ] || die "PREFIX is missing. Say where: ./bazelw run //:install -- /usr/local"
case "$1" in
  -h | --help)
    usage
    exit 0 ;;
  -*) die "unknown option '$1'; --help says what there is" ;;
esac
[ "$#" -eq 1 ] || die "one PREFIX is expected, and there is '$2' after '$1'"
prefix="$1" destination="${DESTDIR:-}"
case "$prefix" in
  /*) ;;
  '') die "PREFIX is empty" ;;
  *) die "PREFIX must be an absolute path, and '$prefix' is relative" ;;
esac
case "$destination" in
  '' | /*) ;;
  *) die "DESTDIR must be an absolute path, and '$destination' is relative" ;;
esac
to="${destination%/}${prefix%/}"

# From `bazel run` or a test, the files are below here; called by its name, beside it.
files=.
for folder in "$0.runfiles"/*; do
  [ ! -f "$folder/packaging/stripped/libxpbd.so" ] || files="$folder"
done
[ -f "$files/packaging/stripped/libxpbd.so" ] || die "run it by Bazel: ./bazelw run //:install -- $prefix"
read -r version soname <"$files/packaging/version"

# run COMMAND...: its message is the reason.
run() {
  local reason
  reason="$("$@" 2>&1)" || { reason="${reason%%$'\n'*}"; die "cannot install to $to: ${reason#*: }"; }
}
put() {
  local mode="$1" target="$to/$2"
  shift 2
  run mkdir -p "$target"
  run install -m "$mode" "$@" "$target"
}
link() { run ln -sfn "$1" "$to/$2"; }

put 644 include/xpbd "$files"/include/xpbd/*.h "$files"/include/xpbd/*.def
put 644 lib "$files/packaging/libxpbd.a"
run install -m 755 "$files/packaging/stripped/libxpbd.so" "$to/lib/libxpbd.so.$version"
link "libxpbd.so.$version" "lib/$soname"
link "$soname" lib/libxpbd.so
put 644 lib/pkgconfig "$files/packaging/xpbd.pc"
put 644 lib/cmake/xpbd "$files"/packaging/xpbd-config*.cmake
put 644 share/doc/xpbd "$files/LICENSE"
run mkdir -p "$to/share/xpbd/bazel"
run install -m 644 "$files/packaging/bazel_build" "$to/share/xpbd/bazel/BUILD"
run install -m 644 /dev/null "$to/share/xpbd/bazel/WORKSPACE"
link ../../../include share/xpbd/bazel/include
link ../../../lib share/xpbd/bazel/lib
echo "libxpbd $version is in $to"
if [ -z "$destination" ] && ldconfig -v -N 2>/dev/null | grep "^$prefix/lib:" >/dev/null; then
  echo "ldconfig makes it known to the system's loader"
fi
