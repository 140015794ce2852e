// A module that is loaded: its kernels can be launched.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/ptx/execute/translate.h"
#include "frontends/ptx/module.h"
#include "sim/base/error.h"
#include "sim/exec/launch.h"
#include "sim/exec/memory.h"

namespace heddle::ptx {

// A kernel has instructions that cannot be executed: all of them, a line each.
class NotCovered : public Unsupported {
  using Unsupported::Unsupported;
};

class Program {
 public:
  // Puts the module's variables into the memory, which outlives this.
  Program(std::unique_ptr<const Module> module, exec::Memory& memory);

  const Module& module() const { return *module_; }
  const Placement& placement() const { return placement_; }
  // Throws Error that names the kernels when this is none of them.
  const Function& kernel(std::string_view name) const;
  // With the parameters all 0. Throws NotCovered.
  exec::Launch launch(const Function& kernel);
  // What the constant space holds from the next launch on, and holds now. Throw Error beyond its end.
  void write_constants(uint64_t at, std::span<const uint8_t> bytes);
  void read_constants(uint64_t at, std::span<uint8_t> bytes) const;

 private:
  void check_constants(uint64_t at, uint64_t bytes) const;

  std::unique_ptr<const Module> module_;
  exec::Memory& memory_;
  Placement placement_;
  std::map<const Function*, Translation> codes_;
  uint64_t workspace_ = 0;
};

// The type of a kernel's parameter and where it lies. Throws Error when there is none with this index.
const Variable& parameter(const Module& module, const Function& kernel, size_t index);
// Writes the low bytes of `bits` into it.
void set_parameter(const Variable& parameter, uint64_t bits, exec::Launch& launch);

}  // namespace heddle::ptx
