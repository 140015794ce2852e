// A module that can be executed, whatever it is written in: PTX or machine code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/exec/launch.h"
#include "sim/exec/memory.h"
#include "sim/isa/recording.h"

namespace heddle::modules {

struct Parameter {
  // kBits: whole or floating-point, the module does not say; kBytes: a structure.
  enum class Kind : uint8_t { kWhole, kFloat, kBits, kBytes };
  std::string name, type;  // for people: ".f32", "4 bytes"
  Kind kind = Kind::kBits;
  uint32_t offset = 0, bytes = 0;
};

// The same of all that is in a module; nothing is known of PTX.
struct ModuleCode {
  uint64_t bytes = 0;
  bool prints = false, allocates = false;
};

struct Kernel {
  std::string name;  // mangled
  std::vector<Parameter> parameters;
  // What the code says that it needs; 0 of PTX, whose registers are not known before it is compiled.
  uint32_t registers = 0;      // of a thread
  uint32_t static_shared = 0;  // bytes of a block
  uint32_t local_bytes = 0;    // of a thread
  uint32_t constant_bytes = 0;
  uint32_t most_threads = 0;  // of a block; 0: not said
  uint32_t capability = 0;    // 90: compute capability 9.0
  // What loading it loads, bytes of machine code; whether it calls printf, and malloc or free.
  uint32_t code_bytes = 0;
  bool prints = false, allocates = false;
  ModuleCode module;
  isa::Dim3 cluster{0, 0, 0};  // compiled in; 0: none
};

// A variable of the module's.
struct Variable {
  uint64_t address = 0;  // of a constant: among the module's constants
  uint64_t bytes = 0;
  bool constant = false;  // __constant__
};

class Program {
 public:
  virtual ~Program() = default;

  virtual const std::vector<Kernel>& kernels() const = 0;
  // Throws Error that names the kernels when this is none of them.
  virtual const Kernel& kernel(std::string_view name) const = 0;
  // With the parameters all 0. Throws Unsupported.
  virtual exec::Launch launch(const Kernel& kernel) = 0;
  // The launch's blocks, executed while they are asked for; it was made by launch(), and this outlives the
  // result. `output` gets what is printed. Throws Unsupported, and Error for what the launch may not be.
  virtual std::unique_ptr<isa::BlockSource> timed(const Kernel& kernel, const exec::Launch& launch,
                                                  std::shared_ptr<std::string> output) const = 0;
  // Nothing when there is none of this name, or it is none of the module's own (PTX: .const, .global).
  virtual std::optional<Variable> variable(std::string_view name) const = 0;
  // What the constant space holds from the next launch on, and holds now. Throw Error beyond its end.
  virtual void write_constants(uint64_t at, std::span<const uint8_t> bytes) = 0;
  virtual void read_constants(uint64_t at, std::span<uint8_t> bytes) const = 0;
  // What was ignored.
  virtual std::vector<std::string> warnings() const { return {}; }
};

// Writes the low bytes of `bits` into a parameter. Throws Error when there is none with this index.
void set_parameter(const Kernel& kernel, size_t index, uint64_t bits, exec::Launch& launch);

// Gives a launch its size. No cluster: the kernel's own. `shared`: dynamic, bytes.
void set_shape(exec::Launch& launch, const isa::Dim3& grid, const isa::Dim3& block,
               const std::optional<isa::Dim3>& cluster, uint32_t shared);

// Put the module's variables into the memory, which outlives the program. Throw Error for what is neither.
std::unique_ptr<Program> load(const std::filesystem::path& file, exec::Memory& memory);
std::unique_ptr<Program> ptx_program(std::string name, std::string text, exec::Memory& memory);
// The image of a fat binary, program or library that fits best: machine code up to 9.0, else PTX.
// `capability`: of the device (90: 9.0), which runs code of its own major number up to its minor one (CUDA
// guide, binary compatibility) and PTX up to its own; 0: any.
std::unique_ptr<Program> image_program(const std::string& name, std::span<const uint8_t> bytes,
                                       exec::Memory& memory, uint32_t capability = 0);
std::unique_ptr<Program> code_program(std::string name, std::span<const uint8_t> bytes, exec::Memory& memory);

// Whether a file's name is that of a module: .ptx, .cubin, .fatbin.
bool is_module(const std::filesystem::path& file);

}  // namespace heddle::modules
