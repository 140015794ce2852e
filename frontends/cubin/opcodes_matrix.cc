// Products of matrices, of a warp and of a warp group.
#include <fmt/format.h>

#include "frontends/cubin/opcodes.h"

namespace heddle::cubin {
namespace {

void hmma(Line& l) {
  const bool sparse = l.bit(73);
  l.op("HMMA").suffix(sparse ? ".SP" : "");
  l.suffix(!sparse ? (l.bit(75) ? ".16816" : ".1688") : l.bit(75) ? ".16832" : ".16816");
  l.suffix(l.bit(76) ? ".F32" : ".F16").pick(82, 2, {"", ".BF16", ".TF32"});
  l.reg(16).a().b(Number::kUnsigned).c(Number::kUnsigned);
  if (sparse) {
    l.reg(40).number(l.bits(48, 2));
  }
}
void dmma(Line& l) {
  l.op("DMMA")
      .pick(76, 2, {".8x8x4", ".16x8x4", ".16x8x8", ".16x8x16"})
      .reg(16)
      .a(72)
      .b(Number::kUnsigned)
      .c(Number::kUnsigned);
}

// Of a warp group: the first factor from registers or from shared memory, the second one always from there.
void group(Line& l, std::string_view name, uint32_t depth, std::string_view types) {
  l.op(name)
      .suffix(fmt::format(".64x{}x{}", (l.bits(53, 5) + 1) * 8, depth))
      .suffix(l.bit(75) ? ".F32" : ".F16");
  l.suffix(types).reg(16);
  std::string described = "gdesc[";
  if (l.word().form() == 4) {
    described += l.ureg_name(24) + "]";
  } else {
    l.reg(24);
    described += l.ureg_name(32) + "]";
  }
  l.text(described + (l.bit(61) ? ".tnspA" : "") + (l.bit(62) ? ".tnspB" : "")).reg(64);
  if (l.bits(87, 4) != 0) {  // of UPT all bits are 0
    const uint64_t p = 7 - l.bits(87, 3);
    l.text(fmt::format("{}UP{}", l.bit(90) ? "!" : "", p == 7 ? "T" : std::to_string(p)));
  }
  if (l.bits(84, 3) != 7) {
    l.text(fmt::format("gsb{}", l.bits(84, 3)));
  }
}
void hgmma(Line& l) {
  constexpr std::string_view kTypes[] = {"", ".BF16", ".TF32"};
  group(l, "HGMMA", l.bit(77) ? 8 : 16, kTypes[l.bits(76, 2) % 3]);
}
void imma(Line& l) {
  l.op("IMMA.16832")
      .suffix(l.bit(76) ? ".S8" : ".U8")
      .suffix(l.bit(78) ? ".S8" : ".U8")
      .flag(82, ".SAT")
      .reg(16);
  if (!l.bit(75) || !l.bit(74)) {
    l.unknown();
  }
  l.a(0, 0, ".ROW").b(Number::kUnsigned, 0, 0, ".COL").c(Number::kUnsigned);
}
void movm(Line& l) { l.op("MOVM.16.MT88").reg(16).reg(24); }
void qgmma(Line& l) {
  group(l, "QGMMA", 32, std::string(l.bit(76) ? ".E5M2" : ".E4M3") + (l.bit(77) ? ".E5M2" : ".E4M3"));
}

constexpr Opcode kOpcodes[] = {{0x03c, hmma}, {0x03f, dmma},  {0x037, imma},
                               {0x03a, movm}, {0x1f0, hgmma}, {0x1f3, qgmma}};

}  // namespace

std::span<const Opcode> matrix_opcodes() { return kOpcodes; }

}  // namespace heddle::cubin
