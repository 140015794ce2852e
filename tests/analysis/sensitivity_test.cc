#include "analysis/sensitivity/sensitivity.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <mutex>
#include <new>

#include "analysis/sensitivity/sensitivity_text.h"
#include "configs/loader/config.h"
#include "configs/loader/field_info.h"
#include "sim/base/cancelled.h"
#include "sim/base/error.h"

namespace heddle::analysis {
namespace {

using config::GpuConfig;
using Numbers = std::map<std::string, std::string>;
using Cycles = std::function<double(const GpuConfig& gpu, size_t launch)>;

// Numbers that depend on no others.
const Numbers kNumbers = {{"dram.latency", "200"},
                          {"l2.hit_latency", "60"},
                          {"noc.request_latency", "100"},
                          {"noc.response_latency", "100"},
                          {"tlb.walk_latency", "0"}};

GpuConfig machine(const Numbers& numbers) {
  config::LoadOptions o;
  for (const auto& [path, value] : numbers) {
    o.overrides.push_back(path);
    o.overrides.back().append("=").append(value);
  }
  return config::load("h200", o);
}

// A search with a machine of which the cycles are known.
struct Fake {
  Cycles cycles;
  size_t launches = 1;
  BatchOptions options = {};
  std::mutex mutex = {};
  std::vector<std::string> changed = {};  // of each trial, sorted

  std::map<std::string, double> found(const Numbers& numbers) {
    std::map<std::string, double> out;
    for (const Sensitivity& s : ranked(numbers)) {
      CHECK(s.value == numbers.at(s.path));
      out[s.path] = s.change;
    }
    return out;
  }

  std::vector<Sensitivity> ranked(const Numbers& numbers) {
    SensitivityCalls calls;
    calls.simulate = [this](size_t, const Trial& t) {
      LaunchRecord r;
      r.cycles = static_cast<uint64_t>(cycles(t.gpu, t.launch));
      std::lock_guard lock(mutex);
      changed.push_back(t.changed);
      return r;
    };
    const GpuConfig gpu = machine(numbers);
    std::vector<Sensitivity> out = sensitivities(gpu, numbers, launches, options, calls);
    std::ranges::sort(changed);
    return out;
  }

