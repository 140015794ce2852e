#include "frontends/cubin/disassemble.h"

#include <array>

#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

using Writers = std::array<void (*)(Line&), 512>;

const Writers& writers() {
  static const Writers all = [] {
    Writers out{};
    for (const auto opcodes : {integer_opcodes(), float_opcodes(), conversion_opcodes(), memory_opcodes(),
                               control_opcodes(), async_opcodes(), matrix_opcodes()}) {
      for (const Opcode& o : opcodes) {
        out[o.opcode] = o.write;
      }
    }
    return out;
  }();
  return all;
}

}  // namespace

std::string disassembled(const Word& word, uint64_t pc) {
  Line line(word, pc);
  const auto write = writers()[word.opcode()];
  if (write == nullptr) {
    return "";
  }
  write(line);
  return line.known() ? line.str() : "";
}

}  // namespace heddle::cubin
