// Texts, whole units, hashes.
#include <catch2/catch.hpp>
#include <limits>

#include "sim/base/align.h"
#include "sim/base/fnv.h"
#include "sim/base/text.h"

namespace heddle {

TEST_CASE("blanks at both ends go, those inside stay") {
  CHECK(trim(" \ta b\r ") == "a b");
  CHECK(trim("a") == "a");
  CHECK(trim(" \t\r").empty());
  CHECK(trim("").empty());
}

TEST_CASE("a text is a number only as a whole, and where the type can hold it") {
  CHECK(parse_number<uint32_t>("42") == 42);
  CHECK(parse_number<int64_t>("-42") == -42);
  CHECK(parse_number<uint64_t>("ff", 16) == 255);
  CHECK(parse_number<uint64_t>("18446744073709551615") == std::numeric_limits<uint64_t>::max());
  CHECK(parse_number<double>("1e-3") == 1e-3);
  for (const char* none : {"", " 1", "1 ", "1x", "x", "-1", "+1", "0x1", "18446744073709551616", "1.5"}) {
    CHECK_FALSE(parse_number<uint64_t>(none));
  }
  CHECK_FALSE(parse_number<uint8_t>("256"));
  CHECK_FALSE(parse_number<double>("1e999"));
  CHECK_FALSE(parse_number<double>("1,5"));
}

TEST_CASE("hexadecimal numbers") {
  CHECK(hex(0) == "0x0");
  CHECK(hex(0x1f) == "0x1f");
  CHECK(hex(std::numeric_limits<uint64_t>::max()) == "0xffffffffffffffff");
}

TEST_CASE("whole units") {
  CHECK(divide_up(0u, 4) == 0);
  CHECK(divide_up(1u, 4) == 1);
  CHECK(divide_up(4u, 4) == 1);
  CHECK(divide_up(5u, 4) == 2);
  CHECK(round_up(0u, 256) == 0);
  CHECK(round_up(257u, 256) == 512);
  CHECK(round_up(uint64_t{1} << 40, 3) == (uint64_t{1} << 40) + 2);
}

TEST_CASE("FNV-1a, by its published values") {
  const auto of = [](std::string_view text) {
    Fnv h;
    h.add(text);
    return h.value();
  };
  CHECK(of("") == 0xcbf29ce484222325);
  CHECK(of("a") == 0xaf63dc4c8601ec8c);
  CHECK(of("foobar") == 0x85944171f73967e8);
  CHECK(of("\xff") != of("\x7f"));
  Fnv parts;
  parts.add("foo");
  parts.add("bar");
  CHECK(parts.value() == of("foobar"));
}

}  // namespace heddle
