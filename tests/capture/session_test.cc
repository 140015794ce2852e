// What a tracer sends becomes a launch, and that a .heddle, with exactly what was put in.
#include "frontends/capture/session.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "frontends/trace/compare.h"
#include "frontends/trace/reader.h"
#include "frontends/trace/writer.h"
#include "sim/base/error.h"
#include "sim/isa/launch_order.h"
#include "sim/isa/recorded_copy.h"
#include "tests/capture/stream.h"
#include "tests/support/temp_dir.h"

using namespace heddle;
using namespace heddle::capture;
using namespace heddle::capture::test;
using Catch::Matchers::Contains;
using Kind = isa::MemRef::Kind;

namespace {

Log read(const std::string& bytes, size_t most = SIZE_MAX) {
  Log log;
  read_session("tracer", reader(bytes, most), log);
  return log;
}
std::string error_of(const std::string& bytes) {
  try {
    read(bytes);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

enum : uint32_t { kLoad, kCopy, kBarrier, kTensor, kAdd, kExit };
const std::vector<Line> kCode = {{"LDG.E R2, [R4.64] ;", 12, "/src/a.cu"},
                                 {"LDGSTS.E.BYPASS.128 [R3], desc[UR4][R4.64] ;", 13, "/src/a.cu"},
                                 {"SYNCS.EXCH.64 URZ, [UR8], UR4 ;", 13, "/src/a.cu"},
                                 {"UTMALDG.2D [UR8], [UR4] ;"},
                                 {"IADD3 R1, R1, 0x1, RZ ;"},
                                 {"EXIT ;"}};
const std::string kStart = hello() + frame(kContext, "NVIDIA H200");

std::string exits(uint32_t blocks) {
  std::string out;
  for (uint32_t b = 0; b < blocks; ++b) {
    out += record(b, 0, kExit, ~0u);
  }
  return out;
}
// The launch of these records by one warp, with an EXIT behind them.
std::string one_warp(const std::string& records) {
  return kStart + function(0, "_Z1kv", kCode) +
         launch(launch_head(), {0}, records + record(0, 0, kExit, ~0u)) + bye(9, 1);
}
std::vector<uint64_t> values(const isa::WarpTrace& w, const isa::MemRef& r, size_t n) {
  return {w.values.begin() + r.list, w.values.begin() + r.list + static_cast<long>(n)};
}

}  // namespace

TEST_CASE("a launch comes with its shape, code, lines and parameters") {
  LaunchHead head = launch_head(1, 64);
  head.static_shared = 512;
  head.local_bytes = 16;
  head.carveout = 50;
  head.cooperative = 1;
  head.shared_base = 0x7f0400000000;
  head.local_base = 0x7f0375000000;
  head.stream = 3;
  head.parameter_base = 0x210;
  const std::string records = record(0, 1, kExit, ~0u) + record(0, 0, kAdd, ~0u) + record(0, 0, kExit, ~0u);
  const Log log = read(kStart + frame(kMemcpy, words({0x7f0000000000, 4096})) + function(0, "_Z1kv", kCode) +
                       launch(head, {0}, records, "abcd") + bye(12, 1));
  CHECK(log.gpus == std::vector<std::string>{"NVIDIA H200"});
  CHECK(log.seen == 12);
  REQUIRE(log.launches.size() == 1);
  const Launch& l = log.launches.front();
  const isa::LaunchShape& s = l.image.shape;
  CHECK(l.image.name == "_Z1kv");
  CHECK(l.image.id == 5);
  CHECK(l.image.compute_capability == 90);
  CHECK(s.block == isa::Dim3{64, 1, 1});
  CHECK(s.registers_per_thread == 32);
  CHECK(s.static_shared_bytes == 512);
  CHECK(s.dynamic_shared_bytes == 4096);
  CHECK(s.local_bytes_per_thread == 16);
  CHECK(s.carveout_percent == 50);
  CHECK(s.cooperative);
  CHECK(s.shared_base == 0x7f0400000000);
  CHECK(s.local_base == 0x7f0375000000);
  CHECK(s.stream == 3);
  CHECK(l.image.parameter_base == 0x210);
  CHECK(l.image.parameters == std::vector<uint8_t>{'a', 'b', 'c', 'd'});
  CHECK(l.image.text.at(kAdd) == "IADD3 R1, R1, 0x1, RZ");
  CHECK(l.image.has_control);
  CHECK(l.image.source_text(kCopy) == "a.cu:13");
  REQUIRE(l.memcpys.size() == 1);
  CHECK(l.memcpys[0].bytes == 4096);
  REQUIRE(l.warps.size() == 2);
  REQUIRE(l.warps[0].runs.size() == 1);
  CHECK(l.warps[0].runs[0].first == kAdd);
  CHECK(l.warps[0].runs[0].count == 2);
  CHECK(l.warps[1].warp == 1);
  CHECK(l.warps[1].instructions == 1);
  CHECK(l.warp_instructions == 3);
}

TEST_CASE("addresses of each kind become what a text trace's would") {
  const size_t most = GENERATE(size_t{1}, size_t{7}, SIZE_MAX);
  const uint64_t far = uint64_t{1} << 40;
  const Log log =
      read(one_warp(record(0, 0, kLoad, ~0u, 1 | kStrided, words({0x7f0000000000, 4})) +
                    record(0, 0, kLoad, 0b1011, 1, words({0x1000, 0x1010, 0x1004})) +
                    record(0, 0, kLoad, 0b11, 1 | kStrided, words({0x1000, far})) + record(0, 0, kLoad, 0) +
                    record(0, 0, kLoad, 1) +
                    record(0, 0, kCopy, 0xf, 2 | kStrided | kSecondStrided, words({0x7f00, 16, 0x400, 32}))),
           most);
  REQUIRE(log.drops == std::vector<std::string>{});
  REQUIRE(log.launches.size() == 1);
  const isa::WarpTrace& w = log.launches[0].warps[0];
  REQUIRE(w.refs.size() == 6);
  CHECK(w.refs[0].kind == Kind::kStride);
  CHECK(w.refs[0].base == 0x7f0000000000);
  CHECK(w.refs[0].stride == 4);
  CHECK(w.refs[1].kind == Kind::kDelta);
  uint64_t addr[32] = {};
  REQUIRE(isa::expand(w, w.refs[1], 0b1011, addr));
  CHECK(std::vector<uint64_t>(addr, addr + 4) == std::vector<uint64_t>{0x1000, 0x1010, 0, 0x1004});
  CHECK(w.refs[2].kind == Kind::kFull);
  REQUIRE(isa::expand(w, w.refs[2], 0b11, addr));
  CHECK(addr[1] == 0x1000 + far);
  CHECK(w.refs[3].kind == Kind::kNone);  // recorded without addresses
  CHECK(w.refs[4].base == 0x7f00);       // global first
  CHECK(w.refs[5].base == 0x400);
  CHECK(w.refs[5].stride == 32);
}

TEST_CASE("barriers have addresses and 64-bit operands") {
  const Log log =
      read(one_warp(record(0, 0, kBarrier, 0b11, 2 | kOperands | kStrided | kSecondStrided,
                           words({0x408, 0, 0x1ffffe00000, 0})) +
                    record(0, 0, kBarrier, 0b111, 2 | kOperands, words({0x408, 0x418, 0x410, 1, 2, 4}))));
  REQUIRE(log.launches.size() == 1);
  const isa::WarpTrace& w = log.launches[0].warps[0];
  REQUIRE(w.refs.size() == 2);
  CHECK(w.refs[0].kind == Kind::kStride);
  CHECK(w.refs[0].count == 2);
  CHECK(values(w, w.refs[0], 2) == std::vector<uint64_t>{0x1ffffe00000, 0x1ffffe00000});
  CHECK(w.refs[1].kind == Kind::kFull);
  CHECK(w.refs[1].count == 3);
  CHECK(values(w, w.refs[1], 6) == std::vector<uint64_t>{0x408, 0x418, 0x410, 1, 2, 4});
}

TEST_CASE("tensor copies have twelve registers and name their map, each map once") {
  const auto copy = [](uint32_t x, uint64_t map, char fill) {
    return record(
        0, 0, kTensor, 1, kUniform | kTensorMap,
        halves({0x400, 0x10, x, 2, 0, 0, 0, 0x40, 0x7f, 0, 0, 0}) + words({map}) + std::string(128, fill));
  };
  const Log log = read(one_warp(copy(1, 0x7f40, 'a') + copy(2, 0x7f40, 'b') + copy(3, 0x7f40, 'a') +
                                record(0, 0, kTensor, 1, kUniform, halves(std::vector<uint32_t>(12, 9)))));
  REQUIRE(log.launches.size() == 1);
  const Launch& l = log.launches[0];
  const isa::WarpTrace& w = l.warps[0];
  REQUIRE(w.refs.size() == 4);
  CHECK(w.refs[0].count == 13);
  CHECK(values(w, w.refs[0], 3) == std::vector<uint64_t>{0x400, 0x10, 1});
  CHECK(w.values[w.refs[0].list + 12] == 0);
  CHECK(w.values[w.refs[1].list + 12] == 1);  // changed
  CHECK(w.values[w.refs[2].list + 12] == 0);
  CHECK(w.refs[3].count == 12);
  REQUIRE(l.image.tensor_maps.size() == 2);
  CHECK(l.image.tensor_maps[1].address == 0x7f40);
  CHECK(l.image.tensor_maps[1].bytes[127] == 'b');
}

TEST_CASE("a bulk copy to several blocks has them above its size, as an H200 has it") {
  const Log log =
      read(kStart + function(0, "_Z1kv", {{"UBLKCP.S.G.MULTICAST [UR10], [UR4], UR7 ;"}, {"EXIT ;"}}) +
           launch(launch_head(), {0},
                  record(0, 0, 0, 1, kUniform,
                         halves({0xc00, 0x418, 0xb2002000, 0x7f53, 0x30021, 0x400, 0, 0, 0, 0, 0, 0})) +
                      record(0, 0, 1, ~0u)));
  REQUIRE(log.drops == std::vector<std::string>{});
  const Launch& l = log.launches.at(0);
  isa::RecordedCopy copy;
  REQUIRE(isa::read_copy(l.image, l.image.code[0], l.warps[0].values, 4096, copy) == "");
  CHECK(copy.op.bytes == 33 * 16);
  CHECK(copy.op.multicast == 3);
  CHECK(copy.op.source == 0x7f53b2002000);
}

TEST_CASE("a function that the kernel calls lies behind it") {
  const Log log = read(kStart + function(0, "_Z1kv", kCode) +
                       function(6, "_Z6calledv", {{"NOP ;"}, {"RET.REL.NODEC R2 0x0 ;"}}) +
                       launch(launch_head(), {0, 6},
                              record(0, 0, kAdd, ~0u) + record(0, 0, 7, ~0u) + record(0, 0, kExit, ~0u)));
  REQUIRE(log.drops == std::vector<std::string>{});
  REQUIRE(log.launches.size() == 1);
  const isa::KernelImage& image = log.launches[0].image;
  REQUIRE(image.code.size() == 8);
  CHECK(image.code[6].pc == 4096);
  CHECK(log.launches[0].warps[0].runs.at(1).first == 7);
}

TEST_CASE("without encodings there is no schedule, but the code") {
  const Log log = read(kStart + function(0, "_Z1kv", kCode, false) + launch(launch_head(), {0}, exits(1)));
  REQUIRE(log.drops == std::vector<std::string>{});
  CHECK_FALSE(log.launches.at(0).image.has_control);
  CHECK(log.launches.at(0).image.text.at(kAdd) == "IADD3 R1, R1, 0x1, RZ");
}

TEST_CASE("blocks come cluster by cluster") {
  const isa::Dim3 grid = {4, 4, 2}, cluster = {2, 2, 1};
  std::vector<uint64_t> linear;
  for (uint64_t p = 0; p < grid.count(); ++p) {
    linear.push_back(isa::linear_of(isa::block_at(p, grid, cluster), grid));
  }
  CHECK(std::vector<uint64_t>(linear.begin(), linear.begin() + 9) ==
        std::vector<uint64_t>{0, 1, 4, 5, 2, 3, 6, 7, 8});
  CHECK(linear[16] == 16);
  std::sort(linear.begin(), linear.end());
  for (uint64_t p = 0; p < grid.count(); ++p) {
    CHECK(linear[p] == p);
    CHECK(isa::linear_of(isa::block_at(p, grid, {1, 1, 1}), grid) == p);
    CHECK(isa::position_of(isa::block_at(p, grid, cluster), grid, cluster) == p);
  }
}

TEST_CASE("a .heddle holds what was sent") {
  const heddle::test::TempDir dir;
  LaunchHead head = launch_head(4, 32);
  head.grid[1] = 2;
  head.cluster[0] = head.cluster[1] = 2;
  std::string records;
  for (uint32_t b = 8; b-- > 0;) {  // in any order of blocks
    records += record(b, 0, kLoad, ~0u, 1 | kStrided, words({0x7f0000000000u + 4096 * b, 4}));
  }
  records += record(3, 0, kTensor, 1, kUniform | kTensorMap,
                    halves(std::vector<uint32_t>(12, 5)) + words({0x7f40}) + std::string(128, 'm'));
  Log log = read(kStart + function(0, "_Z1kv", kCode) + launch(head, {0}, records + exits(8), "parameters"));
  REQUIRE(log.drops == std::vector<std::string>{});
  Launch& l = log.launches.at(0);
  std::vector<isa::BlockTrace> blocks;
  for (uint64_t i = 0; i < 8; ++i) {
    blocks.push_back(l.take_block(i));
  }
  trace::Writer writer(dir / "k.heddle", l.image, l.listing, {}, {});
  for (const isa::BlockTrace& b : blocks) {
    writer.add(b);
  }
  writer.finish();
  const auto file = trace::open(dir / "k.heddle");
  isa::BlockTrace b;
  for (const isa::BlockTrace& expected : blocks) {
    REQUIRE(file->next(b));
    CHECK(b.index == expected.index);
    CHECK(trace::difference(l.image, expected, b) == "");
  }
  CHECK_FALSE(file->next(b));
  CHECK(blocks[2].index == isa::Dim3{0, 1, 0});
  CHECK(blocks[2].warps[0].refs[0].base == 0x7f0000000000 + 4096 * 4);
  CHECK(file->image().parameters.size() == 10);
  REQUIRE(file->image().tensor_maps.size() == 1);
  CHECK(file->image().tensor_maps[0].address == 0x7f40);
}

TEST_CASE("some blocks of a grid are a file of their own, which says so") {
  const heddle::test::TempDir dir;
  LaunchHead head =
      launch_head(4, 32);  // 4 x 4 blocks in clusters of 2 x 2: 0 1 4 5, 2 3 6 7, 8 9 12 13, ...
  head.grid[1] = 4;
  head.cluster[0] = head.cluster[1] = 2;
  head.first_block = 4;
  head.blocks = 8;
  std::string records;
  for (const uint32_t b : {13, 12, 9, 8, 7, 6, 3, 2}) {
    records += record(b, 0, kLoad, ~0u, 1 | kStrided, words({4096u * b, 4})) + record(b, 0, kExit, ~0u);
  }
  const std::string start = kStart + function(0, "_Z1kv", kCode);
  Log log = read(start + launch(head, {0}, records));
  REQUIRE(log.drops == std::vector<std::string>{});
  Launch& l = log.launches.at(0);
  CHECK(l.blocks() == 8);
  CHECK(l.image.shape.grid == isa::Dim3{4, 2, 1});
  CHECK((l.part == trace::Part{{4, 4, 1}, 4}));
  trace::Origin origin;
  origin.part = l.part;
  origin.graph = 2;
  origin.graph_launch = 7;
  trace::Writer writer(dir / "k.heddle", l.image, l.listing, origin, {});
  for (uint64_t i = 0; i < 8; ++i) {
    writer.add(l.take_block(i));
  }
  writer.finish();
  const auto file = trace::open(dir / "k.heddle");
  CHECK(file->blocks() == 8);
  CHECK((file->origin().part == l.part));
  CHECK(file->origin().graph == 2);
  CHECK(file->origin().graph_launch == 7);
  std::vector<uint64_t> read_back;
  isa::BlockTrace b;
  while (file->next(b)) {
    read_back.push_back(isa::linear_of(b.index, {4, 4, 1}));
    CHECK(b.warps[0].refs[0].base == 4096 * read_back.back());
  }
  CHECK(read_back == std::vector<uint64_t>{2, 3, 6, 7, 8, 9, 12, 13});

  const auto why = [&start](const LaunchHead& h, const std::string& r) {
    return read(start + launch(h, {0}, r)).drops.at(0);
  };
  CHECK_THAT(why(head, records + record(0, 0, kExit, ~0u)), Contains("block 0, warp 0"));
  CHECK_THAT(why(head, records + record(14, 0, kExit, ~0u)), Contains("block 14, warp 0"));
  CHECK_THAT(why(head, records.substr(48)), Contains("no records"));
  head.first_block = 2;
  CHECK_THAT(why(head, records), Contains("8 blocks from block 2 on, of 16 in clusters of 4 (legal: whole"));
  head.first_block = 12;
  CHECK_THAT(why(head, records), Contains("8 blocks from block 12 on"));
}

TEST_CASE("the kernels of a graph are launches of their own, whose records come mixed") {
  LaunchHead head = launch_head(2);
  head.graph = 3;
  head.graph_launch = 4;
  head.stream = 0x7f01;
  const auto of = [](std::string r, uint16_t node) {
    std::memcpy(r.data() + offsetof(Record, node), &node, sizeof node);
    return r;
  };
  // The same kernel twice, and another one, whose code the first two have not.
  std::string records;
  for (const uint32_t b : {0, 1}) {
    records += of(record(b, 0, kAdd, ~0u), 1) + of(record(b, 0, 6, ~0u), 2) + of(record(b, 0, kAdd, 1u), 0) +
               of(record(b, 0, kExit, ~0u), 0) + of(record(b, 0, kExit, ~0u), 1);
  }
  const std::string code = function(0, "_Z1kv", kCode) + function(6, "_Z1gv", {{"EXIT ;"}});
  const auto launches = [&head](uint64_t bytes, uint32_t last = 2) {
    std::string out;
    for (uint32_t i = 0; i < 3; ++i) {
      head.number = 10 + i;
      head.node = i == 2 ? last : i;
      out += begin_launch(head, {i == 2 ? 6u : 0u}, bytes);
    }
    return out;
  };
  const std::string after = launch(launch_head(), {0}, exits(1));
  for (const size_t most : {size_t{1}, size_t{33}, SIZE_MAX}) {
    const Log log = read(std::string(kStart)
                             .append(code)
                             .append(launches(records.size()))
                             .append(end_launch(records))
                             .append(after),
                         most);
    REQUIRE(log.drops == std::vector<std::string>{});
    REQUIRE(log.launches.size() == 4);
    CHECK(log.launches[0].image.id == 10);
    CHECK(log.launches[0].graph == 3);
    CHECK(log.launches[2].graph_launch == 4);
    CHECK(log.launches[2].image.name == "_Z1gv");
    CHECK(log.launches[2].image.shape.stream == 0x7f01);
    CHECK(log.launches[0].warps.at(1).runs.size() == 2);  // with another mask
    CHECK(log.launches[1].warps.at(1).runs.size() == 1);
    CHECK(log.launches[1].warp_instructions == 4);
    CHECK(log.launches[2].warp_instructions == 2);
    CHECK(log.launches[3].graph == 0);
  }
  // One that is wrong leaves the others; what cannot be assigned leaves none.
  const std::string bad = records + of(record(7, 0, kExit, ~0u), 1);
  Log log = read(kStart + code + launches(bad.size()) + end_launch(bad) + after);
  CHECK(log.launches.size() == 3);
  REQUIRE(log.drops.size() == 1);
  CHECK_THAT(log.drops[0], Contains("11 _Z1kv: tracer: byte ") && Contains("block 7"));
  const std::string astray = records + of(record(0, 0, kExit, ~0u), 3);
  log = read(kStart + code + launches(astray.size()) + end_launch(astray) + after);
  CHECK(log.launches.size() == 1);
  REQUIRE(log.drops.size() == 3);
  CHECK_THAT(log.drops[2], Contains("12 _Z1gv: ") && Contains("of launch 3 (legal: of 3)"));
  CHECK_THAT(error_of(kStart + code + launches(records.size(), 1) + end_launch(records)),
             Contains("launch 2 of a graph says that it is launch 1"));
  // Room is made for no more blocks than all the records can have.
  head.grid[0] = 6;
  log = read(kStart + code + launches(records.size()) + end_launch(records));
  REQUIRE(log.drops.size() == 3);
  CHECK_THAT(log.drops[0], Contains("64 bytes of records for 6 blocks"));
}

TEST_CASE("damaged streams are errors that name the place") {
  const std::string whole = one_warp("");
  const size_t body = kStart.size() + function(0, "_Z1kv", kCode).size();
  CHECK_THAT(error_of("xxxxxxxxxxxxxxxxxxxx"), Contains("tracer: byte 0: no frame of a tracer (legal:"));
  CHECK_THAT(error_of(whole.substr(0, 10)), Contains("byte 0: the stream ends within a frame's head"));
  CHECK_THAT(error_of(whole.substr(0, body + 50)),
             Contains("byte " + std::to_string(body) + ": the stream ends within this frame"));
  const std::string launched = launch(launch_head(), {0}, exits(1));
  CHECK_THAT(error_of(whole.substr(0, body) + launched.substr(0, launched.size() - sizeof(FrameHead))),
             Contains("the stream ends within a launch of _Z1kv"));
  CHECK_THAT(error_of(function(0, "_Z1kv", kCode)), Contains("does not begin as a tracer's"));
  CHECK_THAT(error_of(hello(kVersion + 1)), Contains("version 3 (legal: 2; build tools/tracer again)"));
  CHECK_THAT(error_of(hello() + hello()), Contains("a second beginning"));
  CHECK_THAT(error_of(kStart + frame(kRecords, "x")), Contains("records without a launch"));
  CHECK_THAT(error_of(kStart + frame(kEnd, "")), Contains("without a launch"));
  CHECK_THAT(error_of(kStart + launch(launch_head(), {0}, exits(1))), Contains("function 0 was not sent"));
  CHECK_THAT(error_of(kStart + launch(launch_head(), {}, exits(1))), Contains("without functions"));
  CHECK_THAT(error_of(kStart + function(0, "_Z1kv", kCode) + function(3, "_Z1gv", kCode)),
             Contains("_Z1gv have numbers of another"));
  CHECK_THAT(error_of(kStart + function(0, "a b", kCode)), Contains("empty or has blanks"));
  CHECK_THAT(error_of(kStart + function(0, "_Z1kv", {{"NOP\nEXIT"}})), Contains("no line of text"));
  CHECK_THAT(error_of(kStart + frame(kMemcpy, "1234")), Contains("the payload ends 12 bytes too early"));
  FrameHead head;
  head.kind = kNote;
  head.bytes = uint64_t{1} << 60;
  CHECK_THAT(error_of(kStart + text(Payload().add(head))), Contains("(legal: up to 1048576)"));
}

TEST_CASE("a launch that cannot be is dropped, and the next one comes") {
  const std::string good = launch(launch_head(), {0}, exits(1));
  const auto why = [&good](const std::string& bad) {
    const Log log = read(kStart + function(0, "_Z1kv", kCode) + bad + good);
    REQUIRE(log.launches.size() == 1);
    REQUIRE(log.drops.size() == 1);
    CHECK_THAT(log.drops[0], Contains("5 _Z1kv: tracer: byte "));
    return log.drops[0];
  };
  const auto records = [&why](const std::string& r) { return why(launch(launch_head(), {0}, r)); };
  CHECK_THAT(records(record(1, 0, kExit, ~0u)),
             Contains("record at byte 0 of the launch's: block 1, warp 0, form 0"));
  CHECK_THAT(records(exits(1) + record(0, 1, kExit, ~0u)), Contains("record at byte 16"));
  CHECK_THAT(records(record(0, 0, 6, ~0u)), Contains("instruction 6 is in none of the launch's functions"));
  CHECK_THAT(records(record(0, 0, kLoad, ~0u, 3)), Contains("form 3"));
  CHECK_THAT(records(record(0, 0, kLoad, 0, 1)), Contains("form 1"));
  CHECK_THAT(records(record(0, 0, kLoad, ~0u, 1, words({1, 2}))),
             Contains("32 bytes at the end are missing, or are no whole record"));
  CHECK_THAT(records(record(0, 0, kTensor, 1, kTensorMap, std::string(136, 'x'))), Contains("form 64"));
  CHECK_THAT(
      records(record(0, 0, kCopy, 1, 2 | kStrided | kSecondStrided, words({0, 0, 0x9000, 0})) + exits(1)),
      Contains("warp 0 of block 0: instruction 0 of warp 0: LDGSTS.E.BYPASS.128 of 16 bytes at shared-memory "
               "address 0x9000"));
  CHECK_THAT(why(launch(launch_head(2), {0}, record(0, 0, kExit, ~0u) + record(0, 0, kExit, ~0u))),
             Contains("warp 0 of block 1: no records"));
  CHECK_THAT(why(launch(launch_head(1000), {0}, exits(1))),
             Contains("16 bytes of records for 1000 blocks of 1 warps"));
  CHECK_THAT(why(launch(launch_head(1, 2048), {0}, exits(1))), Contains("kernel.block"));
  LaunchHead head = launch_head();
  head.registers = 0;
  CHECK_THAT(why(launch(head, {0}, exits(1))), Contains("kernel.registers_per_thread 0"));
}

TEST_CASE("what the tracer says is handed on") {
  Dropped full;
  full.number = 3;
  full.needs = uint64_t{5} << 30;
  full.has = uint64_t{1} << 30;
  Dropped failed;
  failed.number = 4;
  Listed listed = {};
  listed.number = 8;
  const Log log = read(kStart + frame(kDropped, text(Payload().add(full).text("_Z1kv"))) +
                       frame(kDropped, text(Payload().add(failed).text("_Z1kv\nit has failed"))) +
                       frame(kListed, text(Payload().add(listed).text("_Z1gv"))) + frame(kNote, "graphs") +
                       frame(kError, "no room"));
  CHECK(log.drops ==
        std::vector<std::string>{"3 _Z1kv: its records need 5120 MiB, the buffer on the GPU has 1024 MiB",
                                 "4 _Z1kv: it has failed"});
  CHECK(log.lists == std::vector<std::string>{"8 _Z1gv"});
  CHECK(log.notes == std::vector<std::string>{"graphs"});
  CHECK(log.errors == std::vector<std::string>{"no room"});
}