  bool tried(const std::string& what) const { return std::ranges::binary_search(changed, what); }
};

TEST_CASE("the largest change of any launch in either direction, the largest first") {
  Fake fake{[](const GpuConfig& gpu, size_t launch) {
              // dram.latency: 5 % of the first launch; l2.hit_latency: 1 % of the second when it is smaller,
              // else less.
              const double l2 = gpu.l2().hit_latency() - 60.0;
              return launch == 0 ? 1000 + 2.5 * (gpu.dram().latency() - 200.0)
                                 : 10000 + (l2 < 0 ? l2 * 100 / 6 : l2);
            },
            2};
  const std::vector<Sensitivity> all = fake.ranked(kNumbers);
  REQUIRE(all.size() == kNumbers.size());
  CHECK(all[0].path == "dram.latency");
  CHECK(all[0].value == "200");
  CHECK(all[0].change == Approx(0.05));
  CHECK(all[1].path == "l2.hit_latency");
  CHECK(all[1].change == Approx(0.01));
  for (size_t i = 2; i < all.size(); ++i) {
    CHECK(all[i].change == 0);
    CHECK((i == 2 || all[i - 1].path < all[i].path));
  }
}

TEST_CASE("a tenth more and less, of whole numbers 1 at least") {
  for (const auto& [path, value, up, down] :
       {std::array{"dram.latency", "200", "220", "180"},
        {"dram.latency", "25", "27", "23"},
        {"dram.latency", "3", "4", "2"},
        {"launch.block_interval", "1.25", "1.375", "1.125"},
        {"launch.block_interval", "2", "3", "1"},
        {"dram.total_bytes", "64000000000", "70400000000", "57600000000"}}) {
    Fake fake{[](const GpuConfig&, size_t) { return 1000; }};
    fake.ranked({{path, value}});
    const std::string is = std::string(path) + "=";
    std::vector<std::string> expected = {"", is + up, is + down};
    std::ranges::sort(expected);
    CHECK(fake.changed == expected);
  }
}

TEST_CASE("less than the least change is none") {
  Fake fake{[](const GpuConfig& gpu, size_t) {
    return 100000 + 49 * (gpu.dram().latency() > 200) + 51 * (gpu.l2().hit_latency() > 60);
  }};
  const auto found = fake.found(kNumbers);
  CHECK(found.at("dram.latency") == 0);
  CHECK(found.at("l2.hit_latency") == Approx(0.00051));
}

TEST_CASE("groups that change nothing are not looked at one by one") {
  Numbers many;
  for (const auto kind :
       {config::Provenance::FITTED, config::Provenance::MEASURED, config::Provenance::DERIVED}) {
    for (const auto& [path, value] : config::numbers_of_kind(config::load("h200"), kind)) {
      if (path.starts_with("sm.op[") && path.ends_with("].latency")) {
        many[path] = value;
      }
    }
  }
  REQUIRE(many.size() > 30);
  Fake nothing{[](const GpuConfig&, size_t) { return 1000; }};
  nothing.ranked(many);
  CHECK(nothing.changed.size() == 3);
  many["dram.latency"] = "200";
  Fake one{[](const GpuConfig& gpu, size_t) { return 1000 + gpu.dram().latency(); }};
  CHECK(one.ranked(many).front().path == "dram.latency");
  CHECK(one.changed.size() < 4 * (std::log2(many.size()) + 2));
}

TEST_CASE("numbers that cancel each other are found when they are in different groups") {
  const Cycles cycles = [](const GpuConfig& gpu, size_t) {
    return 1000.0 + gpu.noc().request_latency() - gpu.noc().response_latency() +
           (gpu.dram().latency() - 200.0) * 2.5;
  };
  Fake apart{cycles};
  const Numbers four = {{"dram.latency", "200"},
                        {"noc.request_latency", "100"},
                        {"noc.response_latency", "100"},
                        {"tlb.walk_latency", "0"}};
  auto found = apart.found(four);
  CHECK(found["dram.latency"] == Approx(0.05));
  CHECK(found["noc.request_latency"] == Approx(0.01));
  CHECK(found["noc.response_latency"] == Approx(0.01));
  // What the halving misses.
  Fake together{cycles};
  Numbers three = four;
  three.erase("tlb.walk_latency");
  found = together.found(three);
  CHECK(found["dram.latency"] == Approx(0.05));
  CHECK(found["noc.request_latency"] == 0);
  CHECK(found["noc.response_latency"] == 0);
  CHECK(together.tried("2 values up"));
  CHECK_FALSE(together.tried("noc.request_latency=110"));
}

TEST_CASE("what the loader refuses is left out") {
  // 62,914,560 bytes are no whole number of sets of 18 or 22 ways; no latency is negative.
  const Numbers numbers = {{"dram.latency", "200"}, {"l2.ways", "20"}, {"tlb.walk_latency", "0"}};
  Fake fake{[](const GpuConfig& gpu, size_t) {
    return gpu.l2().ways() == 20 ? 1000 + gpu.dram().latency() + 30 * gpu.tlb().walk_latency() : 0;
  }};
  const auto found = fake.found(numbers);
  CHECK(found.at("dram.latency") == Approx(20.0 / 1200));
  CHECK(found.at("l2.ways") == 0);
  CHECK(found.at("tlb.walk_latency") == Approx(30.0 / 1200));
  CHECK(fake.tried("2 values up"));
  CHECK(fake.tried("tlb.walk_latency=1"));
}

TEST_CASE("a machine that cannot be simulated hides no other number") {
  Fake fake{[](const GpuConfig& gpu, size_t launch) {
              if (launch == 1 && (gpu.noc().request_latency() > 100 || gpu.l2().hit_latency() != 60)) {
                throw Error("deadlock");
              }
              return 1000.0 + (gpu.dram().latency() - 200.0) + gpu.noc().request_latency();
            },
            2};
  const auto found = fake.found(kNumbers);
  CHECK(found.at("dram.latency") == Approx(20.0 / 1100));
  CHECK(found.at("noc.request_latency") == Approx(10.0 / 1100));  // when it is smaller
  CHECK(found.at("l2.hit_latency") == 0);
  CHECK(found.at("tlb.walk_latency") == 0);
}

TEST_CASE("what ends the search") {
  Fake plain{[](const GpuConfig&, size_t) -> double { throw Error("no such trace"); }};
  CHECK_THROWS_WITH(plain.ranked(kNumbers), "no such trace");
  Fake memory{[](const GpuConfig& gpu, size_t) -> double {
    if (gpu.dram().latency() != 200) {
      throw std::bad_alloc();
    }
    return 1000;
  }};
  CHECK_THROWS_AS(memory.ranked(kNumbers), std::bad_alloc);
  std::atomic<bool> cancel{false};
  Fake stopped{[&](const GpuConfig& gpu, size_t) -> double {
                 if (gpu.dram().latency() != 200) {
                   cancel = true;
                   throw Cancelled("stopped");
                 }
                 return 1000;
               },
               1,
               {.cancel = &cancel}};
  CHECK_THROWS_AS(stopped.ranked(kNumbers), Cancelled);
}

TEST_CASE("several at a time find the same by the same trials") {
  const Cycles cycles = [](const GpuConfig& gpu, size_t launch) {
    return 1000.0 * static_cast<double>(launch + 1) + gpu.dram().latency() +
           gpu.noc().response_latency() * 0.5;
  };
  Fake one{cycles, 3};
  const auto found = one.found(kNumbers);
  for (const int jobs : {2, 7}) {
    Fake several{cycles, 3, {.jobs = jobs}};
    CHECK(several.found(kNumbers) == found);
    CHECK(several.changed == one.changed);
  }
}

TEST_CASE("rounds say how many trials follow and how many numbers are decided") {
  std::vector<std::array<size_t, 3>> rounds;
  size_t trials = 0;
  SensitivityCalls calls;
  calls.simulate = [&](size_t i, const Trial& t) {
    CHECK(i < rounds.back()[0]);
    ++trials;
    LaunchRecord r;
    r.cycles = 1000 + t.gpu.dram().latency();
    return r;
  };
  calls.round = [&](size_t count, size_t decided, size_t numbers) {
    rounds.push_back({count, decided, numbers});
  };
  const GpuConfig gpu = machine(kNumbers);
  sensitivities(gpu, kNumbers, 2, {}, calls);
  // Two launches: plain; five numbers up and down; halves of 2 and 3; of those the first one by one.
  CHECK(rounds == std::vector<std::array<size_t, 3>>{{2, 0, 5}, {4, 0, 5}, {8, 0, 5}, {8, 3, 5}});
  CHECK(trials == 22);
  CHECK(sensitivities(gpu, {}, 2, {}, calls).empty());
}

TEST_CASE("assumed numbers are those of the files, outside the host") {
  config::LoadOptions o;
  o.overrides = {"l2.far_latency=80", "dram.model=ROOFLINE"};
  const GpuConfig files = config::load("h200", o);
  o.fidelity = "fast";
  const GpuConfig gpu = config::load("h200", o);
  const auto assumed = config::numbers_of_kind(gpu, config::Provenance::ASSUMED);
  REQUIRE(assumed.contains("share.sms"));
  REQUIRE(std::ranges::any_of(assumed, [](const auto& n) { return n.first.starts_with("host."); }));
  const auto found = assumed_numbers(gpu, files);
  CHECK(found.at("l2.far_latency") == "80");
  CHECK_FALSE(found.contains("share.sms"));
  CHECK_FALSE(found.contains("dram.model"));
  CHECK(std::ranges::none_of(found, [](const auto& n) { return n.first.starts_with("host."); }));
}

TEST_CASE("the table and the file") {
  const std::vector<Sensitivity> all = {
      {"dram.latency", "200", 0.0512}, {"l2.ways", "16", 0.004}, {"tlb.walkers", "8", 0}};
  const std::string text = sensitivity_text(all, 3, 1);
  CHECK_THAT(text, Catch::StartsWith(
                       "2 of 3 assumed numbers outside the host matter to the cycles of 3 launches\n"));
  CHECK_THAT(text, Catch::Contains("\ndram.latency   200                  5.1 %\n"));
  CHECK_THAT(text, !Catch::Contains("l2.ways") && Catch::EndsWith("less than 0.05 % does not matter\n"));
  CHECK_THAT(sensitivity_text(all, 3, 8), Catch::Contains("l2.ways") && !Catch::Contains("tlb.walkers"));
  CHECK_THAT(sensitivity_text({}, 1, 8), Catch::StartsWith("0 of 0 "));
  CHECK(sensitivity_csv_header() + sensitivity_csv(all, "a,b") ==
        "gpu,value,is,change\n\"a,b\",dram.latency,200,0.0512\n\"a,b\",l2.ways,16,0.004\n\"a,b\",tlb.walkers,"
        "8,0\n");
}

}  // namespace
}  // namespace heddle::analysis
