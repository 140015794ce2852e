// Workload files: what they become, and what is wrong with them.
#include "frontends/workload/reader.h"

#include <catch2/catch.hpp>

#include "frontends/workload/run.h"
#include "sim/host/platform/run.h"
#include "tests/sim/host/support.h"
#include "tests/workload/run_text.h"

namespace heddle::workload {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("streams, copies, kernels, events of a file") {
  const host::Result r = run(R"(
    stream { name: "s" non_blocking: true }
    event { name: "a" } event { name: "b" }
    buffer { name: "h" memory: PINNED bytes: 1048576 }
    buffer { name: "d" bytes: 1048576 }
    kernel { name: "k" us: 5 }
    kernel { name: "g" grid { x: 4 } block { x: 1024 } block_us: 2 }
    thread { name: "main"
      call { event_record { event: "a" stream: "s" } }
      call { memcpy_async { to: "d" from: "h" stream: "s" } }
      call { repeat { times: 3 call { launch { kernel: "k" stream: "s" } } } }
      call { launch { kernel: "g" stream: "s" } }
      call { event_record { event: "b" stream: "s" } }
      call { stream_synchronize: "s" }
      call { event_elapsed { from: "a" to: "b" } }
    })");
  REQUIRE(r.elapsed.size() == 1);
  CHECK(host::to_us(r.elapsed[0].time) == Approx(141.312 + 15 + 2));
  CHECK(r.operations == 9);
}

TEST_CASE("ST03: stream 0 is the legacy stream, or the thread's own") {
  const std::string body = R"(
    kernel { name: "k" us: 5 }
    thread { name: "x" call { launch { kernel: "k" } } }
    thread { name: "y" call { launch { kernel: "k" } } })";
  CHECK(host::to_us(run(body).end) == 10);
  CHECK(host::to_us(run("environment { per_thread_default_stream: true }" + body).end) == 5);
}

TEST_CASE("FP07 AX13: the environment") {
  const std::string body = R"(
    stream { name: "x" } stream { name: "y" } kernel { name: "k" us: 5 }
    thread { name: "main"
      call { launch { kernel: "k" stream: "x" } } call { launch { kernel: "k" stream: "x" } }
      call { launch { kernel: "k" stream: "y" } } call { launch { kernel: "k" stream: "y" } }
    })";
  CHECK(host::to_us(run(body).end) == 10);
  CHECK(host::to_us(run("environment { max_connections: 1 }" + body).end) == 15);
  CHECK(host::to_us(run("environment { launch_blocking: true }" + body).end) == 20);
}

TEST_CASE("errors of calls carry the line") {
  const host::Result r =
      run("kernel { name: 'k' grid { x: 1 } block { x: 2000 } us: 1 }\nthread { name: 'm'\n"
          "call { launch { kernel: 'k' } } }");
  REQUIRE(r.errors.size() == 1);
  CHECK(r.errors[0].line == 3);
  CHECK(r.errors[0].error == "cudaErrorInvalidConfiguration");
}

