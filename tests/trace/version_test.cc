// Files of version 1 keep opening: zstd alone, and the code as text.
#include <catch2/catch.hpp>

#include "frontends/trace/compare.h"
#include "frontends/trace/section.h"
#include "tests/trace/messages.h"

namespace heddle::trace::test {
namespace {

constexpr const char* kOld =
    "tests/trace/data/version_1.heddle";  // sample(), as make_corpus of ce6f74da wrote it

uint32_t version_of(const std::string& bytes) { return static_cast<uint8_t>(bytes.at(8)); }

TEST_CASE("a file of version 1 says what one of today says", "[version]") {
  const std::string old_bytes = file_bytes(kOld), new_bytes = pack(sample());
  CHECK(version_of(old_bytes) == 1);
  CHECK(version_of(new_bytes) == kVersion);
  const auto before = open(std::filesystem::path(kOld)), now = open("f", new_bytes);
  CHECK(before->image().name == now->image().name);
  REQUIRE(before->image().code.size() == now->image().code.size());
  for (size_t i = 0; i < now->image().code.size(); ++i) {
    CHECK(before->image().text[i] == now->image().text[i]);
    CHECK(before->image().encodings[i].low == now->image().encodings[i].low);
    CHECK(before->image().encodings[i].high == now->image().encodings[i].high);
  }
  REQUIRE(before->blocks() == now->blocks());
  isa::BlockTrace a, b;
  while (before->next(a)) {
    REQUIRE(now->next(b));
    CHECK(difference(now->image(), a, b).empty());
  }
  CHECK_FALSE(now->next(b));
}

TEST_CASE("written anew it is of today's version", "[version]") {
  const auto before = open(std::filesystem::path(kOld));
  std::vector<isa::BlockTrace> blocks;
  for (isa::BlockTrace b; before->next(b);) {
    blocks.push_back(b);
  }
  const accelsim::Listing code = read_listing(kOld);
  const std::string again = pack(before->image(), code, blocks, {}, before->origin());
  CHECK(version_of(again) == kVersion);
  CHECK(again == pack(sample(), {}, before->origin()));
}

TEST_CASE("versions that there are not", "[version]") {
  for (const uint32_t v : {0U, kVersion + 1}) {
    FileFormat format = kTraceFormat;
    format.version = v;
    CHECK(message_for(make_preamble(format) + file_bytes(kOld).substr(kPreambleBytes)) ==
          "f: byte 8: format version " + std::to_string(v) + " (understood: 1, 2)");
  }
}

}  // namespace
}  // namespace heddle::trace::test
