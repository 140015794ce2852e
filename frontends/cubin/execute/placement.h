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

// A function of the system that code may call, in place of the module's own of that name: those of the CUDA
// runtime come with the module, and call what a driver has there.
inline constexpr std::string_view kSystemCalls = "__cuda_syscall_";
struct SystemFunction {
  std::string_view name;
  exec::Builtin builtin;
  // Its arguments in the registers of the ABI, from R4 on: w two, from an even one on, i one, d three (a
  // dim3); and its result: w, i, or a space.
  std::string_view arguments;
  char result = 'i';
};
inline constexpr SystemFunction kSystemFunctions[] = {
    {"vprintf", exec::Builtin::kPrintf, "ww"},
    {"malloc", exec::Builtin::kMalloc, "w", 'w'},
    {"free", exec::Builtin::kFree, "w", ' '},
    {"__assertfail", exec::Builtin::kAssertFail, "wwi", ' '},
    {"cudaGraphSetConditional", exec::Builtin::kSetConditional, "wi", ' '},
    {"__cudaCDP2GetParameterBufferV2", exec::Builtin::kRuntime, "wddi", 'w'},
    {"__cudaCDP2LaunchDeviceV2", exec::Builtin::kRuntime, "ww"},
    {"__cudaCDP2LaunchDeviceV2_ptsz", exec::Builtin::kRuntime, "ww"},
    {"__cudaCDP2StreamCreateWithFlags", exec::Builtin::kRuntime, "wi"},
    {"__cudaCDP2StreamDestroy", exec::Builtin::kRuntime, "w"},
    {"__cudaCDP2StreamWaitEvent", exec::Builtin::kRuntime, "wwi"},
    {"__cudaCDP2StreamWaitEvent_ptsz", exec::Builtin::kRuntime, "wwi"},
    {"__cudaCDP2EventCreateWithFlags", exec::Builtin::kRuntime, "wi"},
    {"__cudaCDP2EventRecord", exec::Builtin::kRuntime, "ww"},
    {"__cudaCDP2EventRecord_ptsz", exec::Builtin::kRuntime, "ww"},
    {"__cudaCDP2EventRecordWithFlags", exec::Builtin::kRuntime, "wwi"},
    {"__cudaCDP2EventRecordWithFlags_ptsz", exec::Builtin::kRuntime, "wwi"},
    {"__cudaCDP2EventDestroy", exec::Builtin::kRuntime, "w"},
    {"__cudaCDP2GetLastError", exec::Builtin::kRuntime, ""},
    {"__cudaCDP2PeekAtLastError", exec::Builtin::kRuntime, ""},
    {"__cudaCDP2GetDevice", exec::Builtin::kRuntime, "w"},
    {"__cudaCDP2GetDeviceCount", exec::Builtin::kRuntime, "w"},
    {"__cudaCDP2Malloc", exec::Builtin::kRuntime, "ww"},
    {"__cudaCDP2Free", exec::Builtin::kRuntime, "w"},
    // All that begin like this: code of 12.x calls them to copy into other blocks' shared memory. A trap
    // here.
    {kSystemCalls, exec::Builtin::kNone, ""}};
bool is_system_function(std::string_view name);
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
  // Names that data has and nothing defines. They have addresses behind the code, where nothing is.
  std::vector<std::string> undefined;
};

// Puts the variables into memory.
Placement place(const Object& object, exec::Memory& memory);

// A piece of constants with its addresses filled in.
std::vector<uint8_t> patched(const Object& object, const Placement& p, const Data& from,
                             std::string_view section);

// "nothing defines NAME (legal: ...)"
std::string nothing_defines(std::string_view name);

// The word that a fixup asks for, in 64 bits. Throws Error when nothing defines the symbol.
uint64_t fixed_up(const Object& object, const Placement& placement, const Fixup& f, std::string_view where);

}  // namespace heddle::cubin