std::string error_of(const std::string& text) {
  try {
    parse_workload(text, "f");
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

TEST_CASE("what is wrong, and where") {
  CHECK_THAT(error_of("thread { nam: 'm' }"), StartsWith("f:1:") && Contains("nam"));
  CHECK_THAT(error_of("stream {\n"), StartsWith("f:2:"));
  CHECK(error_of("") == "f: no thread: nothing would happen");
  CHECK(error_of("stream { }") == "f:1: stream needs `name`");
  CHECK(error_of("stream { name: 's' }\nstream { name: 's' }") == "f:2: stream \"s\" is given twice");
  CHECK(error_of("stream { name: 's' device: 1 }") == "f:1: device 1: there are 1");
  CHECK(error_of("buffer { name: 'b' }") == "f:1: buffer \"b\" needs `bytes`");
  CHECK(error_of("kernel { name: 'k' us: 1 block_us: 1 }") ==
        "f:1: kernel \"k\": one of `us`, `block_us`, `trace` and `module`");
  CHECK(
      error_of("kernel { name: 'k' block_us: 1 }\nthread { name: 'm'\n call { launch { kernel: 'k' } } }") ==
      "f:3: kernel \"k\": `block_us` needs a grid");
  CHECK(error_of("kernel { name: 'k' us: -1 }") == "f:1: kernel \"k\": times are from 0 to 1e9 microseconds");
  CHECK(error_of("kernel { name: 'k' us: 1 }\nthread { name: 'm'\n call { launch { kernel: 'j' } } }") ==
        "f:3: no kernel \"j\"; there are: k");
  CHECK(error_of("thread { name: 'm'\n call { repeat { times: 2\n call { set_flag: 'x' } } } }") ==
        "f:3: no flag \"x\"; there are: none");
  CHECK(error_of("kernel { name: 'k' }") ==
        "f:1: kernel \"k\" needs its time: one of `us`, `block_us`, `trace` and `module`");
  CHECK(error_of("kernel { name: 'k' us: 1 grid { x: 2 } }") ==
        "f:1: kernel \"k\": a grid needs a `block`: the threads of each of its blocks");
  CHECK(error_of("kernel { name: 'k' trace: 'x.heddle' block { x: 32 } }") ==
        "f:1: kernel \"k\": `grid` and `block` are what the trace says");
  CHECK(error_of("\ndevices: 4294967295 thread { name: 'm' }") == "f:2: devices: 4294967295; legal: 1 to 64");
  CHECK(error_of("devices: 0 environment { visible_devices: '0' }") == "f:1: devices: 0; legal: 1 to 64");
  CHECK(error_of("thread { name: 'm' }\nthread { name: 'm' }") == "f:2: thread \"m\" is given twice");
  CHECK(error_of("thread { name: 'm'\n call { launch_host_func { us: nan } } }") ==
        "f:2: launch_host_func: us: 0 to 1e9");
  CHECK(error_of("thread { name: 'm'\n call { launch_host_func { us: -1 } } }") ==
        "f:2: launch_host_func: us: 0 to 1e9");
  CHECK(error_of("thread { name: 'm'\n call { device_synchronize: true expect: 'cudaErrorBanana' } }") ==
        "f:2: expect: \"cudaErrorBanana\" is none of CUDA's errors, such as cudaErrorInvalidValue");
  CHECK(error_of("thread { name: 'm' call { device_synchronize: true expect: 'cudaError' } }") != "no error");
  CHECK(error_of("thread { name: 'm' call { device_synchronize: true expect: 'cudaErrorNotReady' } }") ==
        "no error");
  CHECK(
      error_of("thread { name: 'm' call { device_synchronize: true expect: 'CUDA_ERROR_OUT_OF_MEMORY' } }") ==
      "no error");
  CHECK(error_of("thread { name: 'm' call { } }") == "f:1: an empty call");
  CHECK(error_of("environment { max_connections: 33 } thread { name: 'm' }") ==
        "f:1: max_connections: 1 to 32");
}

TEST_CASE("kernels of modules") {
  const Workload w = parse_workload(R"(
    kernel { name: "k" grid { x: 4 y: 3 } block { x: 256 } cluster { x: 2 } dynamic_shared_bytes: 64
      module { file: "a.cubin" kernel: "f" arg: "1000" arg: "zeros:f32:10" arg: "x.npy" } }
    kernel { name: "l" grid { x: 4 } block { x: 32 } module { file: "/b/c.ptx" kernel: "g" arg: "/d/y.npy" } }
    thread { name: "m" call { launch { kernel: "k" } } })",
                                    "f", "at/folder");
  REQUIRE(w.traces.size() == 2);
  const auto& k = std::get<modules::LaunchDescription>(w.traces[0].source);
  CHECK(k.file == "at/folder/a.cubin");
  CHECK(k.kernel == "f");
  CHECK(k.grid == isa::Dim3{4, 3, 1});
  CHECK(k.block == isa::Dim3{256, 1, 1});
  CHECK(k.cluster == isa::Dim3{2, 1, 1});
  CHECK(k.dynamic_shared == 64);
  CHECK(k.arguments == std::vector<std::string>{"1000", "zeros:f32:10", "at/folder/x.npy"});
  const auto& l = std::get<modules::LaunchDescription>(w.traces[1].source);
  CHECK(l.file == "/b/c.ptx");
  CHECK(!l.cluster);
  CHECK(l.arguments == std::vector<std::string>{"/d/y.npy"});
}

TEST_CASE("what is wrong with a module, and where") {
  const std::string size = "grid { x: 1 } block { x: 32 } ", module = "module { file: 'a' kernel: 'f' } ";
  const auto error = [](const std::string& text) { return error_of("\nkernel { name: 'k' " + text + "}"); };
  CHECK(error(size + "module { file: 'a' }") ==
        "f:2: kernel \"k\": `module` needs `file` and `kernel`, the name in the module");
  CHECK(error(size + "module { kernel: 'f' }") ==
        "f:2: kernel \"k\": `module` needs `file` and `kernel`, the name in the module");
  CHECK(error(module) == "f:2: kernel \"k\": a module's kernel needs `grid` and `block`");
  CHECK(error("block { x: 32 } " + module) ==
        "f:2: kernel \"k\": a module's kernel needs `grid` and `block`");
  CHECK(error(size + module + "us: 1 ") ==
        "f:2: kernel \"k\": one of `us`, `block_us`, `trace` and `module`");
  CHECK(error(size + module + "trace: 't' ") ==
        "f:2: kernel \"k\": one of `us`, `block_us`, `trace` and `module`");
  CHECK(error(size + module + "registers: 32 ") ==
        "f:2: kernel \"k\": `registers` and `static_shared_bytes` are what the module says");
  CHECK_THAT(error(size + "module { file: 'a' grid: 1 }"), StartsWith("f:2:") && Contains("grid"));
}

TEST_CASE("errors of a module that is bound have the kernel's line") {
  const std::string text = R"(thread { name: "m" call { launch { kernel: "k" } } }
    kernel { name: "k" grid { x: 1 } block { x: 32 } module { file: "a" kernel: "f" } }
    kernel { name: "t" trace: "b" })";
  Workload w = parse_workload(text, "f");
  CHECK_THROWS_WITH(bind_traces(w, [](const auto&, host::KernelDesc&) { throw Error("a: no kernel f"); }),
                    "f:2: kernel \"k\": a: no kernel f");
  w = parse_workload(text, "f");
  CHECK_THROWS_WITH(bind_traces(w,
                                [](const auto& traced, host::KernelDesc&) {
                                  if (std::holds_alternative<std::filesystem::path>(traced.source)) {
                                    throw Error("b: cannot be read");
                                  }
                                }),
                    "b: cannot be read");
  CHECK_THROWS_WITH(run(parse_workload(text, "f"), hosttest::plain_gpu(), {}),
                    "f:2: kernel \"k\": traces and modules cannot be simulated here");
}

