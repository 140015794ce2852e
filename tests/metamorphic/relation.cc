#include "tests/metamorphic/relation.h"

#include <iterator>

namespace heddle::metamorphic {

using stats::Counter;
using stats::KernelResult;

Measure cycles() {
  return {"cycles", [](const KernelResult& r) { return static_cast<double>(r.cycles); }};
}

Measure seconds() {
  return {"seconds", [](const KernelResult& r) { return r.seconds(); }};
}

Measure counter(Counter c) {
  return {std::string(stats::kCounterInfo[static_cast<size_t>(c)].name),
          [c](const KernelResult& r) { return static_cast<double>(r.totals[c]); }};
}

Expectation equal(const Measure& m, double factor, double offset) {
  return {Expectation::Kind::kEqual, m, m, factor, offset, 0};
}
Expectation at_least(const Measure& m, double tolerance, double factor) {
  return {Expectation::Kind::kAtLeast, m, m, factor, 0, tolerance};
}
Expectation at_most(const Measure& m, double tolerance, double factor) {
  return {Expectation::Kind::kAtMost, m, m, factor, 0, tolerance};
}
Expectation near(const Measure& m, double tolerance, double factor) {
  return {Expectation::Kind::kNear, m, m, factor, 0, tolerance};
}

const std::vector<Counter>& work_counters() {
  static const std::vector<Counter> all = {
      Counter::kInstExecuted,
      Counter::kThreadInstExecuted,
      Counter::kThreadInstPredOn,
      Counter::kBlocksLaunched,
      Counter::kPipeAlu,
      Counter::kPipeFma,
      Counter::kPipeFp16,
      Counter::kPipeFp64,
      Counter::kPipeXu,
      Counter::kPipeLsu,
      Counter::kPipeCbu,
      Counter::kPipeUniform,
      Counter::kPipeTensor,
      Counter::kPipeTex,
      Counter::kGlobalLdRequests,
      Counter::kGlobalLdSectors,
      Counter::kGlobalStRequests,
      Counter::kGlobalStSectors,
      Counter::kGlobalRedRequests,
      Counter::kGlobalRedSectors,
      Counter::kGlobalAtomRequests,
      Counter::kGlobalAtomSectors,
      Counter::kLocalLdRequests,
      Counter::kLocalLdSectors,
      Counter::kLocalStRequests,
      Counter::kLocalStSectors,
      Counter::kSharedLdWavefronts,
      Counter::kSharedStWavefronts,
      Counter::kSharedAtomWavefronts,
      Counter::kSharedLdConflicts,
      Counter::kSharedStConflicts,
      Counter::kSharedAtomConflicts,
      Counter::kSharedRequests,
      Counter::kL1Sectors,
      Counter::kDsmRequests,
      Counter::kBulkBytes,
      Counter::kUnknownOpcodes,
  };
  return all;
}

Expectations same_work(double factor) {
  Expectations out;
  for (Counter c : work_counters()) {
    out.push_back(equal(counter(c), factor));
  }
  return out;
}

Expectations same_everything() {
  Expectations out = {equal(cycles()), equal({"active cycles", [](const KernelResult& r) {
                                                return static_cast<double>(r.sm_active_cycles_sum);
                                              }})};
  for (int i = 0; i < stats::kCounterCount; ++i) {
    out.push_back(equal(counter(static_cast<Counter>(i))));
  }
  for (int i = 0; i < stats::kStallCount; ++i) {
    const auto s = static_cast<stats::Stall>(i);
    out.push_back(equal({std::string(stats::kStallInfo[static_cast<size_t>(i)].name),
                         [s](const KernelResult& r) { return static_cast<double>(r.totals[s]); }}));
  }
  return out;
}

Expectations operator+(Expectations a, const Expectations& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Expectations operator+(Expectations a, const Expectation& b) {
  a.push_back(b);
  return a;
}

bool has_clusters(const Recording& k) { return k.cluster() > 1; }

Except only(std::string reason, std::function<bool(const Recording&)> where) {
  return {std::move(reason), [where = std::move(where)](const Recording& k) { return !where(k); }};
}

}  // namespace heddle::metamorphic
