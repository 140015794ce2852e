// Textures and surfaces: their machine code, and the sectors that are told of them.
#include <catch2/catch.hpp>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "sim/exec/texture/layout.h"
#include "sim/isa/recording.h"
#include "tests/ptx/lower_case.h"

namespace heddle::ptx {
namespace {

using namespace exec::texture;

const char* const kAt =
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; cvt.rn.f32.u32 %f1, %r1; "
    "cvt.rn.f32.u32 %f2, %r2;\n";
const char* const kEnd = "st.global.f32 [%rd1], %f3; ret;";

// Sectors that the instruction of that opcode touches, of the launch's one warp over a picture of 8 x 4.
std::set<uint64_t> sectors(const std::string& body, const std::string& opcode, const Sampler& s, Kind kind) {
  exec::Memory memory;
  Program program(parse("k.ptx", module_of(body)), memory);
  const Function& kernel = program.kernel("k");
  Descriptor d;
  d.kind = kind;
  d.image = {.width = 8, .height = 4};
  d.image.data = memory.allocate(bytes_of(d.image));
  d.sampler = s;
  fill(memory, d.image, 0, std::vector<uint8_t>(128));
  exec::Launch launch = program.launch(kernel);
  launch.grid = {1, 1, 1};
  launch.block = {8, 4, 1};
  set_parameter(parameter(program.module(), kernel, 0), make(memory, d), launch);
  TimedSource source(program.module(), kernel, program.placement(), launch);
  isa::BlockTrace block;
  REQUIRE(source.next(block));
  std::set<uint64_t> out;
  size_t at = 0;
  for (const isa::Run& r : block.warps[0].runs) {
    for (uint32_t k = 0; k < r.count; ++k) {
      const isa::Instr& in = source.image().code[r.first + k];
      const size_t refs = r.mask != 0 ? in.mem_refs : 0;
      if (refs != 0 && source.image().opcodes[in.opcode].starts_with(opcode)) {
        uint64_t address[32];
        REQUIRE(isa::expand(block.warps[0], block.warps[0].refs[at], r.mask, address));
        for (const uint64_t a : address) {
          out.insert((a - d.image.data) / 32);
        }
      }
      at += refs;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("lower: fetches are what ptxas makes of them") {
  const auto plain =
      code(std::string(kAt) + "tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%rd1, {%f1,%f2}];" + kEnd);
  CHECK(has(plain, "TEX.LL RZ, R"));
  CHECK(has(plain, ", 0x0, 2D, 0x1"));  // one result is read
  const auto all = code(std::string(kAt) + "tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%rd1, {%f1,%f2}];" +
                        "st.global.v4.f32 [%rd1], {%f3,%f4,%f5,%f6}; ret;");
  CHECK(has(all, ", 0x0, 2D"));
  CHECK(!has(all, "2D, 0x"));
  CHECK(has(code(std::string(kAt) + "tex.1d.v4.f32.s32 {%f3,%f4,%f5,%f6}, [%rd1, {%r1}];" + kEnd),
            "TLD.LZ RZ, R"));
  const auto cube =
      code(std::string(kAt) + "tex.cube.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%rd1, {%f1,%f2,%f2,%f2}];" + kEnd);
  CHECK(has(cube, "MUFU.RCP"));
  CHECK(count(cube, "FMUL") == 3);
  CHECK(has(cube, "CUBE"));
  CHECK(has(code(std::string(kAt) + "tld4.g.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%rd1, {%f1,%f2}];" + kEnd),
            "TLD4.G "));
  const auto layered =
      code(std::string(kAt) + "tex.level.a2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%rd1, {%r1,%f1,%f2,%f2}], %f1;" +
           kEnd);
  CHECK(has(layered, "ISETP.GT.U32.AND"));
  CHECK(has(layered, "ARRAY_2D"));
}

TEST_CASE("lower: surfaces and queries") {
  CHECK(has(
      code(std::string(kAt) + "suld.b.2d.b32.clamp %r3, [%rd1, {%r1,%r2}]; st.global.u32 [%rd1], %r3; ret;"),
      "SULD.D.BA.2D.STRONG.SM R"));
  CHECK(has(code(std::string(kAt) + "sust.b.2d.v2.b32.zero [%rd1, {%r1,%r2}], {%r1,%r2}; ret;"),
            "SUST.D.BA.2D.64.STRONG.SM.IGN ["));
  CHECK(has(code(std::string(kAt) + "sured.b.add.2d.u32.clamp [%rd1, {%r1,%r2}], %r1; ret;"),
            "SURED.D.BA.2D.ADD.STRONG.SYS ["));
  CHECK(has(code(std::string(kAt) + "txq.width.b32 %r3, [%rd1]; st.global.u32 [%rd1], %r3; ret;"),
            "TXQ RZ, R"));
}

TEST_CASE("timed: a fetch tells the sectors of all elements that its lanes read") {
  const std::string body = std::string(kAt) +
                           "tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%rd1, {%f1,%f2}];\n"
                           "mov.b32 %r3, %f3; setp.eq.u32 %p1, %r3, 5; @%p1 bra out; ret; out: ret;";
  // A sector holds 4 elements of two rows: 4 of them are the picture's.
  CHECK(sectors(body, "TEX", {}, Kind::kTexture) == std::set<uint64_t>{0, 1, 2, 3});
  // Lanes of the first row alone.
  const std::string row = std::string(kAt) +
                          "mov.f32 %f2, 0f3F000000; tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%rd1, {%f1,%f2}];\n"
                          "mov.b32 %r3, %f3; setp.eq.u32 %p1, %r3, 5; @%p1 bra out; ret; out: ret;";
  CHECK(sectors(row, "TEX", {}, Kind::kTexture) == std::set<uint64_t>{0, 1});
  // Between the second and the third row a filter reads both.
  Sampler linear;
  linear.linear = true;
  const std::string between =
      std::string(kAt) +
      "mov.f32 %f2, 0f40000000; tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%rd1, {%f1,%f2}];\n"
      "mov.b32 %r3, %f3; setp.eq.u32 %p1, %r3, 5; @%p1 bra out; ret; out: ret;";
  CHECK(sectors(between, "TEX", linear, Kind::kTexture) == std::set<uint64_t>{0, 1, 2, 3});
  CHECK(sectors(between, "TEX", {}, Kind::kTexture) == std::set<uint64_t>{2, 3});
  CHECK(sectors(std::string(kAt) + "shl.b32 %r1, %r1, 2; sust.b.2d.b32.trap [%rd1, {%r1,%r2}], %r1; ret;",
                "SUST", {}, Kind::kSurface) == std::set<uint64_t>{0, 1, 2, 3});
}

}  // namespace heddle::ptx
