// Messages of sections, compressed in both ways: they come back, and what is no such payload is found.
#include "frontends/trace/compression.h"

#include <catch2/catch.hpp>
#include <random>

namespace heddle::trace {
namespace {

using Catch::Contains;

std::string noise(size_t n) {
  std::mt19937 random(1);
  std::string s(n, '\0');
  for (char& c : s) {
    c = static_cast<char>(random());
  }
  return s;
}

std::vector<std::string> messages() {
  std::string words;
  for (int i = 0; i < 20000; ++i) {
    words += std::to_string(i * i % 977) + " ";
  }
  return {"", "a", std::string(3 << 20, '\0'), noise(300000), words, words + noise(70000) + words};
}

TEST_CASE("messages come back", "[compression]") {
  for (const std::string& m : messages()) {
    for (const int level : {1, 18, kLzmaLevel, 22}) {
      for (const bool words : {false, true}) {
        const std::string payload = compressed(m, level, words);
        CAPTURE(m.size(), level, words, payload.size());
        CHECK(payload.size() < m.size() + m.size() / 1000 + 32);
        std::string got = "before";
        CHECK(decompress(payload, m.size(), got).empty());
        CHECK(got == m);
        // Which of the two it is shows.
        CHECK(payload.starts_with("\x28\xb5\x2f\xfd") == (level < kLzmaLevel));
      }
    }
  }
}

TEST_CASE("LZMA2 is the shorter one", "[compression]") {
  std::mt19937 random(2);
  std::string m;
  for (int i = 0; i < 20000; ++i) {
    m += std::to_string(random() % 1000) + " LDG.E R" + std::to_string(random() % 64) + "\n";
  }
  CHECK(compressed(m, kLzmaLevel, false).size() < compressed(m, kLzmaLevel - 1, false).size());
}

TEST_CASE("the window is as long as the message", "[compression]") {
  CHECK(lzma_window(0) == 4096);
  CHECK(lzma_window(5000) == 5000);
  CHECK(lzma_window(uint64_t{1} << 40) == 64 << 20);
}

TEST_CASE("payloads that are cut, longer, or of another size are found", "[compression]") {
  for (const std::string& m : messages()) {
    for (const int level : {1, kLzmaLevel}) {
      const std::string good = compressed(m, level, false);
      std::string got;
      CAPTURE(m.size(), level);
      for (size_t n = 0; n < good.size(); n += 1 + good.size() / 50) {
        CAPTURE(n);
        CHECK_FALSE(decompress(good.substr(0, n), m.size(), got).empty());
      }
      CHECK_FALSE(decompress(good.substr(0, good.size() - 1), m.size(), got).empty());
      CHECK_FALSE(decompress(good + '\0', m.size(), got).empty());
      CHECK_THAT(decompress(good, m.size() + 1, got),
                 Contains("of " + std::to_string(m.size() + 1) + " bytes"));
      if (!m.empty()) {
        CHECK_THAT(decompress(good, m.size() - 1, got),
                   Contains("of " + std::to_string(m.size() - 1) + " bytes"));
      }
      // More than any payload of this length can be: no memory is asked for.
      CHECK_THAT(decompress(good, uint64_t{1} << 60, got), Contains("of 1152921504606846976 bytes"));
    }
  }
}

TEST_CASE("bytes that are neither are found", "[compression]") {
  std::string got;
  for (const char* bytes : {"\x02", "\x28\xb5\x2f", "hello",
                            "\xfd"
                            "7zXZ",
                            "\xe0\x00\x00\x00\x05\x5d"
                            "aaaaaa",
                            "\x80"}) {
    CHECK_FALSE(decompress(bytes, 10, got).empty());
  }
  const std::string m = messages()[4];
  std::string bad = compressed(m, kLzmaLevel, false);
  int found = 0;
  for (size_t at = 0; at < 200; ++at) {
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    const std::string fault = decompress(bad, m.size(), got);
    CHECK((fault.empty() ? got.size() == m.size() : true));
    found += !fault.empty() || got != m;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
  }
  CHECK(found > 190);
}

}  // namespace
}  // namespace heddle::trace
