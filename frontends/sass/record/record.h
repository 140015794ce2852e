// One machine instruction as data: what its text, its timing and its execution are views of.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "frontends/sass/record/opcode.h"
#include "frontends/sass/record/word.h"

namespace heddle::sass {

inline constexpr uint32_t kZeroRegister = 255, kZeroUniform = 255, kTruePredicate = 7;
inline constexpr uint32_t kNoIndex = UINT32_MAX;

// What stands behind a source.
enum class Part : uint8_t {
  kNone,
  kH0H0,  // .H0_H0
  kH1H1,
  kH1,
  kF32,
  kHighLow,  // .F32x2.HI_LO: of two registers
  kLowHigh,
  kB1,
  kB2,
  kB3,
  k24,
  k28,
  kSign,
  kRow,
  kColumn,
};

// What S2R and the like read, by its number.
#define HEDDLE_SASS_SPECIALS(x)                                                                            \
  x(0x00, Laneid, "SR_LANEID") x(0x02, Virtcfg, "SR_VIRTCFG") x(0x03, Virtid, "SR_VIRTID")                 \
      x(0x20, Tid, "SR_TID") x(0x21, TidX, "SR_TID.X") x(0x22, TidY, "SR_TID.Y") x(0x23, TidZ, "SR_TID.Z") \
          x(0x25, CtaidX, "SR_CTAID.X") x(0x26, CtaidY, "SR_CTAID.Y") x(0x27, CtaidZ, "SR_CTAID.Z")        \
              x(0x28, Ntid, "SR_NTID") x(0x2f, Swinhi, "SR_SWINHI") x(0x30, Swinlo, "SR_SWINLO")           \
                  x(0x38, Eqmask, "SR_EQMASK") x(0x39, Ltmask, "SR_LTMASK") x(0x3a, Lemask, "SR_LEMASK")   \
                      x(0x3b, Gtmask, "SR_GTMASK") x(0x3c, Gemask, "SR_GEMASK")                            \
                          x(0x43, Virtualsmid, "SR_VIRTUALSMID") x(0x50, Clocklo, "SR_CLOCKLO")            \
                              x(0x51, Clockhi, "SR_CLOCKHI") x(0x52, Globaltimerlo, "SR_GLOBALTIMERLO")    \
                                  x(0x53, Globaltimerhi, "SR_GLOBALTIMERHI")                               \
                                      x(0x88, CgaCtaId, "SR_CgaCtaId") x(0x8a, CgaSize, "SR_CgaSize")      \
                                          x(0xff, Zero, "SRZ")
#define HEDDLE_SASS_ENUMERATOR(number, name, text) k##name = (number),
enum class SpecialRegister : uint8_t { HEDDLE_SASS_SPECIALS(HEDDLE_SASS_ENUMERATOR) };
#undef HEDDLE_SASS_ENUMERATOR

struct Operand {
  enum class Kind : uint8_t {
    kNone,
    kRegister,          // index; kZeroRegister
    kUniform,           // index; kZeroUniform
    kPredicate,         // index; kTruePredicate
    kUniformPredicate,  //
    kPredicates,        // PR
    kUniformPredicates,
    kNumber,         // bits
    kConstant,       // c[bank][offset], c[bank][base+offset], c[bank][ubase+offset]
    kAddress,        // [base+ubase+offset], desc[descriptor][base+offset]
    kMatrix,         // gdesc[ubase]: a descriptor of matrices in shared memory
    kTensorMemory,   // tmem[ubase]
    kTensorShape,    // idesc[ubase]: what a product of tensor memory is of
    kPolicy,         // desc[ubase]: of the L2
    kBarrier,        // B0: index
    kSpecial,        // index: SpecialRegister, or another number
    kScoreboard,     // SB0: index
    kScoreboards,    // {5,4}: bits
    kGroupCounter,   // gsb0
    kReturn,         // Rpc.LO, Rpc.HI: index 0, 1
    kThreadState,    // THREAD_STATE_ENUM.0
    kTexture,        // ARRAY_2D: index, a Mod
    kTextureHeader,  // TEX_HEADER_DIMENSION
  };
  // How a number is written. Of two numbers in one operand the first is the upper half of `bits`; `index` 1:
  // the second one.
  enum class Written : uint8_t { kUnsigned, kSigned, kFloat, kDouble, kHalf, kBfloat };
  enum : uint8_t { kNegativeA = 1, kNegativeB = 2, kTransposedA = 4, kTransposedB = 8 };  // of kMatrix

  Kind kind = Kind::kNone;
  Part part = Part::kNone;
  Written written = Written::kUnsigned;
  bool negate = false;       // -, of predicates !
  bool absolute = false;     // |R1|
  bool invert = false;       // ~
  bool reuse = false;        // kept in the cache of operands
  bool base_wide = false;    // .64
  bool base_narrow = false;  // .U32, beside a uniform register of 64 bits
  bool base_shown = false;   // even where it is RZ
  bool after_blank = false;  // not a comma: "R20 0x0" of RET and BRX
  uint8_t base_shift = 0;    // .X4 and so on
  uint8_t matrices = 0;
  uint32_t index = 0;
  uint32_t bank = 0;
  uint32_t base = kNoIndex, ubase = kNoIndex;
  uint32_t descriptor = kNoIndex;
  uint64_t bits = 0;  // of a float those 32 that the instruction has
  int64_t offset = 0;

  bool is(Kind k) const { return kind == k; }
  bool is_predicate() const { return kind == Kind::kPredicate || kind == Kind::kUniformPredicate; }
  bool is_zero() const {
    return (kind == Kind::kRegister && index == kZeroRegister) ||
           (kind == Kind::kUniform && index == kZeroUniform) || (kind == Kind::kNumber && bits == 0);
  }
  // A register that is not always 0.
  bool has_base() const { return base != kNoIndex && base != kZeroRegister; }
  bool has_ubase() const { return ubase != kNoIndex && ubase != kZeroUniform; }
};

// Some modifiers.
class ModSet {
 public:
  constexpr ModSet() = default;
  constexpr ModSet(std::initializer_list<Mod> mods) {
    for (const Mod m : mods) {
      words_[static_cast<size_t>(m) / 64] |= uint64_t{1} << static_cast<size_t>(m) % 64;
    }
  }
  constexpr bool contains(Mod m) const {
    return (words_[static_cast<size_t>(m) / 64] >> static_cast<size_t>(m) % 64 & 1) != 0;
  }

 private:
  std::array<uint64_t, (kMods + 63) / 64> words_{};
};

struct Decoded : Opcode {
  static constexpr size_t kMostOperands = 9;

  bool guarded = false, guard_negated = false, guard_uniform = false;
  uint8_t guard = kTruePredicate;
  uint8_t count = 0;  // of operands
  std::array<Operand, kMostOperands> operands;
  Word word;  // 0: it has no encoding

  Decoded() = default;
  explicit Decoded(const Opcode& opcode) : Opcode(opcode) {}
  // False: there are too many.
  bool add(const Operand& o) {
    if (count == kMostOperands) {
      return false;
    }
    operands[count++] = o;
    return true;
  }
  using Opcode::add;

  // An operand that it does not have is of no kind.
  const Operand& op(size_t i) const {
    static const Operand kNone;
    return i < count ? operands[i] : kNone;
  }
  void drop(size_t first, size_t n) {
    std::copy(operands.begin() + static_cast<std::ptrdiff_t>(first + n), operands.begin() + count,
              operands.begin() + static_cast<std::ptrdiff_t>(first));
    count = static_cast<uint8_t>(count - n);
  }
};

}  // namespace heddle::sass
