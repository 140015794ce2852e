// A PTX module in memory, and buffers, for tests of what kernels compute.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/ptx/execute/program.h"
#include "frontends/ptx/load.h"
#include "sim/exec/execute.h"

namespace heddle::exec::test {

class Case {
 public:
  // `text`: what stands behind the module's head, which is its first line.
  explicit Case(std::string_view text, std::string_view target = "sm_90a")
      : program_(ptx::parse("t.ptx", ".version 8.8 .target " + std::string(target) + " .address_size 64\n" +
                                         std::string(text)),
                 memory) {}
  explicit Case(std::unique_ptr<const ptx::Module> module) : program_(std::move(module), memory) {}

  template <class T>
  uint64_t buffer(const std::vector<T>& values) {
    const uint64_t at = memory.allocate(values.size() * sizeof(T));
    memory.write(at, {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)});
    return at;
  }
  template <class T>
  std::vector<T> get(uint64_t at, size_t count) const {
    std::vector<T> out(count);
    memory.read(at, {reinterpret_cast<uint8_t*>(out.data()), count * sizeof(T)});
    return out;
  }

  // Arguments as bits.
  ExecuteResult run(std::string_view kernel, isa::Dim3 grid, isa::Dim3 block,
                    std::initializer_list<uint64_t> arguments, uint32_t shared = 0) {
    const ptx::Function& f = program_.kernel(kernel);
    Launch launch = program_.launch(f);
    launch.grid = grid;
    launch.block = block;
    if (cluster.count() != 0) {
      launch.cluster = cluster;
      launch.with_cluster = true;
    }
    launch.dynamic_shared = shared;
    launch.most_instructions = most_instructions;
    launch.checks = checks;
    launch.observer = observer;
    size_t i = 0;
    for (const uint64_t a : arguments) {
      ptx::set_parameter(ptx::parameter(program_.module(), f, i++), a, launch);
    }
    return execute(launch, options);
  }

  // What run says is wrong; empty when nothing is.
  std::string error(std::string_view kernel, isa::Dim3 grid, isa::Dim3 block,
                    std::initializer_list<uint64_t> arguments, uint32_t shared = 0) {
    try {
      run(kernel, grid, block, arguments, shared);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

  const ptx::Program& program() const { return program_; }

  Memory memory;
  ExecuteOptions options;
  isa::Dim3 cluster{0, 0, 0};  // none
  Checks checks;
  Observer* observer = nullptr;  // nobody
  uint64_t most_instructions = UINT64_MAX;

 private:
  ptx::Program program_;
};

// A kernel `k` that stores, in each thread, the 32-bit register %r0 at out[global thread number]. Its
// parameters: out. There are registers %r, %rd, %f, %p, %rs, %fd (0 to 31) and %tid.x in %r31, the thread's
// number in %r30.
inline std::string storing(std::string_view statements, std::string_view before = "") {
  return std::string(before) +
         ".entry k(.param .u64 out) {\n"
         ".reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .f32 %f<32>; .reg .pred %p<32>; .reg .b16 %rs<32>;\n"
         ".reg .f64 %fd<32>; .reg .b128 %rq<4>;\n"
         "mov.u32 %r31, %tid.x; mov.u32 %r29, %ctaid.x; mov.u32 %r28, %ntid.x;\n"
         "mad.lo.u32 %r30, %r29, %r28, %r31;\n" +
         std::string(statements) +
         "\nend: ld.param.u64 %rd31, [out]; mul.wide.u32 %rd30, %r30, 4; add.u64 %rd31, %rd31, %rd30;\n"
         "st.global.u32 [%rd31], %r0; ret; }\n";
}

// What such a kernel stores.
inline std::vector<uint32_t> stored(std::string_view statements, isa::Dim3 grid, isa::Dim3 block,
                                    std::string_view before = "", int threads = 1) {
  Case c(storing(statements, before));
  c.options.threads = threads;
  const uint64_t out = c.buffer(std::vector<uint32_t>(grid.count() * block.count()));
  c.run("k", grid, block, {out});
  return c.get<uint32_t>(out, grid.count() * block.count());
}

}  // namespace heddle::exec::test
