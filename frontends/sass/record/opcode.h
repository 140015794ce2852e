// What an instruction is called: a mnemonic and its modifiers. Literals as "LDG.E.128" become enumerators
// when they are compiled: a misspelt one does not compile.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "frontends/sass/record/names.h"

namespace heddle::sass {

// A product of matrices: m by k and k by n.
struct Shape {
  uint16_t m = 0, n = 0, k = 0;
  friend bool operator==(const Shape&, const Shape&) = default;
};

// In the order of the text.
class Modifiers {
 public:
  static constexpr size_t kMost = 12;

  constexpr const Mod* begin() const { return list_.data(); }
  constexpr const Mod* end() const { return list_.data() + count_; }
  size_t size() const { return count_; }
  Mod operator[](size_t i) const { return i < count_ ? list_[i] : Mod::kNone; }
  // False: there are too many.
  constexpr bool add(Mod m) {
    if (count_ == kMost) {
      return false;
    }
    list_[count_++] = m;
    return true;
  }
  bool contains(Mod m) const { return std::find(begin(), end(), m) != end(); }
  // Whether it is there; it counts as looked at then.
  bool take(Mod m) {
    bool found = false;
    for (uint32_t i = 0; i < count_; ++i) {
      if (list_[i] == m) {
        taken_ |= 1U << i;
        found = true;
      }
    }
    return found;
  }
  bool taken(size_t i) const { return (taken_ >> i & 1) != 0; }
  friend bool operator==(const Modifiers& a, const Modifiers& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<Mod, kMost> list_{};
  uint32_t count_ = 0, taken_ = 0;
};

// ".STRONG.GPU", "" or "?", which stands for a value that is not known.
struct Suffix {
  std::array<Mod, 4> mods{};
  uint8_t count = 0;
  bool known = true;
  Shape shape;  // where a modifier is kShape

  constexpr Suffix() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a table of these reads as what it means
  consteval Suffix(const char* text) : Suffix(std::string_view(text)) {}
  explicit consteval Suffix(std::string_view s) : known(s != "?") {
    while (known && !s.empty()) {
      s.remove_prefix(1);  // the dot
      const size_t dot = std::min(s.find('.'), s.size());
      mods[count++] = named(s.substr(0, dot));
      s.remove_prefix(dot);
    }
  }
  constexpr Suffix(Mod m) : mods{m}, count(1) {}                  // NOLINT(google-explicit-constructor)
  constexpr Suffix(Shape s) : Suffix(Mod::kShape) { shape = s; }  // NOLINT(google-explicit-constructor)

 private:
  consteval Mod named(std::string_view name) {
    for (size_t i = 1; i < kMods; ++i) {
      if (kModTexts[i] == name) {
        return static_cast<Mod>(i);
      }
    }
    shape = shape_named(name);
    return Mod::kShape;
  }
  // "16816": 16 by 8 by 16; "8x8x4".
  static consteval Shape shape_named(std::string_view name) {
    const size_t rows = name.starts_with("16") ? 2 : 1;
    const bool crossed = name.find('x') != std::string_view::npos;
    const std::string_view depth = name.substr(rows + (crossed ? 3 : 1));
    uint16_t k = 0;
    for (const char c : depth) {
      k = static_cast<uint16_t>(10 * k + (c - '0'));
      if (c < '0' || c > '9') {
        throw "no modifier";  // does not compile
      }
    }
    if ((rows == 1 && name[0] != '8') || name[crossed ? rows + 1 : rows] != '8' || k == 0) {
      throw "no modifier";
    }
    return {static_cast<uint16_t>(rows == 1 ? 8 : 16), 8, k};
  }
};

struct Opcode {
  Mnemonic name = Mnemonic::kNone;
  Shape shape;  // where the modifiers have kShape
  Modifiers mods;

  constexpr Opcode() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  consteval Opcode(const char* text) : Opcode(std::string_view(text)) {}
  explicit consteval Opcode(std::string_view s) : name(named(s.substr(0, s.find('.')))) {
    add(Suffix(s.substr(std::min(s.find('.'), s.size()))));
  }
  // False: there are too many modifiers.
  constexpr bool add(const Suffix& s) {
    bool all = true;
    for (size_t i = 0; i < s.count; ++i) {
      all = mods.add(s.mods[i]) && all;
      if (s.mods[i] == Mod::kShape) {
        shape = s.shape;
      }
    }
    return all;
  }
  friend bool operator==(const Opcode&, const Opcode&) = default;

 private:
  static consteval Mnemonic named(std::string_view s) {
    for (size_t i = 1; i < kMnemonics; ++i) {
      if (kMnemonicTexts[i] == s) {
        return static_cast<Mnemonic>(i);
      }
    }
    throw "no mnemonic";
  }
};

inline Opcode operator+(Opcode o, const Suffix& s) {
  o.add(s);
  return o;
}

namespace literals {
consteval Opcode operator""_op(const char* text, size_t n) { return Opcode(std::string_view(text, n)); }
consteval Suffix operator""_mod(const char* text, size_t n) { return Suffix(std::string_view(text, n)); }
}  // namespace literals

}  // namespace heddle::sass
