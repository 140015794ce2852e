#include "frontends/cubin/disassemble.h"

#include "frontends/cubin/record.h"

namespace heddle::cubin {

std::string disassembled(const Word& word, uint64_t pc, uint32_t capability) {
  const std::optional<Decoded> d = decode(word, pc, capability);
  return d ? text(*d) : "";
}

}  // namespace heddle::cubin
