# SPDX-License-Identifier: MIT
#
# What the tests of command lines share. They set `bench` to the program, source this, and are in an
# empty folder of their own then.

[[ $bench == /* ]] || bench=$PWD/$bench
if [[ ! -x $bench ]]; then
    echo "no program at $bench"
    exit 1
fi
dir=$(mktemp -d "${TEST_TMPDIR:-/tmp}/bench_cli.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
unset BUILD_WORKSPACE_DIRECTORY BUILD_WORKING_DIRECTORY
export NO_COLOR=1

# Python, if there is one: to read what programs write.
python=
for candidate in /usr/bin/python3 python3; do
    if [[ -z $python ]] && "$candidate" -c "" 2>/dev/null; then
        python=$candidate
    fi
done

failed=0
fail() {
    echo "FAILED: $1"
    echo "--- exit code $code, stdout:"
    head -n 40 out.txt
    echo "--- stderr:"
    head -n 20 err.txt
    failed=$((failed + 1))
}

code=0
run() {
    "$bench" "$@" >out.txt 2>err.txt
    code=$?
}

# expect NAME CODE FILE PATTERN...: the exit code, and every pattern in the file
expect() {
    local name=$1 want=$2 file=$3 pattern
    shift 3
    if [[ $code -ne $want ]]; then
        fail "$name: exit code $want expected"
        return
    fi
    for pattern in "$@"; do
        if ! grep -Eq -- "$pattern" "$file"; then
            fail "$name: '$pattern' expected in $file"
            return
        fi
    done
    echo "ok: $name"
}
