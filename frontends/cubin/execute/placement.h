// Where a module's code, variables and constants lie once it is loaded.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cubin/object/object.h"
#include "sim/exec/code.h"
#include "sim/exec/layout.h"
#include "sim/exec/memory.h"

namespace heddle::cubin {

// Functions of the system that code may call: "vprintf", "malloc", "free", "__assertfail".
struct SystemFunction {
  std::string_view name;
  exec::Builtin builtin;
};
inline constexpr SystemFunction kSystemFunctions[] = {{"vprintf", exec::Builtin::kPrintf},
                                                      {"malloc", exec::Builtin::kMalloc},
                                                      {"free", exec::Builtin::kFree},
                                                      {"__assertfail", exec::Builtin::kAssertFail}};
inline constexpr uint64_t kInstructionBytes = 16;
inline constexpr uint64_t kSystemCode = exec::kFunctionBase;            // system functions, 16 bytes each
inline constexpr uint64_t kCodeBase = exec::kFunctionBase + (1 << 12);  // the module's functions

struct Placement {
  std::map<std::string, uint64_t, std::less<>> addresses;  // of variables and functions
  std::vector<uint64_t> code_at;                           // by function
  uint64_t code_end = kCodeBase;
  std::vector<uint8_t> constants;  // bank 3, then bank 4
  uint32_t bank4_at = 0;           // in `constants`
  uint32_t bank3_bytes = 0;
};

// Puts the variables into memory. Throws Error for a name that nothing defines.
Placement place(const Object& object, exec::Memory& memory);

// A piece of constants with its addresses filled in.
std::vector<uint8_t> patched(const Object& object, const Placement& p, const Data& from,
                             std::string_view section);

// The word that a fixup asks for, in 64 bits. Throws Error when nothing defines the symbol.
uint64_t fixed_up(const Object& object, const Placement& placement, const Fixup& f, std::string_view where);

}  // namespace heddle::cubin