std::string nested_loops(int depth) {
  std::string text = "thread { name: 'm'\n";
  for (int i = 0; i < depth; ++i) {
    text += "call { repeat { times: 1 ";
  }
  text += "call { compute_us: 1 }";
  for (int i = 0; i < depth; ++i) {
    text += " } }";
  }
  return text + " }";
}

TEST_CASE("loops inside loops are limited, text is") {
  CHECK(host::to_us(run(nested_loops(kMostLoops)).end) == 1);
  for (const int depth : {kMostLoops + 10, 3000, 100000}) {
    CHECK_THAT(error_of(nested_loops(depth)),
               StartsWith("f:2:") && Contains("too deep; legal: 256 times `repeat` inside `repeat`"));
  }
  CHECK_THAT(error_of(std::string(kMostText + 1, ' ')), StartsWith("f: more than 64 MiB"));
}

std::string run_error(const std::string& text) {
  try {
    run(parse_workload(text, "f"), hosttest::plain_gpu(), {});
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

// Three threads of one moment, whose calls fail or wait for each other.
TEST_CASE("a lazy start and a graph that does not exist") {
  const Workload w = parse_workload(R"(
devices: 2
environment { lazy_start: true }
stream { name: "s0" }
event { name: "e0" }
buffer { name: "b0" bytes: 65536 }
buffer { name: "b1" bytes: 4096 device: 1 }
buffer { name: "b2" memory: MANAGED bytes: 16777216 }
graph_exec: "x1"
kernel { name: "k0" us: 1 access { buffer: "b1" mode: ATOMIC offset: 2000 bytes: 2000 }
  access { buffer: "b2" mode: WRITE offset: 64 bytes: 64 element_bytes: 16 } }
thread { name: "t0" call { memcpy { to: "b1" from: "b2" bytes: 4096 rows: 4 } } }
thread { name: "t1"
  call { graph_launch { exec: "x1" stream: "s0" } }
  call { launch { kernel: "k0" priority: -3 } }
  call { free: 4096 } }
thread { name: "t2"
  call { memset_async { to: "b0" stream: "s0" bytes: 99999999999 } }
  call { event_query: "e0" } })",
                                    "f");
  const host::Result r = run(w, hosttest::plain_gpu(), {});
  CHECK(r.deadlock.empty());
  CHECK(hosttest::errors(r) == std::vector<std::string>{"cudaErrorInvalidValue", "cudaErrorInvalidValue"});
}

TEST_CASE("what a program lacks is said with the file and the line") {
  CHECK(run_error("buffer { name: 'b' bytes: 100 }\nkernel { name: 'k' us: 1\n access { buffer: 'b' offset: "
                  "64 bytes: 2000 } }\n"
                  "thread { name: 'm' }") == "f:2: an access to 2000 bytes from 64 on, but buffer b has 100");
  CHECK(run_error("buffer { name: 'b' bytes: 100 }\nthread { name: 'm'\n"
                  " call { host_access { access { buffer: 'b' offset: 101 } } } }") ==
        "f:3: thread m, call 1 ((host access)): an access to 0 bytes from 101 on, but buffer b has 100");
  CHECK_THAT(run_error("\nbuffer { name: 'd' bytes: 1099511627776 } thread { name: 'm' }"),
             StartsWith("f:2: buffer d: 1099511627776 bytes, but device 0 has only"));
  CHECK_THAT(run_error("kernel { name: 'k' us: 1 device_call { launch: 'k' } }\nthread { name: 'm' }"),
             StartsWith("f:1: kernel k launches k"));
  CHECK_THAT(
      run_error(
          "buffer { name: 'd' bytes: 4 }\ngraph { name: 'g'\n node { mem_free: 'd' } } thread { name: 'm' }"),
      StartsWith("f:3: graph g, node 1: buffer d is not"));
  CHECK_THAT(run_error("\nbuffer { name: 'd' bytes: 64 } thread { name: 'm'\n"
                       "call { memcpy { to: 'd' from: 'd' rows: 9223372036854775808 } } }"),
             StartsWith("f:3: ") && Contains("rows: 9223372036854775808: legal: 1 to the 64 bytes"));
  // Two devices are not too few for this kernel, and its program is right.
  CHECK(run_error("devices: 2 environment { lazy_start: true } stream { name: 's0' } event { name: 'e0' }"
                  "buffer { name: 'b0' bytes: 65536 } buffer { name: 'b1' bytes: 4096 device: 1 }"
                  "buffer { name: 'b2' memory: MANAGED bytes: 16777216 } graph_exec: 'x1'"
                  "kernel { name: 'k0' us: 1 access { buffer: 'b1' mode: ATOMIC offset: 2000 bytes: 2000 }"
                  "  access { buffer: 'b2' mode: WRITE offset: 64 bytes: 64 element_bytes: 16 } }"
                  "thread { name: 't0' call { memcpy { to: 'b1' from: 'b2' bytes: 4096 rows: 4 } } }"
                  "thread { name: 't1' call { graph_launch { exec: 'x1' stream: 's0' } }"
                  "  call { launch { kernel: 'k0' priority: -3 } } call { free: 4096 } }"
                  "thread { name: 't2' call { memset_async { to: 'b0' stream: 's0' bytes: 99999999999 } }"
                  "  call { event_query: 'e0' } }") == "no error");
}

TEST_CASE("LZ04: modules are loaded lazily, unless the environment says otherwise") {
  CHECK(parse_workload("thread { name: 'm' }", "f").rules.lazy_loading);
  CHECK_FALSE(
      parse_workload("environment { module_loading: EAGER } thread { name: 'm' }", "f").rules.lazy_loading);
}

TEST_CASE("reading opens no trace: it is asked for once, in the workload's folder, when traces are bound") {
  Workload w = parse_workload(
      "\nkernel { name: 'k' trace: 't/kernel-1.traceg' } thread { name: 'm' call { launch { kernel: 'k' } } "
      "}",
      "f", "dir");
  CHECK_THROWS_WITH(run(w, hosttest::plain_gpu(), {}),
                    "f:2: kernel \"k\": traces and modules cannot be simulated here");
  std::vector<std::string> asked;
  bind_traces(w, [&](const workload::TracedKernel& t, host::KernelDesc& k) {
    asked.push_back(std::get<std::filesystem::path>(t.source).string());
    k.duration = host::from_us(7);
  });
  CHECK(asked == std::vector<std::string>{"dir/t/kernel-1.traceg"});
  CHECK(host::to_us(run(w, hosttest::plain_gpu(), {}).end) == 7);
}

TEST_CASE("limits and access-policy windows of a file") {
  const Workload w = parse_workload(R"(
    environment { l2_reset_after_us: 5 }
    stream { name: "s" } buffer { name: "b" bytes: 65536 trace_address: 4096 } kernel { name: "k" us: 5 }
    graph { name: "g" node { kernel: "k" window { buffer: "b" offset: 128 } } } graph_exec: "x"
    thread { name: "main"
      call { device_set_limit { persisting_l2_bytes: 1048576 } expect: "cudaErrorInvalidValue" }
      call { device_get_limit { persisting_l2_bytes: 0 } }
      call { stream_set_access_policy_window { stream: "s" window { buffer: "b" bytes: 4096 hit_ratio: 0.5 hit: STREAMING miss: NORMAL } } }
      call { stream_set_access_policy_window { stream: "s" } }
      call { launch { kernel: "k" window { buffer: "b" miss: PERSISTING } } expect: "cudaErrorInvalidValue" }
      call { reset_persisting_l2_cache: true }
    })",
                                    "w");
  CHECK(w.rules.l2_reset_after == host::from_us(5));
  REQUIRE(w.program.windows.size() == 3);
  CHECK((w.program.windows[0].offset == 128 && w.program.windows[0].bytes == 65536 - 128));
  CHECK(w.program.graphs[0].nodes[0].window == 0);
  CHECK(w.program.windows[1].hit_ratio == 0.5);
  CHECK(w.program.windows[1].hit == memory::AccessProperty::kStreaming);
  CHECK(w.program.windows[1].miss == memory::AccessProperty::kNormal);
  CHECK(w.program.buffers[0].trace_address == 4096);
  const host::Result r = host::run(w.program, hosttest::plain_gpu(), {w.rules});
  CHECK(hosttest::errors(r) == std::vector<std::string>(2, "cudaErrorInvalidValue"));
  CHECK(hosttest::answers(r) == std::vector<std::string>{"0"});
  CHECK_THROWS_WITH(
      parse_workload("buffer { name: 'b' bytes: 8 } kernel { name: 'k' us: 1 } thread { name: 'm'\n"
                     "call { launch { kernel: 'k' window { buffer: 'b' bytes: 9 } } } }",
                     "w"),
      "w:2: a window beyond the end of its buffer");
}

