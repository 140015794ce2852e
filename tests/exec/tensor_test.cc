// Copies by tensor maps: tiles, swizzles, what lies outside, im2col, reductions, maps that a kernel changes.
#include <catch2/catch.hpp>

#include <cstring>
#include <numeric>

#include "sim/isa/tensor_map.h"
#include "tests/exec/exec_case.h"

namespace heddle::exec::test {
namespace {

// A tensor of u16 whose element (row, column) is 100 * row + column.
constexpr uint32_t kWide = 24, kHigh = 10;

isa::TensorMap map_of(uint64_t address) {
  isa::TensorMap m;
  m.address = address;
  m.rank = 2;
  m.element_bytes = 2;
  m.type = isa::kU16;
  m.size = {kWide, kHigh};
  m.stride = {2, kWide * 2};
  m.box = {8, 4};
  m.step = {1, 1};
  return m;
}

// A kernel k(out, map, a, b) with a map at %rd1, which loads a tile at (a, b) and stores `words` of it.
std::string loading(uint32_t bytes, uint32_t words, const std::string& copy, const std::string& before = "") {
  return ".shared .align 1024 .b8 tile[8192]; .shared .align 8 .b64 bar;\n"
         ".entry k(.param .u64 out, .param .u64 map, .param .s32 a, .param .s32 b) {\n"
         ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>; .reg .b16 %rs<4>;\n"
         "ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [map]; ld.param.s32 %r1, [a]; ld.param.s32 %r2, [b];\n"
         "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar], " +
         std::to_string(bytes) + ";\n" + before + copy +
         "\nw: mbarrier.try_wait.shared.b64 %p0, [bar], %rd2; @!%p0 bra w; mov.u32 %r3, tile; mov.u32 %r4, "
         "0;\n"
         "l: ld.shared.u32 %r5, [%r3]; st.global.u32 [%rd0], %r5; add.u32 %r3, %r3, 4; add.u64 %rd0, %rd0, "
         "4;\n"
         "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, " +
         std::to_string(words) + "; @%p1 bra l; ret; }\n";
}

constexpr const char* kTile =
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1, {%r1, %r2}], "
    "[bar];";

class Tensor {
 public:
  explicit Tensor(const std::string& text) : c(text) {
    std::vector<uint16_t> values(size_t{kWide} * kHigh);
    for (uint32_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<uint16_t>(100 * (i / kWide) + i % kWide);
    }
    data = c.buffer(values);
    map = map_of(data);
  }
  uint64_t put(const isa::TensorMap& m) {
    const isa::TensorMapBytes b = isa::encode(m);
    return c.buffer(std::vector<uint8_t>(b.begin(), b.end()));
  }
  // What stands in shared memory after a load.
  std::vector<uint16_t> load(size_t count, int32_t a, int32_t b) {
    const uint64_t out = c.buffer(std::vector<uint16_t>(count));
    c.run("k", {1}, {1}, {out, put(map), static_cast<uint32_t>(a), static_cast<uint32_t>(b)});
    return c.get<uint16_t>(out, count);
  }

  Case c;
  uint64_t data = 0;
  isa::TensorMap map;
};

}  // namespace

TEST_CASE("a tile, rows without a gap") {
  Tensor t(loading(64, 16, kTile));
  const auto out = t.load(32, 3, 2);
  for (uint32_t i = 0; i < 32; ++i) {
    CHECK(out[i] == 100 * (2 + i / 8) + 3 + i % 8);
  }
}

TEST_CASE("outside: zeros, or not-a-numbers; the whole tile's bytes count") {
  Tensor t(loading(64, 16, kTile));
  const auto corner = t.load(32, -3, -1);
  CHECK(corner[7] == 0);
  CHECK(corner[8 + 2] == 0);
  CHECK(corner[8 + 3] == 0);  // element (0, 0)
  CHECK(corner[8 + 4] == 1);
  CHECK(corner[24 + 7] == 204);
  t.map.type = isa::kF16;
  t.map.nan_fill = true;
  const auto nan = t.load(32, 20, 9);
  CHECK(nan[3] == 923);
  CHECK(nan[4] == 0x7fff);
  CHECK(nan[31] == 0x7fff);
}

