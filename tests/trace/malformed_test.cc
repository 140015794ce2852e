// Truncated, damaged and nonsensical files: an error that names the file and the offset.
#include <zlib.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "frontends/trace/listing.h"
#include "frontends/trace/section.h"
#include "tests/trace/messages.h"

namespace heddle::trace::test {
namespace {

using Catch::Contains;
using Catch::StartsWith;

// The offset that a message names.
uint64_t offset_in(const std::string& message) {
  const std::string lead = "f: byte ";
  REQUIRE_THAT(message, StartsWith(lead));
  CHECK(message.find('\n') == std::string::npos);
  return std::strtoull(message.c_str() + lead.size(), nullptr, 10);
}

TEST_CASE("the file these cases start from is good", "[malformed]") {
  CHECK(message_for(three_chunks()).empty());
}

TEST_CASE("a file cut anywhere is truncated", "[malformed]") {
  const std::string good = three_chunks();
  for (size_t n = 0; n < good.size(); ++n) {
    const std::string message = message_for(good.substr(0, n));
    CAPTURE(n, message);
    CHECK(offset_in(message) <= n);
    CHECK_THAT(message, n == 0 ? Contains("empty") : Contains("truncated"));
  }
}

TEST_CASE("every flipped bit is found", "[malformed]") {
  const std::string good = three_chunks();
  for (size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 1 << bit);
      const std::string message = message_for(bad);
      CAPTURE(at, bit, message);
      CHECK(offset_in(message) <= good.size());
    }
  }
}

TEST_CASE("bytes behind the end are found", "[malformed]") {
  CHECK_THAT(message_for(three_chunks() + "x"), Contains("truncated or damaged: the trailer should be here"));
}

TEST_CASE("other files and versions", "[malformed]") {
  CHECK(message_for("-kernel name = k\n") ==
        "f: byte 0: not a .heddle trace: it begins with other bytes (legal: 89 'HEDDLE' 0a)");
  std::string newer = std::string(kMagic) + std::string("\x07\0\0\0", 4);
  const uLong check = crc32(0, reinterpret_cast<const Bytef*>(newer.data()), 12);
  for (int i = 0; i < 4; ++i) {
    newer.push_back(static_cast<char>(check >> 8 * i));
  }
  CHECK(message_for(newer + three_chunks().substr(16)) == "f: byte 8: format version 7 (understood: 1, 2)");
}

template <typename Change>
std::string after(Change change) {
  Parts p;
  change(p);
  return message_for(p.file());
}

