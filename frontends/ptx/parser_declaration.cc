#include <algorithm>
#include <cstddef>
#include <optional>

#include "frontends/ptx/parser.h"
#include "frontends/ptx/words.h"

namespace heddle::ptx {
namespace {

constexpr int kDeepestInitialiser = 16;
constexpr size_t kMostDimensions = 16;

uint32_t count_of(size_t end, uint32_t first) { return static_cast<uint32_t>(end) - first; }

}  // namespace

// .global .align 4 .u32 a = 1, b[2];
void Parser::declaration(ast::Item& item, Linkage linkage) {
  ast::Declaration common;
  common.linkage = linkage;
  specifiers(item, common);
  if (common.type == Type::kNone) {
    tokens_.unexpected("a type such as .u32");
  }
  for (;;) {
    ast::Declaration d = common;
    declarator(item, d);
    item.declarations.push_back(d);
    if (!tokens_.take(',')) {
      break;
    }
  }
  tokens_.need(';', "',' or ';'");
}

// The directives before a name, in any order: space, alignment, vector, type, attributes.
void Parser::specifiers(ast::Item& item, ast::Declaration& d) {
  while (tokens_.now().is(TokenKind::kDirective)) {
    const std::string_view word = tokens_.now().text;
    if (word == ".attribute") {
      attribute(item, d);
    } else if (word == ".ptr") {
      pointer(d);
    } else if (word == ".align") {
      const uint32_t at = tokens_.now().at;
      tokens_.next();
      const uint64_t align = parse_count(tokens_, "an alignment in bytes");
      if (align == 0 || (align & (align - 1)) != 0 || align > (uint64_t{1} << 20)) {
        tokens_.fail(at, "alignment " + std::to_string(align) + " (legal: a power of two up to 1048576)");
      }
      d.align = static_cast<uint32_t>(align);
    } else if (!specifier(d)) {
      tokens_.unexpected(
          "a state space (.reg, .global, .shared, .local, .const, .param, .tex), a type, .align, .v2, "
          ".v4, .ptr or .attribute");
    }
  }
}

bool Parser::specifier(ast::Declaration& d) {
  const std::string_view word = tokens_.now().text.substr(1);
  if (const auto space = space_named(word)) {
    d.space = *space;
    tokens_.next();
    if (tokens_.take('[')) {  // .const[3]: banks of PTX before 2.2
      parse_count(tokens_, "the number of a bank");
      tokens_.need(']', "']'");
    }
    return true;
  }
  if (word == "v2" || word == "v4" || word == "v8") {
    d.vector = static_cast<uint8_t>(word[1] - '0');
  } else if (const auto type = type_named(word)) {
    d.type = *type;
  } else if (word == "managed") {
    d.managed = true;
  } else {
    return false;
  }
  tokens_.next();
  return true;
}

// .ptr .global .align 4: what a pointer parameter points to.
void Parser::pointer(ast::Declaration& d) {
  d.pointer = true;
  tokens_.next();
  if (tokens_.now().is(TokenKind::kDirective)) {
    if (const auto space = space_named(tokens_.now().text.substr(1))) {
      d.pointer_space = *space;
      tokens_.next();
    }
  }
  if (tokens_.now().is_directive(".align")) {
    tokens_.next();
    d.pointer_align =
        static_cast<uint32_t>(std::min<uint64_t>(parse_count(tokens_, "an alignment in bytes"), UINT32_MAX));
  }
}

// .attribute(.managed), .attribute(.unified(1, 2))
void Parser::attribute(ast::Item& /*item*/, ast::Declaration& d) {
  tokens_.next();
  tokens_.need('(', "'('");
  do {
    if (tokens_.now().is_directive(".managed")) {
      d.managed = true;
      tokens_.next();
    } else if (tokens_.now().is_directive(".unified")) {
      tokens_.next();
      if (tokens_.take('(')) {
        skip_to_end();
      }
    } else {
      tokens_.unexpected(".managed or .unified");
    }
  } while (tokens_.take(','));
  tokens_.need(')', "')'");
}

// name, name<N>, name[2][3], name = initialiser
void Parser::declarator(ast::Item& item, ast::Declaration& d) {
  d.at = tokens_.now().at;
  d.name = tokens_.need_name("a name");
  if (tokens_.now().is('<')) {
    tokens_.next();
    const uint32_t at = tokens_.now().at;
    if (!tokens_.now().is(TokenKind::kInteger)) {
      tokens_.unexpected("the number of registers");
    }
    if (tokens_.now().bits == 0 || tokens_.now().bits > UINT32_MAX) {
      tokens_.fail(at, std::string(d.name) + "<" + std::to_string(tokens_.now().bits) +
                           "> (legal: 1 to 4294967295 registers)");
    }
    d.range = static_cast<uint32_t>(tokens_.now().bits);
    tokens_.next();
    tokens_.need('>', "'>'");
  }
  d.dimensions.first = static_cast<uint32_t>(item.numbers.size());
  while (tokens_.now().is('[')) {
    const uint32_t at = tokens_.now().at;
    tokens_.next();
    d.array = true;
    const bool open = tokens_.now().is(']');
    item.numbers.push_back(open ? 0 : parse_count(tokens_, "a number of elements, or ']'"));
    if (item.numbers.size() - d.dimensions.first > kMostDimensions) {
      tokens_.fail(at, "too many dimensions (legal: up to 16)");
    }
    if (open && item.numbers.size() - d.dimensions.first > 1) {
      tokens_.fail(at, "'[]' behind the first dimension (legal: a number of elements)");
    }
    tokens_.need(']', "']'");
  }
  d.dimensions.count = count_of(item.numbers.size(), d.dimensions.first);
  if (tokens_.take('=')) {
    d.initialised = true;
    d.init.first = static_cast<uint32_t>(item.inits.size());
    initialiser(item, 0);
    d.init.count = count_of(item.inits.size(), d.init.first);
  }
}

void Parser::initialiser(ast::Item& item, int depth) {
  if (!tokens_.now().is('{')) {
    initial_value(item);
    return;
  }
  if (depth == kDeepestInitialiser) {
    tokens_.fail(tokens_.now().at, "initialiser nested too deeply (legal: up to 16 levels)");
  }
  ast::InitItem brace;
  brace.kind = ast::InitItem::Kind::kOpen;
  brace.at = tokens_.now().at;
  item.inits.push_back(brace);
  tokens_.next();
  while (!tokens_.now().is('}')) {
    initialiser(item, depth + 1);
    if (!tokens_.take(',')) {
      break;
    }
  }
  brace.kind = ast::InitItem::Kind::kClose;
  brace.at = tokens_.now().at;
  tokens_.need('}', "',' or '}'");
  item.inits.push_back(brace);
}

// A constant; name, generic(name), 0xFF(name), each with + constant. Opaque objects have fields: their value
// is kept as text only.
void Parser::initial_value(ast::Item& item) {
  ast::InitItem part;
  part.at = tokens_.now().at;
  const Token t = tokens_.now();
  if (t.is(TokenKind::kName) && t.text != "WARP_SZ") {
    symbol(part);
    if (tokens_.take('=')) {  // addr_mode_0 = wrap
      if (tokens_.now().is(TokenKind::kName)) {
        tokens_.next();
      } else {
        parse_constant(tokens_);
      }
      return;
    }
    item.inits.push_back(part);
    return;
  }
  part.value = parse_constant(tokens_);
  if (t.is(TokenKind::kInteger) && tokens_.now().is('(')) {  // 0xFF00(name)
    tokens_.next();
    part.mask = part.value.bits;
    part.value = {};
    symbol(part);
    tokens_.need(')', "')'");
  }
  item.inits.push_back(part);
}

void Parser::symbol(ast::InitItem& part) {
  part.kind = ast::InitItem::Kind::kSymbol;
  part.name = tokens_.need_name("the name of a variable or function");
  if (part.name == "generic" && tokens_.now().is('(')) {
    tokens_.next();
    part.generic = true;
    part.name = tokens_.need_name("the name of a variable");
    tokens_.need(')', "')'");
  }
  while (tokens_.now().is('+') || tokens_.now().is('-')) {
    const bool minus = tokens_.now().is('-');
    tokens_.next();
    const uint64_t more = parse_term(tokens_).bits;
    part.value.bits += minus ? 0 - more : more;
  }
}

// (.param .u64 a, .param .align 8 .b8 b[16])
ast::Range Parser::parameters(ast::Item& item) {
  tokens_.need('(', "'('");
  const auto first = static_cast<uint32_t>(item.declarations.size());
  while (!tokens_.now().is(')')) {
    ast::Declaration d;
    specifiers(item, d);
    if (d.type == Type::kNone || (d.space != Space::kParam && d.space != Space::kReg)) {
      tokens_.unexpected(".param or .reg, and a type, before the parameter's name");
    }
    d.at = tokens_.now().at;
    if (!tokens_.now().is(',') && !tokens_.now().is(')')) {  // prototypes may leave out the name
      declarator(item, d);
    }
    item.declarations.push_back(d);
    if (!tokens_.take(',')) {
      break;
    }
  }
  tokens_.need(')', "',' or ')'");
  return {first, count_of(item.declarations.size(), first)};
}

}  // namespace heddle::ptx
