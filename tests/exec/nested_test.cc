// Kernels that launch kernels (cuda-model A27): the kernels of tests/runtime/programs/nested.cu, whose
// results an H200 has printed (nested.out), from nvcc's PTX; and what is put down of their launches.
#include <catch2/catch.hpp>

#include <numeric>
#include <vector>

#include "frontends/modules/nested.h"
#include "frontends/modules/program.h"
#include "sim/exec/device_runtime.h"
#include "sim/exec/execute.h"

namespace heddle::modules {
namespace {

struct Nests {
  Nests() : program(load("tests/exec/data/nested.ptx", memory)) {}
  explicit Nests(std::string ptx) : program(ptx_program("k.ptx", std::move(ptx), memory)) {}

  exec::Memory memory;
  std::unique_ptr<Program> program;
  exec::ExecuteResult parent, children;

  uint64_t words(size_t n) {
    const uint64_t at = memory.allocate(n * 4);
    put(at, std::vector<int32_t>(n));
    return at;
  }
  void put(uint64_t at, const std::vector<int32_t>& x) {
    memory.write(at, {reinterpret_cast<const uint8_t*>(x.data()), x.size() * 4});
  }
  std::vector<int32_t> get(uint64_t at, size_t n) const {
    std::vector<int32_t> out(n);
    memory.read(at, {reinterpret_cast<uint8_t*>(out.data()), n * 4});
    return out;
  }
  exec::Launch launch(const char* name, uint32_t grid, uint32_t block,
                      const std::vector<uint64_t>& arguments) {
    const Kernel& k = program->kernel(name);
    exec::Launch out = program->launch(k);
    out.grid = {grid, 1, 1};
    out.block = {block, 1, 1};
    for (size_t i = 0; i < arguments.size(); ++i) {
      set_parameter(k, i, arguments[i], out);
    }
    return out;
  }
  void run(const char* name, uint32_t grid, uint32_t block, const std::vector<uint64_t>& arguments,
           int threads = 1) {
    exec::ExecuteOptions o;
    o.threads = threads;
    const exec::Launch l = launch(name, grid, block, arguments);
    parent = exec::execute(l, o);
    children = execute_nested(*program, l, o);
  }
};

}  // namespace

TEST_CASE("C51: a tail launch prints behind the child (DP06)") {
  Nests n;
  n.run("_Z11hello_worldv", 1, 1, {});
  CHECK(n.parent.output.empty());
  CHECK(n.children.output == "Hello World!\n");
  CHECK(n.children.launches == 2);
}

TEST_CASE("C46: a child sees what its parent wrote before the launch (DP09)") {
  Nests n;
  const uint64_t data = n.words(256);
  n.run("_Z6parentPi", 1, 256, {data});
  std::vector<int32_t> expected(256);
  std::iota(expected.begin(), expected.end(), 2);
  CHECK(n.get(data, 256) == expected);
}

TEST_CASE("a tree of grids, and a kernel that launches itself as its tail") {
  Nests n;
  const uint64_t data = n.words(64);
  n.run("_Z4treePiii", 1, 1, {data, 64, 0});
  CHECK(n.get(data, 64) == std::vector<int32_t>(64, 6));
  CHECK(n.children.launches == 126);
  n.put(data, {0});
  n.run("_Z5againPii", 1, 1, {data, 100});
  CHECK(n.get(data, 1)[0] == 100);
  CHECK(n.children.launches == 99);
}

TEST_CASE("each block's NULL stream keeps its order, whatever the number of threads (DP04)") {
  for (const int threads : {1, 3}) {
    Nests n;
    const uint64_t data = n.words(64);
    n.run("_Z4rowsPii", 8, 32, {data, 8}, threads);
    std::vector<int32_t> expected;
    for (int r = 0; r < 8; ++r) {
      for (int c = 0; c < 8; ++c) {
        expected.push_back(c <= r ? 6 : 0);
      }
    }
    CHECK(n.get(data, 64) == expected);
  }
}

TEST_CASE("streams and events of a grid, dynamic shared memory, a structure as a parameter") {
  Nests n;
  const uint64_t data = n.words(1001);
  n.run("_Z7orderedPiS_", 1, 1, {data, data + 4000});
  const std::vector<int32_t> x = n.get(data, 1001);
  CHECK(x[0] == 1165);
  CHECK(x[63] == 1102);
  CHECK(x[1000] == 72544);
}

TEST_CASE("a launch that cannot be is the thread's error (cudaErrorInvalidConfiguration)") {
  Nests n;
  const uint64_t data = n.words(5);
  n.run("_Z5wrongPi", 1, 1, {data});
  CHECK(n.get(data, 5) == std::vector<int32_t>{9, 9, 0, 0, 1});
  CHECK(n.children.launches == 0);
}

TEST_CASE("what is put down of a launch") {
  using Op = exec::DeviceOp;
  Nests n;
  const uint64_t data = n.words(1001);
  const exec::Launch ordered = n.launch("_Z7orderedPiS_", 1, 1, {data, data + 4000});
  exec::execute(ordered, {});
  const std::vector<Nested> ops = nested(*n.program, ordered);
  REQUIRE(ops.size() == 4);
  const auto is = [&](size_t i, Op::What what, uint64_t stream) {
    return ops[i].by.what == what && ops[i].by.into == Op::Into::kStream && ops[i].by.stream == stream &&
           ops[i].by.event == 0;
  };
  CHECK(is(0, Op::What::kLaunch, 0));
  CHECK(is(1, Op::What::kEventRecord, 0));
  CHECK(is(2, Op::What::kStreamWaitEvent, 1));
  CHECK(is(3, Op::What::kLaunch, 1));
  CHECK(ops[0].kernel->name == "_Z5storePi3Twoi");
  CHECK(ops[0].launch.dynamic_shared == 256);
  CHECK(ops[0].launch.block.x == 64);
  CHECK(ops[0].launch.parameters.size() == 28);
  CHECK(0 < ops[0].by.after);
  CHECK(ops[0].by.after < ops[3].by.after);
  CHECK(ops[3].by.after < 1);
  CHECK(nested(*n.program, ordered).empty());  // it is forgotten

  const exec::Launch rows = n.launch("_Z4rowsPii", 8, 64, {data, 8});
  exec::execute(rows, {});
  const std::vector<Nested> all = nested(*n.program, rows);
  REQUIRE(all.size() == 16);
  for (uint64_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].by.by_block == i / 2);
    CHECK(all[i].by.by_thread == 0);
    CHECK(all[i].launch.grid.x == i / 2 + 1);
    CHECK(all[i].by.into == Op::Into::kNullStream);
  }
}

