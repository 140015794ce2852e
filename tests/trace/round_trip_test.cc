// What is written is read again: every block, the launch, the code.
#include <catch2/catch.hpp>
#include <random>

#include "frontends/trace/compare.h"
#include "frontends/trace/launches.h"
#include "tests/trace/native.h"

namespace heddle::trace::test {
namespace {

using Kind = isa::MemRef::Kind;

void check_blocks(const Kernel& want, Reader& got) {
  isa::BlockTrace b;
  size_t n = 0;
  for (; got.next(b); ++n) {
    REQUIRE(n < want.blocks.size());
    REQUIRE(difference(want.image, want.blocks[n], b).empty());
  }
  CHECK(n == want.blocks.size());
  // As they are stored, they say the same.
  got.seek(0);
  PackedBlock packed;
  for (n = 0; got.next_packed(packed); ++n) {
    REQUIRE(n < want.blocks.size());
    CHECK(packed.linear == n);
    isa::BlockTrace unpacked;
    unpacked.linear = packed.linear;
    unpacked.index = want.blocks[n].index;
    for (const PackedWarp& w : packed.warps) {
      unpacked.warps.emplace_back();
      isa::WarpTrace& u = unpacked.warps.back();
      u.warp = static_cast<uint32_t>(unpacked.warps.size() - 1);
      u.runs.assign(w.runs.begin(), w.runs.end());
      for (const isa::Run& r : w.runs) {
        u.instructions += r.count;
      }
      for (const Reference& r : w.refs) {
        unpack(r, *packed.shapes, u);
      }
    }
    REQUIRE(difference(want.image, want.blocks[n], unpacked).empty());
  }
  CHECK(n == want.blocks.size());
}

void check_images(const isa::KernelImage& a, const isa::KernelImage& b) {
  CHECK(a.name == b.name);
  CHECK(a.id == b.id);
  CHECK(a.compute_capability == b.compute_capability);
  CHECK(a.opcodes == b.opcodes);
  CHECK(a.text == b.text);
  CHECK(a.has_control == b.has_control);
  CHECK(a.unknown_opcodes == b.unknown_opcodes);
  REQUIRE(a.code.size() == b.code.size());
  for (size_t i = 0; i < a.code.size(); ++i) {
    const isa::Instr &x = a.code[i], &y = b.code[i];
    CHECK(x.pc == y.pc);
    CHECK(x.op == y.op);
    CHECK(x.opcode == y.opcode);
    CHECK(x.flags == y.flags);
    CHECK(x.width == y.width);
    CHECK(x.mem_refs == y.mem_refs);
    CHECK(x.n_src == y.n_src);
    CHECK(x.ctl.stall == y.ctl.stall);
    CHECK(x.ctl.wait_mask == y.ctl.wait_mask);
  }
  const isa::LaunchShape &s = a.shape, &t = b.shape;
  CHECK(s.grid == t.grid);
  CHECK(s.block == t.block);
  CHECK(s.cluster == t.cluster);
  CHECK(s.registers_per_thread == t.registers_per_thread);
  CHECK(s.static_shared_bytes == t.static_shared_bytes);
  CHECK(s.dynamic_shared_bytes == t.dynamic_shared_bytes);
  CHECK(s.local_bytes_per_thread == t.local_bytes_per_thread);
  CHECK(s.carveout_percent == t.carveout_percent);
  CHECK(s.cooperative == t.cooperative);
  CHECK(s.shared_base == t.shared_base);
  CHECK(s.local_base == t.local_base);
  CHECK(s.stream == t.stream);
}

TEST_CASE("source lines are kept, wherever they come from", "[trace]") {
  using namespace accelsim::test;
  HeaderOptions lineinfo;
  lineinfo.more = "-enable lineinfo = 1\n";
  const std::vector<std::string> plain = {"0000 ffffffff 1 R1 MOV 0 0", "0010 ffffffff 0 EXIT 0 0"};
  const std::vector<std::string> with_lines = {"12 " + plain[0], "0 " + plain[1]};
  const std::string code = side({"MOV R1, R2", "EXIT"});
  const std::string code_with_lines = with(code, "0010 ", "//## File \"/a/b.cu\", line 9\n0010 ");
  const struct {
    Text text;
    const char *first, *second;
  } cases[] = {{{accelsim::test::trace(plain), code, {}}, "", ""},
               {{accelsim::test::trace(with_lines, lineinfo), {}, {}}, "line 12", ""},
               {{accelsim::test::trace(with_lines, lineinfo), code, {}}, "line 12", ""},
               {{accelsim::test::trace(with_lines, lineinfo), code_with_lines, {}}, "", "b.cu:9"},
               {{accelsim::test::trace(plain), code_with_lines, {}}, "", "b.cu:9"}};
  for (const auto& c : cases) {
    const Kernel want = read_all(*open_text(c.text).source);
    const auto native = open("f", pack(c.text));
    for (const isa::KernelImage* image : {&want.image, &native->image()}) {
      CHECK(image->source_text(0) == c.first);
      CHECK(image->source_text(1) == c.second);
    }
  }
}

TEST_CASE("a text trace and its .heddle are the same", "[trace]") {
  for (const bool with_side : {true, false}) {
    Text t = sample();
    if (!with_side) {
      t.side.reset();
      t.extra.reset();
    }
    const Kernel want = read_all(*open_text(t).source);
    for (const size_t chunk_bytes : {size_t{1}, size_t{40}, size_t{1} << 20}) {
      WriterOptions options;
      options.chunk_bytes = chunk_bytes;
      const std::string bytes = pack(t, options);
      const auto reader = open("f", bytes);
      CHECK(reader->chunks() == (chunk_bytes == 1 ? 3 : chunk_bytes == 40 ? reader->chunks() : 1));
      CHECK(reader->blocks() == 3);
      CHECK(reader->warp_instructions() == 66);
      check_images(want.image, reader->image());
      check_blocks(want, *reader);
    }
  }
}

TEST_CASE("launch attributes and origin are kept", "[trace]") {
  Text t = sample();
  t.trace = accelsim::test::with(
      t.trace, "-shmem = 16384\n",
      "-shmem = 1536\n-shmem static = 512\n-shmem dynamic = 1024\n-cluster dim = (3,1,1)\n"
      "-local bytes per thread = 48\n-cooperative = 1\n-shmem carveout = 50\n");
  t.trace = accelsim::test::with(t.trace, "stream id = 0", "stream id = 9");
  Origin o;
  o.trace = "app";
  o.number = 3;
  o.source = "kernel-3.traceg.zst";
  o.fingerprint = "0123456789abcdef";
  o.memcpys = {{0x7f0000000000, 4096, 0}, {0x7f0000001000, 8, 0}};
  const std::string bytes = pack(t, {}, o);
  const auto reader = open("f", bytes);
  check_images(read_all(*open_text(t).source).image, reader->image());
  CHECK(reader->image().shape.cluster == isa::Dim3{3, 1, 1});
  CHECK(reader->image().shape.carveout_percent == 50);
  CHECK(reader->image().shape.stream == 9);
  CHECK(reader->origin().trace == "app");
  CHECK(reader->origin().number == 3);
  CHECK(reader->origin().source == "kernel-3.traceg.zst");
  CHECK(reader->origin().fingerprint == "0123456789abcdef");
  REQUIRE(reader->origin().memcpys.size() == 2);
  CHECK(reader->origin().memcpys[0].address == 0x7f0000000000);
  CHECK(reader->origin().memcpys[1].bytes == 8);
}

// Blocks as no program makes them, but as isa::WarpTrace allows them.
class RandomBlocks {
 public:
  RandomBlocks(const isa::KernelImage& image, uint64_t seed) : image_(image), rng_(seed) {}

