// A kernel that uses one texture or surface, and the object.
#pragma once

#include <bit>
#include <numeric>
#include <string>
#include <vector>

#include "sim/exec/texture/descriptor.h"
#include "sim/exec/texture/layout.h"
#include "tests/exec/exec_case.h"

namespace heddle::exec::test {

inline constexpr const char* kHead =
    ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .f32 %f<16>; .reg .pred %p<4>; .reg .b16 %h<4>;\n"
    "ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [t]; ld.param.f32 %f1, [x]; ld.param.f32 %f2, [y];\n"
    "cvt.rzi.s32.f32 %r8, %f1; cvt.rzi.s32.f32 %r9, %f2; mov.b32 %r0, 0; mov.b32 %r1, 0; mov.b32 %r2, 0; "
    "mov.b32 %r3, 0;\n";

// k(out, t, x, y): the statements leave %r0 to %r3, which go to out.
inline std::string kernel(const std::string& statements, const std::string& before = "") {
  return before + ".entry k(.param .u64 out, .param .u64 t, .param .f32 x, .param .f32 y) {\n" + kHead +
         statements + "\nst.global.v4.b32 [%rd0], {%r0, %r1, %r2, %r3}; ret; }\n";
}

struct Fetched {
  std::vector<uint32_t> words;
  std::string error;
  float f(size_t k = 0) const { return std::bit_cast<float>(words[k]); }
};

template <class T>
texture::Descriptor made(Memory& memory, texture::Kind kind, texture::Image i,
                         const std::vector<T>& elements) {
  texture::Descriptor d;
  d.kind = kind;
  i.data = memory.allocate(texture::bytes_of(i));
  d.image = i;
  texture::fill(memory, i, 0,
                {reinterpret_cast<const uint8_t*>(elements.data()), elements.size() * sizeof(T)});
  return d;
}

inline Fetched run(Case& c, uint64_t handle, float x, float y) {
  Fetched out;
  const uint64_t at = c.buffer(std::vector<uint32_t>(4));
  out.error = c.error("k", {1}, {1}, {at, handle, std::bit_cast<uint32_t>(x), std::bit_cast<uint32_t>(y)});
  out.words = c.get<uint32_t>(at, 4);
  return out;
}

inline constexpr const char* kFetch = "tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd1, {%f1, %f2}];";
inline const texture::Image kPicture{.width = 4, .height = 3};

inline std::vector<float> picture() {
  std::vector<float> out(12);
  std::iota(out.begin(), out.end(), 10.0F);
  return out;
}

}  // namespace heddle::exec::test
