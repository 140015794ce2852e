#!/bin/sh
# Compiles the programs named, or all, into a folder: [CUDART=static] build.sh FOLDER [NAME...]
set -e
here=$(cd "$(dirname "$0")" && pwd)
out=$1
shift
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
mkdir -p "$out"
if [ $# -eq 0 ]; then
  for f in "$here"/*.cu "$here"/*/main.cu; do
    name=${f#"$here"/}
    name=${name%/main.cu}
    set -- "$@" "${name%.cu}"
  done
  set -- "$@" suite
fi
for name; do
  cudart=${CUDART:-shared}
  [ "$name" != static ] || cudart=static
  flags="-arch=${ARCH:-sm_90} -cudart $cudart -O2 -std=c++17 --extended-lambda"
  case $name in
    suite) "$nvcc" ${flags#* } -gencode arch=compute_90a,code=sm_90a "$here/../../../traces/h200/suite.cu" -o "$out/suite" ;;
    driver)
      "$nvcc" -arch=${ARCH:-sm_90} -O2 -cubin "$here/driver/kernels.cu" -o "$out/kernels.cubin"
      { echo 'alignas(16) static const unsigned char kernels_cubin[] = {'
        od -An -v -tx1 "$out/kernels.cubin" | sed 's/ \(..\)/0x\1,/g'
        echo '};'; } >"$out/kernels_cubin.h"
      "$nvcc" $flags -I"$out" "$here/driver/main.cu" -o "$out/driver" -lcuda -L"$(dirname "$(dirname "$nvcc")")/lib64/stubs" ;;
    library) "$nvcc" $flags -rdc=true "$here"/library/*.cu -o "$out/library" ;;
    own_streams) "$nvcc" $flags --default-stream per-thread "$here/own_streams.cu" -o "$out/own_streams" ;;
    nested) "$nvcc" $flags -rdc=true "$here/nested.cu" -o "$out/nested" -lcudadevrt ;;
    *) "$nvcc" $flags "$here/$name.cu" -o "$out/$name" ;;
  esac
done
