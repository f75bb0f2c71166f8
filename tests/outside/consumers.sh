#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the library by $1 and runs the programs of examples/ on it, built in every way that is
# documented. All simulate the same cloth and must print the same line, which is the README's too.
# The only other things they see are in examples/ and python/.
set -euo pipefail

install="$PWD/$1" tree="$PWD"
scratch="$(mktemp -d "${TEST_TMPDIR:-/tmp}/outside.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT
cp -rL examples "$scratch/examples"
cp -rL python "$scratch/python"
readonly needs=(cc c++ make pkg-config cmake /usr/bin/python3 nm bazel)
for program in "${needs[@]}"; do
  command -v "$program" >/dev/null || { echo "$program is missing: ./bazelw --setup-checks"; exit 1; }
done
/usr/bin/python3 -c 'from importlib.util import find_spec as f; exit(not all(map(f, ("numpy", "pip", "setuptools", "wheel"))))' || { echo "a package of Python is missing: ./bazelw --setup-checks"; exit 1; }

failed=0
fail() {
  echo "FAILED: $*"
  failed=$((failed + 1))
}

# ---- bad words for where to install

# refused WORDS ARGUMENTS...: exit code 2 and one line on stderr with these words.
refused() {
  local words="$1" code=0
  shift
  "$install" "$@" >"$scratch/out" 2>"$scratch/err" || code=$?
  { [ "$code" = 2 ] && [ "$(wc -l <"$scratch/err")" = 1 ] && [ ! -s "$scratch/out" ] && grep -q -- "$words" "$scratch/err"; } ||
    fail "install $*: exit code $code, '$(cat "$scratch/err")' instead of '$words'"
}
printf '' >"$scratch/file"
refused "PREFIX is missing"
refused "'some/where' is relative" some/where
refused "PREFIX is empty" ""
refused "'b' after '/a'" /a b
refused "unknown option '--prefx=/a'" --prefx=/a
refused "Not a directory" "$scratch/file/below"
refused "cannot install to /proc/xpbd: " /proc/xpbd
DESTDIR=stage refused "DESTDIR must be an absolute path" /usr
"$install" --help | grep '^Usage: .*PREFIX' >/dev/null || fail "install --help"

# ---- installing; what is there moves

