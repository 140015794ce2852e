// What a run keeps of what has happened: spans, their cover, steps; and how many events it takes.
#include <catch2/catch.hpp>
#include <string>

#include "sim/host/core/params.h"
#include "sim/host/core/recorder.h"
#include "sim/host/core/steps.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;
using host::Ps;

TEST_CASE("the span of a call that copies or fills has its bytes, that of any other none") {
  Builder w;
  const Stream s = w.stream("s", true);
  const Event e = w.event("e");
  const Buffer h = w.pinned("h", 4096), d = w.device("d", 4096),
               later = w.later("later", host::Memory::kDevice, 4096);
  w.thread("main")
      .memcpyAsync(d, h, s)
      .memcpy(d, h)
      .memsetAsync(d, s)
      .memset(d)
      .malloc(later)
      .free(later)
      .mallocHost(4096)
      .launch(w.kernel_us("k", 1), s)
      .eventRecord(e, s)
      .streamWaitEvent(s, e)
      .launchHostFunc(s, 1)
      .streamSynchronize(s);
  const host::Result r = host::run(w.program(), plain_gpu());
  size_t calls = 0;
  for (const host::TrackSpan& span : r.spans) {
    if (span.origin.kind == host::SpanKind::kCall) {
      const std::string& name = r.names[span.name];
      CAPTURE(name);
      CHECK(span.origin.bytes ==
            (name.starts_with("cudaMemcpy") || name.starts_with("cudaMemset") ? 4096 : 0));
      ++calls;
    }
  }
  CHECK(calls == 12);
}

TEST_CASE("a span that began before more than 2^20 gaps of its track counts from behind half of them") {
  for (const uint64_t more : {0, 1}) {
    host::Cover c;
    const uint64_t pieces = (uint64_t{1} << 20) + more;
    for (uint64_t i = 0; i < pieces; ++i) {  // every other picosecond
      c.add(Ps(2 * i), Ps(2 * i + 1));
    }
    CHECK(c.total() == Ps(pieces));
    c.add(Ps(0), Ps(2 * pieces));
    // Of 2^20 and one, 2^19 are only a sum, up to the end of the last of these.
    const uint64_t sum = uint64_t{1} << 19, until = (uint64_t{1} << 20) - 1;
    CHECK(c.total() == (more == 0 ? Ps(2 * pieces) : Ps(sum + 2 * pieces - until)));
  }
}

TEST_CASE("beyond the most steps none are kept: what comes then follows the start") {
  host::Steps s(true, 2);
  const uint32_t a = s.add(0, host::StepKind::kHostCall, 0, 0, Ps(10));
  CHECK(a == 1);
  CHECK(s.add(a, host::StepKind::kHostWork, 0, 0, Ps(10)) == a);  // no time
  CHECK(s.add(a, host::StepKind::kHostWork, 0, 0, Ps(20)) == 2);
  CHECK(s.kind(2) == host::StepKind::kHostWork);
  CHECK(s.add(2, host::StepKind::kHostCall, 0, 0, Ps(30)) == 0);
  CHECK(s.add(0, host::StepKind::kHostCall, 0, 0, Ps(40)) == 0);
  host::Result r;
  s.finish(0, r);
  CHECK(r.steps.empty());
  CHECK(r.steps_left_out);
}

TEST_CASE("AX16: a thread that has slept longer than idle_after varies as one that was idle does") {
  host::Params::Sleep s{};
  s.idle_after = host::from_us(100);
  s.wake_spread = 0.25;
  s.idle_spread = 0.5;
  CHECK(s.spread(Ps()) == 0.25);
  CHECK(s.spread(host::from_us(100)) == 0.25);
  CHECK(s.spread(host::from_us(100) + Ps(1)) == 0.5);
}

TEST_CASE("blocks that end together are one event of their device") {
  Builder w;
  for (const char* s : {"a", "b"}) {  // neither is alone
    w.thread(s).launch(w.kernel_blocks(s, 64, 32, 10), w.stream(s, true));
  }
  host::PlatformOptions o;
  o.limits.steps = 40;
  const host::Result r = host::run(w.program(), plain_gpu(), o);
  CHECK(us(r.end) == 10);
}

}  // namespace
}  // namespace heddle::hosttest
