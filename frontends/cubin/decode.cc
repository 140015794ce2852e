#include "frontends/cubin/decode.h"

#include <algorithm>
#include <array>

#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

using Writers = std::array<void (*)(Fields&), 512>;

bool has(std::initializer_list<uint32_t> opcodes, uint32_t opcode) {
  return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
}

// Opcodes that came with 9.0; before, some were others. S2UR and REDUX are older; so is ARRIVES, whose
// objects other instructions of 8.x count at.
bool came_with_90(uint32_t opcode) {
  return (opcode >= 0x1b0 && opcode != 0x1c3 && opcode != 0x1c4) ||
         has({0x00f, 0x036, 0x044, 0x046, 0x048, 0x083, 0x152, 0x153}, opcode);
}
// Those that went with it: ULDC, IMNMX, HFMA2.MMA, of warp groups. And what no code of 12.x has shown:
// VIMNMX3, VABSDIFF, VABSDIFF4, VIADDMNMX.
bool ended_with_90(uint32_t opcode) {
  return opcode >= 0x1f0 || has({0x0b9, 0x0bb, 0x017, 0x035, 0x1c5}, opcode);
}
// CS2UR, BRXU: only code of 12.x has shown them.
bool came_with_120(uint32_t opcode) { return has({0x0cb, 0x158}, opcode); }
bool not_in_120(uint32_t opcode) { return has({0x00f, 0x014, 0x015, 0x046}, opcode); }

// Of one capability; of what the opcodes of 7.0 to 9.0 are otherwise, the functions themselves know.
Writers writers_of(uint32_t capability) {
  Writers out{};
  for (const auto opcodes : {integer_opcodes(), float_opcodes(), conversion_opcodes(), memory_opcodes(),
                             control_opcodes(), async_opcodes(), matrix_opcodes(), texture_opcodes()}) {
    for (const OpcodeRow& o : opcodes) {
      const bool is = capability < 90    ? !came_with_90(o.opcode) && !came_with_120(o.opcode)
                      : capability < 100 ? !came_with_120(o.opcode)
                      : capability < 120 ? !ended_with_90(o.opcode) && !came_with_120(o.opcode)
                                         : !ended_with_90(o.opcode) && !not_in_120(o.opcode);
      out[o.opcode] = is ? o.write : nullptr;
    }
  }
  for (const NewOpcodeRow& o : blackwell_opcodes()) {
    if (capability >= o.first && capability <= o.last) {
      out[o.opcode.opcode] = o.opcode.write;
    }
  }
  return out;
}

const Writers& writers(uint32_t capability) {
  static const Writers before_90 = writers_of(80), of_90 = writers_of(90), of_100 = writers_of(100),
                       of_120 = writers_of(120);
  return capability < 90 ? before_90 : capability < 100 ? of_90 : capability < 120 ? of_100 : of_120;
}

}  // namespace

bool is_known(uint32_t capability) {
  return (capability >= 70 && capability <= 90) || (capability >= 100 && capability <= 121);
}

Word leftover_bits(const Word& word) {
  Decoded d;
  Fields fields(word, 0, 90, d);
  if (const auto write = writers(90)[word.opcode()]; write != nullptr) {
    write(fields);
    fields.finish();
  }
  return fields.leftover();
}

std::optional<Decoded> decode(const Word& word, uint64_t pc, uint32_t capability) {
  std::optional<Decoded> out;
  if (const auto write = writers(capability)[word.opcode()]; write != nullptr) {
    Fields fields(word, pc, capability, out.emplace());
    write(fields);
    if (!fields.finish()) {
      out.reset();
    }
  }
  return out;
}

}  // namespace heddle::cubin
