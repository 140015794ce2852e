#include "frontends/cubin/disassemble.h"

#include <algorithm>
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

// Opcodes that came with 9.0; before, some were others. S2UR and REDUX are older.
bool came_with_90(uint32_t opcode) {
  constexpr uint32_t kOpcodes[] = {0x00f, 0x036, 0x044, 0x046, 0x048, 0x083};
  return (opcode >= 0x1b0 && opcode != 0x1c3 && opcode != 0x1c4) ||
         std::find(std::begin(kOpcodes), std::end(kOpcodes), opcode) != std::end(kOpcodes);
}

}  // namespace

Word leftover_bits(const Word& word) {
  Line line(word, 0, 90);
  if (const auto write = writers()[word.opcode()]; write != nullptr) {
    write(line);
    line.str();
  }
  return line.leftover();
}

std::string disassembled(const Word& word, uint64_t pc, uint32_t capability) {
  Line line(word, pc, capability);
  const auto write = writers()[word.opcode()];
  if (write == nullptr || (capability < 90 && came_with_90(word.opcode()))) {
    return "";
  }
  write(line);
  std::string text = line.str();
  return line.known() && line.all_said() ? text : "";
}

}  // namespace heddle::cubin