TEST_CASE("swizzles: 16-byte pieces by the bits of the shared address") {
  // Rows of 32 bytes: piece (row, half) is at half ^ (row / 4 & 1).
  Tensor narrow(loading(256, 64, kTile));
  narrow.map.box = {16, 8};
  narrow.map.swizzle = 1;
  const auto out = narrow.load(128, 0, 0);
  CHECK(out[3 * 16] == 300);
  CHECK(out[4 * 16] == 408);
  CHECK(out[4 * 16 + 8] == 400);
  // Rows of 128 bytes: piece c of row r is at c ^ (r & 7).
  Tensor wide(loading(1280, 320, kTile));
  wide.map.size = {64, 10};
  wide.map.stride = {2, 128};
  wide.map.address = wide.c.buffer([] {
    std::vector<uint16_t> v(640);
    std::iota(v.begin(), v.end(), uint16_t{0});
    return v;
  }());
  wide.map.box = {64, 10};
  wide.map.swizzle = 3;
  const auto w = wide.load(640, 0, 0);
  for (uint32_t row = 0; row < 10; ++row) {
    for (uint32_t piece = 0; piece < 8; ++piece) {
      CHECK(w[row * 64 + (piece ^ (row & 7)) * 8 + 5] == row * 64 + piece * 8 + 5);
    }
  }
}

TEST_CASE("steps between elements, and five dimensions") {
  Tensor t(loading(32, 8, kTile));
  t.map.step = {1, 3};
  const auto out = t.load(16, 8, 1);  // rows 1 and 4
  CHECK(out[0] == 108);
  CHECK(out[8] == 408);
  Tensor five(
      loading(32, 8,
              "mov.u32 %r6, 1; mov.u32 %r7, 0;\n"
              "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], "
              "[%rd1, {%r1, %r2, %r6, %r7, %r6}], [bar];"));
  five.map.rank = 5;
  five.map.size = {8, 2, 2, 2, 2};
  five.map.stride = {2, 16, 32, 64, 128};
  five.map.box = {8, 1, 1, 2, 1};
  five.map.step = {1, 1, 1, 1, 1};
  const auto words = five.load(16, 0, 1);
  const auto flat = [](uint32_t i) { return 100 * (i / kWide) + i % kWide; };
  CHECK(words[0] == flat(8 + 16 + 64));
  CHECK(words[9] == flat(8 + 16 + 32 + 64 + 1));
}

TEST_CASE("im2col: pixels in the order of the image, corners cut off") {
  // Images of 4 x 3 pixels of 8 channels, a filter of 3 x 3: pixels go from -1 to 2, and the offsets move the
  // window.
  Tensor t(
      loading(6 * 16, 24,
              "mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u16 %rs0, 1; mov.u16 %rs1, 0;\n"
              "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [tile], "
              "[%rd1, {%r6, %r1, %r2, %r7}], [bar], {%rs0, %rs1};"));
  std::vector<uint16_t> pixels(2 * 3 * 4 * 8);
  std::iota(pixels.begin(), pixels.end(), uint16_t{0});
  t.map.address = t.c.buffer(pixels);
  t.map.rank = 4;
  t.map.im2col = true;
  t.map.size = {8, 4, 3, 2};
  t.map.stride = {2, 16, 64, 192};
  t.map.step = {1, 1, 1, 1};
  t.map.channels = 8;
  t.map.pixels = 6;
  t.map.lower = {-1, -1};
  t.map.upper = {-1, -1};
  const auto out = t.load(48, 1, -1);  // w 1 and 2, then -1 to 2 of the next row; moved by one in w
  CHECK(out[0] == 0);                  // (2, -1): outside
  CHECK(out[8] == 0);
  CHECK(out[16] == 0 * 8);  // (-1 + 1, 0)
  CHECK(out[24] == 1 * 8);
  CHECK(out[40 + 7] == 3 * 8 + 7);
}

