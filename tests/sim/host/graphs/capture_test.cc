// Stream capture: cuda-model A15, GR09 to GR15.
#include <catch2/catch.hpp>
#include <string>

#include "frontends/workload/graph_builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;  // the builder's functions
using host::CaptureMode;
using Strings = std::vector<std::string>;

struct Program {
  Builder w;
  Stream s = w.stream("s", true), s2 = w.stream("s2", true), b = w.stream("b");
  Event e = w.event("e"), e2 = w.event("e2");
  Graph g = add_graph(w, "g");
  GraphExec x = add_graph_exec(w, "x");
  Thread& main = w.thread("main");
  Kernel k = w.kernel_us("k", 10);

  Kernel kernel(const std::string& name, double us = 10) { return w.kernel_us(name, us); }
  void launch() { main.graphInstantiate(x, g).graphLaunch(x, s).streamSynchronize(s); }
  host::Result run() { return host::run(w.program(), plain_gpu(), {{}, true}); }
};

TEST_CASE("GR09: what a capturing stream is given does not run, and is the graph") {
  Program p;
  p.main.streamBeginCapture(p.s).launch(p.k, p.s).launch(p.k, p.s).streamEndCapture(p.s, p.g);
  CHECK(p.run().commands == 0);
  p.launch();
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(in_stream(r, "s", "k", 1).start == 10);
  CHECK(us(r.end) == 20);
}

TEST_CASE("GR09: the legacy stream cannot be captured, a capture cannot begin twice") {
  Program p;
  p.main.streamBeginCapture({}).streamBeginCapture(p.s).streamBeginCapture(p.s).streamEndCapture(p.s2, p.g);
  CHECK(errors(p.run()) ==
        Strings{"cudaErrorStreamCaptureUnsupported", "cudaErrorIllegalState", "cudaErrorIllegalState"});
}

TEST_CASE("GR09: a capture into a graph that has nodes already") {
  Program p;
  kernel_node(p.w, p.g, p.kernel("old"));
  p.main.streamBeginCaptureToGraph(p.s, p.g).launch(p.k, p.s).streamEndCapture(p.s, p.g);
  p.launch();
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(in_stream(r, "s", "old").start == 0);
  CHECK(in_stream(r, "s", "k").start == 0);
}

TEST_CASE("C21 GR10 GR11: fork and join by events give the diamond") {
  Program p;
  p.main.streamBeginCapture(p.s).launch(p.kernel("A"), p.s).eventRecord(p.e, p.s);
  p.main.launch(p.kernel("B", 20), p.s).streamWaitEvent(p.s2, p.e).launch(p.kernel("C"), p.s2);
  p.main.eventRecord(p.e2, p.s2).streamWaitEvent(p.s, p.e2).launch(p.kernel("D"), p.s);
  p.main.streamEndCapture(p.s, p.g);
  p.launch();
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(in_stream(r, "s", "A").start == 0);
  CHECK(in_stream(r, "s", "B").start == 10);
  CHECK(in_stream(r, "s", "C").start == 10);
  CHECK(in_stream(r, "s", "D").start == 30);
  // The forked stream is an ordinary one again.
  p.main.launch(p.kernel("later"), p.s2);
  CHECK(in_stream(p.run(), "s2", "later").start == 40);
}

TEST_CASE("C25: the reduction in two stages, captured") {
  Program p;
  const Buffer in = p.w.pinned("in", h2d_bytes(100)), dev = p.w.device("dev", h2d_bytes(100));
  const Buffer partial = p.w.device("partial", 4096), out = p.w.device("out", 8),
               result = p.w.pinned("result", 8);
  const Stream s3 = p.w.stream("s3", true);
  const Event fork = p.w.event("fork"), set_b = p.w.event("set b");
  p.main.streamBeginCapture(p.s).eventRecord(fork, p.s).streamWaitEvent(p.s2, fork).streamWaitEvent(s3, fork);
  p.main.memcpyAsync(dev, in, p.s).memsetAsync(partial, p.s2).eventRecord(p.e, p.s2).memsetAsync(out, s3);
  p.main.eventRecord(set_b, s3).streamWaitEvent(p.s, p.e).launch(p.kernel("reduce", 50), p.s);
  p.main.streamWaitEvent(p.s, set_b).launch(p.kernel("reduceFinal", 5), p.s);
  p.main.memcpyAsync(result, out, p.s).launchHostFunc(p.s, 3).streamEndCapture(p.s, p.g);
  p.launch();
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(r.commands == 9);  // seven nodes, the launch's start and its end
  CHECK(in_stream(r, "s", "cudaMemset", 1).start == 0);
  CHECK(in_stream(r, "s", "reduce").start == Approx(100).margin(0.04));
  CHECK(in_stream(r, "s", "reduceFinal").start == Approx(150).margin(0.04));
  CHECK(us(r.end) == Approx(158).margin(0.08));
}

