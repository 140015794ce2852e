// Relations between runs that must hold whatever the right figures are. A relation that is known not to hold
// is in known_deviations.cc, and the test fails when it holds after all.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <set>

#include "configs/loader/config.h"
#include "tests/metamorphic/harness.h"

namespace heddle::metamorphic {
namespace {

// Of the table of deviations, those that were seen.
std::set<const Deviation*>& seen() {
  static std::set<const Deviation*> all;
  return all;
}

const Deviation* known(const Relation& r, const Recording& k, const Violation& v) {
  for (const Deviation& d : known_deviations()) {
    if ((d.relation == "*" || d.relation == r.name) && (d.kernel == "*" || d.kernel == k.name) &&
        (d.measure == "*" || d.measure == v.measure) && (v.off <= d.at_most || brief())) {
      return &d;
    }
  }
  return nullptr;
}

std::set<std::string>& checked() {
  static std::set<std::string> names;
  return names;
}

void check(const Relations& relations) {
  for (const Relation& r : relations) {
    INFO(r.name << ": " << r.why);
    CHECK(checked().insert(r.name).second);  // a name twice
    int applied = 0;
    for (const Recording& k : kernels()) {
      if (!not_on(r, k).empty()) {
        continue;
      }
      ++applied;
      for (const Violation& v : violations(r, k)) {
        if (const Deviation* d = known(r, k, v)) {
          seen().insert(d);
        } else if (!brief() || v.exact) {
          FAIL_CHECK(fmt::format("{} on {}: {}", r.name, k.name, v.text));
        }
      }
    }
    CHECK((applied > 0 || brief()));
  }
}

TEST_CASE("halved bandwidths are not faster, doubled ones not slower") { check(bandwidth_relations()); }
TEST_CASE("doubled latencies are not faster, halved ones not slower") { check(latency_relations()); }
TEST_CASE("perfect units are bounds") { check(perfect_relations()); }
TEST_CASE("larger caches and queues and more SMs lose nothing") { check(capacity_relations()); }
TEST_CASE("clocks scale times") { check(clock_relations()); }
TEST_CASE("launches start and end when they are told to") { check(launch_relations()); }
TEST_CASE("the order of blocks and warps changes no work") { check(order_relations()); }
TEST_CASE("how a kernel is written changes nothing") { check(notation_relations()); }
TEST_CASE("where memory lies changes no work") { check(address_relations()); }
TEST_CASE("how a launch is executed changes nothing") { check(execution_relations()); }
TEST_CASE("parts add up") { check(sum_relations()); }

// Behind all others: Catch2 runs the cases of a file in their order.
TEST_CASE("the suite is as large as it should be, and its table of deviations is true") {
  CHECK(checked().size() >= 60);
  if (brief()) {
    return;
  }
  CHECK(kernels().size() >= 10);
  for (const Deviation& d : known_deviations()) {
    INFO("remove this line from known_deviations.cc");
    CAPTURE(d.relation, d.kernel, d.measure);
    CHECK(seen().count(&d) == 1);
  }
  config::GpuConfig machine = machine_of({});
  CHECK(config::check(machine).empty());
}

}  // namespace
}  // namespace heddle::metamorphic
