#!/bin/bash
# Measures the kernels that were recorded on the H200 on another GPU of compute capability 9.0, and its microbenchmarks.
#
#   measure.sh OUT suites|library|micro      from the root of the repository, on a machine with the GPU, nvcc, ncu, PyTorch, Triton
#
# As on the H200 (../../h200/README.md): cold caches, clocks left as found. rows.py OUT makes the tables of what comes in OUT.
set -u
[ $# -eq 2 ] || { sed -n '2,6s/^# \?//p' "$0"; exit 2; }
OUT=$(mkdir -p "$1" && cd "$1" && pwd) PHASE=$2 WORK=${WORK:-/tmp/h100}
export PYTHONDONTWRITEBYTECODE=1
mkdir -p "$WORK"
ARCH=(-O3 -std=c++17 "-gencode=arch=compute_90a,code=sm_90a")
CYCLES=gpc__cycles_elapsed.max,sm__cycles_active.max,smsp__inst_executed.sum
NCU=(ncu --csv --page raw --print-units base --clock-control none)

suites() {
  nvcc "${ARCH[@]}" traces/h200/suite.cu -o "$WORK/suite" & nvcc "${ARCH[@]}" traces/h200/second/source/second.cu -o "$WORK/second" &
  wait
  local counters suite i
  counters=$(head -1 traces/h200/suite.csv | tr -d '\r' | tr ',' '\n' | grep -E '^(launch|gpc|sm|gpu|smsp|dram|lts|l1tex)__' | paste -sd,)
  for suite in suite second; do
    for i in 1 2 3 4 5 6 7 8 9; do
      "${NCU[@]}" --cache-control all --metrics $CYCLES "$WORK/$suite" > "$OUT/$suite-$i.csv" 2> "$OUT/$suite-$i.err"
    done
    "${NCU[@]}" --cache-control all --metrics "$counters" "$WORK/$suite" > "$OUT/$suite-counters.csv" 2> "$OUT/$suite-counters.err"
  done
}

library() {
  (cd traces/h200/library/source && for p in ops more_ops; do
    timeout 100 "${NCU[@]}" --profile-from-start off --cache-control all --metrics $CYCLES python3 $p.py 3 > "$OUT/$p.csv" 2> "$OUT/$p.err"
  done)
  LIMIT=${LIMIT:-75} traces/h200/library/source/measure.sh "$WORK/library" cycles gemm attention eager numerics triton_ops cub_ops thrust_ops libs_ops compiled
  cp -r "$WORK/library/sil" "$OUT"
}

micro() {
  local dir=tools/microbench m=gpc__cycles_elapsed.max,sm__cycles_active.max,dram__bytes_read.sum,dram__bytes_write.sum p
  for p in read_write first_access streams l2_share dram_mix dram_tail red_cold tensor block_order l2_dirty; do
    nvcc "${ARCH[@]}" $dir/$p.cu -o "$WORK/$p" -lcuda &
  done
  python3 $dir/run.py --out "$OUT" --bin "$WORK/bin" --name h100 --config "$OUT/h100.textproto" > "$OUT/run.txt" 2>&1
  wait
  "${NCU[@]}" --cache-control none --metrics $m "$WORK/read_write" > "$OUT/read_write.csv" 2>&1
  "$WORK/read_write" times > "$OUT/read_write_times.csv" 2>&1
  "${NCU[@]}" --cache-control all --metrics $m "$WORK/streams" > "$OUT/streams.csv" 2>&1
  "${NCU[@]}" --cache-control all --metrics $m "$WORK/first_access" > "$OUT/first_access.csv" 2>&1
  "${NCU[@]}" --cache-control all --metrics $m "$WORK/dram_mix" > "$OUT/dram_mix.csv" 2>&1
  for p in l2_share dram_tail red_cold tensor block_order l2_dirty; do "$WORK/$p" > "$OUT/$p.csv" 2>&1; done
}

nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit,temperature.gpu --format=csv > "$OUT/gpu-$PHASE.csv"
SECONDS=0
"$PHASE" && echo "$PHASE: $SECONDS s"