TEST_CASE("C75 FP05 FP08: lazy loading, lazy start, host threads of a file") {
  const auto hangs = [&](const std::string& environment, const std::string& first, const std::string& last) {
    return !run("environment { " + environment + R"( }
      flag: "f" stream { name: "x" non_blocking: true } stream { name: "y" non_blocking: true }
      kernel { name: "a" until_flag: "f" } kernel { name: "b" us: 5 sets_flag: "f" grid_barrier: true }
      thread { name: "m" call { )" +
                first + R"( }
        call { launch { kernel: "a" stream: "x" } } call { launch { kernel: "b" stream: "y" } }
        call { )" +
                last + " } }")
                .deadlock.empty();
  };
  const std::string nothing = "compute_us: 1", wait = "wait_flag: \"f\"";
  CHECK_FALSE(hangs("module_loading: EAGER", nothing, wait));
  for (const std::string loading : {"", "module_loading: LAZY"}) {
    CHECK(hangs(loading, nothing, nothing));
    CHECK_FALSE(hangs(loading, "func_get_attributes: \"b\"", nothing));
  }
  CHECK(hangs("module_loading: EAGER lazy_start: true", nothing, wait));
  CHECK_FALSE(hangs("module_loading: EAGER lazy_start: true", nothing, nothing));
  const Workload w = parse_workload(
      "environment { host_threads: 2 lazy_start: true } kernel { name: 'k' us: 1 "
      "polls_plainly: true } thread { name: 'm' }",
      "w");
  CHECK((w.rules.host_threads == 2 && w.rules.lazy_start && w.program.kernels[0].polls_plainly));
}

TEST_CASE("C54 ER05: CUDA_VISIBLE_DEVICES chooses and orders, up to the first number that no device has") {
  const auto answers = [](const std::string& list) {
    const host::Result r = run("devices: 3 environment { visible_devices: \"" + list + R"(" }
      thread { name: "m" call { get_device_count: true }
        call { device_get_pci_bus_id: 0 } call { device_get_pci_bus_id: 1 } call { set_device: 1 }
        call { set_device: 2 } })");
    CHECK(hosttest::errors(r) == std::vector<std::string>{"cudaErrorInvalidDevice"});
    return hosttest::answers(r);
  };
  using Is = std::vector<std::string>;
  CHECK(answers("2,1") == Is{"2", "2", "1"});  // device 0 is hidden, 2 comes first
  CHECK(answers("0,2,-1,1") == Is{"2", "0", "2"});
  CHECK(answers("1,0,1,2") == Is{"2", "1", "0"});
  CHECK_THROWS_WITH(parse_workload("environment { visible_devices: '3' } thread { name: 'm' }", "w"),
                    Contains("cudaErrorNoDevice"));
  CHECK_THROWS_WITH(
      parse_workload("devices: 2 environment { visible_devices: '1' } stream { name: 's' device: 1 } "
                     "thread { name: 'm' }",
                     "w"),
      Contains("device 1: there are 1"));
}

