#include "frontends/sass/lexical.h"

#include <cctype>
#include <charconv>
#include <string>

#include "sim/base/error.h"
#include "sim/base/text.h"

namespace heddle::sass::lexical {

using isa::RegFile;

[[noreturn]] void fail(std::string_view what, std::string_view where, std::string_view legal) {
  constexpr size_t kShown = 60;
  std::string s(what);
  s += " '";
  s += where.substr(0, kShown);
  s += where.size() > kShown ? "...' (legal: " : "' (legal: ";
  s += legal;
  s += ")";
  throw Error(s);
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

int small_number(std::string_view digits) {
  if (digits.empty() || digits.size() > 3) {
    return -1;
  }
  int v = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') {
      return -1;
    }
    v = v * 10 + (c - '0');
  }
  return v;
}

namespace {

struct FileName {
  std::string_view prefix, zero;
  RegFile file;
  int registers;  // indices 0 .. registers-1
  int last;       // which of them is the zero register; -1: it is known by its name only
};

constexpr FileName kFiles[] = {
    {"UR", "URZ", RegFile::kUniform, 80, -1}, {"UP", "UPT", RegFile::kUniformPredicate, 8, 7},
    {"SB", "", RegFile::kScoreboard, 6, -1},  {"R", "RZ", RegFile::kGpr, 256, 255},
    {"P", "PT", RegFile::kPredicate, 8, 7},   {"B", "", RegFile::kConvergence, 16, -1},
};

// A register's base name, without suffixes.
bool parse_register_name(std::string_view word, RegisterName& r) {
  if (word == "PR" || word == "UPR") {
    r.file = word == "PR" ? RegFile::kPredicate : RegFile::kUniformPredicate;
    r.all = true;
    return true;
  }
  for (const FileName& f : kFiles) {
    if (!word.starts_with(f.prefix)) {
      continue;
    }
    if (!f.zero.empty() && word == f.zero) {
      r.file = f.file;
      r.zero = true;
      return true;
    }
    const int n = small_number(word.substr(f.prefix.size()));
    if (n < 0) {
      continue;
    }
    if (n >= f.registers) {
      fail("no such register", word,
           std::string(f.prefix) + "0 to " + std::string(f.prefix) +
               std::to_string(f.registers - (f.last < 0 ? 1 : 2)));
    }
    r.file = f.file;
    r.index = static_cast<uint8_t>(n);
    r.zero = n == f.last;
    return true;
  }
  return false;
}

void apply_suffix(std::string_view t, RegisterName& r) {
  r.wide |= t == "64";
  r.narrow |= t == "U32";
  r.reuse |= t == "reuse";
}

}  // namespace

// "R2.64.reuse" with the unary operators -, !, ~ and |..| around it.
bool parse_register(std::string_view text, RegisterName& r) {
  while (!text.empty() &&
         (text[0] == '-' || text[0] == '!' || text[0] == '~' || text[0] == '|' || text[0] == '+')) {
    text.remove_prefix(1);
  }
  size_t end = 0;
  while (end < text.size() && is_word(text[end])) {
    ++end;
  }
  RegisterName found;
  if (end == 0 || !parse_register_name(text.substr(0, end), found)) {
    return false;
  }
  std::string_view rest = text.substr(end);
  while (!rest.empty()) {
    if (rest[0] == '|') {
      rest.remove_prefix(1);
      continue;
    }
    if (rest[0] != '.') {
      return false;
    }
    size_t n = 1;
    while (n < rest.size() && is_word(rest[n])) {
      ++n;
    }
    apply_suffix(rest.substr(1, n - 1), found);
    rest.remove_prefix(n);
  }
  r = found;
  return true;
}

// "-0x10", "42". False for anything else, floating-point numbers included.
bool parse_integer(std::string_view text, int64_t& value) {
  bool negative = false;
  while (!text.empty() && (text[0] == '-' || text[0] == '+' || text[0] == '~')) {
    negative ^= text[0] == '-';
    text.remove_prefix(1);
  }
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  text.remove_prefix(hex ? 2 : 0);
  uint64_t v = 0;
  const auto [p, ec] = std::from_chars(text.data(), text.data() + text.size(), v, hex ? 16 : 10);
  if (ec != std::errc() || p != text.data() + text.size() || text.empty()) {
    return false;
  }
  value = static_cast<int64_t>(negative ? 0 - v : v);
  return true;
}

}  // namespace heddle::sass::lexical
