// --check: undefined behaviour by the declared accesses.
#include <catch2/catch.hpp>

#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using host::Memory;
using workload::atomics;
using workload::Buffer;
using workload::Builder;
using workload::Event;
using workload::Kernel;
using workload::reads;
using workload::Stream;
using workload::Thread;
using workload::updates;
using workload::writes;

struct Program {
  Builder w;
  Stream s1 = w.stream("s1", true), s2 = w.stream("s2", true);
  Event e = w.event("e");
  Buffer d = w.device("d", 8000), h = w.pinned("h", 8000);
  Buffer later = w.later("later", Memory::kDevice, 8000);
  Kernel k = w.kernel_us("k", 5), j = w.kernel_us("j", 5);
  Thread& main = w.thread("main");
  // "race d: cudaLaunchKernel j 2, cudaLaunchKernel k 1": calls by their numbers from 1 on.
  std::vector<std::string> run(bool check = true) {
    std::vector<std::string> out;
    host::PlatformOptions o;
    o.check = check;
    for (const host::Finding& f : host::run(w.program(), plain_gpu(), o).findings) {
      out.push_back(f.kind + " " + f.buffer + ": " + f.call.api + " " + std::to_string(f.call.call + 1) +
                    (f.other.api.empty() ? "" : ", " + f.other.api + " " + std::to_string(f.other.call + 1)));
    }
    return out;
  }
};

using Lines = std::vector<std::string>;

TEST_CASE("races: two streams, one of which writes, without an event") {
  Program p;
  p.main.launch(p.k, p.s1).with({writes(p.d)}).launch(p.j, p.s2).with({reads(p.d)});
  CHECK(p.run() == Lines{"race d: cudaLaunchKernel j 2, cudaLaunchKernel k 1"});
  CHECK(p.run(false).empty());
}

TEST_CASE("no race: events, one stream, a synchronisation, reads, other bytes, atomics") {
  Program p;
  SECTION("ST07: event") {
    p.main.launch(p.k, p.s1).with({writes(p.d)}).eventRecord(p.e, p.s1).streamWaitEvent(p.s2, p.e);
    p.main.launch(p.j, p.s2).with({updates(p.d)});
  }
  SECTION("ST01: one stream") {
    p.main.launch(p.k, p.s1).with({writes(p.d)}).launch(p.j, p.s1).with({writes(p.d)});
  }
  SECTION("ST06: synchronisation") {
    p.main.launch(p.k, p.s1).with({writes(p.d)}).streamSynchronize(p.s1);
    p.main.launch(p.j, p.s2).with({writes(p.d)}).deviceSynchronize().memcpyAsync(p.h, p.d, p.s1);
  }
  SECTION("ST04: the legacy default stream") {
    const Stream b = p.w.stream("blocking"), c = p.w.stream("blocking 2");
    p.main.launch(p.k, b)
        .with({writes(p.d)})
        .launch(p.j)
        .with({writes(p.d)})
        .launch(p.k, c)
        .with({writes(p.d)});
  }
  SECTION("reads") { p.main.launch(p.k, p.s1).with({reads(p.d)}).launch(p.j, p.s2).with({reads(p.d)}); }
  SECTION("other bytes") {
    p.main.launch(p.k, p.s1).with({writes(p.d, 0, 4000)}).memcpyAsync(p.d, p.h, p.s2, 4000).at(4000);
  }
  SECTION("atomics") { p.main.launch(p.k, p.s1).with({atomics(p.d)}).launch(p.j, p.s2).with({atomics(p.d)}); }
  SECTION("EV06: a query that says that the event is done") {
    p.main.launch(p.k, p.s1).with({writes(p.d)}).eventRecord(p.e, p.s1).compute_us(10).eventQuery(p.e);
    p.main.launch(p.j, p.s2).with({writes(p.d)});
  }
  CHECK(p.run() == Lines{});
}

TEST_CASE("races: what orders too little") {
  Program p;
  SECTION("ST05: the legacy stream does not order a non-blocking one") {
    p.main.launch(p.k, p.s1).with({writes(p.d)}).launch(p.j).with({writes(p.d)});
    CHECK(p.run() == Lines{"race d: cudaLaunchKernel j 2, cudaLaunchKernel k 1"});
  }
  SECTION("EV02: an event recorded before the work") {
    p.main.eventRecord(p.e, p.s1).launch(p.k, p.s1).with({writes(p.d)}).streamWaitEvent(p.s2, p.e);
    p.main.launch(p.j, p.s2).with({writes(p.d)});
    CHECK(p.run() == Lines{"race d: cudaLaunchKernel j 4, cudaLaunchKernel k 2"});
  }
  SECTION("time alone does not order; the second writer of three is ordered with both") {
    p.main.launch(p.k, p.s1).with({writes(p.d)}).compute_us(100).launch(p.j, p.s2).with({writes(p.d)});
    p.main.eventRecord(p.e, p.s1).streamWaitEvent(p.s2, p.e).launch(p.j, p.s2).with({writes(p.d)});
    CHECK(p.run() == Lines{"race d: cudaLaunchKernel j 3, cudaLaunchKernel k 1"});
  }
  SECTION("copies read and write their buffers; a loop is one line") {
    p.main.repeat(5, [&](Thread& t) { t.memcpyAsync(p.d, p.h, p.s1).memcpyAsync(p.h, p.d, p.s2); });
    const Lines found = p.run();
    REQUIRE(found.size() == 4);
    CHECK(found[0] == "race d: cudaMemcpyAsync 2, cudaMemcpyAsync 1");
    CHECK(found[1] == "race h: cudaMemcpyAsync 2, cudaMemcpyAsync 1");
  }
  SECTION("threads") {
    p.w.thread("other").launch(p.k, p.s1).with({writes(p.d)});
    p.main.compute_us(1).launch(p.j, p.s2).with({writes(p.d)});
    CHECK(p.run() == Lines{"race d: cudaLaunchKernel j 2, cudaLaunchKernel k 1"});
  }
}

