#include "sim/sm/dsm/traffic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "sim/sm/dsm/cluster_message.h"

namespace heddle::sm {
namespace {

constexpr uint32_t kPacket = ClusterMessage::kPacket;
constexpr uint32_t kWord = 4, kHalf = 16;           // bytes
constexpr uint32_t kPacketsOfAcknowledgement = 21;  // of a store's packets are acknowledged by one

// Of 16 bytes each; but two or more sectors of a line that are stored whole are one each.
uint32_t store_packets(const memory::LineAccess& a) {
  uint32_t halves = 0, whole = 0;
  for (const uint32_t touched : a.bytes) {
    halves += ((touched & 0xffffu) != 0) + (touched >> kHalf != 0);
    whole += touched == ~0u;
  }
  return whole > 1 ? halves - whole : halves;
}

// How often the lanes name the word that most of them name, and the one that comes next.
struct Meetings {
  uint32_t most = 0, second = 0;
};

Meetings meetings(const uint64_t addr[32], uint32_t mask, uint64_t line) {
  std::array<uint8_t, memory::kLineBytes / kWord> lanes{};
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint64_t a = addr[std::countr_zero(m)];
    if (a / memory::kLineBytes == line) {
      ++lanes[a % memory::kLineBytes / kWord];
    }
  }
  std::partial_sort(lanes.begin(), lanes.begin() + 2, lanes.end(), std::greater<>());
  return {lanes[0], lanes[1]};
}

}  // namespace

DsmTraffic dsm_traffic(isa::OpClass op, const memory::LineAccess& a, const uint64_t addr[32], uint32_t mask) {
  const auto sectors = static_cast<uint32_t>(std::popcount(a.sectors));
  if (isa::is_store(op)) {
    const uint32_t there = store_packets(a);
    const uint32_t back = (kPacket * there + kPacketsOfAcknowledgement / 2) / kPacketsOfAcknowledgement;
    return {static_cast<uint16_t>(kPacket * there), static_cast<uint16_t>(back), static_cast<uint16_t>(there),
            0};
  }
  if (isa::is_atomic(op)) {
    // A pass over more than one word has a packet for its head; each is read and written.
    const uint32_t operations = memory::sector_operations(addr, mask, a.line);
    const Meetings m = meetings(addr, mask, a.line);
    return {static_cast<uint16_t>(kPacket * (operations + m.second)),
            static_cast<uint16_t>(kPacket * operations), static_cast<uint16_t>(2 * m.most),
            static_cast<uint8_t>(operations)};
  }
  return {static_cast<uint16_t>(kPacket), static_cast<uint16_t>(kPacket * sectors),
          static_cast<uint16_t>(sectors), 0};
}

}  // namespace heddle::sm
