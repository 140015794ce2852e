// A launch that is executed while it is simulated, saved and resumed: it comes to what it comes to when
// nobody saves it.
#pragma once

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/device/gpu.h"

namespace heddle::simtest {

// A launch as it begins.
class SavedCase {
 public:
  virtual ~SavedCase() = default;
  virtual isa::BlockSource& source() = 0;
  // What it has computed, and printed.
  virtual std::vector<uint8_t> outcome() const = 0;
};
using MakeCase = std::function<std::unique_ptr<SavedCase>()>;

struct SavedState {
  Cycle at = 0;
  std::vector<uint8_t> bytes;
};

struct SavedRun {
  stats::KernelResult result;
  std::vector<uint8_t> outcome;
  std::vector<SavedState> states;
};

inline device::RunOptions saved_options(int threads = 1, uint64_t quantum = 0) {
  device::RunOptions o;
  o.threads = threads;
  o.quantum = quantum;
  return o;
}

// Saved before the first quantum and behind each, unless it is not `saved`.
inline SavedRun run_saving(const MakeCase& make, const spec::GpuConfig& config, bool saved) {
  SavedRun out;
  const auto c = make();
  device::Gpu gpu(config);
  gpu.begin(c->source(), saved_options());
  do {
    if (saved) {
      out.states.push_back({gpu.now(), gpu.save()});
    }
  } while (gpu.advance(gpu.now() + 1));
  out.result = gpu.finish();
  out.outcome = c->outcome();
  return out;
}

// Where states differ; empty: nowhere.
inline std::string difference(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at.first == a.end() && at.second == b.end()) {
    return "";
  }
  const std::string text(a.begin(), at.first);
  const auto mark = [&](const char* name) { return static_cast<int64_t>(text.rfind(name)); };
  std::string last = "nothing";
  for (const char* name : {"blocks of an SM", "warps of an SM", "state of an SM", "block that executes",
                           "global memory", "issue", "LSU", "L1", "units", "slices", "time"}) {
    last = mark(name) > mark(last.c_str()) ? name : last;
  }
  return "byte " + std::to_string(text.size()) + ", behind '" + last + "'";
}

inline void check_same(const SavedRun& a, const SavedRun& b) {
  CHECK(a.outcome == b.outcome);
  CHECK(a.result.cycles == b.result.cycles);
  CHECK(a.result.totals.count == b.result.totals.count);
  CHECK(a.result.totals.stall == b.result.totals.stall);
  CHECK(a.result.sm_active_cycles_sum == b.result.sm_active_cycles_sum);
}

// Of all states about `most` are resumed, in a machine and with a program of their own. Resumed, it is saved
// as it was, and so it is later.
inline void check_saved(const MakeCase& make, const spec::GpuConfig& config, size_t most = 40) {
  const SavedRun whole = run_saving(make, config, false), saving = run_saving(make, config, true);
  check_same(saving, whole);
  const std::vector<SavedState>& states = saving.states;
  CHECK(states.size() > 4);
  const size_t step = std::max<size_t>(1, states.size() / most);
  for (size_t i = 0; i < states.size(); i += step) {
    CAPTURE(i, states[i].at);
    for (const bool differently : {false, true}) {
      SavedRun again;
      const auto c = make();
      device::Gpu gpu(config, differently ? 3 : 1);
      gpu.resume(c->source(), differently ? saved_options(3, 61) : saved_options(), states[i].bytes);
      CHECK(gpu.now() == states[i].at);
      CHECK(difference(gpu.save(), states[i].bytes) == "");
      if (const size_t later = std::min(i + 5, states.size() - 1); !differently && later > i) {
        gpu.advance(states[later].at);
        CHECK(difference(gpu.save(), states[later].bytes) == "");
      }
      gpu.advance(kNever);
      again.result = gpu.finish();
      again.outcome = c->outcome();
      check_same(again, whole);
    }
  }
}

}  // namespace heddle::simtest
