// Queues that host threads share: what who waits learns, and how often anybody is asked.
#include <catch2/catch.hpp>

#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;

// What a program in which one thread writes and another reads shows, if the check is on.
struct Hand {
  Builder w;
  Stream s1 = w.stream("s1", true), s2 = w.stream("s2", true);
  Buffer d = w.device("d", 8000);
  Kernel writer = w.kernel_us("writer", 5), reader = w.kernel_us("reader", 5);
  Thread &one = w.thread("one"), &two = w.thread("two");
  size_t findings() {
    host::PlatformOptions o;
    o.check = true;
    const host::Result r = host::run(w.program(), plain_gpu(), o);
    CHECK(r.deadlock.empty());
    return r.findings.size();
  }
};

TEST_CASE("HB: an item of a queue passes on what its thread has waited for") {
  for (const bool waits : {true, false}) {
    Hand h;
    const Queue q = h.w.queue("q");
    h.one.launch(h.writer, h.s1).with({writes(h.d)});
    if (waits) {
      h.one.streamSynchronize(h.s1);
    }
    h.one.put(q);
    h.two.get(q).launch(h.reader, h.s2).with({reads(h.d)});
    CHECK(h.findings() == (waits ? 0 : 1));
  }
}

TEST_CASE("HB: so does the room that a thread makes by taking one") {
  for (const bool waits : {true, false}) {
    Hand h;
    const Queue q = h.w.queue("q", 1);
    h.one.put(q).put(q);  // waits for room
    h.one.launch(h.reader, h.s2).with({reads(h.d)});
    h.two.launch(h.writer, h.s1).with({writes(h.d)});
    if (waits) {
      h.two.streamSynchronize(h.s1);
    }
    h.two.get(q).get(q);
    CHECK(h.findings() == (waits ? 0 : 1));
  }
}

TEST_CASE("a get that waits for more items looks once when its time has come, however many come until then") {
  Builder w;
  const Queue q = w.queue("q");
  w.thread("get").get(q, 1000, 100);
  w.thread("put").compute_us(1).repeat(300, [&](Thread& t) { t.put(q); });
  host::PlatformOptions o;
  o.limits.steps = 330;  // 302 calls, and few events
  const host::Result r = host::run(w.program(), plain_gpu(), o);
  CHECK(us(r.thread_end[0]) == 101);
}

}  // namespace
}  // namespace heddle::hosttest