TEST_CASE("stores and reductions leave out what lies outside") {
  const auto storing_tile = [](const std::string& copy) {
    return ".shared .align 128 .b8 tile[64];\n"
           ".entry k(.param .u64 map, .param .s32 a, .param .s32 b) {\n"
           ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
           "ld.param.u64 %rd1, [map]; ld.param.s32 %r1, [a]; ld.param.s32 %r2, [b]; mov.u32 %r3, tile;\n"
           "mov.u32 %r4, 0; l: st.shared.u32 [%r3], 0x00030005; add.u32 %r3, %r3, 4; add.u32 %r4, %r4, 1;\n"
           "setp.lt.u32 %p1, %r4, 16; @%p1 bra l; fence.proxy.async.shared::cta;\n" +
           copy + " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }\n";
  };
  Tensor t(storing_tile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1, %r2}], [tile];"));
  t.c.run("k", {1}, {1}, {t.put(t.map), 20, 8});
  auto all = t.c.get<uint16_t>(t.data, kWide * kHigh);
  CHECK(all[8 * kWide + 19] == 819);
  CHECK(all[8 * kWide + 20] == 5);
  CHECK(all[9 * kWide + 23] == 3);
  CHECK(all[9 * kWide] == 900);
  Tensor sum(storing_tile(
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%rd1, {%r1, %r2}], [tile];"));
  sum.map.element_bytes = 4;
  sum.map.type = isa::kU32;
  sum.map.size = {kWide / 2, kHigh};
  sum.map.stride = {4, kWide * 2};
  sum.map.box = {4, 4};
  sum.c.run("k", {1}, {1}, {sum.put(sum.map), 0, 0xffffffff});
  all = sum.c.get<uint16_t>(sum.data, kWide * kHigh);
  CHECK(all[0] == 5);
  CHECK(all[1] == 1 + 3);
  CHECK(all[2 * kWide + 7] == 207 + 3);
  CHECK(all[2 * kWide + 8] == 208);
  CHECK(all[3 * kWide] == 300);
  sum.map.type = isa::kU16;
  sum.map.element_bytes = 2;
  CHECK(sum.c.error("k", {1}, {1}, {sum.put(sum.map), 0, 0})
            .find("reduction of this kind of elements of type 1") != std::string::npos);
}

TEST_CASE("a store fills the 16 bytes in which a row of the tensor ends") {
  Tensor t(
      ".shared .align 128 .b8 tile[64];\n"
      ".entry k(.param .u64 map) {\n"
      ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
      "ld.param.u64 %rd1, [map]; mov.u32 %r3, tile; mov.u32 %r1, 8; mov.u32 %r4, 0;\n"
      "l: st.shared.u32 [%r3], 0x00030005; add.u32 %r3, %r3, 4; add.u32 %r4, %r4, 1;\n"
      "setp.lt.u32 %p1, %r4, 16; @%p1 bra l; fence.proxy.async.shared::cta;\n"
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1, %r1}], [tile];\n"
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }\n");
  // Elements of 2 bytes: 9 of them are inside, so that the second 8 hold one of the tensor's.
  t.map.size[0] = 9;
  t.c.run("k", {1}, {1}, {t.put(t.map)});
  const auto all = t.c.get<uint16_t>(t.data, kWide * kHigh);
  CHECK(all[8 * kWide + 7] == 807);
  CHECK(all[8 * kWide + 8] == 5);
  for (int i = 9; i < 8 + static_cast<int>(t.map.box[0]); ++i) {
    CHECK(all[8 * kWide + i] == (i % 2 == 0 ? 5 : 3));
  }
}

