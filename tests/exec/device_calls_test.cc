// What kernels ask the CUDA runtime, as it is put down (cuda-model A27): numbers of errors and streams are
// CUDA's.
#include "sim/exec/device_runtime.h"

#include <catch2/catch.hpp>
#include <span>
#include <string>
#include <vector>

#include "frontends/ptx/execute/program.h"
#include "frontends/ptx/load.h"
#include "sim/exec/execute.h"

namespace heddle::exec::test {
namespace {

constexpr std::string_view kFunctions = R"(
.extern .func (.param .b32 r) cudaGetDevice (.param .b64 p);
.extern .func (.param .b32 r) cudaGetDeviceCount (.param .b64 p);
.extern .func (.param .b32 r) cudaGetLastError ();
.extern .func (.param .b32 r) cudaStreamCreateWithFlags (.param .b64 p, .param .b32 flags);
.extern .func (.param .b32 r) cudaEventCreateWithFlags (.param .b64 p, .param .b32 flags);
.extern .func (.param .b32 r) cudaEventRecord (.param .b64 event, .param .b64 stream);
.extern .func (.param .b64 r) cudaGetParameterBufferV2 (.param .b64 func,
  .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);
.extern .func (.param .b32 r) cudaLaunchDeviceV2 (.param .b64 buffer, .param .b64 stream);
.visible .entry child(.param .u32 a, .param .u32 b) { ret; }
)";

// The kernel's one thread executes these statements; %out is its buffer, results go to %r or %b.
std::string asking(std::string_view statements) {
  return std::string(kFunctions) +
         ".visible .entry k(.param .u64 out) { .reg .u64 %out, %b, %at; .reg .u32 %r;\n"
         ".param .b64 p0; .param .b64 p1; .param .b32 w1; .param .b32 w3; .param .b64 rb; .param .b32 rw;\n"
         ".param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12];\n"
         "ld.param.u64 %out, [out];\n" +
         std::string(statements) + "\nret; }\n";
}

// f(out + at)
std::string ask_for(std::string_view f, int at) {
  return "add.u64 %at, %out, " + std::to_string(at) + "; st.param.b64 [p0], %at; call.uni (rw), " +
         std::string(f) + ", (p0); ld.param.b32 %r, [rw];\n";
}

std::string keep(int at) { return "st.global.u32 [%out+" + std::to_string(at) + "], %r;\n"; }

// What it stores, behind eight words 7, and what it asked for.
struct Asked {
  std::vector<uint32_t> out;
  std::vector<DeviceOp> ops;
};
Asked asked(std::string_view statements) {
  Memory memory;
  ptx::Program program(
      ptx::parse("t.ptx", ".version 8.8 .target sm_90 .address_size 64\n" + asking(statements)), memory);
  const uint64_t out = memory.allocate(32);
  Asked a{std::vector<uint32_t>(8, 7), {}};
  const std::span bytes(reinterpret_cast<uint8_t*>(a.out.data()), 32);
  memory.write(out, bytes);
  Launch l = program.launch(program.kernel("k"));
  l.grid = l.block = {1, 1, 1};
  ptx::set_parameter(ptx::parameter(program.module(), program.kernel("k"), 0), out, l);
  execute(l, {});
  memory.read(out, bytes);
  a.ops = l.runtime->taken();
  return a;
}

}  // namespace

TEST_CASE("a kernel's device is number 0 of 1") {
  const Asked a = asked(ask_for("cudaGetDevice", 0) + keep(4) + ask_for("cudaGetDeviceCount", 8) + keep(12));
  CHECK(a.out == std::vector<uint32_t>{0, 0, 1, 0, 7, 7, 7, 7});
  CHECK(a.ops.empty());
}

TEST_CASE("a launch by a prepared buffer has all three sides of its grid and of its blocks") {
  const std::string_view launch = R"(
    mov.u64 %b, child; st.param.b64 [p0], %b;
    st.param.b32 [grid], 2; st.param.b32 [grid+4], 3; st.param.b32 [grid+8], 4;
    st.param.b32 [block], 5; st.param.b32 [block+4], 6; st.param.b32 [block+8], 7;
    st.param.b32 [w3], 32;
    call.uni (rb), cudaGetParameterBufferV2, (p0, grid, block, w3); ld.param.b64 %b, [rb];
    mov.u32 %r, 50; st.u32 [%b], %r; mov.u32 %r, 60; st.u32 [%b+4], %r;
    st.param.b64 [p0], %b; st.param.b64 [p1], 3;
    call.uni (rw), cudaLaunchDeviceV2, (p0, p1); ld.param.b32 %r, [rw];)";
  const Asked a = asked(std::string(launch) + keep(0));
  CHECK(a.out[0] == 0);
  REQUIRE(a.ops.size() == 1);
  const DeviceOp& op = a.ops[0];
  CHECK(op.kernel == "child");
  CHECK((op.grid.x == 2 && op.grid.y == 3 && op.grid.z == 4));
  CHECK((op.block.x == 5 && op.block.y == 6 && op.block.z == 7));
  CHECK(op.shared == 32);
  CHECK(op.into == DeviceOp::Into::kTail);
  CHECK(op.parameters == std::vector<uint8_t>{50, 0, 0, 0, 60, 0, 0, 0});
}

TEST_CASE("no kernel is at 0: there is no buffer for it, and the thread's error is 98") {
  const std::string_view nothing = R"(
    st.param.b64 [p0], 0; st.param.b32 [w3], 0;
    st.param.b32 [grid], 1; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;
    st.param.b32 [block], 1; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;
    call.uni (rb), cudaGetParameterBufferV2, (p0, grid, block, w3); ld.param.b64 %b, [rb];
    st.global.u64 [%out], %b;
    call.uni (rw), cudaGetLastError, (); ld.param.b32 %r, [rw];)";
  const Asked a = asked(std::string(nothing) + keep(8));
  CHECK(a.out == std::vector<uint32_t>{0, 0, 98, 7, 7, 7, 7, 7});
}

TEST_CASE("an event is recorded in a stream that the grid has made, and in none of tail or fire-and-forget") {
  std::string all = R"(
    st.param.b64 [p0], %out; st.param.b32 [w1], 1;
    call.uni (rw), cudaStreamCreateWithFlags, (p0, w1);
    add.u64 %at, %out, 8; st.param.b64 [p0], %at; st.param.b32 [w1], 2;
    call.uni (rw), cudaEventCreateWithFlags, (p0, w1);)";
  int at = 16;
  for (const char* stream : {"16", "3", "4", "17"}) {
    all += "st.param.b64 [p0], 16; st.param.b64 [p1], " + std::string(stream) +
           "; call.uni (rw), cudaEventRecord, (p0, p1); ld.param.b32 %r, [rw];\n" + keep(at);
    at += 4;
  }
  const Asked a = asked(all);
  // The first of each is 16; 1 is cudaErrorInvalidValue, as there is no second stream.
  CHECK(a.out == std::vector<uint32_t>{16, 0, 16, 0, 0, 1, 1, 1});
  REQUIRE(a.ops.size() == 1);
  CHECK(a.ops[0].what == DeviceOp::What::kEventRecord);
  CHECK(a.ops[0].into == DeviceOp::Into::kStream);
  CHECK(a.ops[0].stream == 0);
  CHECK(a.ops[0].event == 0);
}

}  // namespace heddle::exec::test
