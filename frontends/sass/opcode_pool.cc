#include "frontends/sass/opcode_pool.h"

#include "frontends/input/limits.h"
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
  index_.emplace(opcodes_.back(), i);
  return i;
}

}  // namespace heddle::sass
