// Instruction fetch: an L0 cache per sub-core, an L1 per SM, both of which run ahead, the GPC's GCC behind
// them. (reference/microarchitecture.md 3.3)
#pragma once

#include <cstdint>
#include <vector>

#include "configs/schema/spec.h"
#include "sim/engine/time.h"
#include "sim/memory/code_lines.h"
#include "sim/memory/message.h"
#include "sim/memory/outbox.h"
#include "sim/stats/counters.h"

namespace heddle::sm {

// Lines of code or constants in a cache of limited size, least recently used out first. A line is usable from
// its ready cycle.
class LineCache {
 public:
  void reset(uint32_t capacity);
  // Lines first .. first + count - 1 may come from now on, none of them is there.
  void add(uint32_t first, uint32_t count);
  // The cycle from which `line` is usable, kNever when it is absent.
  Cycle ready(uint32_t line) const { return line < entries_.size() ? entries_[line].ready : kNever; }
  void touch(uint32_t line) { entries_[line].stamp = ++clock_; }
  void insert(uint32_t line, Cycle ready);
  // Whoever reads has the same lines.
  template <class Archive>
  void serialize(Archive& ar) {
    ar.elements(entries_);
    ar(present_, clock_);
    for (const uint32_t line : present_) {
      ar.check(line < entries_.size(), "a line that the kernel does not have");
    }
  }

 private:
  struct Entry {
    Cycle ready = kNever;
    uint64_t stamp = 0;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(ready, stamp);
    }
  };
  std::vector<Entry> entries_;
  std::vector<uint32_t> present_;
  uint32_t capacity_ = 0;
  uint64_t clock_ = 0;
};

// Where an SM's fetches of code and constants that its GPC may not have are sent.
struct FetchPort {
  memory::Outbox& outbox;
  uint16_t sm;

  // Code that other SMs have asked for, known so long after they have; null: there are none.
  const memory::CodeLines* code = nullptr;
  Cycle known_after = 0;

  // When another SM has asked for a line of code, as far as is known at `now`; else kNever.
  Cycle first(uint64_t line, Cycle now) const {
    const Cycle first = code ? code->first(line) : kNever;
    return first != kNever && first + known_after <= now ? first : kNever;
  }
  void send(uint64_t line, Cycle at) {
    memory::Request r;
    r.kind = memory::RequestKind::kFetch;
    r.line = line;
    r.time = at;
    r.sm = sm;
    outbox.fetch(r);
  }
};

class InstructionSupply {
 public:
  InstructionSupply(const spec::InstructionFetch& fetch, uint32_t subcores, stats::CounterSet& counters,
                    FetchPort port);

  void connect(const memory::CodeLines& code, Cycle known_after) {
    port_.code = &code;
    port_.known_after = known_after;
  }

  // Everything is cold, no kernel has lines.
  void reset();
  // A kernel with `count` lines from `first` on has been launched, on so many TPCs of the GPC.
  void add(uint32_t first, uint32_t count, uint32_t tpcs);

  // A warp of `subcore` wants `line` at `now`; returns when it can use it (now, when it is there).
  Cycle want(uint32_t subcore, uint32_t line, Cycle now);

  // Whoever reads has added the same kernels.
  template <class Archive>
  void serialize(Archive& ar) {
    ar.expect("lines of code", lines_);
    ar.elements(l0_);
    ar.elements(stream_);
    ar(l1_, gcc_, l1_port_, gcc_port_);
    ar.elements(kernels_);
    ar(seen_);
    ar.check(seen_.size() == lines_, "lines of code that the kernel does not have");
  }

 private:
  struct Stream {
    uint32_t next = 0;  // first line not yet requested
    uint32_t first = ~0u;
    Cycle last = 0;  // arrival of the newest prefetched line

    template <class Archive>
    void serialize(Archive& ar) {
      ar(next, first, last);
    }
  };

  // The lines of a kernel, the TPCs of the GPC that run it, and when the first line can come: known when it
  // is wanted.
  struct Kernel {
    uint32_t first = 0, count = 0, tpcs = 1;
    Cycle open = kNever;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(first, count, tpcs, open);
    }
  };

  Kernel* kernel_of(uint32_t line);
  Cycle brought(const Kernel& k, uint32_t line) const;
  Cycle opened(uint32_t line, Cycle now);
  Cycle into_l1(uint32_t line, Cycle now);
  Cycle fetch(uint32_t subcore, uint32_t line, Cycle now, Cycle not_before);
  void run_ahead(uint32_t subcore, uint32_t line, uint32_t lines, Cycle now);

  const spec::InstructionFetch config_;
  stats::CounterSet& counters_;
  FetchPort port_;
  uint32_t lines_ = 0;  // of all kernels
  std::vector<LineCache> l0_;
  std::vector<Stream> stream_;
  LineCache l1_, gcc_;
  Cycle l1_port_ = 0, gcc_port_ = 0;
  std::vector<bool> seen_;
  std::vector<Kernel> kernels_;
};

}  // namespace heddle::sm
