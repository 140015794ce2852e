#include "frontends/sass/mma_shape.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "frontends/sass/opcode_table.h"

namespace heddle::sass {
namespace {

struct Digits {
  std::string_view text;
  uint16_t m, n, k;
};

// Shapes written as digits run together.
constexpr std::array kDigits = {
    Digits{"884", 8, 8, 4},       Digits{"1684", 16, 8, 4},     Digits{"1688", 16, 8, 8},
    Digits{"16816", 16, 8, 16},   Digits{"16832", 16, 8, 32},   Digits{"16864", 16, 8, 64},
    Digits{"168128", 16, 8, 128}, Digits{"168256", 16, 8, 256}, Digits{"8816", 8, 8, 16},
    Digits{"8832", 8, 8, 32},     Digits{"8864", 8, 8, 64},     Digits{"88128", 8, 8, 128},
};

// "64x128x16" and "8x8x4".
bool parse_crossed(std::string_view t, MmaShape& s) {
  uint16_t v[3];
  const char* p = t.data();
  const char* end = p + t.size();
  for (int i = 0; i < 3; ++i) {
    const auto [next, ec] = std::from_chars(p, end, v[i]);
    if (ec != std::errc() || v[i] == 0 || v[i] > 512) {
      return false;
    }
    p = next;
    if (i < 2) {
      if (p == end || *p != 'x') {
        return false;
      }
      ++p;
    }
  }
  if (p != end) {
    return false;
  }
  s.m = v[0];
  s.n = v[1];
  s.k = v[2];
  return true;
}

uint8_t element_bits(std::string_view t) {
  if (t == "TF32" || t == "F32" || t == "S32" || t == "U32") {
    return 32;
  }
  if (t == "F16" || t == "BF16" || t == "BF16_V2") {
    return 16;
  }
  if (t == "S8" || t == "U8" || t == "E4M3" || t == "E5M2") {
    return 8;
  }
  if (t == "S4" || t == "U4") {
    return 4;
  }
  return t == "F64" ? 64 : 0;
}

uint8_t registers(uint32_t elements, uint32_t bits, uint32_t threads) {
  return static_cast<uint8_t>(std::clamp<uint32_t>(elements * bits / (32 * threads), 1, 255));
}

}  // namespace

uint8_t MmaShape::a_regs() const {
  if (quad_pairs) {
    return 2;  // four halves a thread
  }
  return m ? registers(uint32_t{m} * k / (sparse ? 2 : 1), bits, warpgroup ? 128 : 32) : 1;
}

uint8_t MmaShape::b_regs() const {
  if (quad_pairs) {
    return 2;
  }
  return m ? registers(uint32_t{n} * k, bits, warpgroup ? 128 : 32) : 1;
}

uint8_t MmaShape::c_regs() const {
  if (quad_pairs) {
    return 2;  // each step delivers one register pair
  }
  return m ? registers(uint32_t{m} * n, acc_bits, warpgroup ? 128 : 32) : 1;
}

MmaShape mma_shape(std::string_view opcode) {
  MmaShape s;
  const std::string_view base = base_of(opcode);
  uint8_t types[4] = {};
  int n_types = 0;
  bool volta_step = false;
  for_each_modifier(opcode, [&](std::string_view t) {
    if (s.m == 0) {
      const auto* d =
          std::find_if(kDigits.begin(), kDigits.end(), [&](const Digits& x) { return x.text == t; });
      if (d != kDigits.end()) {
        s.m = d->m;
        s.n = d->n;
        s.k = d->k;
        return;
      }
      if (parse_crossed(t, s)) {
        return;
      }
    }
    if (t == "SP") {
      s.sparse = true;
    } else if (t.starts_with("STEP")) {
      volta_step = true;
    } else if (const uint8_t b = element_bits(t); b && n_types < 4) {
      types[n_types++] = b;
    }
  });
  if (s.m == 0) {
    return MmaShape{};
  }
  s.warpgroup = base.ends_with("GMMA");
  if (base == "DMMA") {
    s.bits = s.acc_bits = 64;
  } else if (base == "BMMA" || base == "BGMMA") {
    s.bits = 1;
    s.acc_bits = 32;
  } else if (base == "IMMA" || base == "IGMMA") {
    s.bits = n_types ? types[0] : 8;
    s.acc_bits = 32;
  } else if (base == "QMMA" || base == "QGMMA") {
    s.acc_bits = n_types ? types[0] : 32;
    s.bits = n_types > 1 ? types[1] : 8;
  } else {  // HMMA, HGMMA: accumulator type first (none printed: F16), then the input type (none printed:
            // F16)
    s.acc_bits = n_types ? types[0] : 16;
    s.bits = 16;
    for_each_modifier(opcode, [&](std::string_view t) { s.bits = t == "TF32" ? 32 : s.bits; });
    if (base == "HMMA" && s.m == 8) {
      // A warp's HMMA.884 is four 8x8x4 products, spread over four steps (F32 accumulators) or two (F16).
      s.quad_pairs = true;
      s.m = volta_step ? (s.acc_bits == 32 ? 8 : 16) : 32;
    }
  }
  return s;
}

}  // namespace heddle::sass