TEST_CASE("headers that describe no launch", "[malformed]") {
  CHECK(after([](Parts&) {}).empty());
  const auto kernel = [](auto change) {
    return after([&](Parts& p) { change(*p.header.mutable_kernel()); });
  };
  CHECK(kernel([](pb::Kernel& k) { k.clear_name(); }) ==
        "f: header: no kernel.name (legal: the mangled name)");
  CHECK_THAT(kernel([](pb::Kernel& k) { k.clear_grid(); }), Contains("kernel.grid (0,0,0) (legal: "));
  CHECK_THAT(kernel([](pb::Kernel& k) { k.mutable_block()->set_y(100); }), Contains("at most 1024 threads"));
  CHECK_THAT(kernel([](pb::Kernel& k) { k.mutable_cluster()->set_x(2); }),
             Contains("kernel.cluster (2,1,1)"));
  CHECK_THAT(kernel([](pb::Kernel& k) { k.set_registers_per_thread(300); }), Contains("300 (legal: 1..256)"));
  CHECK_THAT(kernel([](pb::Kernel& k) { k.set_registers_per_thread(0); }),
             Contains("kernel.registers_per_thread 0 (legal: 1..256)"));
  CHECK_THAT(kernel([](pb::Kernel& k) { k.set_local_bytes_per_thread(524289); }),
             Contains("kernel.local_bytes_per_thread 524289 (legal: 0..524288)"));
  CHECK_THAT(kernel([](pb::Kernel& k) { k.set_carveout_percent(101); }), Contains("(legal: -1..100)"));
  CHECK_THAT(kernel([](pb::Kernel& k) { k.mutable_grid()->set_x(6); }), Contains("3 blocks for a grid of 6"));
  const auto code = [](auto change) { return after([&](Parts& p) { change(*p.header.mutable_code()); }); };
  CHECK_THAT(code([](pb::Code& c) { c.clear_listing(); }), Contains("no code"));
  CHECK_THAT(code([](pb::Code& c) {
               c.clear_listing();
               c.set_sass("# function k base 0\nnonsense\n");
             }),
             StartsWith("f: code.sass:2: "));
  CHECK_THAT(code([](pb::Code& c) {
               c.mutable_listing()->Clear();
               put_listing("# function k base 0\nnonsense\n", 90, *c.mutable_listing());
             }),
             StartsWith("f: code.sass:2: "));
  CHECK_THAT(code([](pb::Code& c) {
               c.clear_listing();
               for (int i = 0; i < 2; ++i) {
                 c.add_columns()->set_opcode("NOP");
               }
             }),
             Contains("two instructions at byte 0"));
  CHECK_THAT(
      code([](pb::Code& c) {
        c.clear_listing();
        c.add_columns()->set_opcode("LDGS\nSS.1");
      }),
      Contains("header: the opcode 'LDGS\\x0aSS.1' at byte 0 of the code (legal: printable characters)"));
}

TEST_CASE("indices that do not fit", "[malformed]") {
  const auto index = [](auto change) { return after([&](Parts& p) { change(p.index); }); };
  CHECK_THAT(index([](pb::Index& i) { i.set_blocks(4); }), Contains("the index: 4 blocks for a grid of 3"));
  CHECK_THAT(index([](pb::Index& i) { i.clear_chunks(); }), Contains("no chunk with block 0"));
  CHECK_THAT(index([](pb::Index& i) { i.mutable_chunks(1)->set_first_block(2); }),
             Contains("chunks out of order"));
  CHECK_THAT(index([](pb::Index& i) { i.mutable_chunks()->RemoveLast(); }),
             Contains("the chunk of blocks 1 to 2: it does not hold the blocks that the index says"));
  Parts p;
  const std::string file = p.file();
  p.index.mutable_chunks(1)->set_offset(p.index.chunks(2).offset());
  const std::string head = file.substr(0, p.index.paths_offset());
  std::string moved = head + make_section(SectionKind::kPaths, p.paths.SerializeAsString(), 1);
  const uint64_t at = moved.size();
  moved += make_section(SectionKind::kIndex, p.index.SerializeAsString(), 1);
  CHECK_THAT(message_for(moved + make_trailer(at, moved.size() + kTrailerBytes)),
             Contains("does not hold the blocks"));
  CHECK_THAT(message_for(moved + make_trailer(kPreambleBytes, moved.size() + kTrailerBytes)),
             Contains("byte 16: damaged: a header begins here, not the index"));
}