  isa::BlockTrace next(uint64_t linear) {
    isa::BlockTrace b;
    b.linear = linear;
    const uint64_t place = below(4) ? linear : below(image_.shape.grid.count());
    b.index = {static_cast<uint32_t>(place % image_.shape.grid.x),
               static_cast<uint32_t>(place / image_.shape.grid.x), 0};
    for (uint32_t i = 0; i < image_.shape.warps(); ++i) {
      b.warps.push_back(below(3) && last_.instructions ? last_ : warp());
      last_ = b.warps.back();
      b.warps.back().warp = i;
    }
    return b;
  }

 private:
  uint64_t below(uint64_t n) { return rng_() % n; }

  isa::WarpTrace warp() {
    isa::WarpTrace w;
    for (uint64_t n = below(12); n > 0; --n) {
      const auto first = static_cast<uint32_t>(below(image_.code.size()));
      const auto count = static_cast<uint32_t>(1 + below(image_.code.size() - first));
      const uint32_t masks[] = {0, UINT32_MAX, 1, 0xffff, static_cast<uint32_t>(rng_())};
      w.runs.push_back({first, count, masks[below(5)]});
      w.instructions += count;
      for (uint32_t i = first; w.runs.back().mask && i < first + count; ++i) {
        for (int k = 0; k < image_.code[i].mem_refs; ++k) {
          w.refs.push_back(reference(w, w.runs.back().mask));
        }
      }
    }
    return w;
  }

