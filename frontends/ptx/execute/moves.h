// What moves values between registers and addresses between spaces.
#pragma once

#include "sim/exec/warp_fn.h"

namespace heddle::ptx {

void copy_fn(const exec::Arguments& a, uint32_t mask);     // d = s0
void cut_fn(const exec::Arguments& a, uint32_t mask);      // d = s0 & s1
void not_fn(const exec::Arguments& a, uint32_t mask);      // d = !s0, a predicate
void add_fn(const exec::Arguments& a, uint32_t mask);      // d = s0 + s1
void sub_fn(const exec::Arguments& a, uint32_t mask);      // d = s0 - s1
void inside_fn(const exec::Arguments& a, uint32_t mask);   // d = s0 is in the s2 bytes from s1 on
void extract_fn(const exec::Arguments& a, uint32_t mask);  // d = s0 >> s1 & s2
void insert_fn(const exec::Arguments& a, uint32_t mask);   // d = s0 | s1 << s2

}  // namespace heddle::ptx
