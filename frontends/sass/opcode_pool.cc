#include "frontends/sass/opcode_pool.h"

#include "frontends/cubin/text.h"
#include "frontends/input/limits.h"
#include "frontends/sass/modifiers.h"
#include "sim/base/error.h"

namespace heddle::sass {

uint16_t OpcodePool::intern(std::string_view opcode) {
  if (const auto it = index_.find(opcode); it != index_.end()) {
    return it->second;
  }
  if (const input::Limit& most = input::limits().opcode_bytes; opcode.size() > most.value) {
    throw Error("an opcode of " + std::to_string(opcode.size()) + " bytes (legal: " + most.legal() + ")");
  }
  if (opcodes_.size() > 0xffff) {
    throw Error("more than 65536 different opcodes in one kernel");
  }
  const auto i = static_cast<uint16_t>(opcodes_.size());
  opcodes_.emplace_back(opcode);
  PooledOpcode& o = pooled_.emplace_back();
  o.info = classify(opcode);
  o.widths = Widths(opcode, o.info);
  o.odd = !o.info.known || has_odd_modifier(opcode, o.info, o.widths.shape());
  index_.emplace(opcodes_.back(), i);
  return i;
}

size_t OpcodePool::Hash::operator()(const Key& k) const {
  constexpr uint64_t kPrime = 0x9e3779b97f4a7c15;  // the golden ratio's
  uint64_t h = static_cast<uint64_t>(k.name) | uint64_t{k.shape.m} << 8 | uint64_t{k.shape.n} << 24 |
               uint64_t{k.shape.k} << 40;
  for (const cubin::Mod m : k.mods) {
    h = (h ^ static_cast<uint64_t>(m)) * kPrime;
    h ^= h >> 32;
  }
  return h;
}

uint16_t OpcodePool::intern(const cubin::Decoded& d) {
  const auto [it, added] = by_record_.try_emplace({d.name, d.shape, d.mods}, 0);
  if (added) {
    it->second = intern(cubin::opcode_text(d));
  }
  return it->second;
}

}  // namespace heddle::sass
