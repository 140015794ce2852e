// Kernels that launch kernels, in a program's context and on its timeline.
#include <catch2/catch.hpp>

#include "frontends/cuda/nested_calls.h"
#include "tests/runtime/context_case.h"

namespace heddle::cuda {
namespace {

using What = host::DeviceCall::What;
using Into = host::DeviceCall::Into;
using Op = exec::DeviceOp;

NestedCall call(uint64_t block, uint32_t thread, uint32_t kernel, double after,
                Op::Into into = Op::Into::kNullStream) {
  NestedCall c;
  c.op.by_block = block;
  c.op.by_thread = thread;
  c.op.after = after;
  c.op.into = into;
  c.kernel = kernel;
  return c;
}

std::vector<host::DeviceCall> calls_of(const std::vector<NestedCall>& calls) {
  host::KernelDesc k;
  add_calls(k, calls, host::from_us(10));
  return k.calls;
}

// parent(p, n, s): p[0] = 1; child<<<1, n, 100 * n, s>>>(p); child(p): p[thread] += 2.
constexpr const char* kParent = R"(.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12],
  .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);
.visible .entry child(.param .u64 p) {
  .reg .u64 %a; .reg .u32 %t, %v;
  ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 4, %a;
  ld.global.u32 %v, [%a]; add.u32 %v, %v, 2; st.global.u32 [%a], %v; ret;
}
.visible .entry parent(.param .u64 p, .param .u32 threads, .param .u64 stream) {
  .reg .u64 %a, %b, %s; .reg .u32 %v, %n; .reg .pred %q;
  ld.param.u64 %a, [p]; ld.param.u32 %n, [threads]; ld.param.u64 %s, [stream];
  mov.u32 %v, 1; st.global.u32 [%a], %v; mul.lo.u32 %v, %n, 100;
  .param .b64 c0; .param .align 4 .b8 c1[12]; .param .align 4 .b8 c2[12]; .param .b32 c3; .param .b64 r0;
  mov.u64 %b, child; st.param.b64 [c0], %b;
  st.param.b32 [c1], 1; st.param.b32 [c1+4], 1; st.param.b32 [c1+8], 1;
  st.param.b32 [c2], %n; st.param.b32 [c2+4], 1; st.param.b32 [c2+8], 1; st.param.b32 [c3], %v;
  call.uni (r0), __cudaCDP2GetParameterBufferV2, (c0, c1, c2, c3);
  ld.param.b64 %b, [r0];
  st.u64 [%b], %a;
  .param .b64 d0; .param .b64 d1; .param .b32 r1;
  st.param.b64 [d0], %b; st.param.b64 [d1], %s;
  call.uni (r1), __cudaCDP2LaunchDeviceV2, (d0, d1);
  ret;
}
)";

struct Launched {
  ContextCase c;
  std::shared_ptr<modules::Program> program = c->library().load(kParent);
  uint64_t p = c.device(256);

  // Microseconds from the event before to the event after.
  double run(uint32_t threads, uint64_t stream) {
    void* arguments[] = {&p, &threads, &stream};
    KernelWork k;
    k.function = &c->library().function(program, "parent");
    k.parameters = Context::parameters_of(*k.function->kernel, arguments);
    c.zero(p, 256);
    Event &before = c->create_event(0), &after = c->create_event(0);
    c->record(before, c.legacy(), false);
    c->launch(std::move(k), c.legacy());
    c->record(after, c.legacy(), false);
    c->synchronize(after);
    return 1e3 * c->elapsed_ms(before, after);
  }
};

}  // namespace

TEST_CASE("a kernel is complete when what it launched is (DP01)") {
  Launched l;
  l.c.kernel_us = 100;
  constexpr double kLoads = 113;  // us, of the first launch of a module of two kernels: host.first of an H200
  const double with_child = l.run(32, 0) - kLoads;
  CHECK(l.c.launches == 2);
  CHECK(l.c.word(l.p) == 3);
  CHECK(l.c.word(l.p + 4 * 31) == 2);
  CHECK(with_child > 200);  // almost all of the parent's instructions are before the launch
  CHECK(with_child < 250);
  const host::Result r = l.c->timeline().finish();
  CHECK(
      std::any_of(r.spans.begin(), r.spans.end(), [&](const auto& s) { return r.names[s.name] == "child"; }));
}

TEST_CASE("a child that the device cannot have is not launched, and that is said") {
  Launched l;
  l.run(32, 77);  // no stream: the thread's error
  CHECK(l.c.launches == 1);
  CHECK(l.c.word(l.p) == 1);
  l.run(5000, 0);
  CHECK(l.c.launches == 2);
  CHECK(l.c.word(l.p) == 1);
  CHECK(l.c.notes.empty());
  l.run(1000, 0);  // 100,000 bytes of shared memory without asking
  CHECK(l.c.launches == 3);
  CHECK(l.c.word(l.p) == 1);
  REQUIRE(l.c.notes.size() == 1);
  CHECK(l.c.notes[0].find("kernel parent launches child: ") == 0);
}

TEST_CASE("equal calls of many blocks are one of the model's") {
  std::vector<NestedCall> some;
  for (uint64_t b = 0; b < 6; ++b) {
    some.push_back(call(b, 0, 7, 0.5));
    some.push_back(call(b, 0, 8, b < 3 ? 0.6 : 0.8, Op::Into::kTail));
  }
  const auto calls = calls_of(some);
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].kernel == 7);
  CHECK(calls[0].into == Into::kNullStream);
  CHECK(calls[0].blocks == 6);
  CHECK(calls[0].threads == 1);
  CHECK(calls[0].times == 1);
  CHECK(calls[0].after == host::from_us(5));
  CHECK(calls[1].into == Into::kTail);
  CHECK(calls[1].blocks == 6);
  CHECK(calls[1].after == host::from_us(7));  // the mean
}

TEST_CASE("calls of a block's threads at the same time, and of one thread one after the other") {
  std::vector<NestedCall> some;
  for (uint32_t t = 0; t < 32; ++t) {
    some.push_back(call(0, t, 7, 0));
  }
  for (uint32_t i = 0; i < 5; ++i) {
    some.push_back(call(0, 3, 8, 0));
  }
  const auto calls = calls_of(some);
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].threads == 32);
  CHECK(calls[0].times == 1);
  CHECK(calls[1].threads == 1);
  CHECK(calls[1].times == 5);
}

TEST_CASE("streams and events of a grid in the order of their calls") {
  std::vector<NestedCall> some;
  for (const auto what : {Op::What::kLaunch, Op::What::kEventRecord, Op::What::kStreamWaitEvent}) {
    some.push_back(call(0, 0, 0, 0, Op::Into::kStream));
    some.back().op.what = what;
    some.back().op.stream = what == Op::What::kStreamWaitEvent ? 4 : 2;
    some.back().op.event = 9;
  }
  const auto calls = calls_of(some);
  REQUIRE(calls.size() == 3);
  CHECK(calls[0].what == What::kLaunch);
  CHECK(calls[0].stream == 0);
  CHECK(calls[1].what == What::kEventRecord);
  CHECK(calls[1].event == 0);
  CHECK(calls[2].what == What::kStreamWaitEvent);
  CHECK(calls[2].stream == 1);
  CHECK(calls[2].event == 0);
}

}  // namespace heddle::cuda
