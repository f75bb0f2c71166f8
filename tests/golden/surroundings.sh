#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is in the environment does not reach the bits: OpenMP's variables, XPBD_ISA, the locale, and
# the processors that a process may use. $1 is the golden program; of locales, a decimal comma is
# made where localedef can.
set -euo pipefail

golden="$1"
scratch="$(mktemp -d "${TEST_TMPDIR:-/tmp}/surroundings.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT
# Threads 0 are the library's choice, which is what the environment has a say in.
options=(--scenes cloth-20,ropes-6 --schedulers slab-gs,colored-gs,jacobi-chebyshev,tree-direct
  --layouts aos4 --isas auto --pinnings none,compact --threads 0,3)
n=0

# with COMMAND-OR-ASSIGNMENT...: the golden program under them.
with() {
  if ! env "$@" "$golden" "${options[@]}" >"$scratch/out" 2>&1; then
    echo "with $*:"
    cat "$scratch/out"
    exit 1
  fi
  n=$((n + 1))
}

# says TEXT: the last run was what it was meant to be.
says() {
  grep -q "$1" "$scratch/out" || {
    echo "expected $1:"
    cat "$scratch/out"
    exit 1
  }
}

with -u PATH -u HOME -u USER -u LANG -u TMPDIR
with OMP_NUM_THREADS=1
with OMP_NUM_THREADS=7 OMP_DYNAMIC=true
with OMP_PROC_BIND=close OMP_PLACES=cores
with OMP_PROC_BIND=spread OMP_WAIT_POLICY=active OMP_NUM_THREADS=2
with OMP_WAIT_POLICY=passive OMP_SCHEDULE=dynamic OMP_THREAD_LIMIT=2
with OMP_STACKSIZE=256k OMP_MAX_ACTIVE_LEVELS=1 OMP_CANCELLATION=true
with XPBD_ISA=scalar
says "automatic choice: scalar"
if [ "$(uname -m)" = x86_64 ] && grep -q -w avx2 /proc/cpuinfo; then
  with XPBD_ISA=avx2
  says "automatic choice: avx2"
fi
with LC_ALL=C.UTF-8 LANG=de_DE.UTF-8
if localedef -i de_DE -f UTF-8 "$scratch/de_DE.UTF-8" 2>/dev/null; then
  with LOCPATH="$scratch" LC_ALL=de_DE.UTF-8
  says "locale de_DE.UTF-8"
fi
with MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.arena_max=1
if command -v taskset >/dev/null; then
  with taskset -c "$(taskset -cp $$ | sed 's/.*: *//; s/[,-].*//')"
fi
echo "the same bits in $n environments"
