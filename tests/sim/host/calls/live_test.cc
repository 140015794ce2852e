// Threads that decide what they call while the program runs; the clock; queues.
#include <catch2/catch.hpp>

#include <functional>

#include "sim/host/program/live_thread.h"
#include "sim/host/program/program_error.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using workload::Builder;

// Calls by number; `decide` gives the next one.
struct Decides final : host::LiveThread {
  std::function<Next(const host::Returned&)> decide;
  Next next(const host::Returned& r) override { return decide(r); }
};

TEST_CASE("a live thread sees times and answers, and its program may grow") {
  Builder w;
  const auto s = w.stream("s", true);
  const auto e = w.event("e");
  auto& t = w.thread("live");
  t.launch(w.kernel_us("k", 10), s).eventRecord(e, s).eventQuery(e).sleep_us(4);
  host::Program p = w.program();
  Decides live;
  std::vector<std::string> seen;
  // The launch, then the query and the sleep in turn.
  size_t step = 0;
  live.decide = [&, second = false](const host::Returned& r) mutable -> host::LiveThread::Next {
    if (!r.answer.empty()) {
      seen.push_back(std::string(r.answer) + " " + std::to_string(r.now.count() / 1000000));
      if (r.answer == "cudaSuccess") {
        if (second) {
          return {host::LiveThread::kEnd};
        }
        second = true;
        p.kernels.push_back(p.kernels[0]);
        p.kernels.back().duration = host::from_us(7);
        p.threads[0].calls.push_back(p.threads[0].calls[0]);
        p.threads[0].calls.back().object = 1;
        step = 1;
        return {4};
      }
      return {3};
    }
    return {step < 2 ? step++ : (step = 2)};
  };
  p.threads[0].live = &live;
  const host::Result r = host::run(p, plain_gpu());
  CHECK(r.deadlock.empty());
  CHECK(r.answers.empty());
  CHECK(seen == std::vector<std::string>{"cudaErrorNotReady 0", "cudaErrorNotReady 4", "cudaErrorNotReady 8",
                                         "cudaSuccess 12", "cudaErrorNotReady 12", "cudaErrorNotReady 16",
                                         "cudaSuccess 20"});
}

TEST_CASE("queues hand items over in turn, wait for more, give up, end") {
  Builder w;
  const auto q = w.queue("q");
  w.thread("put").sleep_us(10).put(q).sleep_us(5).put(q, 2).sleep_us(100).put(q).close(q);
  w.thread("get").get(q, 3, 20).now().get(q, 2, 20, 30).now().get(q, 8, 1000).now().get(q).now();
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(r.deadlock.empty());
  CHECK(answers(r) == std::vector<std::string>{"15000 ns", "45000 ns", "115000 ns", "115000 ns"});
}

TEST_CASE("a queue with room for one holds up who puts") {
  Builder w;
  const auto q = w.queue("q", 1);
  w.thread("put").put(q, 3).now();
  w.thread("get").sleep_us(5).get(q).sleep_us(5).get(q);
  const host::Result r = host::run(w.program(), plain_gpu());
  CHECK(answers(r) == std::vector<std::string>{"10000 ns"});
}

TEST_CASE("who waits for a queue for ever is a deadlock; a put into a closed one an error") {
  Builder w;
  const auto q = w.queue("q");
  w.thread("main").close(q).put(q);
  CHECK(errors(host::run(w.program(), plain_gpu())) == std::vector<std::string>{"cudaErrorUnknown"});
  Builder v;
  v.thread("main").get(v.queue("q"));
  CHECK(host::run(v.program(), plain_gpu()).deadlock ==
        std::vector<std::string>{"thread main ((queue get), call 1) waits for queue q, into which nobody "
                                 "puts anything"});
  Builder none;
  none.thread("main").get(none.queue("q"), 0);
  CHECK_THROWS_AS(host::run(none.program(), plain_gpu()), host::ProgramError);
}

}  // namespace
}  // namespace heddle::hosttest
