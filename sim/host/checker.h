// --check: undefined behaviour that a program's declared accesses show. Each access is compared with those of
// its buffer that are neither ordered before it nor superseded; the order is that of Clocks.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sim/host/clocks.h"
#include "sim/host/program.h"
#include "sim/host/result.h"

namespace heddle::host {

class Checker {
 public:
  Checker(const Program& p, bool on, Result& result);
  bool on() const { return on_; }

  // A call of the program; `pc` numbers it among its thread's calls, loops not unrolled.
  struct Site {
    uint32_t thread = kNone;
    size_t pc = 0;
    uint64_t call = 0;
    std::string node = {};  // of the graph that the call launches
  };
  // `clock`: what the access is ordered after.
  void access(const Access& a, Epoch epoch, const Clock& clock, const Site& site);
  void allocated(uint32_t buffer, Epoch epoch, const Site& site);
  // Whoever frees must come after all accesses.
  void freed(uint32_t buffer, const Clock& clock, const Site& site);
  void report(const char* kind, uint32_t buffer, const Site& call, const Site& other);

 private:
  struct Record {
    uint64_t begin, end;
    Epoch epoch;
    Site site;
    bool writes, atomic;
  };
  struct Buffer {
    enum class State : uint8_t { kNever, kAllocated, kFreed } state = State::kAllocated;
    Epoch epoch;  // of the allocation
    Site site;    // of the allocation or the free
    std::vector<Record> records;
  };
  Finding::Place place(const Site& s) const;

  const Program& program_;
  bool on_;
  Result& result_;
  std::vector<Buffer> buffers_;
  std::set<std::tuple<std::string, uint32_t, uint32_t, size_t, std::string, uint32_t, size_t, std::string>>
      reported_;
};

}  // namespace heddle::host
