// What a launch leaves behind on request beside its counters: counts by static instruction, time series and
// spans for a timeline. Everything is bounded in memory and independent of the number of host threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/op_class.h"
#include "sim/stats/counters.h"

namespace heddle::stats {

// Of one static instruction, over all warps. The warp-cycles are charged to the instruction that the warp
// waits to issue (`selected`: that it issues); those after a warp's last instruction to that last one, those
// of a warp without instructions to the first of the code. So the sum over the instructions of a launch is
// CounterSet::stall.
struct InstructionCounts {
  uint64_t executed = 0;                      // warp instructions
  uint64_t threads = 0;                       // thread instructions with a true predicate
  uint64_t requests = 0;                      // of these, at the L1 with addresses of global or local memory
  uint64_t sectors = 0;                       // at the L1, as in l1tex__t_sectors.sum
  uint64_t sector_hits = 0;                   // as in l1tex__t_sectors_lookup_hit.sum
  uint64_t shared_wavefronts = 0;             // of shared-memory loads, stores and atomics with addresses
  uint64_t shared_conflicts = 0;              // of these, beyond the conflict-free number
  std::array<uint64_t, kStallCount> stall{};  // warp-cycles

  template <class Archive>
  void serialize(Archive& ar) {
    ar(executed, threads, requests, sectors, sector_hits, shared_wavefronts, shared_conflicts, stall);
  }

  void add(const InstructionCounts& o) {
    executed += o.executed;
    threads += o.threads;
    requests += o.requests;
    sectors += o.sectors;
    sector_hits += o.sector_hits;
    shared_wavefronts += o.shared_wavefronts;
    shared_conflicts += o.shared_conflicts;
    for (int i = 0; i < kStallCount; ++i) {
      stall[i] += o.stall[i];
    }
  }
};

struct InstructionProfile {
  uint32_t pc = 0;           // byte offset within the kernel's code
  std::string opcode;        // with modifiers: "LDG.E.128"
  std::string text;          // the SASS line; the opcode where the trace has no text
  std::string source_file;   // empty: not known
  uint32_t source_line = 0;  // 0: not known
  isa::OpClass op = isa::OpClass::kUnknown;
  uint32_t mma_work = 0;  // M*N*K of a matrix product
  InstructionCounts counts;
};

// Counters over time. A sample has the growth since the one before it (the first: since the launch), so the
// samples of a counter add up to the launch's counter.
inline constexpr std::array kSeriesCounters = {
    Counter::kWarpsActive, Counter::kInstExecuted, Counter::kL1Sectors,     Counter::kL1SectorHits,
    Counter::kL2Sectors,   Counter::kL2SectorHits, Counter::kDramReadBytes, Counter::kDramWriteBytes,
};
struct SeriesSample {
  uint64_t cycle = 0;                                     // core cycle of the launch at its end
  std::array<uint64_t, kSeriesCounters.size()> growth{};  // parallel to kSeriesCounters

  template <class Archive>
  void serialize(Archive& ar) {
    ar(cycle, growth);
  }
};

// Something that took a while, for a timeline. Spans of one lane of a track do not overlap, unless one lies
// within the other.
struct Span {
  std::string track;  // "SM 17", "SM 17 warps", "stream 3", "copy engine 0"
  uint32_t lane = 0;  // row of the track; of an SM: the block slot, or the warp slot
  std::string name;   // "block (3,0,0)"
  uint64_t start_ps = 0, end_ps = 0;
  std::string args;  // a JSON object with details, or empty

  template <class Archive>
  void serialize(Archive& ar) {
    ar(track, lane, name, start_ps, end_ps, args);
  }
};

// Which of these are collected. None costs nothing.
struct ProfileRequest {
  static constexpr uint32_t kMaxSamples = 1024;

  bool instructions = false;
  uint32_t series_interval = 0;        // core cycles between samples, doubled whenever there are more than
                                       // kMaxSamples; 0: no series
  bool blocks = false;                 // spans of blocks on SMs
  std::vector<uint32_t> warps_of_sms;  // SMs whose warps get spans, too
  uint64_t max_spans = 1'000'000;      // further ones are counted and dropped

  bool spans() const { return blocks || !warps_of_sms.empty(); }
  bool any() const { return instructions || series_interval || spans(); }
};

struct Profile {
  std::vector<InstructionProfile> instructions;  // by pc; those that were never executed or waited for, too
  std::vector<SeriesSample> series;              // by cycle
  std::vector<Span> spans;                       // by end
  uint64_t dropped_spans = 0;

  bool empty() const { return instructions.empty() && series.empty() && spans.empty(); }
};

}  // namespace heddle::stats
