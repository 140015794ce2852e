// What the program of a thread may not do. `what()` says which thread and where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/error.h"

namespace heddle::exec {

// Of cudaErrorIllegalAddress, ...MisalignedAddress, ...Assert, ...LaunchFailure (ER01, ER02).
enum class FaultKind : uint8_t { kAddress, kMisaligned, kAssert, kOther };

class ThreadFault : public Error {
 public:
  ThreadFault(FaultKind kind, const std::string& what) : Error(what), kind_(kind) {}
  FaultKind kind() const { return kind_; }

 private:
  FaultKind kind_;
};

struct Code;

// All that have begun wait in loops for something that does not come.
class WaitsInVain : public Error {
 public:
  // `blocks`: "20 blocks"; `waits`: where they are.
  WaitsInVain(const Code& code, std::string_view blocks, std::string_view waits);
  // Found by who simulates them.
  explicit WaitsInVain(const std::string& what) : Error(what) {}
};

}  // namespace heddle::exec
