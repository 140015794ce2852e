#!/bin/bash
# Records, on a machine with an H200 and nvcc, what the programs print and what the device says: record.sh FOLDER.
# FOLDER/out: a NAME.out for each program (suite.err too: it prints to stderr alone); FOLDER/h200: device.txt and the
# errors; FOLDER/log: what else was seen: the second run, compute-sanitizer, warp instructions.
here=$(cd "$(dirname "$0")" && pwd)
to=$1
bin=${BIN:-/tmp/programs.bin}
export here to bin
mkdir -p "$to/out" "$to/log" "$to/h200" "$bin"
names="parallel library matmul driver reduction scan sort tensor streams graphs groups managed nested print properties errors pools suite"
one() {  # compiles a program, runs it twice
  n=$1
  "$here/programs/build.sh" "$bin/$n.d" "$n" >"$to/log/$n.build" 2>&1 || { echo "$n does not compile"; return; }
  cd /tmp || return
  timeout 60 "$bin/$n.d/$n" >"$to/out/$n.out" 2>"$to/log/$n.err"; a=$?
  timeout 60 "$bin/$n.d/$n" >"$to/log/$n.out2" 2>"$to/log/$n.err2"; b=$?
  same=same; cmp -s "$to/out/$n.out" "$to/log/$n.out2" && cmp -s "$to/log/$n.err" "$to/log/$n.err2" || same=DIFFERENT
  echo "$n exit $a $b $same lines $(wc -l <"$to/out/$n.out") FAILs $(grep -c FAIL "$to/out/$n.out")"
}
check() {  # program tool
  n=$1 t=$2
  [ -x "$bin/$n.d/$n" ] || return
  cd /tmp || return
  timeout 100 compute-sanitizer --tool "$t" --report-api-errors no "$bin/$n.d/$n" >"$to/log/$n.$t" 2>&1
  echo "$t $n exit $? $(grep -h SUMMARY "$to/log/$n.$t" | head -2 | tr '\n' ' ')"
}
instructions() {
  n=$1
  [ -x "$bin/$n.d/$n" ] || return
  cd /tmp || return
  timeout 100 ncu --clock-control none --metrics smsp__inst_executed.sum --csv --print-units base "$bin/$n.d/$n" >"$to/log/$n.ncu" 2>&1
  python3 - "$to/log/$n.ncu" "$n" <<'P'
import csv, sys
rows = [r for r in csv.reader(l for l in open(sys.argv[1], errors="replace") if l.startswith('"'))]
i = rows[0].index("Metric Value") if rows else 0
v = [int(float(r[i].replace(",", ""))) for r in rows[1:] if len(r) > i and r[i].replace(",", "").replace(".", "").isdigit()]
print("instructions", sys.argv[2], sum(v), "in", len(v), "kernels")
P
}
export -f one check instructions
( date; nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; ${NVCC:-nvcc} --version | tail -2 ) 2>&1 | tee "$to/log/machine"
python3 "$here/h200/device.py" "$to/h200" & device=$!
echo "$names" | tr ' ' '\n' | xargs -P 14 -I{} bash -c 'one {}' 2>&1 | tee "$to/log/runs"
wait $device; wc -l "$to"/h200/*
[ "$QUICK" ] && exit
# shellcheck disable=SC2016  # the inner shell expands them
for n in $names; do echo "$n memcheck"; [ "$n" != suite ] && [ "$n" != parallel ] && echo "$n racecheck"; done |
  timeout 150 xargs -P 10 -L1 bash -c 'check $0 $1' 2>&1 | tee "$to/log/checks"
for n in $names; do echo "$n"; done | timeout 120 xargs -P 1 -I{} bash -c 'instructions {}' 2>&1 | tee "$to/log/instructions"
