# SPDX-License-Identifier: MIT
# Builds the program of tests/golden, with the library in it, by a compiler of one's own choice and
# without Bazel. To be sourced from the root of the sources.

# What kernels/kernels.bzl has for each instruction set.
isa_flags() {
  case "$1" in
    scalar) echo -fno-tree-vectorize -fno-tree-slp-vectorize ;;
    sse2) echo -msse2 -mno-sse3 ;;
    avx2) echo -mavx2 -mfma ;;
    avx512) echo -mavx512f -mavx512vl -mavx512dq -mavx512bw -mprefer-vector-width=512 ;;
  esac
}

# build_golden FOLDER COMPILER FLAGS ISA...: leaves FOLDER/golden. It has all instruction sets that
# base/isas.def names for the processor and FLAGS; they have to be these.
build_golden() {
  local folder="$1" compiler="$2" flags isa layout source
  # SIMDe is header-only and the host's copy serves every processor; nothing else of the host's does.
  mkdir -p "$folder/include" && ln -sfn /usr/include/simde "$folder/include/simde" || return 1
  flags="-std=c17 -ffp-contract=off -DNDEBUG -iquote . -I include -I $folder/include $3"
  shift 3
  {
    for isa in "$@"; do
      for layout in soa aos4; do
        for source in kernel/project_*.c kernel/integrate.c kernel/gather.c kernel/change.c kernel/table.c; do
          echo "$flags $(isa_flags "$isa") -DXPBD_ISA=$isa -DXPBD_ISA_${isa^^}=1 -DXPBD_LAYOUT=$layout" \
            "-DXPBD_LAYOUT_${layout^^}=1 -c $source -o $folder/$(basename "$source" .c)_${isa}_$layout.o"
        done
      done
    done
    for source in base/*.c builders/*.c layouts/*.c scenes/*.c schedulers/*.c solver/*.c kernel/dispatch.c \
      tests/golden/*.c tests/cross/topology_none.c; do
      # base/topology.c needs hwloc; tests/cross/topology_none.c takes its place.
      [ "$source" = base/topology.c ] || echo "$flags -fopenmp -c $source -o $folder/${source//\//_}.o"
    done
  } | xargs -P "${JOBS:-2}" -L 1 "$compiler" || return 1
}
