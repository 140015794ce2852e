// main() of every C++ test, and the line that tools/test counts.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <cstdio>

namespace {

// Prints "[cases] P passed, F failed" at the end; tools/test_summary.py adds these lines up, and names the
// failed cases from the "[failed] NAME" lines.
struct CaseCounter : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;

  void testCaseEnded(Catch::TestCaseStats const& s) override {
    if (s.totals.testCases.failed > 0) {
      std::printf("[failed] %s\n", s.testInfo.name.c_str());
    }
    TestEventListenerBase::testCaseEnded(s);
  }

  void testRunEnded(Catch::TestRunStats const& s) override {
    std::printf("[cases] %zu passed, %zu failed\n",
                s.totals.testCases.passed + s.totals.testCases.failedButOk, s.totals.testCases.failed);
    std::fflush(stdout);
    TestEventListenerBase::testRunEnded(s);
  }
};

}  // namespace

CATCH_REGISTER_LISTENER(CaseCounter)
