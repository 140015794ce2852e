#include "frontends/sass/operand.h"

#include <cctype>

#include "sim/base/text.h"

namespace heddle::sass {
namespace {

using namespace lexical;  // the scanner's own helpers
using isa::RegFile;
using Kind = TextOperand::Kind;

// The terms of "R2.64+UR4+-0x8". A sign at the start of a term belongs to it.
void parse_terms(std::string_view inside, bool descriptor, TextOperand& op) {
  inside = trim(inside);
  size_t start = 0;
  while (start <= inside.size()) {
    size_t end = start;
    while (end < inside.size() && (end == start || (inside[end] != '+' && inside[end] != '-'))) {
      ++end;
    }
    const std::string_view term = trim(inside.substr(start, end - start));
    RegisterName r;
    int64_t v = 0;
    if (parse_register(term, r)) {
      if (op.n_reg == op.reg.size()) {
        fail("more than four registers in an address", inside, "at most 4");
      }
      r.descriptor = descriptor;
      op.reg[op.n_reg++] = r;
    } else if (parse_integer(term, v)) {
      op.offset += static_cast<uint32_t>(v);
    } else if (term.empty() || !(is_word(term[0]) || term[0] == '`' || term[0] == '(' || term[0] == '.')) {
      fail("bad address term", inside, "registers and integers joined by '+'");
    }
    if (end >= inside.size()) {
      break;
    }
    start = inside[end] == '+' ? end + 1 : end;
  }
}

// c[bank][terms], cx[UR4][terms], [terms], desc[UR4][terms], gdesc[UR8].
bool parse_brackets(std::string_view text, TextOperand& op) {
  while (!text.empty() && (text[0] == '-' || text[0] == '!' || text[0] == '~' || text[0] == '|')) {
    text.remove_prefix(1);
  }
  const size_t open = text.find('[');
  if (open == std::string_view::npos) {
    return false;
  }
  for (const char c : text.substr(0, open)) {
    if (!is_word(c)) {
      return false;
    }
  }
  const std::string_view prefix = text.substr(0, open);
  std::string_view part[2];
  int n = 0;
  size_t at = open;
  while (at < text.size() && text[at] == '[') {
    const size_t close = text.find(']', at);
    if (close == std::string_view::npos || n == 2) {
      fail("unbalanced brackets", text, "[...] or name[...][...]");
    }
    part[n++] = text.substr(at + 1, close - at - 1);
    at = close + 1;
  }
  if (at < text.size() && text[at] != '.' && text[at] != '|') {
    fail("unexpected text after ']'", text, "a modifier such as .H0_H0");
  }
  if (prefix == "c" || prefix == "cx") {
    if (n != 2) {
      fail("constant without an offset", text, "c[bank][offset]");
    }
    op.kind = Kind::kConstant;
    int64_t bank = 0;
    if (prefix == "c" && parse_integer(trim(part[0]), bank)) {
      if (bank < 0 || bank > 0xff) {
        fail("no such constant bank", text, "0x0 to 0xff");
      }
      op.bank = static_cast<uint16_t>(bank);
    } else {
      parse_terms(part[0], true, op);
    }
    parse_terms(part[1], false, op);
    return true;
  }
  if (prefix.empty()) {
    op.kind = Kind::kAddress;
    parse_terms(part[0], false, op);
    if (n == 2) {
      parse_terms(part[1], false, op);
    }
    return true;
  }
  op.kind = n == 2 ? Kind::kAddress : Kind::kDescriptor;
  op.name = prefix;
  parse_terms(part[0], true, op);
  if (n == 2) {
    parse_terms(part[1], false, op);
  }
  return true;
}

void parse_counters(std::string_view text, TextOperand& op) {
  op.kind = Kind::kCounters;
  if (text.size() < 2 || text.back() != '}') {
    fail("unbalanced braces", text, "{5,4}");
  }
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view t = trim(text.substr(0, comma));
    t.remove_prefix(t.starts_with("SB") ? 2 : 0);
    const int n = small_number(t);
    if (n < 0 || n > 5) {
      fail("no such dependence counter", t, "0 to 5");
    }
    op.counters |= static_cast<uint8_t>(1u << n);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
}

TextOperand parse_operand(std::string_view text) {
  TextOperand op;
  if (text[0] == '{') {
    parse_counters(text, op);
    return op;
  }
  if (text[0] == '`' || text[0] == '(') {
    op.name = text;
    if (text.starts_with("`(") && text.back() == ')') {
      op.name = text.substr(2, text.size() - 3);
    }
    return op;
  }
  if (parse_brackets(text, op)) {
    return op;
  }
  if (parse_register(text, op.reg[0])) {
    op.kind = Kind::kRegister;
    op.n_reg = 1;
    return op;
  }
  if (parse_integer(text, op.value)) {
    op.kind = Kind::kImmediate;
    op.integer = true;
    return op;
  }
  const char c = text[0] == '-' || text[0] == '+' ? (text.size() > 1 ? text[1] : '\0') : text[0];
  const std::string_view unsigned_text = text.substr(text[0] == '-' || text[0] == '+');
  if (std::isdigit(static_cast<unsigned char>(c)) && unsigned_text.find('@') == std::string_view::npos &&
      unsigned_text.find_first_not_of("0123456789.eE+-") == std::string_view::npos) {
    op.kind = Kind::kImmediate;  // 1.5, 1e-06
    return op;
  }
  if (unsigned_text == "INF" || unsigned_text == "QNAN" || unsigned_text == "SNAN" ||
      unsigned_text == "NAN") {
    op.kind = Kind::kImmediate;
    return op;
  }
  if (!is_word(c) && c != '.') {
    fail("bad operand", text, "register, predicate, [address], c[bank][offset], number or name");
  }
  op.name = text;
  return op;
}

// End of the operand that starts at `i`: the first comma or blank outside brackets and quotes.
size_t operand_end(std::string_view s, size_t i) {
  int depth = 0;
  for (; i < s.size(); ++i) {
    const char c = s[i];
    if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      if (--depth < 0) {
        fail("unbalanced brackets", s, "as many '[', '(' and '{' as ']', ')' and '}'");
      }
    } else if (depth == 0 && (c == ',' || is_blank(c))) {
      break;
    }
  }
  if (depth) {
    fail("unbalanced brackets", s, "as many '[', '(' and '{' as ']', ')' and '}'");
  }
  return i;
}

void parse_operands(std::string_view s, TextInstruction& out) {
  bool after_comma = false;
  size_t i = 0;
  for (;;) {
    while (i < s.size() && is_blank(s[i])) {
      ++i;
    }
    if (i == s.size()) {
      break;
    }
    if (s[i] == ',') {
      if (after_comma || out.operands.empty()) {
        fail("empty operand", s, "operands separated by single commas");
      }
      after_comma = true;
      ++i;
      continue;
    }
    if (s.substr(i).starts_with("(*")) {  // (*"BRANCH_TARGETS .L_x_1,.L_x_2"*)
      const size_t close = s.find("*)", i);
      if (close == std::string_view::npos) {
        fail("unterminated comment", s.substr(i), "(*\"...\"*)");
      }
      i = close + 2;
      continue;
    }
    const size_t end = operand_end(s, i);
    const std::string_view text = s.substr(i, end - i);
    i = end;
    after_comma = false;
    if (text[0] == '&' || text[0] == '?') {
      continue;  // newer nvdisasm prints scheduling notes after the operands
    }
    out.operands.push_back(parse_operand(text));
  }
  if (after_comma) {
    fail("empty operand", s, "operands separated by single commas");
  }
}

}  // namespace

