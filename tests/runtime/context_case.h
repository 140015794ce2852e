// A context whose kernels are executed and take a given time.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "configs/loader/config.h"
#include "frontends/cuda/context.h"
#include "sim/exec/execute.h"

namespace heddle::cuda {

// add(int* p, int n): p[thread] += n. far(int* p): reads beyond everything.
inline constexpr const char* kPtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 total = 5;
.const .align 4 .u32 limits[2] = {7, 9};
.visible .entry add(.param .u64 p, .param .u32 n) {
  .reg .u64 %a, %o;
  .reg .u32 %t, %v, %n;
  ld.param.u64 %a, [p];
  ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %o, %t, 4;
  add.u64 %a, %a, %o;
  ld.global.u32 %v, [%a];
  add.u32 %v, %v, %n;
  st.global.u32 [%a], %v;
  ret;
}
.visible .entry far(.param .u64 p) {
  .reg .u64 %a;
  .reg .u32 %v;
  ld.param.u64 %a, [p];
  ld.global.u32 %v, [%a + 1048576];
  st.global.u32 [%a], %v;
  ret;
}
)";

class ContextCase : private KernelRunner {
 public:
  ContextCase() : gpu_(config::load("h200")) {
    context_ = std::make_unique<Context>(
        gpu_, Context::Environment{this, nullptr, true, [this](std::string_view t) { printed += t; },
                                   [this](std::string_view t) { notes.emplace_back(t); }});
    program_ = context_->library().load(kPtx);
  }
  Context& operator*() { return *context_; }
  Context* operator->() { return context_.get(); }
  Stream& legacy() { return context_->stream(nullptr); }

  const std::shared_ptr<modules::Program>& program() { return program_; }
  KernelWork add(uint64_t p, int32_t n, uint32_t threads = 32) {
    void* arguments[] = {&p, &n};
    KernelWork k;
    k.function = &context_->library().function(program_, "add");
    k.block.x = threads;
    k.parameters = Context::parameters_of(*k.function->kernel, arguments);
    return k;
  }
  KernelWork far(uint64_t p) {
    void* arguments[] = {&p};
    KernelWork k;
    k.function = &context_->library().function(program_, "far");
    k.parameters = Context::parameters_of(*k.function->kernel, arguments);
    return k;
  }
  uint64_t device(uint64_t bytes) { return context_->allocate(bytes, host::Memory::kDevice); }
  // What is at `address` of the device.
  uint32_t word(uint64_t address) {
    uint32_t out = 0;
    CopyWork c;
    c.to = reinterpret_cast<uint64_t>(&out);
    c.from = address;
    c.width = sizeof out;
    context_->copy(c, legacy(), true);
    return out;
  }
  void zero(uint64_t address, uint64_t bytes) {
    MemsetWork m;
    m.to = address;
    m.width = bytes;
    context_->set(m, legacy(), true);
  }

  double kernel_us = 5;
  uint64_t launches = 0;
  std::string printed;
  std::vector<std::string> notes;

 private:
  host::Ps run(const LoadedFunction&, const exec::Launch& launch,
               std::shared_ptr<std::string> output) override {
    ++launches;
    *output += exec::execute(launch, {}).output;
    return host::from_us(kernel_us);
  }

  config::GpuConfig gpu_;
  std::unique_ptr<Context> context_;
  std::shared_ptr<modules::Program> program_;
};

// What the call fails with; kSuccess when it does not.
template <class F>
Status status(F&& f) {
  try {
    f();
  } catch (const CallFailed& e) {
    return e.status();
  }
  return Status::kSuccess;
}

}  // namespace heddle::cuda
