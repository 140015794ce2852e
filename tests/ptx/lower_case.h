// Kernels k(.param .u64 p, .param .u32 n) of a few lines, lowered, and what their warps issue.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "frontends/ptx/execute/program.h"
#include "frontends/ptx/load.h"
#include "frontends/ptx/lower/lower.h"
#include "frontends/ptx/lower/timed_source.h"

namespace heddle::ptx {

using lower::TimedSource;

inline std::string module_of(const std::string& body, const std::string& directives = "") {
  return ".version 8.6 .target sm_90 .address_size 64\n"
         ".entry k(.param .u64 p, .param .u32 n) " +
         directives +
         "{\n.reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<20>; "
         ".reg .pred %p<8>;\n" +
         body + "\n}\n";
}

// The instructions up to the branch to itself that ends them.
inline std::vector<std::string> code(const std::string& body) {
  const auto module = parse("k.ptx", module_of(body));
  const auto kernel = lower::lower(*module, module->functions[0]);
  std::vector<std::string> out = kernel->image.text;
  while (out.back() == "NOP") {
    out.pop_back();
  }
  out.pop_back();
  return out;
}

inline bool has(const std::vector<std::string>& code, const std::string& what) {
  for (const std::string& line : code) {
    if (line.find(what) != std::string::npos) {
      return true;
    }
  }
  return false;
}

inline size_t count(const std::vector<std::string>& code, const std::string& what) {
  size_t n = 0;
  for (const std::string& line : code) {
    n += line.find(what) != std::string::npos ? 1 : 0;
  }
  return n;
}

// What the warps of a launch issue.
struct Issued {
  std::vector<isa::BlockTrace> blocks;
  isa::KernelImage image;
  uint64_t buffer = 0;

  Issued(const std::string& body, isa::Dim3 grid, isa::Dim3 block, uint32_t n,
         const std::string& directives = "")
      : Issued(Whole{}, module_of(body, directives), grid, block, n) {}

  // Of a whole module with a kernel k.
  struct Whole {};
  Issued(Whole /*tag*/, const std::string& text, isa::Dim3 grid, isa::Dim3 block, uint32_t n) {
    constexpr uint64_t kBytes = 65536;
    exec::Memory memory;
    Program program(parse("k.ptx", text), memory);
    const Function& kernel = program.kernel("k");
    exec::Launch launch = program.launch(kernel);
    launch.grid = grid;
    launch.block = block;
    set_parameter(parameter(program.module(), kernel, 0), buffer = memory.allocate(kBytes), launch);
    set_parameter(parameter(program.module(), kernel, 1), n, launch);
    TimedSource source(program.module(), kernel, program.placement(), launch);
    image = source.image();
    for (isa::BlockTrace b; source.next(b); b = {}) {
      blocks.push_back(std::move(b));
    }
  }
  // "opcode mask" of each instruction of a warp.
  std::vector<std::string> warp(size_t block, size_t index) const {
    std::vector<std::string> out;
    for (const isa::Run& r : blocks[block].warps[index].runs) {
      for (uint32_t i = 0; i < r.count; ++i) {
        out.push_back(fmt::format("{} {:x}", image.opcodes[image.code[r.first + i].opcode], r.mask));
      }
    }
    return out;
  }
};

inline const char* const kAddress =
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n";

}  // namespace heddle::ptx