  isa::MemRef reference(isa::WarpTrace& w, uint32_t mask) {
    const auto lanes = static_cast<uint64_t>(__builtin_popcount(mask));
    isa::MemRef r;
    r.kind = static_cast<Kind>(below(5));
    r.base = r.kind == Kind::kNone || r.kind == Kind::kValues ? 0
             : below(2)                                       ? rng_()
                                                              : 0x1000 + below(64) * 4;
    switch (r.kind) {
      case Kind::kStride:
        r.stride = static_cast<int32_t>(below(2) ? 4 : rng_());
        r.count = static_cast<uint8_t>(below(2) ? 0 : lanes);
        r.list = list(w.values, r.count);
        break;
      case Kind::kDelta:
        r.list = static_cast<uint32_t>(w.deltas.size());
        for (uint64_t i = 1; i < lanes; ++i) {
          w.deltas.push_back(static_cast<int32_t>(below(3) ? rng_() : rng_() % 256));
        }
        break;
      case Kind::kFull:
        r.count = static_cast<uint8_t>(below(2) ? 0 : lanes);
        r.list = list(w.values, lanes + r.count);
        break;
      case Kind::kValues:
        r.count = static_cast<uint8_t>(below(256));
        r.list = list(w.values, r.count);
        break;
      case Kind::kNone:
        break;
    }
    return r;
  }

  uint32_t list(std::vector<uint64_t>& values, uint64_t n) {
    const auto at = static_cast<uint32_t>(values.size());
    const int shift = static_cast<int>(below(64));
    for (; n > 0; --n) {
      values.push_back(rng_() >> shift);
    }
    return at;
  }

