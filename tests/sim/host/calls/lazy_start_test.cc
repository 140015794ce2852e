// Work that starts only when it is asked for (FP05), with what else programs do.
#include <catch2/catch.hpp>

#include <random>

#include "frontends/workload/builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;

host::Result run(const Builder& w, const spec::GpuConfig& gpu, bool lazy = true) {
  host::PlatformOptions o;
  o.rules.lazy_start = lazy;
  o.limits.steps = 100000;
  return host::run(w.program(), gpu, o);
}

// Calls and latencies take time, as on a machine.
spec::GpuConfig slow_gpu() {
  spec::GpuConfig g = plain_gpu();
  g.mutable_host()->mutable_calls()->set_launch_ns(2000);
  g.mutable_host()->mutable_calls()->set_memcpy_ns(3000);
  g.mutable_host()->mutable_latency()->set_submit_ns(1000);
  g.mutable_host()->mutable_latency()->set_kernel_start_ns(700);
  g.mutable_host()->mutable_latency()->set_other_stream_ns(900);
  return g;
}

}  // namespace

TEST_CASE("FP05: a command that nobody has asked for does not start when what it waits for ends") {
  Builder w;
  const Stream s = w.stream("s1");
  const Buffer b0 = w.device("b0", 8192), b2 = w.device("b2", 65536), b3 = w.device("b3", 8192);
  w.thread("t0").memset(b2);
  // The plain copy asks for the memset; the second copy waits for the first, which nobody asks for until the
  // end.
  w.thread("t2").memcpy(b0, b3, 4096).memcpyAsync(b3, b0, s, 4096);
  for (const auto& gpu : {plain_gpu(), slow_gpu()}) {
    const host::Result r = run(w, gpu);
    CHECK(r.deadlock.empty());
    CHECK(r.commands == 3);
    CHECK(span(r, "device 0 copy inside", "copy D2D", 1).start >=
          span(r, "device 0 copy inside", "copy D2D", 0).end);
    CHECK(span(r, "device 0 copy inside", "copy D2D", 2).start == -1);
  }
}

TEST_CASE("FP04: a copy that waits asks for what it waits for") {
  for (const auto memory : {host::Memory::kPinned, host::Memory::kPageable}) {
    for (const bool to_device : {true, false}) {
      Builder w;
      const Buffer d = w.device("d", 4 << 20), h = w.buffer("h", memory, 4 << 20);
      w.thread("t").memcpy(to_device ? d : h, to_device ? h : d);
      INFO(static_cast<int>(memory) << to_device);
      const host::Result r = run(w, slow_gpu());
      CHECK(r.deadlock.empty());
      CHECK(r.end == run(w, slow_gpu(), false).end);
    }
  }
  // The host's own copy waits for the stream.
  Builder w;
  const Buffer a = w.pinned("a", 4096), b = w.pinned("b", 4096);
  w.thread("t").launch(w.kernel_us("k", 5)).memcpy(a, b).deviceSynchronize();
  CHECK(us(run(w, plain_gpu()).end) == 5);
}

TEST_CASE("FP04: a blocking launch asks for its kernel") {
  Builder w;
  w.thread("t").launch(w.kernel_us("k", 5)).launch(w.kernel_us("l", 5));
  host::PlatformOptions o;
  o.rules.lazy_start = o.rules.launch_blocking = true;
  const host::Result r = host::run(w.program(), plain_gpu(), o);
  CHECK(r.deadlock.empty());
  CHECK(us(r.end) == 10);
}

TEST_CASE("AX15: what is held back is not more than the queues take") {
  Builder w;
  const Flag f = w.flag("f");
  host::KernelDesc k;
  k.name = "k";
  k.duration = host::from_us(1);
  k.sets_flag = f.id;
  const Kernel kernel = w.kernel(k);
  w.thread("t").repeat(5000, [&](Thread& t) { t.launch(kernel); }).waitFlag(f);
  CHECK(run(w, plain_gpu()).deadlock.empty());
}

