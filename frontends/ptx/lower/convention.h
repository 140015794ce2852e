// How functions are called on sm_90, as ptxas 13.0 does it (README.md, Calls). By the
// ABI: arguments and results from R4 on, return address in R20:R21, R2, R16 to R19, R22 and above and UR36
// and above kept. Functions that need not keep to it have their return address behind arguments and results.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "frontends/ptx/lower/machine.h"

namespace heddle::ptx::lower {

constexpr uint32_t kFirstArgument = 4;   // register
constexpr uint32_t kAbiWords = 12;       // of arguments in registers; what does not fit whole is in memory
constexpr uint32_t kArgumentWords = 48;  // of functions that need not keep to the ABI
constexpr uint32_t kAbiReturn = 16;      // word: R20
constexpr uint32_t kConventionWords = kArgumentWords + 1;  // with the return address
constexpr uint32_t kAbiRegisters = 24;  // a kernel that calls by the ABI has at least so many

// Bytes of an argument or a result, and what they are a multiple of.
struct Shape {
  uint64_t bytes = 4;
  uint64_t align = 4;
};

// Where it lies: words from kFirstArgument on, or bytes from the caller's R1 on.
struct Place {
  bool in_memory = false;
  uint32_t word = 0, words = 0;
  uint32_t byte = 0;
};

struct Places {
  std::vector<Place> each;
  uint32_t words = 0;  // of registers
  uint32_t bytes = 0;  // of memory
};

// `standard`: by the ABI; else more of it fits into registers.
Places lay_out(std::span<const Shape> shapes, bool standard);

// The word that has the return address of a function that does not keep to the ABI.
uint32_t return_word(const Places& parameters, const Places& returns);

bool kept_by_abi(uint32_t vector_register);

// What is known of a function once it is lowered.
struct Callee {
  bool standard = false;
  Clobbered clobbers;
};
using Callees = std::map<uint32_t, Callee>;  // by the module's function

// What a call by the ABI does not keep.
Clobbered clobbered_by_abi();
// What a function and those that it calls write; registers have numbers.
Clobbered clobbered(const Lowered& f);

}  // namespace heddle::ptx::lower
