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
  CHECK(says(c, "the loading of kernels at their first launch take no time"));
  CHECK(says(c, "clocks"));

  c->launch(c.add(pinned, 1), c.legacy());
  c->launch(c.add(pinned, 1), c.legacy());
  CHECK(says(c, "pinned memory"));
  CHECK(says(c, ": add"));
  CHECK_FALSE(says(c, "add, add"));

  alignas(4096) static char own[4096];
  c->register_host(reinterpret_cast<uint64_t>(own), sizeof own);
  CHECK(says(c, "cudaHostRegister"));

  Event &spins = c->create_event(0), &blocks = c->create_event(1);
  c->record(spins, c.legacy(), false);
  c->synchronize(spins);
  CHECK_FALSE(says(c, "cudaEventBlockingSync"));
  c->record(blocks, c.legacy(), false);
  c->synchronize(blocks);
  CHECK(says(c, "cudaEventBlockingSync"));

  CHECK_FALSE(says(c, "threads of the host"));
  std::thread([&] { c->assumptions().called_by(std::this_thread::get_id()); }).join();
  CHECK(says(c, "2 threads of the host"));
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
