#include "frontends/cubin/execute/operand.h"

#include <algorithm>
#include <charconv>

namespace heddle::cubin {
namespace {

using Kind = Operand::Kind;

bool take(std::string_view& s, std::string_view prefix) {
  if (s.substr(0, prefix.size()) != prefix) {
    return false;
  }
  s.remove_prefix(prefix.size());
  return true;
}

// Digits at the front; false when there are none.
bool take_number(std::string_view& s, uint64_t& out) {
  const bool hex = s.substr(0, 2) == "0x";
  const std::string_view digits = s.substr(hex ? 2 : 0);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out, hex ? 16 : 10);
  if (error != std::errc()) {
    return false;
  }
  s = digits.substr(static_cast<size_t>(end - digits.data()));
  return true;
}

bool take_hex(std::string_view& s, int64_t& out) {
  std::string_view rest = s;
  const bool negative = take(rest, "-");
  uint64_t value = 0;
  if (rest.substr(0, 2) != "0x" || !take_number(rest, value)) {
    return false;
  }
  out = static_cast<int64_t>(negative ? 0 - value : value);
  s = rest;
  return true;
}

// "12" or the letter that stands for none.
bool take_index(std::string_view& s, char none, uint32_t none_index, uint32_t& out) {
  if (!s.empty() && s.front() == none) {
    s.remove_prefix(1);
    out = none_index;
    return true;
  }
  uint64_t n = 0;
  if (s.empty() || s.front() < '0' || s.front() > '9' || !take_number(s, n)) {
    return false;
  }
  out = static_cast<uint32_t>(n);
  return true;
}

bool take_register(std::string_view& s, Operand& o) {
  std::string_view rest = s;
  if (take(rest, "UR") && take_index(rest, 'Z', kZeroUniform, o.index)) {
    o.kind = Kind::kUniform;
  } else if (rest = s; take(rest, "UP") && take_index(rest, 'T', kTruePredicate, o.index)) {
    o.kind = Kind::kUniformPredicate;
  } else if (rest = s; take(rest, "R") && take_index(rest, 'Z', kZeroRegister, o.index)) {
    o.kind = Kind::kRegister;
  } else if (rest = s; take(rest, "P") && take_index(rest, 'T', kTruePredicate, o.index)) {
    o.kind = Kind::kPredicate;
  } else {
    return false;
  }
  s = rest;
  return true;
}

// What is between brackets: registers and an offset, with + between them. The first register is the thread's
// unless it is a uniform one.
void inside(std::string_view s, Operand& o) {
  while (!s.empty()) {
    Operand r;
    int64_t offset = 0;
    if (take_register(s, r)) {
      if (r.kind == Kind::kUniform) {
        o.ubase = r.index;
      } else {
        o.base = r.index;
        o.base_narrow = !take(s, ".64") && take(s, ".U32");
        o.base_shift = take(s, ".X4") ? 2 : take(s, ".X8") ? 3 : take(s, ".X16") ? 4 : 0;
      }
    } else if (take_hex(s, offset)) {
      o.offset += offset;
    } else {
      o.kind = Kind::kOther;
      return;
    }
    if (!take(s, "+") && !s.empty()) {
      o.kind = Kind::kOther;
      return;
    }
  }
}

std::string_view bracket(std::string_view& s) {
  const size_t end = s.find(']');
  const std::string_view out = s.substr(1, end == std::string_view::npos ? end : end - 1);
  s.remove_prefix(end == std::string_view::npos ? s.size() : end + 1);
  return out;
}

Operand parse_operand(std::string_view s, const Word& word) {
  Operand o;
  const std::string_view whole = s;
  int64_t number = 0;
  if (std::string_view rest = s; take_hex(rest, number) && rest.empty()) {
    o.kind = Kind::kNumber;
    o.bits = static_cast<uint64_t>(number);
    return o;
  }
  while (!s.empty() && (s.front() == '-' || s.front() == '~' || s.front() == '!' || s.front() == '|')) {
    o.negate = o.negate || s.front() == '-' || s.front() == '!';
    o.invert = o.invert || s.front() == '~';
    o.absolute = o.absolute || s.front() == '|';
    s.remove_prefix(1);
  }
  if (take_register(s, o)) {
    take(s, "|");
    if (const size_t reuse = s.find(".reuse"); reuse != std::string_view::npos) {
      o.suffix = std::string(s.substr(0, reuse)) + std::string(s.substr(reuse + 6));
    } else {
      o.suffix = s;
    }
  } else if (s.substr(0, 2) == "c[") {
    s.remove_prefix(1);
    o.kind = Kind::kConstant;
    std::string_view bank = bracket(s);
    uint64_t n = 0;
    take_number(bank, n);
    o.bank = static_cast<uint32_t>(n);
    inside(bracket(s), o);
    o.base = o.base == kZeroRegister ? kNoIndex : o.base;
    o.ubase = o.ubase == kZeroUniform ? kNoIndex : o.ubase;
    take(s, "|");
    o.suffix = s;
  } else if (s.substr(0, 1) == "[") {
    o.kind = Kind::kAddress;
    inside(bracket(s), o);
    o.suffix = s;
  } else if (take(s, "desc")) {
    bracket(s);
    o.kind = s.empty() ? Kind::kOther : Kind::kAddress;  // alone: a policy
    o.described = true;
    if (!s.empty()) {
      inside(bracket(s), o);
    }
  } else if (take(s, "gdesc")) {
    o.kind = Kind::kAddress;
    o.described = true;
    inside(bracket(s), o);
    o.suffix = s;
  } else if (s.substr(0, 2) == "SR") {
    o.kind = Kind::kSpecial;
    o.suffix = s;
  } else if (s.size() > 1 && s[0] == 'B' && s[1] >= '0' && s[1] <= '9') {
    s.remove_prefix(1);
    o.kind = Kind::kBarrier;
    take_index(s, 'Z', kNoIndex, o.index);
  } else if (whole.find_first_of("0123456789") != std::string_view::npos ||
             whole.find("INF") != std::string_view::npos || whole.find("NAN") != std::string_view::npos) {
    if (s.substr(0, 2) == "SB" || s.substr(0, 3) == "gsb") {
      o.suffix = s;
      return o;
    }
    o = {};
    o.kind = Kind::kNumber;  // a float
    o.bits = word.bits(32, 32);
  } else {
    o.suffix = s;
  }
  return o;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') {
    s.remove_prefix(1);
  }
  while (!s.empty() && s.back() == ' ') {
    s.remove_suffix(1);
  }
  return s;
}

}  // namespace

