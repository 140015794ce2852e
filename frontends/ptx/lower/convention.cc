#include "frontends/ptx/lower/convention.h"

#include <algorithm>

#include "frontends/ptx/lower/schedule.h"
#include "sim/base/align.h"

namespace heddle::ptx::lower {
namespace {

constexpr uint64_t kWord = 4;          // bytes
constexpr uint32_t kFirstKept = 36;    // uniform register
constexpr uint32_t kMostTogether = 4;  // words: a wider alignment is no register's

}  // namespace

Places lay_out(std::span<const Shape> shapes, bool standard) {
  const uint32_t most = standard ? kAbiWords : kArgumentWords;
  Places out;
  for (const Shape& s : shapes) {
    Place p;
    p.words = static_cast<uint32_t>(std::max<uint64_t>(1, (s.bytes + kWord - 1) / kWord));
    const auto align = static_cast<uint32_t>(std::clamp<uint64_t>(s.align / kWord, 1, kMostTogether));
    p.word = round_up(out.words, align);
    if (p.word + p.words <= most) {
      out.words = p.word + p.words;
    } else {
      p.in_memory = true;
      p.byte = round_up(out.bytes, align * static_cast<uint32_t>(kWord));
      out.bytes = p.byte + p.words * static_cast<uint32_t>(kWord);
    }
    out.each.push_back(p);
  }
  return out;
}

uint32_t return_word(const Places& parameters, const Places& returns) {
  return std::max(parameters.words, returns.words);
}

bool kept_by_abi(uint32_t r) { return r == 2 || (r >= 16 && r != 20 && r != 21); }

Clobbered clobbered_by_abi() {
  Clobbered out;
  for (uint32_t r = 0; r < out.vectors.size(); ++r) {
    out.vectors[r] = !kept_by_abi(r) && r != 1;
  }
  for (uint32_t r = 0; r < kFirstKept; ++r) {
    out.uniforms.set(r);
  }
  out.predicates.set();
  return out;
}

Clobbered clobbered(const Lowered& f) {
  Clobbered out;
  for (const Clobbered& c : f.clobbered) {
    out.vectors |= c.vectors;
    out.uniforms |= c.uniforms;
    out.predicates |= c.predicates;
  }
  for (const Block& b : f.blocks) {
    for (const Machine& m : b.code) {
      for (const Value& v : writes(m)) {
        const Register& r = f.registers[v.reg];
        for (uint32_t k = 0; k < v.count; ++k) {
          const auto n = static_cast<size_t>(r.number) + v.part + k;
          switch (r.file) {
            case File::kVector:
              out.vectors.set(n);
              break;
            case File::kUniform:
              out.uniforms.set(n);
              break;
            case File::kPredicate:
              out.predicates.set(n);
              break;
          }
        }
      }
    }
  }
  out.vectors.reset(1);
  return out;
}

}  // namespace heddle::ptx::lower
