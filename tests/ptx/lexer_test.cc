// Words and numbers (ptx.md 1.2).
#include <bit>
#include <catch2/catch.hpp>
#include <vector>

#include "frontends/ptx/constant.h"
#include "frontends/ptx/lexer.h"

namespace heddle::ptx {
namespace {

std::vector<Token> tokens(const Source& source) {
  std::vector<Token> out;
  Lexer lexer(source);
  for (Token t = lexer.next(); !t.is(TokenKind::kEnd); t = lexer.next()) {
    out.push_back(t);
  }
  return out;
}

std::string error_of(const std::string& text) {
  try {
    const Source source("t", text);
    tokens(source);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

Constant constant(const std::string& text) {
  const Source source("t", text);
  Tokens in(source);
  return parse_constant(in);
}

int64_t value(const std::string& text) { return static_cast<int64_t>(constant(text).bits); }

}  // namespace

TEST_CASE("lexer: names with their suffixes, directives, signs", "[ptx]") {
  const Source source(
      "t", "ld.shared::cta.v2.u32 {%r1,$L_2.x}, [_a$+-8]; // no\n/* no */ .reg.b32 @!%p1 >> # 1 \"x\"\n||");
  std::vector<std::string> found;
  for (const Token& t : tokens(source)) {
    found.emplace_back(t.text);
  }
  CHECK(found == std::vector<std::string>{"ld.shared::cta.v2.u32",
                                          "{",
                                          "%r1",
                                          ",",
                                          "$L_2.x",
                                          "}",
                                          ",",
                                          "[",
                                          "_a$",
                                          "+",
                                          "-",
                                          "8",
                                          "]",
                                          ";",
                                          ".reg",
                                          ".b32",
                                          "@",
                                          "!",
                                          "%p1",
                                          ">>",
                                          "||"});
  CHECK(source.place(tokens(source)[14].at).line == 2);
  CHECK(source.place(tokens(source)[14].at).column == 10);
}

TEST_CASE("lexer: numbers", "[ptx]") {
  const struct {
    const char* text;
    TokenKind kind;
    uint64_t bits;
    bool is_unsigned;
  } cases[] = {
      {"0", TokenKind::kInteger, 0, false},
      {"42", TokenKind::kInteger, 42, false},
      {"42U", TokenKind::kInteger, 42, true},
      {"017", TokenKind::kInteger, 15, false},
      {"0x1F", TokenKind::kInteger, 31, false},
      {"0b101", TokenKind::kInteger, 5, false},
      {"9223372036854775807", TokenKind::kInteger, 0x7fffffffffffffff, false},
      {"9223372036854775808", TokenKind::kInteger, 0x8000000000000000, true},
      {"0xffffffffffffffff", TokenKind::kInteger, ~uint64_t{0}, true},
      {"0f3F800000", TokenKind::kFloat32, 0x3f800000, false},
      {"0d3FF0000000000000", TokenKind::kFloat64, 0x3ff0000000000000, false},
      {"1.5", TokenKind::kFloat64, std::bit_cast<uint64_t>(1.5), false},
      {".5", TokenKind::kFloat64, std::bit_cast<uint64_t>(0.5), false},
      {"1e3", TokenKind::kFloat64, std::bit_cast<uint64_t>(1000.0), false},
      {"2.5E-1", TokenKind::kFloat64, std::bit_cast<uint64_t>(0.25), false},
  };
  for (const auto& c : cases) {
    INFO(c.text);
    const Source source("t", c.text);
    const auto found = tokens(source);
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == c.kind);
    CHECK(found[0].bits == c.bits);
    CHECK(found[0].is_unsigned == c.is_unsigned);
  }
}

TEST_CASE("lexer: what is none", "[ptx]") {
  CHECK(error_of("a\n 12q") ==
        "t:2:2: malformed number '12q' (legal: decimal, 0x hexadecimal, 0 octal, 0b binary, of 64 bits, with "
        "or without U)");
  CHECK(error_of("0f3F8") == "t:1:1: malformed number '0f3F8' (legal: 0f and 8 hexadecimal digits)");
  CHECK(error_of("0d3F8") == "t:1:1: malformed number '0d3F8' (legal: 0d and 16 hexadecimal digits)");
  CHECK(error_of("1e999") ==
        "t:1:1: malformed number '1e999' (legal: a decimal such as 1.5e-3 in the range of f64)");
  CHECK(error_of("18446744073709551616").find("malformed number") != std::string::npos);
  CHECK(error_of("089").find("malformed number") != std::string::npos);
  CHECK(error_of("/* x") == "t:1:1: comment without an end (legal: /* ... */)");
  CHECK(error_of("\"x\ny\"") == "t:1:1: string without an end (legal: \"...\" in one line)");
  CHECK(error_of("a \xc3\xa4") == "t:1:3: unexpected '\\xc3' (legal: PTX text in ASCII)");
  CHECK(error_of(" . ") == "t:1:2: a '.' without a word (legal: a directive such as .reg)");
}

TEST_CASE("constants: C's operators on 64 bits", "[ptx]") {
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1 + 2) * 3 - -4") == 13);
  CHECK(value("10 - 3 - 2") == 5);
  CHECK(value("7 / -2") == -3);
  CHECK(value("-1 % 16") == 15);  // read as unsigned
  CHECK(value("1 << 70") == 0);
  CHECK(value("-8 >> 1") == -4);
  CHECK(value("0x8000000000000000 >> 63") == 1);
  CHECK(value("~0 & 0xf | 0x30 ^ 1") == 0x3f);
  CHECK(value("1 < 2 && 2 <= 2 || 0") == 1);
  CHECK(value("-1 < 0U") == 0);
  CHECK(value("(.s64)0xffffffffffffffff < 0") == 1);
  CHECK(value("!3 == 0 ? WARP_SZ : 1") == 32);
  CHECK(value("0 ? 1 : 0 ? 2 : 3") == 3);
  CHECK(constant("1.5 * 2 + 1").bits == std::bit_cast<uint64_t>(4.0));
  CHECK(constant("1.5 > 2").bits == 0);
  CHECK(constant("-0f3F800000") == Constant{ConstantKind::kFloat32, 0xbf800000});
  CHECK(constant("-1.0").bits == std::bit_cast<uint64_t>(-1.0));
  CHECK_THROWS_WITH(value("1 / 0"), "t:1:3: division by zero (legal: a divisor that is not 0)");
  CHECK_THROWS_WITH(value("1.0 & 2"),
                    "t:1:5: '&' of floating-point numbers (legal: + - * / and comparisons)");
  CHECK_THROWS_WITH(value("~1.0"), "t:1:1: '~' and '!' of a floating-point number (legal: of integers)");
  CHECK_THROWS_WITH(value(std::string(70, '(') + "1"),
                    "t:1:65: expression nested too deeply (legal: up to 64 levels)");
}

TEST_CASE("constants: the bits of a type", "[ptx]") {
  CHECK(bits_as(constant("-1"), Type::kU16) == 0xffff);
  CHECK(bits_as(constant("0x12345"), Type::kB16) == 0x2345);
  CHECK(bits_as(constant("-1"), Type::kS64) == ~uint64_t{0});
  CHECK(bits_as(constant("2"), Type::kPred) == 1);
  CHECK(bits_as(constant("0.1"), Type::kF32) == 0x3dcccccd);
  CHECK(bits_as(constant("0f3DCCCCCD"), Type::kF64) == 0x3fb99999a0000000);
  CHECK(bits_as(constant("1.0"), Type::kF16) == 0x3c00);
}

TEST_CASE("constants: half precision is rounded once, to nearest even", "[ptx]") {
  const struct {
    double value;
    uint16_t half;
    uint16_t bfloat;
  } cases[] = {
      {0.0, 0x0000, 0x0000},           {-0.0, 0x8000, 0x8000},    {1.0, 0x3c00, 0x3f80},
      {-2.0, 0xc000, 0xc000},          {65504.0, 0x7bff, 0x4780}, {65519.0, 0x7bff, 0x4780},
      {65520.0, 0x7c00, 0x4780},        // half: halfway to 2^16
      {0x1p-24, 0x0001, 0x3380},        // half: the least subnormal
      {0x1p-25, 0x0000, 0x3300},        // half: a tie with zero
      {0x1.8p-24, 0x0002, 0x33c0},      // half: a tie, to even
      {0x1p-14, 0x0400, 0x3880},        // half: the least normal
      {1.0 + 0x1p-11, 0x3c00, 0x3f80},  // half: a tie, to even
      {1.0 + 0x3p-11, 0x3c02, 0x3f80},  // half: a tie, to even
      {1.0 + 0x1p-8, 0x3c04, 0x3f80},   // bfloat: a tie, to even
      {0x1p-133, 0x0000, 0x0001},       // bfloat: the least subnormal
  };
  for (const auto& c : cases) {
    INFO(c.value);
    CHECK(half_bits(c.value) == c.half);
    CHECK(bfloat_bits(c.value) == c.bfloat);
  }
}

}  // namespace heddle::ptx
