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
  const uint64_t device = c.device(128), pinned = c->allocate(128, host::Memory::kPinned);
  c->launch(c.add(device, 1), c.legacy());
  c->assumptions().called_by(std::this_thread::get_id());
  CHECK(c->assumptions().lines().size() == 1);  // of every run
  CHECK(says(c, "the host's own work takes no time; clocks that the program reads are this computer's"));
  c->assumptions().simulated_clocks();
  CHECK(says(c, "the host's own work takes no time, but for looks at its clocks, 25 ns each"));

  c->launch(c.add(pinned, 1), c.legacy());
  c->launch(c.add(pinned, 1), c.legacy());
  CHECK(says(c, "pinned memory"));
  CHECK(says(c, ": add"));
  CHECK_FALSE(says(c, "add, add"));

  CHECK_FALSE(says(c, "threads of the host"));
  std::thread([&] { c->assumptions().called_by(std::this_thread::get_id()); }).join();
  CHECK(says(c, "2 threads of the host"));
}

// How long the host's thread is in a call.
template <class F>
host::Ps time_of(ContextCase& c, F&& call) {
  const host::Ps before = c->timeline().now();
  call();
  return c->timeline().now() - before;
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
  CHECK(loads - time_of(c, launch) == host::from_ns(costs.lazy_load_ns()));

  // Who blocks is woken.
  Event &spins = c->create_event(0), &blocks = c->create_event(1);
  const auto wait = [&](Event& e) {
    launch();
    c->record(e, c.legacy(), false);
    return time_of(c, [&] { c->synchronize(e); });
  };
  CHECK(wait(blocks) > wait(spins));
}

// waits(int* p): until *p is not 0. tells(int* p): *p = 1.
constexpr const char* kWaits = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry tells(.param .u64 p) {
  .reg .u64 %a;
  ld.param.u64 %a, [p];
  st.volatile.global.u32 [%a], 1;
  ret;
}
.visible .entry waits(.param .u64 p) {
  .reg .u64 %a;
  .reg .u32 %v;
  .reg .pred %q;
  ld.param.u64 %a, [p];
LOOP:
  ld.volatile.global.u32 %v, [%a];
  setp.eq.u32 %q, %v, 0;
  @%q bra LOOP;
  ret;
}
)";

KernelWork work(ContextCase& c, const std::shared_ptr<modules::Program>& program, const char* name,
                uint64_t flag) {
  void* arguments[] = {&flag};
  KernelWork k;
  k.function = &c->library().function(program, name);
  k.parameters = Context::parameters_of(*k.function->kernel, arguments);
  return k;
}

TEST_CASE("a kernel that waits for one of another stream is refused where it is launched first") {
  for (const bool waits_first : {true, false}) {
    CAPTURE(waits_first);
    ContextCase c;
    const auto program = c->library().load(kWaits);
    const uint64_t flag = c.device(4);
    c.zero(flag, 4);
    Stream &one = c->create_stream(1, 0), &other = c->create_stream(1, 0);
    c->launch(work(c, program, waits_first ? "waits" : "tells", flag), one);
    c->launch(work(c, program, waits_first ? "tells" : "waits", flag), other);
    if (!waits_first) {
      CHECK(c->failed() == Status::kSuccess);
      CHECK(c.notes.empty());
      continue;
    }
    CHECK(c->failed() == Status::kLaunchFailure);
    REQUIRE(c.notes.size() == 2);
    CHECK(c.notes[1].find("what the host or a kernel of another stream does while it runs is not there") !=
          std::string::npos);
  }
}

TEST_CASE("a kernel that waits for the host is refused, with a line that says why") {
  ContextCase c;
  const auto program = c->library().load(kWaits);
  const uint64_t flag = c->allocate(4, host::Memory::kPinned);
  c->launch(work(c, program, "waits", flag), c.legacy());
  CHECK(c->failed() == Status::kLaunchFailure);
  REQUIRE(c.notes.size() == 2);
  CHECK(c.notes[0].find("wait in loops for something that does not come") != std::string::npos);
  CHECK(c.notes[1].find("kernel waits: a kernel is executed alone") != std::string::npos);
}

}  // namespace
}  // namespace heddle::cuda
