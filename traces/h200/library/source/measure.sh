#!/bin/bash
# Captures and measures the programs of this folder on a machine with the GPU, nvcc, ncu, PyTorch, Triton, JAX and CuPy.
#
#   measure.sh DATA capture|cycles|counters PROGRAM...
#
# PROGRAM: gemm attention eager numerics compiled triton_ops jax_ops cupy_ops, or cub_ops thrust_ops libs_ops, which are built.
# HEDDLE: heddle; HEDDLE_TRACER: tracer.so; LIMIT: seconds for a program (150). Captures run side by side, measurements one after
# the other: all `capture` first, then all `cycles`, then rows.py DATA OUT. What comes in DATA: cap/PROGRAM/, heads.tsv,
# sil/PROGRAM.csv (one pass, three repeats), counters/PROGRAM.csv (many passes, one repeat; its cycles are not used).
set -u
[ $# -ge 3 ] || { sed -n '2,10s/^# \?//p' "$0"; exit 2; }
DATA=$(mkdir -p "$1" && cd "$1" && pwd) PHASE=$2 HERE=$(cd "$(dirname "$0")" && pwd) LIMIT=${LIMIT:-150}
shift 2
mkdir -p "$DATA"/{bin,cap,sil,counters,tmp}
export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 TORCHINDUCTOR_CACHE_DIR=$DATA/inductor TRITON_CACHE_DIR=$DATA/triton CUPY_CACHE_DIR=$DATA/cupy
cd "$HERE" || exit 1

set_command() { # PROGRAM REPEATS
  COMMAND=("$DATA/bin/$1" "$2")
  [ ! -f "$1.py" ] || COMMAND=(python3 harness.py "$2" "$1")
}

build() {
  local cuda=${CUDA_HOME:-/usr/local/cuda} libraries=()
  [ "$1" != libs_ops ] || libraries=(-lcublas -lcublasLt -lcusparse -lcufft -lcurand -lcusolver)
  [ -f "$1.py" ] || [ -x "$DATA/bin/$1" ] ||
    nvcc -std=c++17 -O2 -arch=sm_90a --extended-lambda -I"$cuda/include/cccl" "$1.cu" -o "$DATA/bin/$1" "${libraries[@]}" -Xlinker -rpath="$cuda/lib64"
}

capture() {
  set_command "$1" 1
  build "$1" && HEDDLE_LOG=$DATA/cap/$1.ops HEDDLE_LIMIT=$LIMIT TMPDIR=$DATA/tmp timeout $((LIMIT + 60)) \
    "${HEDDLE:-heddle}" capture -q --memory 6 --profiler -o "$DATA/cap/$1" -- "${COMMAND[@]}" > "$DATA/cap/$1.log" 2>&1
  echo "$1: $(ls "$DATA/cap/$1" | wc -l) files; exit status $?"
}

# Whatever ncu leaves behind would keep its lock: the whole group ends with it.
profile() { # FOLDER PROGRAM REPEATS METRICS
  local out=$DATA/$1/$2
  set_command "$2" "$3"
  build "$2"
  HEDDLE_LOG=$out.ops HEDDLE_LIMIT=$LIMIT setsid timeout --foreground $((LIMIT + 60)) ncu --profile-from-start off --csv --page raw --metrics "$4" \
    --cache-control all --clock-control none "${COMMAND[@]}" > "$out.csv" 2> "$out.err" &
  local group=$!
  wait $group
  echo "$2: exit status $?, $(wc -l < "$out.ops") operators"
  kill -9 -- -$group 2> /dev/null
}

# The metrics of traces/h200/suite.csv: every column with a unit's name.
COUNTERS=$(head -1 ../../suite.csv | tr -d '\r' | tr ',' '\n' | grep -E '^(launch|gpc|sm|gpu|smsp|dram|lts|l1tex)__' | paste -sd,)
for program in "$@"; do
  case $PHASE in
    capture) capture "$program" & ;;
    cycles) profile sil "$program" 3 gpc__cycles_elapsed.max,sm__cycles_active.max,smsp__inst_executed.sum ;;
    counters) profile counters "$program" 1 "$COUNTERS" ;;
    *) echo "no phase $PHASE (legal: capture, cycles, counters)"; exit 2 ;;
  esac
done
wait
[ "$PHASE" != capture ] || python3 trace_head.py "$DATA"/cap/*/kernel-*.heddle > "$DATA/heads.tsv"
