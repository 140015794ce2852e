#include "frontends/accelsim/byte_stream.h"

#include <catch2/catch.hpp>
#include <random>

#include "frontends/accelsim/line_reader.h"
#include "tests/accelsim/compress.h"
#include "tests/accelsim/trace_text.h"

namespace heddle::accelsim::test {
namespace {

std::string drain(ByteStream& in, size_t chunk = 4096) {
  std::string all, buffer(chunk, '\0');
  while (const size_t n = in.read(buffer.data(), chunk)) {
    all.append(buffer, 0, n);
  }
  return all;
}

std::string drain_memory(const std::string& name, std::string_view data, size_t chunk = 4096) {
  return drain(*open_memory_bytes(name, data), chunk);
}

// Text with little and with much repetition.
std::string sample(size_t n) {
  std::mt19937 rng(1);
  std::string s;
  while (s.size() < n) {
    s += rng() % 3 ? "0010 ffffffff 1 R0 S2R 0 0\n" : std::to_string(rng()) + "\n";
  }
  s.resize(n);
  return s;
}

using Codec = std::string (*)(std::string_view);
std::string plain(std::string_view s) { return std::string(s); }
std::string zstd_default(std::string_view s) { return zstd(s); }
std::string zstd_long(std::string_view s) { return zstd(s, 27); }

struct Format {
  const char* suffix;
  Codec encode;
};
const Format kFormats[] = {
    {"", plain}, {".zst", zstd_default}, {".zst", zstd_long}, {".xz", xz}, {".gz", gzip}};

TEST_CASE("every format gives back what was compressed", "[byte_stream]") {
  for (const Format& f : kFormats) {
    for (const size_t n : {size_t{0}, size_t{1}, size_t{1000}, size_t{400000}}) {
      const std::string data = sample(n);
      const std::string packed = f.encode(data);
      CHECK(drain_memory(std::string("x") + f.suffix, packed) == data);
      CHECK(drain_memory(std::string("x") + f.suffix, packed, 7).size() == data.size());
    }
  }
}

TEST_CASE("the first bytes decide when the suffix says nothing", "[byte_stream]") {
  const std::string data = sample(5000);
  for (const Format& f : kFormats) {
    CHECK(drain_memory("x.traceg", f.encode(data)) == data);
  }
}

TEST_CASE("concatenated frames and members are read to the end", "[byte_stream]") {
  const std::string a = sample(3000), b = sample(70000);
  for (const Format& f : kFormats) {
    std::string packed, all;
    for (const std::string& part : {a, b, std::string(), a}) {
      packed += f.encode(part);
      all += part;
    }
    CHECK(drain_memory(std::string("x") + f.suffix, packed) == all);
  }
}

TEST_CASE("skippable zstd frames and gzip padding are skipped", "[byte_stream]") {
  using namespace std::string_literals;
  const std::string skippable = "\x50\x2a\x4d\x18\x03\x00\x00\x00"s + "abc";
  CHECK(drain_memory("x", skippable + zstd("hello") + skippable) == "hello");
  CHECK(drain_memory("x.gz", gzip("hello") + std::string(600, '\0')) == "hello");
}

TEST_CASE("files are read as memory is", "[byte_stream]") {
  const TempDir dir;
  const std::string data = sample(300000);
  for (const Format& f : kFormats) {
    const auto file = dir.write(std::string("f") + f.suffix, f.encode(data));
    CHECK(drain(*open_bytes(file)) == data);
  }
}

TEST_CASE("a zstd window beyond the limit is refused", "[byte_stream]") {
  const std::string packed = zstd(sample(1000), 24);
  StreamOptions small;
  small.max_window_log = 20;
  const std::string message = error_of([&] { drain(*open_memory_bytes("w.zst", packed, small)); });
  CHECK(message.starts_with("w.zst: byte "));
  CHECK(drain_memory("w.zst", packed).size() == 1000);
}

TEST_CASE("every truncation of every format is an error that names file and byte", "[byte_stream]") {
  const std::string data = sample(2000);
  for (const Format& f : kFormats) {
    if (f.encode == plain) {
      continue;
    }
    const std::string packed = f.encode(data);
    const std::string name = std::string("cut") + f.suffix;
    for (size_t n = 0; n < packed.size(); ++n) {
      const std::string message =
          error_of([&] { drain_memory(name, std::string_view(packed).substr(0, n)); });
      REQUIRE(message.find(name + ": byte ") == 0);
      REQUIRE(message.find('\n') == std::string::npos);
    }
    const std::string message = error_of([&] { drain_memory(name, packed.substr(0, packed.size() - 1)); });
    CHECK(message.find("byte " + std::to_string(packed.size() - 1)) != std::string::npos);
  }
}

TEST_CASE("corrupt data is an error or detected by no checksum, never a crash", "[byte_stream]") {
  const std::string data = sample(3000);
  std::mt19937 rng(2);
  for (const Format& f : kFormats) {
    if (f.encode == plain) {
      continue;
    }
    const std::string packed = f.encode(data);
    for (int i = 0; i < 200; ++i) {
      std::string bad = packed;
      char& c = bad[rng() % bad.size()];
      c = static_cast<char>(static_cast<uint8_t>(c) ^ 1u << rng() % 8);
      std::string got;
      const std::string name = std::string("bad") + f.suffix;
      const std::string message = error_of([&] { got = drain_memory(name, bad); });
      // Header bits that mean nothing to the data (a gzip time stamp) may change unnoticed.
      CHECK((message.starts_with(name + ": byte ") || got == data));
    }
  }
}

TEST_CASE("a suffix that the contents do not match is an error", "[byte_stream]") {
  for (const char* suffix : {".zst", ".xz", ".gz"}) {
    const std::string name = std::string("text") + suffix;
    CHECK(error_of([&] { drain_memory(name, "-kernel name = k\n"); }).starts_with(name + ": byte "));
  }
}

TEST_CASE("missing files and directories are errors", "[byte_stream]") {
  const TempDir dir;
  CHECK(error_of([&] { open_bytes(dir.path() / "none"); }).find("none: cannot be read: No such file") !=
        std::string::npos);
  CHECK(error_of([&] { open_bytes(dir.path()); }).find(": is a directory (legal: a regular file)") !=
        std::string::npos);
}

std::vector<std::string> lines_of(std::string_view data) {
  LineReader in(open_memory_bytes("l", data));
  std::vector<std::string> all;
  std::string_view line;
  while (in.next(line)) {
    all.emplace_back(line);
    CHECK(in.line() == all.size());
  }
  return all;
}

TEST_CASE("lines end with LF, CRLF or the file", "[line_reader]") {
  CHECK(lines_of("").empty());
  CHECK(lines_of("a") == std::vector<std::string>{"a"});
  CHECK(lines_of("a\n\nb\r\n\r\nc") == std::vector<std::string>{"a", "", "b", "", "c"});
  CHECK(lines_of("\n") == std::vector<std::string>{""});
}

TEST_CASE("lines across buffer borders stay whole", "[line_reader]") {
  std::string data;
  std::vector<std::string> expected;
  for (size_t i = 0; i < 3000; ++i) {
    expected.push_back(std::string(i % 331, static_cast<char>('a' + i % 26)));
    data += expected.back() + "\n";
  }
  expected.push_back(std::string(300000, 'z'));
  data += expected.back() + "\n";
  CHECK(lines_of(data) == expected);
}

TEST_CASE("an endless line is an error", "[line_reader]") {
  const std::string data = "short\n" + std::string(3 << 20, 'x');
  CHECK(error_of([&] { lines_of(data); }).starts_with("l:2: line longer than 1048576 bytes"));
}

}  // namespace
}  // namespace heddle::accelsim::test
