#include "sim/host/memory/pools.h"

#include <algorithm>
#include <iterator>

namespace heddle::host {

Pool::Pool(const Params& p, DeviceMemory& memory, uint64_t max_bytes)
    : memory_(memory),
      alignment_(p.memory.alignment),
      chunk_bytes_(p.memory.pool_chunk),
      max_bytes_(max_bytes ? max_bytes : memory.total_bytes()) {}

Pool::Reuse Pool::reuse(const Block& b, uint32_t stream, const Clocks& clocks,
                        const CommandPool& commands) const {
  if (!b.freed || b.stream == stream || Clocks::covers(clocks.of_driver(), b.epoch)) {
    return Reuse::kNow;  // SO07
  }
  if (follow_events && Clocks::covers(clocks.of_stream(stream), b.epoch)) {
    return Reuse::kEvent;  // SO08
  }
  if (opportunistic && !commands.unfinished(b.done)) {
    return Reuse::kOpportunistic;  // SO09
  }
  return Reuse::kDependent;
}

std::optional<Pool::Given> Pool::allocate(uint64_t bytes, uint32_t stream, const Clocks& clocks,
                                          const CommandPool& commands) {
  if (bytes > memory_.total_bytes()) {
    return std::nullopt;
  }
  const uint64_t size = round_up(std::max<uint64_t>(1, bytes), alignment_);
  // What may be used without a wait, the best fit of each kind; the kinds in this order.
  Blocks::iterator found[4];
  bool has[4] = {false, false, false, false};
  for (auto it = free_.lower_bound({size, 0}); it != free_.end() && !has[0]; ++it) {
    const auto block = blocks_.find(it->second);
    const auto kind = static_cast<size_t>(reuse(block->second, stream, clocks, commands));
    if (!has[kind]) {
      has[kind] = true;
      found[kind] = block;
    }
  }
  for (size_t kind = 0; kind < 3; ++kind) {
    if (has[kind]) {
      return give(found[kind], size);
    }
  }
  const auto last = static_cast<size_t>(Reuse::kDependent);
  if (grow(size)) {
    Given g = give(blocks_.find(free_.lower_bound({size, 0})->second), size);
    g.grown = static_cast<uint32_t>(round_up(size, chunk_bytes_) / chunk_bytes_);
    return g;
  }
  // SO10: only when there is no more memory.
  if (internal_dependencies && has[last]) {
    const CommandRef after = found[last]->second.done;
    Given g = give(found[last], size);
    g.after = after;
    return g;
  }
  return std::nullopt;
}

Pool::Given Pool::give(Blocks::iterator it, uint64_t bytes) {
  const uint64_t address = it->first;
  Block& b = it->second;
  free_.erase({b.bytes, address});
  if (b.bytes > bytes) {
    Block rest = b;
    rest.bytes = b.bytes - bytes;
    blocks_.emplace(address + bytes, rest);
    free_.emplace(rest.bytes, address + bytes);
    b.bytes = bytes;
  }
  b.used = true;
  stats_.used += bytes;
  stats_.used_high = std::max(stats_.used_high, stats_.used);
  return {address, 0, std::nullopt};
}

bool Pool::grow(uint64_t bytes) {
  const uint64_t chunk = round_up(bytes, chunk_bytes_);
  if (stats_.reserved + chunk > max_bytes_ || !memory_.take(chunk)) {
    return false;
  }
  const std::optional<uint64_t> address = memory_.reserve(chunk);
  if (!address) {
    memory_.give(chunk);
    return false;
  }
  chunks_[*address] = chunk;
  Block b;
  b.bytes = chunk;
  blocks_.emplace(*address, b);
  free_.emplace(chunk, *address);
  stats_.reserved += chunk;
  stats_.reserved_high = std::max(stats_.reserved_high, stats_.reserved);
  ++stats_.grown;
  return true;
}

void Pool::free(uint64_t address, uint32_t stream, Epoch epoch, CommandRef done) {
  Block& b = blocks_.at(address);
  b.used = false;
  b.freed = true;
  b.stream = stream;
  b.epoch = epoch;
  b.done = done;
  stats_.used -= b.bytes;
  free_.emplace(b.bytes, address);
}

void Pool::free_now(uint64_t address) {
  free(address, 0, {}, {});
  blocks_.at(address).freed = false;
}

// Neighbours of one chunk become one block when nothing is left of their frees to be waited for.
void Pool::join_free(const Clocks& clocks) {
  const auto settled = [&](const Block& b) {
    return !b.used && (!b.freed || Clocks::covers(clocks.of_driver(), b.epoch));
  };
  for (auto it = blocks_.begin(); it != blocks_.end();) {
    const auto next = std::next(it);
    if (settled(it->second)) {
      it->second.freed = false;
      if (next != blocks_.end() && settled(next->second) && !chunks_.contains(next->first)) {
        free_.erase({it->second.bytes, it->first});
        free_.erase({next->second.bytes, next->first});
        it->second.bytes += next->second.bytes;
        free_.emplace(it->second.bytes, it->first);
        blocks_.erase(next);
        continue;
      }
    }
    it = next;
  }
}

uint32_t Pool::trim(uint64_t keep, const Clocks& clocks) {
  if (free_.empty()) {
    return 0;
  }
  join_free(clocks);
  uint32_t count = 0;
  for (auto it = chunks_.begin(); it != chunks_.end() && stats_.reserved > keep;) {
    const auto [address, bytes] = *it;
    const auto block = blocks_.find(address);
    // Never below what is to be kept.
    if (block->second.used || block->second.freed || block->second.bytes != bytes ||
        stats_.reserved - bytes < keep) {
      ++it;
      continue;
    }
    free_.erase({bytes, address});
    blocks_.erase(block);
    memory_.unreserve(address, bytes);
    memory_.give(bytes);
    stats_.reserved -= bytes;
    ++stats_.released;
    count += static_cast<uint32_t>(bytes / chunk_bytes_);
    it = chunks_.erase(it);
  }
  return count;
}

void Pool::reset_high() {
  stats_.reserved_high = stats_.reserved;
  stats_.used_high = stats_.used;
}

}  // namespace heddle::host
