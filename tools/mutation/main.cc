// main() of the program that tools/mutate builds: all tests and all mutants.
//
//   HEDDLE_MUTANT=17  switches one on
//   HEDDLE_MUTANTS_COVER=FILE  writes, for each test case: its name, seconds, whether it
//   passed, the mutants that it reached, those of them that made a difference, and those that are none
#define CATCH_CONFIG_MAIN
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "schemata.h"

namespace heddle_mutants {

static uint32_t chosen() {
  const char* n = std::getenv("HEDDLE_MUTANT");
  return n ? static_cast<uint32_t>(std::atoi(n)) : 0;
}
uint32_t active = chosen();
uint8_t reached[kMax], differs[kMax], nothing[kMax];

namespace {

struct Cover : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;

  void testRunStarting(const Catch::TestRunInfo& info) override {
    const char* path = std::getenv("HEDDLE_MUTANTS_COVER");
    out_ = path ? std::fopen(path, "w") : nullptr;
    write("before all tests", 0, true);
    TestEventListenerBase::testRunStarting(info);
  }
  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    std::memset(reached, 0, sizeof reached);
    std::memset(differs, 0, sizeof differs);
    start_ = std::clock();
    begin_ = std::chrono::steady_clock::now();
    TestEventListenerBase::testCaseStarting(info);
  }
  void testCaseEnded(const Catch::TestCaseStats& s) override {
    const std::chrono::duration<double> passed_time = std::chrono::steady_clock::now() - begin_;
    // Threads that wait for each other take longer than they compute.
    const double took =
        std::max(passed_time.count(), static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC);
    const bool passed = s.totals.testCases.failed == 0;
    write(s.testInfo.name.c_str(), took, passed);
    if (!passed) {
      std::printf("[failed] %s\n", s.testInfo.name.c_str());
      std::fflush(stdout);
    }
    TestEventListenerBase::testCaseEnded(s);
  }
  void testRunEnded(const Catch::TestRunStats& s) override {
    std::printf("[cases] %zu\n", static_cast<size_t>(s.totals.testCases.total()));
    if (out_) {
      std::fclose(out_);
    }
    TestEventListenerBase::testRunEnded(s);
  }

 private:
  void write(const char* name, double seconds, bool passed) {
    if (!out_) {
      return;
    }
    std::fprintf(out_, "%s\t%.6f\t%d", name, seconds, passed);
    for (const uint8_t* set : {reached, differs, nothing}) {
      std::fputc('\t', out_);
      for (uint32_t i = 0; i < kMax; ++i) {
        if (set[i]) {
          std::fprintf(out_, " %u", i);
        }
      }
    }
    std::fputc('\n', out_);
    std::fflush(out_);
  }
  FILE* out_ = nullptr;
  std::clock_t start_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace
}  // namespace heddle_mutants

using heddle_mutants::Cover;
CATCH_REGISTER_LISTENER(Cover)
