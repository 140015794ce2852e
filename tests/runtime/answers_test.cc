// What queries and elapsed times are told, against a run of all that was called before each.
#include "frontends/cuda/answers.h"

#include <catch2/catch.hpp>
#include <random>

#include "frontends/workload/builder.h"
#include "tests/runtime/context_case.h"

namespace heddle::cuda {
namespace {

using host::Op;

// The last call, of a program that is run from its start.
Answers::Answer anew(const host::Program& program, const config::GpuConfig& gpu) {
  host::PlatformOptions o;
  o.spans = false;
  const host::Result r = host::run(program, gpu, o);
  Answers::Answer out;
  out.now = r.thread_end[0];
  const uint64_t call = r.operations - 1;
  if (!r.answers.empty() && r.answers.back().call == call) {
    out.answer = r.answers.back().value;
  }
  if (!r.elapsed.empty() && r.elapsed.back().call == call) {
    out.time = r.elapsed.back().time;
  }
  return out;
}

TEST_CASE("answers on the way are those of a run from the program's start") {
  const config::GpuConfig gpu = config::load("h200");
  workload::Builder w;
  workload::Thread& t = w.thread("main");
  const workload::Stream streams[] = {w.stream("a"), w.stream("b")};
  const workload::Buffer host = w.pinned("host", 1 << 20), device = w.device("device", 1 << 20);
  const workload::Event begin = w.event("begin"), end = w.event("end");
  std::vector<workload::Kernel> kernels = {w.kernel_us("k", 3)};
  std::vector<workload::Buffer> buffers;
  const host::Rules rules;
  Answers answers(gpu, w.program(), rules);
  std::minstd_rand random(7);
  t.eventRecord(begin, streams[0]).eventRecord(end, streams[1]);
  uint64_t ready = 0, waits = 0;
  for (int i = 0; i < 600; ++i) {
    const workload::Stream s = streams[random() % 2];
    switch (random() % 11) {
      case 0:
        kernels.push_back(w.kernel_us("more", static_cast<double>(1 + random() % 40)));
        [[fallthrough]];
      case 1:
      case 2:
        t.launch(kernels[random() % kernels.size()], s);
        break;
      case 3:
        t.memcpyAsync(device, host, s, 1 + random() % (1 << 20));
        break;
      case 4:
        t.eventRecord(random() % 2 == 0 ? begin : end, s);
        break;
      case 5:
        t.streamSynchronize(s);
        break;
      case 6:
        buffers.push_back(w.later("pool memory", host::Memory::kDevice, 1 << 16));
        t.mallocAsync(buffers.back(), s);
        break;
      case 7:
        if (!buffers.empty()) {
          t.freeAsync(buffers.back(), s);
          buffers.pop_back();
        }
        break;
      case 8:
        t.eventSynchronize(end);
        t.eventElapsedTime(begin, end);
        break;
      default: {
        t.streamQuery(s);
        const auto a = answers.of_last_call();
        REQUIRE(a.has_value());
        const Answers::Answer b = anew(w.program(), gpu);
        CHECK(a->answer == b.answer);
        CHECK(a->now == b.now);
        ++(a->answer == "cudaSuccess" ? ready : waits);
        continue;
      }
    }
    if (random() % 4 == 0) {
      const auto a = answers.of_last_call();
      REQUIRE(a.has_value());
      const Answers::Answer b = anew(w.program(), gpu);
      CHECK(a->now == b.now);
      if (w.program().threads[0].calls.back().op == Op::kEventElapsed) {
        CHECK(a->time == b.time);
        CHECK(a->answer == b.answer);
      }
    }
  }
  CHECK(ready > 10);
  CHECK(waits > 10);
  // From the start again only when clocks were needed first.
  CHECK(answers.begun() <= 2);
}

TEST_CASE("a call that comes again and again is one loop") {
  const config::GpuConfig gpu = config::load("h200");
  workload::Builder w;
  workload::Thread& t = w.thread("main");
  const workload::Stream s = w.stream("s");
  const workload::Event e = w.event("e");
  t.launch(w.kernel_us("k", 50), s).eventRecord(e, s).eventQuery(e);
  const host::Rules rules;
  Answers answers(gpu, w.program(), rules);
  uint64_t polls = 1;
  for (; answers.of_last_call()->answer == "cudaErrorNotReady"; ++polls) {
    CHECK(answers.last_is(Op::kEventQuery, e.id, 0));
    answers.repeat();
  }
  CHECK(polls > 50);
  CHECK(w.program().threads[0].calls.size() == 5);
  CHECK(anew(w.program(), gpu).answer == "cudaSuccess");
  CHECK(host::run(w.program(), gpu).operations == 2 + polls);
  // Behind the loop, and from the start.
  t.launch(w.kernel_us("k", 5), s).streamQuery(s);
  const auto a = answers.of_last_call();
  CHECK(a->answer == "cudaErrorNotReady");
  CHECK(a->now == anew(w.program(), gpu).now);
  CHECK(answers.begun() == 1);
  answers.forget();
  t.streamQuery(s);
  CHECK(answers.of_last_call()->now == anew(w.program(), gpu).now);
  CHECK(answers.begun() == 2);
}

TEST_CASE("a stream that comes later is found, from the start") {
  const config::GpuConfig gpu = config::load("h200");
  workload::Builder w;
  workload::Thread& t = w.thread("main");
  const host::Rules rules;
  Answers answers(gpu, w.program(), rules);
  t.streamQuery({});
  CHECK(answers.of_last_call()->answer == "cudaSuccess");
  const workload::Stream s = w.stream_later("s", true);
  t.streamCreate(s).launch(w.kernel_us("k", 5), s).streamQuery(s);
  CHECK(answers.of_last_call()->answer == "cudaErrorNotReady");
  CHECK(answers.begun() == 2);
}

TEST_CASE("records and queries in turn take the time that they take, and polls that of the kernel") {
  ContextCase c;
  Event &a = c->create_event(0), &b = c->create_event(0), &x = c->create_event(0);
  c->record(a, c.legacy(), false);
  for (int i = 0; i < 1000; ++i) {
    c->record(x, c.legacy(), false);
    c->done(x);
  }
  c->record(b, c.legacy(), false);
  c->synchronize();
  const double ms = c->elapsed_ms(a, b);
  CHECK(ms > 0.5);
  CHECK(ms < 20);
  // From the program's start once: nothing has come that an open run cannot get.
  CHECK(c->timeline().answers().begun() == 1);

  c.kernel_us = 10'000;
  const uint64_t p = c->allocate(128, host::Memory::kDevice);
  c->launch(c.add(p, 1), c.legacy());  // loads it
  c->synchronize();
  c->record(a, c.legacy(), false);
  c->launch(c.add(p, 1), c.legacy());
  c->record(b, c.legacy(), false);
  const size_t calls = c->timeline().builder().program().threads[0].calls.size();
  uint64_t polls = 0;
  for (; !c->done(b); ++polls) {
  }
  CHECK(polls > 10'000);
  CHECK(c->timeline().builder().program().threads[0].calls.size() == calls + 3);
  CHECK(c->elapsed_ms(a, b) == Approx(10).epsilon(0.01));

  // Very long ones are asked about less and less often.
  c.kernel_us = 10e6;
  c->launch(c.add(p, 1), c.legacy());
  c->record(b, c.legacy(), false);
  for (polls = 0; !c->done(b); ++polls) {
  }
  CHECK(polls < 80'000);
  CHECK(c->timeline().builder().program().threads[0].calls.size() < calls + 2000);
}

TEST_CASE("the time between events that are not over, and the other way round") {
  ContextCase c;
  const uint64_t p = c->allocate(128, host::Memory::kDevice);
  Event &a = c->create_event(0), &b = c->create_event(0);
  c.kernel_us = 1000;
  c->launch(c.add(p, 1), c.legacy());  // loads it
  c->synchronize();
  c->record(a, c.legacy(), false);
  c->launch(c.add(p, 1), c.legacy());
  c->record(b, c.legacy(), false);
  CHECK(status([&] { c->elapsed_ms(a, b); }) == Status::kNotReady);
  c->synchronize();
  CHECK(c->elapsed_ms(a, b) == Approx(1).epsilon(0.02));
  CHECK(c->elapsed_ms(b, a) == Approx(-1).epsilon(0.02));
}

}  // namespace
}  // namespace heddle::cuda
