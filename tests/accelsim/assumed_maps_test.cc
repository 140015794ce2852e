// Tensor maps that a text trace lacks, and asynchronous stores.
#include "frontends/accelsim/assumed_maps.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>

#include "sim/isa/recorded_copy.h"
#include "sim/isa/tensor_map.h"
#include "tests/accelsim/trace_text.h"

namespace heddle::accelsim::test {
namespace {

const std::string kSide = side({"UTMALDG.2D [UR8], [UR16], desc[UR6]", "SYNCS.ARRIVE.TRANS64 RZ, [UR6], R0",
                                "UTMASTG.2D [UR8], [UR16]", "STAS [R2.64], R4", "EXIT"});
const char* kLoad = "0000 00000001 0 UTMALDG.2D 0 0";
const char* kExpect = "0010 00000001 0 SYNCS.ARRIVE.TRANS64 0 0";
const char* kStore = "0020 00000001 0 UTMASTG.2D 0 0";

constexpr uint64_t kFirst = 0x7f0000000280, kSecond = 0x7f0000000300;

std::string registers(std::initializer_list<uint64_t> first, uint64_t descriptor) {
  std::vector<uint64_t> v(first);
  v.resize(7);
  v.insert(v.end(), {descriptor & 0xffffffff, descriptor >> 32, 0, 0, 0});
  std::string s = " U";
  for (const uint64_t x : v) {
    char b[32];
    std::snprintf(b, sizeof b, " %llx", static_cast<unsigned long long>(x));
    s += b;
  }
  return s + "\n";
}
std::string at(int ordinal, const char* pc) { return "0 0 " + std::to_string(ordinal) + " " + pc; }
std::string load(int ordinal, uint64_t x, uint64_t y, uint64_t descriptor = kFirst, uint64_t place = 0x400) {
  return at(ordinal, "0") + registers({place, 0x3f00, x, y}, descriptor);
}
std::string store(int ordinal, uint64_t source, uint64_t y) {
  return at(ordinal, "20") + registers({source, 0, y}, kFirst);
}
std::string expect(int ordinal, const char* bytes) {
  return at(ordinal, "10") + " B 1 0x3f00 0 V 1 " + bytes + " 0\n";
}

isa::TensorMap map_at(const Kernel& k, uint64_t address) {
  isa::TensorMap m;
  for (const isa::RecordedMap& r : k.image.tensor_maps) {
    if (r.address == address) {
      CHECK(r.assumed);
      CHECK(isa::decode(r.bytes, m) == "");
      return m;
    }
  }
  FAIL("no such map");
  return m;
}

TEST_CASE("a load has the bytes that its barrier object expects, in rows of 128") {
  const Kernel k = read(trace({kExpect, kLoad}), kSide, expect(0, "0x2000") + load(1, 0, 0));
  REQUIRE(k.image.tensor_maps.size() == 1);
  const isa::TensorMap m = map_at(k, kFirst);
  CHECK(m.rank == 2);
  CHECK(m.box[0] * m.element_bytes == 128);
  CHECK(m.box[1] == 64);
  CHECK(isa::tiled(m, {}).bytes() == 0x2000);
}

TEST_CASE("two copies for one phase share what it expects; their distance tells the size of an element") {
  for (const uint64_t step : {16, 32, 64, 128}) {
    CAPTURE(step);
    const Kernel k =
        read(trace({kExpect, kLoad, kLoad}), kSide, expect(0, "0x2000") + load(1, 0, 0) + load(2, step, 0));
    const isa::TensorMap m = map_at(k, kFirst);
    CHECK(m.element_bytes == 128 / step);
    CHECK(m.box[0] == step);
    CHECK(m.box[1] == 32);
    CHECK(m.size[0] == 2 * step);  // the tensor ends where the copies end
  }
}

TEST_CASE("two descriptors at one barrier object: by their steps, where those come to what is expected") {
  const std::string copies =
      load(1, 0, 0) + load(2, 0, 0, kSecond) + load(3, 0, 32) + load(4, 0, 16, kSecond);
  const std::vector<std::string> lines = {kExpect, kLoad, kLoad, kLoad, kLoad};
  SECTION("2 x 32 rows and 2 x 16 rows of 128 bytes") {
    const Kernel k = read(trace(lines), kSide, expect(0, "0x3000") + copies);
    CHECK(isa::tiled(map_at(k, kFirst), {}).bytes() == 32 * 128);
    CHECK(isa::tiled(map_at(k, kSecond), {}).bytes() == 16 * 128);
  }
  SECTION("else all the same") {
    const Kernel k = read(trace(lines), kSide, expect(0, "0x2000") + copies);
    CHECK(isa::tiled(map_at(k, kFirst), {}).bytes() == 0x800);
    CHECK(isa::tiled(map_at(k, kSecond), {}).bytes() == 0x800);
  }
  SECTION("they lie apart, and apart from what is recorded") {
    const Kernel k = read(trace(lines), kSide, expect(0, "0x3000") + copies);
    const uint64_t a = map_at(k, kFirst).address, b = map_at(k, kSecond).address;
    CHECK(std::max(a, b) - std::min(a, b) == uint64_t{1} << 40);
    CHECK(std::min(a, b) >= uint64_t{1} << 50);
  }
}

TEST_CASE("... or one of them fills the distance between its places, and the other gets the rest") {
  // Places 4096 and 2048 bytes apart, and 2 x (4096 + 1024) bytes.
  const std::string copies = load(1, 0, 0, kFirst, 0) + load(2, 0, 0, kSecond, 0x2000) +
                             load(3, 0, 7, kFirst, 0x1000) + load(4, 0, 7, kSecond, 0x2800);
  const Kernel k = read(trace({kExpect, kLoad, kLoad, kLoad, kLoad}), kSide, expect(0, "0x2800") + copies);
  CHECK(isa::tiled(map_at(k, kFirst), {}).bytes() == 0x1000);
  CHECK(isa::tiled(map_at(k, kSecond), {}).bytes() == 0x400);
}

TEST_CASE("a store has the smallest distance between its sources in shared memory") {
  const Kernel k = read(trace({kStore, kStore, kStore}), kSide,
                        store(0, 0x2400, 64) + store(1, 0x400, 0) + store(2, 0x1400, 32));
  const isa::TensorMap m = map_at(k, kFirst);
  CHECK(isa::tiled(m, {}).bytes() == 0x1000);
  CHECK(m.box[1] == 32);
  CHECK(m.size[1] == 64 + 32);
}

TEST_CASE("copies by an assumed map say so") {
  const Kernel k = read(trace({kExpect, kLoad}), kSide, expect(0, "0x2000") + load(1, 0, 0));
  const isa::WarpTrace& w = k.warp();
  const isa::MemRef& r = w.refs.at(1);
  isa::RecordedCopy c;
  CHECK(isa::read_copy(k.image, k.image.code.at(0), std::span(w.values).subspan(r.list, r.count), 1 << 14,
                       c) == "");
  CHECK(c.known);
  CHECK(c.assumed);
  CHECK(c.op.bytes == 0x2000);
  CHECK(c.op.barrier == 0x3f00);
}

TEST_CASE("a map that is a parameter is not assumed") {
  isa::TensorMap m;
  m.address = 0x7f1000000000, m.rank = 2, m.element_bytes = 2;
  m.size = {1024, 1024}, m.stride = {2, 2048}, m.box = {32, 8}, m.step = {1, 1};
  std::string hex;
  for (const uint8_t b : isa::encode(m)) {
    char two[4];
    std::snprintf(two, sizeof two, "%02x", b);
    hex += two;
  }
  HeaderOptions h;
  h.more = "-param 0 = " + hex + "\n";  // in the bank at 0x240
  const uint64_t descriptor = 0x7f0000000240;
  const Kernel k = read(trace({kExpect, kLoad}, h), kSide, expect(0, "0x200") + load(1, 0, 0, descriptor));
  CHECK(k.image.tensor_maps.empty());
  const isa::WarpTrace& w = k.warp();
  isa::RecordedCopy c;
  CHECK(isa::read_copy(k.image, k.image.code.at(0), std::span(w.values).subspan(w.refs.at(1).list, 12),
                       1 << 14, c) == "");
  CHECK(c.known);
  CHECK_FALSE(c.assumed);
  CHECK(c.op.bytes == 8 * 64);
}

TEST_CASE("malformed records of tensor copies name file and line", "[malformed]") {
  struct Case {
    std::string extra;
    const char* place;
    const char* what;
  };
  const Case cases[] = {
      {"0 0 0 0 U 1 2 xyz\n", "t.extra:1: ", "bad register value 'xyz'"},
      {"0 0 0 0 U 1 2 3\n", "t.extra:1: ", "a tensor copy with 3 register values"},
      {"nonsense\n", "t.extra:1: ", "not an operand record"},
      {"0 0 0 40 U 1\n", "t.extra:1: ", "for offset 40"},
      {load(0, 0, 0) + "0 0 1 10 B 9 0x800\n", "t.extra:2: ", "bad address mode"},
      {load(0, 0, 0) + "0 0 1 10 B 1 0x3f00 0 W 1 0x0 0\n", "t.extra:2: ", "unexpected 'W'"},
  };
  for (const Case& c : cases) {
    const std::string message = error_of([&] { read(trace({kLoad, kExpect}), kSide, c.extra); });
    CAPTURE(c.extra, message);
    CHECK(message.starts_with(c.place));
    CHECK_THAT(message, Catch::Contains(c.what));
  }
}

TEST_CASE("STAS: the upper halves of the recorded addresses are the barrier object's") {
  const Kernel k = read(trace({"0030 0000000f 0 STAS 2 R2 R4 4 1 0x0100004001000400 4"}), kSide);
  const isa::WarpTrace& w = k.warp();
  const isa::MemRef& r = w.refs.at(0);
  CHECK(addresses(w, r, 0xf) == std::vector<uint64_t>{0x1000400, 0x1000404, 0x1000408, 0x100040c});
  REQUIRE(r.count == 4);
  for (uint32_t i = 0; i < 4; ++i) {
    CHECK(w.values.at(r.list + i) == 0x1000040);
  }
  const Kernel full =
      read(trace({"0030 00000003 0 STAS 2 R2 R4 4 0 0x0100004001000400 0x0100004001000500"}), kSide);
  CHECK(addresses(full.warp(), full.warp().refs.at(0), 0x3) == std::vector<uint64_t>{0x1000400, 0x1000500});
  REQUIRE(full.warp().refs.at(0).count == 2);
}

}  // namespace
}  // namespace heddle::accelsim::test
