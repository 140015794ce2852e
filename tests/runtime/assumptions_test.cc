// What a program's times rest on is named, when the program makes use of it.
#include <catch2/catch.hpp>
#include <thread>

#include "tests/runtime/context_case.h"

namespace heddle::cuda {
namespace {

bool says(ContextCase& c, const std::string& what) {
  for (const std::string& line : c->assumptions().lines()) {
    if (line.find(what) != std::string::npos) {
      return true;
    }
  }
  return false;
}

TEST_CASE("assumptions are those of what a program has used") {
  ContextCase c;
  c->launch(c.add(c.device(128), 1), c.legacy());
  c->assumptions().called_by(std::this_thread::get_id());
  CHECK(c->assumptions().lines().size() == 1);  // of every run
  CHECK(says(c, "the host's own work takes no time; clocks that the program reads are this computer's"));
  c->assumptions().simulated_clocks();
  CHECK(says(c, "the host's own work takes no time, but for looks at its clocks, 25 ns each"));

  CHECK_FALSE(says(c, "threads of the host"));
  std::thread([&] { c->assumptions().called_by(std::this_thread::get_id()); }).join();
  CHECK(says(c, "2 threads of the host"));
  c->assumptions().given_up(3);
  CHECK(says(c, "3 times a thread of the host went on without a call"));
}

// How long the host's thread is in a call.
template <class F>
host::Ps time_of(ContextCase& c, F&& call) {
  const host::Ps before = c->timeline().threads().now();
  call();
  return c->timeline().threads().now() - before;
}

TEST_CASE("calls take the time that the host's model has for them") {
  const auto costs = config::load("h200").host().calls();
  ContextCase c;
  const uint64_t device = c.device(128);

  constexpr uint64_t kMib = 1 << 20;
  static std::vector<char> own(3 * kMib);
  const uint64_t first = (reinterpret_cast<uint64_t>(own.data()) + kMib - 1) / kMib * kMib;
  CHECK(time_of(c, [&] { c->register_host(first, kMib); }) ==
        host::from_ns(costs.host_register_ns() + costs.host_register_ns_per_mib()));
  CHECK(time_of(c, [&] { c->unregister_host(first); }) ==
        host::from_ns(costs.host_unregister_ns() + costs.host_unregister_ns_per_mib()));

  // The first launch loads the kernel.
  const auto launch = [&] { c->launch(c.add(device, 1), c.legacy()); };
  const host::Ps loads = time_of(c, launch);
  c->synchronize();
  // ... and its module, which has two, and what all launches need.
  const auto once = config::load("h200").host().first();
  CHECK(loads - time_of(c, launch) ==
        host::from_ns(once.kernel_ns() + once.module_ns() + 2 * once.module_kernel_ns() + once.launch_ns()));

  // Who blocks is woken.
  Event &spins = c->create_event(0), &blocks = c->create_event(1);
  const auto wait = [&](Event& e) {
    launch();
    c->record(e, c.legacy(), false);
    return time_of(c, [&] { c->synchronize(e); });
  };
  CHECK(wait(blocks) > wait(spins));
}

}  // namespace
}  // namespace heddle::cuda
