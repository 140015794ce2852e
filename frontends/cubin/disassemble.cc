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

Word leftover_bits(const Word& word) {
  Line line(word, 0);
  if (const auto write = writers()[word.opcode()]; write != nullptr) {
    write(line);
    line.str();
  }
  return line.leftover();
}

std::string disassembled(const Word& word, uint64_t pc) {
  Line line(word, pc);
  const auto write = writers()[word.opcode()];
  if (write == nullptr) {
    return "";
  }
  write(line);
  std::string text = line.str();
  return line.known() && line.all_said() ? text : "";
}

}  // namespace heddle::cubin