TEST_CASE("a map that the kernel changes, in shared memory, and copies to global") {
  // From the map of the tensor to one of its rows 4 and 5, columns 0 to 7, as 8 x 2.
  Tensor t(loading(
      32, 8,
      "mov.u32 %r6, 8; mov.u32 %r7, 2; mov.u64 %rd4, 0;\n"
      "m: add.u64 %rd5, %rd1, %rd4; ld.global.b64 %rd6, [%rd5]; cvt.u32.u64 %r8, %rd4; mov.u32 %r9, tile;\n"
      "add.u32 %r9, %r9, %r8; st.shared.b64 [%r9], %rd6; add.u64 %rd4, %rd4, 8; setp.lt.u64 %p2, %rd4, "
      "128; @%p2 bra m;\n"
      "ld.global.u64 %rd5, [%rd1]; add.u64 %rd5, %rd5, 192;\n"
      "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [tile], %rd5;\n"
      "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [tile], 0, %r6;\n"
      "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [tile], 1, %r7;\n"
      "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [tile], 0, 96;\n"
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], "
      "[tile], 128;\n"
      "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;\n" +
          std::string(kTile)));
  const auto out = t.load(16, 1, 0);
  CHECK(out[0] == 401);
  CHECK(out[7] == 0);    // beyond 8 columns
  CHECK(out[8] == 601);  // the stride is that of two rows
}

TEST_CASE("every type of elements that a kernel may name for a map") {
  // The numbers of tensormap.replace (PTX ISA, .elemtype): 11 and 12 are tf32 with and without .ftz, of which
  // the map has the type of f32 and that of f32 with .ftz.
  Case c(".entry k(.param .u64 map) { .reg .b64 %rd<4>; ld.param.u64 %rd1, [map];\n" + [] {
    std::string all;
    for (int type = 0; type <= 12; ++type) {
      all += "tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1+" + std::to_string(128 * type) + "], " +
             std::to_string(type) + ";\n";
    }
    return all;
  }() + "ret; }");
  const isa::TensorMapBytes plain = isa::encode(map_of(0x10000));
  std::vector<uint8_t> maps;
  for (int type = 0; type <= 12; ++type) {
    maps.insert(maps.end(), plain.begin(), plain.end());
  }
  const uint64_t at = c.buffer(maps);
  c.run("k", {1}, {1}, {at});
  const uint8_t expected[] = {isa::kU8,  isa::kU16, isa::kU32,    isa::kS32, isa::kU64, isa::kS64,
                              isa::kF16, isa::kF32, isa::kF32Ftz, isa::kF64, isa::kBf16};
  for (int type = 0; type <= 12; ++type) {
    CAPTURE(type);
    const std::vector<uint8_t> bytes = c.get<uint8_t>(at + 128U * static_cast<uint32_t>(type), 128);
    isa::TensorMapBytes found;
    std::copy(bytes.begin(), bytes.end(), found.begin());
    isa::TensorMap m;
    REQUIRE(isa::decode(found, m).empty());
    const bool tf32 = type > 10;
    CHECK(m.tf32 == tf32);
    CHECK(m.type == expected[tf32 ? type - 4 : type]);
  }
}

TEST_CASE("tensor copies that cannot be") {
  Tensor t(loading(64, 16, kTile));
  const auto error = [&](const isa::TensorMap& m) {
    return t.c.error("k", {1}, {1}, {t.c.buffer(std::vector<uint8_t>(64)), t.put(m), 0, 0});
  };
  isa::TensorMap m = t.map;
  m.rank = 3;
  m.size[2] = m.box[2] = m.step[2] = 1;
  CHECK(error(m).find("t.ptx:7: copy of 2 dimensions by a tensor map of 3; kernel k") == 0);
  m = t.map;
  m.address += uint64_t{1} << 20;
  CHECK(error(m).find("row of a tensor copy of 16 bytes at 0x") != std::string::npos);
  m = t.map;
  m.box = {256, 256};
  CHECK(error(m).find("tensor copy of 131072 bytes at 0x400 in shared memory is out of bounds") !=
        std::string::npos);
  Tensor odd(
      loading(64, 16,
              "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile+64], [%rd1, "
              "{%r1, %r2}], [bar];"));
  CHECK(odd.c.error("k", {1}, {1}, {odd.c.buffer(std::vector<uint8_t>(64)), odd.put(odd.map), 0, 0})
            .find("is misaligned (legal: multiples of 128)") != std::string::npos);
}

}  // namespace heddle::exec::test
