// Machine code as .heddle files keep it: what the disassembler writes of its encodings comes back letter by
// letter.
#include "frontends/trace/listing.h"

#include <catch2/catch.hpp>

#include "frontends/input/limits.h"
#include "tests/trace/messages.h"

namespace heddle::trace::test {
namespace {

using Catch::Contains;
using Kind = ListingLine;

// As the recorder writes it.
const std::string kRecorded =
    "# function _Z1kPf base 0x0\n"
    "0000 00000a00ff017b82 000fe20000000800 LDC R1, c[0x0][0x28] ;\n"
    "0010 0000000000007919 000e220000002500 S2R R0, SR_CTAID.X ;\n"
    "0020 0000000a00007819 001fc800000006ff SHF.L.U32 R0, R0, 0xa, RZ ;\n"
    "0030 0000000c00a48947 000fea0003800000 @!P0 BRA 0xed0 ;\n"
    "0040 000000000000794d 000fc00003800000 EXIT;\n"
    "0050 0000000000007918 000fc00000000000 NOP;\n";

std::vector<uint32_t> lines(const pb::Listing& l) { return {l.lines().begin(), l.lines().end()}; }
constexpr uint32_t runs(Kind kind, uint32_t n) { return static_cast<uint32_t>(kind) | n << 2; }

pb::Listing listing(std::string_view text, uint32_t capability = 90) {
  pb::Listing l;
  REQUIRE(put_listing(text, capability, l));
  CHECK(get_listing(l, capability, "f") == text);
  return l;
}

TEST_CASE("what the disassembler writes is left out", "[listing]") {
  const pb::Listing l = listing(kRecorded);
  CHECK(l.text() == "# function _Z1kPf base 0x0\n");
  CHECK(lines(l) ==
        std::vector<uint32_t>{runs(Kind::kVerbatim, 1), runs(Kind::kMade, 4), runs(Kind::kMadeBare, 2)});
  CHECK(l.words().size() == 6 * 16);
  CHECK(l.words().substr(0, 16) ==
        std::string("\x82\x7b\x01\xff\x00\x0a\x00\x00\x00\x08\x00\x00\x00\xe2\x0f\x00", 16));
  CHECK(std::vector<uint32_t>(l.offsets().begin(), l.offsets().end()) == std::vector<uint32_t>{0});
}

TEST_CASE("other words of an instruction, and other lines, stay as they are", "[listing]") {
  const std::string first = "0000 0000000000007919 000e220000002500 ";
  SECTION("its text is another one") {
    for (const char* text : {"S2R R0, SR_CTAID.Y ;", "S2R R0, SR_CTAID.X", "S2R R0, SR_CTAID.X  ;", ";", "",
                             "S2R R0, SR_CTAID.X ; // line 3"}) {
      const pb::Listing l = listing(first + text + "\n");
      CHECK(lines(l) == std::vector<uint32_t>{runs(Kind::kWorded, 1)});
      CHECK(l.text() == std::string(text) + "\n");
    }
  }
  SECTION("the line is written otherwise") {
    for (const char* text :
         {"0x0 0000000000007919 000e220000002500 S2R R0, SR_CTAID.X ;\n", "00 7919 000e220000002500 S2R ;\n",
          "0000 0000000000007919 000E220000002500 S2R R0, SR_CTAID.X ;\n", "0000 0000000000007919\n", "\n",
          "//## File \"a.cu\", line 3\n", "0000 0000000000007919 000e220000002500\n"}) {
      CHECK(lines(listing(text)) == std::vector<uint32_t>{runs(Kind::kVerbatim, 1)});
    }
  }
  SECTION("functions begin anywhere, and offsets may leave something out") {
    const std::string line = " 0000000000007918 000fc00000000000 NOP;\n";
    const pb::Listing l =
        listing("# function a base 0\n0000" + line + "0010" + line + "# function b base 0x12340\n12340" +
                line + "12350" + line + "12370" + line + "12380" + line);
    CHECK(std::vector<uint32_t>(l.offsets().begin(), l.offsets().end()) ==
          std::vector<uint32_t>{0, 0x12340, 0x12380});
    CHECK(l.words().size() == 5 * 16);
  }
  SECTION("of a capability that the disassembler does not know") {
    CHECK(lines(listing(kRecorded, 0)) ==
          std::vector<uint32_t>{runs(Kind::kVerbatim, 1), runs(Kind::kWorded, 6)});
    CHECK(lines(listing(kRecorded, 62)) ==
          std::vector<uint32_t>{runs(Kind::kVerbatim, 1), runs(Kind::kWorded, 6)});
  }
  SECTION("the last line does not end") {
    pb::Listing l;
    CHECK_FALSE(put_listing("# function a base 0", 90, l));
    CHECK_FALSE(put_listing("", 90, l));
    CHECK(l.ByteSizeLong() == 0);
  }
}

std::string fault(const pb::Listing& l, uint32_t capability = 90) {
  return error_of([&] { get_listing(l, capability, "f: header"); });
}

TEST_CASE("a listing that is none is an error", "[listing]") {
  const pb::Listing good = listing(kRecorded);
  const auto after = [&](auto change) {
    pb::Listing l = good;
    change(l);
    return fault(l);
  };
  const std::string damaged = "f: header: damaged: the listing of the machine code: ";
  CHECK(fault(good).empty());
  CHECK(after([](pb::Listing& l) { l.clear_text(); }) == damaged + "its text ends early");
  CHECK(after([](pb::Listing& l) { l.mutable_text()->pop_back(); }) == damaged + "its text ends early");
  CHECK(after([](pb::Listing& l) { l.mutable_words()->pop_back(); }) == damaged + "its encodings end early");
  CHECK(after([](pb::Listing& l) { l.add_lines(runs(Kind::kMade, UINT32_MAX >> 2)); }) ==
        damaged + "its encodings end early");
  CHECK(after([](pb::Listing& l) { l.clear_offsets(); }) == damaged + "its offsets end early");
  for (const std::string& longer : {after([](pb::Listing& l) { l.add_offsets(0); }),
                                    after([](pb::Listing& l) { *l.mutable_text() += "\n"; }),
                                    after([](pb::Listing& l) { l.mutable_words()->append(16, '\0'); }),
                                    after([](pb::Listing& l) { l.mutable_lines()->RemoveLast(); })}) {
    CHECK(longer == damaged + "text, encodings or offsets behind its last line");
  }
}

TEST_CASE("text that comes out otherwise than it was recorded is an error", "[listing]") {
  pb::Listing l = listing(kRecorded);
  const std::string says =
      "f: header: the text of the machine code is not the one that was recorded: wrong checksum";
  l.set_check(l.check() ^ 1);
  CHECK_THAT(fault(l), Catch::StartsWith(says) && Contains("6 lines that are made from their encodings"));
  l = listing(kRecorded);
  (*l.mutable_words())[16 + 9] = '\x26';  // another special register
  CHECK_THAT(fault(l), Catch::StartsWith(says));
  CHECK_THAT(fault(listing(kRecorded), 0), Catch::StartsWith(says));  // nothing knows what to write
}

TEST_CASE("a listing is bounded while it is made", "[listing]") {
  const pb::Listing l = listing(kRecorded);
  const input::ScopedLimits small("code_bytes=200");
  CHECK_THAT(fault(l), Contains("more than 200 bytes (legal: "));
}

TEST_CASE("a file keeps a listing in place of the text", "[listing]") {
  Text t = sample();
  Parts p;
  REQUIRE(p.header.code().sass().empty());
  REQUIRE(p.header.code().has_listing());
  CHECK(listing_of(p.header, "f").side_text == *t.side);
  p.header.mutable_code()->mutable_listing()->clear_words();
  CHECK_THAT(message_for(p.file()), Catch::StartsWith("f: header: damaged: the listing"));
  // Of version 1.
  p.header.mutable_code()->clear_listing();
  p.header.mutable_code()->set_sass(*t.side);
  CHECK(message_for(p.file()).empty());
  CHECK(listing_of(p.header, "f").side_text == *t.side);
}

}  // namespace
}  // namespace heddle::trace::test
