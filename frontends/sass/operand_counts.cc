#include "frontends/sass/operand_counts.h"

#include <algorithm>
#include <bit>

#include "frontends/sass/opcode_table.h"

namespace heddle::sass {
namespace {

// Coordinates of "1D", "ARRAY_2D", "CUBE"; 0 for any other name.
uint8_t dimensions(std::string_view name) {
  const bool array = name.starts_with("ARRAY_");
  name.remove_prefix(array ? 6 : 0);
  const int n = name == "1D" ? 1 : name == "2D" ? 2 : name == "3D" || name == "CUBE" ? 3 : 0;
  return static_cast<uint8_t>(n ? n + array : 0);
}

}  // namespace

TextureCounts texture_counts(const TextInstruction& t) {
  TextureCounts c;
  unsigned mask = 0xf;
  bool after = false;
  for (const TextOperand& o : t.operands) {
    if (o.kind == TextOperand::Kind::kName && dimensions(o.name)) {
      c.coordinates = dimensions(o.name);
      after = true;
    } else if (after && o.integer && (o.value & 0xf)) {
      mask = static_cast<unsigned>(o.value & 0xf);
    }
  }
  const int components = std::popcount(mask);
  c.dest[0] = static_cast<uint8_t>(std::max(1, components - 2));
  c.dest[1] = static_cast<uint8_t>(std::min(2, components));
  c.bytes = static_cast<uint8_t>(4 * components);
  return c;
}

uint8_t bulk_count(std::string_view opcode, int position, bool address) {
  if (!address) {
    return 1;
  }
  const std::string_view base = base_of(opcode);
  if (!base.starts_with("UTMA") || base == "UTMACCTL" || position > 0) {
    return 2;
  }
  uint8_t n = 7;
  for_each_modifier(opcode, [&](std::string_view t) {
    if (t.size() == 2 && t[0] >= '1' && t[0] <= '5' && t[1] == 'D') {
      n = static_cast<uint8_t>(2 + (t[0] - '0'));
    }
  });
  return n;
}

}  // namespace heddle::sass
