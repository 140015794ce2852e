// Graphs, and kernels that launch kernels and graphs, in workload files.
#include <catch2/catch.hpp>

#include "tests/sim/host/support.h"
#include "tests/workload/run_text.h"

namespace heddle::workload {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("GR03 GR08: a graph in a file, its launch and what is wrong with one") {
  const std::string body = R"(
    stream { name: "s" } event { name: "e" } flag: "f"
    buffer { name: "h" memory: PINNED bytes: 1048576 } buffer { name: "d" bytes: 1048576 }
    kernel { name: "k" us: 5 }
    graph { name: "inner" node { kernel: "k" } }
    graph { name: "g"
      node { name: "join" host { us: 2 sets_flag: "f" } after: "b" after: "c" after: "fill" }
      node { name: "a" memcpy { to: "d" from: "h" bytes: 4096 } }
      node { name: "fill" memset { to: "d" bytes: 4 } }
      node { name: "b" kernel: "k" priority: -1 after: "a" }
      node { name: "c" child: "inner" after: "a" }
      node { name: "nothing" empty: true after: "c" }
      node { name: "said" event_record: "e" after: "nothing" }
    }
    graph_exec: "x"
    thread { name: "main"
      call { graph_instantiate { exec: "x" graph: "g" } }
      call { graph_upload { exec: "x" stream: "s" } }
      call { graph_launch { exec: "x" stream: "s" } }
      call { event_synchronize: "e" }
      call { wait_flag: "f" }
      call { graph_exec_destroy: "x" } call { graph_destroy: "g" }
      call { graph_launch { exec: "x" } expect: "cudaErrorInvalidValue" }
    })";
  const host::Result r = run(body);
  CHECK(hosttest::in_stream(r, "s", "b").start == hosttest::in_stream(r, "s", "k").start);
  CHECK(host::to_us(r.end) == Approx(0.552 + 5 + 2));
  CHECK(hosttest::errors(r) == std::vector<std::string>{"cudaErrorInvalidValue"});
  const auto bad = [&](const std::string& node) {
    return "kernel { name: \"k\" us: 5 } graph { name: \"g\"\n" + node + " } thread { name: \"m\" }";
  };
  CHECK_THROWS_WITH(run(bad("node { name: \"a\" }")), StartsWith("w:2: a node needs one of kernel"));
  CHECK_THROWS_WITH(run(bad("node { kernel: \"q\" }")), StartsWith("w:2: no kernel \"q\"; there are: k"));
  CHECK_THROWS_WITH(run(bad("node { kernel: \"k\" after: \"z\" }")),
                    Contains("no node \"z\" in graph \"g\""));
  CHECK_THROWS_WITH(run(bad("node { name: \"a\" empty: true } node { name: \"a\" empty: true }")),
                    Contains("node \"a\" is given twice"));
}

TEST_CASE("GR09 GR10: a captured graph in a file") {
  const host::Result r = run(R"(
    stream { name: "s" } stream { name: "t" } event { name: "e" } event { name: "done" } kernel { name: "k" us: 5 }
    graph { name: "g" } graph_exec: "x"
    thread { name: "main"
      call { stream_begin_capture { stream: "s" mode: THREAD_LOCAL } }
      call { launch { kernel: "k" stream: "s" } }
      call { event_record { event: "e" stream: "s" } } call { stream_wait_event { event: "e" stream: "t" } }
      call { launch { kernel: "k" stream: "s" } } call { launch { kernel: "k" stream: "t" } }
      call { event_record { event: "done" stream: "t" } } call { stream_wait_event { event: "done" stream: "s" } }
      call { stream_get_capture_info: "s" }
      call { stream_end_capture { stream: "s" graph: "g" } }
      call { stream_begin_capture { stream: "s" into: "g" } }
      call { launch { kernel: "k" stream: "s" } }
      call { event_record { event: "done" stream: "s" external: true } }
      call { stream_end_capture { stream: "s" graph: "g" } }
      call { graph_instantiate { exec: "x" graph: "g" } }
      call { repeat { times: 3 call { graph_launch { exec: "x" stream: "s" } } } }
    })");
  CHECK(r.errors.empty());
  CHECK(hosttest::answers(r) ==
        std::vector<std::string>{"cudaStreamCaptureStatusActive, id 1, next after 1 2"});
  CHECK(host::to_us(r.end) == 30);
  CHECK(r.commands == 3 * 7);
}