namespace {

// A program that is right: whatever is waited for is given to a device before, by the thread that waits or an
// earlier one, and nothing waits for what comes later.
class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed), devices_(1 + below(2)), w_(devices_) {
    for (uint32_t i = 0; i < devices_; ++i) {
      streams_.push_back(w_.legacy(i));
    }
    for (uint32_t i = 0; i < 3; ++i) {
      const auto n = std::to_string(i);
      streams_.push_back(
          w_.stream("s" + n, below(2) == 0, static_cast<int32_t>(below(3)) - 1, below(devices_)));
      events_.push_back(w_.event("e" + n, below(2) == 0));
      constexpr host::Memory kMemory[] = {host::Memory::kDevice, host::Memory::kPinned,
                                          host::Memory::kPageable, host::Memory::kManaged};
      buffers_.push_back(w_.device("d" + n, 4096u << below(8), below(devices_)));
      buffers_.push_back(w_.buffer("b" + n, kMemory[below(4)], 4096u << below(8)));
      kernels_.push_back(below(2) == 0
                             ? w_.kernel_us("k" + n, 1 + below(20))
                             : w_.kernel_blocks("k" + n, 1 + below(40), 32u << below(6), 1 + below(5)));
    }
    for (uint32_t t = 0, threads = 1 + below(3); t < threads; ++t) {
      Thread& thread = w_.thread("t" + std::to_string(t));
      for (uint32_t i = 0, calls = 1 + below(12); i < calls; ++i) {
        below(8) == 0 ? (void)thread.repeat(below(4), [&](Thread& body) { add(body), add(body); })
                      : add(thread);
      }
    }
  }
  const host::Program& program() const { return w_.program(); }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  template <class T>
  T any(const std::vector<T>& all) {
    return all[below(static_cast<uint32_t>(all.size()))];
  }
  void add(Thread& t) {
    const Stream s = any(streams_);
    const uint64_t bytes = 1u << below(13);
    switch (below(15)) {
      case 0:
      case 1:
      case 2:
        t.launch(any(kernels_), s);
        break;
      case 3:
      case 4:
        t.memcpyAsync(any(buffers_), any(buffers_), s, bytes);
        break;
      case 5:
        t.memcpy(any(buffers_), any(buffers_), bytes, 1, s);
        break;
      case 6:
        t.memsetAsync(any(buffers_), s, bytes);
        break;
      case 7:
        t.memset(any(buffers_), bytes);
        break;
      case 8:
        t.eventRecord(any(events_), s);
        break;
      case 9:
        t.streamWaitEvent(s, any(events_));
        break;
      case 10:
        t.eventSynchronize(any(events_));
        break;
      case 11:
        t.streamSynchronize(s);
        break;
      case 12:
        t.launchHostFunc(s, below(10));
        break;
      case 13:
        below(2) == 0 ? t.eventQuery(any(events_)) : t.setDevice(below(devices_));
        break;
      default:
        below(3) == 0 ? t.deviceSynchronize() : t.compute_us(below(30));
    }
  }

  std::mt19937_64 random_;
  uint32_t devices_;
  Builder w_;
  std::vector<Stream> streams_;
  std::vector<Event> events_;
  std::vector<Buffer> buffers_;
  std::vector<Kernel> kernels_;
};

}  // namespace

TEST_CASE("FP05: random programs come to their end, whatever drivers may hold back") {
  const std::vector<spec::GpuConfig> gpus = {plain_gpu(), slow_gpu()};
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const RandomProgram random(seed);
    INFO("seed " << seed);
    uint64_t calls = 0;
    for (const bool lazy : {false, true}) {
      host::PlatformOptions o;
      o.rules.lazy_start = lazy;
      o.rules.lazy_loading = seed % 3 == 0;
      o.rules.implicit_sync_12_4 = seed % 5 == 0;
      o.rules.launch_blocking = seed % 7 == 0;
      o.check = seed % 2 == 0;
      o.limits.steps = 20000;
      const host::Result r = host::run(random.program(), gpus[seed / 2 % 2], o);
      REQUIRE(r.deadlock == std::vector<std::string>{});
      // The same calls, and no track does two things at a time where there is one thing that does them.
      REQUIRE((!lazy || r.operations == calls));
      calls = r.operations;
      host::Ps until{};
      for (size_t i = 0; i < r.spans.size(); ++i) {
        until = i > 0 && r.spans[i - 1].track == r.spans[i].track ? until : host::Ps();
        const bool stream = r.tracks[r.spans[i].track].name.find(" stream ") != std::string::npos;
        REQUIRE((!stream || r.spans[i].start >= until));
        until = r.spans[i].end;
      }
    }
  }
}

}  // namespace heddle::hosttest
