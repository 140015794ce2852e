// The relations between counters: that they speak of counters there are, that they hold on launches that
// exercise each part of the machine, and that a wrong counter breaks one.
#include "sim/stats/relations.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/sim/stats/kernels.h"

namespace heddle::simtest {
namespace {

// All terms' values of a launch, by name.
std::map<std::string, double, std::less<>> values_of(const stats::KernelResult& r) {
  std::map<std::string, double, std::less<>> out;
  for (const stats::Metric& m : stats::derive(r)) {
    out[m.name] = m.value;
  }
  double all = 0;
  for (int i = 0; i < stats::kStallCount; ++i) {
    out["stalls." + std::string(stats::kStallInfo[i].name)] = static_cast<double>(r.totals.stall[i]);
    all += static_cast<double>(r.totals.stall[i]);
  }
  out["stalls"] = all;
  return out;
}

size_t broken(const std::map<std::string, double, std::less<>>& values) {
  size_t n = 0;
  for (const stats::Relation& r : stats::relations()) {
    n += !r.holds([&](std::string_view name) { return values.find(name)->second; });
  }
  return n;
}

TEST_CASE("relations are of counters that there are, each stated once and with its reason") {
  const auto known = values_of(outcome("global").result);
  std::set<std::string> texts;
  for (const stats::Relation& r : stats::relations()) {
    CAPTURE(r.text());
    CHECK(texts.insert(r.text()).second);
    CHECK_FALSE(r.why.empty());
    for (const auto* side : {&r.left, &r.right}) {
      CHECK_FALSE(side->empty());
      for (const stats::RelationTerm& t : *side) {
        CAPTURE(t.name);
        CHECK(known.contains(t.name));
      }
    }
  }
}

TEST_CASE("they hold on every sample") {
  for (const auto& [name, make] : samples()) {
    CAPTURE(name);
    const auto values = values_of(outcome(name).result);
    for (const stats::Relation& r : stats::relations()) {
      CAPTURE(r.text());
      CHECK(r.holds([&](std::string_view n) { return values.find(n)->second; }));
    }
  }
}

TEST_CASE("a counter that is off by one breaks a relation") {
  const auto right = values_of(outcome("global").result);
  for (const char* name :
       {"smsp__inst_executed.sum", "smsp__issue_active.sum", "sm__warps_active.sum", "stalls",
        "sm__ctas_launched.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_sectors_lookup_hit.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
        "lts__t_sectors.sum", "lts__t_sectors_op_read.sum"}) {
    CAPTURE(name);
    auto wrong = right;
    ++wrong.find(std::string_view(name))->second;
    CHECK(broken(wrong) > 0);
  }
  CHECK(broken(right) == 0);
}

TEST_CASE("as text") {
  const stats::Relation r{{{"a"}, {"b", 32}}, stats::Relation::Kind::kAtMost, {{"c"}}, "why"};
  CHECK(r.text() == "a + 32 b <= c");
  CHECK(r.holds([](std::string_view name) { return name == "c" ? 33.0 : 1.0; }));
  CHECK_FALSE(r.holds([](std::string_view name) { return name == "c" ? 32.0 : 1.0; }));
}

}  // namespace
}  // namespace heddle::simtest
