// Events: cuda-model A13.
#include <catch2/catch.hpp>

#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using workload::Builder;
using workload::Event;
using workload::Kernel;
using workload::Stream;

TEST_CASE("EV01 EV02: an event completes with the stream's work before it; elapsed is the difference") {
  Builder w;
  const Stream s = w.stream("s", true);
  const Event a = w.event("a"), b = w.event("b");
  w.thread("main")
      .launch(w.kernel_us("x", 3), s)
      .eventRecord(a, s)
      .launch(w.kernel_us("y", 5), s)
      .eventRecord(b, s)
      .eventSynchronize(b)
      .eventElapsedTime(a, b);
  const host::Result r = host::run(w.program(), plain_gpu());
  REQUIRE(r.elapsed.size() == 1);
  CHECK(us(r.elapsed[0].time) == 5);
  CHECK(us(r.thread_end[0]) == 8);
}

TEST_CASE("EV01 C09: an event of stream 0 completes after the work of all blocking streams") {
  Builder w;
  const Stream s = w.stream("s"), t = w.stream("t");
  const Event start = w.event("start"), stop = w.event("stop");
  w.thread("main")
      .eventRecord(start)
      .launch(w.kernel_us("x", 3), s)
      .launch(w.kernel_us("y", 9), t)
      .eventRecord(stop)
      .eventSynchronize(stop)
      .eventElapsedTime(start, stop);
  const host::Result r = host::run(w.program(), plain_gpu());
  REQUIRE(r.elapsed.size() == 1);
  CHECK(us(r.elapsed[0].time) == 9);
}

TEST_CASE("EV03: the interval holds what else the stream waited for") {
  Builder w;
  const Stream s = w.stream("s"), t = w.stream("t");
  const Event a = w.event("a"), b = w.event("b");
  const Kernel k = w.kernel_us("k", 4);
  w.thread("main")
      .eventRecord(a, s)
      .launch(k, t)
      .launch(k)
      .launch(k, s)
      .eventRecord(b, s)
      .deviceSynchronize()
      .eventElapsedTime(a, b);
  CHECK(us(host::run(w.program(), plain_gpu()).elapsed.at(0).time) == 12);
}

TEST_CASE("EV02: an event that is recorded again counts from the last record") {
  Builder w;
  const Stream s = w.stream("s", true);
  const Event a = w.event("a"), b = w.event("b");
  const Kernel k = w.kernel_us("k", 4);
  w.thread("main")
      .eventRecord(a, s)
      .launch(k, s)
      .eventRecord(a, s)
      .launch(k, s)
      .eventRecord(b, s)
      .deviceSynchronize()
      .eventElapsedTime(a, b);
  CHECK(us(host::run(w.program(), plain_gpu()).elapsed.at(0).time) == 4);
}

TEST_CASE("EV04: devices: record and elapsed fail, waiting and synchronising work") {
  Builder w(2);
  const Stream s0 = w.stream("s0", true, 0, 0), s1 = w.stream("s1", true, 0, 1);
  const Event e0 = w.event("e0", true, 0), e1 = w.event("e1", true, 1);
  const Kernel k = w.kernel_us("k", 5);
  w.thread("main")
      .launch(k, s0)
      .eventRecord(e0, s0)
      .eventRecord(e0, s1)
      .setDevice(1)
      .streamWaitEvent(s1, e0)
      .launch(k, s1)
      .eventRecord(e1, s1)
      .eventQuery(e0)
      .eventSynchronize(e0)
      .eventSynchronize(e1)
      .eventElapsedTime(e0, e1);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(errors(r) ==
        std::vector<std::string>{"cudaErrorInvalidResourceHandle", "cudaErrorInvalidResourceHandle"});
  CHECK(r.elapsed.empty());
  CHECK(span(r, "device 1 stream s1", "k").start == 5);
  CHECK(us(r.end) == 10);
}

TEST_CASE("EV05: no elapsed time without timing") {
  Builder w;
  const Event a = w.event("a"), b = w.event("b", false);
  w.thread("main").eventRecord(a).eventRecord(b).eventElapsedTime(a, b);
  CHECK(errors(host::run(w.program(), plain_gpu())) ==
        std::vector<std::string>{"cudaErrorInvalidResourceHandle"});
}

TEST_CASE("EV06: NotReady of a query is no error and is not remembered as one") {
  Builder w;
  const Event e = w.event("e");
  w.thread("main")
      .launch(w.kernel_us("k", 5))
      .eventRecord(e)
      .eventQuery(e)
      .getLastError()
      .compute_us(6)
      .eventQuery(e);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(answers(r) == std::vector<std::string>{"cudaErrorNotReady", "cudaSuccess", "cudaSuccess"});
  CHECK(r.errors.empty());
}

TEST_CASE("EV02: elapsed of an event that is not there yet: NotReady; never recorded: an error") {
  Builder w;
  const Event a = w.event("a"), b = w.event("b"), never = w.event("never");
  w.thread("main")
      .eventRecord(a)
      .launch(w.kernel_us("k", 5))
      .eventRecord(b)
      .eventElapsedTime(a, b)
      .eventElapsedTime(a, never);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(answers(r) == std::vector<std::string>{"cudaErrorNotReady"});
  CHECK(errors(r) == std::vector<std::string>{"cudaErrorInvalidResourceHandle"});
}

}  // namespace
}  // namespace heddle::hosttest
