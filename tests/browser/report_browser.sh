#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Makes a report of two machines, one of which has markup in its name, and has Chromium open it.
set -eu

# Selenium is Debian's, for Debian's python.
python=/usr/bin/python3
if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null ||
    ! $python -c "import selenium" 2>/dev/null; then
    echo "chromium, its driver and selenium are needed: ./bazelw --setup-browser"
    exit 1
fi
here=${BASH_SOURCE[0]%/*}
dir=$(mktemp -d "${TEST_TMPDIR:-/tmp}/browser.XXXXXX")
trap 'rm -rf "$dir"' EXIT
export HOME=$dir

bench/all --quick --study schedulers --scenes cloth-12,tetblock-4 --repeats 5 --no-report --out "$dir" >"$dir/out.txt"
first=$(ls "$dir"/*.json)
sed 's|"cpu_model": "[^"]*"|"cpu_model": "<script>window.evil=1</script>"|' "$first" >"$dir/second.json"
printf '' >"$dir/empty.json"
bench/report/report "$first" "$dir/second.json" "$dir/empty.json" --out "$dir/report.html" && exit 1
$python "$here/report_browser.py" "$dir/report.html" "${TEST_UNDECLARED_OUTPUTS_DIR:-$dir}"
