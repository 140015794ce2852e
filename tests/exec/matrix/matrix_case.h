// A warp whose registers come from memory, does one thing with matrices, and stores its registers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/exec/exec_case.h"

namespace heddle::exec::test {

// Registers of a warp: those of lane 0, those of lane 1, ...
using Lanes = std::vector<uint64_t>;

struct Registers {
  uint32_t count = 0;
  bool wide = false;  // of 64 bits

  std::string list(char name) const {
    std::string out = "{";
    for (uint32_t i = 0; i < count; ++i) {
      out += (i != 0 ? ", %" : "%") + std::string(1, name) + std::to_string(i);
    }
    return out + "}";
  }
  std::string declaration(char name) const {
    return std::string(".reg ") + (wide ? ".b64 %" : ".b32 %") + name + "<" + std::to_string(count + 1) +
           ">;\n";
  }
};

// A kernel of one or several warps: `text` stands behind the loads of `in` (registers %a0, %b0 and so on) and
// before the stores of `out` (%d0...).
struct WarpCode {
  std::vector<std::pair<char, Registers>> in;
  Registers out;
  std::string text;
  std::string before;  // the entry: variables
  uint32_t threads = 32;
  std::string target = "sm_90a";

  std::string module() const {
    std::string t = before + ".visible .entry k(.param .u64 out";
    for (const auto& [name, r] : in) {
      t += std::string(", .param .u64 p") + name;
    }
    t += ") {\n.reg .b64 %q<4>; .reg .b32 %t<4>; .reg .pred %p<4>;\n" + out.declaration('d');
    for (const auto& [name, r] : in) {
      t += name == 'd' ? "" : r.declaration(name);
    }
    t += "mov.u32 %t0, %tid.x;\n";
    for (const auto& [name, r] : in) {
      t += std::string("ld.param.u64 %q0, [p") + name + "]; mul.wide.u32 %q1, %t0, " +
           std::to_string(8 * r.count) + "; add.u64 %q0, %q0, %q1;\n";
      for (uint32_t i = 0; i < r.count; ++i) {
        t += std::string(r.wide ? "ld.global.b64 %" : "ld.global.b32 %") + name + std::to_string(i) +
             ", [%q0+" + std::to_string(8 * i) + "];\n";
      }
    }
    t += text + "\nld.param.u64 %q0, [out]; mul.wide.u32 %q1, %t0, " + std::to_string(8 * out.count) +
         "; add.u64 %q0, %q0, %q1;\n";
    for (uint32_t i = 0; i < out.count; ++i) {
      t += std::string(out.wide ? "st.global.b64 [%q0+" : "st.global.b32 [%q0+") + std::to_string(8 * i) +
           "], %d" + std::to_string(i) + ";\n";
    }
    return t + "ret; }\n";
  }
};

// Runs it with these registers, in the order of `in`. `error`: what is wrong, instead of throwing it.
inline Lanes run(const WarpCode& code, const std::vector<Lanes>& in, std::string* error = nullptr) {
  Case c(code.module(), code.target);
  const uint64_t out = c.buffer(Lanes(size_t{code.threads} * code.out.count));
  std::vector<uint64_t> arguments = {out};
  for (const Lanes& l : in) {
    arguments.push_back(c.buffer(l));
  }
  arguments.resize(6);
  const auto go = [&](std::initializer_list<uint64_t> list) {
    if (error != nullptr) {
      *error = c.error("k", {1}, {code.threads}, list);
    } else {
      c.run("k", {1}, {code.threads}, list);
    }
  };
  switch (in.size()) {
    case 0:
      go({arguments[0]});
      break;
    case 1:
      go({arguments[0], arguments[1]});
      break;
    case 2:
      go({arguments[0], arguments[1], arguments[2]});
      break;
    case 3:
      go({arguments[0], arguments[1], arguments[2], arguments[3]});
      break;
    default:
      go({arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]});
  }
  return c.get<uint64_t>(out, size_t{code.threads} * code.out.count);
}

// An `mma`: its registers a, b, c and the result. `tail`: operands behind c.
inline Lanes run_mma(const std::string& opcode, Registers a, Registers b, Registers c, Registers d,
                     const Lanes& va, const Lanes& vb, const Lanes& vc, const std::string& tail = "",
                     const Lanes& ve = {}) {
  WarpCode code;
  code.in = {{'a', a}, {'b', b}, {'c', c}};
  std::vector<Lanes> in = {va, vb, vc};
  if (!ve.empty()) {
    code.in.push_back({'e', {1}});
    in.push_back(ve);
  }
  code.out = d;
  code.text =
      opcode + " " + d.list('d') + ", " + a.list('a') + ", " + b.list('b') + ", " + c.list('c') + tail + ";";
  return run(code, in);
}

// 32 bits that look random.
inline uint32_t mixed(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t x = a * 0x9e3779b9 + b * 0x85ebca6b + c * 0xc2b2ae35;
  x ^= x >> 15;
  x *= 0x2c1b3c6d;
  return x ^ x >> 12;
}

// Numbers of small formats.
inline uint64_t f16(float x) {
  const _Float16 h = static_cast<_Float16>(x);
  return __builtin_bit_cast(uint16_t, h);
}
inline float of_f16(uint64_t bits) {
  const auto h = static_cast<uint16_t>(bits);
  return static_cast<float>(__builtin_bit_cast(_Float16, h));
}
inline uint64_t f32(float x) { return __builtin_bit_cast(uint32_t, x); }
inline float of_f32(uint64_t bits) { return __builtin_bit_cast(float, static_cast<uint32_t>(bits)); }

}  // namespace heddle::exec::test
