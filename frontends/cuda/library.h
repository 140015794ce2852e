// The code that a program brings with it: fat binaries that its start registers, modules that it loads.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cuda/address_space.h"
#include "frontends/cuda/handles.h"
#include "frontends/modules/program.h"

namespace heddle::cuda {

// A kernel, and what the program has asked of it (cudaFuncSetAttribute).
struct LoadedFunction {
  std::shared_ptr<modules::Program> program;
  const modules::Kernel* kernel = nullptr;
  int32_t most_dynamic_shared = -1;  // -1: what is there without asking
  int32_t carveout = -1;             // percent; -1: none
  bool non_portable_cluster = false;
  std::optional<bool> launches = {};  // whether its code can launch kernels; nothing: not looked at yet
};

// A __constant__ variable has an address, too, where its bytes are before a launch takes them over.
struct LoadedVariable {
  uint64_t address = 0, bytes = 0;
};

class Library {
 public:
  // `capability`: of the device, 90: 9.0.
  Library(AddressSpace& space, uint32_t capability) : space_(space), capability_(capability) {}

  // ---- what nvcc's start-up code calls: `wrapper` is its __fatBinC_Wrapper_t, `host` the address that
  // stands for the kernel or variable in the host's code
  void** add_binary(const void* wrapper);
  void add_function(void** binary, const void* host, const char* name);
  void add_variable(void** binary, const void* host, const char* name);
  // `pointer` gets the variable's address.
  void add_managed(void** binary, void** pointer, const char* name);
  // Managed variables have their addresses. Other binaries are loaded when the first of their names is used.
  void complete(void** binary);
  void load_managed();

  // `host` may also be a LoadedFunction. Throw CallFailed (cudaErrorInvalidResourceHandle,
  // cudaErrorInvalidSymbol), Error.
  LoadedFunction& function(const void* host);
  const LoadedVariable& variable(const void* host);

  // ---- modules (cuModuleLoadData): a cubin, a fat binary or the text of PTX, which says its own length
  std::shared_ptr<modules::Program> load(const void* image);
  std::shared_ptr<modules::Program> load_file(const std::string& file);
  // Those that the program has a handle of. Functions of one that it unloads stay what they are.
  Handles<modules::Program, std::shared_ptr<modules::Program>>& modules() { return modules_; }
  void unload(const void* module);
  // All code; that of binaries is loaded anew when it is used.
  void unload();
  LoadedFunction& function(const std::shared_ptr<modules::Program>& program, std::string_view name);
  // Throws CallFailed (cudaErrorSymbolNotFound).
  LoadedVariable variable(const std::shared_ptr<modules::Program>& program, std::string_view name);
  // What the host has put into __constant__ variables is what the module's next launch finds there.
  void update_constants(const modules::Program& program);

 private:
  struct Name {
    size_t binary;
    std::string name;
  };
  struct Binary {
    const uint8_t* data = nullptr;
    std::vector<std::pair<void**, std::string>> managed;
    std::shared_ptr<modules::Program> program;
  };
  const std::shared_ptr<modules::Program>& loaded(size_t binary);

  AddressSpace& space_;
  const uint32_t capability_;
  Handles<modules::Program, std::shared_ptr<modules::Program>> modules_{Status::kInvalidResourceHandle,
                                                                        "no such module"};
  std::vector<std::shared_ptr<modules::Program>> unloaded_;
  std::deque<Binary> binaries_;  // a handle is 1 more than the place here
  std::map<const void*, Name> function_names_, variable_names_;
  std::map<const void*, LoadedVariable> variables_;
  struct Constant {
    modules::Program* program;
    modules::Variable variable;
    uint64_t address;
  };
  std::map<std::pair<const modules::Program*, uint64_t>, Constant>
      constants_;  // by place among the constants
  std::map<std::pair<const modules::Program*, std::string>, LoadedFunction> functions_;
  std::map<const void*, LoadedFunction*> by_host_;  // and by themselves
};

}  // namespace heddle::cuda
