#include "sim/memory/late_writes.h"

#include <algorithm>
#include <cstring>

#include "sim/memory/perform.h"

namespace heddle::memory {

void LateWrites::add(const Request& r, const Payload& p, Ticks at) {
  uint32_t& first = heads_[head(r.line)];
  // An SM's stores to a line keep their order.
  for (uint32_t i = first; i != 0; i = writes_[i - 1].next) {
    const Write& before = writes_[i - 1];
    if (before.line == r.line && before.sm == r.sm && !before.done) {
      at = std::max(at, before.at);
      break;
    }
  }
  Write& w = writes_.emplace_back(
      Write{.at = at, .next = first, .sm = r.sm, .sectors = r.sectors, .done = false, .line = r.line});
  p.put(w.data, w.bytes);
  first = static_cast<uint32_t>(writes_.size());
}

bool LateWrites::settle(isa::GlobalMemory& memory, const Request& r, Ticks at) {
  found_.clear();
  const bool all = r.kind != RequestKind::kRead;
  for (uint32_t i = heads_[head(r.line)]; i != 0; i = writes_[i - 1].next) {
    const Write& w = writes_[i - 1];
    if (w.line == r.line && !w.done) {
      found_.push_back(i - 1);
      at = w.sm == r.sm ? std::max(at, w.at) : at;
    }
  }
  if (!all) {
    std::erase_if(found_, [&](uint32_t i) { return writes_[i].at > at; });
  }
  return perform_found(memory);
}

bool LateWrites::settle(isa::GlobalMemory& memory, Ticks at) {
  found_.clear();
  for (uint32_t i = 0; i < writes_.size(); ++i) {
    if (!writes_[i].done && writes_[i].at <= at) {
      found_.push_back(i);
    }
  }
  const bool changed = perform_found(memory);
  heads_.fill(0);
  std::erase_if(writes_, [](const Write& w) { return w.done; });
  for (uint32_t i = 0; i < writes_.size(); ++i) {
    uint32_t& first = heads_[head(writes_[i].line)];
    writes_[i].next = first;
    first = i + 1;
  }
  return changed;
}

// Of two that come at once, the one that left first.
bool LateWrites::perform_found(isa::GlobalMemory& memory) {
  std::sort(found_.begin(), found_.end(), [&](uint32_t a, uint32_t b) {
    return writes_[a].at != writes_[b].at ? writes_[a].at < writes_[b].at : a < b;
  });
  bool changed = false;
  for (const uint32_t i : found_) {
    Write& w = writes_[i];
    w.done = true;
    const uint64_t base = w.line * kLineBytes;
    changed |= write(w.sectors, w.data, w.bytes,
                     [&](uint32_t offset, uint32_t bytes) { return memory.find(base + offset, bytes); });
  }
  return changed;
}

}  // namespace heddle::memory