TEST_CASE("GR11: a capture ends in its origin stream, with all forks joined") {
  Program p;
  p.main.streamBeginCapture(p.s).launch(p.k, p.s).eventRecord(p.e, p.s).streamWaitEvent(p.s2, p.e);
  SECTION("a fork without work is no work that is lost") {
    p.main.streamEndCapture(p.s, p.g);
    CHECK(p.run().errors.empty());
  }
  p.main.launch(p.k, p.s2);
  SECTION("not joined") {
    p.main.streamEndCapture(p.s, p.g);
    p.launch();
    CHECK(errors(p.run()) ==
          Strings{"cudaErrorStreamCaptureUnjoined", "cudaErrorInvalidValue", "cudaErrorInvalidValue"});
  }
  SECTION("ended in the other stream") {
    p.main.streamEndCapture(p.s2, p.g).streamEndCapture(p.s, p.g);
    CHECK(errors(p.run()) == Strings{"cudaErrorStreamCaptureUnmatched", "cudaErrorStreamCaptureInvalidated"});
  }
}

TEST_CASE("GR12: the next work of the stream waits for the last before the capture") {
  Program p;
  p.main.launch(p.kernel("before"), p.s).streamBeginCapture(p.s).launch(p.k, p.s).streamEndCapture(p.s, p.g);
  p.main.launch(p.kernel("after"), p.s);
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(in_stream(r, "s", "after").start == 10);
  CHECK(r.commands == 2);
}

TEST_CASE("GR13 GR14: calls that a capture does not allow end it") {
  Program p;
  const Buffer h = p.w.pinned("h", 8), d = p.w.device("d", 8);
  std::string error;
  Stream origin = p.s;
  SECTION("waiting for the stream") {
    p.main.streamBeginCapture(origin).streamSynchronize(origin);
    error = "cudaErrorStreamCaptureUnsupported";
  }
  SECTION("asking for it") {
    p.main.streamBeginCapture(origin).streamQuery(origin);
    error = "cudaErrorStreamCaptureUnsupported";
  }
  SECTION("waiting for the device") {
    p.main.streamBeginCapture(origin).deviceSynchronize();
    error = "cudaErrorStreamCaptureUnsupported";
  }
  SECTION("waiting for an event of the capture") {
    p.main.streamBeginCapture(origin).eventRecord(p.e, origin).eventSynchronize(p.e);
    error = "cudaErrorCapturedEvent";
  }
  SECTION("asking for it") {
    p.main.streamBeginCapture(origin).eventRecord(p.e, origin).eventQuery(p.e);
    error = "cudaErrorCapturedEvent";
  }
  SECTION("the legacy stream while a blocking stream captures") {
    origin = p.b;
    p.main.streamBeginCapture(origin).launch(p.k);
    error = "cudaErrorStreamCaptureImplicit";
  }
  SECTION("a plain copy, which goes there") {
    origin = p.b;
    p.main.streamBeginCapture(origin).memcpy(d, h);
    error = "cudaErrorStreamCaptureImplicit";
  }
  SECTION("an event from outside") {
    p.main.launch(p.k, p.s2).eventRecord(p.e, p.s2).streamBeginCapture(origin).streamWaitEvent(origin, p.e);
    error = "cudaErrorStreamCaptureIsolation";
  }
  SECTION("device memory") {
    p.main.streamBeginCapture(origin).malloc(4096);
    error = "cudaErrorStreamCaptureUnsupported";
  }
  SECTION("device memory, of a thread's own capture") {
    p.main.streamBeginCapture(origin, CaptureMode::kThreadLocal).malloc(4096);
    error = "cudaErrorStreamCaptureUnsupported";
  }
  p.main.streamGetCaptureInfo(origin)
      .launch(p.k, origin)
      .streamEndCapture(origin, p.g)
      .streamGetCaptureInfo(origin);
  const host::Result r = p.run();
  CHECK(errors(r) ==
        Strings{error, "cudaErrorStreamCaptureInvalidated", "cudaErrorStreamCaptureInvalidated"});
  CHECK(answers(r) == Strings{"cudaStreamCaptureStatusInvalidated", "cudaStreamCaptureStatusNone"});
}

