#include "frontends/cubin/fields.h"

namespace heddle::cubin {
namespace {

// Fields that say nothing.
constexpr uint64_t kNoRegister = 255, kNoUniform = 63, kTrue = 7, kNotTrue = 15, kTrueAbove = kTrue << 4;

}  // namespace

Fields& Fields::suffix(const Suffix& s) {
  if (!s.known || !out_.add(s)) {
    unknown();
  }
  return *this;
}

Fields& Fields::pick(uint32_t first, uint32_t count, std::span<const Suffix> names) {
  const uint64_t value = bits(first, count);
  if (value >= names.size()) {
    unknown();
    return *this;
  }
  return suffix(names[value]);
}

Fields& Fields::add(const Operand& o) {
  if (!out_.add(o)) {
    unknown();
  }
  return *this;
}

Operand Fields::of(Kind kind, uint32_t index) {
  Operand o;
  o.kind = kind;
  o.index = index;
  return o;
}

Fields& Fields::named(Kind kind, uint32_t index) { return add(of(kind, index)); }

Operand Fields::number_of(uint64_t value, Operand::Written written) {
  Operand o = of(Kind::kNumber, 0);
  o.bits = value;
  o.written = written;
  return o;
}

Fields& Fields::beside(int64_t value) {
  Operand o = number_of(static_cast<uint64_t>(value), Operand::Written::kSigned);
  o.after_blank = true;
  return add(o);
}

Operand Fields::reg_at(uint32_t first) const {
  return of(Kind::kRegister, static_cast<uint32_t>(bits(first, 8)));
}

Operand Fields::ureg_at(uint32_t first) const {
  constexpr uint64_t kMost = 80;  // of which ptxas uses the last one, too
  names_uniform_ = true;
  const uint64_t index = bits(first, ureg_bits());
  if (no_ureg(first)) {
    return of(Kind::kUniform, kZeroUniform);
  }
  if (index >= kMost) {
    unknown();
  }
  return of(Kind::kUniform, static_cast<uint32_t>(index));
}

Operand Fields::pred_at(uint32_t first, bool negated) const {
  Operand o =
      of(uniform_ ? Kind::kUniformPredicate : Kind::kPredicate, static_cast<uint32_t>(bits(first, 3)));
  o.negate = negated;
  return o;
}

Fields& Fields::upred(uint32_t first, bool negated) {
  Operand o = pred_at(first, negated);
  o.kind = Kind::kUniformPredicate;
  return add(o);
}

Fields& Fields::source(Operand o, uint32_t negated, uint32_t absolute, uint32_t reuse, Part behind) {
  o.absolute = absolute != 0 && bit(absolute);
  const bool minus = negated != 0 && bit(negated);
  o.negate = minus && !complemented_;
  o.invert = minus && complemented_;
  o.reuse = reuse != 0 && !uniform_ && bit(reuse);
  o.part = behind;
  return add(o);
}

bool Fields::swapped() const {
  const uint32_t f = w_.form();
  return f == 2 || f == 3 || f == 7;
}

Fields& Fields::immediate(Number n) {
  using Written = Operand::Written;
  const uint64_t value = bits(32, 32);
  switch (n) {
    case Number::kUnsigned:
      return number(value);
    case Number::kSigned:
      return signed_number(static_cast<int32_t>(value));
    case Number::kFloat:
      return add(number_of(value, Written::kFloat));
    case Number::kDouble:
      return add(number_of(value, Written::kDouble));
    case Number::kHalves:
    case Number::kBfloats: {
      Operand o = number_of(value, n == Number::kHalves ? Written::kHalf : Written::kBfloat);
      add(o);
      o.index = 1;
      return add(o);
    }
  }
  return *this;
}

Operand Fields::constant(uint32_t base, uint32_t ubase) const {
  const uint64_t offset = bits(38, 16);
  if (offset > INT16_MAX) {
    unknown();  // negative
  }
  Operand o = of(Kind::kConstant, 0);
  o.bank = static_cast<uint32_t>(bits(54, 5));
  o.offset = static_cast<int64_t>(offset);
  o.base = base;
  o.ubase = ubase;
  return o;
}

Fields& Fields::place32(Number n, uint32_t negated, uint32_t absolute, uint32_t reuse, Part behind) {
  switch (w_.form()) {
    case 1:
      return source(uniform_ ? ureg_at(32) : reg_at(32), negated, absolute, reuse, behind);
    case 2:
    case 4:
      return immediate(n);
    case 3:
    case 5:
      return source(constant(kNoIndex, bit(91) ? ureg_index(24) : kNoIndex), negated, absolute, 0, behind);
    default:
      return source(ureg_at(32), negated, absolute, 0, behind);
  }
}

Fields& Fields::place64(uint32_t negated, uint32_t absolute, uint32_t reuse, Part behind) {
  return source(uniform_ ? ureg_at(64) : reg_at(64), negated, absolute, reuse, behind);
}

Fields& Fields::a(uint32_t negated, uint32_t absolute, Part behind) {
  return source(uniform_ ? ureg_at(24) : reg_at(24), negated, absolute, kReuseFirst, behind);
}

// A sign goes with the place: 63 and 62 with that from bit 32 on, wide_signs() with that from bit 64 on.
Fields& Fields::b(Number n, uint32_t negated, uint32_t absolute, Part behind) {
  return swapped() ? place64(negated != 0 ? wide_negated_ : 0, absolute != 0 ? wide_absolute_ : 0,
                             kReuseSecond, behind)
                   : place32(n, negated, absolute, kReuseSecond, behind);
}

Fields& Fields::c(Number n, uint32_t negated, uint32_t absolute, Part behind) {
  return swapped() ? place32(n, negated != 0 ? 63 : 0, absolute != 0 ? 62 : 0, kReuseThird, behind)
                   : place64(negated, absolute, kReuseThird, behind);
}

Fields& Fields::second(Number n, uint32_t negated, uint32_t absolute, Part behind, uint32_t reuse) {
  return place32(n, negated, absolute, reuse, behind);
}

Operand Fields::address(uint32_t reg, int64_t offset, uint32_t ureg) const {
  Operand o = of(Kind::kAddress, 0);
  o.base = reg_at(reg).index;
  o.ubase = ureg;
  o.offset = offset;
  return o;
}

Operand Fields::mixed_address(uint32_t reg, int64_t offset, uint32_t ureg) const {
  Operand o = address(reg, offset, ureg);
  o.base_shown = true;
  o.base_wide = bit(90);
  o.base_narrow = !o.base_wide;
  return o;
}

bool Fields::all_said() const {
  const Word rest = leftover();
  uint64_t low = rest.low, high = rest.high;
  const auto drop = [](uint64_t& word, uint32_t first, uint32_t count,
                       std::initializer_list<uint64_t> values) {
    const uint64_t mask = ((uint64_t{1} << count) - 1) << first % 64;
    for (const uint64_t v : values) {
      if ((word & mask) >> first % 64 == v) {
        word &= ~mask;
        return;
      }
    }
  };
  drop(low, 24, 8, {kNoRegister});
  drop(high, 64, 8, {kNoRegister, kNoUniform, kTrueAbove});
  drop(high, 77, 4, {kTrue, kNotTrue});
  drop(high, 81, 3, {kTrue});
  drop(high, 84, 3, {kTrue});
  drop(high, 87, 4, {kTrue, kNotTrue});
  if (uniform_ || uniform_guard_ || names_uniform_) {
    drop(high, 91, 1, {1});
  }
  return low == 0 && high == 0;
}

bool Fields::finish() {
  out_.word = w_;
  out_.guarded = bits(12, 4) != kTrue;
  if (out_.guarded) {
    out_.guard = static_cast<uint8_t>(bits(12, 3));
    out_.guard_negated = bit(15);
    out_.guard_uniform = uniform_guard_;
  }
  return known_ && out_.name != Mnemonic::kNone && all_said();
}

}  // namespace heddle::cubin
