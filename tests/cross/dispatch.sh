#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The golden program $1 on emulated x86 processors of several ages: the instruction set that it
# chooses by itself is the widest that the processor has, and the bits are the same. AVX-512 is not
# emulated: it is run where the machine has it. Skips, and says so, without emulator.
set -euo pipefail

golden="$1"
command -v qemu-x86_64-static >/dev/null || {
  echo "skipped, qemu-x86_64-static is missing: apt-get install qemu-user-static"
  exit 0
}
[ "$(uname -m)" = x86_64 ] || {
  echo "skipped, this is no x86_64"
  exit 0
}
while read -r cpu isa; do
  echo "$cpu: expects $isa"
  # It warns of what it cannot emulate.
  OMP_WAIT_POLICY=passive qemu-x86_64-static -cpu "$cpu" "$golden" --scenes small --isas auto \
    --layouts aos4 --pinnings none --threads 2 --expect-isa "$isa" 2>/dev/null
done <<'END'
Conroe sse2
Nehalem sse2
SandyBridge sse2
Haswell,-fma sse2
Haswell avx2
EPYC avx2
END
if grep -q -w avx512dq /proc/cpuinfo; then
  "$golden" --scenes small --isas auto --threads 1,2 --expect-isa avx512
fi
