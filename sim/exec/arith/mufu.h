// The special-function unit, bit for bit: tables and an integer datapath.
//
// rcp, sqrt, rsqrt, sin, cos, lg2 and ex2 are those of bcarlet/ptx-math, found on sm_5x to sm_75; tanh was
// solved from an H200's results. tests/exec/oracle compares all of them with sums over an H200's results of
// all 2^32 inputs.
#pragma once

#include <cstdint>

namespace heddle::exec::arith {

// Of f32, as bits; subnormals are not flushed.
uint32_t mufu_rcp(uint32_t x);
uint32_t mufu_sqrt(uint32_t x);
uint32_t mufu_rsqrt(uint32_t x);
uint32_t mufu_sin(uint32_t x);
uint32_t mufu_cos(uint32_t x);
uint32_t mufu_lg2(uint32_t x);
uint32_t mufu_ex2(uint32_t x);
uint32_t mufu_tanh(uint32_t x);

// Of the upper word of an f64, to the upper word of one: f32's results, cut to 20 bits (all of
// h200/rcp64h.bin.xz and rsqrt64h.bin.xz). Subnormals are zeros, as operands and as results.
uint32_t mufu_rcp64h(uint32_t x);
uint32_t mufu_rsqrt64h(uint32_t x);

}  // namespace heddle::exec::arith
