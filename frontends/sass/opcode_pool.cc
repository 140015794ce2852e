#include "frontends/sass/opcode_pool.h"

#include "frontends/input/limits.h"
#include "frontends/sass/modifiers.h"
#include "frontends/sass/record/text.h"
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

size_t OpcodePool::Hash::operator()(const Opcode& o) const {
  constexpr uint64_t kPrime = 0x9e3779b97f4a7c15;  // the golden ratio's
  uint64_t h = static_cast<uint64_t>(o.name) | uint64_t{o.shape.m} << 8 | uint64_t{o.shape.n} << 24 |
               uint64_t{o.shape.k} << 40;
  for (const Mod m : o.mods) {
    h = (h ^ static_cast<uint64_t>(m)) * kPrime;
    h ^= h >> 32;
  }
  return h;
}

uint16_t OpcodePool::intern(const Opcode& opcode) {
  const auto [it, added] = by_record_.try_emplace(opcode, 0);
  if (added) {
    it->second = intern(text(opcode));
  }
  return it->second;
}

}  // namespace heddle::sass