bool Parsed::has(std::string_view modifier) const {
  bool found = false;
  for (size_t i = 0; i < modifiers.size(); ++i) {
    if (modifiers[i] == modifier) {
      asked[i] = found = true;
    }
  }
  return found;
}

Parsed parse_line(const std::string& text, const Word& word) {
  Parsed out;
  out.text = text;
  std::string_view s = text;
  if (take(s, "@")) {
    out.guarded = true;
    out.guard_negated = take(s, "!");
    Operand p;
    take_register(s, p);
    out.guard = p.index;
    out.guard_uniform = p.kind == Kind::kUniformPredicate;
    s = trimmed(s);
  }
  const size_t space = std::min(s.find(' '), s.size());
  out.mnemonic = s.substr(0, space);
  s.remove_prefix(space);
  for (std::string_view m = out.mnemonic; !m.empty();) {
    const size_t dot = std::min(m.find('.'), m.size());
    if (out.name.empty()) {
      out.name = m.substr(0, dot);
    } else {
      out.modifiers.emplace_back(m.substr(0, dot));
      out.asked.push_back(false);
    }
    m.remove_prefix(std::min(dot + 1, m.size()));
  }
  for (s = trimmed(s); !s.empty();) {
    const size_t comma = std::min(s.find(','), s.size());
    const std::string_view one = trimmed(s.substr(0, comma));
    s.remove_prefix(std::min(comma + 1, s.size()));
    // "R20 0x0" of RET and BRX are two.
    const size_t gap = one.find(" 0x"), minus = one.find(" -0x");
    const size_t at = std::min(gap, minus);
    out.operands.push_back(parse_operand(one.substr(0, at), word));
    if (at != std::string_view::npos) {
      out.operands.push_back(parse_operand(trimmed(one.substr(at)), word));
    }
  }
  return out;
}

}  // namespace heddle::cubin