TextInstruction parse_instruction(std::string_view text) {
  text = trim(text);
  if (!text.empty() && text.back() == ';') {
    text = trim(text.substr(0, text.size() - 1));
  }
  TextInstruction out;
  if (!text.empty() && text[0] == '@') {
    size_t end = 1;
    while (end < text.size() && !is_blank(text[end])) {
      ++end;
    }
    const std::string_view guard = text.substr(1, end - 1);
    if (!parse_register(guard, out.guard) || out.guard.all ||
        (out.guard.file != RegFile::kPredicate && out.guard.file != RegFile::kUniformPredicate)) {
      fail("bad guard", text.substr(0, end),
           "@P0 to @P6, @PT, @UP0 to @UP6, @UPT, each with an optional '!'");
    }
    out.guard_never = out.guard.zero && guard[0] == '!';
    text = trim(text.substr(end));
  }
  size_t end = 0;
  while (end < text.size() && (is_word(text[end]) || text[end] == '.')) {
    ++end;
  }
  out.opcode = text.substr(0, end);
  if (out.opcode.empty() || !std::isupper(static_cast<unsigned char>(out.opcode[0])) ||
      (end < text.size() && !is_blank(text[end]))) {
    fail("not an instruction", text, "[@predicate] OPCODE operands");
  }
  parse_operands(text.substr(end), out);
  return out;
}

}  // namespace heddle::sass
