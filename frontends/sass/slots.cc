#include "frontends/sass/slots.h"

namespace heddle::sass {

// Source slots from the encoding. Ra (bits 24..31) is slot a. What the other two fields hold depends on
// bits 9..11: where the third operand is the immediate, constant or uniform one (forms 2, 3, 7), field Rc
// (bits 64..71) holds the second operand. Memory instructions (0x180 and up in the low nine bits) keep Rb and
// Rc in place in every form.
void assign_slots(uint64_t lo, uint64_t hi, std::string_view base, isa::Instr& in) {
  const int form = static_cast<int>(lo >> 9 & 7);
  const bool memory = (lo & 0x1ff) >= 0x180;
  struct Field {
    uint8_t value, slot;
    bool present, used;
  };
  const bool swapped = !memory && (form == 2 || form == 3 || form == 7);
  const bool fadd = base == "FADD";
  Field fields[3] = {
      {static_cast<uint8_t>(lo >> 24), 0, true, false},
      {static_cast<uint8_t>(lo >> 32), static_cast<uint8_t>(fadd ? 2 : 1), memory || form == 1, false},
      {static_cast<uint8_t>(hi), static_cast<uint8_t>(swapped ? 1 : 2), true, false},
  };
  for (int i = 0; i < in.n_src; ++i) {
    isa::Operand& o = in.src[i];
    if (o.file != isa::RegFile::kGpr) {
      continue;
    }
    for (Field& f : fields) {
      if (f.present && !f.used && f.value == o.index) {
        f.used = true;
        o.slot = f.slot;
        break;
      }
    }
  }
}

}  // namespace heddle::sass
