// A cubin that is loaded: its kernels can be launched.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cubin/execute/placement.h"
#include "frontends/cubin/execute/translate.h"
#include "frontends/cubin/object/object.h"
#include "sim/base/error.h"
#include "sim/exec/launch.h"
#include "sim/exec/memory.h"

namespace heddle::cubin {

// Whether code of this capability is.
bool is_executed(uint32_t capability);

// A kernel has instructions that cannot be executed: all of them, a line each.
class NotCovered : public Unsupported {
  using Unsupported::Unsupported;
};

class Program {
 public:
  // Puts the variables into the memory, which outlives this. Throws Error for capabilities whose code is not
  // executed.
  Program(Object object, exec::Memory& memory);

  const Object& object() const { return object_; }
  const Placement& placement() const { return placement_; }
  // Throws Error that names the kernels when this is none of them.
  const Function& kernel(std::string_view name) const;
  // With the parameters all 0. Throws NotCovered.
  exec::Launch launch(const Function& kernel);
  // Of a kernel that has been launched.
  const Translation& translation(const Function& kernel) const { return translations_.at(&kernel); }
  // What a __constant__ variable holds from the next launch on. Throws Error when there is none.
  void set_constant(std::string_view name, std::span<const uint8_t> bytes, uint64_t offset = 0);
  // The same by place in bank 3, and what is there now. Throw Error beyond its end.
  void write_constants(uint64_t at, std::span<const uint8_t> bytes);
  void read_constants(uint64_t at, std::span<uint8_t> bytes) const;

 private:
  void check_constants(uint64_t at, uint64_t bytes) const;

  Object object_;
  exec::Memory& memory_;
  Placement placement_;
  std::map<uint64_t, exec::DeviceRuntime::Kernel> launchable_;  // empty: no kernel launches others
  std::map<const Function*, Translation> translations_;
  uint64_t workspace_ = 0;
  bool heap_ = false;
};

// Writes the low bytes of `bits` into a parameter. Throws Error when there is none with this index.
void set_parameter(const Object& object, const Function& kernel, size_t index, uint64_t bits,
                   exec::Launch& launch);

}  // namespace heddle::cubin