TEST_CASE("GR21 GR22 GR25: updates of a graph in a file") {
  const std::string head = R"(
    stream { name: "s" } kernel { name: "k" us: 5 } kernel { name: "long" us: 9 }
    graph { name: "g" node { name: "a" kernel: "k" } node { name: "b" kernel: "k" after: "a" } }
    graph { name: "captured" } graph_exec: "x" graph_exec: "y"
    environment { graphs_use_node_priority: true }
    thread { name: "main"
      call { graph_instantiate { exec: "x" graph: "g" use_node_priority: true } }
      call { graph_node_set_params { graph: "g" node: "b" to { kernel: "long" } } }
      call { graph_exec_update { exec: "x" graph: "g" } }
      call { graph_exec_node_set_params { exec: "x" graph: "g" node: "a" to { kernel: "long" } } }
      call { graph_launch { exec: "x" } }
      call { stream_begin_capture { stream: "s" } } call { launch { kernel: "k" stream: "s" } }
      call { stream_end_capture { stream: "s" graph: "captured" } }
      call { graph_instantiate { exec: "y" graph: "captured" } }
      call { graph_node_set_enabled { exec: "y" graph: "captured" node: "0" enabled: false } }
      call { graph_launch { exec: "y" } })";
  const host::Result r = run(head + "}");
  CHECK(r.errors.empty());
  CHECK(host::to_us(r.end) == 18);
  CHECK_THROWS_WITH(
      run(head + "\ncall { graph_node_set_enabled { exec: \"x\" graph: \"g\" node: \"q\" } } }"),
      Contains("no node \"q\" in graph \"g\""));
}

TEST_CASE("C30 GD06 GD11: launches from the device in a file, by the streams that there are") {
  const std::string text = R"(
    kernel { name: "leaf" us: 30 }
    kernel { name: "again" us: 1 graph_launch { into: TAIL executions: 100 } }
    kernel { name: "launcher" us: 10
      graph_launch { exec: "child" after_us: 2 } graph_launch { exec: "self" into: TAIL }
      graph_launch { exec: "child" times: 2 } }
    graph { name: "leaf" node { kernel: "leaf" } }
    graph { name: "self" node { kernel: "again" } }
    graph { name: "g" node { kernel: "launcher" } }
    graph_exec: "child" graph_exec: "self" graph_exec: "x"
    thread { name: "main"
      call { graph_instantiate { exec: "child" graph: "leaf" device_launch: true } }
      call { graph_instantiate { exec: "self" graph: "self" device_launch: true } }
      call { graph_upload { exec: "child" } } call { graph_upload { exec: "self" } }
      call { graph_instantiate { exec: "x" graph: "g" } }
      call { graph_launch { exec: "x" } } })";
  const host::Result r = run(text);
  CHECK(r.errors.empty());
  REQUIRE(r.device_errors.size() == 1);  // the child runs already
  CHECK(r.device_errors[0].times == 2);
  CHECK(host::to_us(r.end) == 2 + 30 + 101);
  CHECK_THROWS_WITH(run("kernel { name: \"k\" us: 1 graph_launch { into: LEGACY } } thread { name: \"m\" }"),
                    Contains("LEGACY"));
}

TEST_CASE("C50 DP04 DP06 DP08 DP11: kernels that launch kernels in a file") {
  const std::string head = R"(
    buffer { name: "b" bytes: 64 }
    kernel { name: "P1" us: 10 access { buffer: "b" mode: WRITE after_call: 1 }
      device_call { launch: "T" into: TAIL } device_call { launch: "C" stream: "t" threads: 2 after_us: 2 }
      device_call { event_record: "e" stream: "t" } device_call { stream_wait_event: "e" stream: "u" }
      device_call { launch: "C" stream: "u" } )";
  const std::string tail = R"( }
    kernel { name: "T" us: 1 device_call { launch: "C" into: FIRE_AND_FORGET times: 40 levels: 5 at_end: true } }
    kernel { name: "C" us: 7 }
    stream { name: "s" }
    thread { name: "main"
      call { device_set_limit { dev_runtime_pending_launch_count: 32 } }
      call { device_get_limit { dev_runtime_pending_launch_count: 0 } }
      call { launch { kernel: "P1" stream: "s" } } call { launch { kernel: "C" stream: "s" } } })";
  const host::Result r = run(head + tail);
  CHECK(r.errors.empty());
  // Three children of 7 us from 2 us on, the tail, its children, the next launch.
  CHECK(host::to_us(r.end) == 2 + 3 * 7 + 1 + 7 + 7);
  REQUIRE(r.device_errors.size() == 1);
  CHECK(r.device_errors[0].times == 9);  // the tail is pending too
  CHECK(r.answers[0].value == "32");
  CHECK_THROWS_WITH(run(head + "device_call { launch: \"Q\" }" + tail), Contains("no kernel \"Q\""));
  CHECK_THROWS_WITH(run(head + "device_call { launch: \"C\" into: TAIL stream: \"t\" }" + tail),
                    Contains("one of `into` and `stream`"));
  CHECK_THROWS_WITH(run(head + "device_call { times: 2 }" + tail), Contains("one of launch, event_create"));
  CHECK_THROWS_WITH(run(head + "device_call { device_synchronize: true }" + tail), Contains("DP08"));
}

