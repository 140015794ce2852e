#include "sim/exec/races.h"

#include <algorithm>

namespace heddle::exec {
namespace {

constexpr uint64_t kWordBytes = 4;

}  // namespace

Races::Races(uint32_t warps, uint32_t bytes)
    : warps_(warps),
      clocks_(warps, Clock(warps)),
      words_((bytes + kWordBytes - 1) / kWordBytes),
      reads_(words_.size()) {
  for (uint32_t w = 0; w < warps; ++w) {
    clocks_[w][w] = 1;
  }
}

void Races::join(Clock& to, const Clock& from) const {
  for (uint32_t w = 0; w < warps_; ++w) {
    to[w] = std::max(to[w], from[w]);
  }
}

void Races::release(uint64_t what, uint32_t warp) {
  Clock& clock = released_.try_emplace(what, warps_).first->second;
  join(clock, clocks_[warp]);
  ++clocks_[warp][warp];
}

void Races::acquire(uint64_t what, uint32_t warp) {
  const auto it = released_.find(what);
  if (it != released_.end()) {
    join(clocks_[warp], it->second);
  }
}

std::optional<Races::Other> Races::access(uint32_t warp, uint32_t pc, uint64_t offset, uint64_t bytes,
                                          bool stores) {
  const Clock& now = clocks_[warp];
  for (uint64_t w = offset / kWordBytes; w * kWordBytes < offset + bytes; ++w) {
    const uint64_t begin = std::max(offset, w * kWordBytes) % kWordBytes;
    const uint64_t end = std::min(offset + bytes, (w + 1) * kWordBytes) - w * kWordBytes;
    const auto part = static_cast<uint8_t>((1U << end) - (1U << begin));
    Word& word = words_[w];
    if (word.clock > now[word.warp] && word.warp != warp && (word.bytes & part) != 0) {
      return Other{word.warp, word.pc, true};
    }
    std::vector<Read>& reads = reads_[w];
    if (!stores) {
      reads.resize(warps_);
      Read& r = reads[warp];
      r = {now[warp], pc, static_cast<uint8_t>(r.clock == now[warp] ? r.bytes | part : part)};
      continue;
    }
    for (uint32_t other = 0; other < reads.size(); ++other) {
      if (other != warp && reads[other].clock > now[other] && (reads[other].bytes & part) != 0) {
        return Other{other, reads[other].pc, false};
      }
    }
    const bool together = word.warp == warp && word.clock == now[warp];
    word = {warp, now[warp], pc, static_cast<uint8_t>(together ? word.bytes | part : part)};
  }
  return std::nullopt;
}

}  // namespace heddle::exec