TEST_CASE("HM05: the host's own accesses") {
  Program p;
  const Buffer m = p.w.buffer("m", Memory::kMapped, 8000);
  p.main.hostAccess({writes(m)}).launch(p.k, p.s1).with({updates(m)}).hostAccess({reads(m)});
  p.main.streamSynchronize(p.s1).hostAccess({updates(m)});
  CHECK(p.run() == Lines{"race m: (host access) 3, cudaLaunchKernel k 2"});
}

TEST_CASE("AX02 AX05: which copies let the host use the buffer again") {
  Program p;
  const Buffer page = p.w.pageable("page", 8000);
  SECTION("pinned, asynchronous: after a synchronisation only") {
    p.main.memcpyAsync(p.d, p.h, p.s1).hostAccess({writes(p.h)});
    CHECK(p.run() == Lines{"race h: (host access) 2, cudaMemcpyAsync 1"});
  }
  SECTION("pageable: the call has read it") {
    p.main.memcpyAsync(p.d, page, p.s1).hostAccess({writes(page)}).memcpyAsync(page, p.d, p.s1);
    p.main.hostAccess({reads(page)});
    CHECK(p.run() == Lines{});
  }
  SECTION("synchronous") {
    p.main.memcpy(p.h, p.d).hostAccess({reads(p.h)});
    CHECK(p.run() == Lines{});
  }
}

TEST_CASE("SO02: use after free, use before allocation, free while in use") {
  Program p;
  SECTION("the stream's own order is enough") {
    p.main.mallocAsync(p.later, p.s1).launch(p.k, p.s1).with({writes(p.later)}).freeAsync(p.later, p.s1);
    CHECK(p.run() == Lines{});
  }
  SECTION("after the free, in the same stream") {
    p.main.mallocAsync(p.later, p.s1).freeAsync(p.later, p.s1).launch(p.k, p.s1).with({writes(p.later)});
    CHECK(p.run() == Lines{"use after free later: cudaLaunchKernel k 3, cudaFreeAsync 2"});
  }
  SECTION("another stream that does not wait for the allocation") {
    p.main.mallocAsync(p.later, p.s1).launch(p.k, p.s2).with({writes(p.later)});
    CHECK(p.run() == Lines{"use before allocation later: cudaLaunchKernel k 2, cudaMallocAsync 1"});
  }
  SECTION("before any allocation") {
    p.main.launch(p.k, p.s2).with({writes(p.later)});
    CHECK(p.run() == Lines{"use before allocation later: cudaLaunchKernel k 1"});
  }
  SECTION("a free that does not wait for another stream's use") {
    p.main.mallocAsync(p.later, p.s1).eventRecord(p.e, p.s1).streamWaitEvent(p.s2, p.e);
    p.main.launch(p.k, p.s2).with({reads(p.later)}).freeAsync(p.later, p.s1);
    CHECK(p.run() == Lines{"free while in use later: cudaFreeAsync 5, cudaLaunchKernel k 4"});
  }
  SECTION("cudaFree waits for the device, so only what follows is wrong") {
    p.main.malloc(p.later).launch(p.k, p.s1).with({reads(p.later)}).free(p.later);
    p.main.launch(p.k, p.s1).with({reads(p.later)}).malloc(p.later).launch(p.j, p.s2).with({reads(p.later)});
    CHECK(p.run() == Lines{"use after free later: cudaLaunchKernel k 4, cudaFree 3"});
  }
  SECTION("cudaFree of a pool's memory does not wait") {
    p.main.mallocAsync(p.later, p.s1).launch(p.k, p.s1).with({reads(p.later)}).free(p.later);
    CHECK(p.run() == Lines{"free while in use later: cudaFree 3, cudaLaunchKernel k 2"});
  }
}

}  // namespace
TEST_CASE("HM07: atomics of host and device on mapped memory are not atomic with each other") {
  const auto findings = [](Memory memory, bool ordered) {
    Program p;
    const Buffer m = p.w.buffer("m", memory, 8000);
    p.main.launch(p.k, p.s1).with({atomics(m)}).launch(p.j, p.s2).with({atomics(m)});
    if (ordered) {
      p.main.deviceSynchronize();
    }
    p.main.hostAccess({atomics(m)});
    return p.run();
  };
  // The two kernels' are atomic with each other.
  const std::string what =
      "atomics of host and device on mapped memory m: (host access) 3, cudaLaunchKernel ";
  CHECK(findings(Memory::kMapped, false) == std::vector<std::string>{what + "k 1", what + "j 2"});
  CHECK(findings(Memory::kMapped, true).empty());
  CHECK(findings(Memory::kManaged, false).empty());  // C71
}

}  // namespace heddle::hosttest
