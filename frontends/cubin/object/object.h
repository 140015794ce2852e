// A cubin: the machine code of kernels and functions, and what a launch of them has to know.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cubin/record.h"
#include "sim/isa/kernel.h"

namespace heddle::cubin {

struct KernelParameter {
  uint32_t index = 0;   // from 0 on
  uint32_t offset = 0;  // among the parameters, bytes
  uint32_t bytes = 0;
};

// What has to be put into a place of 8 or 4 bytes, or into a field of an instruction, once addresses are
// known.
struct Fixup {
  enum class Kind : uint8_t {
    kWord64,     // 8 bytes
    kWord32,     // 4 bytes
    kFieldLow,   // bits 32 to 63 of an instruction: the low half of the address
    kFieldHigh,  // the same: its high half
    kCall,       // bits 32 to 80 of a call: all of the address
    kUnknown,    // `type` says what; a launch of the function is an error
  };
  Kind kind = Kind::kWord64;
  uint32_t type = 0;  // as the file has it
  uint64_t at = 0;    // bytes from the beginning of the section
  std::string symbol;
  int64_t addend = 0;
};

// A piece of memory that the module has from its loading on.
struct Data {
  uint64_t bytes = 0;
  uint64_t align = 1;
  std::vector<uint8_t> initial;  // of the first of them, the others are 0
  std::vector<Fixup> fixups;
};

// A kernel, or what kernels call.
struct Function {
  std::string name;
  bool kernel = false;
  std::vector<Word> code;
  uint64_t file_at = 0;           // of the code, bytes, for messages
  uint32_t registers = 0;         // of a thread
  uint32_t stack_bytes = 0;       // of a thread's local memory, without what it calls through pointers
  uint32_t parameter_offset = 0;  // in constant bank 0
  uint32_t parameter_bytes = 0;   //
  std::vector<KernelParameter> parameters;  // by index
  uint32_t static_shared = 0;               // bytes, without the system's
  uint32_t shared_align = 16;               // of dynamic shared memory
  uint32_t barriers = 0;
  uint32_t most_threads = 0;            // of a block; 0: not said
  isa::Dim3 required_threads{0, 0, 0};  // of a block; 0: not said
  isa::Dim3 required_cluster{0, 0, 0};  // blocks; 0: not said
  uint32_t most_cluster_blocks = 0;
  bool explicit_cluster = false;
  std::vector<Fixup> fixups;  // of the code
  // What it calls by name, and what may be meant where it calls through a pointer (Object::call_graph).
  std::vector<std::string> calls;
  Data constant2;  // constants of the compiler, such as tables of jumps
};

// What a name stands for.
struct Named {
  enum class Where : uint8_t { kFunction, kGlobal, kGlobalInit, kConstant3, kShared, kExternal };
  Where where = Where::kExternal;
  uint64_t value = 0, bytes = 0;  // in its section
  std::string function;           // kFunction: whose code the value counts in
};

struct Object {
  std::string file;
  uint32_t capability = 0;  // 90: compute capability 9.0
  std::vector<Function> functions;
  Data global, global_init;
  Data constant3;  // __constant__ variables
  // Bank 4: addresses of what the code names, one set for all functions.
  Data constant4;
  std::map<std::string, Named> names;
  bool call_graph = false;  // the file says who calls whom

  const Function* find(std::string_view function) const;
};

// `file`: for messages. Throws Error for what is no cubin, for a damaged one and for a relocation that is not
// known.
Object read_object(std::string file, std::span<const uint8_t> bytes);

}  // namespace heddle::cubin
