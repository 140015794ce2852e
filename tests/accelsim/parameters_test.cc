// The launch's parameters in the header of a text trace.
#include "frontends/accelsim/parameters.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/accelsim/trace_text.h"

namespace heddle::accelsim::test {
namespace {

using Bytes = std::vector<uint8_t>;

std::string hex(size_t bytes, const std::string& byte) {
  std::string s;
  for (size_t i = 0; i < bytes; ++i) {
    s += byte;
  }
  return s;
}

TEST_CASE("parameters lie at the largest power of two that divides their size, up to 8") {
  CHECK(parameter_bytes({"01", "0203", "04050607"}, 0) == Bytes{1, 0, 2, 3, 4, 5, 6, 7});
  CHECK(parameter_bytes({"01", hex(8, "aa")}, 0x210) ==
        Bytes{1, 0, 0, 0, 0, 0, 0, 0, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa});
  CHECK(parameter_bytes({"01", hex(12, "bb")}, 0x210).size() == 4 + 12);  // 12 bytes: at 4
  CHECK(parameter_bytes({"01", hex(24, "bb")}, 0x210).size() == 8 + 24);  // 24 bytes: at 8
  CHECK(parameter_bytes({"01", hex(3, "bb")}, 0x210).size() == 1 + 3);
  CHECK(parameter_bytes({}, 0x210).empty());
}

TEST_CASE("what can hold a tensor map lies at a multiple of 64 bytes in the bank") {
  const auto map_at = [](const std::vector<std::string>& lines, uint32_t base) {
    const Bytes b = parameter_bytes(lines, base);
    return base + static_cast<uint32_t>(std::find(b.begin(), b.end(), 0xcc) - b.begin());
  };
  CHECK(map_at({hex(128, "cc")}, 0x210) == 0x240);
  CHECK(map_at({hex(8, "11"), hex(128, "cc")}, 0x210) == 0x240);
  CHECK(map_at({hex(64, "11"), hex(128, "cc")}, 0x210) == 0x280);
  CHECK(map_at({hex(52, "11"), hex(128, "cc")}, 0x210) == 0x280);
  CHECK(map_at({hex(192, "cc")}, 0x160) == 0x180);
}

TEST_CASE("they begin where the compute capability says") {
  CHECK(parameter_base(90) == 0x210);
  CHECK(parameter_base(80) == 0x160);
  CHECK(parameter_base(70) == 0x160);
  CHECK(parameter_base(60) == 0);
  CHECK(parameter_base(100) == 0x380);
  CHECK(parameter_base(121) == 0x380);
  CHECK(parameter_base(130) == 0);  // not known
}

TEST_CASE("a trace's header has them, one line each, in order") {
  HeaderOptions h;
  h.more = "-param 0 = 0100\n-param 1 = 78563412\n";
  const Kernel k = read(trace({"0000 ffffffff 0 EXIT 0 0"}, h));
  CHECK(k.image.parameter_base == 0x210);
  CHECK(k.image.parameters == Bytes{1, 0, 0, 0, 0x78, 0x56, 0x34, 0x12});
  CHECK(read(trace({"0000 ffffffff 0 EXIT 0 0"})).image.parameters.empty());
}

TEST_CASE("bytes that are none name file and line", "[malformed]") {
  struct Case {
    const char* text;
    const char* what;
  };
  for (const Case& c : {Case{"zz", "the header has a parameter of \"zz\" (legal: bytes in hexadecimal)"},
                        Case{"010", "a parameter of half a byte (legal: bytes in hexadecimal)"},
                        Case{"01g0", "a parameter of \"g0\""}, Case{"0x01", "a parameter of \"0x\""},
                        Case{"+1", "a parameter of \"+1\""}}) {
    HeaderOptions h;
    h.more = std::string("-param 0 = ") + c.text + "\n";
    const std::string message = error_of([&] { read(trace({"0000 ffffffff 0 EXIT 0 0"}, h)); });
    CAPTURE(c.text, message);
    CHECK(message.starts_with("t:13: "));  // where the header ends
    CHECK_THAT(message, Catch::Contains(c.what));
  }
}

}  // namespace
}  // namespace heddle::accelsim::test