DESTDIR="$scratch/stage" "$install" /opt/x
diff <(cd "$scratch/stage/opt/x" && find . -type f -o -type l | sort) - <<END || fail "other files than these were installed"
$(cd "$tree" && for file in include/xpbd/*; do echo "./$file"; done)
./lib/cmake/xpbd/xpbd-config-version.cmake
./lib/cmake/xpbd/xpbd-config.cmake
./lib/libxpbd.a
./lib/libxpbd.so
./lib/libxpbd.so.0.1
./lib/libxpbd.so.0.1.0
./lib/pkgconfig/xpbd.pc
./share/doc/xpbd/LICENSE
./share/xpbd/bazel/BUILD
./share/xpbd/bazel/WORKSPACE
./share/xpbd/bazel/include
./share/xpbd/bazel/lib
END
! grep -rq -e "$scratch" -e /opt/x "$scratch/stage" || fail "the place of installation is written in $(grep -rl -e "$scratch" -e /opt/x "$scratch/stage")"
prefix="$scratch/moved"
mv "$scratch/stage/opt/x" "$prefix"
"$install" "$prefix" >/dev/null || fail "installing over an older installation"

# B08: only the functions of the headers have names, and these a version.
lib="$prefix/lib"
nm -D --defined-only "$lib/libxpbd.so" | awk '$2 == "T" { print $3 }' | sort >"$scratch/shared"
nm -g --defined-only "$lib/libxpbd.a" | awk 'NF == 3 { print $3 }' | sort >"$scratch/static"
grep -ohE '\bxpbd_[a-z_]+\(' "$prefix"/include/xpbd/*.h | tr -d '(' | sort -u >"$scratch/declared"
[ "$(wc -l <"$scratch/static")" -gt 40 ] || fail "the archive has $(wc -l <"$scratch/static") symbols"
diff <(sed 's/@.*//' "$scratch/shared") "$scratch/static" || fail "archive and shared library have other symbols"
[ -z "$(comm -23 "$scratch/static" "$scratch/declared")" ] || fail "not in the headers: $(comm -23 "$scratch/static" "$scratch/declared")"
! grep -v '@@XPBD_0\.1$' "$scratch/shared" || fail "a symbol has no version"
[ "$(nm -D --defined-only "$lib/libxpbd.so" | awk '$2 != "T" { print $3 }')" = XPBD_0.1 ] || fail "the shared library exports data"

# ---- the same line from everybody

printed=()
# prints NAME COMMAND...: the line of a program.
prints() {
  local name="$1" line
  shift
  line="$("$@" 2>"$scratch/err")" || fail "$name: $(cat "$scratch/err")"
  echo "$name: $line"
  printed+=("$line")
}

cd "$scratch/examples"
make -s PKG_CONFIG_PATH="$lib/pkgconfig" all || fail "make"
[ "$(env -i PATH="$PATH" PKG_CONFIG_PATH="$lib/pkgconfig" pkg-config --modversion xpbd)" = 0.1.0 ] || fail "pkg-config --modversion"
for program in cloth_c99 cloth_c17 cloth_cpp17 cloth_static; do prints "$program" "./$program"; done
./cloth_pool | grep >/dev/null '^a corner is at .* the hash is [0-9a-f]\{16\}$' || fail "cloth_pool"
# B08: all headers, in any order, as the oldest and newest of both languages.
printf '#include <xpbd/scheduler.h>\n#include <xpbd/build.h>\n#include <xpbd/xpbd.h>\n' >headers.c
for standard in c99 c17 c++11 c++20; do
  language=c
  [ "${standard#c++}" = "$standard" ] || language=c++
  cc -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only \
    -I "$prefix/include" headers.c || fail "the headers in $standard"
done
# A program may have functions by the names of those inside the archive.
sed 's/^int main/void xpbd_fail(void);\nvoid xpbd_fail(void)\n{\n}\n\nint main/' c/cloth.c >c/names.c
cc -I "$prefix/include" c/names.c -o names $(PKG_CONFIG_PATH="$lib/pkgconfig" pkg-config --variable=static_libs xpbd) ||
  fail "a program with a function xpbd_fail"
! readelf -d cloth_static names | grep 'NEEDED.*libxpbd' || fail "the static program needs the shared library"
readelf -d cloth_c99 | grep >/dev/null 'NEEDED.*\[libxpbd\.so\.0\.1\]' || fail "no soname"

cmake -S cmake -B build -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/cmake.txt" 2>&1 && cmake --build build >>"$scratch/cmake.txt" 2>&1 ||
  fail "cmake: $(cat "$scratch/cmake.txt")"
for program in cloth cloth_cpp cloth_static; do prints "cmake $program" "build/$program"; done
mkdir ask
cat >ask/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(ask NONE)
foreach(words "0.1" "0.1.0;EXACT" "0.0" "0.2" "0.1.1" "1.0" "COMPONENTS;gpu")
  find_package(xpbd ${words} QUIET)
  string(APPEND answer " ${words}=${xpbd_FOUND}")
  unset(xpbd_DIR CACHE)
endforeach()
file(WRITE "${CMAKE_BINARY_DIR}/answer" "${answer}")
END
cmake -S ask -B ask/build -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/cmake.txt" 2>&1 || fail "cmake: $(cat "$scratch/cmake.txt")"
answer=' 0.1=1 0.1.0;EXACT=1 0.0=0 0.2=0 0.1.1=0 1.0=0 COMPONENTS;gpu=0'
[ "$(cat ask/build/answer)" = "$answer" ] || fail "find_package: $(cat ask/build/answer)"

# Bazel wants a clone of the sources, for rules if for nothing else; this is where the links lead.
clone="$(dirname "$(readlink -f "$tree/README.md")")"
# Most of its time is the Java machine's, which is told not to optimize what runs for seconds.
bazel=(bazel --bazelrc=/dev/null --output_user_root="$scratch/bazel" --max_idle_secs=15
  --host_jvm_args=-XX:TieredStopAtLevel=1 --host_jvm_args=-XX:+UseSerialGC)
build=(build --noshow_progress --jobs=1 --color=no --override_repository=xpbd="$prefix/share/xpbd/bazel" --override_repository=libxpbd="$clone")
for repository in rules_cc rules_shell remote_coverage_tools; do
  build+=(--override_repository="$repository=$clone/third_party/$repository")
done
HOME="$scratch" "${bazel[@]}" "${build[@]}" //:cloth_installed //:cloth_static >"$scratch/bazel.txt" 2>&1 || fail "bazel: $(cat "$scratch/bazel.txt")"
for program in cloth_installed cloth_static; do prints "bazel $program" "bazel-bin/$program"; done
# From the sources: all of Bazel's work but the compiler's, which takes minutes.
HOME="$scratch" "${bazel[@]}" "${build[@]}" --nobuild //:cloth >"$scratch/bazel.txt" 2>&1 || fail "bazel, sources: $(cat "$scratch/bazel.txt")"
HOME="$scratch" "${bazel[@]}" shutdown >/dev/null 2>&1

# ---- Python

cd "$scratch/python"
export LD_LIBRARY_PATH="$lib"
python=(/usr/bin/python3 -B -W error)
/usr/bin/python3 -m pip install --quiet --no-index --no-build-isolation --no-deps --no-cache-dir \
  --disable-pip-version-check --root-user-action=ignore --target "$scratch/site" . >"$scratch/pip.txt" 2>&1 || fail "pip: $(cat "$scratch/pip.txt")"
cd "$scratch"
export PYTHONPATH="$scratch/site"
prints python "${python[@]}" examples/python/cloth.py
"${python[@]}" "$tree/tests/outside/structures.py" "$prefix/include" "$scratch" || fail "Python's structures are not those of the headers"
"${python[@]}" "$tree/tests/outside/python_api.py" || fail "Python"
# The programs of pages, as their readers would copy them.
for page in README.md docs/guide/python.md; do
  sed -n '/^```python$/,/^```$/p' "$tree/$page" | sed '/^```/d' >page.py
  line="$("${python[@]}" page.py)" && grep -qxF "    $line" "$tree/$page" || fail "$page does not have the line: $line"
done
for scheduler in $("${python[@]}" -c 'import xpbd; print(*xpbd.schedulers())'); do
  grep -q "^| \`$scheduler\` |" "$tree/docs/guide/schedulers.md" || fail "docs/guide/schedulers.md does not have $scheduler"
done
code=0
LD_LIBRARY_PATH='' "${python[@]}" -c 'import xpbd' 2>"$scratch/err" || code=$?
{ [ "$code" = 1 ] && grep -q 'libxpbd.so.0.1 was not found. Install it' "$scratch/err"; } || fail "no library: $(cat "$scratch/err")"

[ "$(printf '%s\n' "${printed[@]}" | sort -u | wc -l)" = 1 ] || fail "not all print the same line"
grep -qxF "    ${printed[0]%, state *}" "$tree/README.md" || fail "the README has another line"
echo "${#printed[@]} programs, $failed checks failed"
[ "$failed" = 0 ]
