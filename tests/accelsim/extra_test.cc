// Operand records: kernel-1.extra.
#include <catch2/catch.hpp>

#include "tests/accelsim/trace_text.h"

namespace heddle::accelsim::test {
namespace {

using Kind = isa::MemRef::Kind;
using Addresses = std::vector<uint64_t>;

const std::string kSide = side({"LDGSTS.E.BYPASS.128 [R3], desc[UR4][R4.64]", "SYNCS.EXCH.64 URZ, [UR8], UR4",
                                "UBLKCP.S.G [UR8], [UR10], UR5", "IADD3 R1, R1, 0x1, RZ",
                                "HGMMA.64x64x16.F32 R24, gdesc[UR8], R24, !UPT", "EXIT"});

const char* kCopy = "0000 0000000f 0 LDGSTS.E.BYPASS.128 2 R3 R4 16 1 0x7f0000000000 16";
const char* kCopyOff = "0000 00000000 0 LDGSTS.E.BYPASS.128 2 R3 R4 16 0";
const char* kSyncs = "0010 00000001 0 SYNCS.EXCH.64 0 0";
const char* kBulk = "0020 ffffffff 0 UBLKCP.S.G 0 0";
const char* kAdd = "0030 ffffffff 1 R1 IADD3 1 R1 0";
const char* kMma = "0040 ffffffff 1 R24 HGMMA.64x64x16.F32 1 R24 0";

TEST_CASE("S gives LDGSTS its shared addresses, behind the global ones", "[extra]") {
  const Kernel k =
      read(trace({kAdd, kCopy, kCopy}), kSide, "0 0 1 0 S 2 0x400 16 16 32 0\n0 0 2 0 S 1 0x800 16\n");
  const isa::WarpTrace& w = k.warp();
  REQUIRE(w.refs.size() == 4);
  CHECK(addresses(w, w.refs[0], 0xf).front() == 0x7f0000000000);
  CHECK(addresses(w, w.refs[1], 0xf) == Addresses{0x400, 0x410, 0x420, 0x440});
  CHECK(addresses(w, w.refs[3], 0xf) == Addresses{0x800, 0x810, 0x820, 0x830});
  CHECK(w.refs[1].count == 0);
}

TEST_CASE("references without a record are empty", "[extra]") {
  const Kernel k = read(trace({kCopy, kSyncs, kBulk, kMma, kCopy}), kSide, "0 0 4 0 S 1 0x800 16\n");
  const isa::WarpTrace& w = k.warp();
  REQUIRE(w.refs.size() == 7);
  CHECK(w.refs[0].kind == Kind::kStride);
  for (const int i : {1, 2, 3, 4}) {
    CHECK(w.refs[i].kind == Kind::kNone);
  }
  CHECK(w.refs[6].base == 0x800);
}

TEST_CASE("B gives SYNCS addresses and one operand for each lane", "[extra]") {
  const Kernel one = read(trace({kSyncs}), kSide, "0 0 0 10 B 2 0x4400 0 V 2 0x2000 0\n");
  const isa::MemRef& r = one.warp().refs.at(0);
  CHECK(r.kind == Kind::kStride);
  CHECK(addresses(one.warp(), r, 1) == Addresses{0x4400});
  REQUIRE(r.count == 1);
  CHECK(one.warp().values.at(r.list) == 0x2000);

  const std::string many = with(kSyncs, "00000001", "00000007");
  const Kernel strided = read(trace({many}), kSide, "0 0 0 10 B 1 0x4400 0 V 1 0x5 1\n");
  const isa::MemRef& s = strided.warp().refs.at(0);
  CHECK(addresses(strided.warp(), s, 7) == Addresses{0x4400, 0x4400, 0x4400});
  REQUIRE(s.count == 3);
  CHECK(strided.warp().values == std::vector<uint64_t>{5, 6, 7});

  const Kernel full = read(trace({many}), kSide, "0 0 0 10 B 2 0x4400 8 24 0 V 2 0x5 -1 4 0\n");
  const isa::MemRef& f = full.warp().refs.at(0);
  CHECK(f.kind == Kind::kFull);
  CHECK(addresses(full.warp(), f, 7) == Addresses{0x4400, 0x4408, 0x4420});
  REQUIRE(f.count == 3);
  CHECK(full.warp().values == std::vector<uint64_t>{0x4400, 0x4408, 0x4420, 5, 4, 8});

  const Kernel bare = read(trace({kSyncs}), kSide, "0 0 0 10 B 1 0x4400 0\n");
  CHECK(bare.warp().refs.at(0).count == 0);
  CHECK(bare.warp().refs.at(0).base == 0x4400);
}

TEST_CASE("U gives uniform-register values", "[extra]") {
  const Kernel k = read(trace({kBulk, kMma}), kSide,
                        "0 0 0 20 U 400 4400 6c000000 7f02 200 0 0 0 0 0 0 0\n0 0 1 40 U 80040 10\n");
  const isa::WarpTrace& w = k.warp();
  REQUIRE(w.refs.size() == 2);
  CHECK(w.refs[0].kind == Kind::kValues);
  CHECK(w.refs[0].count == 12);
  CHECK(w.values.at(w.refs[0].list + 3) == 0x7f02);
  CHECK(w.refs[1].count == 2);
  CHECK(w.values.at(w.refs[1].list) == 0x80040);
}

TEST_CASE("records of instances with mask 0 and of other instructions are read over", "[extra]") {
  const Kernel k =
      read(trace({kCopyOff, kAdd, kCopy}), kSide, "0 0 0 0 S 0\n0 0 1 30 U 1 2 3\n\n0 0 2 0 S 1 0x800 16\n");
  REQUIRE(k.warp().refs.size() == 2);
  CHECK(k.warp().refs[1].base == 0x800);
  CHECK(k.warp().values.empty());
}

TEST_CASE("records are matched by block and warp, also out of linear order", "[extra]") {
  HeaderOptions h;
  h.grid = "(2,2,1)";
  h.block = "(64,1,1)";
  std::string text = header(h);
  for (const char* index : {"1,1,0", "0,0,0", "0,1,0", "1,0,0"}) {
    text += block(index, warp(0, {kAdd, kBulk}) + warp(1, {kBulk}));
  }
  const Kernel k =
      read(text, kSide,
           "3 1 0 20 U 31 0 0 0 0\n0 0 1 20 U 1 0 0 0 0\n0 1 0 20 U 2 0 0 0 0\n1 1 0 20 U 11 0 0 0 0\n");
  const auto value = [&](size_t b, size_t w) {
    const isa::WarpTrace& t = k.warp(b, w);
    return t.refs.at(0).kind == Kind::kNone ? 0 : t.values.at(t.refs[0].list);
  };
  CHECK(value(0, 0) == 0);
  CHECK(value(0, 1) == 0x31);
  CHECK(value(1, 0) == 1);
  CHECK(value(1, 1) == 2);
  CHECK(value(2, 0) == 0);
  CHECK(value(3, 1) == 0x11);
}

TEST_CASE("extra records work without a side file", "[extra]") {
  const Kernel k =
      read(trace({kCopy, kSyncs}), std::nullopt, "0 0 0 0 S 1 0x800 16\n0 0 1 10 B 1 0x4400 0 V 1 0x1 0\n");
  REQUIRE(k.warp().refs.size() == 3);
  CHECK(k.warp().refs[1].base == 0x800);
  CHECK(k.warp().refs[2].base == 0x4400);
}

TEST_CASE("malformed records name file and line", "[extra][malformed]") {
  struct Case {
    const char* extra;
    const char* place;
    const char* what;
  };
  const Case cases[] = {
      {"nonsense\n", "t.extra:1", "not an operand record"},
      {"0 0 0 0\n", "t.extra:1", "not an operand record"},
      {"0 0 0 0 X 1\n", "t.extra:1", "legal: block warp ordinal offset S|B|U"},
      {"0 -1 0 0 S 1 0x0 0\n", "t.extra:1", "not an operand record"},
      {"0 99999999999 0 0 S 1 0x0 0\n", "t.extra:1", "not an operand record"},
      {"\n0 0 0 10 S 1 0x800 16\n", "t.extra:2", "for offset 10, but the trace has offset 0"},
      {"0 0 9 0 S 1 0x800 16\n", "t.extra:1", "beyond the 3 instructions"},
      {"0 0 1 10 B 1 0x1 0\n0 0 0 0 S 1 0x800 16\n", "t.extra:2", "in the order of the trace"},
      {"0 0 0 0 S 1 0x800 16\n0 0 0 0 S 1 0x800 16\n", "t.extra:2", "ordinal 0 after 0"},
      {"0 1 0 0 S 1 0x800 16\n", "t.extra:1", "that warp does not exist"},
      {"5 0 0 0 S 1 0x800 16\n", "t.extra:1", "that block does not exist"},
      {"0 0 0 0 S\n", "t.extra:1", "the address mode is missing"},
      {"0 0 0 0 S 3 0x800\n", "t.extra:1", "bad address mode"},
      {"0 0 0 0 S 2 0x400 16 16\n", "t.extra:1", "fewer address deltas"},
      {"0 0 0 0 S 1 0x800 16 0 0\n", "t.extra:1", "unexpected '0'"},
      {"0 0 0 0 S 1 zzz 16\n", "t.extra:1", "not a hexadecimal address"},
      {"0 0 1 10 B 1 0x800 0 W 1 0x0 0\n", "t.extra:1", "unexpected 'W'"},
      {"0 0 1 10 B 1 0x800 0 V\n", "t.extra:1", "the address mode is missing"},
      {"0 0 2 20 U 1 2 xyz\n", "t.extra:1", "bad register value 'xyz'"},
      {"0 0 2 20 U 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n", "t.extra:1",
       "up to 32"},
      {"0 0 2 20 U 1 2 3 100000000 5\n", "t.extra:1", "bad register value '100000000'"},
      // destination, barrier, source, size in units of 16 bytes
      {"0 0 2 20 U 400 4400 6c000000 7f02\n", "t.extra:1", "a bulk copy with 4 register values"},
      {"0 0 2 20 U\n", "t.extra:1", "a bulk copy with 0 register values"},
      {"0 0 2 20 U 400 4400 6c000000 7f02 10000000\n", "t.extra:1",
       "a bulk copy of 0x10000000 units of 16 bytes, but the block has 16384 bytes of shared memory (legal: "
       "up to 0x400 "
       "units)"},
      {"0 0 2 20 U 400 4400 fffffff0 ffffffff 2\n", "t.extra:1",
       "a bulk copy of 32 bytes from 0xfffffffffffffff0 (legal: within 64 bits of address)"},
      {"0 0 0 0 S 1 0x43d8 16\n", "t.extra:1",
       "LDGSTS.E.BYPASS.128 of 16 bytes at shared-memory address 0x43f8, but the block has 16384 bytes "
       "(legal: below "
       "0x4400"},
  };
  for (const Case& c : cases) {
    const std::string message = error_of([&] { read(trace({kCopy, kSyncs, kBulk}), kSide, c.extra); });
    CAPTURE(c.extra);
    CHECK(message.starts_with(std::string(c.place) + ": "));
    CHECK_THAT(message, Catch::Contains(c.what));
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("a bulk copy of nothing, and one as large as shared memory, are legal", "[extra]") {
  for (const char* size : {"0", "400"}) {
    const Kernel k = read(trace({kBulk}), kSide, "0 0 0 20 U 0 0 0 0 " + std::string(size) + "\n");
    CHECK(k.warp().refs.at(0).count == 5);
  }
}

TEST_CASE("operand records that end early: the instruction had some before", "[extra][malformed]") {
  const std::string all = "0 0 0 0 S 1 0x400 16\n0 0 2 0 S 1 0x440 16\n";
  CHECK(read(trace({kCopy, kAdd, kCopy}), kSide, all).warp().refs.size() == 4);
  const std::string cut = all.substr(0, all.find('\n') + 1);
  CHECK(error_of([&] {
          read(trace({kCopy, kAdd, kCopy}), kSide, cut);
        }) ==
        "t.extra:1: the file ends here, but warp 0 of block 0 goes on with offset 0 (incomplete copy?)");
  // Those without active lanes have nothing to be recorded.
  CHECK(read(trace({kCopy, kAdd, kCopyOff}), kSide, cut).warp().refs.size() == 2);
}

TEST_CASE("blocks of which only the runs are asked for: as before and behind, without references",
          "[extra]") {
  const std::string bad = with(kCopy, "1 0x7f0000000000 16", "9 none");
  HeaderOptions three;
  three.grid = "(3,1,1)";
  const std::string text = header(three) + block("0,0,0", warp(0, {kAdd, kCopy})) +
                           block("1,0,0", warp(0, {kAdd, bad, kCopyOff})) +
                           block("2,0,0", warp(0, {kAdd, kCopy}));
  const std::string extra = "0 0 1 0 S 1 0x400 16\n1 0 1 0 S 9 none\n2 0 1 0 S 1 0x800 16\n";
  const std::unique_ptr<isa::BlockSource> source = open_trace(TraceInMemory{"t", text, kSide, extra});
  isa::BlockTrace b;
  REQUIRE(source->next(b));
  CHECK(b.warps[0].refs.size() == 2);
  REQUIRE(source->next_runs(b));
  CHECK(b.linear == 1);
  CHECK(b.warps[0].instructions == 3);
  REQUIRE(b.warps[0].runs.size() == 3);
  CHECK(b.warps[0].runs[1].first == 0);
  CHECK(b.warps[0].runs[1].mask == 0xf);
  CHECK(b.warps[0].refs.empty());
  CHECK(isa::work_of(b).instructions == 3);
  CHECK(isa::work_of(b).thread_pred_on == 32 + 4);
  REQUIRE(source->next(b));
  CHECK(addresses(b.warps[0], b.warps[0].refs.at(1), 0xf).front() == 0x800);
  CHECK(!source->next(b));
}

}  // namespace
}  // namespace heddle::accelsim::test
