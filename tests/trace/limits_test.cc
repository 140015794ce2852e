// Files with right lengths and checksums that ask for more than their budget (input::limits()): an error with
// the place, before memory is taken.
#include "frontends/input/limits.h"

#include <sys/resource.h>

#include "tests/trace/messages.h"

namespace heddle::trace::test {
namespace {

using Catch::Contains;
using Catch::StartsWith;
using input::ScopedLimits;

template <typename Change>
std::string after(Change change) {
  Parts p;
  change(p);
  return message_for(p.file());
}

std::string changes(const std::string& limit) { return "HEDDLE_LIMITS=" + limit + "=N changes that"; }

uint64_t peak() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

// The memory that a refused file may take besides.
template <typename Read>
std::string cheaply(Read read) {
  const uint64_t before = peak();
  std::string message = read();
  CHECK(peak() - before < 8 << 20);
  return message;
}

TEST_CASE("sections are bounded before they are decompressed", "[limits]") {
  const ScopedLimits small("section_bytes=4K,code_bytes=4K");
  CHECK(after([](Parts&) {}).empty());
  const std::string many(100'000, '\0');
  CHECK_THAT(after([&](Parts& p) { p.chunks[1].set_residuals(many); }),
             StartsWith("f: byte ") && Contains(": the chunk has 100") && Contains(changes("section_bytes")));
  CHECK_THAT(after([&](Parts& p) { p.paths.set_runs(many); }), Contains(": the table of paths has 100"));
  CHECK_THAT(after([&](Parts& p) { p.header.set_writer(many); }),
             StartsWith("f: byte 16: the header has 100") && Contains("besides the code"));
  CHECK_THAT(after([&](Parts& p) {
               for (int i = 0; i < 5000; ++i) {
                 p.index.add_source_pc(i);
               }
             }),
             Contains(": the index has"));
}

TEST_CASE("a writer does not write what cannot be read", "[limits]") {
  const ScopedLimits small("section_bytes=100");
  CHECK_THAT(error_of([] { pack(sample()); }),
             Contains("t.heddle: the chunk has") && Contains(changes("section_bytes")));
}

TEST_CASE("code and names are bounded", "[limits]") {
  const auto header = [](auto change) { return after([&](Parts& p) { change(p.header); }); };
  {
    const ScopedLimits small("code_bytes=1K");
    CHECK_THAT(header([](pb::Header& h) {
                 h.mutable_code()->clear_listing();
                 h.mutable_code()->mutable_sass()->append(2000, '\n');
               }),
               StartsWith("f: code.sass: 2") && Contains(changes("code_bytes")));
  }
  const ScopedLimits small("name_bytes=64,opcode_bytes=32,instructions=30");
  const std::string name(100, 'x');
  CHECK_THAT(header([&](pb::Header& h) { h.mutable_kernel()->set_name(name); }),
             StartsWith("f: header: kernel.name of 100 bytes") && Contains(changes("name_bytes")));
  for (auto field :
       {&pb::Origin::mutable_trace, &pb::Origin::mutable_source, &pb::Origin::mutable_fingerprint}) {
    CHECK_THAT(header([&](pb::Header& h) { *(h.mutable_origin()->*field)() = name; }),
               StartsWith("f: header: origin.") && Contains(" of 100 bytes"));
  }
  const auto columns = [&](int n, const std::string& opcode) {
    return header([&](pb::Header& h) {
      h.mutable_code()->clear_listing();
      for (int i = 0; i < n; ++i) {
        h.mutable_code()->add_columns()->set_opcode(opcode);
        h.mutable_code()->mutable_columns(i)->set_pc(16 * i);
      }
    });
  };
  CHECK_THAT(columns(1, name),
             StartsWith("f: header: an opcode of 100 bytes") && Contains(changes("opcode_bytes")));
  CHECK_THAT(columns(40, "NOP"),
             Contains("more than 30 different instructions") && Contains(changes("instructions")));
}

TEST_CASE("lists of messages are bounded before they are parsed", "[limits]") {
  const ScopedLimits small("elements=50");
  CHECK(after([](Parts&) {}).empty());
  const auto add = [](int n, auto f) {
    for (int i = 0; i < n; ++i) {
      f();
    }
  };
  const std::string many = "has more than 50 elements in its lists";
  CHECK_THAT(after([&](Parts& p) { add(60, [&] { p.header.mutable_origin()->add_memcpys(); }); }),
             StartsWith("f: byte 16: the header " + many) && Contains(changes("elements")));
  CHECK_THAT(after([&](Parts& p) { add(60, [&] { p.chunks[0].add_planes(); }); }),
             Contains("the chunk " + many));
  CHECK_THAT(after([&](Parts& p) { add(60, [&] { p.index.add_chunks(); }); }), Contains("the index " + many));
  // Numbers are not elements.
  CHECK(after([&](Parts& p) { add(600, [&] { p.header.mutable_kernel()->set_id(7); }); }).empty());
  // Unknown fields are, and those of another type than the schema's.
  CHECK_THAT(after([&](Parts& p) {
               add(60, [&] { p.paths.GetReflection()->MutableUnknownFields(&p.paths)->AddVarint(99, 1); });
             }),
             Contains("the table of paths " + many));
  CHECK_THAT(after([&](Parts& p) {
               add(60, [&] { p.paths.GetReflection()->MutableUnknownFields(&p.paths)->AddVarint(2, 1); });
             }),
             Contains("the table of paths " + many));
}

TEST_CASE("empty paths take no memory", "[limits]") {
  // 16 MB that compress to 2 kB, and would be 400 MB of vectors.
  Parts p;
  p.paths.set_runs(std::string(16 << 20, '\0'));
  p.paths.set_count(16 << 20);
  const std::string file = p.file();
  CHECK(file.size() < 8192);
  const ScopedLimits small("block_bytes=64M");
  CHECK_THAT(message_for(file), Contains("the table of paths may need") && Contains(changes("block_bytes")));
  p.paths.set_count(17 << 20);
  CHECK_THAT(message_for(p.file()), Contains("damaged: 17825792 paths in 16777216 bytes"));
}

TEST_CASE("chunks are bounded by what they may become", "[limits]") {
  const auto chunk = [](auto change) { return after([&](Parts& p) { change(p.chunks[1]); }); };
  const ScopedLimits small("block_bytes=16K");
  CHECK(after([](Parts&) {}).empty());
  const std::string place = "damaged: the chunk of blocks 1 to 1: it may need";
  const std::string many(10'000, '\0');
  CHECK_THAT(chunk([&](pb::Chunk& c) { c.set_symbols(many); }),
             Contains(place) && Contains(changes("block_bytes")));
  CHECK_THAT(chunk([&](pb::Chunk& c) { c.set_runs(many); }), Contains(place));
  CHECK_THAT(chunk([&](pb::Chunk& c) { c.set_planes(0, many); }), Contains(place));
}

TEST_CASE("blocks that share paths and shapes are bounded as they are decoded", "[limits]") {
  // 32 warps of a path of 1,000 runs each, all the same one.
  Text t = sample();
  const std::vector<std::string> lines(1000, "0000 ffffffff 0 NOP 0 0");
  using namespace accelsim::test;
  HeaderOptions h;
  h.block = "(1024,1,1)";
  std::string warps;
  for (int w = 0; w < 32; ++w) {
    warps += warp(w, lines);
  }
  t = {header(h) + block("0,0,0", warps), side({"NOP"}), std::nullopt};
  const std::string file = pack(t);
  CHECK(message_for(file).empty());
  const ScopedLimits small("block_bytes=100K");
  CHECK_THAT(message_for(file),
             Contains("the streams of a block need too many bytes of memory (legal: up to 102400; "));
}

TEST_CASE("paths are bounded by their instructions", "[limits]") {
  Parts p;
  const ScopedLimits small("warp_instructions=5");
  CHECK_THAT(message_for(p.file()),
             Contains("a warp of more than 5 instructions") && Contains(changes("warp_instructions")));
}

TEST_CASE("a grid of 2^63 blocks", "[limits]") {
  const auto grid = [](pb::Kernel& k) {
    k.mutable_grid()->set_x(0x7fffffff);
    k.mutable_grid()->set_y(65535);
    k.mutable_grid()->set_z(65535);
  };
  CHECK_THAT(cheaply([&] { return after([&](Parts& p) { grid(*p.header.mutable_kernel()); }); }),
             Contains("3 blocks for a grid of 922"));
}

}  // namespace
}  // namespace heddle::trace::test
