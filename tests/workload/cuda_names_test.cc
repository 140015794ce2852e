// Calls and flags of CUDA that programs name: events that block, registered memory, clones, offsets.
#include <catch2/catch.hpp>

#include "tests/sim/host/support.h"
#include "tests/workload/run_text.h"

namespace heddle::workload {
namespace {

host::Result run(const std::string& text, const spec::GpuConfig& gpu) {
  const Workload w = parse_workload(text, "w");
  return host::run(w.program, gpu, {w.rules, true, true});
}

TEST_CASE("AX16: who synchronises with an event of cudaEventBlockingSync sleeps until then") {
  spec::GpuConfig gpu = hosttest::plain_gpu();
  gpu.mutable_host()->mutable_latency()->set_spin_ns(2000);
  gpu.mutable_host()->mutable_latency()->set_block_ns(9000);
  const auto end = [&](const std::string& flag, const std::string& call) {
    return host::to_us(run(R"(stream { name: "s" } event { name: "e" )" + flag +
                               R"( } kernel { name: "k" us: 10 }
      thread { name: "main" call { launch { kernel: "k" stream: "s" } }
        call { event_record { event: "e" stream: "s" } } call { )" +
                               call + " } }",
                           gpu)
                           .end);
  };
  CHECK(end("", R"(event_synchronize: "e")") == 12);
  CHECK(end("blocking_sync: true", R"(event_synchronize: "e")") == 19);
  CHECK(end("blocking_sync: true", R"(stream_synchronize: "s")") == 12);  // does not know of the event
}

TEST_CASE("HM01: registered memory is pinned until it is not; both calls take their time") {
  spec::GpuConfig gpu = hosttest::plain_gpu();
  spec::CallCosts& c = *gpu.mutable_host()->mutable_calls();
  c.set_host_register_ns(1000);
  c.set_host_register_ns_per_mib(2000);
  c.set_host_unregister_ns(500);
  c.set_host_unregister_ns_per_mib(250);
  const host::Result r = run(R"(
    stream { name: "s" }
    buffer { name: "h" memory: PAGEABLE bytes: 4194304 } buffer { name: "d" bytes: 4194304 }
    thread { name: "main"
      call { host_unregister: "h" expect: "cudaErrorHostMemoryNotRegistered" }
      call { now: true }
      call { host_register: "h" }
      call { now: true }
      call { memcpy_async { to: "d" from: "h" stream: "s" } }
      call { now: true }
      call { stream_synchronize: "s" }
      call { host_unregister: "h" }
      call { host_register: "h" } call { host_register: "h" expect: "cudaErrorHostMemoryAlreadyRegistered" }
    })",
                             gpu);
  // 0.5 + 4 * 0.25; 1 + 4 * 2 more; the copy is no matter of the host's.
  CHECK(hosttest::answers(r) == std::vector<std::string>{"1500 ns", "10500 ns", "10500 ns"});
  CHECK(hosttest::errors(r) ==
        std::vector<std::string>{"cudaErrorHostMemoryNotRegistered", "cudaErrorHostMemoryAlreadyRegistered"});
  const hosttest::Times copy = hosttest::in_stream(r, "s", "copy H2D");
  CHECK(copy.start == 10.5);
  CHECK(copy.end - copy.start == Approx(4194304 * 276. / 256 / 8000));
  CHECK_THROWS_WITH(
      run(R"(buffer { name: "d" bytes: 4 } thread { name: "m" call { host_register: "d" } })", gpu),
      Catch::Matchers::Contains("of another kind of memory"));
}

TEST_CASE("HM14: memory is not registered where the device does not see caches") {
  for (const uint32_t capability : {62u, 72u}) {
    spec::GpuConfig gpu = hosttest::plain_gpu();
    gpu.mutable_host()->mutable_link()->set_integrated(true);
    gpu.mutable_limits()->set_compute_capability(capability);
    const host::Result r = run(
        R"(buffer { name: "h" memory: PAGEABLE bytes: 4096 } thread { name: "main" call { host_register: "h" } })",
        gpu);
    CHECK(hosttest::errors(r) ==
          (capability < 72 ? std::vector<std::string>{"cudaErrorNotSupported"} : std::vector<std::string>{}));
  }
}

TEST_CASE("ST12: the range of priorities of streams") {
  const host::Result r =
      run(R"(thread { name: "m" call { device_get_stream_priority_range: true } })", hosttest::plain_gpu());
  CHECK(hosttest::answers(r) == std::vector<std::string>{"least 0 greatest -5"});
}

TEST_CASE("a clone of a graph is a graph of its own") {
  const host::Result r = run(R"(
    stream { name: "s" } kernel { name: "k" us: 5 } kernel { name: "other" us: 9 }
    buffer { name: "b" bytes: 64 allocated_by_call: true }
    graph { name: "g" node { name: "n" kernel: "k" } } graph { name: "h" } graph { name: "full" node { kernel: "k" } }
    graph { name: "m" node { name: "a" mem_alloc { buffer: "b" } } } graph { name: "i" }
    graph_exec: "x" graph_exec: "y"
    thread { name: "main"
      call { graph_clone { graph: "h" original: "g" } }
      call { graph_node_set_params { graph: "g" node: "n" to { kernel: "other" } } }
      call { graph_instantiate { exec: "x" graph: "h" } }
      call { graph_clone { graph: "full" original: "g" } expect: "cudaErrorInvalidValue" }
      call { graph_clone { graph: "i" original: "m" } expect: "cudaErrorNotSupported" }
      call { graph_destroy: "g" }
      call { graph_clone { graph: "i" original: "g" } expect: "cudaErrorInvalidValue" }
      call { graph_launch { exec: "x" stream: "s" } } call { stream_synchronize: "s" }
    })",
                             hosttest::plain_gpu());
  CHECK(hosttest::in_stream(r, "s", "n").end - hosttest::in_stream(r, "s", "n").start == 5);
  CHECK(hosttest::errors(r) ==
        std::vector<std::string>{"cudaErrorInvalidValue", "cudaErrorNotSupported", "cudaErrorInvalidValue"});
}

TEST_CASE("copies and memsets of graphs begin at their offsets") {
  const auto found = [](const std::string& nodes, const std::string& expect) {
    const host::Result r = run(R"(stream { name: "s" } stream { name: "t" }
      buffer { name: "h" memory: PINNED bytes: 8192 } buffer { name: "d" bytes: 8192 } graph_exec: "x"
      graph { name: "g" )" + nodes +
                                   R"( } thread { name: "main"
        call { graph_instantiate { exec: "x" graph: "g" } } call { graph_launch { exec: "x" stream: "s" } } )" +
                                   expect + " }",
                               hosttest::plain_gpu());
    return std::pair(r.findings.size(), r.errors.size());
  };
  using Found = std::pair<size_t, size_t>;
  // Halves of a buffer do not meet; the default is the rest.
  CHECK(found(R"(node { memcpy { to: "d" from: "h" bytes: 4096 } }
                 node { memset { to: "d" offset: 4096 } })",
              "") == Found{0, 0});
  CHECK(found(R"(node { memcpy { to: "d" from: "h" to_offset: 4000 from_offset: 4096 } }
                 node { memset { to: "d" offset: 4096 } })",
              "") == Found{1, 0});
  // A copy of the stream beside it.
  const std::string copy = R"(call { memcpy_async { to: "d" from: "h" bytes: 4096 stream: "t" } })";
  CHECK(found(R"(node { memcpy { to: "d" from: "h" to_offset: 4096 bytes: 4096 } })", copy) == Found{0, 0});
  CHECK(found(R"(node { memcpy { to: "d" from: "h" to_offset: 4095 bytes: 4096 } })", copy) == Found{1, 0});
  // Beyond the end; then there is nothing to launch either.
  CHECK(found(R"(node { memcpy { to: "d" from: "h" to_offset: 4097 bytes: 4096 } })", "") == Found{0, 2});
  CHECK(found(R"(node { memset { to: "d" offset: 8192 bytes: 1 } })", "") == Found{0, 2});
}

}  // namespace
}  // namespace heddle::workload