TEST_CASE("GR13: two captures cannot become one, both are lost") {
  Program p;
  const Graph other = add_graph(p.w, "other");
  p.main.streamBeginCapture(p.s).streamBeginCapture(p.s2).launch(p.k, p.s).eventRecord(p.e, p.s);
  p.main.streamWaitEvent(p.s2, p.e).streamEndCapture(p.s, p.g).streamEndCapture(p.s2, other);
  CHECK(errors(p.run()) == Strings{"cudaErrorStreamCaptureMerge", "cudaErrorStreamCaptureInvalidated",
                                   "cudaErrorStreamCaptureInvalidated"});
}

TEST_CASE("GR13: what is allowed after all") {
  Program p;
  SECTION("the legacy stream beside a capture of a non-blocking stream") {
    p.main.streamBeginCapture(p.s).launch(p.k).streamSynchronize().launch(p.k, p.s);
  }
  SECTION("another stream's work, and waiting for it") {
    p.main.streamBeginCapture(p.s).launch(p.k, p.s2).streamSynchronize(p.s2).launch(p.k, p.s);
  }
  SECTION("device memory in relaxed mode") {
    p.main.streamBeginCapture(p.s, CaptureMode::kRelaxed).malloc(4096).launch(p.k, p.s);
  }
  SECTION("an event from outside, as external: a node that waits") {
    p.main.launch(p.k, p.s2).eventRecord(p.e, p.s2).streamBeginCapture(p.s);
    p.main.streamWaitEventExternal(p.s, p.e).launch(p.k, p.s).eventRecordExternal(p.e2, p.s);
  }
  p.main.streamEndCapture(p.s, p.g);
  p.launch();
  const host::Result r = p.run();
  CHECK(r.errors.empty());
  CHECK(us(r.end) >= 10);
}

TEST_CASE("GR13: threads and modes") {
  Program p;
  const Flag capturing = p.w.flag("capturing"), done = p.w.flag("done");
  Thread& other = p.w.thread("other");
  SECTION("a global capture forbids also what other threads do") {
    p.main.streamBeginCapture(p.s).launch(p.k, p.s).setFlag(capturing).waitFlag(done).streamEndCapture(p.s,
                                                                                                       p.g);
    other.waitFlag(capturing).malloc(4096).setFlag(done);
    CHECK(errors(p.run()) ==
          Strings{"cudaErrorStreamCaptureUnsupported", "cudaErrorStreamCaptureInvalidated"});
  }
  SECTION("a thread-local one does not") {
    p.main.streamBeginCapture(p.s, CaptureMode::kThreadLocal)
        .launch(p.k, p.s)
        .setFlag(capturing)
        .waitFlag(done);
    p.main.streamEndCapture(p.s, p.g);
    other.waitFlag(capturing).malloc(4096).setFlag(done);
    CHECK(p.run().errors.empty());
  }
  SECTION("the thread that began ends") {
    p.main.streamBeginCapture(p.s).setFlag(capturing);
    other.waitFlag(capturing).streamEndCapture(p.s, p.g);
    CHECK(errors(p.run()) == Strings{"cudaErrorStreamCaptureWrongThread"});
  }
  SECTION("unless it is relaxed") {
    p.main.streamBeginCapture(p.s, CaptureMode::kRelaxed).setFlag(capturing);
    other.waitFlag(capturing).streamEndCapture(p.s, p.g);
    CHECK(p.run().errors.empty());
  }
}

TEST_CASE("GR15: status, id, what the next node waits for") {
  Program p;
  const Graph other = add_graph(p.w, "other");
  p.main.streamGetCaptureInfo(p.s).streamBeginCapture(p.s).streamGetCaptureInfo(p.s);
  p.main.launch(p.k, p.s).eventRecord(p.e, p.s).streamWaitEvent(p.s2, p.e).launch(p.k, p.s2).eventRecord(
      p.e2, p.s2);
  p.main.launch(p.k, p.s).streamWaitEvent(p.s, p.e2).streamGetCaptureInfo(p.s).streamGetCaptureInfo(p.s2);
  p.main.launch(p.k, p.s).streamEndCapture(p.s, p.g).streamBeginCapture(p.s).streamGetCaptureInfo(p.s);
  p.main.streamEndCapture(p.s, other);
  CHECK(answers(p.run()) == Strings{"cudaStreamCaptureStatusNone",
                                    "cudaStreamCaptureStatusActive, id 1, next after nothing",
                                    "cudaStreamCaptureStatusActive, id 1, next after 2 1",
                                    "cudaStreamCaptureStatusActive, id 1, next after 1",
                                    "cudaStreamCaptureStatusActive, id 2, next after nothing"});
}

}  // namespace
}  // namespace heddle::hosttest