TEST_CASE("names of the CUDA runtime's functions in kernels") {
  using F = exec::RuntimeFunction;
  CHECK(exec::runtime_function("__cudaCDP2LaunchDeviceV2_ptsz") == F::kLaunchDeviceV2);
  CHECK(exec::runtime_function("cudaLaunchDevice") == F::kLaunchDevice);
  CHECK(exec::runtime_function("cudaEventRecordWithFlags") == F::kEventRecord);
  CHECK(exec::runtime_function("cudaMemcpy2DAsync") == F::kNone);
  CHECK(exec::runtime_function("LaunchDeviceV2") == F::kNone);
}

TEST_CASE("code that asks the CUDA runtime and launches nothing") {
  Nests n(R"(.version 8.0 .target sm_90 .address_size 64
.extern .func (.param .b32 r) cudaGetDeviceCount (.param .b64 p);
.visible .entry k(.param .u64 p) {
  .reg .u64 %p; .reg .u32 %r;
  ld.param.u64 %p, [p];
  .param .b64 a; .param .b32 r;
  st.param.b64 [a], %p;
  call.uni (r), cudaGetDeviceCount, (a);
  ret;
})");
  const uint64_t at = n.words(4);
  exec::Launch l = n.launch("k", 1, 1, {at});
  REQUIRE(l.runtime);
  CHECK_FALSE(l.runtime->may_launch());
  exec::execute(l, {});
  uint32_t count = 0;
  n.memory.read(at, {reinterpret_cast<uint8_t*>(&count), sizeof count});
  CHECK(count == 1);
  l.runtime = nullptr;
  CHECK_THROWS_WITH(exec::execute(l, {}),
                    Catch::Contains("call of cudaGetDeviceCount, and the launch has no CUDA runtime"));
}

// By hand, as the guide's chapter on launches from PTX has it.
TEST_CASE("a launch by cudaGetParameterBuffer and cudaLaunchDevice") {
  Nests n(R"(.version 8.0 .target sm_90 .address_size 64
.extern .func (.param .b64 r) cudaGetParameterBuffer (.param .b64 align, .param .b64 size);
.extern .func (.param .b32 r) cudaLaunchDevice (.param .b64 func, .param .b64 buffer,
  .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared, .param .b64 stream);
.visible .entry child(.param .u64 p, .param .u32 v) {
  .reg .u64 %p; .reg .u32 %v, %i, %b;
  ld.param.u64 %p, [p]; ld.param.u32 %v, [v];
  mov.u32 %i, %ctaid.x; mov.u32 %b, %ntid.x; mov.u32 %b, %tid.x;
  mad.lo.u32 %i, %i, 4, %b; add.u32 %v, %v, %i;
  mad.wide.u32 %p, %i, 4, %p; st.global.u32 [%p], %v; ret;
}
.visible .entry k(.param .u64 p) {
  .reg .u64 %p, %b; .reg .u32 %r; .reg .u64 %f;
  ld.param.u64 %p, [p];
  .param .b64 a0; .param .b64 a1; .param .b64 r0;
  st.param.b64 [a0], 8; st.param.b64 [a1], 12;
  call.uni (r0), cudaGetParameterBuffer, (a0, a1);
  ld.param.b64 %b, [r0];
  st.u64 [%b], %p; mov.u32 %r, 50; st.u32 [%b+8], %r;
  mov.u64 %f, child;
  .param .b64 c0; .param .b64 c1; .param .align 4 .b8 c2[12]; .param .align 4 .b8 c3[12]; .param .b32 c4;
  .param .b64 c5; .param .b32 r1;
  st.param.b64 [c0], %f; st.param.b64 [c1], %b;
  st.param.b32 [c2], 2; st.param.b32 [c2+4], 1; st.param.b32 [c2+8], 1;
  st.param.b32 [c3], 4; st.param.b32 [c3+4], 1; st.param.b32 [c3+8], 1;
  st.param.b32 [c4], 0; st.param.b64 [c5], 0;
  call.uni (r1), cudaLaunchDevice, (c0, c1, c2, c3, c4, c5);
  ld.param.b32 %r, [r1]; st.global.u32 [%p+64], %r;
  ret;
})");
  const uint64_t at = n.words(32);
  n.run("k", 1, 1, {at});
  CHECK(n.children.launches == 1);
  std::vector<uint32_t> out(17);
  n.memory.read(at, {reinterpret_cast<uint8_t*>(out.data()), out.size() * 4});
  for (uint32_t i = 0; i < 8; ++i) {
    CHECK(out[i] == 50 + i);
  }
  CHECK(out[16] == 0);
}

}  // namespace heddle::modules