TEST_CASE("columns that end early, late, or hold nonsense", "[malformed]") {
  const auto chunk = [](auto change) { return after([&](Parts& p) { change(p.chunks[1]); }); };
  const std::string place = "damaged: the chunk of blocks 1 to 1: ";
  using C = pb::Chunk;
  for (auto column : {&C::mutable_indices, &C::mutable_paths, &C::mutable_symbols, &C::mutable_residuals,
                      &C::mutable_shapes}) {
    const auto of = [&](C& c) -> std::string& { return *(c.*column)(); };
    CHECK_THAT(chunk([&](C& c) { of(c).pop_back(); }), Contains(place));
    CHECK_THAT(chunk([&](C& c) { of(c).push_back('\0'); }), Contains(place));
    CHECK_THAT(chunk([&](C& c) { of(c)[0] = '\x7f'; }), Contains(place));
    CHECK_THAT(chunk([&](C& c) { of(c).clear(); }), Contains(place));
  }
  CHECK_THAT(chunk([](C& c) { c.mutable_planes(0)->pop_back(); }),
             Contains(place + "the columns of lists end early"));
  CHECK_THAT(chunk([](C& c) { c.mutable_planes(0)->push_back(1); }),
             Contains(place + "there are bytes behind"));
  CHECK_THAT(chunk([](C& c) { (*c.mutable_paths())[0] = '\x7f'; }), Contains(place + "path number 63 of 1"));
  CHECK_THAT(chunk([](C& c) { (*c.mutable_paths())[0] = 0; }), Contains(place + "a warp's path ends early"));
  CHECK_THAT(after([](Parts& p) { p.paths.mutable_runs()->pop_back(); }), Contains("path 0 of 1 ends early"));
  CHECK_THAT(after([](Parts& p) { p.paths.mutable_masks()->push_back(0); }),
             Contains("bytes behind the last path"));
  CHECK_THAT(after([](Parts& p) { p.paths.set_count(2); }), Contains("path 1 of 2"));
}

TEST_CASE("lanes and operands that no GPU would have executed", "[malformed]") {
  const Text text = sample();
  Opened o = open_text(text);
  const Kernel good = read_all(*o.source);
  const auto first = [&](const isa::WarpTrace& w, isa::OpClass op) -> std::pair<uint64_t, size_t> {
    size_t ref = 0;
    uint64_t n = 0;
    for (const isa::Run& r : w.runs) {
      for (uint32_t i = r.first; i < r.first + r.count; ++i, ++n) {
        if (good.image.code[i].op == op && r.mask) {
          return {n, ref};
        }
        ref += r.mask ? good.image.code[i].mem_refs : 0;
      }
    }
    throw std::logic_error("no such instruction in the sample");
  };
  const auto message = [&](const std::vector<isa::BlockTrace>& blocks) {
    const std::string bytes = pack(good.image, o.listing, blocks);
    CHECK(message_for(bytes).empty());  // the format can hold it
    return error_of([&] {
      const std::unique_ptr<Reader> r = open("f", bytes);
      r->check_operands();
      read_all(*r);
    });
  };
  CHECK(message(good.blocks).empty());

  std::vector<isa::BlockTrace> bad = good.blocks;
  isa::WarpTrace& w = bad.at(1).warps.at(0);
  const auto [n, ref] = first(w, isa::OpClass::kBulkCopy);
  isa::MemRef& r = w.refs.at(ref);
  r = {};
  r.kind = isa::MemRef::Kind::kValues;
  r.count = 5;
  r.list = static_cast<uint32_t>(w.values.size());
  w.values.insert(w.values.end(), {0, 0, 0, 0, 0x1000000});
  CHECK_THAT(message(bad), StartsWith("f: block 1, instruction " + std::to_string(n) +
                                      " of warp 0: a bulk copy of 0x1000000 units"));

  w.values.back() = 0;
  CHECK(message(bad).empty());
  w.values[w.values.size() - 2] = uint64_t{1} << 32;
  CHECK_THAT(message(bad), Contains("register value 0x100000000 of a bulk copy (legal: 32 bits)"));

  // Several at a time: the blocks before it come first, then the same error.
  const std::string bytes = pack(good.image, o.listing, bad);
  const std::unique_ptr<Reader> reader = open("f", bytes);
  reader->check_operands();
  const isa::ParallelFor backwards = [](uint32_t n, const auto& f) {
    while (n > 0) {
      f(--n);
    }
  };
  std::vector<isa::BlockTrace> out(4);
  CHECK(reader->next_batch(out, backwards) == 1);
  CHECK(out.front().linear == 0);
  CHECK(out.front().warps.size() == good.blocks.front().warps.size());
  CHECK(error_of([&] { reader->next_batch(out, backwards); }) == message(bad));
}

}  // namespace
}  // namespace heddle::trace::test
