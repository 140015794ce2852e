#!/bin/sh
# Compiles the operators for the capabilities that are replayed: nvcc 13.0 (7.5 is the oldest that it knows).
cd "$(dirname "$0")" || exit 1
for cc in 75 80 89; do
  "${NVCC:-/usr/local/cuda/bin/nvcc}" -O3 -std=c++17 -cubin -arch=sm_$cc -o ../ops_sm_$cc.cubin ops.cu || exit 1
  xz -9e -f ../ops_sm_$cc.cubin || exit 1
done
for cc in 75 80 86 89 90 100 103 120; do
  "${NVCC:-/usr/local/cuda/bin/nvcc}" -O3 -std=c++17 -cubin -arch=sm_$cc -o ../curves_sm_$cc.cubin curves.cu || exit 1
  xz -9e -f ../curves_sm_$cc.cubin || exit 1
done
