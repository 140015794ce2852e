#include "frontends/ptx/name_table.h"

#include <algorithm>
#include <cstddef>

namespace heddle::ptx {

// Eight characters at a time: names are short, and there are two for each operand.
uint64_t NameTable::hash_of(std::string_view name, bool numbered) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t h = name.size() * 2 + (numbered ? 1 : 0);
  while (!name.empty()) {
    const size_t n = std::min(name.size(), sizeof(uint64_t));
    uint64_t word = 0;
    for (size_t i = 0; i < n; ++i) {
      word |= static_cast<uint64_t>(static_cast<uint8_t>(name[i])) << (8 * i);
    }
    h = (h ^ word) * kOdd;
    h ^= h >> 32;
    name.remove_prefix(n);
  }
  return h;
}

uint32_t NameTable::slot_of(std::string_view name, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  while (slots_[slot].entry != 0) {
    if (slots_[slot].tag == tag_of(hash)) {
      const Entry& e = entries_[slots_[slot].entry - 1];
      if (e.hash == hash && e.named.name == name) {
        break;
      }
    }
    slot = (slot + 1) & mask;
  }
  return static_cast<uint32_t>(slot);
}

const Named* NameTable::find(std::string_view name, bool numbered) const {
  const uint32_t index = slots_[slot_of(name, hash_of(name, numbered))].entry;
  return index == 0 ? nullptr : &entries_[index - 1].named;
}

const Named* NameTable::add(const Named& named, bool numbered) {
  if ((entries_.size() + 1) * 2 > slots_.size()) {
    grow();
  }
  const uint64_t hash = hash_of(named.name, numbered);
  const uint32_t slot = slot_of(named.name, hash);
  const uint32_t before = slots_[slot].entry;
  const uint32_t scope = scopes_.empty() ? 0 : scopes_.back();
  if (before > scope) {
    return &entries_[before - 1].named;
  }
  entries_.push_back({named, hash, before, slot});
  slots_[slot] = {static_cast<uint32_t>(entries_.size()), tag_of(hash)};
  return nullptr;
}

// Entries go in the opposite order of their coming, so a slot that becomes free cuts no other's way.
void NameTable::close() {
  while (entries_.size() > scopes_.back()) {
    slots_[entries_.back().slot].entry = entries_.back().shadowed;
    entries_.pop_back();
  }
  scopes_.pop_back();
}

void NameTable::grow() {
  slots_.assign(slots_.size() * 2, {});
  for (size_t i = 0; i < entries_.size(); ++i) {
    Entry& e = entries_[i];
    e.slot = slot_of(e.named.name, e.hash);
    slots_[e.slot] = {static_cast<uint32_t>(i + 1), tag_of(e.hash)};
  }
}

}  // namespace heddle::ptx
