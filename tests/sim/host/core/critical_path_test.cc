// What spans say of where they come from, what the end of a program waited for, and why kernels did not
// follow each other.
#include "analysis/timeline/critical_path.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "frontends/workload/graph_builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using workload::Builder;

// "kind NAME MICROSECONDS", a line for each step, whose sum is the whole time.
std::vector<std::string> path(const host::Result& r) {
  std::vector<std::string> out;
  host::Ps end{};
  for (const analysis::PathStep& s : analysis::critical_path(r)) {
    CHECK(s.start == end);
    end = s.end;
    // Copies of plain_gpu() end some nanoseconds before the microsecond.
    out.push_back(std::string(analysis::kind_name(s.kind)) + " " + r.names[s.name] + " " +
                  std::to_string(static_cast<int>(us(s.end - s.start) * 1000 + 5) / 10 * 10));
  }
  CHECK(end == r.end);
  return out;
}
using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("spans say which call they come from, their stream and bytes") {
  Builder w;
  const auto s = w.stream("s", true);
  const auto h = w.pinned("h", 4096), d = w.device("d", 4096);
  const auto k = w.kernel_us("k", 10);
  const auto g = workload::add_graph(w, "g");
  workload::memset_node(w, g, d, {workload::kernel_node(w, g, k)});
  const auto x = workload::add_graph_exec(w, "x");
  w.thread("main")
      .graphInstantiate(x, g)
      .memcpyAsync(d, h, s)
      .launch(k, s)
      .graphLaunch(x, s)
      .streamSynchronize(s);
  const host::Result r = host::run(w.program(), plain_gpu());
  size_t calls = 0;
  for (const host::TrackSpan& span : r.spans) {
    const std::string &name = r.names[span.name], &track = r.tracks[span.track].name;
    CAPTURE(name, track);
    const host::SpanOrigin& o = span.origin;
    const bool in_graph = track.ends_with("graph g");
    calls += o.kind == host::SpanKind::kCall;
    CHECK((o.kind == host::SpanKind::kCall) == track.starts_with("thread "));
    CHECK(o.call == (o.kind == host::SpanKind::kCall ? o.correlation : 0));
    if (name == "cudaGraphInstantiate") {
      CHECK(o.correlation == 1);
      CHECK(o.stream == host::kNoStream);
      continue;
    }
    CHECK(r.streams[o.stream] == "s");
    if (name == "copy H2D" || name == "cudaMemcpyAsync") {
      CHECK(o.correlation == 2);
      CHECK(o.bytes == 4096);
    } else if (name == "k" && !in_graph && o.kind == host::SpanKind::kKernel && us(span.start) < 10) {
      CHECK(o.correlation == 3);
    } else if (in_graph || name == "graph g" || name == "cudaGraphLaunch") {
      CHECK(o.correlation == 4);
      CHECK(o.bytes == (o.kind == host::SpanKind::kMemset ? 4096 : 0));
    }
  }
  CHECK(calls == 5);
}

TEST_CASE("the critical path of a copy, a kernel behind it and a wait for both") {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_calls()->set_memcpy_ns(1000);
  g.mutable_host()->mutable_calls()->set_launch_ns(2000);
  g.mutable_host()->mutable_latency()->set_submit_ns(500);
  g.mutable_host()->mutable_latency()->set_kernel_start_ns(1000);
  g.mutable_host()->mutable_latency()->set_kernel_end_ns(1500);
  g.mutable_host()->mutable_latency()->set_spin_ns(4000);
  Builder w;
  const auto s = w.stream("s", true);
  const auto h = w.pinned("h", h2d_bytes(10)), d = w.device("d", h2d_bytes(10));
  w.thread("main").memcpyAsync(d, h, s).launch(w.kernel_us("k", 20), s).streamSynchronize(s);
  const host::Result r = host::run(w.program(), g);
  CHECK(path(r) == Lines{"host call cudaMemcpyAsync 1000", "launch latency copy H2D 500",
                         "copy to device copy H2D 10000", "device latency k 1000", "kernel k 20000",
                         "device latency k 1500", "wake-up cudaStreamSynchronize 4000"});
  const std::string text = analysis::critical_path_text(r);
  CHECK(text.find("kernel          20.000  52.6      1\n") != std::string::npos);
  // The thread has waited for all but its calls.
  CHECK(us(r.tracks[0].busy) == Approx(3));
}

TEST_CASE("a kernel that comes late waits for the call that launches it") {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_calls()->set_launch_ns(5000);
  Builder w;
  const auto s = w.stream("s", true);
  w.thread("main").launch(w.kernel_us("a", 1), s).compute_us(2).launch(w.kernel_us("b", 3), s);
  const host::Result r = host::run(w.program(), g);
  CHECK(path(r) == Lines{"host call cudaLaunchKernel 5000", "host work (host work) 2000",
                         "host call cudaLaunchKernel 5000", "kernel b 3000"});
  const std::vector<analysis::KernelGap> gaps = analysis::kernel_gaps(r);
  REQUIRE(gaps.size() == 1);  // from 6 to 12 us: a microsecond of the host's work, 5 of the call
  CHECK(us(gaps[0].start) == 6);
  CHECK(us(gaps[0].end) == 12);
  CHECK(us(gaps[0].parts[static_cast<size_t>(host::StepKind::kHostWork)]) == 1);
  CHECK(us(gaps[0].parts[static_cast<size_t>(host::StepKind::kHostCall)]) == 5);
  CHECK(analysis::main_part(gaps[0]) == host::StepKind::kHostCall);
}

TEST_CASE("a kernel without room waits for it; one behind others in its stream for them") {
  Builder w;
  const auto s = w.stream("s", true), t = w.stream("t", true);
  w.thread("main")
      .launch(w.kernel_blocks("a", 4 * 2, 1024, 10), s)
      .launch(w.kernel_blocks("b", 4, 1024, 7), t)
      .launch(w.kernel_blocks("c", 4, 1024, 5), t);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(path(r) == Lines{"room on the SMs b 10000", "kernel b 7000", "kernel c 5000"});
  CHECK(analysis::kernel_gaps(r).empty());
}

TEST_CASE("threads wait for each other, for a time and for functions of the host") {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_latency()->set_host_function_start_ns(3000);
  g.mutable_host()->mutable_latency()->set_host_function_end_ns(1000);
  Builder w;
  const auto q = w.queue("q");
  const auto f = w.flag("f");
  const auto s = w.stream("s", true);
  w.thread("a").compute_us(7).put(q);
  w.thread("b").get(q).sleep_us(2).launchHostFunc(s, 6, f).waitFlag(f).compute_us(5);
  CHECK(path(host::run(w.program(), g)) ==
        Lines{"host work (host work) 7000", "sleep (sleep) 2000", "launch latency cudaLaunchHostFunc 3000",
              "host function cudaLaunchHostFunc 6000", "device latency cudaLaunchHostFunc 1000",
              "host work (host work) 5000"});
}

TEST_CASE("steps beyond the limit of spans are not kept") {
  Builder w;
  w.thread("main").compute_us(1).compute_us(1).compute_us(1);
  host::PlatformOptions options;
  options.limits.spans = 2;
  const host::Result r = host::run(w.program(), plain_gpu(), options);
  CHECK(r.steps_left_out);
  CHECK(analysis::critical_path(r).empty());
  options.limits.spans = 3;
  CHECK(path(host::run(w.program(), plain_gpu(), options)).size() == 3);
}

}  // namespace heddle::hosttest