  const isa::KernelImage& image_;
  std::mt19937_64 rng_;
  isa::WarpTrace last_;
};

Kernel random_kernel(uint64_t seed, accelsim::Listing& listing) {
  Text t = sample();
  t.trace = accelsim::test::with(t.trace, "grid dim = (3,1,1)", "grid dim = (10,4,1)");
  Opened o = open_text(t);
  listing = o.listing;
  Kernel k;
  k.image = o.source->image();
  RandomBlocks random(k.image, seed);
  for (uint64_t b = 0; b < 40; ++b) {
    k.blocks.push_back(random.next(b));
  }
  return k;
}

TEST_CASE("any blocks that keep the rules come back as they were", "[trace]") {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    accelsim::Listing listing;
    const Kernel k = random_kernel(seed, listing);
    WriterOptions options;
    options.level = 1;
    options.chunk_bytes = seed % 3 == 0 ? 1 : 3000;
    const std::string bytes = pack(k.image, listing, k.blocks, options);
    CAPTURE(seed);
    check_blocks(k, *open("f", bytes));
  }
}

TEST_CASE("any block can be read by itself", "[trace]") {
  accelsim::Listing listing;
  const Kernel k = random_kernel(7, listing);
  WriterOptions options;
  options.chunk_bytes = 5000;
  const std::string bytes = pack(k.image, listing, k.blocks, options);
  const auto reader = open("f", bytes);
  CHECK(reader->chunks() > 3);
  std::mt19937 rng(1);
  isa::BlockTrace b;
  for (int i = 0; i < 100; ++i) {
    const uint64_t at = rng() % 40;
    reader->seek(at);
    REQUIRE(reader->next(b));
    REQUIRE(difference(k.image, k.blocks[at], b).empty());
    if (at + 1 < 40) {
      REQUIRE(reader->next(b));
      REQUIRE(difference(k.image, k.blocks[at + 1], b).empty());
    }
  }
  reader->seek(40);
  CHECK_FALSE(reader->next(b));
  CHECK(error_of([&] { reader->seek(41); }) == "f: no block 41 (legal: 0..40)");
}

TEST_CASE("identical paths and affine addresses cost next to nothing", "[trace]") {
  Text t = sample();
  t.trace = accelsim::test::with(t.trace, "grid dim = (3,1,1)", "grid dim = (4000,1,1)");
  Opened o = open_text(t);
  Kernel k;
  isa::BlockTrace b;
  REQUIRE(o.source->next(b));
  for (uint64_t i = 0; i < 4000; ++i) {
    k.blocks.push_back(b);
    k.blocks.back().linear = i;
    k.blocks.back().index = {static_cast<uint32_t>(i), 0, 0};
    for (isa::WarpTrace& w : k.blocks.back().warps) {
      for (isa::MemRef& r : w.refs) {
        r.base += r.base ? i * 4096 : 0;
      }
    }
  }
  const std::string bytes = pack(o.source->image(), o.listing, k.blocks);
  k.image = o.source->image();
  check_blocks(k, *open("f", bytes));
  CHECK(bytes.size() < 2000);  // 8,000 warps with 88,000 instructions and 56,000 references
}

TEST_CASE("the writer refuses what it cannot keep", "[trace]") {
  const TempDir dir;
  const Opened o = open_text(sample());
  const Kernel k = read_all(*o.source);
  const std::filesystem::path file = dir.path() / "t.heddle";
  {
    Writer w(file, k.image, o.listing, {});
    w.add(k.blocks[0]);
    CHECK(error_of([&] { w.finish(); }) == file.string() + ": 1 blocks written of a grid of 3");
  }
  CHECK(std::filesystem::is_empty(dir.path()));
  CHECK_THAT(error_of([&] { Writer w(dir.path() / "no" / "t.heddle", k.image, o.listing, {}); }),
             Catch::Contains("cannot be written: No such file"));
  isa::BlockTrace bad = k.blocks[0];
  bad.warps[0].refs.pop_back();
  Writer w(file, k.image, o.listing, {});
  CHECK_THROWS_AS(w.add(bad), std::logic_error);
}

TEST_CASE("traces of both kinds are found", "[trace]") {
  const TempDir dir;
  const auto put = [&](const std::string& name, const std::string& trace, uint32_t number) {
    Origin o;
    o.trace = trace;
    o.number = number;
    dir.write(name, pack(sample(), {}, o));
  };
  put("flat/x.heddle", "b", 2);
  put("flat/y.heddle", "b", 1);
  put("flat/z.heddle", "a", 7);
  put("flat/nameless.heddle", "", 1);
  const auto found = discover(dir.path() / "flat");
  REQUIRE(found.size() == 4);
  CHECK(found[0].trace + std::to_string(found[0].number) == "a7");
  CHECK(found[1].path.filename() == "y.heddle");
  CHECK(found[2].path.filename() == "x.heddle");
  CHECK(found[3].trace == "nameless");
  CHECK(discover(dir.path() / "flat" / "z.heddle").at(0).trace == "a");
  put("app/kernel-1.heddle", "elsewhere", 5);
  dir.write("app/kernel-2.traceg", sample().trace);
  dir.write("app/kernelslist.g", "kernel-1.heddle\nMemcpyHtoD,0x10,4\nkernel-2.traceg\n");
  CHECK(read_warp_instructions(dir.path() / "app" / "kernel-1.heddle") == 66);
  const auto listed = discover(dir.path() / "app");  // the list decides
  REQUIRE(listed.size() == 2);
  CHECK(listed[0].trace + std::to_string(listed[0].number) == "app1");
  CHECK(listed[1].memcpys.size() == 1);
  for (const accelsim::Launch& l : listed) {
    CHECK(open_any(l.path).source->image().name == "k");
  }
}

}  // namespace
}  // namespace heddle::trace::test
