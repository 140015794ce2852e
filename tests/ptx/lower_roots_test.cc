// Divisions, roots and products of 64 bits as ptxas 13.0 (-arch=sm_90a) writes them, and where lanes meet.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/ptx/lower_case.h"

namespace heddle::ptx {
namespace {

std::vector<std::string> floats(const std::string& body) {
  return code("ld.param.u64 %rd1, [p]; ld.global.v2.f32 {%f1, %f2}, [%rd1];\n" + body +
              "\nst.global.f32 [%rd1], %f5; ret;");
}

std::vector<std::string> doubles(const std::string& body) {
  return code(".reg .f64 %d<8>; ld.param.u64 %rd1, [p]; ld.global.v2.f64 {%d1, %d2}, [%rd1];\n" + body +
              "\nst.global.f64 [%rd1], %d5; ret;");
}

std::vector<std::string> words(const std::string& body) {
  return code("ld.param.u64 %rd1, [p]; ld.global.v2.u64 {%rd4, %rd5}, [%rd1];\n" + body +
              "\nst.global.u64 [%rd1], %rd6; ret;");
}

size_t all_of(const std::vector<std::string>& c, std::initializer_list<const char*> what) {
  size_t n = 0;
  for (const char* w : what) {
    n += count(c, w);
  }
  return n;
}

}  // namespace

TEST_CASE("lower: a division is eleven instructions, and a call that nobody makes") {
  const auto c = floats("div.rn.f32 %f5, %f1, %f2;");
  CHECK(count(c, "MUFU.RCP") == 1);
  CHECK(count(c, "FCHK") == 1);
  CHECK(count(c, "FFMA") == 5);
  CHECK(count(c, "BSSY") == 1);
  CHECK(count(c, "BRA") == 1);
  CHECK(count(c, "BSYNC") == 1);
  CHECK(count(c, "NOP") == 2);
  // Each needs the one before.
  const auto two = floats("div.rn.f32 %f3, %f1, %f2; div.rn.f32 %f5, %f3, %f2;");
  CHECK(count(two, "MUFU.RCP") == 2);
  CHECK(count(two, "FFMA") == 10);
  const Issued run(
      "ld.param.u64 %rd1, [p]; ld.global.v2.f32 {%f1, %f2}, [%rd1]; div.rn.f32 %f5, %f1, %f2; "
      "st.global.f32 [%rd1], %f5; ret;",
      {1, 1, 1}, {32, 1, 1}, 0);
  size_t usual = 0, nops = 0;
  for (const std::string& line : run.warp(0, 0)) {
    usual += line == "BRA ffffffff" || line == "BSYNC ffffffff" || line == "FFMA ffffffff";
    nops += line.starts_with("NOP");
  }
  CHECK(usual == 7);
  CHECK(nops == 0);
}

TEST_CASE("lower: reciprocals and roots with all digits") {
  const auto r = floats("rcp.rn.f32 %f5, %f1;");
  CHECK(all_of(r, {"VIADD", "LOP3", "ISETP.GT", "MUFU.RCP", "FADD"}) == 5);
  CHECK(count(r, "FFMA") == 2);
  const auto s = floats("sqrt.rn.f32 %f5, %f1;");
  CHECK(all_of(s, {"VIADD", "ISETP.GT", "MUFU.RSQ"}) == 3);
  CHECK(count(s, "FMUL") == 2);
  CHECK(count(s, "FFMA") == 2);
  CHECK(all_of(s, {"BSSY", "BRA", "BSYNC"}) == 3);
  CHECK(all_of(floats("sqrt.approx.ftz.f32 %f5, %f1;"), {"BSSY", "BRA", "BSYNC"}) == 0);
}

TEST_CASE("lower: the same of 64 bits") {
  const auto d = doubles("div.rn.f64 %d5, %d1, %d2;");
  CHECK(count(d, "DFMA") == 7);
  CHECK(count(d, "DMUL") == 1);
  CHECK(count(d, "MUFU.RCP64H") == 1);
  CHECK(count(doubles("rcp.rn.f64 %d5, %d1;"), "DFMA") == 5);
  const auto s = doubles("sqrt.rn.f64 %d5, %d1;");
  CHECK(count(s, "DFMA") == 5);
  CHECK(count(s, "DMUL") == 3);
  const auto r = doubles("rsqrt.approx.f64 %d5, %d1;");
  CHECK(count(r, "DFMA") == 3);
  CHECK(count(r, "DMUL") == 2);
  CHECK(all_of(doubles("rsqrt.approx.ftz.f64 %d5, %d1;"), {"DFMA", "DMUL"}) == 0);
}

TEST_CASE("lower: numbers of 64 bits that no instruction holds come from two moves") {
  CHECK(count(doubles("mul.f64 %d5, %d1, 0d4000000000000000;"), "UMOV") == 0);
  CHECK(count(doubles("mul.f64 %d5, %d1, 0d3FE62E42FEFA39EF;"), "UMOV") == 2);
}

TEST_CASE("lower: products of 64 bits leave out upper words that are 0, and take a sum along") {
  const auto whole = words("mul.lo.s64 %rd6, %rd4, %rd5;");
  CHECK(count(whole, "IMAD.WIDE.U32") == 1);
  CHECK(count(whole, "IMAD R") == 2);
  CHECK(count(whole, "IADD3") == 1);
  const auto narrow = words("shr.u64 %rd2, %rd4, 33; mul.lo.s64 %rd3, %rd2, %rd5; add.s64 %rd6, %rd3, %rd5;");
  CHECK(count(narrow, "SHF") == 1);
  CHECK(count(narrow, "IMAD.WIDE.U32") == 1);
  CHECK(count(narrow, "IMAD R") == 1);
  CHECK(count(narrow, "IADD3") == 0);
}

TEST_CASE("lower: the upper word of 64 bits is there already") {
  const auto c = words(
      "cvt.u32.u64 %r1, %rd4; mul.wide.u32 %rd2, %r1, -766435501; shr.u64 %rd3, %rd2, 32; cvt.u32.u64 %r2, "
      "%rd3; "
      "cvt.u32.u64 %r3, %rd2; xor.b32 %r4, %r2, %r3; cvt.u64.u32 %rd6, %r4;");
  CHECK(count(c, "SHF") == 0);
  CHECK(count(c, "IMAD.WIDE.U32") == 1);
}

TEST_CASE("lower: lanes that part meet again, where a branch differs for them") {
  std::string many;
  for (int i = 0; i < 20; ++i) {
    many += "mad.lo.u32 %r2, %r2, %r2, %r1; ";
  }
  const auto with = [&](const std::string& what) {
    return code("ld.param.u64 %rd1, [p]; ld.param.u32 %r3, [n]; mov.u32 %r2, 1; mov.u32 %r1, " + what +
                "; setp.lt.u32 %p1, %r1, %r3; @!%p1 bra L; " + many +
                "st.global.u32 [%rd1+4], %r2;\nL: bar.sync 0; st.global.u32 [%rd1], %r2; ret;");
  };
  const auto apart = with("%tid.x");
  CHECK(count(apart, "BSSY B0") == 1);
  CHECK(count(apart, "BSYNC B0") == 1);
  CHECK(count(with("%ctaid.x"), "BSSY") == 0);
}

}  // namespace heddle::ptx