TEST_CASE("MD05: domains of streams, launches and nodes in a file") {
  const Workload w = parse_workload(R"(
    stream { name: "s" sync_domain { domain: REMOTE map_remote: 2 } }
    kernel { name: "k" us: 1 }
    graph { name: "g" node { name: "n" kernel: "k" sync_domain { map_default: 3 } } }
    thread { name: "t" call { launch { kernel: "k" stream: "s" sync_domain { domain: DEFAULT } } } })",
                                    "w");
  const host::SyncDomain s = w.program.streams[1].domain, l = w.program.threads[0].calls[0].domain,
                         n = w.program.graphs[0].nodes[0].domain;
  CHECK((s.remote == 1 && s.of_default == -1 && s.of_remote == 2));
  CHECK((l.remote == 0 && l.of_default == -1 && l.of_remote == -1));
  CHECK((n.remote == -1 && n.of_default == 3));
  CHECK_THROWS_WITH(
      parse_workload("stream { name: 's' sync_domain { map_remote: 1000 } } thread { name: 't' }", "w"),
      Contains("sync_domain: numbers of domains are from 0 to 3"));
}

TEST_CASE("VM01 VM05: virtual memory in a file") {
  const std::string objects = R"(
    physical { name: "m" bytes: 2097152 }
    buffer { name: "a" memory: VIRTUAL bytes: 4194304 } buffer { name: "b" memory: VIRTUAL bytes: 2097152 }
    stream { name: "s" non_blocking: true }
    kernel { name: "k" us: 1 access { buffer: "a" mode: WRITE offset: 2097152 }
      access { buffer: "b" alias_fence: true } }
    thread { name: "t" call { mem_get_allocation_granularity: 0 } call { mem_create: "m" }
      call { mem_address_reserve: "a" } call { mem_address_reserve: "b" }
      call { mem_map { buffer: "a" offset: 2097152 physical: "m" } }
      call { mem_map { buffer: "b" physical: "m" physical_offset: 4096 } }
      call { mem_map { buffer: "b" physical: "m" } }
      call { mem_set_access { buffer: "a" offset: 2097152 device: 0 } }
      call { mem_set_access { buffer: "b" protection: READ } }
      call { launch { kernel: "k" stream: "s" } } call { device_synchronize: true }
      call { mem_unmap { buffer: "a" } } call { mem_unmap { buffer: "b" } } call { mem_release: "m" }
      call { mem_address_free { buffer: "a" } } call { mem_address_free { buffer: "b" bytes: 1 } }
      call { multicast_create { devices: 2 bytes: 2097152 } }
    })";
  const Workload w = parse_workload(objects, "w");
  const host::Result r = host::run(w.program, hosttest::plain_gpu(), {w.rules, true, true});
  CHECK(hosttest::errors(r) == std::vector<std::string>{"CUDA_ERROR_NOT_SUPPORTED",
                                                        "CUDA_ERROR_INVALID_VALUE",
                                                        "CUDA_ERROR_NOT_SUPPORTED"});
  CHECK(r.findings.empty());
  CHECK_THROWS_WITH(parse_workload("thread { name: 't' call { mem_create: 'x' } }", "w"),
                    Contains("no physical \"x\""));
}

}  // namespace
}  // namespace heddle::workload
