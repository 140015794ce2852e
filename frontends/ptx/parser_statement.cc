#include <cstddef>

#include "frontends/ptx/parser.h"

namespace heddle::ptx {
namespace {

constexpr int kDeepestScope = 1000;

constexpr std::string_view kStatementDirectives =
    ".reg, .param, .shared, .local, .global, .const, .loc, .file, .pragma, and behind a label "
    ".branchtargets, "
    ".calltargets, .callprototype";

}  // namespace

// Behind the first '{', to behind its '}'.
void Parser::body(ast::Item& item) {
  for (int depth = 1; depth > 0;) {
    const Token& t = tokens_.now();
    if (t.is('{') || t.is('}')) {
      depth += t.is('{') ? 1 : -1;
      if (depth > kDeepestScope) {
        tokens_.fail(t.at, "scopes nested too deeply (legal: up to 1000 levels)");
      }
      ast::Statement s;
      s.kind = t.is('{') ? ast::StatementKind::kOpen : ast::StatementKind::kClose;
      s.at = t.at;
      if (depth > 0) {
        item.statements.push_back(s);
      }
      tokens_.next();
    } else if (t.is(TokenKind::kEnd)) {
      tokens_.fail(item.prototypes.front().at,
                   "the body of " + quoted(item.prototypes.front().name) + " has no end (legal: { ... })");
    } else if (t.is('@', '@')) {
      tokens_.skip_line();
    } else {
      statement(item);
    }
  }
}

void Parser::statement(ast::Item& item) {
  const Token& t = tokens_.now();
  if (t.is(TokenKind::kName)) {
    label_or_instruction(item);
  } else if (t.is(TokenKind::kDirective)) {
    directive_statement(item);
  } else if (t.is(';')) {
    tokens_.next();
  } else if (t.is('@')) {
    ast::Statement s;
    tokens_.next();
    s.guard_negated = tokens_.take('!');
    s.guard_at = tokens_.now().at;
    s.guard = tokens_.need_name("a predicate register behind '@'");
    const Token opcode = tokens_.now();
    tokens_.need_name("an instruction behind its guard");
    instruction(item, s, opcode);
  } else {
    tokens_.unexpected("an instruction, a label, a directive, '{' or '}'");
  }
}

void Parser::label_or_instruction(ast::Item& item) {
  const Token name = tokens_.now();
  tokens_.next();
  ast::Statement s;
  if (!tokens_.now().is(':')) {
    instruction(item, s, name);
    return;
  }
  tokens_.next();
  if (tokens_.now().is_directive(".branchtargets") || tokens_.now().is_directive(".calltargets") ||
      tokens_.now().is_directive(".callprototype")) {
    s.text = name.text;
    s.at = name.at;
    item.statements.push_back(s);
    const std::string_view word = tokens_.now().text;
    if (word == ".callprototype") {
      call_prototype(item);
    } else {
      after_label(item, word == ".branchtargets" ? ast::StatementKind::kBranchTargets
                                                 : ast::StatementKind::kCallTargets);
    }
    return;
  }
  s.kind = ast::StatementKind::kLabel;
  s.text = name.text;
  s.at = name.at;
  item.statements.push_back(s);
}

// Of the statement at the end of the list: .branchtargets L1, L2;
void Parser::after_label(ast::Item& item, ast::StatementKind kind) {
  tokens_.next();
  const ast::Range names = operands(item, ';', false, 0);
  item.statements.back().kind = kind;
  item.statements.back().range = names;
}

// .callprototype (.param .b32 _) _ (.param .b64 _, .param .b64 _);
void Parser::call_prototype(ast::Item& item) {
  ast::Prototype p;
  tokens_.next();
  if (tokens_.now().is('(')) {
    p.returns = parameters(item);
  }
  p.at = tokens_.now().at;
  tokens_.need_name("'_'");
  if (tokens_.now().is('(')) {
    p.parameters = parameters(item);
  }
  function_directives(item, p);
  tokens_.need(';', "';'");
  item.statements.back().kind = ast::StatementKind::kCallPrototype;
  item.statements.back().range = {static_cast<uint32_t>(item.prototypes.size()), 1};
  item.prototypes.push_back(p);
}

void Parser::directive_statement(ast::Item& item) {
  const std::string_view word = tokens_.now().text;
  ast::Statement s;
  s.at = tokens_.now().at;
  if (word == ".loc") {
    s.kind = ast::StatementKind::kLoc;
    s.range = {static_cast<uint32_t>(item.locs.size()), 1};
    loc(item);
    item.statements.push_back(s);
  } else if (word == ".pragma") {
    s.kind = ast::StatementKind::kPragma;
    do {
      tokens_.next();
      s.text = tokens_.need_string("a string in double quotes");
      item.statements.push_back(s);
    } while (tokens_.now().is(','));
    tokens_.need(';', "';'");
  } else if (word == ".file") {
    ast::Item unused;  // known from the module's own line in all that compilers write
    file(unused);
  } else if (word == ".reg" || word == ".param" || word == ".shared" || word == ".local" ||
             word == ".global" || word == ".const" || word == ".extern" || word == ".tex") {
    Linkage linkage = Linkage::kNone;
    if (word == ".extern") {
      linkage = Linkage::kExtern;
      tokens_.next();
    }
    s.kind = ast::StatementKind::kDeclaration;
    s.range.first = static_cast<uint32_t>(item.declarations.size());
    declaration(item, linkage);
    s.range.count = static_cast<uint32_t>(item.declarations.size()) - s.range.first;
    item.statements.push_back(s);
  } else {
    tokens_.unexpected(kStatementDirectives);
  }
}

// .loc 1 20 5, function_name $L__info_string0+4, inlined_at 1 30 2
void Parser::loc(ast::Item& item) {
  ast::Loc l;
  const auto number = [&] {
    return static_cast<uint32_t>(
        std::min<uint64_t>(parse_count(tokens_, "file, line and column, three numbers"), UINT32_MAX));
  };
  tokens_.next();
  l.file = number();
  l.line = number();
  l.column = tokens_.now().is(TokenKind::kInteger) ? number() : 0;
  while (tokens_.take(',')) {
    const std::string_view what = tokens_.need_name("function_name or inlined_at");
    if (what == "function_name") {
      l.function_name = tokens_.need_name("a label in .debug_str");
      if (tokens_.take('+')) {
        l.function_offset = number();
      }
    } else if (what == "inlined_at") {
      l.inlined = true;
      l.inlined_file = number();
      l.inlined_line = number();
      l.inlined_column = number();
    } else {
      tokens_.unexpected("function_name or inlined_at");
    }
  }
  item.locs.push_back(l);
}

// Behind its opcode.
void Parser::instruction(ast::Item& item, ast::Statement& s, const Token& opcode) {
  s.kind = ast::StatementKind::kInstr;
  s.at = opcode.at;
  s.text = opcode.text;
  if (tokens_.now().is(TokenKind::kDirective)) {
    s.text = spaced_opcode(opcode.text);
  }
  if (tokens_.take(';')) {
    s.range = {static_cast<uint32_t>(item.operands.size()), 0};
  } else {
    const bool call = s.text.starts_with("call") && (s.text.size() == 4 || s.text[4] == '.');
    s.range = operands(item, ';', call, 0);
  }
  item.statements.push_back(s);
}

// "add .u32", as people write it by hand.
std::string_view Parser::spaced_opcode(std::string_view first) {
  std::string joined(first);
  while (tokens_.now().is(TokenKind::kDirective)) {
    joined += tokens_.now().text;
    tokens_.next();
  }
  made_.push_back(std::move(joined));
  return made_.back();
}

}  // namespace heddle::ptx
