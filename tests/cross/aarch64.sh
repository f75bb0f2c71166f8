#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The same bits on another processor family: builds the library for aarch64 (scalar and NEON
# kernels), runs whole scenes under qemu, and compares their hashes with those of this machine,
# printed by the program $1. Skips, and says what is missing, without cross compiler or emulator.
set -euo pipefail

triple=aarch64-linux-gnu qemu=qemu-aarch64-static
for program in "$triple-gcc" "$qemu"; do
  command -v "$program" >/dev/null || {
    echo "skipped, $program is missing: apt-get install gcc-$triple libc6-dev-arm64-cross qemu-user-static"
    exit 0
  }
done

scratch="$(mktemp -d "${TEST_TMPDIR:-/tmp}/cross.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT
# SIMDe is header-only and the host's copy serves every processor; nothing else of the host's does.
ln -s /usr/include/simde "$scratch/simde"
# -O1 is half the time of -O2, and the bits do not depend on it.
flags="-std=c17 -O1 -ffp-contract=off -DNDEBUG -Wno-psabi -Wno-unknown-pragmas -iquote . -I include -I $scratch"

{
  for isa in scalar neon; do
    for layout in soa aos4; do
      for source in kernel/project_*.c kernel/integrate.c kernel/gather.c kernel/change.c kernel/table.c; do
        echo "$flags -DXPBD_ISA=$isa -DXPBD_ISA_${isa^^}=1 -DXPBD_LAYOUT=$layout" \
          "-DXPBD_LAYOUT_${layout^^}=1 -c $source -o $scratch/$(basename "$source" .c)_${isa}_$layout.o"
      done
    done
  done
  for source in base/*.c layouts/*.c schedulers/*.c solver/*.c kernel/dispatch.c tests/cross/*.c; do
    # base/topology.c needs hwloc; tests/cross/topology_none.c takes its place.
    [ "$source" = base/topology.c ] || echo "$flags -c $source -o $scratch/${source//\//_}.o"
  done
} | xargs -P 2 -L 1 "$triple-gcc"
"$triple-gcc" -static "$scratch"/*.o -o "$scratch/bits" -lm

"$1" >"$scratch/host.txt"
"$qemu" "$scratch/bits" >"$scratch/cross.txt"
cat "$scratch/host.txt" "$scratch/cross.txt"
grep -q ' neon aos4$' "$scratch/cross.txt" || { echo "no NEON kernel ran"; exit 1; }
! grep -q ' 0000000000000000 ' "$scratch/host.txt" "$scratch/cross.txt" || { echo "a world could not be made"; exit 1; }
# One hash per scheduler, whatever the processor, instruction set and layout.
schedulers="$(cat "$scratch/host.txt" "$scratch/cross.txt" | cut -d' ' -f1 | sort -u | wc -l)"
hashes="$(cat "$scratch/host.txt" "$scratch/cross.txt" | cut -d' ' -f1,2 | sort -u | wc -l)"
[ "$schedulers" = "$hashes" ] || { echo "hashes differ between processors"; exit 1; }
echo "equal bits for $schedulers schedulers"
