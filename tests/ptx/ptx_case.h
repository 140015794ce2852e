// Modules for tests of single statements.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "frontends/ptx/load.h"
#include "sim/base/error.h"

namespace heddle::ptx::test {

// One register of each kind: %p0.., %rs, %h, %r, %f, %rd, %fd, %rq, from 0 to 31; variables of each space.
inline std::string with_registers(std::string_view statements, std::string_view version = "9.0",
                                  std::string_view target = "sm_90a") {
  std::string out =
      ".version " + std::string(version) + "\n.target " + std::string(target) +
      "\n.address_size 64\n"
      ".global .align 16 .b8 gl[64]; .shared .align 16 .b8 sm[64]; .const .b8 cn[64]; .global .texref tx;\n"
      ".func (.reg .b32 r) callee (.reg .b32 a, .reg .f32 b);\n"
      ".entry k(.param .u64 pa, .param .u32 pb) {\n"
      ".reg .pred %p<32>; .reg .b16 %rs<32>; .reg .f16 %h<32>; .reg .b32 %r<32>; .reg .f32 %f<32>;\n"
      ".reg .b64 %rd<32>; .reg .f64 %fd<32>;";
  out += (version >= "8.3" ? " .reg .b128 %rq<4>;\n" : "\n");
  return out + std::string(statements) + "\n}\n";
}
constexpr int kFirstLine = 9;  // of the statements

inline std::unique_ptr<const Module> module_of(std::string_view statements, std::string_view version = "9.0",
                                               std::string_view target = "sm_90a") {
  return parse("t", with_registers(statements, version, target));
}

// The message without "t:LINE:", where LINE is the statements' first; empty when there is none.
inline std::string error_of(std::string_view statements, std::string_view version = "9.0",
                            std::string_view target = "sm_90a") {
  try {
    module_of(statements, version, target);
  } catch (const Error& e) {
    const std::string prefix = "t:" + std::to_string(kFirstLine) + ":";
    const std::string what = e.what();
    return what.starts_with(prefix) ? what.substr(prefix.size()) : what;
  }
  return "";
}

// Of a whole module.
inline std::string error_in(std::string_view text) {
  try {
    parse("t", std::string(text));
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// A module with these lines behind its head, which is one line.
inline std::unique_ptr<const Module> whole(std::string_view text) {
  return parse("t", ".version 9.0 .target sm_90a .address_size 64\n" + std::string(text));
}
inline std::string error_in_whole(std::string_view text) {
  return error_in(".version 9.0 .target sm_90a .address_size 64\n" + std::string(text));
}

// The only instruction of the only function with a body.
struct One {
  std::unique_ptr<const Module> module;
  const Function* function;
  const Instr* instr;
  const Op* op;

  const Operand& operand(size_t i) const { return function->operands_of(*instr)[i]; }
  std::string name(size_t i) const { return function->register_name(operand(i).id); }
};

inline One one(std::string_view statement, std::string_view version = "9.0",
               std::string_view target = "sm_90a") {
  One out{module_of(statement, version, target), nullptr, nullptr, nullptr};
  out.function = out.module->function("k");
  out.instr = &out.function->instrs.at(0);
  out.op = &out.module->ops.at(out.instr->op);
  return out;
}

}  // namespace heddle::ptx::test
