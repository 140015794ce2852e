// A call behind a pause of its thread: host.pauses, by hand.
#include <catch2/catch.hpp>

#include <functional>

#include "frontends/workload/builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;

// 10 us for each factor of ten beyond 1 ms of work, 25 us at most; 20 beyond 2 ms of sleep, 30 at most.
spec::GpuConfig pausing_gpu() {
  spec::GpuConfig gpu = plain_gpu();
  spec::CallPauses& p = *gpu.mutable_host()->mutable_pauses();
  p.set_worked_from_us(1000);
  p.set_worked_decade_ns(10000);
  p.set_worked_most_ns(25000);
  p.set_slept_from_us(2000);
  p.set_slept_decade_ns(20000);
  p.set_slept_most_ns(30000);
  return gpu;
}

// How much longer the program is than its pauses, us.
double more(const std::function<void(Thread&)>& calls, double pauses) {
  Builder w;
  calls(w.thread("t"));
  return us(host::run(w.program(), pausing_gpu()).thread_end.at(0)) - pauses;
}

TEST_CASE("a call behind a pause takes longer by the pause's logarithm, up to a limit") {
  const auto pause = [](double work, double sleep) {
    return more(
        [=](Thread& t) {
          t.deviceSynchronize();
          if (work > 0) {
            t.compute_us(work);
          }
          if (sleep > 0) {
            t.sleep_us(sleep);
          }
          t.deviceSynchronize().deviceSynchronize();  // the second finds everything warm
        },
        work + sleep);
  };
  CHECK(pause(1000, 0) == Approx(0).margin(1e-3));
  CHECK(pause(10000, 0) == Approx(10).margin(1e-3));
  CHECK(pause(100000, 0) == Approx(20).margin(1e-3));
  CHECK(pause(10000000, 0) == Approx(25).margin(1e-3));
  CHECK(pause(0, 2000) == Approx(0).margin(1e-3));
  CHECK(pause(0, 20000) == Approx(20).margin(1e-3));
  CHECK(pause(0, 2000000) == Approx(30).margin(1e-3));
  // What the thread did most of the time.
  CHECK(pause(6000, 4000) == Approx(10).margin(1e-3));
  CHECK(pause(9000, 11000) == Approx(20).margin(1e-3));
}

TEST_CASE("a thread's first call follows no pause, and another thread's calls are its own") {
  CHECK(more([](Thread& t) { t.compute_us(10000).deviceSynchronize(); }, 10000) == Approx(0).margin(1e-3));
  Builder w;
  w.thread("a").deviceSynchronize().compute_us(10000).deviceSynchronize();
  w.thread("b").compute_us(9999).deviceSynchronize();
  const host::Result r = host::run(w.program(), pausing_gpu());
  CHECK(us(r.thread_end.at(0)) == Approx(10010).margin(1e-3));
}

}  // namespace
}  // namespace heddle::hosttest
