// What calls and launches cost for the first time, field by field of host.first.
#include <catch2/catch.hpp>

#include <functional>

#include "frontends/workload/builder.h"
#include "tests/sim/host/support.h"

namespace heddle::hosttest {
namespace {

using namespace workload;

struct Times {
  bool lazy = true, new_process = true;
};

// How much longer the program is on the host when the field is not 0.
int64_t more_ns(const std::function<void(spec::FirstUse&)>& set, const Times& t = {}) {
  Builder w;
  const Stream s = w.stream("s");
  const Buffer b = w.device("b", 4096);
  host::KernelDesc k;
  k.name = "prints";
  k.duration = host::Ps(1);  // nothing on the host waits for it
  k.code = {.module = 7,
            .bytes = 80 << 10,
            .prints = true,
            .module_kernels = 5,
            .module_bytes = 96 << 10,
            .module_prints = true,
            .module_allocates = true};
  const Kernel prints = w.kernel(k);
  k.name = "allocates";
  k.code.prints = false;
  k.code.allocates = true;
  k.code.bytes = 2 << 10;
  const Kernel allocates = w.kernel(k);
  k.name = "of another module";
  k.code = {};
  const Kernel other = w.kernel(k);
  w.thread("t")
      .getDeviceCount()
      .malloc(b)
      .launch(prints, s)
      .launch(allocates, s)
      .launch(prints, s)
      .launch(other, s)
      .free(b);
  host::PlatformOptions o;
  o.rules.lazy_loading = t.lazy;
  o.rules.new_process = t.new_process;
  const auto ends = [&](const spec::GpuConfig& gpu) {
    return host::run(w.program(), gpu, o).thread_end.at(0);
  };
  spec::GpuConfig gpu = plain_gpu();
  const host::Ps before = ends(gpu);
  set(*gpu.mutable_host()->mutable_first());
  return ((ends(gpu) - before).count() + 500) / 1000;  // what a kernel of 1 ps keeps back is not seen
}

TEST_CASE("a new process starts the driver, makes a context, and calls each function for the first time") {
  CHECK(more_ns([](auto& f) { f.set_process_ns(1000); }) == 1000);
  CHECK(more_ns([](auto& f) { f.set_context_ns(500); }) == 500);
  CHECK(more_ns([](auto& f) { f.set_call_ns(30); }) ==
        4 * 30);  // cudaGetDeviceCount, cudaMalloc, cudaLaunchKernel, cudaFree
  for (const auto& set :
       {&spec::FirstUse::set_process_ns, &spec::FirstUse::set_context_ns, &spec::FirstUse::set_call_ns}) {
    CHECK(more_ns([&](auto& f) { (f.*set)(1000); }, {.new_process = false}) == 0);
  }
}

TEST_CASE("LZ02: the first launch on a device, of a module and of a kernel load what they need") {
  CHECK(more_ns([](auto& f) { f.set_launch_ns(70); }) == 70);
  CHECK(more_ns([](auto& f) { f.set_module_ns(50); }) == 2 * 50);
  // The module of five; that of a kernel that says nothing of its module has all three of the program.
  CHECK(more_ns([](auto& f) { f.set_module_kernel_ns(11); }) == (5 + 3) * 11);
  CHECK(more_ns([](auto& f) { f.set_module_ns_per_kib(3); }) == 96 * 3);
  CHECK(more_ns([](auto& f) { f.set_module_printf_ns(900); }) == 900);
  CHECK(more_ns([](auto& f) { f.set_module_heap_ns(800); }) == 800);
  CHECK(more_ns([](auto& f) { f.set_kernel_ns(10); }) == 3 * 10);
  CHECK(more_ns([](auto& f) { f.set_kernel_ns_per_kib(7); }) == (64 + 2) * 7);  // of 80 KiB the first 64
  CHECK(more_ns([](auto& f) { f.set_kernel_copied_ns_per_kib(2); }) == 16 * 2);
  CHECK(more_ns([](auto& f) {
          f.set_kernel_ns_per_kib(7);
          f.set_kernel_copied_from_kib(1);
        }) == (1 + 1) * 7);
  CHECK(more_ns([](auto& f) { f.set_printf_ns(400); }) == 400);
  CHECK(more_ns([](auto& f) { f.set_heap_ns(300); }) == 300);
  CHECK(more_ns([](auto& f) { f.set_kernel_ns(10); }, {.lazy = false}) == 0);
  CHECK(more_ns([](auto& f) { f.set_module_ns(10); }, {.lazy = false}) == 0);
}

}  // namespace
}  // namespace heddle::hosttest
