// --check: undefined behaviour that a program's declared accesses show. Each access is compared with those of
// its buffer that are neither ordered before it nor superseded; the order is that of Clocks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "sim/host/core/result.h"
#include "sim/host/memory/vmm.h"
#include "sim/host/program/program.h"
#include "sim/host/streams/clocks.h"

namespace heddle::host {

// Two accesses of a buffer are a race if nothing orders them.
bool conflict(const Program& p, const Access& a, const Access& b);

class Checker {
 public:
  // `most`: findings that are kept.
  Checker(const Program& p, const AddressSpace& space, bool on, uint64_t most, Result& result);
  bool on() const { return on_; }

  // A call of the program; `pc` numbers it among its thread's calls, loops not unrolled.
  struct Site {
    uint32_t thread = kNone;
    size_t pc = 0;
    uint64_t call = 0;
    std::string node = {};  // "node k" of the graph that the call launches, "child k" of the kernel
  };
  // `clock`: what the access is ordered after.
  void access(const Access& a, Epoch epoch, const Clock& clock, const Site& site);
  void allocated(uint32_t buffer, Epoch epoch, const Site& site);
  // Whoever frees must come after all accesses.
  void freed(uint32_t buffer, const Clock& clock, const Site& site);
  // Memory that ranges of addresses map (VM04): new; mapped no longer, before the call does so.
  void created(uint32_t physical) { buffers_[program_.buffers.size() + physical].records.clear(); }
  void unmapped(uint32_t buffer, uint64_t offset, uint64_t bytes, const Clock& clock, const Site& site);
  // `buffer` kNone: it is about none.
  void report(const char* kind, uint32_t buffer, const Site& call, const Site& other);

 private:
  struct Record {
    uint64_t begin, end;
    Epoch epoch;
    Site site;
    bool writes, atomic;
    uint32_t buffer;  // through whose addresses
    bool fence;
  };
  struct Buffer {
    enum class State : uint8_t { kNever, kAllocated, kFreed } state = State::kAllocated;
    Epoch epoch;  // of the allocation
    Site site;    // of the allocation or the free
    std::vector<Record> records;
  };
  void record(Buffer& b, uint64_t begin, uint64_t end, const Access& a, Epoch epoch, const Clock& clock,
              const Site& site);
  Finding::Place place(const Site& s) const;
  // Of two atomic accesses: they are not atomic with each other (HM07).
  bool apart(const Record& r, const Access& a, Epoch epoch) const;

  const Program& program_;
  const AddressSpace& space_;
  bool on_;
  const uint64_t most_;
  Result& result_;
  std::vector<Buffer> buffers_;  // then physical memory
  // Which finding.
  std::map<std::tuple<std::string, uint32_t, uint32_t, size_t, std::string, uint32_t, size_t, std::string>,
           size_t>
      reported_;
};

}  // namespace heddle::host