TEST_CASE("PD09 GR05 GR06: edges with data in a file") {
  const std::string head = R"(
    kernel { name: "k" us: 10 trigger_us: 4 wait_us: 1 }
    graph { name: "g" node { name: "a" kernel: "k" }
      node { name: "b" kernel: "k" edge { from: "a" from_port: PROGRAMMATIC_PORT type: PROGRAMMATIC } }
      node { name: "c" empty: true after: "b" } }
    graph_exec: "x" stream { name: "s" }
    thread { name: "main"
      call { graph_get_edges { graph: "g" } }
      call { graph_get_edges { graph: "g" edge_data: false } expect: "cudaErrorLossyQuery" }
      call { stream_get_capture_info_v2: "s" }
      call { graph_instantiate { exec: "x" graph: "g" } } call { graph_launch { exec: "x" } } })";
  const host::Result r = run(head);
  REQUIRE(r.errors.size() == 1);
  CHECK(r.errors[0].error == "cudaErrorLossyQuery");
  CHECK(r.answers[0].value == "0-1(1,0,1) 1-2");
  CHECK(r.answers[1].value == "cudaStreamCaptureStatusNone");
  CHECK(host::to_us(r.end) == 19);  // b starts at 4, waits from 5 to 10, and has 9 more
}

TEST_CASE("C28 GN01 GN11 GN12: memory nodes in a file") {
  const std::string body = R"(
    stream { name: "s" } pool { name: "p" }
    buffer { name: "tmp" bytes: 4096 allocated_by_call: true }
    buffer { name: "out" bytes: 4096 allocated_by_call: true }
    buffer { name: "there" bytes: 4096 }
    kernel { name: "k" us: 5 access { buffer: "tmp" mode: WRITE } access { buffer: "out" mode: WRITE } }
    graph { name: "g"
      node { name: "tmp" mem_alloc { buffer: "tmp" access_device: 0 } }
      node { name: "out" mem_alloc { buffer: "out" } }
      node { name: "k" kernel: "k" after: "tmp" after: "out" }
      node { mem_free: "tmp" after: "k" } }
    graph_exec: "x"
    thread { name: "main"
      call { pool_set_access { pool: "p" device: 0 } }
      call { graph_instantiate { exec: "x" graph: "g" auto_free_on_launch: true } }
      call { repeat { times: 2 call { graph_launch { exec: "x" stream: "s" } } } }
      call { graph_mem_alloc_node_get_params { graph: "g" node: "out" } }
      call { stream_synchronize: "s" }
      call { free_async { buffer: "out" stream: "s" } } call { graph_mem_trim: true }
      call { graph_mem_reset_high: true } call { graph_mem_stats: true }
    })";
  const host::Result r = run(body);
  CHECK(r.errors.empty());
  CHECK(host::to_us(r.end) == 10);
  REQUIRE(r.answers.size() == 2);
  CHECK_THAT(r.answers[0].value, Contains(" bytes 4096 device 0 access 0"));
  CHECK(r.answers[1].value == "reserved 0 high 0 used 0 high 0");
  CHECK_THROWS_WITH(run(R"(buffer { name: "there" bytes: 4096 } graph { name: "g" node { mem_free: "there" } }
                           thread { name: "m" call { graph_mem_stats: true } })"),
                    Contains("node 1: buffer there is not device memory that is allocated by a call"));
}

TEST_CASE("C23 GC06: a loop on the device in a file") {
  const std::string body = R"(
    handle { name: "again" default: 1 }
    kernel { name: "step" us: 5 sets_handle: "again" handle_value: 1 handle_value: 1 handle_value: 0 }
    graph { name: "body" node { kernel: "step" } }
    graph { name: "g" node { conditional { handle: "again" kind: WHILE body: "body" } } } graph_exec: "x"
    thread { name: "main"
      call { graph_instantiate { exec: "x" graph: "g" } }
      call { graph_launch { exec: "x" } }
    })";
  const host::Result r = run(body);
  CHECK(r.errors.empty());
  CHECK(host::to_us(r.end) == 15);
  CHECK_THROWS_WITH(
      run(R"(handle { name: "h" } kernel { name: "k" us: 1 sets_handle: "h" } thread { name: "m" })"),
      Contains("`sets_handle` needs a handle_value"));
  CHECK_THROWS_WITH(run(R"(kernel { name: "k" us: 1 handle_value: 1 } thread { name: "m" })"),
                    Contains("`handle_value` is of the handle that `sets_handle` names"));
}

}  // namespace
}  // namespace heddle::workload
