// What an access to another block's shared memory sends, in packets (FINDINGS.md 14, 52).
#include <catch2/catch.hpp>

#include <functional>

#include "sim/sm/dsm/cluster_message.h"
#include "sim/sm/dsm/traffic.h"

namespace heddle::simtest {
namespace {

using isa::OpClass;
using sm::DsmTraffic;

constexpr uint32_t kPacket = sm::ClusterMessage::kPacket;

struct Packets {
  double there = 0, back = 0;
  uint32_t passes = 0, operations = 0;
};

// Lane by lane, words of 4 bytes.
Packets packets(OpClass op, const std::function<uint64_t(uint64_t)>& word, uint32_t mask = ~0u) {
  uint64_t addr[32];
  for (uint32_t lane = 0; lane < 32; ++lane) {
    addr[lane] = 4 * word(lane);
  }
  memory::Coalesced lines;
  memory::coalesce(addr, mask, 4, lines);
  Packets all;
  for (uint32_t i = 0; i < lines.count; ++i) {
    const DsmTraffic t = sm::dsm_traffic(op, lines.lines[i], addr, mask);
    all.there += t.there / static_cast<double>(kPacket);
    all.back += t.back / static_cast<double>(kPacket);
    all.passes += t.passes;
    all.operations += t.operations;
  }
  return all;
}

TEST_CASE("a load asks for lines and is answered with sectors") {
  const auto expect = [](const Packets& p, double there, double back) {
    CHECK(p.there == there);
    CHECK(p.back == back);
    CHECK(p.passes == back);
  };
  expect(packets(OpClass::kLdGeneric, [](uint64_t) { return 5; }), 1, 1);
  expect(packets(OpClass::kLdGeneric, [](uint64_t l) { return l; }), 1, 4);
  expect(packets(OpClass::kLdGeneric, [](uint64_t l) { return 2 * l; }), 2, 8);
  expect(packets(OpClass::kLdGeneric, [](uint64_t l) { return 16 * l; }), 16, 32);
  expect(packets(OpClass::kLdGeneric, [](uint64_t l) { return 33 * l; }), 32, 32);
  expect(packets(OpClass::kLdGeneric, [](uint64_t l) { return 4 + l; }), 2, 5);
}

TEST_CASE("a store sends 16 bytes a packet; two or more whole sectors of a line one each") {
  const auto sends = [](const std::function<uint64_t(uint64_t)>& word, uint32_t mask = ~0u) {
    return packets(OpClass::kStGeneric, word, mask).there;
  };
  CHECK(sends([](uint64_t) { return 7; }) == 1);
  CHECK(sends([](uint64_t l) { return l; }) == 4);
  CHECK(sends([](uint64_t l) { return 2 * l; }) == 16);
  CHECK(sends([](uint64_t l) { return 32 * l; }) == 32);
  CHECK(sends([](uint64_t l) { return l; }, 0xff) == 2);        // one whole sector
  CHECK(sends([](uint64_t l) { return l; }, 0xfff) == 3);       // and half of the next
  CHECK(sends([](uint64_t l) { return l; }, 0xffff) == 2);      // two whole ones
  CHECK(sends([](uint64_t l) { return 4 + l; }) == 5);          // half, three whole; half of the next line
  CHECK(sends([](uint64_t l) { return 4 + l; }, 0xffff) == 4);  // half, whole, half
  // Acknowledgements: a 21st of that, in sixteenths of a packet.
  CHECK(packets(OpClass::kStGeneric, [](uint64_t l) { return l; }).back == 3 / 16.0);
  CHECK(packets(OpClass::kStGeneric, [](uint64_t) { return 7; }).back == 1 / 16.0);
}

TEST_CASE(
    "an atomic has a packet for each pass over a sector, and one for the head of a pass over more words") {
  const auto expect = [](const Packets& p, double there, double back, uint32_t passes) {
    CHECK(p.there == there);
    CHECK(p.back == back);
    CHECK(p.operations == back);
    CHECK(p.passes == passes);
  };
  const auto atomic = [](const std::function<uint64_t(uint64_t)>& word) {
    return packets(OpClass::kAtomGeneric, word);
  };
  expect(atomic([](uint64_t) { return 8; }), 32, 32, 64);             // 32 passes, each read and written
  expect(atomic([](uint64_t l) { return l; }), 5, 4, 2);              // a line
  expect(atomic([](uint64_t l) { return l % 4; }), 16, 8, 16);        // eight passes over four words
  expect(atomic([](uint64_t l) { return l % 2; }), 32, 16, 32);       // 16 over two words
  expect(atomic([](uint64_t l) { return l % 2 * 31; }), 48, 32, 32);  // the same of two sectors
  expect(atomic([](uint64_t l) { return l % 16 * 32 + l / 16 * 4; }), 32, 16, 32);
  expect(atomic([](uint64_t l) { return l % 16 * 32 + l / 16 * 8; }), 48, 32, 32);
  expect(atomic([](uint64_t l) { return l * 33; }), 32, 32, 64);  // a word of each line: no heads
}

}  // namespace
}  // namespace heddle::simtest
