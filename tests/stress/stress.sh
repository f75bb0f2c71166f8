#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# stress.sh SEED LIVES LARGEST STRESS REOPEN LIBRARY [all]: the stress program in one environment
# after the other, which must not change a bit; then the shared library opened and closed. Without
# "all" a few of them.
set -u
seed="$1" lives="$2" largest="$3" stress="$4" reopen="$5" library="$6" which="${7:-few}"
failed=0 want=

# try NAME COMMAND...: run it, and compare the hash in its output.
try() {
  local name="$1" out status hash
  shift
  out="$(timeout 3000 "$@" 2>&1)"
  status=$?
  hash="$(grep -o 'hash [0-9a-f]*' <<<"$out" | head -n 1)"
  if [ "$status" -ne 0 ]; then
    echo "$out"
    echo "$name: status $status"
    failed=1
  elif [ -n "$want" ] && [ "$hash" != "$want" ]; then
    echo "$name: $hash, expected $want"
    failed=1
  else
    echo "$name: $hash"
  fi
}

# A control group with 30 % of a processor, where this user may make one. Both versions.
quota() {
  local group
  for group in /sys/fs/cgroup/cpu/xpbd-stress-$$ /sys/fs/cgroup/xpbd-stress-$$; do
    mkdir "$group" 2>/dev/null || continue
    if { echo 30000 >"$group/cpu.cfs_quota_us" || echo "30000 100000" >"$group/cpu.max"; } 2>/dev/null; then
      # shellcheck disable=SC2016
      try "a quota of 30 % of a processor" bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - \
        "$group" "$stress" "$seed" "$lives" "$largest"
      rmdir "$group"
      return
    fi
    rmdir "$group"
  done
  echo "a quota: skipped, no control group can be made here"
}

program=("$stress" "$seed" "$lives" "$largest")
out="$(env -u OMP_NUM_THREADS "${program[@]}" 2>&1)" || { echo "$out"; exit 1; }
want="$(grep -o 'hash [0-9a-f]*' <<<"$out" | head -n 1)"
echo "as it comes: $want"
try "OMP_NUM_THREADS=64" env OMP_NUM_THREADS=64 "${program[@]}"
try "OMP_PROC_BIND=spread" env OMP_PROC_BIND=spread OMP_PLACES=cores "${program[@]}"
if [ "$which" = all ]; then
  for cpu in $(seq 0 $(($(nproc --all) - 1))); do
    try "taskset -c $cpu" taskset -c "$cpu" "${program[@]}"
  done
  try "OMP_PROC_BIND=close, 64 threads" env OMP_PROC_BIND=close OMP_NUM_THREADS=64 "${program[@]}"
  try "OMP_PROC_BIND=true, taskset" env OMP_PROC_BIND=true taskset -c 0 "${program[@]}"
  try "OMP_THREAD_LIMIT=2" env OMP_THREAD_LIMIT=2 "${program[@]}"
  try "OMP_DYNAMIC=true" env OMP_DYNAMIC=true "${program[@]}"
  try "OMP_WAIT_POLICY=active" env OMP_WAIT_POLICY=active "${program[@]}"
  try "OMP_WAIT_POLICY=passive" env OMP_WAIT_POLICY=passive "${program[@]}"
  try "OMP_MAX_ACTIVE_LEVELS=4" env OMP_MAX_ACTIVE_LEVELS=4 "${program[@]}"
  quota
else
  try "taskset -c 0" taskset -c 0 "${program[@]}"
fi
want=
try "dlclose and reopen" "$reopen" "$library"
exit "$failed"
