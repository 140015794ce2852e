// Inputs that ask for more than their budget: an error that says where, and how the budget is changed. The
// budgets are small here, so that little memory and time show what large ones would take.
#include "frontends/input/limits.h"

#include <sys/resource.h>

#include <catch2/catch.hpp>

#include "frontends/accelsim/kernelslist.h"
#include "frontends/sass/side_file.h"
#include "tests/accelsim/compress.h"
#include "tests/accelsim/trace_text.h"

namespace heddle::accelsim::test {
namespace {

using Catch::Contains;
using Catch::StartsWith;
using input::ScopedLimits;

const std::string kNop = "0000 ffffffff 0 NOP 0 0", kExit = "0010 ffffffff 0 EXIT 0 0";

std::string repeated(const std::string& text, size_t n) {
  std::string s;
  s.reserve(text.size() * n);
  for (size_t i = 0; i < n; ++i) {
    s += text;
  }
  return s;
}

// Peak memory of the process so far, in bytes.
uint64_t peak() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

// Reads within and beyond `setting`; the error is the same text with `place` in front and the limit behind.
void check(const std::string& setting, const std::string& place, const std::string& what,
           const std::function<void()>& read) {
  CAPTURE(setting);
  CHECK(error_of(read).empty());
  const ScopedLimits small(setting);
  const std::string message = error_of(read);
  CHECK_THAT(message,
             StartsWith(place + ": ") && Contains(what) &&
                 Contains("HEDDLE_LIMITS=" + setting.substr(0, setting.find('=')) + "=N changes that"));
  CHECK(message.find('\n') == std::string::npos);
}

TEST_CASE("headers and names are bounded", "[limits]") {
  HeaderOptions params;
  for (int i = 0; i < 100; ++i) {
    params.more += "-param " + std::to_string(i) + " = 0000006c027f0000\n";
  }
  check("header_bytes=1K", "t:39", "a header of more than 1024 bytes", [&] { read(trace({kNop}, params)); });
  HeaderOptions blank;
  blank.more = std::string(2000, '\n');
  check("header_bytes=1K", "t:793", "a header of more than", [&] { read(trace({kNop}, blank)); });
  const std::string name(500, 'k');
  check("name_bytes=400", "t:1", "-kernel name = 'kkk",
        [&] { read(with(trace({kNop}), "= k", "= " + name)); });
  check("name_bytes=400", "t.sass:3", "a name of 500 bytes", [&] {
    read(trace({kNop}), side({"NOP"}) + "# function " + name +
                            " base 0x100\n"
                            "0000 0000000000007918 000fc00000000000 NOP ;\n");
  });
  check("line_bytes=100K", "t:21", "line longer than 102400 bytes", [&] {
    read(trace({kNop, kExit + std::string(300000, ' ')}));
  });
}

TEST_CASE("blank lines and comments in a row are bounded", "[limits]") {
  const std::string blank = std::string(1500, '\n') + repeated("   \n", 200), one = trace({kNop});
  check("blank_bytes=2K", "t:1650", "bytes of blank lines",
        [&] { read(with(one, "\n#BEGIN_TB", blank + "#BEGIN_TB")); });
  check("blank_bytes=2K", "t.extra:2049", "bytes of blank lines",
        [&] { read(one, std::nullopt, std::string(2100, '\n')); });
  check("blank_bytes=2K", "t:364", "bytes of comments behind the last thread block",
        [&] { read(one + repeated("# end\n", 500)); });
}

TEST_CASE("static code is bounded", "[limits]") {
  std::vector<std::string> lines, sass;
  for (int i = 0; i < 40; ++i) {
    char pc[8];
    std::snprintf(pc, sizeof pc, "%04x", 16 * i);
    lines.push_back(std::string(pc) + " ffffffff 0 NOP 0 0");
    sass.push_back("NOP");
  }
  check("instructions=30", "t:50", "more than 30 different instructions", [&] { read(trace(lines)); });
  check("instructions=30", "t.sass:32", "more than 30 instructions", [&] { read(trace(lines), side(sass)); });
  check("code_bytes=1K", "t.sass", "more than 1024 bytes of code", [&] { read(trace(lines), side(sass)); });
  const std::string opcode = "NOP." + std::string(100, 'X');
  check("opcode_bytes=64", "t:20", "an opcode of 104 bytes",
        [&] { read(trace({"0000 ffffffff 0 " + opcode + " 0 0"})); });
  check("opcode_bytes=64", "t.sass:2", "an opcode of 104 bytes",
        [&] { read(trace({kNop}), side({opcode})); });
}

TEST_CASE("lists are bounded", "[limits]") {
  const std::string list = repeated("kernel-1.traceg\n", 100);
  const auto parse = [](const std::string& text) { return [text] { parse_kernelslist(text, "l.g"); }; };
  check("list_entries=50", "l.g:51", "more than 50 kernels and copies", parse(list));
  check("list_bytes=1K", "l.g:65", "a list of more than 1024 bytes", parse(list));
  check("list_bytes=1K", "l.g:1025", "a list of more than 1024 bytes", parse(std::string(2000, '\n')));
  check("list_bytes=1K", "l.g:65", "a list of more than 1024 bytes", parse(zstd(list)));
}

TEST_CASE("a warp's and a block's streams are bounded", "[limits]") {
  const std::vector<std::string> forty(40, kNop);
  // Before its lines are read: 4 * 10^9 of them would take minutes.
  check("warp_instructions=30", "t:19", "insts = 40 in one warp", [&] { read(trace(forty)); });
  check("block_bytes=300", "t:60", "the streams of this thread block need too many bytes",
        [&] { read(trace(forty)); });
  // Two warps, each within the budget.
  HeaderOptions two;
  two.block = "(64,1,1)";
  const std::string both = header(two) + block("0,0,0", warp(0, forty) + warp(1, forty));
  check("block_bytes=700", "t:102", "the streams of this thread block", [&] { read(both); });
}

TEST_CASE("a warp that is too large ends before it is in memory", "[limits]") {
  const std::string text = trace(std::vector<std::string>(1'000'000, kNop));
  const ScopedLimits small("block_bytes=64K");
  const uint64_t before = peak();
  CHECK_THAT(error_of([&] { read(text, side({"NOP"})); }), Contains("HEDDLE_LIMITS=block_bytes=N"));
  CHECK(peak() - before < 4 << 20);  // all of it would be 12 MB
}

TEST_CASE("compressed files stay in proportion", "[limits]") {
  const std::string text = trace(std::vector<std::string>(20'000, kNop));
  for (const auto& [name, packed] :
       {std::pair<std::string, std::string>{"t.zst", zstd(text)}, {"t.xz", xz(text)}, {"t.gz", gzip(text)}}) {
    const TraceInMemory t{name, packed, std::nullopt, std::nullopt};
    const auto all = [&] { read_all(*open_trace(t)); };
    CHECK(error_of(all).empty());
    const ScopedLimits small("expansion=10");
    CHECK_THAT(error_of(all), StartsWith(name + ": byte ") && Contains("which no trace does") &&
                                  Contains("HEDDLE_LIMITS=expansion=N changes that"));
  }
}

TEST_CASE("decompressors' windows are bounded", "[limits]") {
  const TraceInMemory t{"t.zst", "", std::nullopt, std::nullopt};
  const std::string text = trace({kNop});
  const std::string packed = zstd(text, 24);
  const auto all = [&] { read_all(*open_trace(TraceInMemory{"t.zst", packed, std::nullopt, std::nullopt})); };
  CHECK(error_of(all).empty());
  const ScopedLimits small("window_bytes=1M");
  CHECK(error_of(all) ==
        "t.zst: byte 0: its window is too large (legal: up to 1048576 bytes; "
        "HEDDLE_LIMITS=window_bytes=N changes that)");
}

// What the budgets are for: a small file that grows a thousandfold ends at once, in little memory.
TEST_CASE("bombs end within the shipped budgets", "[limits]") {
  const uint64_t before = peak();
  const std::string blank(24 << 20, '\n'), one = trace({kNop});
  const std::string packed = zstd(with(one, "\n#BEGIN_TB", blank + "#BEGIN_TB"));
  REQUIRE(packed.size() < 1 << 16);
  CHECK_THAT(error_of([&] {
               read_all(*open_trace(TraceInMemory{"t.zst", packed, std::nullopt, std::nullopt}));
             }),
             Contains("bytes of blank lines"));
  CHECK_THAT(error_of([&] { read(with(one, "insts = 1", "insts = 4000000000")); }),
             StartsWith("t:19: insts = 4000000000 in one warp (legal: up to 100000000;"));
  CHECK_THAT(error_of([&] { read(with(one, "(1,1,1)", "(2147483647,65535,65535)")); }),
             Contains("after 1 of the 9223"));
  CHECK(peak() - before < 128 << 20);
}

}  // namespace
}  // namespace heddle::accelsim::test
